"""A group of commands whose modules are imported only when they are chosen."""

import gc
import importlib

import typer
from typer._click import (
    Command,
    Context,
    HelpFormatter,
    Parameter,
)  # typer names them nowhere public; the version is bounded
from typer._click.shell_completion import CompletionItem
from typer.core import TyperGroup

from toolkit.cli.table import Group


class LazyGroup(TyperGroup):
    """Lists its commands from the table, and imports one when it is run."""

    def __init__(self, name: str, table: Group, package: str, params: list[Parameter] | None = None) -> None:
        super().__init__(
            name=name,
            help=table.help,
            epilog=examples(table.example),
            params=params,
            rich_markup_mode=None,
            subcommand_metavar="COMMAND ...",
        )
        self._table = table
        self._package = package
        self.commands.update(dict.fromkeys(table.commands, self))  # only the names matter: "did you mean"

    def get_command(self, ctx: Context, cmd_name: str) -> Command | None:
        """The command, imported now; None when there is none of that name."""
        del ctx
        entry = self._table.commands.get(cmd_name)
        module = f"{self._package}.{cmd_name}"
        if entry is None:
            return None
        if isinstance(entry, Group):
            return LazyGroup(cmd_name, entry, module)
        command = typer.main.get_command(importlib.import_module(module).app)
        gc.freeze()  # modules and commands stay: collections need not look at them
        gc.enable()
        command.name = cmd_name
        return command

    def parse_args(self, ctx: Context, args: list[str]) -> list[str]:
        """As any group; no command at all names those there are."""
        if not args and not ctx.resilient_parsing:
            ctx.fail(f"missing command: one of {', '.join(self._table.commands)}")
        return super().parse_args(ctx, args)

    def format_commands(self, ctx: Context, formatter: HelpFormatter) -> None:
        """The list in `--help`, from the table alone."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([(name, _help(entry)) for name, entry in self._table.commands.items()])

    def shell_complete(self, ctx: Context, incomplete: str) -> list[CompletionItem]:
        """Names of commands, and then options, that start with `incomplete`."""
        names = [name for name in self._table.commands if name.startswith(incomplete)]
        found = [CompletionItem(name, help=_help(self._table.commands[name])) for name in names]
        return found + Command.shell_complete(self, ctx, incomplete)


def examples(*lines: str) -> str:
    """The end of a `--help`: command lines that work as they stand, which a test runs."""
    return "\b\nExamples:\n" + "\n".join(f"  $ {line}" for line in lines)


def _help(entry: str | Group) -> str:
    return entry.help if isinstance(entry, Group) else entry
