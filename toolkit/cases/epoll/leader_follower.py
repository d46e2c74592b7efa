"""Several threads may wait on one epoll, and a leader with followers needs one mutex.

What it does        Puts four threads to sleep in epoll_wait of one instance and gives each an event; then lets four
                    threads take turns: who holds the mutex waits, gives it up, and handles the event.
Why it bites        "Only one thread may call epoll_wait" is told in articles on porting from completion ports. It is
                    not so: any number may, and an edge or a ONESHOT entry goes to one of them. And the
                    leader/follower pattern is often built with a condition variable beside the mutex; the mutex
                    alone does it.
What you will see   Four threads asleep in one epoll, an event each. Under the mutex every event is handled once, by
                    one thread, while another already waits for the next.
References          epoll(7) "Level-triggered and edge-triggered"; epoll_wait(2) NOTES; POSA2, Leader/Followers
"""

import threading
from collections import Counter

from toolkit.ffi.flags import EPOLLET, EPOLLIN, EPOLLONESHOT
from toolkit.lab import Case, Claim, Lab

_THREADS = 4
_EVENTS = 60
_STOP = 2**64 - 1


def leader_follower(lab: Lab) -> None:
    """All at once, then in turns."""
    epoll, eventfds = lab.epoll(), [lab.eventfd() for _ in range(_THREADS)]
    for number, eventfd in enumerate(eventfds):
        lab.add(epoll, eventfd, EPOLLIN | EPOLLET, data=number)
    waiters = [lab.asleep(lab.told, epoll, 5.0, 1) for _ in range(_THREADS)]
    asleep = sum(not waiter.done for waiter in waiters)
    for eventfd in eventfds:
        eventfd.write(1)
    got = sorted(number for waiter in waiters for number in waiter.result())
    lab.must(
        "epoll-several-threads-may-wait",
        expected=[_THREADS, list(range(_THREADS))],
        observed=[asleep, got],
        reason="threads asleep in one instance; the events they returned, one each",
    )
    _in_turns(lab)


def _in_turns(lab: Lab) -> None:
    epoll, mutex, stop = lab.epoll(), threading.Lock(), lab.eventfd()
    lab.add(epoll, stop, EPOLLIN, data=_STOP)
    sources = [lab.eventfd() for _ in range(_EVENTS)]
    for number, source in enumerate(sources):
        lab.add(epoll, source, EPOLLIN | EPOLLONESHOT, data=number)
    handled: Counter[int] = Counter()
    waits_at_once = [0]
    most_at_once = [0]

    def work() -> None:
        while True:
            with mutex:
                waits_at_once[0] += 1
                most_at_once[0] = max(most_at_once[0], waits_at_once[0])
                [number] = lab.told(epoll, 5.0, 1) or [_STOP]
                waits_at_once[0] -= 1
            if number == _STOP:
                return
            handled[number] += sources[number].read()

    threads = [lab.thread(work) for _ in range(_THREADS)]
    for source in sources:
        source.write(1)
    stop.write(1)
    for thread in threads:
        thread.result()
    lab.must(
        "epoll-leader-follower-single-mutex",
        expected={"handled": _EVENTS, "twice": 0, "leaders at once": 1},
        observed={
            "handled": len(handled),
            "twice": sum(count > 1 for count in handled.values()),
            "leaders at once": most_at_once[0],
        },
    )


CASE = Case(
    variants=(leader_follower,),
    claims=(
        Claim(
            "epoll-several-threads-may-wait",
            "Several threads may wait on one instance at once; edge-triggered events go to one of them each.",
            "epoll(7) Level-triggered and edge-triggered; epoll_wait(2) NOTES",
        ),
        Claim(
            "epoll-leader-follower-single-mutex",
            "Leader and followers with one mutex, without a condition variable, handle each event once.",
            "epoll(7); POSA2, Leader/Followers",
        ),
    ),
)
