"""Two processes take turns through two semaphores.

What it does        Parent and child hand each other 1 unit and then 5 through two semaphore eventfds, each side
                    taking unit by unit.
Why it bites        A count taken at once, or a unit lost over fork, leaves both sides asleep: the classic dead-lock of
                    hand-made semaphores.
What you will see   Both sides take exactly 6 units and end.
References          eventfd(2) EFD_SEMAPHORE; LTP eventfd2_03
"""

from toolkit.ffi.flags import EFD_SEMAPHORE
from toolkit.lab import Case, Claim, Lab, Parent


def semaphore_pingpong(lab: Lab) -> None:
    """1, then 5."""
    ping, pong = lab.eventfd(0, EFD_SEMAPHORE), lab.eventfd(0, EFD_SEMAPHORE)

    def answer(parent: Parent) -> None:
        taken = 0
        for count in (1, 5):
            taken += sum(ping.read() for _ in range(count))
            pong.write(count)
        parent.report(taken)

    child = lab.fork(answer)
    taken = 0
    for count in (1, 5):
        ping.write(count)
        taken += sum(pong.read() for _ in range(count))
    lab.must(
        "eventfd-semaphore-pingpong-two-processes",
        expected=[6, 6, 0, 0],
        observed=[taken, child.expect(), ping.peek(), pong.peek()],
    )
    child.end()


CASE = Case(
    variants=(semaphore_pingpong,),
    claims=(
        Claim(
            "eventfd-semaphore-pingpong-two-processes",
            "Two processes hand units to each other through semaphores without losing one.",
            "LTP eventfd2_03",
            "2.6.30",
        ),
    ),
)
