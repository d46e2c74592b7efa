"""Probes of epoll(7): calls, flags and what /proc tells about it."""

import os
import socket

from toolkit.features.trying import MissingError, Probe
from toolkit.ffi.flags import (
    EPOLLERR,
    EPOLLEXCLUSIVE,
    EPOLLIN,
    EPOLLONESHOT,
    EPOLLRDHUP,
    EPOLLWAKEUP,
)
from toolkit.primitives.epoll import Epoll
from toolkit.primitives.eventfd import EventFd
from toolkit.primitives.fdinfo import read_fdinfo_bytes, read_interest_list
from toolkit.primitives.kcmp import is_epoll_target

_WORD = 0xFEDC_BA98_7654_3210
_NESTS_TRIED = 12


def _create1() -> None:
    with Epoll() as epoll:
        if os.get_inheritable(epoll.fileno()):
            raise MissingError("EPOLL_CLOEXEC was accepted and ignored")


def _pwait() -> None:
    with Epoll() as epoll:
        epoll.pwait([], timeout_ms=0)


def _pwait2() -> None:
    with Epoll() as epoll:
        epoll.pwait2(timeout_ns=1)


def _data_word() -> None:
    with Epoll() as epoll, EventFd(1) as ready:
        epoll.add(ready, EPOLLIN, _WORD)
        [(data, _)] = epoll.wait(1, 0)
        if data != _WORD:
            raise MissingError(f"gave {_WORD:#x}, got {data:#x} back")


def _oneshot() -> None:
    with Epoll() as epoll, EventFd(1) as ready:
        epoll.add(ready, EPOLLIN | EPOLLONESHOT)
        if [len(epoll.wait(1, 0)), len(epoll.wait(1, 0))] != [1, 0]:
            raise MissingError("the entry was not disabled by its first event")


def _rdhup() -> None:
    ours, theirs = socket.socketpair()
    with Epoll() as epoll, ours, theirs:
        epoll.add(ours, EPOLLRDHUP)
        theirs.shutdown(socket.SHUT_WR)
        if not epoll.wait(1, 0):
            raise MissingError("the peer's shutdown was not reported")


def _exclusive() -> None:
    with Epoll() as epoll, EventFd() as target:
        epoll.add(target, EPOLLIN | EPOLLEXCLUSIVE)
        try:
            epoll.modify(target, EPOLLIN)
        except OSError:
            return  # EINVAL: the kernel knows what the entry is (epoll_ctl(2))
        raise MissingError("the flag was ignored: the entry can be modified")


def _wakeup() -> None:
    with Epoll() as epoll, EventFd() as target:
        epoll.add(target, EPOLLIN | EPOLLWAKEUP)
        [entry] = read_interest_list(epoll.fileno())
        if not entry.events & EPOLLWAKEUP:
            raise MissingError("dropped silently: it takes CAP_BLOCK_SUSPEND and a kernel that can suspend")


def _busy_poll() -> str:
    with Epoll() as epoll:
        usecs, budget, prefer = epoll.busy_poll()
    return f"usecs={usecs} budget={budget} prefer={prefer}"


def _fdinfo() -> None:
    with Epoll() as epoll, EventFd() as target:
        epoll.add(target, EPOLLIN, _WORD)
        entries = read_interest_list(epoll.fileno())
        if [(entry.tfd, entry.data) for entry in entries] != [(target.fileno(), _WORD)]:
            raise MissingError("fdinfo does not list the entry")


def _fdinfo_inode() -> None:
    with Epoll() as epoll, EventFd() as target:
        epoll.add(target, EPOLLIN)
        if b"ino:" not in read_fdinfo_bytes(epoll.fileno()):
            raise MissingError("fdinfo's tfd lines have no ino and sdev")


def _kcmp_tfd() -> None:
    me = os.getpid()
    with Epoll() as epoll, EventFd() as target:
        epoll.add(target, EPOLLIN)
        fd = target.fileno()
        if not is_epoll_target(me, fd, me, epoll.fileno(), fd):
            raise MissingError("kcmp takes an entry's own target for another file")


def _nests() -> str:
    chain = [Epoll()]
    try:
        while len(chain) < _NESTS_TRIED:
            outer = Epoll()
            chain.append(outer)
            outer.add(chain[-2], EPOLLIN)
    except OSError as error:
        if getattr(error, "call", "") != "epoll_ctl":
            raise
        return str(len(chain) - 1)
    finally:
        for epoll in reversed(chain):
            epoll.close()
    return f"{_NESTS_TRIED} or more"


def _pipe_reader_gone() -> None:
    reader, writer = os.pipe()
    try:
        with Epoll() as epoll:
            epoll.add(writer, 0)
            os.close(reader)
            reader = -1
            [(_, events)] = epoll.wait(1, 0)
            if not events & EPOLLERR:
                raise MissingError("no EPOLLERR at a pipe without readers")
    finally:
        os.close(writer)
        if reader >= 0:
            os.close(reader)


PROBES = {
    "epoll_create1": Probe("epoll", "an epoll that exec closes", _create1),
    "epoll_pwait": Probe("epoll", "waiting with another signal mask, without a race", _pwait),
    "epoll_pwait2": Probe("epoll", "timeouts in nanoseconds", _pwait2),
    "epoll_data_64": Probe("epoll", "all 64 bits of the data word come back", _data_word),
    "epoll_oneshot": Probe("epoll", "EPOLLONESHOT: disabled after one event", _oneshot),
    "epoll_rdhup": Probe("epoll", "EPOLLRDHUP: the peer shut down its writing side", _rdhup),
    "epoll_exclusive": Probe("epoll", "EPOLLEXCLUSIVE: wake one of several epolls", _exclusive),
    "epoll_wakeup": Probe("epoll", "EPOLLWAKEUP: no suspend while an event is handled", _wakeup),
    "epoll_pipe_err": Probe("epoll", "EPOLLERR at a pipe whose readers left", _pipe_reader_gone),
    "epoll_busy_poll": Probe("epoll", "EPIOCGPARAMS: busy polling of network devices", _busy_poll),
    "epoll_fdinfo": Probe("epoll", "/proc lists the interest list", _fdinfo),
    "epoll_fdinfo_inode": Probe("epoll", "/proc tells which file an entry means", _fdinfo_inode),
    "kcmp_epoll_tfd": Probe("epoll", "whether an entry still means a number's file", _kcmp_tfd),
    "epoll_nests": Probe("epoll", "how many epolls may watch one another", _nests),
}
