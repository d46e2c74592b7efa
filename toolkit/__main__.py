"""Entry point of `evkit` and of `python -m toolkit`: answers what it can before anything is imported."""

import sys


def main() -> int:
    """Runs one command line and returns the exit status."""
    if sys.argv[1:] == ["--version"] and sys.stdout is not None:
        from toolkit.version import VERSION

        sys.stdout.write(f"evkit {VERSION}\n")
        return 0
    import gc

    gc.disable()  # nothing that importing makes is garbage; a command's own work has it on again (lazy.py)
    try:
        from toolkit.cli.deferred import import_typer

        import_typer()
        from toolkit.cli.run import run

        status = run(sys.argv[1:])
    except KeyboardInterrupt as end:  # before the command took signals over, or after it had ended
        status = 128 + getattr(end, "number", 2)
    gc.freeze()  # what is left ends with the process: the interpreter need not look for cycles in it
    return status


if __name__ == "__main__":
    sys.exit(main())
