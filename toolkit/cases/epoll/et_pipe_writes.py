"""Every write to a pipe is an edge, also when nobody has read what was there.

What it does        Writes to a pipe three times without reading, edge-triggered, and waits after each write.
Why it bites        Linux 5.5 woke readers only when the pipe had been empty: a notify pipe that is never drained, as
                    many Android libraries have one, told of the first write and then of none. It was put back in
                    5.14 and in stable kernels, "so don't break user space", though the page never promised it.
What you will see   An event after each write, none after none. With 0 events after the second write the kernel is
                    one of 5.5 to 5.13.
References          epoll(7) Q9; torvalds/linux commits 1b6b26ae7053 and 3a34b13a88ca; LWN 864947
"""

from toolkit.ffi.flags import EPOLLET, EPOLLIN
from toolkit.lab import Case, Claim, Lab

_WRITES = 3


def writes(lab: Lab) -> None:
    """Write, wait; write, wait; ..."""
    epoll, (reader, writer) = lab.epoll(), lab.pipe()
    lab.add(epoll, reader, EPOLLIN | EPOLLET)
    events = []
    for _ in range(_WRITES):
        lab.write(writer, b"x")
        events.append(lab.ready_count(epoll))
    events.append(lab.ready_count(epoll))
    lab.must(
        "epoll-et-every-pipe-write-is-an-edge",
        expected=[1] * _WRITES + [0],
        observed=events,
        reason="events after each write, and after none",
    )


CASE = Case(
    variants=(writes,),
    claims=(
        Claim(
            "epoll-et-every-pipe-write-is-an-edge",
            "Edge-triggered: each write to a pipe is an event, though older data is unread.",
            "fs/pipe.c pipe_write; observed (not on Linux 5.5 to 5.13)",
        ),
    ),
)
