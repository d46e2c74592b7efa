"""One event, and every waiter wakes: the thundering herd, in its four shapes.

What it does        Eight threads wait for one eventfd, each with its own epoll instance or all with the same one;
                    then it is written once.
Why it bites        One client connects, all workers wake, one of them gets it and the others find nothing: context
                    switches for nobody, and they grow with the number of workers.
What you will see   naive: with an instance each, all wake. With one shared instance and level-triggering all wake as
                    well, for the entry stays ready until somebody reads. right: EPOLLEXCLUSIVE with an instance
                    each, or EPOLLET with a shared one: exactly one wakes. EPOLLONESHOT does so too.
References          epoll(7) "Level-triggered and edge-triggered"; epoll_ctl(2) EPOLLEXCLUSIVE;
                    cppalliance/corosio#33; chriskohlhoff/asio#902; OpenSIPS/opensips#983; pjsip/pjproject#2604;
                    bugzilla.kernel.org 208943
"""

from toolkit.ffi.flags import EPOLLET, EPOLLEXCLUSIVE, EPOLLIN, EPOLLONESHOT
from toolkit.lab import Case, Claim, Lab

_THREADS = 8


def naive(lab: Lab) -> None:
    """All of them come back by themselves."""
    eventfd = lab.eventfd()
    instances = [lab.epoll() for _ in range(_THREADS)]
    for epoll in instances:
        lab.add(epoll, eventfd, EPOLLIN)
    waiters = [lab.asleep(lab.told, epoll, 5.0) for epoll in instances]
    eventfd.write(1)
    lab.must(
        "epoll-herd-one-instance-each-wakes-all",
        expected=[[eventfd.fileno()]] * _THREADS,
        observed=[waiter.result() for waiter in waiters],
    )
    eventfd.read()
    for claim, count in (
        ("epoll-two-blocked-waiters-lt-both-woken", 2),
        ("epoll-lt-herd-all-threads-on-one-instance", _THREADS),
    ):
        shared = lab.epoll()
        lab.add(shared, eventfd, EPOLLIN)
        waiters = [lab.asleep(lab.told, shared, 5.0) for _ in range(count)]
        eventfd.write(1)
        lab.must(
            claim,
            expected=[[eventfd.fileno()]] * count,
            observed=[waiter.result() for waiter in waiters],
        )
        eventfd.read()


def right(lab: Lab) -> None:
    """Exactly one wakes; a second descriptor sends the others home."""
    eventfd, home = lab.eventfd(), lab.eventfd()
    instances = [lab.epoll() for _ in range(_THREADS)]
    for epoll in instances:
        lab.add(epoll, eventfd, EPOLLIN | EPOLLET | EPOLLEXCLUSIVE)
        lab.add(epoll, home, EPOLLIN)
    waiters = [lab.asleep(lab.told, epoll, 5.0) for epoll in instances]
    eventfd.write(1)
    home.write(1)
    woken = sum(eventfd.fileno() in waiter.result() for waiter in waiters)
    lab.must("epollexclusive-wakes-exactly-one-et", expected=1, observed=woken)
    for claim, flag in (
        ("epoll-et-one-thread-per-event", EPOLLET),
        ("epolloneshot-one-thread-gets-it", EPOLLONESHOT),
    ):
        shared = lab.epoll()
        target = lab.eventfd()
        home.read()
        lab.add(shared, target, EPOLLIN | flag)
        lab.add(shared, home, EPOLLIN)
        waiters = [lab.asleep(lab.told, shared, 5.0) for _ in range(_THREADS)]
        target.write(1)
        home.write(1)
        woken = sum(target.fileno() in waiter.result() for waiter in waiters)
        lab.must(claim, expected=1, observed=woken)


CASE = Case(
    variants=(naive, right),
    claims=(
        Claim(
            "epoll-herd-one-instance-each-wakes-all",
            "Waiters with an instance each are all woken by one event of a descriptor that all have "
            "registered.",
            "epoll(7) Q3; epoll_ctl(2) EPOLLEXCLUSIVE",
        ),
        Claim(
            "epoll-two-blocked-waiters-lt-both-woken",
            "Two threads blocked on one instance with a level-triggered descriptor are both woken by one "
            "write.",
            "kselftest epoll_wakeup_test epoll64; bugzilla.kernel.org 208943 (not before Linux 5.9)",
        ),
        Claim(
            "epoll-lt-herd-all-threads-on-one-instance",
            "Level-triggered: all threads blocked on one instance are woken while nobody takes the data.",
            "epoll(7) Level-triggered and edge-triggered; observed",
        ),
        Claim(
            "epollexclusive-wakes-exactly-one-et",
            "EPOLLEXCLUSIVE with EPOLLET: of the waiters with an instance each, one is woken.",
            "epoll_ctl(2) EPOLLEXCLUSIVE",
            since="4.5",
        ),
        Claim(
            "epoll-et-one-thread-per-event",
            "Edge-triggered: one of the threads blocked on one instance is woken.",
            "epoll(7) Level-triggered and edge-triggered",
        ),
        Claim(
            "epolloneshot-one-thread-gets-it",
            "EPOLLONESHOT: one of the threads blocked on one instance gets the event.",
            "epoll(7); epoll_ctl(2) EPOLLONESHOT",
            since="2.6.2",
        ),
    ),
)
