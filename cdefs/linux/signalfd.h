/* signalfd(2): constants, the record, and the scalar-argument calls of shims.c. A mask is 64 bits, bit n-1 for
   signal n, as the kernel has it. Every call returns its result, or -errno. */

#define SFD_CLOEXEC ...
#define SFD_NONBLOCK ...

struct signalfd_siginfo {
    uint32_t ssi_signo;
    int32_t ssi_errno;
    int32_t ssi_code;
    uint32_t ssi_pid;
    uint32_t ssi_uid;
    int32_t ssi_fd;
    uint32_t ssi_tid;
    uint32_t ssi_band;
    uint32_t ssi_overrun;
    uint32_t ssi_trapno;
    int32_t ssi_status;
    int32_t ssi_int;
    uint64_t ssi_ptr;
    uint64_t ssi_utime;
    uint64_t ssi_stime;
    uint64_t ssi_addr;
    uint16_t ssi_addr_lsb;
    ...;
};

int evk_signalfd(int fd, uint64_t mask, int flags);
int evk_signalfd_read(int fd, void *records, int count);
int evk_signalfd_read_number(int fd);
