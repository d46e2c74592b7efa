"""Child processes in step with the case: each side says when it is where the story needs it, never a sleep."""

import contextlib
import json
import os
import select
import signal
import socket
import time
import traceback
from collections.abc import Callable
from typing import Any

from toolkit.ffi import linux, tracing
from toolkit.lab import calls
from toolkit.lab.base import LabBase
from toolkit.lab.checks import DeadlineError
from toolkit.lab.threads import state_of, until

_FARTHEST_NUMBER = 200
"""The hand-shake's descriptors live up here, so that a story's numbers stay the lowest free ones."""

_FUNCTION_RAISED = 99


class _Channel:
    """JSON values over one end of a SOCK_SEQPACKET pair."""

    def __init__(self, end: socket.socket) -> None:
        self._fd = _move_up(end)

    def send(self, value: Any) -> None:  # noqa: ANN401  any JSON value
        os.write(self._fd, json.dumps(value).encode())

    def receive(self, within: float) -> Any:  # noqa: ANN401  any JSON value
        waiting = select.poll()
        waiting.register(self._fd, select.POLLIN)
        if not waiting.poll(LabBase.seconds(within) * 1000):
            raise DeadlineError("the other process did not report in time")
        data = os.read(self._fd, 65536)
        if not data:
            raise DeadlineError("the other process ended without reporting")
        return json.loads(data)

    def close(self) -> None:
        os.close(self._fd)


def _move_up(end: socket.socket) -> int:
    import fcntl
    import resource

    ceiling = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    low = end.detach()
    if ceiling <= _FARTHEST_NUMBER + 16:
        return low
    high = fcntl.fcntl(low, fcntl.F_DUPFD_CLOEXEC, _FARTHEST_NUMBER)
    os.close(low)
    return high


class Parent:
    """What a child's function is handed: its line to the parent."""

    def __init__(self, channel: _Channel) -> None:
        self._channel = channel

    def report(self, value: Any = None) -> None:  # noqa: ANN401  any JSON value
        """Tells the parent that this point is reached, with a JSON value."""
        self._channel.send({"value": value})

    def wait(self, within: float = 5.0) -> Any:  # noqa: ANN401  any JSON value
        """Waits until the parent says `proceed`: the value it gave."""
        return self._channel.receive(within)["value"]


class Child:
    """A forked process, made by `Lab.fork`."""

    def __init__(self, pid: int, channel: _Channel) -> None:
        self.pid = pid
        self._channel = channel
        self._status: int | None = None

    def expect(self, within: float = 5.0) -> Any:  # noqa: ANN401  any JSON value
        """The next value that the child reports.

        Raises:
            DeadlineError: none came in time, or the child ended.
            RuntimeError: the child's function raised; its traceback.
        """
        message = self._channel.receive(within)
        if "error" in message:
            raise RuntimeError(f"in the child process: {message['error']}")
        return message["value"]

    def proceed(self, value: Any = None) -> None:  # noqa: ANN401  any JSON value
        """Lets the child go on from its `wait`, with a JSON value."""
        self._channel.send({"value": value})

    def until_asleep(self, within: float = 5.0) -> None:
        """Returns once its main thread sleeps: after it reported, in the blocking call that comes next.

        Raises:
            DeadlineError: it did not get there in time.
        """
        until(lambda: state_of(self.pid) == "S", f"process {self.pid} sleeps", within)

    def until_stopped(self) -> None:
        """waitid(2) with WSTOPPED: returns once a stop signal has taken effect."""
        calls.described(
            "waitid",
            f"P_PID, {self.pid}, ..., WSTOPPED, NULL",
            lambda: os.waitid(os.P_PID, self.pid, os.WSTOPPED),
            calls.zero,
        )

    def kill(self, number: int = signal.SIGKILL) -> None:
        """Sends it a signal."""
        os.kill(self.pid, number)
        tracing.emit("kill", f"{self.pid}, {signal.Signals(number).name}", 0)

    def end(self, within: float = 5.0) -> int:
        """Waits for its end: the exit status, or -N when signal N ended it.

        Raises:
            DeadlineError: it is still there.
            RuntimeError: its function raised.
        """
        if self._status is None:
            deadline = time.monotonic() + LabBase.seconds(within)
            pidfd = os.pidfd_open(self.pid)
            try:
                waiting = select.poll()
                waiting.register(pidfd, select.POLLIN)
                if not waiting.poll(max(0.0, deadline - time.monotonic()) * 1000):
                    raise DeadlineError(f"process {self.pid} did not end in time")
            finally:
                os.close(pidfd)
            self._status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
            if self._status == _FUNCTION_RAISED:
                self.expect(0)
        return self._status

    def stop(self) -> None:
        """Kills and reaps it, unless that is done."""
        if self._status is None:
            with contextlib.suppress(ProcessLookupError, ChildProcessError):
                os.kill(self.pid, signal.SIGKILL)
                self._status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])

    def __repr__(self) -> str:
        return f"<Child {self.pid}>"


class Processes(LabBase):
    """Forking."""

    def __init__(self, *arguments: Any) -> None:  # noqa: ANN401  passed on
        super().__init__(*arguments)
        self._children: list[Child] = []

    def fork(self, function: Callable[[Parent], Any]) -> Child:
        """Runs `function` in a forked child, which ends when it returns (an int is its exit status)."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        ours_up, theirs_up = _Channel(ours), _Channel(theirs)
        pid = os.fork()
        if pid == 0:
            ours_up.close()
            _run_child(function, theirs_up)
        theirs_up.close()
        tracing.emit("fork", "", pid)
        child = Child(pid, ours_up)
        self._children.append(child)
        return child

    def end_children(self) -> None:
        """Kills and reaps whatever child is left; the engine calls it after the case's function."""
        for child in self._children:
            child.stop()


def _run_child(function: Callable[[Parent], Any], channel: _Channel) -> None:
    """Never returns: the child's function, its report of a failure, its end."""
    status = _FUNCTION_RAISED
    try:
        linux.compiled.evk_prctl(linux.compiled.PR_SET_PDEATHSIG, signal.SIGKILL)
        result = function(Parent(channel))
        status = result if isinstance(result, int) else 0
    except BaseException:
        channel.send({"error": traceback.format_exc(limit=-3)})
    finally:
        os._exit(status)
