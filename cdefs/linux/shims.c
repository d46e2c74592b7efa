/* Scalar-argument calls: each makes one public libc call (so that tracers and interposers see it) and returns its
   result, or -errno, so that Python needs neither a struct field nor ffi.errno on the hot path. */

#include "preamble.h"

static _Thread_local uint32_t *announce_slot __attribute__((tls_model("initial-exec")));

void evk_announce_next(uint32_t *slot) { announce_slot = slot; }

static inline void announce(void)
{
    if (__builtin_expect(announce_slot != NULL, 0)) {
        __atomic_store_n(announce_slot, (uint32_t)syscall(SYS_gettid), __ATOMIC_RELEASE);
        announce_slot = NULL;
    }
}

void evk_yield(void) { sched_yield(); }

#define RESULT(call) ({ __auto_type result_ = (call); result_ < 0 ? -errno : result_; })

static void mask_to_set(sigset_t *set, uint64_t mask)
{
    memset(set, 0, sizeof *set);
    memcpy(set, &mask, sizeof mask); /* the kernel's sigset is the first 64 bits; sigaddset refuses 32 and 33 */
}

/* --- epoll(7) --- */

int evk_epoll_create(int size) { return RESULT(epoll_create(size)); }

int evk_epoll_create1(int flags) { return RESULT(epoll_create1(flags)); }

int evk_epoll_ctl(int epfd, int op, int fd, uint32_t events, uint64_t data)
{
    struct epoll_event event = {.events = events, .data.u64 = data};
    return RESULT(epoll_ctl(epfd, op, fd, &event));
}

/* One function an operation: each argument that Python need not pass is about a tenth of a call. */
int evk_epoll_add(int epfd, int fd, uint32_t events, uint64_t data)
{
    return evk_epoll_ctl(epfd, EPOLL_CTL_ADD, fd, events, data);
}

int evk_epoll_mod(int epfd, int fd, uint32_t events, uint64_t data)
{
    return evk_epoll_ctl(epfd, EPOLL_CTL_MOD, fd, events, data);
}

/* With the descriptor's own number as its data. */
int evk_epoll_add_self(int epfd, int fd, uint32_t events) { return evk_epoll_add(epfd, fd, events, (uint64_t)fd); }

int evk_epoll_mod_self(int epfd, int fd, uint32_t events) { return evk_epoll_mod(epfd, fd, events, (uint64_t)fd); }

int evk_epoll_del(int epfd, int fd) { return RESULT(epoll_ctl(epfd, EPOLL_CTL_DEL, fd, NULL)); }

int evk_epoll_ctl_many(int epfd, int op, const uint64_t *triples, int count, int *done)
{
    for (*done = 0; *done < count; ++*done, triples += 3) {
        int result = evk_epoll_ctl(epfd, op, (int)triples[0], (uint32_t)triples[1], triples[2]);
        if (result < 0)
            return result;
    }
    return count;
}

/* The kernel fills the caller's array with its own events; they are then spread, last one first, to pairs of
   64-bit words (data, events) in the same memory: a pair is never smaller than an event. */
_Static_assert(sizeof(struct epoll_event) <= 2 * sizeof(uint64_t), "a pair must hold an event");

static int spread(uint64_t *pairs, int count)
{
    const char *events = (const char *)pairs;
    for (int i = count - 1; i >= 0; --i) {
        struct epoll_event event;
        memcpy(&event, events + (size_t)i * sizeof event, sizeof event);
        pairs[2 * i] = event.data.u64;
        pairs[2 * i + 1] = event.events;
    }
    return count;
}

int evk_epoll_wait(int epfd, uint64_t *pairs, int maxevents, int timeout_ms)
{
    announce();
    int count = epoll_wait(epfd, (struct epoll_event *)(void *)pairs, maxevents, timeout_ms);
    return count < 0 ? -errno : spread(pairs, count);
}

/* One event in 30 bits, events above 24 bits of data, so that the usual wait needs no memory and Python takes it apart
   in its fast path for ints of one digit: 0 at the timeout. What does not fit (EPOLLRDHUP say) and errors are kept for
   `evk_epoll_wait_one_result`, which wants the negative number that came in their place. */
int evk_epoll_wait_one(int epfd, int timeout_ms)
{
    uint64_t pair[2];
    int result = evk_epoll_wait(epfd, pair, 1, timeout_ms);
    if (result == 0)
        return 0;
    if (__builtin_expect(result > 0 && !(pair[0] >> 24) && !(pair[1] >> 6), 1))
        return (int)(pair[1] << 24 | pair[0]);
    return -1 - keep(pair[0], pair[1], result);
}

static int shown(struct kept row, uint64_t *pair)
{
    memcpy(pair, row.pair, sizeof row.pair);
    return row.result;
}

int evk_epoll_wait_one_result(int kept_as, uint64_t *pair) { return shown(take(-1 - kept_as), pair); }

int evk_epoll_wait_one_look(int kept_as, uint64_t *pair) { return shown(look_at(-1 - kept_as), pair); }

int evk_epoll_pwait(int epfd, uint64_t *pairs, int maxevents, int timeout_ms, const uint64_t *mask)
{
    sigset_t set;
    if (mask)
        mask_to_set(&set, *mask);
    announce();
    int count = epoll_pwait(epfd, (struct epoll_event *)(void *)pairs, maxevents, timeout_ms, mask ? &set : NULL);
    return count < 0 ? -errno : spread(pairs, count);
}

int evk_epoll_pwait2(int epfd, uint64_t *pairs, int maxevents, const int64_t *timeout, const uint64_t *mask)
{
    /* glibc names epoll_pwait2 from 2.35 on; a wheel linked against it would not load on an older one. */
    struct { int64_t seconds, nanoseconds; } spec;
    if (timeout) {
        spec.seconds = timeout[0];
        spec.nanoseconds = timeout[1];
    }
    announce();
    long count = syscall(SYS_epoll_pwait2, epfd, pairs, maxevents, timeout ? &spec : NULL, mask, sizeof *mask);
    return count < 0 ? -errno : spread(pairs, (int)count);
}

int evk_epoll_get_params(int epfd, uint32_t *params)
{
    struct epoll_params got;
    if (ioctl(epfd, EPIOCGPARAMS, &got) < 0)
        return -errno;
    params[0] = got.busy_poll_usecs;
    params[1] = got.busy_poll_budget;
    params[2] = got.prefer_busy_poll;
    return 0;
}

int evk_epoll_set_params(int epfd, uint32_t busy_poll_usecs, uint16_t budget, uint8_t prefer_busy_poll, uint8_t pad)
{
    struct epoll_params wanted = {busy_poll_usecs, budget, prefer_busy_poll, pad};
    return RESULT(ioctl(epfd, EPIOCSPARAMS, &wanted));
}

/* --- eventfd(2): read and write, not glibc's eventfd_read, which no interposer sees --- */

int evk_eventfd(uint32_t initval, int flags) { return RESULT(eventfd(initval, flags)); }

/* Counts go to 2^64-2, so that as a signed word the highest look like an errno. Those are kept, and stand as a number
   below every errno but above -4095 (MAX_ERRNO): EVK_COUNT_KEPT, and the place below it. */
int64_t evk_eventfd_read(int fd)
{
    uint64_t value = 0;
    announce();
    if (__builtin_expect(read(fd, &value, sizeof value) < 0, 0))
        return -errno;
    if (__builtin_expect(value >= -(uint64_t)4095, 0))
        return EVK_COUNT_KEPT - keep(value, 0, 0);
    return (int64_t)value;
}

uint64_t evk_eventfd_read_kept(int64_t kept_as) { return take((int)(EVK_COUNT_KEPT - kept_as)).pair[0]; }

uint64_t evk_eventfd_read_look(int64_t kept_as) { return look_at((int)(EVK_COUNT_KEPT - kept_as)).pair[0]; }

int evk_eventfd_write(int fd, uint64_t value)
{
    announce();
    return (int)RESULT(write(fd, &value, sizeof value));
}

int evk_eventfd_write_one(int fd) { return evk_eventfd_write(fd, 1); }

/* --- signalfd(2) --- */

int evk_signalfd(int fd, uint64_t mask, int flags)
{
    sigset_t set;
    mask_to_set(&set, mask);
    return RESULT(signalfd(fd, &set, flags));
}

int evk_signalfd_read(int fd, void *records, int count)
{
    announce();
    return (int)RESULT(read(fd, records, (size_t)count * sizeof(struct signalfd_siginfo)));
}

int evk_signalfd_read_number(int fd)
{
    struct signalfd_siginfo record = {.ssi_signo = 0};
    announce();
    return read(fd, &record, sizeof record) < 0 ? -errno : (int)record.ssi_signo;
}

/* --- any descriptor --- */

int64_t evk_read(int fd, void *buffer, uint64_t size)
{
    announce();
    return RESULT(read(fd, buffer, size));
}

int64_t evk_write(int fd, const void *buffer, uint64_t size)
{
    announce();
    return RESULT(write(fd, buffer, size));
}

int evk_close(int fd) { return RESULT(close(fd)); }

int evk_poll_one(int fd, int events, int timeout_ms, int *revents)
{
    struct pollfd entry = {.fd = fd, .events = (short)events};
    announce();
    int count = RESULT(poll(&entry, 1, timeout_ms));
    *revents = entry.revents;
    return count;
}

/* --- signals and processes --- */

int evk_sigqueue(int pid, int sig, uint64_t value)
{
    union sigval wide = {.sival_ptr = (void *)(uintptr_t)value};
    return RESULT(sigqueue(pid, sig, wide));
}

int evk_prctl(int option, uint64_t argument) { return RESULT(prctl(option, (unsigned long)argument, 0UL, 0UL, 0UL)); }

int evk_kcmp(int pid1, int pid2, int type, uint64_t index1, uint64_t index2)
{
    return (int)RESULT(syscall(SYS_kcmp, pid1, pid2, type, (unsigned long)index1, (unsigned long)index2));
}

int evk_kcmp_epoll_tfd(int pid1, int pid2, int fd, uint32_t epfd, uint32_t tfd, uint32_t toff)
{
    struct kcmp_epoll_slot slot = {.efd = epfd, .tfd = tfd, .toff = toff};
    return evk_kcmp(pid1, pid2, KCMP_EPOLL_TFD, (uint64_t)fd, (uint64_t)(uintptr_t)&slot);
}

/* --- pointer level: toolkit.ffi.raw --- */

int64_t evk_raw_epoll_ctl(int epfd, int op, int fd, uint64_t event)
{
    return RESULT(epoll_ctl(epfd, op, fd, (struct epoll_event *)(uintptr_t)event));
}

int64_t evk_raw_epoll_wait(int epfd, uint64_t events, int maxevents, int timeout_ms)
{
    announce();
    return RESULT(epoll_wait(epfd, (struct epoll_event *)(uintptr_t)events, maxevents, timeout_ms));
}

int64_t evk_raw_read(int fd, uint64_t buffer, uint64_t size) { return evk_read(fd, (void *)(uintptr_t)buffer, size); }

int64_t evk_raw_write(int fd, uint64_t buffer, uint64_t size)
{
    return evk_write(fd, (const void *)(uintptr_t)buffer, size);
}

int64_t evk_raw_syscall(int64_t number, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f)
{
    announce();
    return RESULT(syscall((long)number, a, b, c, d, e, f));
}
