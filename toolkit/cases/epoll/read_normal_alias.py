"""EPOLLRDNORM is EPOLLIN on sockets and pipes, and nothing at all on an eventfd.

What it does        Registers a readable pipe, socket and eventfd for EPOLLRDNORM alone.
Why it bites        The page calls them equivalent, and for most drivers they are, for those set both bits. An
                    eventfd sets EPOLLIN only, so a wait for EPOLLRDNORM never ends there.
What you will see   EPOLLRDNORM from pipe and socket, silence from the eventfd, though it is readable.
References          poll(2) POLLRDNORM; fs/eventfd.c eventfd_poll
"""

from toolkit.ffi.flags import EPOLLIN, EPOLLRDNORM
from toolkit.lab import Case, Claim, Lab


def alias(lab: Lab) -> None:
    """Three readable descriptors, one question."""
    (reader, writer), (ours, theirs) = lab.pipe(), lab.socketpair()
    lab.write(writer, b"x")
    lab.send(theirs, b"x")
    kinds = {"pipe": reader, "socket": ours, "eventfd": lab.eventfd(initial=1).fileno()}
    seen = {}
    for name, fd in kinds.items():
        epoll = lab.epoll()
        lab.add(epoll, fd, EPOLLRDNORM)
        seen[name] = [[mask for _, mask in lab.ready(epoll)], lab.poll(fd, EPOLLIN)]
    lab.must(
        "epollrdnorm-alias-per-driver",
        expected={
            "pipe": [[EPOLLRDNORM], EPOLLIN],
            "socket": [[EPOLLRDNORM], EPOLLIN],
            "eventfd": [[], EPOLLIN],
        },
        observed=seen,
        reason="what epoll reports for EPOLLRDNORM; what poll(2) says for POLLIN",
    )


CASE = Case(
    variants=(alias,),
    claims=(
        Claim(
            "epollrdnorm-alias-per-driver",
            "EPOLLRDNORM comes from pipes and sockets, never from an eventfd.",
            "poll(2) POLLRDNORM; fs/eventfd.c eventfd_poll",
        ),
    ),
)
