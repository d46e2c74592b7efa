"""EPOLLEXCLUSIVE: who is woken, who is not, and what it does not govern.

What it does        Registers one descriptor exclusively in several instances, with and without waiters, mixed with
                    ordinary registrations, and with several threads on one instance.
Why it bites        "Wake one" is about instances that sleep at the moment of the event. It says nothing about
                    threads of one instance, nothing about a descriptor that was ready when it was added, and nothing
                    about ordinary registrations beside it: those are always woken. A hang-up is for all. And the
                    page says "one or more": code must bear that several wake.
What you will see   Two ordinary waiters and at least one of three exclusive ones; all four at a hang-up; an instance
                    where nobody waits is passed over; four threads of one level-triggered instance, all of them.
References          epoll_ctl(2) EPOLLEXCLUSIVE; fs/eventpoll.c ep_poll_callback; LTP epoll_wait16
"""

from toolkit.ffi.flags import EPOLLET, EPOLLEXCLUSIVE, EPOLLHUP, EPOLLIN
from toolkit.lab import Case, Claim, Lab, Waiter
from toolkit.primitives.epoll import Epoll
from toolkit.primitives.owned import Descriptor, number_of


def exclusive(lab: Lab) -> None:
    """One arrangement after the other."""
    _mixed(lab)
    _nobody_blocked(lab)
    _threads_of_one_instance(lab)
    _hang_up(lab)
    _idle_instance(lab)


def _instances(lab: Lab, target: Descriptor, masks: list[int], home: Descriptor) -> list[Epoll]:
    """An instance a mask, each with a second descriptor that sends its waiter home."""
    instances = []
    for mask in masks:
        epoll = lab.epoll()
        lab.add(epoll, target, mask)
        lab.add(epoll, home, EPOLLIN)
        instances.append(epoll)
    return instances


def _woken(waiters: list[Waiter], target: Descriptor) -> list[int]:
    """For each waiter 1 when it was told of the target, 0 when only sent home."""
    return [int(number_of(target) in waiter.result()) for waiter in waiters]


def _mixed(lab: Lab) -> None:
    eventfd, home = lab.eventfd(), lab.eventfd()
    once = EPOLLIN | EPOLLET
    masks = [once | EPOLLEXCLUSIVE] * 3 + [once] * 2
    waiters = [
        lab.asleep(lab.told, epoll, 5.0) for epoll in _instances(lab, eventfd, [int(m) for m in masks], home)
    ]
    eventfd.write(1)
    home.write(1)
    woken = _woken(waiters, eventfd)
    lab.must(
        "epollexclusive-mixed-nonexclusive-always-woken",
        expected="both ordinary waiters and at least one of three exclusive ones",
        observed={"exclusive": woken[:3], "ordinary": woken[3:]},
        holds=sum(woken[:3]) >= 1 and woken[3:] == [1, 1],
    )


def _nobody_blocked(lab: Lab) -> None:
    eventfd, home = lab.eventfd(initial=1), lab.eventfd()
    instances = _instances(lab, eventfd, [EPOLLIN | EPOLLEXCLUSIVE] * 2, home)
    lab.must(
        "epollexclusive-not-blocked-instance-sees-event",
        expected=[[eventfd.fileno()]] * 2,
        observed=[lab.told(epoll) for epoll in instances],
        reason="ready before it was added",
    )
    later = lab.eventfd()
    instances = _instances(lab, later, [EPOLLIN | EPOLLEXCLUSIVE] * 2, home)
    later.write(1)
    lab.record(
        "epollexclusive-unwaited-instances-after-event",
        [lab.ready_count(epoll) for epoll in instances],
        reason="ready after it was added, nobody waiting",
    )


def _threads_of_one_instance(lab: Lab) -> None:
    epoll, eventfd = lab.epoll(), lab.eventfd()
    lab.add(epoll, eventfd, EPOLLIN | EPOLLEXCLUSIVE)
    waiters = [lab.asleep(lab.told, epoll, 5.0) for _ in range(4)]
    eventfd.write(1)
    lab.must(
        "epollexclusive-same-epfd-threads-lt",
        expected=[1, 1, 1, 1],
        observed=_woken(waiters, eventfd),
        reason="level-triggered, unread: each thread that comes back wakes the next",
    )


def _hang_up(lab: Lab) -> None:
    (reader, writer), home = lab.pipe(), lab.eventfd()
    instances = _instances(lab, reader, [EPOLLIN | EPOLLEXCLUSIVE] * 4, home)
    waiters = [lab.asleep(lab.wait, epoll, 5.0) for epoll in instances]
    lab.close(writer)
    lab.must(
        "epollexclusive-pipe-close-wakes-all",
        expected=[[(reader, EPOLLHUP)]] * 4,
        observed=[waiter.result() for waiter in waiters],
    )


def _idle_instance(lab: Lab) -> None:
    eventfd, home = lab.eventfd(), lab.eventfd()
    idle, waiting = _instances(lab, eventfd, [EPOLLIN | EPOLLET | EPOLLEXCLUSIVE] * 2, home)
    waiter = lab.asleep(lab.told, waiting, 5.0)
    eventfd.write(1)
    lab.must(
        "epollexclusive-idle-instance-can-absorb-wakeup",
        expected=[eventfd.fileno()],
        observed=waiter.result(),
        reason="the instance registered first has no waiter: the second one's is woken",
    )
    lab.record(
        "epollexclusive-idle-instance-can-absorb-wakeup",
        lab.ready_count(idle),
        reason="what the idle instance has to report afterwards",
    )


CASE = Case(
    variants=(exclusive,),
    claims=(
        Claim(
            "epollexclusive-mixed-nonexclusive-always-woken",
            "Ordinary registrations are all woken, beside at least one of the exclusive ones.",
            "epoll_ctl(2) EPOLLEXCLUSIVE",
            since="4.5",
        ),
        Claim(
            "epollexclusive-not-blocked-instance-sees-event",
            "A descriptor that is ready when it is added exclusively to two instances is reported by both.",
            "observed; fs/eventpoll.c ep_insert",
            since="4.5",
        ),
        Claim(
            "epollexclusive-unwaited-instances-after-event",
            "How many exclusive instances report an event that came while nobody waited: not promised.",
            "epoll_ctl(2) EPOLLEXCLUSIVE; observed",
            since="4.5",
        ),
        Claim(
            "epollexclusive-same-epfd-threads-lt",
            "EPOLLEXCLUSIVE governs instances, not threads: all threads of one level-triggered instance "
            "wake.",
            "epoll_ctl(2) EPOLLEXCLUSIVE; observed",
            since="4.5",
        ),
        Claim(
            "epollexclusive-pipe-close-wakes-all",
            "A hang-up wakes every exclusive waiter.",
            "observed; fs/pipe.c pipe_release",
            since="4.5",
        ),
        Claim(
            "epollexclusive-idle-instance-can-absorb-wakeup",
            "An exclusive instance where nobody waits does not keep the wake-up from one where somebody "
            "does.",
            "fs/eventpoll.c ep_poll_callback; observed",
            since="4.5",
        ),
    ),
)
