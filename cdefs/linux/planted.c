/* The calls that loops make. In a build with -DEVK_PLANTED one of them goes wrong, as EVK_PLANT in the environment
   says, such as `write:loss:1000`: the 1000th write does not happen (loss), happens twice (duplicate), or comes after
   the next one to the same descriptor (reorder). So tests prove that each invariant can fail. In every other build
   these names are the plain calls. */

#ifndef EVK_PLANTED

#define k_read read
#define k_write write
#define k_epoll_wait epoll_wait
#define arm_plant()

#else

#include <stdlib.h>

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

/* A loss swallows what was there, a duplicate gives the last word once more. */
static ssize_t k_read(int fd, void *data, size_t size)
{
    static _Thread_local uint64_t last;
    enum plant plant = planted("read");
    if (plant == PLANT_DUPLICATE && size == sizeof last) {
        memcpy(data, &last, sizeof last);
        return sizeof last;
    }
    ssize_t result = read(fd, data, size);
    if (plant == PLANT_LOSS && result > 0)
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

#endif
