/* A library for LD_PRELOAD that breaks one promise of the kernel, chosen by EVKIT_MUTANT: see mutants.py.

   It is armed only in the third generation of forks and below: the process of a case, not the command, nor the
   keeper and the runner between them. What a descriptor is gets looked up in /proc, so dup, fork, exec and SCM_RIGHTS need no
   table. */

#ifndef INTERPOSER_H
#define INTERPOSER_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <fcntl.h>
#include <unistd.h>

/* Whether the chosen mutant is this one, and armed. */
bool mutant(const char *name);

/* `[eventpoll]`, `[eventfd]` or `[signalfd]`. */
bool is_kind(int fd, const char *kind);

/* The next definition of a function: the C library's. */
#define REAL(type, name, ...) ((type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, name))

static inline int refuse(int error)
{
    errno = error;
    return -1;
}

#endif
