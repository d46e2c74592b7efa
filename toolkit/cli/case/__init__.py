"""`evkit case`: the reproducer cases, listed, explained, run and compared."""
