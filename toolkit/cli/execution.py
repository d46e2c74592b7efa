"""Becoming another program: CMD of `run -- CMD`, with nothing of Python's left behind."""

import os
import signal
from typing import NoReturn

from typer import Context
from typer._click import Context as ClickContext  # typer names it nowhere public; the version is bounded
from typer.core import TyperCommand

from toolkit.cli.refusal import refuse
from toolkit.exits import Exit
from toolkit.watch.inheritance import IGNORED_BY_PYTHON


def replace_process(command: list[str], environment: dict[str, str]) -> NoReturn:
    """execvp(3) of `command` with `environment` added. Refuses with 127 (not found) or 126 (cannot be run)."""
    restore_default_dispositions()
    try:
        os.execvpe(command[0], command, os.environ | environment)  # noqa: S606  the user's own command
    except OSError as error:
        cannot_run(command[0], error)


def restore_default_dispositions() -> None:
    """What a program expects to find: SIGPIPE ends it."""
    for number in IGNORED_BY_PYTHON:
        signal.signal(number, signal.SIG_DFL)


def cannot_run(name: str, error: OSError) -> NoReturn:
    """Refuses as a shell does: 127 when there is no such command, 126 when it cannot be executed."""
    if isinstance(error, FileNotFoundError):
        refuse(f"{name}: no such command", Exit.NOT_FOUND)
    refuse(f"{name}: cannot be run: {error.strerror}", Exit.CANNOT_EXECUTE)


class WithCommand(TyperCommand):
    """A command that may be followed by `-- CMD ...`, which it takes with `command_of`."""

    def parse_args(self, ctx: ClickContext, args: list[str]) -> list[str]:
        """Puts aside what stands behind the first `--`."""
        if "--" in args:
            at = args.index("--")
            ctx.meta[__name__] = args[at + 1 :]
            args = args[:at]
        return super().parse_args(ctx, args)

    def collect_usage_pieces(self, ctx: ClickContext) -> list[str]:
        """As any command, with the tail."""
        return [*super().collect_usage_pieces(ctx), "[-- CMD...]"]


def command_of(context: Context) -> list[str] | None:
    """CMD and its arguments, or None without `--`. Refuses `--` with nothing behind it (status 2)."""
    command: list[str] | None = context.meta.get(__name__)
    if command == []:
        refuse("no command stands behind --")
    return command
