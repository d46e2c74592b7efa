"""`evkit epoll ...`."""
