/* Scalar-argument socket calls, as in shims.c. */

#include "preamble.h"

#include <sys/socket.h>

int evk_accept4(int fd, int flags, void *address, uint32_t *size)
{
    int accepted = accept4(fd, address, size, flags);
    return accepted < 0 ? -errno : accepted;
}

int64_t evk_recv(int fd, void *buffer, uint64_t size, int flags)
{
    ssize_t got = recv(fd, buffer, size, flags);
    return got < 0 ? -errno : got;
}

int64_t evk_send(int fd, const void *data, uint64_t size, int flags)
{
    ssize_t sent = send(fd, data, size, flags);
    return sent < 0 ? -errno : sent;
}

int evk_shutdown(int fd, int how) { return shutdown(fd, how) < 0 ? -errno : 0; }
