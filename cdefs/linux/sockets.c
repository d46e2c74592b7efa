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

static int descriptor_in(uint64_t token) { return (int)(token & ((1U << EVK_TOKEN_SHIFT) - 1)); }

/* epoll_wait, then recv for each connection that is readable: event i has its bytes in slot i of the slab, and
   sizes[i] as recv(2) would return it, or -errno, or INT64_MIN when nothing was read. */
int evk_wait_receive(int epfd, uint64_t *pairs, int maxevents, int timeout_ms, char *slab, uint64_t slot, int64_t *sizes)
{
    int count = evk_epoll_wait(epfd, pairs, maxevents, timeout_ms);
    for (int i = 0; i < count; ++i) {
        uint64_t token = pairs[2 * i];
        if ((token >> EVK_TOKEN_SHIFT) && (pairs[2 * i + 1] & EPOLLIN))
            sizes[i] = evk_recv(descriptor_in(token), slab + (uint64_t)i * slot, slot, 0);
        else
            sizes[i] = INT64_MIN;
    }
    return count;
}

/* Sends an answer to each event of evk_wait_receive that has one: answers[i] is the address of a struct evk_answer, or 0.
   Whose answer went out whole is re-armed with the events `rearm`, unless that is 0. Returns how many answers went out
   whole; sent[i] is what send(2) said to event i, as -errno on failure, and 0 where there was no answer. */
int evk_answer_rearm(int epfd, const uint64_t *pairs, const uint64_t *answers, int count, uint32_t rearm, int64_t *sent)
{
    int whole = 0;
    for (int i = 0; i < count; ++i) {
        const struct evk_answer *answer = (const struct evk_answer *)(uintptr_t)answers[i];
        int fd = descriptor_in(pairs[2 * i]);
        sent[i] = 0;
        if (!answer)
            continue;
        sent[i] = evk_send(fd, (const void *)(uintptr_t)answer->address, answer->size, MSG_NOSIGNAL);
        if (sent[i] != (int64_t)answer->size)
            continue;
        ++whole;
        if (rearm)
            evk_epoll_ctl(epfd, EPOLL_CTL_MOD, fd, rearm, pairs[2 * i]);
    }
    return whole;
}
