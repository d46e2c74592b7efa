"""The short ways that hot calls take, where they meet what does not fit: wide words, high counts, closed objects."""

import errno
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from toolkit.ffi import tracing
from toolkit.ffi.errors import CallError
from toolkit.ffi.flags import EPOLLIN, EPOLLOUT
from toolkit.primitives.epoll import Epoll
from toolkit.primitives.eventfd import EFD_CLOEXEC, EFD_NONBLOCK, MAXIMUM, EventFd
from toolkit.primitives.signalfd import SFD_CLOEXEC, SFD_NONBLOCK, SignalFd, blocked

_WORDS = [0, 1, 2**24 - 1, 2**24, 2**32 - 1, 2**32, 2**63, 2**64 - 1]


@pytest.mark.parametrize("word", _WORDS)
def test_a_single_wait_gives_any_word_back(word: int) -> None:
    with Epoll() as epoll, EventFd(1) as counter:
        epoll.add(counter, EPOLLIN | EPOLLOUT, word)
        assert epoll.wait_one(0) == (word, EPOLLIN | EPOLLOUT)
        assert epoll.wait(4, 0) == [(word, EPOLLIN | EPOLLOUT)]
        assert epoll.wait_flat(4, 0) == [word, EPOLLIN | EPOLLOUT]


def test_a_single_wait_at_its_timeout_is_none() -> None:
    with Epoll() as epoll:
        assert epoll.wait_one(0) is None


@pytest.mark.parametrize("count", [1, 2**63 - 1, 2**63, MAXIMUM - 4094, MAXIMUM])
def test_any_count_is_read_back(count: int) -> None:
    with EventFd() as counter:
        counter.write(count)
        assert counter.read() == count


def test_a_high_count_and_a_failure_are_told_apart() -> None:
    with EventFd(0, EFD_CLOEXEC | EFD_NONBLOCK) as counter:
        with pytest.raises(BlockingIOError):
            counter.read()
        counter.write(MAXIMUM)
        assert counter.read() == MAXIMUM


def test_closed_objects_say_so_on_the_short_way_too() -> None:
    epoll, counter = Epoll(), EventFd()
    epoll.close()
    counter.close()
    for call in (counter.read, lambda: counter.write(1), lambda: epoll.wait_one(0), lambda: epoll.wait(1, 0)):
        with pytest.raises(ValueError, match="is closed"):
            call()


@pytest.mark.parametrize("as_number", [False, True])
@pytest.mark.parametrize("data", [None, 0, 2**64 - 1])
def test_the_list_is_changed_by_object_or_number_with_any_word(as_number: bool, data: int | None) -> None:
    with Epoll() as epoll, EventFd(1) as counter:
        target = counter.fileno() if as_number else counter
        word = counter.fileno() if data is None else data
        epoll.add(target, EPOLLOUT, data)
        assert epoll.wait(2, 0) == [(word, EPOLLOUT)]
        epoll.modify(target, EPOLLIN, data)
        assert epoll.wait(2, 0) == [(word, EPOLLIN)]
        epoll.remove(target)
        assert epoll.wait(2, 0) == []


def test_a_change_that_fails_says_which_call_with_what() -> None:
    with Epoll() as epoll, EventFd() as counter:
        numbers = (epoll.fileno(), counter.fileno())
        changes = {
            1: lambda: epoll.add(counter, EPOLLIN),
            3: lambda: epoll.modify(numbers[1], EPOLLIN),
            2: lambda: epoll.remove(counter),
        }
        epoll.add(counter, EPOLLIN)
        for operation, change in changes.items():
            with pytest.raises(CallError) as caught:
                change()
            assert caught.value.errno == (errno.EEXIST if operation == 1 else errno.ENOENT)
            assert caught.value.call == "epoll_ctl"
            assert caught.value.arguments[:3] == (numbers[0], operation, numbers[1])
            if operation == 1:
                epoll.remove(counter)
        with pytest.raises(OverflowError):
            epoll.add(counter, EPOLLIN, -1)
        with pytest.raises(OverflowError):
            epoll.add(counter, 2**32)


def test_an_event_beyond_the_usual_ones_comes_back_whole() -> None:
    ours, theirs = os.pipe()
    with Epoll() as epoll:
        epoll.add(ours, EPOLLIN | 0x40)  # EPOLLRDNORM
        os.write(theirs, b"x")
        assert epoll.wait_one(0) == (ours, EPOLLIN | 0x40)
    os.close(ours)
    os.close(theirs)


def test_a_single_wait_that_fails_says_why() -> None:
    with EventFd() as counter, pytest.raises(CallError) as caught:
        Epoll.adopt(counter.detach()).wait_one(0)
    assert caught.value.errno == errno.EINVAL


def test_the_number_alone_is_read_from_a_signalfd() -> None:
    lines: list[str] = []
    with blocked([signal.SIGUSR1]), SignalFd([signal.SIGUSR1], SFD_NONBLOCK | SFD_CLOEXEC) as reader:
        with pytest.raises(BlockingIOError):
            reader.read_number()
        signal.pthread_kill(threading.get_ident(), signal.SIGUSR1)
        with tracing.tracing(lines.append):
            assert reader.read_number() == signal.SIGUSR1
        number = reader.fileno()
    with pytest.raises(ValueError, match="is closed"):
        reader.read_number()
    assert lines == [f"read({number}, [{{ssi_signo=SIGUSR1}}], 128) = 128"]


def test_a_trace_tells_the_short_ways_apart() -> None:
    lines: list[str] = []
    with Epoll() as epoll, EventFd() as counter, tracing.tracing(lines.append):
        ep, fd = epoll.fileno(), counter.fileno()
        epoll.add(counter, EPOLLIN)
        epoll.modify(fd, EPOLLIN, 5)
        epoll.modify(fd, EPOLLIN)
        epoll.remove(fd)
        counter.write(1)
    assert lines[:5] == [
        f"epoll_ctl({ep}, EPOLL_CTL_ADD, {fd}, {{EPOLLIN, data={fd:#x}}}) = 0",
        f"epoll_ctl({ep}, EPOLL_CTL_MOD, {fd}, {{EPOLLIN, data=0x5}}) = 0",
        f"epoll_ctl({ep}, EPOLL_CTL_MOD, {fd}, {{EPOLLIN, data={fd:#x}}}) = 0",
        f"epoll_ctl({ep}, EPOLL_CTL_DEL, {fd}, NULL) = 0",
        f"write({fd}, {{1}}, 8) = 8",
    ]


def test_many_modifications_take_objects_and_numbers() -> None:
    with Epoll() as epoll, EventFd(1) as first, EventFd(1) as second:
        epoll.add(first, 0)
        epoll.add(second, 0)
        epoll.modify_many([(first, EPOLLIN, 7), (second.fileno(), EPOLLIN, 2**64 - 1)])
        assert sorted(epoll.wait(8, 0)) == [(7, EPOLLIN), (2**64 - 1, EPOLLIN)]
        epoll.modify_many([])


def test_a_trace_that_starts_later_sees_hot_calls_and_ends() -> None:
    lines: list[str] = []
    with Epoll() as epoll, EventFd() as counter:
        epoll.add(counter, EPOLLIN, 2**40)
        counter.write(2**63)
        with tracing.tracing(lines.append):
            epoll.wait_one(0)
            counter.read()
        counter.write(1)
        numbers = (epoll.fileno(), counter.fileno())
    assert lines == [
        f"epoll_wait({numbers[0]}, [{{EPOLLIN, data=0x10000000000}}], 1, 0) = 1",
        f"read({numbers[1]}, {{9223372036854775808}}, 8) = 8",
    ]


def test_threads_in_single_waits_do_not_share_an_event() -> None:
    counters = [EventFd(1) for _ in range(4)]
    wrong: list[object] = []

    def wait(word: int) -> None:
        with Epoll() as epoll:
            epoll.add(counters[word % 4], EPOLLIN, word)
            wrong.extend(found for _ in range(2000) if (found := epoll.wait_one(0)) != (word, EPOLLIN))

    threads = [threading.Thread(target=wait, args=(2**40 + index,)) for index in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert wrong == []
    for counter in counters:
        counter.close()


@contextmanager
def alarms(handler: Callable[[], None], at_least: int) -> Iterator[Callable[[], bool]]:
    """Runs `handler` in this thread again and again; gives whether it has to go on until it ran `at_least` so often."""
    ran = 0

    def on_alarm(_number: int, _frame: object) -> None:
        nonlocal ran
        ran += 1
        handler()

    end = time.monotonic() + 60
    before = signal.signal(signal.SIGALRM, on_alarm)
    signal.setitimer(signal.ITIMER_REAL, 1e-3, 1e-3)
    try:
        yield lambda: ran < at_least and time.monotonic() < end
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert ran >= at_least


def test_a_signal_s_handler_may_wait_on_the_same_thread_without_taking_the_event() -> None:
    """The handler may run between our wait's return and our look at what did not fit the short answer."""
    mixed: list[object] = []
    with Epoll() as ours, Epoll() as theirs, EventFd(1) as counter:
        ours.add(counter, EPOLLIN, 2**40)
        theirs.add(counter, EPOLLIN, 2**41)

        def handler() -> None:
            mixed.extend(found for _ in range(100) if (found := theirs.wait_one(0)) != (2**41, EPOLLIN))

        with alarms(handler, at_least=300) as go_on:
            while go_on():
                if (found := ours.wait_one(0)) != (2**40, EPOLLIN):
                    mixed.append(found)
    assert mixed == []


def test_a_signal_s_handler_may_read_another_counter_meanwhile() -> None:
    """The highest counts look like an errno to a signed word, and neither may be taken for the other."""
    mixed: list[object] = []
    with EventFd(0, EFD_NONBLOCK) as ours:

        def handler() -> None:
            with EventFd(
                0, EFD_NONBLOCK
            ) as theirs:  # this call's own: the handler may be interrupted by itself
                for count in (MAXIMUM, MAXIMUM - 4000):
                    theirs.write(count)
                    if (found := theirs.read()) != count:
                        mixed.append(found)
                with pytest.raises(BlockingIOError):
                    theirs.read()

        with alarms(handler, at_least=300) as go_on:
            while go_on():
                for count in (MAXIMUM, MAXIMUM - 10, 2**63, 2**64 - 4096, 1):
                    ours.write(count)
                    if (found := ours.read()) != count:
                        mixed.append(found)
    assert mixed == []


def test_a_float_is_no_count() -> None:
    with EventFd() as counter:
        with pytest.raises(TypeError):
            counter.write(1.0)  # type: ignore[arg-type]  what is tested
        counter.write(True)
        assert counter.read() == 1


@pytest.mark.parametrize("wrong", [2**31, -(2**31) - 1, 2**40])
def test_a_descriptor_beyond_an_int_is_refused_not_cut(wrong: int) -> None:
    with Epoll() as epoll:
        for change in (epoll.add, epoll.modify):
            with pytest.raises(OverflowError):
                change(wrong, EPOLLIN)
            with pytest.raises(OverflowError):
                change(wrong, EPOLLIN, 1)
