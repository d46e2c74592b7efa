"""Stressors of signalfd, one a file."""
