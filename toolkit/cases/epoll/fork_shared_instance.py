"""Two processes with one epoll: neither knows whose event it gets, nor whose number.

What it does        Forks with an epoll instance in hand. Parent and child wait on it together; then each opens a
                    descriptor of its own, which gets the same number in both, and adds it.
Why it bites        The instance is shared, descriptor numbers are not. A prefork server that made its loop before
                    fork has workers that take each other's events, with data words that name a descriptor the
                    receiver does not have, or has for something else.
What you will see   naive: one edge wakes one of the two processes, whichever; both ADDs of the same number succeed,
                    and the parent gets an event for a descriptor that only the child has. right: the child makes its
                    own instance after fork, and each sees its own.
References          epoll(7) Q6; fork(2); eventlet/eventlet#68; benoitc/gunicorn#654; tokio-rs/tokio#3809;
                    grpc/grpc#43157
"""

from toolkit.ffi.flags import EPOLLET, EPOLLIN
from toolkit.lab import Case, Claim, Lab, Parent


def naive(lab: Lab) -> None:
    """The loop was made before fork."""
    _one_edge(lab)
    epoll = lab.epoll()

    def worker(parent: Parent) -> None:
        mine = lab.eventfd()
        parent.report([mine.fileno(), lab.outcome(lab.add, epoll, mine, EPOLLIN, data=0xC)])
        parent.wait()
        mine.write(1)
        parent.report()
        parent.wait()

    child = lab.fork(worker)
    number, added_by_child = child.expect()
    ours = lab.eventfd()
    added = lab.outcome(lab.add, epoll, ours, EPOLLIN, data=0xA)
    child.proceed()
    child.expect()
    lab.must(
        "epoll-fork-both-add-the-same-number",
        expected=[number, "ok", "ok"],
        observed=[ours.fileno(), added_by_child, added],
        reason="the parent's number; ADD by the child, by the parent",
    )
    lab.must(
        "epoll-fork-parent-gets-the-childs-event",
        expected=[[0xC], "0"],
        observed=[lab.told(epoll), lab.poll(ours)],
        reason="what the parent's wait reports; what poll(2) says of the parent's descriptor",
    )
    child.proceed()
    child.end()


def _one_edge(lab: Lab) -> None:
    epoll, eventfd, home = lab.epoll(), lab.eventfd(), lab.eventfd()
    lab.add(epoll, eventfd, EPOLLIN | EPOLLET)
    lab.add(epoll, home, EPOLLIN)

    def wait(parent: Parent) -> None:
        parent.report()
        parent.report(lab.told(epoll, 5.0))

    child = lab.fork(wait)
    child.expect()
    child.until_asleep()
    waiter = lab.asleep(lab.told, epoll, 5.0)
    eventfd.write(1)
    home.write(1)
    woken = [eventfd.fileno() in child.expect(), eventfd.fileno() in waiter.result()]
    lab.must("epoll-fork-et-one-process-wakes", expected=1, observed=sum(woken))
    child.end()


def right(lab: Lab) -> None:
    """A new instance in the child."""
    epoll, ours = lab.epoll(), lab.eventfd()
    lab.add(epoll, ours, EPOLLIN)

    def worker(parent: Parent) -> None:
        lab.close(epoll)
        mine, its_eventfd = lab.epoll(), lab.eventfd()
        lab.add(mine, its_eventfd, EPOLLIN)
        its_eventfd.write(1)
        parent.report(lab.told(mine) == [its_eventfd.fileno()])
        parent.wait()

    child = lab.fork(worker)
    lab.must(
        "epoll-fork-own-instance-keeps-events-apart",
        expected=[True, []],
        observed=[child.expect(), lab.told(epoll)],
        reason="the child has its event; the parent has none",
    )
    child.proceed()
    child.end()


CASE = Case(
    variants=(naive, right),
    claims=(
        Claim(
            "epoll-fork-et-one-process-wakes",
            "Edge-triggered: of two processes that wait on one inherited instance, one is woken by an event.",
            "epoll(7); fork(2)",
        ),
        Claim(
            "epoll-fork-both-add-the-same-number",
            "Two processes can each add their own descriptor under one number to a shared instance.",
            "epoll(7) Q1; fork(2)",
        ),
        Claim(
            "epoll-fork-parent-gets-the-childs-event",
            "A wait by the parent reports what the child registered, though the parent does not have it.",
            "epoll(7) Q6; fork(2)",
        ),
        Claim(
            "epoll-fork-own-instance-keeps-events-apart",
            "With an instance of its own made after fork, each process gets its own events only.",
            "epoll_create(2); fork(2)",
        ),
    ),
)
