"""evkit: an executable man page for epoll, eventfd, signalfd and I/O completion ports."""
