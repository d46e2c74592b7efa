/* sigqueue(3), prctl(2) and POSIX timers: what the standard library lacks. -errno on failure. */

#define PR_SET_PDEATHSIG 1
#define PR_SET_DUMPABLE 4
#define PR_SET_CHILD_SUBREAPER 36

int evk_sigqueue(int pid, int sig, uint64_t value);
int evk_prctl(int option, uint64_t argument);
