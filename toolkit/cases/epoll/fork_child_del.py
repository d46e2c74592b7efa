"""A child tidies up after fork, and the parent stops hearing from its descriptor.

What it does        Registers a pipe, forks, and lets the child clean up what it inherited; then the pipe is written.
Why it bites        The epoll descriptor that a child inherits is the parent's instance, not a copy of it: there is
                    one interest list, and EPOLL_CTL_DEL in any process edits it for all. A library's "close all my
                    sources" run in a worker deafens the daemon that forked it.
What you will see   naive: after the child's DEL the parent waits in vain although the pipe has data. right: the
                    child only closes its copy of the epoll descriptor, and the parent's event comes.
References          epoll(7) Q7; fork(2); systemd/systemd#72; OpenSmalltalk/opensmalltalk-vm#550 and #552
"""

from toolkit.ffi.flags import EPOLLIN
from toolkit.lab import Case, Claim, Lab, Parent


def naive(lab: Lab) -> None:
    """The child removes what it inherited from the inherited epoll."""
    epoll, (reader, writer) = lab.epoll(), lab.pipe()
    lab.add(epoll, reader, EPOLLIN)

    def clean_up(parent: Parent) -> None:
        parent.report(lab.outcome(lab.remove, epoll, reader))

    child = lab.fork(clean_up)
    removed = child.expect()
    child.end()
    lab.write(writer, b"hello")
    lab.must(
        "epoll-fork-child-del-affects-parent",
        expected=["ok", [], "EPOLLIN"],
        observed=[removed, lab.told(epoll), lab.poll(reader)],
        reason="the child's DEL; the parent's wait; what poll(2) says of the pipe",
    )


def right(lab: Lab) -> None:
    """The child closes its descriptors and leaves the interest list alone."""
    epoll, (reader, writer) = lab.epoll(), lab.pipe()
    lab.add(epoll, reader, EPOLLIN)

    def leave(parent: Parent) -> None:
        lab.close(epoll)
        lab.close(reader)
        parent.report("closed")

    child = lab.fork(leave)
    child.expect()
    child.end()
    lab.write(writer, b"hello")
    lab.must("epoll-fork-child-close-is-harmless", expected=[reader], observed=lab.told(epoll))


CASE = Case(
    variants=(naive, right),
    claims=(
        Claim(
            "epoll-fork-child-del-affects-parent",
            "EPOLL_CTL_DEL by a forked child removes the registration of the parent, too: they share the "
            "instance.",
            "epoll(7); fork(2); observed",
        ),
        Claim(
            "epoll-fork-child-close-is-harmless",
            "A child that closes the inherited epoll and target descriptors takes nothing from the parent.",
            "epoll(7) Q7; fork(2)",
        ),
    ),
)
