"""Who takes part in `evkit serve --compare`: the models, and peers where a compiler or a package is there."""

import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from toolkit.servers.options import DISPATCH, ServeOptions

_PEERS = Path(__file__).parent / "peers"
_START_LIMIT_S = 30


@dataclass(frozen=True)
class Contestant:
    """A server to start: it prints its port, as a number or in a `server` record, on its first line."""

    name: str
    command: tuple[str, ...]
    is_model: bool = True


def models(options: ServeOptions) -> list[Contestant]:
    """Every model that speaks HTTP. The reactor as one loop and as main and sub-reactors; processes where it can."""
    found = [("reactor, 1 loop", ["reactor", "--workers", "1"])]
    found += [(name, [name]) for name in ("reactor", "half-sync", "half-reactor", "leader-follower")]
    for name in ("reuseport", "exclusive"):
        found += [(f"{name}, threads", [name]), (f"{name}, 2 processes", [name, "--processes", "2"])]
    return [Contestant(name, _serve(options, *words)) for name, words in found]


def dispatches(options: ServeOptions) -> list[Contestant]:
    """Half-sync with each way of dispatching."""
    return [Contestant(name, _serve(options, "half-sync", "--dispatch", name)) for name in DISPATCH]


def peers(options: ServeOptions, folder: Path) -> list[Contestant]:
    """C when a compiler is there (built in `folder`), asyncio, uvloop when it is installed."""
    found = []
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is not None:
        program = folder / "epoll_server"
        build = [compiler, "-O2", "-o", str(program), str(_PEERS / "epoll_server.c")]
        if subprocess.run(build, check=False, capture_output=True).returncode == 0:  # noqa: S603  our own source
            size = str(options.body_size)
            found.append(Contestant("C epoll", (str(program), "0", "1", size), False))
            found.append(Contestant("C reuseport, 2 processes", (str(program), "0", "2", size), False))
    for loop in ("asyncio", "uvloop"):
        if importlib.util.find_spec(loop) is not None:
            module = "toolkit.servers.peers.event_loop_server"
            command = (sys.executable, "-m", module, loop, "0", str(options.body_size))
            found.append(Contestant(loop, command, False))
    return found


def _serve(options: ServeOptions, model: str, *words: str) -> tuple[str, ...]:
    command = [sys.executable, "-m", "toolkit", "serve", model, "--port", "0", "--json"]
    command += ["--body-size", str(options.body_size), "--work-ms", str(options.work_ns // 1_000_000)]
    command += ["--slow-workers", str(options.slow_workers), "--slow-ms", str(options.slow_ns // 1_000_000)]
    command += ["--queue-limit", str(options.queue_limit), "--when-full", options.when_full, "--workers"]
    return (*command, str(options.workers), *words)


class Started:
    """A contestant that listens on `port`."""

    def __init__(self, contestant: Contestant) -> None:
        """Starts it and waits for its first line.

        Raises:
            OSError: it did not start, or said something else.
        """
        self.contestant = contestant
        self._process = subprocess.Popen(  # noqa: S603  our own commands
            contestant.command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        try:
            said = json.loads(line)
            self.port = int(said["port"] if isinstance(said, dict) else said)
        except ValueError as error:
            self._process.kill()
            raise OSError(
                f"{contestant.name} did not start: {self._process.communicate()[1].strip()}"
            ) from error

    def __enter__(self) -> "Started":
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.communicate()

    def cpu_ns(self) -> int:
        """CPU time of all its threads and child processes so far (proc_pid_schedstat(5): nanoseconds on CPU)."""
        return sum(_cpu_ns_of(process) for process in _family(self._process.pid))

    def end(self) -> dict[str, object]:
        """Ends it; a model's final record, and {} from a peer."""
        self._process.send_signal(signal.SIGTERM)
        try:
            out, _ = self._process.communicate(timeout=_START_LIMIT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            out, _ = self._process.communicate()
        lines = out.splitlines()
        if not (self.contestant.is_model and lines):
            return {}
        record: dict[str, object] = json.loads(lines[-1])
        return record


@contextmanager
def started(contestants: list[Contestant]) -> Iterator[list[Started]]:
    """Starts them all; what a failure leaves running is killed.

    Raises:
        OSError: one did not start.
    """
    with ExitStack() as stack:
        yield [stack.enter_context(Started(contestant)) for contestant in contestants]


def _family(process: int) -> Iterator[int]:
    yield process
    try:
        children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    except OSError:
        return
    for child in children:
        yield from _family(int(child))


def _cpu_ns_of(process: int) -> int:
    spent = 0
    for task in Path(f"/proc/{process}/task").iterdir():
        try:
            spent += int((task / "schedstat").read_text().split()[0])
        except OSError:
            continue
    return spent
