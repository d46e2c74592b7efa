/* The yardstick's works of several threads, and the two ends of a wake-up between processes: see reference.c. */

#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#define THREADS 2
#define EACH 64
#define PATIENCE_MS 5000

static uint64_t draw(uint64_t *state)
{
    uint64_t z = (*state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static void pause_ns(long ns)
{
    const struct timespec pause = {.tv_nsec = ns};
    clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
}

/* --- ADD, MOD and DEL at random, an instance a thread; one call in 16 fails, as in the stressor --- */

static void *change(void *calls)
{
    int epoll = epoll_create1(0), fds[EACH], listed[EACH] = {0};
    uint64_t state = (uint64_t)epoll;
    for (int i = 0; i < EACH; ++i)
        fds[i] = eventfd(0, EFD_NONBLOCK);
    for (long n = *(long *)calls; n > 0; --n) {
        uint64_t random = draw(&state);
        unsigned i = (uint32_t)random % EACH;
        struct epoll_event event = {.events = EPOLLIN, .data.u64 = random};
        int other = random >> 59 & 1 ? EPOLL_CTL_MOD : EPOLL_CTL_DEL;
        int operation = listed[i] == (random >> 60 == 0) ? EPOLL_CTL_ADD : other;
        if (epoll_ctl(epoll, operation, fds[i], &event) == 0)
            listed[i] = operation != EPOLL_CTL_DEL;
    }
    return NULL;
}

void ctl_threads(long n)
{
    pthread_t threads[THREADS];
    long share = n / THREADS;
    for (int i = 0; i < THREADS; ++i)
        pthread_create(&threads[i], NULL, change, &share);
    for (int i = 0; i < THREADS; ++i)
        pthread_join(threads[i], NULL);
}

/* --- one writer goes round the descriptors of two waiters, which take one event a wait, and waits for nobody --- */

static int instances[THREADS];
static atomic_int over;

static void *take(void *instance)
{
    struct epoll_event event;
    for (long taken = 0;;) {
        uint64_t value;
        int last = over, count = epoll_wait(*(int *)instance, &event, 1, last ? 0 : 20);
        if (count == 0 && last)
            return (void *)taken;
        taken += count == 1 && read(event.data.fd, &value, 8) == 8;
    }
}

/* How many events were taken: a read may find several writes. */
long wait_threads(long n)
{
    int counters[THREADS * EACH];
    pthread_t threads[THREADS];
    for (int t = 0; t < THREADS; ++t) {
        instances[t] = epoll_create1(0);
        for (int i = t * EACH; i < (t + 1) * EACH; ++i) {
            struct epoll_event event = {.events = EPOLLIN, .data.fd = counters[i] = eventfd(0, EFD_NONBLOCK)};
            epoll_ctl(instances[t], EPOLL_CTL_ADD, counters[i], &event);
        }
        pthread_create(&threads[t], NULL, take, &instances[t]);
    }
    uint64_t state = 1;
    for (long sent = 0; sent < n; ++sent) {
        uint64_t value = 1 + (draw(&state) & 0xFF);
        if (write(counters[sent % (THREADS * EACH)], &value, 8) != 8)
            abort();
    }
    over = 1;
    long total = 0;
    for (int t = 0; t < THREADS; ++t) {
        void *taken;
        pthread_join(threads[t], &taken);
        total += (long)taken;
    }
    return total;
}

/* --- a wake-up across CPUs: the writer's stamp is what it writes; the waiter asks for the next one --- */

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void pin(int cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    sched_setaffinity(0, sizeof set, &set);
}

void wake_writer(long n, int cpu, int there, int back)
{
    pin(cpu);
    while (n-- > 0) {
        uint64_t asked, stamp;
        if (read(back, &asked, 8) != 8)
            abort();
        pause_ns(50000); /* so that the waiter is asleep */
        stamp = now_ns();
        if (write(there, &stamp, 8) != 8)
            abort();
    }
}

static int ascending(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

/* Prints the median and the 99th percentile. */
void wake_waiter(long n, int cpu, int there, int back)
{
    uint64_t one = 1, stamp, *samples = calloc((size_t)n, sizeof *samples);
    int epoll = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN};
    epoll_ctl(epoll, EPOLL_CTL_ADD, there, &event);
    pin(cpu);
    for (long i = 0; i < n; ++i) {
        if (write(back, &one, 8) != 8 || epoll_wait(epoll, &event, 1, PATIENCE_MS) != 1 || read(there, &stamp, 8) != 8)
            abort();
        samples[i] = now_ns() - stamp;
    }
    qsort(samples, (size_t)n, sizeof *samples, ascending);
    printf("%llu %llu\n", (unsigned long long)samples[n / 2], (unsigned long long)samples[n * 99 / 100]);
}
