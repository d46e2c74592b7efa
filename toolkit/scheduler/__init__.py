"""Coroutine schedulers on epoll and on a completion port, behind one interface."""
