"""Stressors of eventfd, one a file."""
