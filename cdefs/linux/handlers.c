/* signal(7) allows only async-signal-safe calls in a handler: write(2) is one (signal-safety(7)). */

#include "preamble.h"

static volatile int handler_eventfd[NSIG];
static struct sigaction handler_before[NSIG];

static void add_one(int sig)
{
    int saved = errno;
    uint64_t one = 1;
    ssize_t ignored = write(handler_eventfd[sig], &one, sizeof one); /* a full counter is readable already */
    (void)ignored;
    errno = saved;
}

int evk_handler_install(int sig, int eventfd)
{
    if (sig < 1 || sig >= NSIG)
        return -EINVAL;
    struct sigaction action = {.sa_handler = add_one, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    handler_eventfd[sig] = eventfd;
    return sigaction(sig, &action, &handler_before[sig]) < 0 ? -errno : 0;
}

int evk_handler_remove(int sig)
{
    if (sig < 1 || sig >= NSIG)
        return -EINVAL;
    return sigaction(sig, &handler_before[sig], NULL) < 0 ? -errno : 0;
}
