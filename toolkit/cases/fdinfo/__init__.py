"""Cases of what /proc/PID/fd and /proc/PID/fdinfo tell."""
