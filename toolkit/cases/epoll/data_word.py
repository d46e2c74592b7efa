"""All 64 bits of the data word come back, one entry a registration.

What it does        Registers with data words of every kind, changes them, registers duplicates and second instances,
                    and counts the events for many writes.
Why it bites        data is a union of a pointer, an int and a uint64_t, and whoever fills in `fd` and reads `u64`
                    back reads what was on the stack. struct epoll_event is packed on x86-64 (12 bytes, data at
                    offset 4) and not elsewhere, so a binding that guesses the layout gets the wrong half on one of
                    the two.
What you will see   Each word comes back as it was given. Several conditions of one registration are one event, many
                    writes are one event, a DEL takes back what was queued, and a dup is a registration of its own.
References          epoll_event(3type); epoll_ctl(2); epoll(7) Q2, Q3, Q8; LTP epoll_ctl01, epoll_wait01
"""

import platform

from toolkit.ffi import raw
from toolkit.ffi.flags import EPOLLET, EPOLLIN, EPOLLOUT
from toolkit.lab import Case, Claim, Lab

_WORDS = (0, 1, 2**31, 2**32 - 1, 2**32, 2**63, 2**64 - 1, 0x0123456789ABCDEF)
_PACKED = {"x86_64": (12, 4)}
_NATURAL = (16, 8)
_I386 = (12, 4)


def data(lab: Lab) -> None:
    """Words, layouts, entries."""
    epoll, eventfd = lab.epoll(), lab.eventfd(initial=1)
    seen = []
    lab.add(epoll, eventfd, EPOLLIN, data=_WORDS[0])
    for word in _WORDS:
        lab.modify(epoll, eventfd, EPOLLIN, data=word)
        seen += lab.told(epoll)
    lab.modify(epoll, eventfd, EPOLLOUT, data=7)
    lab.must(
        "epoll-data-u64-opaque-roundtrip",
        expected=[[hex(word) for word in _WORDS], [(7, EPOLLOUT)]],
        observed=[[hex(word) for word in seen], lab.ready(epoll)],
        reason="each word; then MOD of mask and word together",
    )
    machine = platform.machine()
    lab.must(
        "epoll-event-struct-packed-12-bytes-x86-64",
        expected=_I386 if machine in ("i386", "i686") else _PACKED.get(machine, _NATURAL),
        observed=(raw.EPOLL_EVENT_SIZE, raw.EPOLL_EVENT_DATA_OFFSET),
        reason=f"size and offset of data on {machine}, as compiled",
    )
    lab.remove(epoll, eventfd)
    lab.must("epoll-del-drops-queued-event", expected=[], observed=lab.ready(epoll))

    ours, theirs = lab.socketpair()
    lab.add(epoll, ours, EPOLLIN | EPOLLOUT)
    lab.send(theirs, b"x")
    lab.must(
        "epoll-in-out-combined-one-entry",
        expected=[(ours, EPOLLIN | EPOLLOUT)],
        observed=lab.ready(epoll),
    )
    lab.remove(epoll, ours)

    for trigger in (0, int(EPOLLET)):
        reader, writer = lab.pipe()
        lab.add(epoll, reader, EPOLLIN | trigger)
        for _ in range(10):
            lab.write(writer, b"x")
        lab.must(
            "epoll-multiple-events-coalesced",
            expected=[(reader, EPOLLIN)],
            observed=lab.ready(epoll),
            reason=f"ten writes, {'edge' if trigger else 'level'}-triggered",
        )
        lab.remove(epoll, reader)
        second = lab.epoll()
        for instance in (epoll, second):
            lab.add(instance, reader, EPOLLIN | trigger)
        lab.must(
            "epoll-two-instances-both-report",
            expected=[[reader], [reader]],
            observed=[lab.told(epoll), lab.told(second)],
        )
        lab.remove(epoll, reader)

    duplicate = lab.dup(ours)
    lab.add(epoll, ours, EPOLLIN, data=1)
    lab.add(epoll, duplicate, EPOLLOUT, data=2)
    lab.must(
        "epoll-dup-same-instance-two-masks",
        expected=[(1, EPOLLIN), (2, EPOLLOUT)],
        observed=sorted(lab.ready(epoll)),
    )


CASE = Case(
    variants=(data,),
    claims=(
        Claim(
            "epoll-data-u64-opaque-roundtrip",
            "All 64 bits of data come back unchanged, and MOD replaces data and mask together.",
            "epoll_ctl(2); LTP epoll_ctl01",
        ),
        Claim(
            "epoll-event-struct-packed-12-bytes-x86-64",
            "struct epoll_event is packed on x86-64, 12 bytes with data at 4; on other 64-bit machines 16 "
            "and 8.",
            "epoll_event(3type); include/uapi/linux/eventpoll.h EPOLL_PACKED",
        ),
        Claim(
            "epoll-del-drops-queued-event",
            "DEL of a ready descriptor before the wait: nothing is reported.",
            "epoll_ctl(2) EPOLL_CTL_DEL; LTP epoll_ctl01",
        ),
        Claim(
            "epoll-in-out-combined-one-entry",
            "A descriptor that is readable and writable is one entry with both bits.",
            "epoll(7) Q8; LTP epoll_wait01",
        ),
        Claim(
            "epoll-multiple-events-coalesced",
            "Many writes between two waits are one event, edge-triggered ones as well.",
            "epoll(7) Q8",
        ),
        Claim(
            "epoll-two-instances-both-report",
            "A descriptor in two instances is reported by both.",
            "epoll(7) Q3",
        ),
        Claim(
            "epoll-dup-same-instance-two-masks",
            "A descriptor and its dup can be in one instance with different masks, and both report.",
            "epoll(7) Q2",
        ),
    ),
)
