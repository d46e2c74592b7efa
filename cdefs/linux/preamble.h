/* Included by the generated module and by every C file here: system headers, and the kernel's values of names
   that older headers lack. */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <linux/kcmp.h>
#include <linux/types.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* include/uapi/linux/eventpoll.h: glibc's sys/epoll.h names these later or not at all. */
#ifndef EPOLLNVAL
#define EPOLLNVAL 0x020
#endif
#ifndef EPOLL_URING_WAKE
#define EPOLL_URING_WAKE (1U << 27)
#endif

/* Linux 6.9, include/uapi/linux/eventpoll.h. */
#ifndef EPIOCSPARAMS
struct epoll_params {
    uint32_t busy_poll_usecs;
    uint16_t busy_poll_budget;
    uint8_t prefer_busy_poll;
    uint8_t __pad;
};
#define EPOLL_IOC_TYPE 0x8A
#define EPIOCSPARAMS _IOW(EPOLL_IOC_TYPE, 0x01, struct epoll_params)
#define EPIOCGPARAMS _IOR(EPOLL_IOC_TYPE, 0x02, struct epoll_params)
#endif

/* One number on every architecture but alpha: include/uapi/asm-generic/unistd.h. */
#ifndef SYS_epoll_pwait2
#define SYS_epoll_pwait2 441
#endif
