/* read(2), write(2), close(2), poll(2), ioctl(2): what the cases do with any descriptor. -errno on failure. */

int64_t evk_read(int fd, void *buffer, uint64_t size);
int64_t evk_write(int fd, const void *buffer, uint64_t size);
int evk_close(int fd);
int evk_poll_one(int fd, int events, int timeout_ms, int *revents);
