"""Stressors of epoll, one a file."""
