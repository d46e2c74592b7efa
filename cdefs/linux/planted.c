/* The calls that loops make. In a build with -DEVK_PLANTED one of them goes wrong, as EVK_PLANT in the environment
   says: `loss:N` (the Nth transfer does not happen), `duplicate:N` (happens twice), `reorder:N` (comes after the next).
   So tests prove that each invariant can fail. In every other build these names are the plain calls. */

#ifndef EVK_PLANTED

#define k_read read
#define k_write write
#define k_epoll_wait epoll_wait
#define k_epoll_ctl epoll_ctl
#define k_sigqueue sigqueue
#define k_kill kill
#define k_waitpid waitpid
#define k_accept accept4
#define k_tgsigqueue tgsigqueue

#else

#include <stdlib.h>

enum plant { PLANT_NONE, PLANT_LOSS, PLANT_DUPLICATE, PLANT_REORDER };

static enum plant planted(void)
{
    static uint64_t calls;
    const char *plan = getenv("EVK_PLANT");
    const char *colon = plan ? strchr(plan, ':') : NULL;
    if (colon == NULL || __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED) != strtoull(colon + 1, NULL, 10))
        return PLANT_NONE;
    return plan[0] == 'l' ? PLANT_LOSS : plan[0] == 'd' ? PLANT_DUPLICATE : PLANT_REORDER;
}

static ssize_t k_write(int fd, const void *data, size_t size)
{
    static uint64_t held;
    static int holder = -1;
    uint64_t word;
    memcpy(&word, data, sizeof word);
    switch (planted()) {
    case PLANT_LOSS:
        return (ssize_t)size;
    case PLANT_DUPLICATE:
        write(fd, data, size);
        break;
    case PLANT_REORDER:
        held = word;
        holder = fd;
        return (ssize_t)size;
    case PLANT_NONE:
        if (holder == fd) {
            holder = -1;
            ssize_t result = write(fd, data, size);
            write(fd, &held, sizeof held);
            return result;
        }
    }
    return write(fd, data, size);
}

#define k_read read

#endif
