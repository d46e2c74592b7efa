"""Prints calls strace-fashion while it is on: `epoll_ctl(4, EPOLL_CTL_ADD, 5, {EPOLLIN, data=0x5}) = 0`.

Off, it costs nothing: primitives call through ``linux.lib`` or ``windows.lib``, and `start` puts an object there that
describes each call after making it. Calls through the standard library are described by whoever makes them (`emit`).
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from toolkit.ffi.errors import errno_name
from toolkit.ffi.native import FORMATS, bindings

Sink = Callable[[str], None]
_sink: Sink | None = None


def start(sink: Sink) -> None:
    """Sends one line a call to `sink` from now on. Calls may come from any thread."""
    global _sink
    _sink = sink
    _call_through(_TracedLib(bindings.compiled, sink))


def stop() -> None:
    """Back to untraced calls."""
    global _sink
    _sink = None
    _call_through(bindings.compiled)


def _call_through(library: Any) -> None:  # noqa: ANN401  cffi's lib has no static type
    bindings.lib = library
    for name in bindings.HOT:
        setattr(bindings, name, getattr(library, name))


@contextmanager
def tracing(sink: Sink) -> Iterator[None]:
    """Traces for the length of a with block."""
    start(sink)
    try:
        yield
    finally:
        stop()


def is_on() -> bool:
    """Whether somebody listens: describing a call costs, so ask first."""
    return _sink is not None


def emit(call: str, arguments: str, result: int | str) -> None:
    """Describes a call made elsewhere, by the standard library say; an int below 0 is -errno."""
    if _sink is not None:
        _sink(line(call, arguments, result))


def line(call: str, arguments: str, result: int | str) -> str:
    """`call(arguments) = result`, or `= -1 EAGAIN (Resource temporarily unavailable)`."""
    if isinstance(result, int) and result < 0:
        result = f"-1 {errno_name(-result)} ({os.strerror(-result)})"
    return f"{call}({arguments}) = {result}"


class _TracedLib:
    """The compiled library, with a description of each call sent to `sink` when it returns."""

    def __init__(self, compiled: Any, sink: Sink) -> None:  # noqa: ANN401  cffi's lib has no static type
        self._compiled = compiled
        self._sink = sink

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  cffi's lib has no static type
        function = getattr(self._compiled, name)
        describe = FORMATS.get(name)
        if describe is None:
            return function

        def traced(*arguments: Any) -> Any:  # noqa: ANN401  any C signature
            result = function(*arguments)
            for call, text, value in describe(arguments, result):
                self._sink(line(call, text, value))
            return result

        setattr(self, name, traced)
        return traced
