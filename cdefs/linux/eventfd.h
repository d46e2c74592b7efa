/* eventfd(2): constants, and the scalar-argument calls of shims.c. Every call returns its result, or -errno. */

#define EFD_CLOEXEC ...
#define EFD_NONBLOCK ...
#define EFD_SEMAPHORE 1

int evk_eventfd(uint32_t initval, int flags);
int evk_eventfd_read(int fd, uint64_t *value);
int evk_eventfd_write(int fd, uint64_t value);
