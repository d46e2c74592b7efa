"""`evkit signalfd stress`: signals under load, none lost and none out of order."""

from toolkit.cli.stressing import stress_app

app = stress_app("signalfd", "evkit signalfd stress queue --ops 20k")
