/* Choosing and arming the mutant. */

#include "interposer.h"
#include <pthread.h>

enum { CASE_GENERATION = 3 }; /* the command forks a keeper, that a runner, that the process of a case */

static const char *chosen;
static int generation;

static void count_fork(void) { generation++; }

__attribute__((constructor)) static void choose(void)
{
    chosen = getenv("EVKIT_MUTANT");
    pthread_atfork(NULL, NULL, count_fork);
}

bool mutant(const char *name) { return chosen && generation >= CASE_GENERATION && strcmp(chosen, name) == 0; }

bool is_kind(int fd, const char *kind)
{
    if (!chosen || generation < CASE_GENERATION)
        return false;
    char path[64], target[64];
    int saved = errno;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    ssize_t size = readlink(path, target, sizeof target - 1);
    errno = saved;
    if (size < 0)
        return false;
    target[size] = 0;
    return strncmp(target, "anon_inode:", 11) == 0 && strcmp(target + 11, kind) == 0;
}
