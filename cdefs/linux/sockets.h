/* accept4(2), recv(2), send(2), shutdown(2) as servers call them: on non-blocking sockets. -errno on failure. */

int evk_accept4(int fd, int flags, void *address, uint32_t *size);
int64_t evk_recv(int fd, void *buffer, uint64_t size, int flags);
int64_t evk_send(int fd, const void *data, uint64_t size, int flags);
int evk_shutdown(int fd, int how);

/* Two fat calls for a server's loop, so that a turn takes the GIL twice and not three times a connection. The data word
   of a connection holds its descriptor in the low EVK_TOKEN_SHIFT bits and something that is not 0 above them. */

#define EVK_TOKEN_SHIFT 24

struct evk_answer { uint64_t address; uint64_t size; };

int evk_wait_receive(int epfd, uint64_t *pairs, int maxevents, int timeout_ms, char *slab, uint64_t slot, int64_t *sizes);
int evk_answer_rearm(int epfd, const uint64_t *pairs, const uint64_t *answers, int count, uint32_t rearm, int64_t *sent);
