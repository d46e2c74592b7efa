"""Three wait, three are written, one wakes.

What it does        Lets three threads block in read(2) on a plain eventfd and writes 3; then the same with a
                    semaphore.
Why it bites        The number written is not the number of readers let go: the first reader takes the sum and resets
                    the counter, so a thread pool signalled this way works with one thread.
What you will see   naive: one read returns 3 and two threads sleep on. right: EFD_SEMAPHORE lets all three go.
References          eventfd(2) read(2), EFD_SEMAPHORE; tinyalsa/tinyalsa#254
"""

from toolkit.ffi.flags import EFD_SEMAPHORE
from toolkit.lab import Case, Claim, Lab
from toolkit.lab.threads import until


def naive(lab: Lab) -> None:
    """A plain counter."""
    jobs = lab.eventfd(0)
    readers = [lab.asleep(jobs.read) for _ in range(3)]
    jobs.write(3)
    until(lambda: any(reader.done for reader in readers), "a reader woke")
    first = [reader.result() for reader in readers if reader.done]
    lab.must(
        "eventfd-counter-one-reader-takes-all",
        expected=[[3], 0],
        observed=[first, jobs.peek()],
        reason="nothing is left for the two that sleep on",
    )
    for _ in range(2):
        jobs.write(1)
        until(lambda: jobs.peek() == 0, "the unit was taken")
    lab.must(
        "eventfd-counter-one-reader-takes-all",
        expected=[1, 1, 3],
        observed=sorted(r.result() for r in readers),
    )


def right(lab: Lab) -> None:
    """A semaphore."""
    jobs = lab.eventfd(0, EFD_SEMAPHORE)
    readers = [lab.asleep(jobs.read) for _ in range(3)]
    jobs.write(3)
    lab.must(
        "eventfd-semaphore-feeds-a-pool", expected=[1, 1, 1], observed=[reader.result() for reader in readers]
    )


CASE = Case(
    variants=(naive, right),
    claims=(
        Claim(
            "eventfd-counter-one-reader-takes-all",
            "Of several blocked readers of a plain eventfd, one takes the whole sum and the others sleep on.",
            "eventfd(2) read(2)",
        ),
        Claim(
            "eventfd-semaphore-feeds-a-pool",
            "With EFD_SEMAPHORE a write of N lets N of the readers go.",
            "eventfd(2) EFD_SEMAPHORE",
            "2.6.30",
        ),
    ),
)
