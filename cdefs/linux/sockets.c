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

static int64_t receive(struct evk_turn *turn, int i, uint64_t begin)
{
    uint64_t token = turn->tokens[i] = turn->pairs[2 * i];
    turn->begins[i] = begin;
    if ((token >> EVK_TOKEN_SHIFT) == 0 || (turn->pairs[2 * i + 1] & EPOLLIN) == 0)
        return INT64_MIN;
    return evk_recv(descriptor_in(token), turn->slab + begin, turn->most, 0);
}

static const struct evk_answer *answer_at(uint64_t address) { return (const struct evk_answer *)(uintptr_t)address; }

/* Whose answer went out whole is re-armed with the events `rearm`, unless that is 0. Returns whether it went out whole. */
static int answer(int epfd, struct evk_turn *turn, int i, const struct evk_answer *known, uint32_t rearm)
{
    int fd = descriptor_in(turn->tokens[i]);
    turn->sent[i] = evk_send(fd, (const void *)(uintptr_t)known->address, known->size, MSG_NOSIGNAL);
    if (turn->sent[i] != (int64_t)known->size)
        return 0;
    if (rearm)
        evk_epoll_ctl(epfd, EPOLL_CTL_MOD, fd, rearm, turn->tokens[i]);
    return 1;
}

static uint64_t monotonic_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* epoll_wait, then recv for each connection that is readable. `usual` is the address of a struct evk_answer, or 0: who
   asks just its question is answered at once, while the socket is in the cache and the others have not been read. */
int evk_wait_receive(int epfd, struct evk_turn *turn, int maxevents, int timeout_ms, uint64_t usual, uint32_t rearm)
{
    const struct evk_answer *known = answer_at(usual);
    int count = evk_epoll_wait(epfd, turn->pairs, maxevents, timeout_ms);
    uint64_t begin = 0, woken_ns = known ? monotonic_ns() : 0;
    turn->answered = 0;
    for (int i = 0; i < count; ++i) {
        int64_t size = turn->sizes[i] = receive(turn, i, begin);
        turn->sent[i] = INT64_MIN;
        if (size <= 0)
            continue;
        if (known && (uint64_t)size == known->question_size &&
            memcmp(turn->slab + begin, (const void *)(uintptr_t)known->question, (size_t)size) == 0)
            turn->answered += answer(epfd, turn, i, known, rearm);
        begin += (uint64_t)size;
    }
    if (turn->answered)
        turn->took_ns = monotonic_ns() - woken_ns;
    return count;
}

/* Sends an answer to each event that has one. Returns how many went out whole. */
int evk_answer_rearm(int epfd, struct evk_turn *turn, int count, uint32_t rearm)
{
    int whole = 0;
    for (int i = 0; i < count; ++i) {
        turn->sent[i] = INT64_MIN;
        if (turn->answers[i])
            whole += answer(epfd, turn, i, answer_at(turn->answers[i]), rearm);
    }
    return whole;
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
