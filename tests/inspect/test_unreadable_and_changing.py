"""Processes that may not be read, that end, or that change, while they are being looked into."""

import ctypes
import json
import os
import select
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from toolkit.inspect import EpollRecord, State, survey

if TYPE_CHECKING:
    from tests.conftest import Start

pytestmark = pytest.mark.once  # /proc says the same to every interpreter

NOBODY = 65534
DEADLINE_S = 60
_PR_SET_DUMPABLE = 4  # linux/prctl.h


def as_nobody(look: Callable[[], Any]) -> Any:  # noqa: ANN401  JSON
    """What `look` gives in a child of this process that is an ordinary user."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
            ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 1)  # changing user has cleared it (prctl(2))
            os.write(writer, json.dumps(look()).encode())
            status = 0
        finally:
            os._exit(status)
    os.close(writer)
    try:
        assert select.select([reader], [], [], DEADLINE_S)[0]
        return json.loads(os.read(reader, 1 << 20))
    finally:
        os.close(reader)
        os.waitpid(child, 0)


SCRIPT = """
{before}
epoll, counter = select.epoll(), os.eventfd(0)
epoll.register(counter, select.EPOLLIN)
tell(epoll=epoll.fileno())
"""
DEMOTED = f"""
os.setgroups([]); os.setgid({NOBODY}); os.setuid({NOBODY})
ctypes.CDLL(None).prctl({_PR_SET_DUMPABLE}, 1)
"""


@pytest.mark.skipif("os.geteuid() != 0", reason="becoming an ordinary user needs root")
def test_an_ordinary_user_sees_their_own_and_is_told_of_the_rest(start: "Start") -> None:
    theirs = start(SCRIPT.format(before=""))
    own = start(SCRIPT.format(before=DEMOTED))

    def look() -> dict[str, Any]:
        found, refused, everything = survey([own.pid]), survey([theirs.pid]), survey()
        return {
            "own": [entry.state for record in found.records for entry in getattr(record, "entries", ())],
            "refused": [len(refused.records), *refused.notes],
            "seen": [record.pid for record in everything.records],
            "notes": everything.notes,
        }

    seen = as_nobody(look)
    assert seen["own"] == ["live"]
    none, note = seen["refused"]
    assert none == 0
    assert note.startswith(f"process {theirs.pid} may not be read")
    assert own.pid in seen["seen"]
    assert theirs.pid not in seen["seen"]
    assert any("processes may not be read" in note for note in seen["notes"])


@pytest.mark.skipif("os.geteuid() != 0", reason="becoming an ordinary user needs root")
def test_a_process_that_is_not_dumpable_is_protected_from_its_own_user(start: "Start") -> None:
    protected = start(SCRIPT.format(before=DEMOTED.replace(", 1)", ", 0)")))

    def look() -> list[Any]:
        found = survey([protected.pid])
        return [len(found.records), *found.notes]

    none, note = as_nobody(look)
    assert none == 0
    assert "may not be read" in note


@pytest.mark.timeout(300)  # each look reads every process: slow beside others that start thousands
def test_a_program_that_opens_and_closes_all_the_time_is_not_accused(start: "Start") -> None:
    """It closes without EPOLL_CTL_DEL, as nginx does: rightly, since nobody else holds the files."""
    subject = start(
        """
epoll = select.epoll()
begun, begin = os.pipe()
child = os.fork()
if child == 0:
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
    kept = collections.deque()
    while True:
        made = [os.eventfd(0), *os.pipe(), *(one.detach() for one in socket.socketpair())]
        for fd in made:
            epoll.register(fd, select.EPOLLIN | select.EPOLLOUT)
        kept.append(made)
        if len(kept) > 10:  # so that every look finds some, while the oldest go
            for fd in kept.popleft():
                os.close(fd)
            if begin:
                os.write(begin, b".")
                begin = None
number = epoll.fileno()
epoll.close()
os.read(begun, 1)
tell(child=child, epoll=number)
os.kill(child, signal.SIGKILL)
tell()
"""
    )
    try:
        for _ in range(30):
            (record,) = survey([subject["child"]], fd=subject["epoll"]).records
            assert isinstance(record, EpollRecord)
            assert record.entries
            assert State.STALE not in {entry.state for entry in record.entries}, record
    finally:
        subject.go_on()


@pytest.mark.timeout(300)  # each look reads every process: slow beside others that start thousands
def test_processes_that_end_while_everything_is_read(start: "Start") -> None:
    subject = start(
        """
keeper = os.fork()
if keeper == 0:
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
    while True:
        child = os.fork()
        if child == 0:
            epoll, counter = select.epoll(), os.eventfd(0)
            epoll.register(counter, select.EPOLLIN)
            os._exit(0)
        os.waitpid(child, 0)
tell(keeper=keeper)
os.kill(keeper, signal.SIGKILL)
tell()
"""
    )
    try:
        for _ in range(15):
            assert all(record.pid > 0 for record in survey().records)
    finally:
        subject.go_on()


def test_a_process_that_is_gone_is_said_to_be(start: "Start") -> None:
    subject = start("tell()")
    subject.end()
    with pytest.raises(ValueError, match=f"there is no process {subject.pid}"):
        survey([subject.pid])


def test_a_zombie_holds_nothing(start: "Start") -> None:
    subject = start(
        """
ended = os.fork()
if ended == 0:
    os._exit(0)
os.waitid(os.P_PID, ended, os.WEXITED | os.WNOWAIT)
tell(ended=ended)
"""
    )
    found = survey([subject["ended"]])
    assert found.records == ()
