"""Which open file an epoll entry really means: kcmp(2) tells, the number does not.

What it does        Registers a pipe, closes the number while a dup lives, lets a socket take the number and
                    registers that too; then asks kcmp(KCMP_EPOLL_TFD) about both entries of that number.
Why it bites        The tfd in fdinfo is the number at the time of ADD. Whoever lists "what does this epoll watch" by
                    looking the number up in /proc/PID/fd tells lies about every entry whose number was reused.
What you will see   0 ("the same file") for the entry's own file under the right toff, something else for the other,
                    and ENOENT for a number that is not registered.
References          kcmp(2) KCMP_EPOLL_TFD; epoll(7) NOTES
"""

from toolkit.ffi.flags import EPOLLIN
from toolkit.lab import Case, Claim, Lab
from toolkit.primitives.epoll import Epoll


def registered_file(lab: Lab) -> None:
    """One entry, then two of one number."""
    epoll, (reader, writer) = lab.epoll(), lab.pipe()
    lab.add(epoll, reader, EPOLLIN)
    lab.must(
        "epoll-kcmp-tfd-probe",
        expected=["the same", "another", "ENOENT"],
        observed=[
            lab.attempt(_compare, lab, epoll, fd, tfd, 0)
            for fd, tfd in ((reader, reader), (writer, reader), (reader, writer))
        ],
        reason="its own file; the other end of the pipe; a number that is not registered",
    )
    kept = lab.dup(reader)
    number = lab.close(reader)
    newcomer, _peer = lab.socketpair()
    lab.add(epoll, newcomer, EPOLLIN)
    verdicts = {
        name: sorted(lab.attempt(_compare, lab, epoll, fd, number, toff) for toff in (0, 1))
        for name, fd in (("the orphan's file", kept), ("the newcomer", newcomer))
    }
    lab.must(
        "epoll-kcmp-toff-tells-reused-numbers-apart",
        expected=[newcomer, {name: ["another", "the same"] for name in verdicts}],
        observed=[number, verdicts],
        reason="the number; for each file, the answers for the two entries of that number",
    )


def _compare(lab: Lab, epoll: Epoll, fd: int, tfd: int, toff: int) -> str:
    return "the same" if lab.is_registered(epoll, fd, tfd, toff) else "another"


CASE = Case(
    variants=(registered_file,),
    claims=(
        Claim(
            "epoll-kcmp-tfd-probe",
            "kcmp(KCMP_EPOLL_TFD) is 0 when a descriptor is the file registered under a number, ENOENT "
            "when none is.",
            "kcmp(2) KCMP_EPOLL_TFD; epoll(7) NOTES",
            since="4.13",
        ),
        Claim(
            "epoll-kcmp-toff-tells-reused-numbers-apart",
            "With two entries of one number, toff says which is compared.",
            "kcmp(2) KCMP_EPOLL_TFD",
            since="4.13",
        ),
    ),
    needs=("kcmp_epoll_tfd",),
)
