"""The root of the command tree: `evkit` itself, its options, and what it says on the wrong platform."""

import sys

from typer import Exit as TyperExit
from typer._click import (
    Command,
    Context,
    Parameter,
)  # typer names them nowhere public; the version is bounded
from typer.core import TyperOption
from typer.main import get_install_completion_arguments

from toolkit.cli.lazy import LazyGroup
from toolkit.cli.refusal import refuse
from toolkit.cli.table import PLATFORMS, ROOT, Group
from toolkit.exits import Exit
from toolkit.version import VERSION

_SYSTEMS = {"linux": "Linux", "win32": "Windows", "darwin": "macOS"}


class RootGroup(LazyGroup):
    """`evkit`: refuses a primitive that this platform lacks before anything of it is imported."""

    def get_command(self, ctx: Context, cmd_name: str) -> Command | None:
        """As any lazy group; status 77 where the primitive does not exist."""
        home = PLATFORMS.get(cmd_name)
        if home not in (None, sys.platform) and not ctx.resilient_parsing:
            here = _SYSTEMS.get(sys.platform, sys.platform)
            refuse(
                f"{cmd_name} is a primitive of {_SYSTEMS[str(home)]}, and this is {here}; "
                "`evkit map` shows what takes its place",
                Exit.LACKS,
            )
        return super().get_command(ctx, cmd_name)


def root() -> LazyGroup:
    """The whole command tree, as one group that has imported no command yet."""
    version = TyperOption(
        param_decls=["--version"],
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=_show_version,
        help="Show the version and exit.",
    )
    return RootGroup("evkit", ROOT, "toolkit.cli", [version, *get_install_completion_arguments()])


def _show_version(ctx: Context, _option: Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        sys.stdout.write(f"evkit {VERSION}\n")
        raise TyperExit


def command_path(arguments: list[str]) -> str:
    """`evkit eventfd add`: the words of `arguments` that name a command."""
    path, entry = "evkit", ROOT
    for word in arguments:
        found = entry.commands.get(word)
        if found is None:
            break
        path = f"{path} {word}"
        if not isinstance(found, Group):
            break
        entry = found
    return path
