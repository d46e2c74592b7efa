/* epoll(7): constants, and the scalar-argument calls of shims.c. Every call returns its result, or -errno. */

#define EPOLL_CLOEXEC ...
#define EPOLL_CTL_ADD 1
#define EPOLL_CTL_DEL 2
#define EPOLL_CTL_MOD 3

#define EPOLLIN 0x001
#define EPOLLPRI 0x002
#define EPOLLOUT 0x004
#define EPOLLERR 0x008
#define EPOLLHUP 0x010
#define EPOLLNVAL 0x020
#define EPOLLRDNORM 0x040
#define EPOLLRDBAND 0x080
#define EPOLLWRNORM 0x100
#define EPOLLWRBAND 0x200
#define EPOLLMSG 0x400
#define EPOLLRDHUP 0x2000
#define EPOLL_URING_WAKE 0x8000000
#define EPOLLEXCLUSIVE 0x10000000
#define EPOLLWAKEUP 0x20000000
#define EPOLLONESHOT 0x40000000
#define EPOLLET 0x80000000

typedef union { void *ptr; int fd; uint32_t u32; uint64_t u64; } epoll_data_t;
struct epoll_event { uint32_t events; epoll_data_t data; ...; };

int evk_epoll_create(int size);
int evk_epoll_create1(int flags);
int evk_epoll_ctl(int epfd, int op, int fd, uint32_t events, uint64_t data);
int evk_epoll_add(int epfd, int fd, uint32_t events, uint64_t data);
int evk_epoll_mod(int epfd, int fd, uint32_t events, uint64_t data);
int evk_epoll_add_self(int epfd, int fd, uint32_t events);
int evk_epoll_mod_self(int epfd, int fd, uint32_t events);
int evk_epoll_del(int epfd, int fd);
int evk_epoll_ctl_many(int epfd, int op, const uint64_t *triples, int count, int *done);
int evk_epoll_wait(int epfd, uint64_t *pairs, int maxevents, int timeout_ms);
int evk_epoll_wait_one(int epfd, int timeout_ms);
int evk_epoll_wait_one_result(int kept_as, uint64_t *pair);
int evk_epoll_wait_one_look(int kept_as, uint64_t *pair);
int evk_epoll_pwait(int epfd, uint64_t *pairs, int maxevents, int timeout_ms, const uint64_t *mask);
int evk_epoll_pwait2(int epfd, uint64_t *pairs, int maxevents, const int64_t *timeout, const uint64_t *mask);
int evk_epoll_get_params(int epfd, uint32_t *params);
int evk_epoll_set_params(int epfd, uint32_t busy_poll_usecs, uint16_t budget, uint8_t prefer_busy_poll, uint8_t pad);
