/* Scalar-argument socket calls, as in shims.c. */

#include "preamble.h"
#include "sockets.h"

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

/* epoll_wait, then recv for each connection that is readable: event i has its bytes in slot i of the slab, and
   sizes[i] as recv(2) would return it, or -errno, or INT64_MIN when nothing was read. */
int evk_wait_receive(int epfd, uint64_t *pairs, int maxevents, int timeout_ms, char *slab, uint64_t slot, int64_t *sizes)
{
    int count = evk_epoll_wait(epfd, pairs, maxevents, timeout_ms);
    for (int i = 0; i < count; ++i) {
        uint64_t token = pairs[2 * i];
        if ((token >> EVK_TOKEN_SHIFT) && (pairs[2 * i + 1] & EPOLLIN))
            sizes[i] = evk_recv((int)(token & ((1U << EVK_TOKEN_SHIFT) - 1)), slab + (uint64_t)i * slot, slot, 0);
        else
            sizes[i] = INT64_MIN;
    }
    return count;
}

/* Rows of 5 words: descriptor, address and size of what to send, events to re-arm with (0: stay as it is), data word.
   A row whose bytes did not all go out is not re-armed. Returns how many rows went out whole; sent[i] tells each. */
int evk_send_rearm(int epfd, const uint64_t *rows, int count, int64_t *sent)
{
    int whole = 0;
    for (int i = 0; i < count; ++i, rows += 5) {
        int fd = (int)rows[0];
        sent[i] = evk_send(fd, (const void *)(uintptr_t)rows[1], rows[2], MSG_NOSIGNAL);
        if (sent[i] != (int64_t)rows[2])
            continue;
        ++whole;
        if (rows[3])
            evk_epoll_ctl(epfd, EPOLL_CTL_MOD, fd, (uint32_t)rows[3], rows[4]);
    }
    return whole;
}
