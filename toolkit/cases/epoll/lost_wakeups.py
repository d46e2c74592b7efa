"""No wake-up is lost, however waits, writes and timeouts meet.

What it does        Ten threads wait on one instance with ten edge-triggered eventfds, which are written back to
                    back; then one waiter's timeout runs out at the very moment of a write, while another one waits
                    without end.
Why it bites        An edge is told once, so a wake-up that gets lost is an event that never comes. Three kernels
                    lost some (5.3/5.4, 5.6/5.7, 5.9), each in a race that needs a timeout or a second thread at the
                    wrong moment, and a program saw it as a rare hang that no code of its own explains.
What you will see   Each of the ten threads with an eventfd of its own, in every round; the event of the second race
                    with one of the two waiters, in every round.
References          kselftest filesystems/epoll/epoll_wakeup_test.c epoll60, epoll61; fs/eventpoll.c ep_poll
"""

import time

from toolkit.ffi.flags import EPOLLET, EPOLLIN
from toolkit.lab import Case, Claim, Lab

_THREADS = 10
_ROUNDS_OF_TEN = 8
_ROUNDS_OF_TIMEOUT = 24
_TIMEOUT_S = 0.001


def lost_wakeups(lab: Lab) -> None:
    """Two races, again and again."""
    _ten(lab)
    _timeout(lab)


def _ten(lab: Lab) -> None:
    epoll, eventfds = lab.epoll(), [lab.eventfd() for _ in range(_THREADS)]
    for number, eventfd in enumerate(eventfds):
        lab.add(epoll, eventfd, EPOLLIN | EPOLLET, data=number)
    complete = 0
    for _ in range(_ROUNDS_OF_TEN):
        waiters = [lab.asleep(lab.told, epoll, 5.0, 1) for _ in range(_THREADS)]
        for eventfd in eventfds:
            eventfd.write(1)
        got = sorted(number for waiter in waiters for number in waiter.result(10.0))
        if got != list(range(_THREADS)):
            break
        complete += 1
    lab.must(
        "epoll-ten-waiters-ten-et-eventfds-no-lost-wakeup",
        expected=_ROUNDS_OF_TEN,
        observed=complete,
        reason="rounds in which each thread had an eventfd of its own",
    )


def _timeout(lab: Lab) -> None:
    epoll, eventfd = lab.epoll(), lab.eventfd()
    lab.add(epoll, eventfd, EPOLLIN | EPOLLET)
    taken_by = {"timeout": 0, "endless": 0}
    lost = 0
    for _ in range(_ROUNDS_OF_TIMEOUT):
        endless = lab.asleep(lab.told, epoll, 5.0)
        hasty = lab.thread(lab.told, epoll, _TIMEOUT_S)
        hasty.until_asleep()
        moment = time.monotonic() + _TIMEOUT_S * lab.random.uniform(0.2, 1.1)
        while time.monotonic() < moment:
            pass
        eventfd.write(1)
        if hasty.result():
            taken_by["timeout"] += 1
            eventfd.write(1)
            endless.result()
        elif endless.result(10.0):
            taken_by["endless"] += 1
        else:
            lost += 1
            break
    lab.must(
        "epoll-timeout-race-does-not-swallow-et-event",
        expected=0,
        observed=lost,
        reason=f"of {_ROUNDS_OF_TIMEOUT} rounds; taken by the waiter with a timeout {taken_by['timeout']} times, by"
        f" the other {taken_by['endless']} times",
    )


CASE = Case(
    variants=(lost_wakeups,),
    claims=(
        Claim(
            "epoll-ten-waiters-ten-et-eventfds-no-lost-wakeup",
            "Ten edges back to back reach ten waiting threads of one instance, one each.",
            "kselftest epoll_wakeup_test epoll60 (lost on Linux 5.6 and 5.7)",
        ),
        Claim(
            "epoll-timeout-race-does-not-swallow-et-event",
            "An event that meets the end of one waiter's timeout reaches that waiter or another, and is "
            "not lost.",
            "kselftest epoll_wakeup_test epoll61 (lost before Linux 5.10)",
        ),
    ),
)
