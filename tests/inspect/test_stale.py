"""Live and stale entries of processes built so that the truth is known."""

from typing import TYPE_CHECKING

import pytest

from toolkit.inspect import Entry, EpollRecord, Holder, Method, State, survey

if TYPE_CHECKING:
    from tests.conftest import Start, Subject

pytestmark = pytest.mark.once  # /proc says the same to every interpreter

MAKERS = {
    "pipe": "made, other = os.pipe()",
    "socket": "pair = socket.socketpair(); made = pair[0].detach()",
    "eventfd": "made = os.eventfd(0)",
    "tty": "made, other = os.openpty()",
    "fifo": "os.path.exists('fifo') or os.mkfifo('fifo'); made = os.open('fifo', os.O_RDWR)",
    "epoll": "inner = select.epoll(); made = os.dup(inner.fileno()); inner.close()",
    "signalfd": "made = ctypes.CDLL(None).signalfd(-1, ctypes.create_string_buffer(128), 0)",
    "pidfd": "made = os.pidfd_open(os.getpid())",
}
REGISTER = """
epoll = select.epoll()
{make}
epoll.register(made, select.EPOLLIN)
"""


def entries_of(subject: "Subject", pid: int | None = None, epoll: int | None = None) -> tuple[Entry, ...]:
    """The entries of an epoll it told of, asked for through one of its processes."""
    number = subject["epoll"] if epoll is None else epoll
    records = survey([pid or subject.pid], fd=number).records
    assert len(records) == 1
    record = records[0]
    assert isinstance(record, EpollRecord)
    assert record.fd == number
    return record.entries


@pytest.mark.parametrize("kind", MAKERS)
def test_a_registered_number_is_live(start: "Start", kind: str) -> None:
    subject = start(REGISTER.format(make=MAKERS[kind]) + "tell(epoll=epoll.fileno(), made=made)")
    (entry,) = entries_of(subject)
    assert (entry.tfd, entry.state, entry.finding) == (subject["made"], State.LIVE, None)
    # A socket's inode belongs to one open file; anything else may be open more than once under one inode.
    assert entry.method is (Method.INODE if kind == "socket" else Method.KCMP)
    assert entry.target.kind == kind


@pytest.mark.parametrize("kind", MAKERS)
def test_stale_by_dup(start: "Start", kind: str) -> None:
    subject = start(
        REGISTER.format(make=MAKERS[kind])
        + "kept = os.dup(made); os.close(made); tell(epoll=epoll.fileno(), made=made, kept=kept)"
    )
    (entry,) = entries_of(subject)
    assert (entry.tfd, entry.state, entry.method) == (subject["made"], State.STALE, Method.CLOSED)
    assert entry.finding is not None
    assert entry.finding.case == "epoll/dup-close-stale"
    assert entry.held_by is not None
    assert (subject.pid, subject["kept"]) in {(holder.pid, holder.fd) for holder in entry.held_by}
    assert entry.target.kind == kind


@pytest.mark.parametrize("old", MAKERS)
def test_stale_by_reuse_of_the_number(start: "Start", old: str) -> None:
    subject = start(
        f"""
facts, epolls = [], []
for make_new in {list(MAKERS.values())}:
    epoll = select.epoll()
    {MAKERS[old]}
    epoll.register(made, select.EPOLLIN)
    old, kept = made, os.dup(made)
    exec(make_new)
    os.dup2(made, old)
    facts.append([epoll.fileno(), old, kept])
    epolls.append(epoll)
tell(facts=facts)
"""
    )
    for new, (epoll, number, kept) in zip(MAKERS, subject["facts"], strict=True):
        (entry,) = entries_of(subject, epoll=epoll)
        assert (entry.tfd, entry.state, entry.target.kind) == (number, State.STALE, old)
        assert entry.method in (Method.INODE, Method.KCMP)
        assert entry.finding is not None
        assert entry.finding.case == "epoll/fd-reuse"
        assert f"now ({new}" in entry.finding.what
        assert entry.held_by is not None
        assert (subject.pid, kept) in {(holder.pid, holder.fd) for holder in entry.held_by}


def test_the_other_end_of_the_same_pipe_is_another_file(start: "Start") -> None:
    subject = start(
        """
epoll = select.epoll()
reader, writer = os.pipe()
epoll.register(reader, select.EPOLLIN)
kept = os.dup(reader)
os.dup2(writer, reader)
tell(epoll=epoll.fileno(), reader=reader, kept=kept)
"""
    )
    (entry,) = entries_of(subject)
    assert (entry.state, entry.method) == (State.STALE, Method.KCMP)  # the inode is the same
    assert entry.held_by == (Holder(subject.pid, subject["kept"], "r"),)


@pytest.mark.parametrize("kind", MAKERS)
def test_two_entries_under_one_number(start: "Start", kind: str) -> None:
    subject = start(
        REGISTER.format(make=MAKERS[kind])
        + "old = made; kept = os.dup(made); os.close(made)\n"
        + MAKERS[kind]
        + """
if made != old:
    os.dup2(made, old)
epoll.register(old, select.EPOLLIN | select.EPOLLET)
tell(epoll=epoll.fileno(), old=old)
"""
    )
    entries = entries_of(subject)
    assert [entry.tfd for entry in entries] == [subject["old"]] * 2
    by_state = {entry.state: entry for entry in entries}
    assert set(by_state) == {State.LIVE, State.STALE}
    assert "EPOLLET" in by_state[State.LIVE].events
    assert "EPOLLET" not in by_state[State.STALE].events


@pytest.mark.parametrize("kind", ["pipe", "socket", "eventfd"])
@pytest.mark.parametrize("shares", [True, False], ids=["child-has-the-epoll", "child-closed-the-epoll"])
def test_stale_by_fork(start: "Start", kind: str, shares: bool) -> None:
    subject = start(
        REGISTER.format(make=MAKERS[kind])
        + f"child = fork({'lambda: None' if shares else 'epoll.close'})\n"
        + "os.close(made); tell(epoll=epoll.fileno(), made=made, child=child)"
    )
    (entry,) = entries_of(subject)
    assert (entry.tfd, entry.state, entry.method) == (subject["made"], State.STALE, Method.CLOSED)
    assert entry.finding is not None
    assert entry.finding.case == "epoll/fork-held-spin"
    assert entry.held_by is not None
    assert [(holder.pid, holder.fd) for holder in entry.held_by] == [(subject["child"], subject["made"])]


def test_a_child_that_closed_its_copy_does_not_make_its_parents_entry_stale(start: "Start") -> None:
    subject = start(
        REGISTER.format(make=MAKERS["pipe"])
        + "child = fork(lambda: os.close(made)); tell(epoll=epoll.fileno(), made=made, child=child)"
    )
    (of_parent,) = entries_of(subject)
    assert (of_parent.state, of_parent.in_pid) == (State.LIVE, None)
    (of_child,) = entries_of(subject, subject["child"])
    assert (of_child.state, of_child.in_pid) == (State.LIVE, subject.pid)


@pytest.mark.parametrize("kind", ["pipe", "socket", "eventfd"])
def test_stale_by_a_descriptor_in_flight(start: "Start", kind: str) -> None:
    subject = start(
        REGISTER.format(make=MAKERS[kind])
        + """
here, there = socket.socketpair()
socket.send_fds(here, [b"x"], [made])
os.close(made)
tell(epoll=epoll.fileno(), made=made)
"""
    )
    (entry,) = entries_of(subject)
    assert (entry.tfd, entry.state, entry.method) == (subject["made"], State.STALE, Method.CLOSED)
    assert entry.held_by == ()
    assert entry.finding is not None
    assert "SCM_RIGHTS" in entry.finding.what


def test_entries_go_with_the_last_descriptor_and_with_del(start: "Start") -> None:
    subject = start(
        """
epoll = select.epoll()
reader, writer = os.pipe()
epoll.register(reader, select.EPOLLIN)
epoll.register(writer, select.EPOLLOUT)
os.close(reader)
epoll.unregister(writer)
tell(epoll=epoll.fileno())
"""
    )
    assert entries_of(subject) == ()


def test_an_epoll_shared_by_siblings_is_judged_by_whoever_has_the_number(start: "Start") -> None:
    subject = start(
        """
epoll = select.epoll()
numbers = []
def register(low):
    fds = [os.eventfd(0) for _ in range(low)] + [pipe for _ in range(3) for pipe in os.pipe()]
    for fd in fds[low:]:
        epoll.register(fd, select.EPOLLIN)
children = [fork(lambda: register(low)) for low in (0, 7)]
fd = epoll.fileno()
epoll.close()
tell(epoll=fd, children=children)
"""
    )
    first, second = subject["children"]
    entries = entries_of(subject, first)
    assert len(entries) == 12
    assert {entry.state for entry in entries} == {State.LIVE}
    assert sorted(entry.in_pid or first for entry in entries) == [first] * 6 + [second] * 6
