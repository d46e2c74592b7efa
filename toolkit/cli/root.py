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
_ELSEWHERE = {"iocp": ", and a Windows Python under Wine runs it here: see CONTRIBUTING.md, or `tox -e wine`"}


class RootGroup(LazyGroup):
    """`evkit`: refuses a primitive that this platform lacks before anything of it is imported."""

    def resolve_command(self, ctx: Context, args: list[str]) -> tuple[str | None, Command | None, list[str]]:
        """As any lazy group; status 77 where the primitive does not exist. Its help can be read everywhere."""
        name, *rest = args
        home = PLATFORMS.get(name)
        if home not in (None, sys.platform) and not ctx.resilient_parsing and "--help" not in rest:
            here = _SYSTEMS.get(sys.platform, sys.platform)
            refuse(
                f"{name} is a primitive of {_SYSTEMS[str(home)]}, and this is {here}; "
                f"`evkit map` shows what takes its place{_ELSEWHERE.get(name, '')}",
                Exit.LACKS,
            )
        return super().resolve_command(ctx, args)


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
