"""`evkit iocp stress`: packets, files, pipes and sockets under load, with every packet accounted for."""

from toolkit.cli.stressing import stress_app

app = stress_app("iocp", "evkit iocp stress posts --workers 4 --ops 10k")
