"""close() does not wake who is reading.

What it does        Closes an eventfd in one thread while another is blocked reading it.
Why it bites        A shutdown path that closes the wake-up descriptor and joins the thread waits for ever: the sleeper
                    holds its own reference to the open file, and nobody can reach the counter any more by that number.
What you will see   naive: after close the reader still sleeps; only a write through a duplicate lets it go.
                    right: write first, join, then close.
References          close(2) Multithreaded processes and close(); netty/netty#9476
"""

from toolkit.lab import Case, Claim, Lab
from toolkit.lab.checks import DeadlineError


def naive(lab: Lab) -> None:
    """Close, then wonder."""
    counter = lab.eventfd(0)
    duplicate = lab.dup(counter)
    reader = lab.asleep(lab.read, counter.fileno(), 8)
    counter.close()
    try:
        outcome = str(reader.result(within=0.02))
    except DeadlineError:
        outcome = "still blocked"
    lab.must("eventfd-close-while-reader-blocked", expected="still blocked", observed=outcome)
    lab.write(duplicate, b"\1" * 8)
    lab.must("eventfd-close-while-reader-blocked", expected=b"\1" * 8, observed=reader.result())


def right(lab: Lab) -> None:
    """Wake it, join it, close it."""
    counter = lab.eventfd(0)
    reader = lab.asleep(counter.read)
    counter.write(1)
    lab.must("eventfd-write-then-close", expected=1, observed=reader.result())
    lab.close(counter)


CASE = Case(
    variants=(naive, right),
    claims=(
        Claim(
            "eventfd-close-while-reader-blocked",
            "Closing an eventfd does not wake a thread that is blocked reading it.",
            "close(2) Multithreaded processes and close()",
        ),
        Claim(
            "eventfd-write-then-close",
            "A write lets the blocked reader go before the close.",
            "eventfd(2) read(2)",
        ),
    ),
)
