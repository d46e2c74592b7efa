/* The calls that loops make. In a build with -DEVK_PLANTED one of them goes wrong, as EVK_PLANT in the environment
   says, such as `write:loss:1000`: the 1000th write does not happen (loss), happens twice (duplicate), or comes after
   the next one to the same descriptor (reorder). So tests prove that each invariant can fail. In every other build
   these names are the plain calls. */

#ifndef EVK_PLANTED

#define k_read read
#define k_write write
#define k_epoll_wait epoll_wait
#define k_epoll_ctl epoll_ctl
#define k_accept accept4
#define k_sigqueue(info) ((int)syscall(SYS_rt_sigqueueinfo, (info)->si_pid, (info)->si_signo, info))
#define k_kill kill
#define k_waitpid waitpid
#define k_tgsigqueue(info, tid) \
    ((int)syscall(SYS_rt_tgsigqueueinfo, (info)->si_pid, tid, (info)->si_signo, info))
#define arm_plant()
#define unchecked(name) 0

#else

#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>

enum plant { PLANT_NONE, PLANT_LOSS, PLANT_DUPLICATE, PLANT_REORDER };

static uint32_t plant_armed; /* not before the start barrier: the calibration makes calls as well */

static void arm_plant(void) { __atomic_store_n(&plant_armed, 1, __ATOMIC_RELAXED); }

/* What to do with this call of `name`. */
static enum plant planted(const char *name)
{
    static uint64_t calls;
    const char *plan = getenv("EVK_PLANT");
    size_t length = strlen(name);
    if (plan == NULL || !__atomic_load_n(&plant_armed, __ATOMIC_RELAXED) || strncmp(plan, name, length) != 0 || plan[length] != ':')
        return PLANT_NONE;
    char kind = plan[length + 1];
    uint64_t wanted = strtoull(strrchr(plan, ':') + 1, NULL, 10);
    if (__atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED) != wanted)
        return PLANT_NONE;
    return kind == 'l' ? PLANT_LOSS : kind == 'd' ? PLANT_DUPLICATE : PLANT_REORDER;
}

/* Whether a check of that name is left out, from the Nth on. */
static int unchecked(const char *name)
{
    static uint32_t out;
    if (planted(name) != PLANT_NONE)
        __atomic_store_n(&out, 1, __ATOMIC_RELAXED);
    return (int)__atomic_load_n(&out, __ATOMIC_RELAXED);
}

static ssize_t k_write(int fd, const void *data, size_t size)
{
    static _Thread_local uint64_t held;
    static _Thread_local int holder = -1;
    enum plant plant = planted("write");
    if (plant == PLANT_LOSS)
        return (ssize_t)size;
    if (plant == PLANT_REORDER) {
        memcpy(&held, data, sizeof held);
        holder = fd;
        return (ssize_t)size;
    }
    ssize_t result = write(fd, data, size);
    if (plant == PLANT_DUPLICATE)
        result = write(fd, data, size);
    if (holder == fd) {
        holder = -1;
        result = write(fd, &held, sizeof held);
    }
    return result;
}

/* A loss swallows what was there, in the first read from the Nth on that finds something (another reader may be faster);
   a duplicate gives the last word once more. */
static ssize_t k_read(int fd, void *data, size_t size)
{
    static _Thread_local uint64_t last;
    static uint32_t owed;
    enum plant plant = planted("read");
    if (plant == PLANT_LOSS)
        __atomic_store_n(&owed, 1, __ATOMIC_RELAXED);
    if (plant == PLANT_DUPLICATE && size == sizeof last) {
        memcpy(data, &last, sizeof last);
        return sizeof last;
    }
    ssize_t result = read(fd, data, size);
    if (result > 0 && __atomic_exchange_n(&owed, 0, __ATOMIC_RELAXED))
        result = read(fd, data, size);
    if (result == sizeof last)
        memcpy(&last, data, sizeof last);
    return result;
}

/* A loss drops the last event, a duplicate repeats the first in place of the last. */
static int k_epoll_wait(int epfd, struct epoll_event *events, int maxevents, int timeout_ms)
{
    int count = epoll_wait(epfd, events, maxevents, timeout_ms);
    if (count <= 0)
        return count;
    enum plant plant = planted("epoll_wait");
    if (plant == PLANT_DUPLICATE)
        events[count - 1] = events[0];
    return plant == PLANT_LOSS ? count - 1 : count;
}

/* A loss says 0 and does nothing; `epoll_del` loses every DEL from then on. */
static int k_epoll_ctl(int epfd, int op, int fd, struct epoll_event *event)
{
    static uint32_t deaf;
    if (op == EPOLL_CTL_DEL && planted("epoll_del") == PLANT_LOSS)
        __atomic_store_n(&deaf, 1, __ATOMIC_RELAXED);
    if (op == EPOLL_CTL_DEL && __atomic_load_n(&deaf, __ATOMIC_RELAXED))
        return 0;
    return planted("epoll_ctl") == PLANT_LOSS ? 0 : epoll_ctl(epfd, op, fd, event);
}

/* A loss accepts a connection, reads its token and forgets it. */
static int k_accept(int fd, struct sockaddr *address, socklen_t *size, int flags)
{
    int accepted = accept4(fd, address, size, flags);
    if (accepted >= 0 && planted("accept") == PLANT_LOSS) {
        uint64_t token;
        read(accepted, &token, sizeof token);
        close(accepted);
        accepted = accept4(fd, address, size, flags);
    }
    return accepted;
}

static int queue_signal(const siginfo_t *info)
{
    return (int)syscall(SYS_rt_sigqueueinfo, info->si_pid, info->si_signo, info);
}

/* Loss, duplicate, and reorder: the next one of this thread goes first. */
static int k_sigqueue(const siginfo_t *info)
{
    static _Thread_local siginfo_t held;
    static _Thread_local int holding;
    switch (planted("sigqueue")) {
    case PLANT_LOSS:
        return 0;
    case PLANT_REORDER:
        held = *info;
        holding = 1;
        return 0;
    case PLANT_DUPLICATE:
        queue_signal(info);
        break;
    case PLANT_NONE:
        break;
    }
    int result = queue_signal(info);
    if (holding) {
        holding = 0;
        queue_signal(&held);
    }
    return result;
}

/* A duplicate of a thread-directed signal goes to the process: any thread may take it. */
static int k_tgsigqueue(const siginfo_t *info, pid_t tid)
{
    enum plant plant = planted("tgsigqueue");
    if (plant == PLANT_LOSS)
        return 0;
    if (plant == PLANT_DUPLICATE)
        queue_signal(info);
    return (int)syscall(SYS_rt_tgsigqueueinfo, info->si_pid, tid, info->si_signo, info);
}

/* A loss loses all from then on: one of many would be hidden by the next. */
static int k_kill(pid_t pid, int number)
{
    static uint32_t lost;
    if (planted("kill") == PLANT_LOSS)
        __atomic_store_n(&lost, 1, __ATOMIC_RELAXED);
    return __atomic_load_n(&lost, __ATOMIC_RELAXED) ? 0 : kill(pid, number);
}

/* A loss reaps a child and tells nobody. */
static pid_t k_waitpid(pid_t pid, int *status, int options)
{
    pid_t ended = waitpid(pid, status, options);
    if (ended > 0 && planted("waitpid") == PLANT_LOSS)
        ended = waitpid(pid, status, options);
    return ended;
}

#endif
