"""Edge-triggered and two threads: the second piece of a message overtakes the first.

What it does        Two threads serve one instance. The first takes the event of a connection and reads; before it is
                    done, more comes, and then the end; each new arrival is a new edge.
Why it bites        EPOLLET gives an edge to one thread, not a connection to one thread. The next edge of the same
                    connection goes to whoever waits, so two threads are in one protocol machine at once: what was
                    read second may be handled first, and the end may be handled before the last data. Under test
                    load it never happens.
What you will see   naive: the application gets chunk 2, the end, and then chunk 1. right: EPOLLONESHOT: while the
                    first thread has the connection nobody else is told of it, and the order is kept; level-triggered
                    with DEL before reading and ADD after it does the same.
References          epoll(7) EPOLLONESHOT; epoll_ctl(2) EPOLLONESHOT; davidmoreno/onion#116; mozy/mordor#24
"""

from toolkit.ffi.flags import EPOLLET, EPOLLHUP, EPOLLIN, EPOLLONESHOT
from toolkit.lab import Case, Claim, Lab, Mailbox
from toolkit.primitives.epoll import Epoll


def _serve(lab: Lab, epoll: Epoll, gate: Mailbox, application: Mailbox, read: Mailbox) -> None:
    """One turn of a worker: wait, read, and hand to the application once the gate lets it."""
    for fd, events in lab.wait(epoll, 5.0):
        data = lab.recv_now(fd)
        read.put([data, bool(events & EPOLLHUP)])
        gate.take()
        application.put(data or b"the end")


def naive(lab: Lab) -> None:
    """EPOLLET alone."""
    epoll, (ours, theirs) = lab.epoll(), lab.socketpair()
    lab.add(epoll, ours, EPOLLIN | EPOLLET)
    gates = [Mailbox() for _ in range(3)]
    application, read = Mailbox(), Mailbox()
    workers = [lab.asleep(_serve, lab, epoll, gate, application, read) for gate in gates[:1]]
    taken = []
    for number, gate in enumerate(gates):
        if number:
            workers.append(lab.asleep(_serve, lab, epoll, gate, application, read))
        if number < 2:
            lab.send(theirs, b"chunk %d" % (number + 1))
        else:
            lab.close(theirs)
        taken.append(read.take())
    lab.must(
        "epoll-et-two-edges-can-go-to-two-threads",
        expected=[[b"chunk 1", False], [b"chunk 2", False], [b"", True]],
        observed=taken,
        reason="what the first, second and third thread have in hand at the same time",
    )
    for worker in (1, 2, 0):  # nothing holds the second thread up, the first one is slow
        gates[worker].put("go")
        workers[worker].result()
    lab.must(
        "epoll-et-threads-reorder-data",
        expected=[b"chunk 2", b"the end", b"chunk 1"],
        observed=[application.take() for _ in gates],
    )


def right(lab: Lab) -> None:
    """The connection belongs to one thread until that gives it back."""
    for claim, mask in (
        ("epolloneshot-keeps-one-thread-per-connection", EPOLLIN | EPOLLONESHOT),
        ("epoll-del-before-read-keeps-one-thread-per-connection", EPOLLIN),
    ):
        epoll, (ours, theirs) = lab.epoll(), lab.socketpair()
        lab.add(epoll, ours, mask)
        delivered = []
        told_others = []
        lab.send(theirs, b"chunk 1")
        for after in (b"chunk 2", b""):
            for fd in lab.told(epoll, 1.0):
                if mask == EPOLLIN:
                    lab.remove(epoll, fd)
                data = lab.recv_now(fd)
                if after:
                    lab.send(theirs, after)
                else:
                    lab.close(theirs)
                told_others.append(lab.thread(lab.told, epoll).result())
                delivered.append(data)
                if mask == EPOLLIN:
                    lab.add(epoll, fd, mask)
                else:
                    lab.modify(epoll, fd, mask)
        delivered += [lab.recv_now(fd) or b"the end" for fd in lab.told(epoll, 1.0)]
        lab.must(
            claim,
            expected=[[[], []], [b"chunk 1", b"chunk 2", b"the end"]],
            observed=[told_others, delivered],
            reason="what another thread is told meanwhile; what the application gets",
        )


CASE = Case(
    variants=(naive, right),
    claims=(
        Claim(
            "epoll-et-two-edges-can-go-to-two-threads",
            "Edge-triggered: a second edge of a descriptor that a thread is busy with goes to another "
            "thread.",
            "epoll(7) Level-triggered and edge-triggered",
        ),
        Claim(
            "epoll-et-threads-reorder-data",
            "Edge-triggered with several threads: later data, and the end, can be handled before earlier "
            "data.",
            "epoll(7) EPOLLONESHOT; observed",
        ),
        Claim(
            "epolloneshot-keeps-one-thread-per-connection",
            "EPOLLONESHOT: until MOD no other thread is told of the descriptor, so order is kept.",
            "epoll_ctl(2) EPOLLONESHOT",
            since="2.6.2",
        ),
        Claim(
            "epoll-del-before-read-keeps-one-thread-per-connection",
            "Level-triggered with DEL before reading and ADD after it keeps order as well.",
            "epoll_ctl(2) EPOLL_CTL_DEL",
        ),
    ),
)
