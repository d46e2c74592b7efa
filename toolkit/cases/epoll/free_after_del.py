"""After EPOLL_CTL_DEL an event may already be on its way: free the object later.

What it does        A thread returns from epoll_wait with a data word in hand. Before it looks at it, another thread
                    removes that entry and frees the object which the word names.
Why it bites        DEL promises that no wait which *starts* afterwards reports the entry. It cannot call back what a
                    wait has copied to user space. With a pointer in the data word that is a use after free, once in
                    a million connections; with a table it is a lookup of somebody who is gone.
What you will see   naive: DEL has returned, a new wait is silent, and the other thread uses the freed object. right:
                    the object goes to a list of the retired and is freed when every waiting thread has come round
                    once.
References          epoll(7) "Possible pitfalls and ways to avoid them", event caching; amule-org/amule#1136;
                    wxWidgets/wxWidgets#26924; mitchellh/libxev#239
"""

from toolkit.ffi.flags import EPOLLIN
from toolkit.lab import Case, Claim, Lab, Mailbox
from toolkit.primitives.epoll import Epoll

_KEY = 0xC0FFEE


class _Table:
    """Objects by data word, and which uses hit a freed one."""

    def __init__(self) -> None:
        self.alive: dict[int, str] = {_KEY: "connection"}
        self.uses: list[str] = []

    def use(self, key: int) -> None:
        self.uses.append(self.alive.get(key, "freed"))


def _turn(lab: Lab, epoll: Epoll, table: _Table, in_hand: Mailbox, gate: Mailbox) -> None:
    """One turn of the loop, held between the wait and the use."""
    events = lab.told(epoll, 5.0)
    in_hand.put(events)
    gate.take()
    for key in events:
        table.use(key)


def naive(lab: Lab) -> None:
    """DEL, free."""
    epoll, eventfd, table = lab.epoll(), lab.eventfd(), _Table()
    lab.add(epoll, eventfd, EPOLLIN, data=_KEY)
    in_hand, gate = Mailbox(), Mailbox()
    loop = lab.asleep(_turn, lab, epoll, table, in_hand, gate)
    eventfd.write(1)
    held = in_hand.take()
    removed = lab.outcome(lab.remove, epoll, eventfd)
    del table.alive[_KEY]
    later = lab.told(epoll)
    gate.put("go")
    loop.result()
    lab.must(
        "epoll-del-ends-reports-of-later-waits",
        expected=["ok", []],
        observed=[removed, later],
        reason="a wait that starts after DEL has returned",
    )
    lab.must(
        "epoll-del-does-not-recall-what-was-returned",
        expected=[[_KEY], ["freed"]],
        observed=[held, table.uses],
        reason="the data word in the other thread's hand; what it found under it",
    )


def right(lab: Lab) -> None:
    """DEL, retire; free once the waiting thread has come round."""
    epoll, eventfd, table = lab.epoll(), lab.eventfd(), _Table()
    wake = lab.eventfd()
    lab.add(epoll, eventfd, EPOLLIN, data=_KEY)
    in_hand, gate = Mailbox(), Mailbox()
    loop = lab.asleep(_turn, lab, epoll, table, in_hand, gate)
    eventfd.write(1)
    in_hand.take()
    lab.remove(epoll, eventfd)
    retired = [_KEY]
    gate.put("go")
    loop.result()
    lab.add(epoll, wake, EPOLLIN, data=0)
    came_round = lab.asleep(lab.told, epoll, 5.0)
    wake.write(1)
    if came_round.result() == [0]:
        for key in retired:
            del table.alive[key]
    lab.must(
        "epoll-deferred-free-is-safe",
        expected=[["connection"], {}],
        observed=[table.uses, table.alive],
        reason="what the late use found; what is left at the end",
    )


CASE = Case(
    variants=(naive, right),
    claims=(
        Claim(
            "epoll-del-ends-reports-of-later-waits",
            "No wait that starts after EPOLL_CTL_DEL has returned reports the entry.",
            "epoll_ctl(2) EPOLL_CTL_DEL; fs/eventpoll.c ep_remove",
        ),
        Claim(
            "epoll-del-does-not-recall-what-was-returned",
            "A wait that returned before EPOLL_CTL_DEL still holds the entry's data word.",
            "epoll(7) Possible pitfalls, event caching",
        ),
        Claim(
            "epoll-deferred-free-is-safe",
            "An object freed after each waiting thread has come round is not found freed by any of them.",
            "epoll(7) Possible pitfalls, event caching",
        ),
    ),
)
