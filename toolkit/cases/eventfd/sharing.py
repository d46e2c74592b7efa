"""One counter for everybody who holds it, and nobody is told when the others go.

What it does        Writes in a forked child and in a process that got the descriptor over a socket, and reads in the
                    parent; then lets every other holder go while one still reads.
Why it bites        An eventfd has no two ends. A pipe tells its reader when the last writer is gone; an eventfd says
                    nothing, so a supervisor waiting for a worker that died waits for ever.
What you will see   The very value that the other process wrote; and, once the last other holder is gone, a read that
                    still blocks and no HUP.
References          eventfd(2) DESCRIPTION, NOTES; unix(7) SCM_RIGHTS
"""

import signal

from toolkit.ffi.flags import EFD_NONBLOCK, EPOLLIN, EpollEvents, EventFdFlags
from toolkit.lab import Case, Claim, Lab, Parent
from toolkit.lab.checks import DeadlineError

_PATTERN = 0xDEADBEEF


def sharing(lab: Lab) -> None:
    """fork, SCM_RIGHTS, and the end of the others."""
    counter = lab.eventfd(0, EFD_NONBLOCK)
    lab.fork(lambda _parent: counter.write(_PATTERN)).end()
    lab.must("eventfd-fork-shares-counter", expected=_PATTERN, observed=lab.attempt(counter.read))

    ours, theirs = lab.socketpair()

    def write_to_what_arrives(_parent: Parent) -> None:
        counter.close()
        [received] = lab.receive_descriptors(theirs)
        lab.write(received, b"\x07" * 8)

    receiver = lab.fork(write_to_what_arrives)
    lab.send_descriptors(ours, [counter.fileno()])
    receiver.end()
    lab.must(
        "eventfd-scm-rights-shares-counter", expected=0x0707070707070707, observed=lab.attempt(counter.read)
    )
    _no_hangup(lab)


def _no_hangup(lab: Lab) -> None:
    counter = lab.eventfd(0, EventFdFlags(0))

    def hold(parent: Parent) -> None:
        parent.report("holding")
        parent.wait()

    holder = lab.fork(hold)
    holder.expect()
    reader = lab.asleep(counter.read)
    holder.kill(signal.SIGKILL)
    holder.end()
    try:
        outcome = str(reader.result(within=0.02))
    except DeadlineError:
        outcome = "still blocked"
    lab.must(
        "eventfd-no-hangup-when-peer-gone",
        expected=["still blocked", EpollEvents(0)],
        observed=[outcome, lab.poll(counter, EPOLLIN)],
    )
    counter.write(1)
    reader.result()


CASE = Case(
    variants=(sharing,),
    claims=(
        Claim(
            "eventfd-fork-shares-counter",
            "A forked child writes to its parent's counter.",
            "eventfd(2) DESCRIPTION",
        ),
        Claim(
            "eventfd-scm-rights-shares-counter",
            "An eventfd passed over a socket is the same counter on the other side.",
            "unix(7) SCM_RIGHTS",
        ),
        Claim(
            "eventfd-no-hangup-when-peer-gone",
            "When every other holder is gone, a reader gets neither end of file nor HUP.",
            "observed; eventfd(2) knows no peer",
        ),
    ),
)
