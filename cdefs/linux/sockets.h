/* accept4(2), recv(2), send(2), shutdown(2) as servers call them: on non-blocking sockets. -errno on failure. */

int evk_accept4(int fd, int flags, void *address, uint32_t *size);
int64_t evk_recv(int fd, void *buffer, uint64_t size, int flags);
int64_t evk_send(int fd, const void *data, uint64_t size, int flags);
int evk_shutdown(int fd, int how);
