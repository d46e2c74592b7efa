/* eventfd(2): constants, and the scalar-argument calls of shims.c. Every call returns its result, or -errno. */

#define EFD_CLOEXEC ...
#define EFD_NONBLOCK ...
#define EFD_SEMAPHORE 1

int evk_eventfd(uint32_t initval, int flags);
/* The count, or -errno as an unsigned word; counts that look like one exist, so evk_eventfd_read_failed() decides. */
int64_t evk_eventfd_read(int fd);
int evk_eventfd_read_failed(void);
int evk_eventfd_write(int fd, uint64_t value);
int evk_eventfd_write_one(int fd);
