"""Closing the epoll descriptor under a thread that waits on it wakes nobody.

What it does        Closes the epoll descriptor while a thread sleeps in epoll_wait; closes one of two descriptors of
                    an instance; closes the last one; closes a registered pipe end.
Why it bites        A wait holds a reference to the instance, so close() ends the number, not the wait: no EBADF
                    comes. A stop() that closes and joins hangs. Meanwhile the number may be given to something else,
                    and a late wake-up write by a third thread lands there.
What you will see   naive: the waiter sleeps on and even returns a later event. right: a write to an eventfd in the
                    instance wakes it; then join, then close. A dup is the same instance, the last close ends it, and
                    neither way does the instance keep its targets open.
References          epoll_create(2) NOTES; close(2) "Multithreaded processes and close()"; netty/netty#9476;
                    zeromq/libzmq#3169
"""

from toolkit.ffi.flags import EPOLLHUP, EPOLLIN
from toolkit.lab import Case, Claim, Lab
from toolkit.primitives.epoll import Epoll


def naive(lab: Lab) -> None:
    """close() to stop the loop."""
    epoll, eventfd = lab.epoll(), lab.eventfd()
    lab.add(epoll, eventfd, EPOLLIN)
    waiter = lab.asleep(lab.attempt, lab.told, epoll, 5.0)
    lab.close(epoll)
    asleep = not waiter.done
    eventfd.write(1)
    lab.must(
        "epoll-close-epfd-does-not-wake-waiter",
        expected=[True, [eventfd.fileno()]],
        observed=[asleep, waiter.result()],
        reason="asleep after close(); what it returned after a write",
    )


def right(lab: Lab) -> None:
    """Wake, join, close; and what the instance is made of."""
    epoll, wake = lab.epoll(), lab.eventfd()
    lab.add(epoll, wake, EPOLLIN)
    waiter = lab.asleep(lab.told, epoll, 5.0)
    wake.write(1)
    lab.must(
        "epoll-wake-join-close",
        expected=[[wake.fileno()], "ok"],
        observed=[waiter.result(), lab.outcome(lab.close, epoll)],
    )
    one = lab.epoll()
    two = Epoll.adopt(lab.dup(one))
    lab.keep(two)
    lab.add(one, wake, EPOLLIN)
    twice = lab.outcome(lab.add, two, wake, EPOLLIN)
    lab.close(one)
    lab.must(
        "epoll-dup-of-epfd-is-same-instance",
        expected=["EEXIST", [wake.fileno()]],
        observed=[twice, lab.told(two)],
        reason="ADD through the dup; a wait on it after the first was closed",
    )
    count = wake.peek()
    lab.close(two)
    again = lab.epoll()
    lab.must(
        "epoll-last-epfd-close-destroys",
        expected=[count, "ok"],
        observed=[wake.peek(), lab.outcome(lab.add, again, wake, EPOLLIN)],
        reason="the target's counter is untouched; it can be added elsewhere",
    )
    reader, writer = lab.pipe()
    lab.add(again, writer, 0)
    lab.close(writer)
    lab.must(
        "epoll-registration-keeps-no-reference",
        expected=[b"", [], EPOLLHUP],
        observed=[
            lab.read(reader),
            [entry.tfd for entry in lab.interest_list(again) if entry.tfd == writer],
            lab.poll(reader),
        ],
        reason="the reader sees the end of the pipe; the entry is gone",
    )


CASE = Case(
    variants=(naive, right),
    claims=(
        Claim(
            "epoll-close-epfd-does-not-wake-waiter",
            "close() of the epoll descriptor does not wake a thread in epoll_wait, which still returns "
            "later events.",
            "close(2) Multithreaded processes and close(); observed",
        ),
        Claim(
            "epoll-wake-join-close",
            "An eventfd in the instance wakes the waiter, after which the instance can be closed.",
            "eventfd(2) NOTES",
        ),
        Claim(
            "epoll-dup-of-epfd-is-same-instance",
            "A dup of an epoll descriptor is the same instance, which lives on when one of them is closed.",
            "epoll_create(2) NOTES",
        ),
        Claim(
            "epoll-last-epfd-close-destroys",
            "Closing the last descriptor of an instance ends its registrations and leaves the targets alone.",
            "epoll_create(2) NOTES",
        ),
        Claim(
            "epoll-registration-keeps-no-reference",
            "A registration does not keep its target open: the reader of a pipe sees its end.",
            "epoll(7) Q7; observed",
        ),
    ),
)
