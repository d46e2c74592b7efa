"""Watching targets with one epoll, and taking from each what the options say."""

import errno
import os
import select
import socket
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from toolkit.ffi.errors import errno_name
from toolkit.ffi.flags import (
    EPOLLERR,
    EPOLLEXCLUSIVE,
    EPOLLHUP,
    EPOLLIN,
    EPOLLONESHOT,
    EPOLLOUT,
    EPOLLRDHUP,
    EpollEvents,
    names,
)
from toolkit.primitives.epoll import Epoll
from toolkit.watch.deadline import Deadline
from toolkit.watch.interruptible import wait
from toolkit.watch.targets import Target, TargetError, refused_by_epoll


@dataclass(frozen=True)
class SeenEvent:
    """One event, and what was taken because of it.

    Attributes:
        target: as it was given.
        fd: its descriptor.
        events: names of the bits, lowest first.
        data: the 64-bit word of the entry, in hex.
        read_bytes: how much was read.
        content: what was read, as text; bytes that are not UTF-8 are replaced.
        end_of_file: the read said that there is no more; the target is not watched any longer.
        accepted: addresses of accepted connections, which are closed at once.
        socket_error: the socket's pending error, which reading it clears (SO_ERROR, socket(7)).
    """

    target: str
    fd: int
    events: tuple[str, ...]
    data: str
    read_bytes: int | None = None
    content: str | None = None
    end_of_file: bool | None = None
    accepted: tuple[str, ...] | None = None
    socket_error: str | None = None
    primitive: str = "epoll"
    type: str = field(default="event", init=False)


@dataclass(frozen=True)
class Reading:
    """What to take at an event.

    Attributes:
        size: bytes a read; 0 takes nothing.
        drain: read (accept) until nothing is left, instead of once.
    """

    size: int
    drain: bool


def watch(
    targets: Sequence[Target],
    events: int,
    reading: Reading,
    deadline: Deadline,
    when_waiting: Callable[[], None],
) -> Iterator[SeenEvent]:
    """Registers the targets and yields each event, until every target has ended or the deadline has passed.

    Raises:
        TargetError: epoll refuses a target, or the combination of flags.
    """
    by_number = {target.fd: target for target in targets}
    with Epoll() as epoll:
        for target in targets:
            _add(epoll, target, events)
        when_waiting()
        while by_number:
            seen = wait(epoll, deadline)
            if not seen:
                return
            for data, bits in seen:
                event = _handle(by_number[data], bits, reading)
                if event.end_of_file or event.socket_error:
                    epoll.remove(by_number.pop(data).fd)
                yield event
            if deadline.passed:  # something may be ready for ever
                return


def _add(epoll: Epoll, target: Target, events: int) -> None:
    try:
        epoll.add(target.fd, events)
    except PermissionError:
        raise TargetError(refused_by_epoll(target)) from None
    except FileExistsError:
        raise TargetError(f"{target.name}: EEXIST: descriptor {target.fd} is watched already") from None
    except OSError as error:
        if error.errno != errno.EINVAL or not events & EPOLLEXCLUSIVE:
            raise
        wrong = EpollEvents(events & (EPOLLONESHOT | EPOLLRDHUP | select.EPOLLPRI))
        what = f"together with {'|'.join(names(wrong, EpollEvents))}" if wrong else "on another epoll"
        raise TargetError(f"{target.name}: EINVAL: epoll does not take EPOLLEXCLUSIVE {what}") from None


def _handle(target: Target, bits: int, reading: Reading) -> SeenEvent:
    readable = bits & (EPOLLIN | EPOLLHUP | EPOLLRDHUP) and not bits & EPOLLERR
    content: bytes | None = None
    accepted: tuple[str, ...] | None = None
    ended = False
    if target.listens and readable and reading.size:
        accepted = tuple(_accept(target.fd, reading.drain))
    elif readable and reading.size and _can_read(target.fd):
        content, ended = _read(target.fd, reading)
    elif bits & EPOLLHUP and not bits & (EPOLLIN | EPOLLOUT):
        ended = True
    return SeenEvent(
        target=target.name,
        fd=target.fd,
        events=tuple(names(bits, EpollEvents)),
        data=hex(target.fd),
        read_bytes=None if content is None else len(content),
        content=content.decode(errors="replace") if content else None,
        end_of_file=True if ended else None,
        accepted=accepted,
        socket_error=_pending_error(target.fd) if bits & EPOLLERR else None,
    )


def _can_read(fd: int) -> bool:
    """Whether a read would return at once: the file may be blocking, and another holder may have been faster."""
    poll = select.poll()
    poll.register(fd, select.POLLIN)
    return bool(poll.poll(0))


def _read(fd: int, reading: Reading) -> tuple[bytes, bool]:
    """What one read gave, or all that there is, and whether the end of file was met."""
    found = b""
    while True:
        try:
            piece = os.read(fd, reading.size)
        except BlockingIOError:
            return found, False
        except ConnectionError:
            return found, True
        found += piece
        if not piece:
            return found, True
        if not reading.drain or not _can_read(fd):
            return found, False


def _accept(fd: int, drain: bool) -> Iterator[str]:
    """Accepts and closes: one connection, or all that are queued."""
    with socket.socket(fileno=os.dup(fd)) as sock:
        while _can_read(fd):
            try:
                connection, address = sock.accept()
            except (BlockingIOError, ConnectionAbortedError):
                return
            connection.close()
            yield f"{address[0]}:{address[1]}" if isinstance(address, tuple) else "unix"
            if not drain:
                return


def _pending_error(fd: int) -> str:
    try:
        with socket.socket(fileno=os.dup(fd)) as sock:
            number = sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
    except OSError:
        return "EPOLLERR"  # not a socket: a pipe whose readers left
    return errno_name(number) if number else "EPOLLERR"
