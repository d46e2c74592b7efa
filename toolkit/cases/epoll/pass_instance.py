"""An epoll descriptor sent to another process works there, for files that process does not have.

What it does        Sends an epoll descriptor over an AF_UNIX socket to a child that has none of the registered
                    files; and keeps one open across execve, with and without EPOLL_CLOEXEC.
Why it bites        The instance holds what was registered, not the numbers of the receiver: it reports data words
                    whose meaning only the sender knows. After execve the entries whose descriptors were
                    close-on-exec leave, unless some other process still holds those files.
What you will see   The receiver's wait reports the sender's data word. Without EPOLL_CLOEXEC the new program can
                    wait on the number and finds what is still open; with it the number is free.
References          epoll(7) Q6; epoll_create(2) EPOLL_CLOEXEC; unix(7) SCM_RIGHTS; execve(2)
"""

import errno
import os

from toolkit.ffi.flags import EPOLL_CLOEXEC, EPOLLIN
from toolkit.lab import Case, Claim, Lab, Parent
from toolkit.primitives.epoll import Epoll

_NUMBER = "EVKIT_CASE_EPOLL"
_WAIT_AND_PRINT = f"""
import os, select
try:
    print(select.epoll.fromfd(int(os.environ["{_NUMBER}"])).poll(0))
except OSError as error:
    print(error)
"""


def pass_on(lab: Lab) -> None:
    """Through a socket, and through execve."""
    ours, theirs = lab.socketpair()

    def receiver(parent: Parent) -> None:
        parent.wait()
        [number] = lab.receive_descriptors(theirs)
        parent.report(lab.told(Epoll.adopt(number), 1.0))

    child = lab.fork(receiver)
    epoll, eventfd = lab.epoll(), lab.eventfd(initial=1)
    lab.add(epoll, eventfd, EPOLLIN, data=0xFEED_FACE_CAFE)
    lab.send_descriptors(ours, [epoll.fileno()])
    child.proceed()
    lab.must(
        "epoll-scm-rights-epfd-usable",
        expected=[0xFEED_FACE_CAFE],
        observed=child.expect(),
        reason="forked before the instance and its target were made",
    )
    child.end()
    _through_exec(lab)


def _through_exec(lab: Lab) -> None:
    def make(flags: int) -> None:
        """Runs between fork and execve, so that no other process holds any of it."""
        epoll = lab.epoll(flags)
        lab.add(epoll, lab.eventfd(initial=1, flags=0), EPOLLIN, data=1)
        lab.add(epoll, lab.eventfd(initial=1), EPOLLIN, data=2)
        os.environ[_NUMBER] = str(epoll.fileno())

    lab.must(
        "epoll-exec-without-cloexec-keeps-interest",
        expected=str([(1, int(EPOLLIN))]),
        observed=lab.python(_WAIT_AND_PRINT, before=lambda: make(0)),
        reason="what the new program's wait reports; entry 2 was close-on-exec",
    )
    lab.must(
        "epoll-exec-cloexec-closes-instance",
        expected=str(OSError(errno.EBADF, os.strerror(errno.EBADF))),
        observed=lab.python(_WAIT_AND_PRINT, before=lambda: make(EPOLL_CLOEXEC)),
    )
    epoll = lab.epoll(0)
    lab.add(epoll, lab.eventfd(initial=1), EPOLLIN, data=3)
    os.environ[_NUMBER] = str(epoll.fileno())
    lab.record(
        "epoll-exec-other-process-keeps-entries",
        lab.python(_WAIT_AND_PRINT),
        reason="an entry that is close-on-exec, but whose file the parent of the new program still holds",
    )


CASE = Case(
    variants=(pass_on,),
    claims=(
        Claim(
            "epoll-scm-rights-epfd-usable",
            "An epoll descriptor received over AF_UNIX reports events of files that the receiver does not "
            "have.",
            "epoll(7) Q6; unix(7) SCM_RIGHTS",
        ),
        Claim(
            "epoll-exec-other-process-keeps-entries",
            "After execve, what of an inherited instance is reported while another process holds the files.",
            "epoll(7) Q7; observed",
        ),
        Claim(
            "epoll-exec-without-cloexec-keeps-interest",
            "Without EPOLL_CLOEXEC an instance works after execve, without what was close-on-exec.",
            "epoll_create(2) EPOLL_CLOEXEC; execve(2)",
        ),
        Claim(
            "epoll-exec-cloexec-closes-instance",
            "With EPOLL_CLOEXEC the number is not open in the new program.",
            "epoll_create(2) EPOLL_CLOEXEC",
            since="2.6.27",
        ),
    ),
)
