"""However many write and read at once, nothing is lost and nothing counted twice.

What it does        Four threads write 500 numbers each while two threads read until all is there.
Why it bites        A wake-up counter that loses one in a million makes a service hang once a week.
What you will see   The sum of what was read plus what is left equals the sum of what was written, to the unit.
References          eventfd(2) DESCRIPTION; stress-ng's eventfd stressor
"""

from toolkit.lab import Case, Claim, Lab
from toolkit.primitives.eventfd import EventFd

_WRITERS = 4
_WRITES = 500
_END = 1 << 40


def sum_conserved(lab: Lab) -> None:
    """Contention on one counter."""
    counter = lab.eventfd(0)
    amounts = [[lab.random.randrange(1, 1000) for _ in range(_WRITES)] for _ in range(_WRITERS)]
    readers = [lab.thread(_read_until_the_end, counter) for _ in range(2)]
    writers = [lab.thread(_write_all, counter, part) for part in amounts]
    for writer in writers:
        writer.result(within=8)
    for _ in readers:
        counter.write(_END)
    total = sum(reader.result(within=8) for reader in readers)
    ends = total // _END
    lab.must(
        "eventfd-sum-conserved-under-contention",
        expected=[sum(map(sum, amounts)), len(readers)],
        observed=[total % _END + counter.peek() % _END, ends + counter.peek() // _END],
        reason="sum of all numbers, and how many end marks came through",
    )


def _write_all(counter: EventFd, amounts: list[int]) -> None:
    for amount in amounts:
        counter.write(amount)


def _read_until_the_end(counter: EventFd) -> int:
    """Everything up to an end mark; end marks taken too many are passed on."""
    total = 0
    while True:
        total += counter.read()
        marks = total // _END
        if marks:
            if marks > 1:
                counter.write((marks - 1) * _END)
                total -= (marks - 1) * _END
            return total


CASE = Case(
    variants=(sum_conserved,),
    claims=(
        Claim(
            "eventfd-sum-conserved-under-contention",
            "With several writers and readers at once, the sum read and left equals the sum written.",
            "eventfd(2) DESCRIPTION",
        ),
    ),
)
