"""select() ends at descriptor 1023; epoll does not.

What it does        Gives a pipe a number above 1023 and asks select(), poll() and epoll about it.
Why it bites        An fd_set is 1,024 bits. FD_SET of a larger number writes beyond it, which is undefined in C: it
                    smashes whatever lies behind, or "buffer overflow detected". It happens to the library that still
                    uses select(), in the program that has many files open, on a busy day.
What you will see   naive: select() is refused by Python, where C would write past the set. right: epoll and poll(2)
                    report it.
References          select(2) BUGS; weechat/weechat#465; quickfix/quickfix#45; quickjs-ng/quickjs#1096;
                    dmtcp/dmtcp#389
"""

import resource
import select

from toolkit.ffi.flags import EPOLLIN
from toolkit.lab import Case, Claim, Lab
from toolkit.lab.limits import limited

_SETSIZE = 1024
_NUMBER = 1500


def _high_number(lab: Lab) -> int:
    if resource.getrlimit(resource.RLIMIT_NOFILE)[1] <= _NUMBER:
        lab.skip_rest(f"needs a hard RLIMIT_NOFILE above {_NUMBER}")
    reader, writer = lab.pipe()
    lab.write(writer, b"x")
    with limited(resource.RLIMIT_NOFILE, _NUMBER + 1):
        return lab.dup2(reader, _NUMBER)


def naive(lab: Lab) -> None:
    """select()."""
    number = _high_number(lab)
    try:
        select.select([number], [], [], 0)
        refused = ""
    except ValueError as error:
        refused = str(error)
    lab.must(
        "select-limited-to-1024",
        expected="refused",
        observed=refused,
        holds="out of range" in refused,
        reason=f"descriptor {number}, FD_SETSIZE {_SETSIZE}",
    )


def right(lab: Lab) -> None:
    """epoll."""
    epoll, number = lab.epoll(), _high_number(lab)
    lab.add(epoll, number, EPOLLIN)
    lab.must(
        "epoll-takes-numbers-above-1023",
        expected=[[number], "EPOLLIN"],
        observed=[lab.told(epoll), lab.poll(number)],
        reason="epoll, poll(2)",
    )


CASE = Case(
    variants=(naive, right),
    claims=(
        Claim(
            "select-limited-to-1024",
            "The C library's fd_set ends at descriptor 1023, so its select() cannot be asked about a higher one.",
            "select(2) BUGS",
        ),
        Claim(
            "epoll-takes-numbers-above-1023",
            "epoll and poll(2) take any descriptor number.",
            "poll(2); epoll_ctl(2)",
        ),
    ),
)
