"""The works on a completion port, by our objects, the standard library's `_overlapped`, and ctypes.

Real time, not CPU time: what a post and a wait cost is mostly the system's, and Windows counts CPU time in ticks of
15 ms. Ratios of the same round are what carries over.
"""

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from importlib import import_module
from time import perf_counter_ns
from typing import Any, Final

from toolkit.bench.contest import Contestant, Run
from toolkit.bench.line import repeat

WORKS: Final = {
    "post-get": "post a packet and take it",
    "get-empty": "ask an empty port, timeout 0",
    "post-get-64": "post 64 packets and take them",
}
_WORD = 0x1000  # `_overlapped` takes a packet without an OVERLAPPED for a failed wait
_MANY = 64


def contestants(stack: ExitStack, work: str) -> list[Contestant]:
    """Everybody who can do `work`, the standard library first: it is the yardstick."""
    makers: Mapping[str, Callable[[ExitStack, str], Run]] = {
        "stdlib": _stdlib,
        "evkit": _evkit,
        "ctypes": _ctypes,
    }
    return [Contestant(name, make(stack, work)) for name, make in makers.items()]


def _evkit(stack: ExitStack, work: str) -> Run:
    from toolkit.primitives.iocp import CompletionPort

    port = stack.enter_context(CompletionPort())
    lines = {
        "post-get": f"post(1, 2, {_WORD}); wait(1000)",
        "get-empty": "wait(0)",
        "post-get-64": f"[post(1, 2, {_WORD}) for _ in many]; wait_many({_MANY}, 1000)",
    }
    names = {"post": port.post, "wait": port.wait, "wait_many": port.wait_many, "many": range(_MANY)}
    return repeat(lines[work], names, perf_counter_ns)


def _stdlib(stack: ExitStack, work: str) -> Run:
    calls: Any = import_module(
        "_overlapped"
    )  # what asyncio's proactor stands on; type checkers do not know it
    port = calls.CreateIoCompletionPort(calls.INVALID_HANDLE_VALUE, 0, 0, 0)
    stack.callback(_close, port)
    lines = {
        "post-get": f"post(port, 1, 2, {_WORD}); get(port, 1000)",
        "get-empty": "get(port, 0)",
        "post-get-64": f"[post(port, 1, 2, {_WORD}) for _ in many]; [get(port, 1000) for _ in many]",
    }
    names = {
        "post": calls.PostQueuedCompletionStatus,
        "get": calls.GetQueuedCompletionStatus,
        "port": port,
        "many": range(_MANY),
    }
    return repeat(lines[work], names, perf_counter_ns)


def _close(port: int) -> None:
    calls: Any = import_module("_winapi")
    calls.CloseHandle(port)


def _ctypes(stack: ExitStack, work: str) -> Run:
    import ctypes

    library: Any = getattr(ctypes, "WinDLL")("kernel32", use_last_error=True)  # noqa: B009  only Windows has it
    word, number, pointer = ctypes.c_size_t, ctypes.c_uint32, ctypes.c_void_p
    library.CreateIoCompletionPort.argtypes = (pointer, pointer, word, number)
    library.CreateIoCompletionPort.restype = pointer
    library.PostQueuedCompletionStatus.argtypes = (pointer, number, word, pointer)
    library.GetQueuedCompletionStatus.argtypes = (pointer, pointer, pointer, pointer, number)
    library.CloseHandle.argtypes = (pointer,)
    port = library.CreateIoCompletionPort(-1, None, 0, 0)
    stack.callback(library.CloseHandle, port)
    count, key, overlapped = number(), word(), pointer()
    places = tuple(ctypes.byref(place) for place in (count, key, overlapped))

    def get(timeout_ms: int) -> tuple[int, int, int | None, int] | None:
        overlapped.value = None
        done = library.GetQueuedCompletionStatus(port, *places, timeout_ms)
        if done or overlapped.value:
            error = 0 if done else getattr(ctypes, "get_last_error")()  # noqa: B009  only Windows has it
            return count.value, key.value, overlapped.value, error
        return None

    lines = {
        "post-get": f"post(port, 1, 2, {_WORD}); get(1000)",
        "get-empty": "get(0)",
        "post-get-64": f"[post(port, 1, 2, {_WORD}) for _ in many]; [get(1000) for _ in many]",
    }
    names = {"post": library.PostQueuedCompletionStatus, "get": get, "port": port, "many": range(_MANY)}
    return repeat(lines[work], names, perf_counter_ns)
