"""`evkit eventfd ...`, one file a command."""
