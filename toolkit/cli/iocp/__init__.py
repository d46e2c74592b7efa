"""`evkit iocp ...`: one file a command."""
