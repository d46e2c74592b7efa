/* The yardstick of `evkit bench`: each work as one would write it in plain C, without timing or checks inside.
   Usage: reference WORK N, or reference wake-writer|wake-waiter N CPU THERE BACK; prints the nanoseconds that N operations took: of CPU time, or of real time where threads
   sleep and wake each other. */

#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#define MANY 64

/* reference_threads.c */
void ctl_threads(long n);
long wait_threads(long n);
void wake_writer(long n, int cpu, int there, int back);
void wake_waiter(long n, int cpu, int there, int back);

static uint64_t one = 1, got;

static int counter_fd(uint64_t value) { return eventfd((unsigned)value, EFD_NONBLOCK | EFD_CLOEXEC); }

static void watch(int epoll, int fd)
{
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = (uint64_t)fd};
    epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
}

static void write_read(long n)
{
    int fd = counter_fd(0);
    while (n-- > 0)
        if (write(fd, &one, 8) != 8 || read(fd, &got, 8) != 8)
            abort();
}

static void ctl_mod(long n)
{
    int epoll = epoll_create1(0), fd = counter_fd(0);
    struct epoll_event event = {.events = EPOLLIN};
    watch(epoll, fd);
    while (n-- > 0)
        if (epoll_ctl(epoll, EPOLL_CTL_MOD, fd, &event))
            abort();
}

static void ctl_add_del(long n)
{
    int epoll = epoll_create1(0), fd = counter_fd(0);
    struct epoll_event event = {.events = EPOLLIN};
    while (n-- > 0)
        if (epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) || epoll_ctl(epoll, EPOLL_CTL_DEL, fd, NULL))
            abort();
}

static void wait_ready(long n, int ready, int batch)
{
    int epoll = epoll_create1(0);
    struct epoll_event events[MANY];
    for (int i = 0; i < ready; ++i)
        watch(epoll, counter_fd(1));
    while (n-- > 0)
        if (epoll_wait(epoll, events, batch, 0) != ready)
            abort();
}

static void mod_many(long n)
{
    int epoll = epoll_create1(0), fds[MANY];
    struct epoll_event event = {.events = EPOLLIN};
    for (int i = 0; i < MANY; ++i)
        watch(epoll, fds[i] = counter_fd(0));
    while (n-- > 0)
        for (int i = 0; i < MANY; ++i)
            if (epoll_ctl(epoll, EPOLL_CTL_MOD, fds[i], &event))
                abort();
}

static void cycle(long n)
{
    int epoll = epoll_create1(0), fd = counter_fd(0);
    struct epoll_event event;
    watch(epoll, fd);
    while (n-- > 0)
        if (write(fd, &one, 8) != 8 || epoll_wait(epoll, &event, 1, 0) != 1 || read(fd, &got, 8) != 8)
            abort();
}

static void raise_read(long n)
{
    struct signalfd_siginfo info;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN);
    sigprocmask(SIG_BLOCK, &set, NULL);
    int fd = signalfd(-1, &set, SFD_NONBLOCK);
    while (n-- > 0)
        if (pthread_kill(pthread_self(), SIGRTMIN) || read(fd, &info, sizeof info) != sizeof info)
            abort();
}

static int there, back;

static void *answer(void *rounds)
{
    for (long n = *(long *)rounds; n > 0; --n)
        if (read(there, &got, 8) != 8 || write(back, &one, 8) != 8)
            abort();
    return NULL;
}

static void ping_pong(long n)
{
    uint64_t reply;
    pthread_t thread;
    long rounds = n;
    there = eventfd(0, 0);
    back = eventfd(0, 0);
    pthread_create(&thread, NULL, answer, &rounds);
    while (n-- > 0)
        if (write(there, &one, 8) != 8 || read(back, &reply, 8) != 8)
            abort();
    pthread_join(thread, NULL);
}

int main(int count, char **words)
{
    if (count == 6) {
        int cpu = atoi(words[3]), from = atoi(words[4]), to = atoi(words[5]);
        (strcmp(words[1], "wake-writer") ? wake_waiter : wake_writer)(atol(words[2]), cpu, from, to);
        return 0;
    }
    if (count != 3)
        return 2;
    struct timespec begin, end;
    long n = atol(words[2]), done = n;
    clockid_t clock = strcmp(words[1], "ping-pong") ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC;
    clock_gettime(clock, &begin);
    if (!strcmp(words[1], "write-read"))
        write_read(n);
    else if (!strcmp(words[1], "ctl-mod"))
        ctl_mod(n);
    else if (!strcmp(words[1], "ctl-add-del"))
        ctl_add_del(n);
    else if (!strcmp(words[1], "ctl-mod-64"))
        mod_many(n);
    else if (!strcmp(words[1], "wait-1"))
        wait_ready(n, 1, 1);
    else if (!strcmp(words[1], "wait-list-1"))
        wait_ready(n, 1, MANY);
    else if (!strcmp(words[1], "wait-list-64"))
        wait_ready(n, MANY, MANY);
    else if (!strcmp(words[1], "write-wait-read"))
        cycle(n);
    else if (!strcmp(words[1], "raise-read") || !strcmp(words[1], "raise-number"))
        raise_read(n);
    else if (!strcmp(words[1], "ctl-threads"))
        ctl_threads(n);
    else if (!strcmp(words[1], "wait-threads"))
        done = wait_threads(n);
    else if (!strcmp(words[1], "ping-pong"))
        ping_pong(n);
    else
        return 2;
    clock_gettime(clock, &end);
    double took = (double)(end.tv_sec - begin.tv_sec) * 1e9 + (double)(end.tv_nsec - begin.tv_nsec);
    printf("%.0f\n", took * (double)n / (double)done);
    return 0;
}
