"""Each invariant can fail: a build with a planted loss, duplicate or reorder is caught, and says which one broke."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.stress.conftest import Stress

pytestmark = pytest.mark.once  # it is about the C loops

_FAULTS = [
    ("eventfd", "ping", "write:loss:500", "read-returns-what-was-written"),
    ("eventfd", "ping", "write:duplicate:500", "read-returns-what-was-written"),
    ("eventfd", "pingpong", "write:duplicate:500", "reply-follows-request"),
    ("eventfd", "fan-in", "write:loss:500", "writes-counted-once"),
    ("eventfd", "fan-in", "write:duplicate:500", "sum-written-is-sum-read"),
    ("eventfd", "semaphore", "write:loss:500", "each-token-taken-once"),
    ("eventfd", "semaphore", "write:duplicate:500", "each-token-taken-once"),
    ("eventfd", "wake", "read:duplicate:500", "answer-repeats-the-wake"),
    ("eventfd", "overflow", "write:loss:500", "writes-of-one-writer-in-order"),
    ("eventfd", "overflow", "write:duplicate:500", "writes-of-one-writer-in-order"),
    ("eventfd", "overflow", "write:reorder:500", "writes-of-one-writer-in-order"),
    ("epoll", "wait", "write:loss:500", "all-written-is-all-read"),
    ("epoll", "wait", "write:duplicate:500", "all-written-is-all-read"),
    ("epoll", "wait", "read:loss:5", "all-written-is-all-read"),
    ("epoll", "wait", "read:duplicate:5", "all-written-is-all-read"),
    ("epoll", "ctl", "epoll_del:loss:100", "result-agrees-with-the-list"),
    ("epoll", "nested", "epoll_wait:loss:500", "each-level-names-the-next"),
    ("epoll", "nested", "write:duplicate:500", "counter-arrives"),
    ("epoll", "ready-scan", "epoll_wait:loss:500", "exactly-the-ready-one"),
    ("epoll", "ready-scan", "write:duplicate:500", "event-means-readable"),
    ("epoll", "handoff", "write:loss:500", "no-token-left"),
    ("epoll", "handoff", "read:loss:500", "tokens-sent-are-tokens-handled"),
    ("epoll", "handoff", "write:duplicate:500", "each-token-handled-once"),
    ("epoll", "handoff", "read:duplicate:500", "each-token-handled-once"),
    ("epoll", "accept-storm", "accept:loss:500", "connections-made-are-handled"),
    ("epoll", "accept-storm", "read:duplicate:500", "each-token-handled-once"),
    ("epoll", "accept-storm", "write:loss:500", "connection-brings-its-token"),
    ("epoll", "fd-reuse", "generation:loss:1", "right-never-mixes"),
    ("epoll", "close-race", "epoll_del:loss:100", "nothing-after-del"),
    ("signalfd", "queue", "sigqueue:loss:500", "signals-of-one-sender-in-order"),
    ("signalfd", "queue", "sigqueue:duplicate:500", "signals-of-one-sender-in-order"),
    ("signalfd", "queue", "sigqueue:reorder:500", "signals-of-one-sender-in-order"),
    ("signalfd", "epoll", "sigqueue:loss:500", "signals-of-one-sender-in-order"),
    ("signalfd", "coalesce", "kill:loss:500", "one-arrives-after-the-last-was-sent"),
    ("signalfd", "directed", "tgsigqueue:loss:500", "signals-of-one-sender-in-order"),
    (
        "signalfd",
        "directed",
        "tgsigqueue:duplicate:500",
        "signals-of-one-sender-in-order|only-the-thread-meant-sees-it",
    ),
    ("signalfd", "sigchld", "waitpid:loss:50", "each-child-reaped-once"),
]
# a fork is dear; the reader of `coalesce` needs time to read; a lost DEL shows for microseconds, and a waiter must look
_OPS = {"sigchld": "60", "coalesce": "200k", "close-race": "20k"}


@pytest.mark.parametrize(("primitive", "name", "fault", "invariant"), _FAULTS)
def test_a_planted_fault_breaks_the_invariant(
    planted: Stress, primitive: str, name: str, fault: str, invariant: str
) -> None:
    ran = planted(fault, primitive, name, "--ops", _OPS.get(name, "2k"))
    assert ran.status == 1, ran
    assert ran.broken() & set(invariant.split("|")), ran.broken()


@pytest.mark.parametrize(("primitive", "name"), sorted({(fault[0], fault[1]) for fault in _FAULTS}))
def test_the_same_build_holds_without_a_fault(planted: Stress, primitive: str, name: str) -> None:
    ran = planted("none:none:1", primitive, name, "--ops", _OPS.get(name, "2k"))
    assert (ran.status, ran.broken()) == (0, set()), ran.stderr


def test_an_entry_the_kernel_forgot_is_missing_from_proc(planted: Stress) -> None:
    # with this seed the last of 20 calls is an ADD that succeeds
    ran = planted("epoll_ctl:loss:20", "epoll", "ctl", "--ops", "20", "--workers", "1", "--seed", "10")
    assert ran.broken() == {"proc-lists-what-the-model-has"}


def test_a_wake_up_that_is_lost_is_noticed_though_everybody_sleeps(planted: Stress) -> None:
    ran = planted("write:loss:501", "eventfd", "pingpong", "--ops", "2k")
    assert ran.status == 1
    assert "progress" in ran.broken()


def test_the_first_offending_token_is_named_with_the_command_that_repeats_it(planted: Stress) -> None:
    first = planted(
        "write:duplicate:500", "eventfd", "overflow", "--ops", "2k", "--workers", "1", "--seed", "7"
    )
    [broken] = [
        each for each in first.stress["invariants"] if each["name"] == "writes-of-one-writer-in-order"
    ]
    # the 500th write carries number 499 of writer 0, with the top bit set; it comes a second time
    assert broken["reason"].startswith("first offending token 0x80000000000001f3")
    assert (broken["expected"], broken["observed"]) == ("0x1f4", "0x1f3")
    assert first.stress["repeat"] == "evkit eventfd stress overflow --seed 7 --workers 1 --ops 2000"
