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

/* epoll_wait, then recv for each connection that is readable. */
int evk_wait_receive(int epfd, struct evk_turn *turn, int maxevents, int timeout_ms)
{
    int count = evk_epoll_wait(epfd, turn->pairs, maxevents, timeout_ms);
    uint64_t begin = 0;
    turn->alike = count > 0;
    for (int i = 0; i < count; ++i) {
        uint64_t token = turn->tokens[i] = turn->pairs[2 * i];
        char *bytes = turn->slab + begin;
        turn->begins[i] = begin;
        if ((token >> EVK_TOKEN_SHIFT) && (turn->pairs[2 * i + 1] & EPOLLIN))
            turn->sizes[i] = evk_recv(descriptor_in(token), bytes, turn->most, 0);
        else
            turn->sizes[i] = INT64_MIN;
        if (turn->sizes[i] > 0)
            begin += (uint64_t)turn->sizes[i];
        if (turn->alike)
            turn->alike = turn->sizes[i] > 0 && turn->sizes[i] == turn->sizes[0] &&
                          memcmp(bytes, turn->slab, (size_t)turn->sizes[i]) == 0;
    }
    return count;
}

/* Sends an answer to each event that has one. Whose answer went out whole is re-armed with the events `rearm`, unless
   that is 0. Returns how many answers went out whole. */
int evk_answer_rearm(int epfd, struct evk_turn *turn, int count, uint32_t rearm)
{
    int whole = 0;
    for (int i = 0; i < count; ++i) {
        const struct evk_answer *answer = (const struct evk_answer *)(uintptr_t)turn->answers[i];
        int fd = descriptor_in(turn->tokens[i]);
        turn->sent[i] = 0;
        if (!answer)
            continue;
        turn->sent[i] = evk_send(fd, (const void *)(uintptr_t)answer->address, answer->size, MSG_NOSIGNAL);
        if (turn->sent[i] != (int64_t)answer->size)
            continue;
        ++whole;
        if (rearm)
            evk_epoll_ctl(epfd, EPOLL_CTL_MOD, fd, rearm, turn->tokens[i]);
    }
    return whole;
}

/* As evk_answer_rearm with the same answer to every event. */
int evk_answer_alike(int epfd, struct evk_turn *turn, int count, uint64_t answer, uint32_t rearm)
{
    for (int i = 0; i < count; ++i)
        turn->answers[i] = answer;
    return evk_answer_rearm(epfd, turn, count, rearm);
}

/* Cuts each number to its `mantissa_bits` highest bits: the lower edge of its bucket in a log-linear histogram. */
void evk_lower_edges(uint64_t *durations, uint64_t count, uint32_t mantissa_bits)
{
    for (uint64_t i = 0; i < count; ++i) {
        uint32_t bits = durations[i] ? 64u - (uint32_t)__builtin_clzll(durations[i]) : 0;
        uint32_t shift = bits > mantissa_bits ? bits - mantissa_bits : 0;
        durations[i] = durations[i] >> shift << shift;
    }
}
