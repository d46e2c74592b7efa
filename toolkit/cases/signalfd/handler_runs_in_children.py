"""A handler installed before fork runs in the children too.

What it does        Installs a handler for SIGTERM that ends "the pool", forks a worker, and sends SIGTERM to the whole
                    process group, as a terminal or a service manager does.
Why it bites        The handler was written for the parent: it kills workers, removes the pid file, closes the log. The
                    child inherited it, and every worker does all of that once more, on its own copy of the state.
What you will see   naive: the handler runs twice, once in a process that has no pool. right: the worker puts the
                    signal back to its default right after fork, the parent's handler runs once, and the worker ends
                    by the signal.
References          fork(2); signal(7) Execution of signal handlers; signalfd(2) Limitations;
                    SerenityOS/serenity#2718; crystal-lang/crystal#6426; swiftlang/swift-subprocess#50
"""

import os
import signal

from toolkit.ffi import tracing
from toolkit.lab import Case, Claim, Lab, Parent
from toolkit.lab.threads import until

_NUMBER = signal.SIGTERM


def naive(lab: Lab) -> None:
    """Fork, and let the child be."""
    handled = lab.count_handled(_NUMBER)

    def work(parent: Parent) -> None:
        parent.report("working")
        until(lambda: bool(handled), "the handler ran")
        parent.report(os.getpid())

    worker = lab.fork(work)
    worker.expect()
    os.killpg(os.getpgrp(), _NUMBER)
    until(lambda: bool(handled), "the handler ran")
    lab.must(
        "signal-handler-inherited-over-fork",
        expected=[[_NUMBER], worker.pid],
        observed=[handled, worker.expect()],
        reason="handled in the parent, and the process in which it ran as well",
    )


def right(lab: Lab) -> None:
    """The child forgets the parent's handler first."""
    handled = lab.count_handled(_NUMBER)
    lab.block(_NUMBER)

    def work(parent: Parent) -> None:
        signal.signal(_NUMBER, signal.SIG_DFL)
        tracing.emit("rt_sigaction", "SIGTERM, {sa_handler=SIG_DFL}, NULL, 8", 0)
        lab.unblock(_NUMBER)
        parent.report("working")
        parent.wait(within=30)

    worker = lab.fork(work)
    lab.unblock(_NUMBER)
    worker.expect()
    os.killpg(os.getpgrp(), _NUMBER)
    until(lambda: bool(handled), "the handler ran")
    lab.must(
        "signal-handler-reset-after-fork",
        expected=[[_NUMBER], -_NUMBER],
        observed=[handled, worker.end()],
        reason="handled in the parent, and how the worker ended",
    )


CASE = Case(
    variants=(naive, right),
    claims=(
        Claim(
            "signal-handler-inherited-over-fork",
            "A child has its parent's handlers, and a signal to the group runs them in both.",
            "fork(2); signal(7)",
        ),
        Claim(
            "signal-handler-reset-after-fork",
            "A child that resets the signal before unblocking it ends by it, and the handler runs in the parent only.",
            "fork(2); signal(2)",
        ),
    ),
)
