"""EPOLL_CTL_MOD of something that is already ready wakes the waiter, every time.

What it does        An eventfd is made readable once and never read. One thread waits for it, edge-triggered; another
                    re-arms it with EPOLL_CTL_MOD whenever the event was taken: a wake-up without a write.
Why it bites        Boost.Asio interrupts its loop this way. It is right: MOD looks at the target anew, and what it
                    finds ready counts as an edge. A race in Linux 5.3 and 5.4 lost such a wake now and then, and
                    posted handlers ran late, on those kernels only.
What you will see   Hundreds of rounds in which MOD races with the waiter's way back to sleep, none of them missed.
References          epoll(7) Q9; bugzilla.kernel.org 205933; kselftest epoll_wakeup_test epoll59;
                    chriskohlhoff/asio#452; boostorg/asio#320
"""

from toolkit.ffi.flags import EPOLLET, EPOLLIN
from toolkit.lab import Case, Claim, Lab, Mailbox

_ROUNDS = 500


def rearm(lab: Lab) -> None:
    """Single-threaded first, then the race."""
    epoll, eventfd = lab.epoll(), lab.eventfd(initial=1)
    lab.add(epoll, eventfd, EPOLLIN | EPOLLET)
    first, second = lab.told(epoll), lab.told(epoll)
    lab.modify(epoll, eventfd, EPOLLIN | EPOLLET)
    number = eventfd.fileno()
    lab.must(
        "epoll-et-mod-rearms",
        expected=[[number], [], [number]],
        observed=[first, second, lab.told(epoll)],
        reason="after ADD, after the event was taken, after MOD with the same mask",
    )
    taken = Mailbox()

    def wait_again_and_again() -> None:
        for _ in range(_ROUNDS):
            taken.put(bool(lab.wait(epoll, within=2.0)))

    waiter = lab.asleep(wait_again_and_again)
    missed = 0
    for _ in range(_ROUNDS):
        lab.modify(epoll, eventfd, EPOLLIN | EPOLLET)
        missed += not taken.take()
        if missed:
            break
    lab.must(
        "epoll-mod-rearm-race-no-lost-et-event",
        expected=0,
        observed=missed,
        reason=f"of {_ROUNDS} rounds, each given 2 s",
    )
    if not missed:
        waiter.result()


CASE = Case(
    variants=(rearm,),
    claims=(
        Claim(
            "epoll-et-mod-rearms",
            "Edge-triggered: MOD with the same mask reports a descriptor that is still ready once more.",
            "epoll(7) Q9",
        ),
        Claim(
            "epoll-mod-rearm-race-no-lost-et-event",
            "MOD as a wake-up from another thread is never lost, however it meets the waiter's return to "
            "sleep.",
            "kselftest epoll_wakeup_test epoll59; bugzilla.kernel.org 205933 (Linux 5.3 and 5.4)",
        ),
    ),
)
