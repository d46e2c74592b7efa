/* Broken eventfds. */

#include "interposer.h"

#define EVENTFD "[eventfd]"
#define SIGNALFD "[signalfd]"

ssize_t read_signalfd(int fd, void *buffer, size_t size);

static ssize_t real_read(int fd, void *buffer, size_t size)
{
    return REAL(ssize_t, "read", int, void *, size_t)(fd, buffer, size);
}

static ssize_t real_write(int fd, const void *buffer, size_t size)
{
    return REAL(ssize_t, "write", int, const void *, size_t)(fd, buffer, size);
}

int eventfd(unsigned int initval, int flags)
{
    if (mutant("semaphore-ignored"))
        flags &= ~EFD_SEMAPHORE;
    if (mutant("always-semaphore"))
        flags |= EFD_SEMAPHORE;
    if (mutant("initval-ignored"))
        initval = 0;
    if (mutant("eventfd-cloexec-lost"))
        flags &= ~EFD_CLOEXEC;
    if (mutant("eventfd-nonblock-lost"))
        flags &= ~EFD_NONBLOCK;
    if (mutant("eventfd-bad-flags-accepted"))
        flags &= EFD_CLOEXEC | EFD_NONBLOCK | EFD_SEMAPHORE;
    return REAL(int, "eventfd", unsigned int, int)(initval, flags);
}

static ssize_t read_eventfd(int fd, void *buffer, size_t size)
{
    uint64_t value = 0;
    if (mutant("short-read-accepted") && size < sizeof value) {
        ssize_t got = real_read(fd, &value, sizeof value);
        memcpy(buffer, &value, size);
        return got < 0 ? got : (ssize_t)size;
    }
    ssize_t got = real_read(fd, buffer, size);
    if (got < 0 && mutant("empty-read-is-zero") && errno == EAGAIN) {
        memset(buffer, 0, 8);
        return 8;
    }
    if (got == 8 && mutant("read-does-not-reset"))
        real_write(fd, buffer, 8);
    if (got == 8 && mutant("read-loses-one")) {
        memcpy(&value, buffer, 8);
        value -= value > 1;
        memcpy(buffer, &value, 8);
    }
    return got == 8 && mutant("long-read-fills-buffer") ? (ssize_t)size : got;
}

ssize_t read(int fd, void *buffer, size_t size)
{
    if (is_kind(fd, EVENTFD))
        return read_eventfd(fd, buffer, size);
    return is_kind(fd, SIGNALFD) ? read_signalfd(fd, buffer, size) : real_read(fd, buffer, size);
}

static ssize_t write_eventfd(int fd, const void *buffer, size_t size)
{
    uint64_t value = 0;
    memcpy(&value, buffer, size < 8 ? size : 8);
    if (mutant("short-write-accepted") && size < 8)
        return real_write(fd, &value, 8) < 0 ? -1 : (ssize_t)size;
    if (mutant("all-ones-accepted") && value == UINT64_MAX)
        return 8;
    if (mutant("zero-write-refused") && value == 0)
        return refuse(EINVAL);
    if (mutant("zero-write-signals") && value == 0)
        value = 1;
    if (mutant("write-replaces")) {
        uint64_t old;
        real_read(fd, &old, 8);
    }
    ssize_t put = real_write(fd, size == 8 ? (const void *)&value : buffer, size);
    return put < 0 && errno == EAGAIN && mutant("write-at-limit-wraps") ? 8 : put;
}

ssize_t write(int fd, const void *buffer, size_t size)
{
    return is_kind(fd, EVENTFD) ? write_eventfd(fd, buffer, size) : real_write(fd, buffer, size);
}
