"""`evkit signalfd ...`."""
