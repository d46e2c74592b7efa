/* What every hot loop shares: clock, histogram, start barrier, slices, pacing, and the first broken invariant.
   Nothing here allocates, takes a lock or calls back into Python. */

#include "preamble.h"
#include "loops.h"
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>

#include "planted.c"

#define SAMPLE 64     /* a rate run times one operation in so many: timing all costs 3 to 9 % */
#define WAIT_MS 20    /* how long a consumer sleeps before it looks whether all producers are gone */
#define ONE_WRITE (1ull << 40) /* added to what is written to a counter: the high bits then tell how many writes a read took */
#define LOAD(field) __atomic_load_n(&(field), __ATOMIC_RELAXED)
#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

enum outcome { FINISHED = 0, AGAIN = 1 };

static inline uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t evk_now_ns(void) { return now_ns(); }

/* --- histogram: 128 buckets an octave, exact below 128 ns, at most 0.4 % wrong up to 68 s --- */

uint32_t evk_bucket_of(uint64_t ns)
{
    if (ns < 128)
        return (uint32_t)ns;
    uint32_t octave = 63u - (uint32_t)__builtin_clzll(ns);
    uint32_t bucket = (octave - 6) * 128 + (uint32_t)((ns >> (octave - 7)) & 127);
    return bucket < EVK_BUCKETS ? bucket : EVK_BUCKETS - 1;
}

void evk_record(struct evk_histogram *histogram, uint64_t ns)
{
    if (histogram->count == 0 || ns < histogram->minimum)
        histogram->minimum = ns;
    if (ns > histogram->maximum)
        histogram->maximum = ns;
    histogram->count++;
    histogram->sum += ns;
    histogram->buckets[evk_bucket_of(ns)]++;
}

/* --- start and end --- */

static long futex(uint32_t *word, int op, uint32_t value, const struct timespec *timeout)
{
    return syscall(SYS_futex, word, op, value, timeout, NULL, 0);
}

/* The last to arrive starts the clock for all. */
void evk_arrive(struct evk_run *run, struct evk_worker *worker)
{
    worker->tid = (uint64_t)syscall(SYS_gettid);
    worker->random = worker->seed;
    arm_plant();
    if (__atomic_add_fetch(&run->arrived, 1, __ATOMIC_ACQ_REL) == run->parties) {
        run->started_ns = now_ns();
        run->deadline_ns = run->started_ns + run->duration_ns;
        __atomic_store_n(&run->go, 1, __ATOMIC_RELEASE);
        futex(&run->go, FUTEX_WAKE, INT32_MAX, NULL);
    }
    const struct timespec glance = {.tv_nsec = EVK_SLICE_NS};
    while (!__atomic_load_n(&run->go, __ATOMIC_ACQUIRE) && !LOAD(run->abort))
        futex(&run->go, FUTEX_WAIT, 0, &glance);
    worker->began_ns = now_ns();
    worker->next_ns = worker->began_ns;
}

/* Consumers end when every producer has retired and nothing is left; so this comes after a producer's last send. */
void evk_retire(struct evk_run *run, struct evk_worker *worker)
{
    if (worker->retired == 1) {
        worker->retired = 2;
        __atomic_sub_fetch(&run->producers, 1, __ATOMIC_ACQ_REL);
    }
    if (worker->ended_ns == 0)
        worker->ended_ns = now_ns();
}

static inline int all_retired(struct evk_run *run)
{
    return __atomic_load_n(&run->producers, __ATOMIC_ACQUIRE) == 0;
}

/* --- failures --- */

static int failed(struct evk_run *run, struct evk_worker *worker, const char *call)
{
    worker->error = errno;
    worker->call = call;
    __atomic_store_n(&run->stop, 1, __ATOMIC_RELEASE);
    return -worker->error;
}

/* The first broken invariant stops the run, so that what is printed is where it began. */
static int broke(struct evk_run *run, struct evk_worker *worker, const char *invariant, uint64_t token,
                 uint64_t expected, uint64_t observed)
{
    if (worker->broken == NULL) {
        worker->broken = invariant;
        worker->token = token;
        worker->expected = expected;
        worker->observed = observed;
    }
    __atomic_store_n(&run->stop, 1, __ATOMIC_RELEASE);
    return FINISHED;
}

/* splitmix64 (Steele, Lea, Flood 2014): one multiply chain, good enough for tokens and choices. */
static inline uint64_t draw(struct evk_worker *worker)
{
    uint64_t z = (worker->random += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

/* --- slices --- */

struct lap {
    struct evk_run *run;
    struct evk_worker *worker;
    uint64_t slice_end;
    uint64_t begin; /* of the operation under way, when it is timed */
    uint32_t timing;
    uint32_t turns;
    int outcome;
};

static inline struct lap lap_of(struct evk_run *run, struct evk_worker *worker)
{
    struct lap lap = {.run = run, .worker = worker, .begin = now_ns(), .outcome = AGAIN};
    lap.slice_end = lap.begin + EVK_SLICE_NS;
    return lap;
}

static int lap_paced(struct lap *lap)
{
    struct evk_worker *worker = lap->worker;
    uint64_t until = worker->next_ns < lap->slice_end ? worker->next_ns : lap->slice_end;
    struct timespec wake = {.tv_sec = (time_t)(until / 1000000000u), .tv_nsec = (long)(until % 1000000000u)};
    while (now_ns() < until && !LOAD(lap->run->stop))
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &wake, NULL);
    uint64_t now = now_ns();
    if (now >= lap->run->deadline_ns) {
        lap->outcome = FINISHED;
        return 0;
    }
    if (worker->next_ns > now)
        return 0; /* the slice is over before the next operation is due */
    lap->begin = worker->next_ns; /* latency counts from when it should have begun: no coordinated omission */
    lap->timing = 1;
    return 1; /* what fails for now is tried again in its own time: next_ns moves on with the operation */
}

/* Before each operation of a producer: whether to make it. */
static inline int lap_next(struct lap *lap)
{
    struct evk_worker *worker = lap->worker;
    if (UNLIKELY(LOAD(lap->run->stop) || worker->ops >= worker->budget)) {
        lap->outcome = FINISHED;
        return 0;
    }
    if (worker->pace_ns)
        return lap_paced(lap);
    if (worker->timed) { /* one chained clock: an operation begins when the last one ended */
        lap->timing = 1;
    } else if ((worker->ops & (SAMPLE - 1)) == 0) {
        lap->timing = 1;
        lap->begin = now_ns();
    } else {
        lap->timing = 0;
        return 1;
    }
    if (lap->begin >= lap->slice_end || lap->begin >= lap->run->deadline_ns) {
        lap->outcome = lap->begin >= lap->run->deadline_ns ? FINISHED : AGAIN;
        return 0;
    }
    return 1;
}

static inline void lap_done(struct lap *lap)
{
    lap->worker->ops++;
    if (lap->timing) {
        uint64_t now = now_ns();
        evk_record(&lap->worker->latency, now - lap->begin);
        lap->begin = now;
        lap->worker->next_ns += lap->worker->pace_ns;
    }
}

/* As lap_done, where the latency is recorded by whoever receives. */
static inline void lap_pass(struct lap *lap)
{
    lap->worker->ops++;
    lap->worker->next_ns += lap->worker->pace_ns;
    if (lap->worker->timed)
        lap->begin = now_ns();
}

/* Before each turn of a consumer, which ends only when its producers have. */
static inline int lap_turn(struct lap *lap)
{
    if (UNLIKELY(LOAD(lap->run->abort))) {
        lap->outcome = FINISHED;
        return 0;
    }
    return (++lap->turns & 15) != 0 || now_ns() < lap->slice_end;
}

static inline void lap_idle(struct lap *lap, int fd)
{
    struct pollfd one = {.fd = fd, .events = POLLIN};
    poll(&one, 1, WAIT_MS);
    lap->turns |= 15; /* the next turn looks at the clock */
}
