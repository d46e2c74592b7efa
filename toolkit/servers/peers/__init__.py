"""Servers to compare with: C on epoll, asyncio, uvloop, each as anyone would write it, with the same answers."""
