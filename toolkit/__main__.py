"""Entry point of `evkit` and of `python -m toolkit`: answers what it can before anything is imported."""

import sys


def main() -> int:
    """Runs one command line and returns the exit status."""
    if sys.argv[1:] == ["--version"]:
        from toolkit.version import VERSION

        sys.stdout.write(f"evkit {VERSION}\n")
        return 0
    import gc

    gc.disable()  # nothing that importing makes is garbage; looking for it is a tenth of the start-up
    try:
        from toolkit.cli.run import run

        return run(sys.argv[1:])
    except KeyboardInterrupt as end:  # before the command took signals over, or after it had ended
        return 128 + getattr(end, "number", 2)


if __name__ == "__main__":
    sys.exit(main())
