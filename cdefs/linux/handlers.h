/* A signal handler that adds 1 to an eventfd, in C: Python's own handlers run only between byte codes. -errno on
   failure. */

int evk_handler_install(int sig, int eventfd);
int evk_handler_remove(int sig);
