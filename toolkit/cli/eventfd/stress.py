"""`evkit eventfd stress`: counters under load, with every sum verified."""

from toolkit.cli.stressing import stress_app

app = stress_app("eventfd", "evkit eventfd stress fan-in --workers 4 --ops 100k")
