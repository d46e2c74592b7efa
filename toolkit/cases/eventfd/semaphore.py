"""With EFD_SEMAPHORE every read takes one, however much was written.

What it does        Writes 3 and 5 to semaphore eventfds and reads until nothing is left; then lets four threads wait
                    for a write of 3.
Why it bites        Without the flag the first reader takes everything and the others sleep on: a pool fed through a
                    plain eventfd starts one worker for three jobs. Runtimes that emulate eventfd returned the whole
                    count here, so tokens were lost.
What you will see   1, 1, 1 and EAGAIN; three of four sleepers wake, and the fourth stays until one more is written.
References          eventfd(2) EFD_SEMAPHORE; wasmerio/wasmer#6145; anuragsoni/poll#16
"""

from toolkit.ffi.flags import EFD_NONBLOCK, EFD_SEMAPHORE, EPOLLIN
from toolkit.lab import Case, Claim, Lab
from toolkit.lab.threads import until


def semaphore(lab: Lab) -> None:
    """Units, readiness and sleepers."""
    three = lab.eventfd(0, EFD_SEMAPHORE | EFD_NONBLOCK)
    three.write(3)
    taken = [lab.attempt(three.read) for _ in range(4)]
    lab.must(
        "eventfd-semaphore-decrements-by-one",
        expected=[1, 1, 1, "EAGAIN"],
        observed=taken,
    )
    epoll, two = lab.epoll(), lab.eventfd(2, EFD_SEMAPHORE | EFD_NONBLOCK)
    lab.add(epoll, two, EPOLLIN)
    two.read()
    still = [events for _, events in lab.ready(epoll)]
    lab.attempt(two.read)
    lab.must("eventfd-semaphore-stays-readable", expected=[[EPOLLIN], []], observed=[still, lab.ready(epoll)])
    _four_sleepers(lab)


def _four_sleepers(lab: Lab) -> None:
    tokens = lab.eventfd(0, EFD_SEMAPHORE)
    sleepers = [lab.asleep(tokens.read) for _ in range(4)]
    tokens.write(3)
    until(lambda: sum(sleeper.done for sleeper in sleepers) >= 3, "three of four readers woke")
    left = [sleeper for sleeper in sleepers if not sleeper.done]
    lab.must(
        "eventfd-semaphore-write-n-releases-n-readers",
        expected=[3, 0],
        observed=[4 - len(left), tokens.peek()],
        reason="one reader sleeps on, and no token is left for it",
    )
    tokens.write(1)
    lab.must(
        "eventfd-semaphore-write-n-releases-n-readers",
        expected=[1, 1, 1, 1],
        observed=[sleeper.result() for sleeper in sleepers],
    )


CASE = Case(
    variants=(semaphore,),
    claims=(
        Claim(
            "eventfd-semaphore-decrements-by-one",
            "A read of a semaphore returns 1 and leaves the rest; at 0 it is EAGAIN.",
            "eventfd(2) EFD_SEMAPHORE",
            "2.6.30",
        ),
        Claim(
            "eventfd-semaphore-stays-readable",
            "A semaphore stays readable while units are left.",
            "eventfd(2) EFD_SEMAPHORE",
            "2.6.30",
        ),
        Claim(
            "eventfd-semaphore-write-n-releases-n-readers",
            "A write of N lets exactly N blocked readers go, each with 1.",
            "eventfd(2) EFD_SEMAPHORE",
            "2.6.30",
        ),
    ),
)
