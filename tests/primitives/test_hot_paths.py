"""The short ways that hot calls take, where they meet what does not fit: wide words, high counts, closed objects."""

import threading

import pytest

from toolkit.ffi import tracing
from toolkit.ffi.flags import EPOLLIN, EPOLLOUT
from toolkit.primitives.epoll import Epoll
from toolkit.primitives.eventfd import EFD_CLOEXEC, EFD_NONBLOCK, MAXIMUM, EventFd

_WORDS = [0, 1, 2**32 - 1, 2**32, 2**63, 2**64 - 1]


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
