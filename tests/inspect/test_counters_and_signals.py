"""Eventfds and signalfds: what they hold, who holds and watches them, and whether signals can reach them."""

from typing import TYPE_CHECKING

import pytest

from toolkit.inspect import EventFdRecord, Holder, SignalFdRecord, Watcher, survey

if TYPE_CHECKING:
    from tests.conftest import Start, Subject

pytestmark = pytest.mark.once  # /proc says the same to every interpreter


def eventfd_of(subject: "Subject", name: str) -> EventFdRecord:
    """The record of an eventfd it told of."""
    (record,) = survey([subject.pid], fd=subject[name]).records
    assert isinstance(record, EventFdRecord)
    return record


def signalfd_of(subject: "Subject") -> SignalFdRecord:
    """The record of the signalfd it told of."""
    (record,) = survey([subject.pid], fd=subject["signals"]).records
    assert isinstance(record, SignalFdRecord)
    return record


def test_counts_are_read_and_not_taken(start: "Start") -> None:
    subject = start(
        """
plain, counting = os.eventfd(40), os.eventfd(3, os.EFD_SEMAPHORE)
full = os.eventfd(0)
os.eventfd_write(full, 2**64 - 2)
tell(plain=plain, counting=counting, full=full)
tell(left=[os.eventfd_read(plain), os.eventfd_read(counting), os.eventfd_read(full)])
"""
    )
    seen = [eventfd_of(subject, name) for name in ("plain", "counting", "full")]
    assert [record.count for record in seen] == [40, 3, 2**64 - 2]
    assert [record.semaphore for record in seen] in ([False, True, False], [None] * 3)  # Linux 6.5 tells
    assert len({record.id for record in seen}) == 3
    subject.go_on()
    assert subject["left"] == [40, 1, 2**64 - 2]


def test_who_holds_and_who_watches_an_eventfd(start: "Start") -> None:
    subject = start(
        """
shared, own, unwatched = os.eventfd(0), os.eventfd(0), os.eventfd(0)
copy = os.dup(shared)
mine = select.epoll()
mine.register(copy, select.EPOLLIN)
theirs = select.epoll()
number = theirs.fileno()
child = fork(lambda: theirs.register(shared, select.EPOLLIN))
theirs.close()
tell(shared=shared, copy=copy, mine=mine.fileno(), theirs=number, child=child, unwatched=unwatched)
"""
    )
    shared, copy, child = subject["shared"], subject["copy"], subject["child"]
    record = eventfd_of(subject, "shared")
    others = [Holder(subject.pid, copy), Holder(child, shared), Holder(child, copy)]
    assert sorted(record.held_by, key=str) == sorted(others, key=str)
    assert set(record.watched_by) == {
        Watcher(subject.pid, subject["mine"], copy),
        Watcher(child, subject["mine"], copy),  # inherited with the epoll
        Watcher(child, subject["theirs"], shared),
    }
    assert eventfd_of(subject, "unwatched").watched_by == ()


SIGNALS = """
from toolkit.primitives.signalfd import SignalFd
wanted = [signal.SIGUSR1, signal.SIGTERM, signal.SIGRTMIN + 3]
signals = SignalFd(wanted)
"""


def test_masks_blocked_in_every_thread(start: "Start") -> None:
    subject = start(
        SIGNALS
        + """
signal.pthread_sigmask(signal.SIG_BLOCK, wanted)
threading.Thread(target=threading.Event().wait, daemon=True).start()
os.kill(os.getpid(), signal.SIGRTMIN + 3)
os.kill(os.getpid(), signal.SIGTERM)
epoll = select.epoll()
epoll.register(signals, select.EPOLLIN)
tell(signals=signals.fileno(), epoll=epoll.fileno())
"""
    )
    record = signalfd_of(subject)
    assert record.mask == ("SIGUSR1", "SIGTERM", "SIGRTMIN+3")
    assert record.pending == ("SIGTERM", "SIGRTMIN+3")
    assert [(thread.blocked, thread.not_blocked) for thread in record.threads] == [(record.mask, ())] * 2
    assert record.watched_by == (Watcher(subject.pid, subject["epoll"], subject["signals"]),)


def test_the_thread_that_blocks_nothing_is_named(start: "Start") -> None:
    subject = start(
        SIGNALS
        + """
ready = threading.Barrier(2)
def careless():
    ready.wait()
    threading.Event().wait()
other = threading.Thread(target=careless, daemon=True)
other.start()
ready.wait()
signal.pthread_sigmask(signal.SIG_BLOCK, wanted[:2])
signal.pthread_kill(threading.get_ident(), signal.SIGUSR1)
tell(signals=signals.fileno(), careless=other.native_id)
"""
    )
    record = signalfd_of(subject)
    found = {thread.tid: thread for thread in record.threads}
    assert set(found) == {subject.pid, subject["careless"]}
    assert found[subject.pid].blocked == ("SIGUSR1", "SIGTERM")
    assert found[subject.pid].not_blocked == ("SIGRTMIN+3",)
    assert found[subject.pid].pending == ("SIGUSR1",)  # sent to that thread alone
    assert found[subject["careless"]].not_blocked == record.mask
    assert found[subject["careless"]].pending == ()
    assert record.pending == ()


def test_signals_that_no_signalfd_takes_are_not_in_its_mask(start: "Start") -> None:
    subject = start(
        """
from toolkit.primitives.signalfd import SignalFd
signals = SignalFd(range(1, 65))
tell(signals=signals.fileno())
"""
    )
    mask = signalfd_of(subject).mask
    assert len(mask) == 62
    assert not {"SIGKILL", "SIGSTOP"} & set(mask)  # signalfd(2)
