"""Runs one command line and turns every way it can end into an exit status, with at most one line on stderr."""

import errno
import io
import os
import sys

from typer import Exit as TyperExit
from typer._click.exceptions import (  # typer names no public base; the version is bounded
    ClickException,
    NoSuchOption,
)

from toolkit.cli.lazy import LazyGroup
from toolkit.cli.refusal import Refusal
from toolkit.cli.root import command_path, root
from toolkit.cli.signals import EndedBySignal, exit_on_end_signals, raise_on_end_signals
from toolkit.exits import Exit, by_signal

_SIGPIPE = 13
_DEBUG = "EVKIT_DEBUG"


def run(arguments: list[str]) -> int:
    """The exit status of `evkit ARGUMENTS`. Output is flushed; a reader that left early is no error."""
    raise_on_end_signals()
    try:
        return _flushed(arguments)
    finally:
        exit_on_end_signals()


def _flushed(arguments: list[str]) -> int:
    platform: str = sys.platform  # a plain str, so that type checkers read on
    if platform == "win32":
        from toolkit.cli.windows_streams import tell_broken_pipes

        tell_broken_pipes()
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # no locale is too narrow for a result
    elif sys.stdout is None:
        from toolkit.cli.closed_stdout import ClosedStdout

        sys.stdout = ClosedStdout()
    status: int = Exit.OK
    try:
        status = _status(root(), arguments)
        sys.stdout.flush()
    except BrokenPipeError:
        _forget(1)
        return by_signal(_SIGPIPE)
    except OSError as error:
        _forget(1)
        if status != Exit.HARNESS:  # the command met the same and said so
            _say(arguments, _with_remedy(error))
        return Exit.HARNESS
    return status


def _status(group: LazyGroup, arguments: list[str]) -> int:
    if "_EVKIT_COMPLETE" in os.environ:
        group.main(arguments, prog_name="evkit")
    try:
        with group.make_context("evkit", arguments) as context:
            return int(group.invoke(context) or 0)
    except TyperExit as end:
        return end.exit_code
    except ClickException as error:
        _say(arguments, _negative(error) or error.format_message())
        return Exit.USAGE
    except Refusal as refusal:
        _say(arguments, str(refusal))
        return refusal.code
    except EndedBySignal as end:
        return by_signal(end.number)
    except KeyboardInterrupt:
        return by_signal(2)
    except Exception as error:
        from toolkit.ffi.errors import CallError

        if isinstance(error, BrokenPipeError) and not isinstance(error, CallError):
            raise  # of stdout; a primitive's call, such as ReadFile, speaks of a pipe of its own
        return _explain(arguments, error)


def _negative(error: ClickException) -> str | None:
    """What is wrong with `-5`, which the parser takes for an option."""
    if isinstance(error, NoSuchOption) and error.option_name[1:2].isdigit():
        return f"{error.option_name} is below zero, which nothing here can be"
    return None


def _explain(arguments: list[str], error: Exception) -> Exit:
    from toolkit.ffi.errors import PlatformLacksError

    if isinstance(error, PlatformLacksError):
        _say(arguments, str(error))
        return Exit.LACKS
    if _DEBUG in os.environ:
        import traceback

        traceback.print_exc()
    elif isinstance(error, OSError):
        _say(arguments, _with_remedy(error))
    elif isinstance(error, MemoryError):
        _say(arguments, "cannot go on: this process gets no more memory")
    else:
        _say(arguments, f"internal error: {type(error).__name__}: {error} ({_DEBUG}=1 shows where)")
    return Exit.HARNESS


def _with_remedy(error: OSError) -> str:
    if error.errno != errno.EMFILE:
        nameless = type(error) is OSError and error.filename is None and error.strerror is not None
        return f"cannot go on: {error.strerror}" if nameless else str(error)
    from toolkit.report.context import read_limits

    soft = dict(read_limits(["NOFILE"])).get("nofile", "?").partition(":")[0]
    return f"{error}: this process may have {soft} descriptors; raise the limit (ulimit -n)"


def _say(arguments: list[str], message: str) -> None:
    one_line = " ".join(message.split())
    first_word, _, _ = one_line.partition(" ")
    if first_word[1:].islower() and "(" not in first_word:  # typer's sentences; SIGKILL and ReadFile(6) stay
        one_line = one_line[0].lower() + one_line[1:]
    if sys.stderr is not None:
        try:
            sys.stderr.write(f"{command_path(arguments)}: {one_line}\n")
        except OSError:  # closed, or nobody reads it: the status has to do
            _forget(2)


def _forget(descriptor: int) -> None:
    """What is still buffered for it goes nowhere, so that the interpreter's last flush is quiet."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    if nowhere != descriptor:  # it was closed, and got its number back
        os.dup2(nowhere, descriptor)
        os.close(nowhere)
