"""The command line: one file a command, which parses and prints and leaves the work to the other rooms.

A command is a line in `table.py` and a module `toolkit.cli.<its words>` with a typer `app` (made by `apps.new_app`).
"""
