/* kcmp(2): whether two descriptors name one open file description. -errno on failure. */

#define KCMP_FILE 0
#define KCMP_EPOLL_TFD 7

int evk_kcmp(int pid1, int pid2, int type, uint64_t index1, uint64_t index2);
int evk_kcmp_epoll_tfd(int pid1, int pid2, int fd, uint32_t epfd, uint32_t tfd, uint32_t toff);
