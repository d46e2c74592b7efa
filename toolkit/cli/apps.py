"""How a command's module makes its typer app: plain text help, and no catching of exceptions."""

import typer

from toolkit.cli.lazy import examples

__all__ = ["examples", "new_app"]


def new_app(help: str | None = None) -> typer.Typer:
    """An app for one command, or for a few small ones that share a module.

    Command functions return None or an Exit. Give each `epilog=examples("evkit ...")`: lines that a test runs.
    """
    return typer.Typer(help=help, add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
