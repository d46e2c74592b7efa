"""`evkit epoll stress`: events under load, each token handled exactly once."""

from toolkit.cli.stressing import stress_app

app = stress_app("epoll", "evkit epoll stress handoff --trigger et --ops 20k")
