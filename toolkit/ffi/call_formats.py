"""How each compiled call reads in a trace: the public function it makes, its arguments, its result.

One shim may be several system calls (`evk_epoll_ctl_many`), so each format gives a list.
"""

import struct
from collections.abc import Callable, Sequence
from typing import Any

from toolkit.ffi import linux
from toolkit.ffi.flags import EpollCreate, EpollEvents, EpollOp, EventFdFlags, SignalFdFlags, spell
from toolkit.ffi.linux import ffi
from toolkit.ffi.siginfo import RECORD_SIZE, decode, signal_name, signals_of

Described = list[tuple[str, str, int | str]]
Format = Callable[[tuple[Any, ...], int], Described]

_BYTES_SHOWN = 32  # as strace -s 32, its default


def quote(data: bytes) -> str:
    """Bytes as strace quotes them, cut after 32: `"hello"...`."""
    shown = data[:_BYTES_SHOWN]
    text = repr(shown)[2:-1].replace('"', '\\"').replace("\\'", "'")
    return f'"{text}"' + ("..." if len(data) > _BYTES_SHOWN else "")


def event(events: int, data: int) -> str:
    """`{EPOLLIN|EPOLLET, data=0x5}`."""
    return f"{{{spell(events, EpollEvents)}, data={data:#x}}}"


def signal_set(mask: int) -> str:
    """`[USR1 CHLD]`, as strace writes a set."""
    return "[" + " ".join(signal_name(number).removeprefix("SIG") for number in signals_of(mask)) + "]"


def _op(op: int) -> str:
    return EpollOp(op).name if op in EpollOp._value2member_map_ else str(op)


def _word(fd: int) -> int:
    return fd % 2**64


def _ctl(epfd: int, op: int, fd: int, events: int, data: int, result: int) -> tuple[str, str, int | str]:
    shown = "NULL" if op == EpollOp.EPOLL_CTL_DEL else event(events, data)
    return "epoll_ctl", f"{epfd}, {_op(op)}, {fd}, {shown}", result


def _ctl_many(arguments: tuple[Any, ...], result: int) -> Described:
    epfd, op, triples, _, done = arguments
    made = done[0] + (1 if result < 0 else 0)
    return [
        _ctl(
            epfd,
            op,
            triples[3 * i],
            triples[3 * i + 1],
            triples[3 * i + 2],
            result if result < 0 and i == made - 1 else 0,
        )
        for i in range(made)
    ]


def _events(pairs: Any, count: int) -> str:  # noqa: ANN401  cffi data has no static type
    words: Sequence[int] = ffi.unpack(pairs, 2 * max(count, 0))
    return "[" + ", ".join(event(words[i + 1], words[i]) for i in range(0, len(words), 2)) + "]"


def _wait(arguments: tuple[Any, ...], result: int) -> Described:
    epfd, pairs, maxevents, timeout = arguments
    return [("epoll_wait", f"{epfd}, {_events(pairs, result)}, {maxevents}, {timeout}", result)]


def _wait_one(arguments: tuple[Any, ...], result: int) -> Described:
    epfd, timeout = arguments
    pair = ffi.new("uint64_t[2]", [result & 0xFFFFFF, result >> 24] if result > 0 else [0, 0])
    count = linux.compiled.evk_epoll_wait_one_look(result, pair) if result < 0 else int(result > 0)
    return _wait((epfd, pair, 1, timeout), count)


def _mask(pointer: Any) -> str:  # noqa: ANN401  cffi data has no static type
    return "NULL" if pointer == ffi.NULL else signal_set(pointer[0])


def _pwait(arguments: tuple[Any, ...], result: int) -> Described:
    epfd, pairs, maxevents, timeout, mask = arguments
    text = f"{epfd}, {_events(pairs, result)}, {maxevents}, {timeout}, {_mask(mask)}, 8"
    return [("epoll_pwait", text, result)]


def _pwait2(arguments: tuple[Any, ...], result: int) -> Described:
    epfd, pairs, maxevents, timeout, mask = arguments
    spec = "NULL" if timeout == ffi.NULL else f"{{tv_sec={timeout[0]}, tv_nsec={timeout[1]}}}"
    text = f"{epfd}, {_events(pairs, result)}, {maxevents}, {spec}, {_mask(mask)}, 8"
    return [("epoll_pwait2", text, result)]


def _signalfd_read(arguments: tuple[Any, ...], result: int) -> Described:
    fd, records, count = arguments
    infos = decode(bytes(ffi.buffer(records, result))) if result > 0 else []
    shown = ", ".join(info.brief() for info in infos)
    return [("read", f"{fd}, [{shown}], {count * RECORD_SIZE}", result)]


def _signalfd_read_number(arguments: tuple[Any, ...], result: int) -> Described:
    shown = f"{{ssi_signo={signal_name(result)}}}" if result > 0 else ""
    return [("read", f"{arguments[0]}, [{shown}], {RECORD_SIZE}", RECORD_SIZE if result > 0 else result)]


def _eventfd_read(arguments: tuple[Any, ...], result: int) -> Described:
    if linux.compiled.EVK_COUNT_KEPT < result < 0:
        return [("read", f"{arguments[0]}, {{}}, 8", result)]
    looks_like_errno = -4095 <= result < 0
    count = linux.compiled.evk_eventfd_read_look(result) if looks_like_errno else result % 2**64
    return [("read", f"{arguments[0]}, {{{count}}}, 8", 8)]


def _poll_one(arguments: tuple[Any, ...], result: int) -> Described:
    fd, events, timeout, revents = arguments
    back = f", revents={spell(revents[0], EpollEvents)}" if result > 0 else ""
    shown = f"[{{fd={fd}, events={spell(events, EpollEvents)}{back}}}]".replace("EPOLL", "POLL")
    return [("poll", f"{shown}, 1, {timeout}", result)]


def _prctl(arguments: tuple[Any, ...], result: int) -> Described:
    return [("prctl", f"{arguments[0]}, {arguments[1]}", result)]


def _read(arguments: tuple[Any, ...], result: int) -> Described:
    fd, buffer, size = arguments
    data = bytes(ffi.buffer(buffer, result)) if result > 0 else b""
    return [("read", f"{fd}, {quote(data)}, {size}", result)]


def _write(arguments: tuple[Any, ...], result: int) -> Described:
    fd, data, size = arguments
    return [("write", f"{fd}, {quote(bytes(data)[:size])}, {size}", result)]


def _hex_pointer(address: int) -> str:
    return hex(address) if address else "NULL"


FORMATS: dict[str, Format] = {
    "evk_epoll_create": lambda a, r: [("epoll_create", str(a[0]), r)],
    "evk_epoll_create1": lambda a, r: [("epoll_create1", spell(a[0], EpollCreate), r)],
    "evk_epoll_ctl": lambda a, r: [_ctl(a[0], a[1], a[2], a[3], a[4], r)],
    "evk_epoll_add": lambda a, r: [_ctl(a[0], EpollOp.EPOLL_CTL_ADD, a[1], a[2], a[3], r)],
    "evk_epoll_mod": lambda a, r: [_ctl(a[0], EpollOp.EPOLL_CTL_MOD, a[1], a[2], a[3], r)],
    "evk_epoll_add_self": lambda a, r: [_ctl(a[0], EpollOp.EPOLL_CTL_ADD, a[1], a[2], _word(a[1]), r)],
    "evk_epoll_mod_self": lambda a, r: [_ctl(a[0], EpollOp.EPOLL_CTL_MOD, a[1], a[2], _word(a[1]), r)],
    "evk_epoll_del": lambda a, r: [_ctl(a[0], EpollOp.EPOLL_CTL_DEL, a[1], 0, 0, r)],
    "evk_epoll_ctl_many": _ctl_many,
    "evk_epoll_wait": _wait,
    "evk_epoll_wait_one": _wait_one,
    "evk_epoll_pwait": _pwait,
    "evk_epoll_pwait2": _pwait2,
    "evk_epoll_get_params": lambda a, r: [
        ("ioctl", f"{a[0]}, EPIOCGPARAMS, {{{a[1][0]}, {a[1][1]}, {a[1][2]}}}", r)
    ],
    "evk_epoll_set_params": lambda a, r: [("ioctl", f"{a[0]}, EPIOCSPARAMS, {{{a[1]}, {a[2]}, {a[3]}}}", r)],
    "evk_eventfd": lambda a, r: [("eventfd2", f"{a[0]}, {spell(a[1], EventFdFlags)}", r)],
    "evk_eventfd_read": _eventfd_read,
    "evk_eventfd_write": lambda a, r: [("write", f"{a[0]}, {{{a[1]}}}, 8", r)],
    "evk_eventfd_write_one": lambda a, r: [("write", f"{a[0]}, {{1}}, 8", r)],
    "evk_signalfd": lambda a, r: [
        ("signalfd4", f"{a[0]}, {signal_set(a[1])}, 8, {spell(a[2], SignalFdFlags)}", r)
    ],
    "evk_signalfd_read": _signalfd_read,
    "evk_signalfd_read_number": _signalfd_read_number,
    "evk_read": _read,
    "evk_write": _write,
    "evk_close": lambda a, r: [("close", str(a[0]), r)],
    "evk_poll_one": _poll_one,
    "evk_sigqueue": lambda a, r: [
        ("rt_sigqueueinfo", f"{a[0]}, {signal_name(a[1])}, {{sival_ptr={a[2]:#x}}}", r)
    ],
    "evk_prctl": _prctl,
    "evk_kcmp": lambda a, r: [("kcmp", ", ".join(map(str, a)), r)],
    "evk_kcmp_epoll_tfd": lambda a, r: [
        ("kcmp", f"{a[0]}, {a[1]}, KCMP_EPOLL_TFD, {a[2]}, {{efd={a[3]}, tfd={a[4]}, toff={a[5]}}}", r)
    ],
    "evk_raw_epoll_ctl": lambda a, r: [
        ("epoll_ctl", f"{a[0]}, {_op(a[1])}, {a[2]}, {_hex_pointer(a[3])}", r)
    ],
    "evk_raw_epoll_wait": lambda a, r: [("epoll_wait", f"{a[0]}, {_hex_pointer(a[1])}, {a[2]}, {a[3]}", r)],
    "evk_raw_read": lambda a, r: [("read", f"{a[0]}, {_hex_pointer(a[1])}, {a[2]}", r)],
    "evk_raw_write": lambda a, r: [("write", f"{a[0]}, {_hex_pointer(a[1])}, {a[2]}", r)],
    "evk_raw_syscall": lambda a, r: [("syscall", ", ".join(_signed(word) for word in a), r)],
}


def _signed(word: int) -> str:
    """A 64-bit argument: small negatives as such, large words in hex."""
    value: int = struct.unpack("q", struct.pack("Q", word & (2**64 - 1)))[0]
    return hex(value) if value > 0xFFFF else str(value)
