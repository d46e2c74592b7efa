/* Broken epolls. */

#include "interposer.h"

static int real_ctl(int epfd, int op, int fd, struct epoll_event *event)
{
    return REAL(int, "epoll_ctl", int, int, int, struct epoll_event *)(epfd, op, fd, event);
}

int epoll_create1(int flags)
{
    if (mutant("epoll-cloexec-lost"))
        flags &= ~EPOLL_CLOEXEC;
    if (mutant("epoll-bad-flags-accepted"))
        flags &= EPOLL_CLOEXEC;
    return REAL(int, "epoll_create1", int)(flags);
}

int epoll_create(int size)
{
    if (mutant("epoll-size-zero-accepted") && size <= 0)
        size = 1;
    return REAL(int, "epoll_create", int)(size);
}

/* The flags or the data that a broken kernel would have taken instead. */
static void spoil(struct epoll_event *event)
{
    if (mutant("oneshot-ignored"))
        event->events &= ~EPOLLONESHOT;
    if (mutant("et-as-lt"))
        event->events &= ~EPOLLET;
    if (mutant("lt-as-et"))
        event->events |= EPOLLET;
    if (mutant("exclusive-ignored"))
        event->events &= ~EPOLLEXCLUSIVE;
    if (mutant("data-32-bits"))
        event->data.u64 &= 0xffffffff;
    if (mutant("rdhup-never-asked"))
        event->events &= ~EPOLLRDHUP;
    if (mutant("pri-never-asked"))
        event->events &= ~EPOLLPRI;
}

/* Whether the failure of a call is one that the mutant passes off as success. */
static bool hides(int op, int error)
{
    return (mutant("second-add-accepted") && error == EEXIST) ||
           (mutant("del-of-unknown-accepted") && op == EPOLL_CTL_DEL && error == ENOENT) ||
           (mutant("mod-of-unknown-accepted") && op == EPOLL_CTL_MOD && error == ENOENT) ||
           (mutant("regular-file-accepted") && error == EPERM) ||
           (mutant("loop-accepted") && error == ELOOP) ||
           (mutant("exclusive-mod-accepted") && op == EPOLL_CTL_MOD && error == EINVAL) ||
           (mutant("closed-target-accepted") && error == EBADF) || (mutant("bad-event-accepted") && error == EFAULT);
}

int epoll_ctl(int epfd, int op, int fd, struct epoll_event *event)
{
    if ((mutant("del-does-nothing") && op == EPOLL_CTL_DEL) || (mutant("mod-does-nothing") && op == EPOLL_CTL_MOD))
        return 0;
    struct epoll_event copy;
    if (event && op != EPOLL_CTL_DEL && !mutant("bad-event-accepted") && (uintptr_t)event >= 4096) {
        int probe[2];
        if (pipe2(probe, O_CLOEXEC) == 0) { /* a bad pointer must stay the kernel's to refuse */
            ssize_t readable = REAL(ssize_t, "write", int, const void *, size_t)(probe[1], event, sizeof *event);
            close(probe[0]);
            close(probe[1]);
            if (readable == (ssize_t)sizeof *event) {
                copy = *event;
                spoil(&copy);
                event = &copy;
            }
        }
    }
    int result = real_ctl(epfd, op, fd, event);
    return result < 0 && hides(op, errno) ? 0 : result;
}

/* What the caller gets to see of what the kernel reported. */
static int spoil_events(struct epoll_event *events, int count, int maxevents)
{
    for (int i = 0; i < count; i++) {
        if (mutant("hup-hidden"))
            events[i].events &= ~EPOLLHUP;
        if (mutant("err-hidden"))
            events[i].events &= ~EPOLLERR;
        if (mutant("out-hidden-with-in") && events[i].events & EPOLLIN)
            events[i].events &= ~EPOLLOUT;
    }
    if (mutant("one-event-too-many") && count > 0 && count < maxevents) {
        events[count] = events[count - 1];
        return count + 1;
    }
    if (mutant("last-event-lost") && count > 1)
        return count - 1;
    return count;
}

int epoll_wait(int epfd, struct epoll_event *events, int maxevents, int timeout)
{
    if (mutant("maxevents-zero-accepted") && maxevents <= 0)
        return 0;
    if (mutant("timeout-halved") && timeout > 1)
        timeout /= 2;
    if (mutant("timeout-zero-blocks") && timeout == 0)
        timeout = 300;
    if (mutant("bad-epfd-accepted") && !is_kind(epfd, "[eventpoll]"))
        return 0;
    int count = REAL(int, "epoll_wait", int, struct epoll_event *, int, int)(epfd, events, maxevents, timeout);
    if (mutant("eintr-hidden") && count < 0 && errno == EINTR)
        return 0;
    return spoil_events(events, count, maxevents);
}

int epoll_pwait(int epfd, struct epoll_event *events, int maxevents, int timeout, const sigset_t *mask)
{
    if (mutant("pwait-mask-ignored"))
        mask = NULL;
    int count = REAL(int, "epoll_pwait", int, struct epoll_event *, int, int, const sigset_t *)(
        epfd, events, maxevents, timeout, mask);
    return spoil_events(events, count, maxevents);
}

long syscall(long number, ...)
{
    __builtin_va_list list;
    long a[6];
    __builtin_va_start(list, number);
    for (int i = 0; i < 6; i++)
        a[i] = __builtin_va_arg(list, long);
    __builtin_va_end(list);
    if (number == SYS_epoll_pwait2 && mutant("pwait2-timeout-ignored"))
        a[3] = 0;
    if (number == SYS_epoll_pwait2 && mutant("pwait2-mask-ignored"))
        a[4] = 0;
    if (number == SYS_signalfd4 && mutant("signalfd-size-unchecked"))
        a[2] = 8;
    return REAL(long, "syscall", long, long, long, long, long, long, long)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
