/* eventfd(2): constants, and the scalar-argument calls of shims.c. Every call returns its result, or -errno. */

#define EFD_CLOEXEC ...
#define EFD_NONBLOCK ...
#define EFD_SEMAPHORE 1

int evk_eventfd(uint32_t initval, int flags);
#define EVK_COUNT_KEPT -1000

/* The count as a signed word; -errno; from EVK_COUNT_KEPT down to -4095 a count that looks like one, which
   evk_eventfd_read_kept takes and evk_eventfd_read_look leaves; 0 from these: there was no memory to keep it in. */
int64_t evk_eventfd_read(int fd);
uint64_t evk_eventfd_read_kept(int64_t kept_as);
uint64_t evk_eventfd_read_look(int64_t kept_as);
int evk_eventfd_write(int fd, uint64_t value);
int evk_eventfd_write_one(int fd);
