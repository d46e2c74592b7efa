/* Broken signalfds. */

#include "interposer.h"

int signalfd(int fd, const sigset_t *mask, int flags)
{
    if (mutant("mask-update-ignored") && fd >= 0)
        return fd;
    if (mutant("update-makes-another"))
        fd = -1;
    if (mutant("signalfd-cloexec-lost"))
        flags &= ~SFD_CLOEXEC;
    if (mutant("signalfd-nonblock-lost"))
        flags &= ~SFD_NONBLOCK;
    if (mutant("signalfd-empty-mask-refused")) {
        static const uint64_t nothing;
        if (memcmp(mask, &nothing, sizeof nothing) == 0)
            return refuse(EINVAL);
    }
    return REAL(int, "signalfd", int, const sigset_t *, int)(fd, mask, flags);
}

static void spoil_record(struct signalfd_siginfo *info)
{
    if (mutant("pid-dropped"))
        info->ssi_pid = 0;
    if (mutant("uid-wrong"))
        info->ssi_uid += 1;
    if (mutant("code-dropped"))
        info->ssi_code = 0;
    if (mutant("status-dropped"))
        info->ssi_status = 0;
    if (mutant("overrun-dropped"))
        info->ssi_overrun = 0;
    if (mutant("pointer-cut"))
        info->ssi_ptr &= 0xffffffff;
    if (mutant("int-dropped"))
        info->ssi_int = 0;
}

/* Drops every record of a signal but the first; how many are left. */
static size_t coalesce(struct signalfd_siginfo *records, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        bool seen = false;
        for (size_t j = 0; j < kept; j++)
            seen |= records[j].ssi_signo == records[i].ssi_signo;
        if (!seen)
            records[kept++] = records[i];
    }
    return kept;
}

static void reverse(struct signalfd_siginfo *records, size_t count)
{
    for (size_t i = 0; i < count / 2; i++) {
        struct signalfd_siginfo swap = records[i];
        records[i] = records[count - 1 - i];
        records[count - 1 - i] = swap;
    }
}

ssize_t read_signalfd(int fd, void *buffer, size_t size)
{
    struct signalfd_siginfo one;
    ssize_t (*real_read)(int, void *, size_t) = REAL(ssize_t, "read", int, void *, size_t);
    if (mutant("signalfd-short-read-accepted") && size > 0 && size < sizeof one) {
        ssize_t got = real_read(fd, &one, sizeof one);
        memcpy(buffer, &one, size);
        return got < 0 ? got : (ssize_t)size;
    }
    if (mutant("one-record-a-read") && size > sizeof one)
        size = sizeof one;
    ssize_t got = real_read(fd, buffer, size);
    if (got < 0)
        return got;
    struct signalfd_siginfo *records = buffer;
    size_t count = (size_t)got / sizeof one;
    for (size_t i = 0; i < count; i++)
        spoil_record(&records[i]);
    if (mutant("realtime-coalesced"))
        count = coalesce(records, count);
    if (mutant("records-reversed"))
        reverse(records, count);
    if (mutant("last-record-lost") && count > 1)
        count--;
    return (ssize_t)(count * sizeof one);
}
