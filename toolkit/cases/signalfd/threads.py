"""A signal for one thread is for that thread alone, and a shared epoll can lose it.

What it does        Directs a signal at a thread and at the process, with several threads reading, polling, and waiting
                    in one epoll.
Why it bites        "Any thread may read the signalfd" is true for signals sent to the process only. Under a shared
                    epoll the wrong thread's wait looks in its own name, finds nothing, and drops the entry.
What you will see   Only the target thread sees its signal; one of several readers gets a process's; after another
                    thread's wait, the target's own wait stays empty although its poll says readable; two waiters are
                    told of one signal and one of them finds EAGAIN.
References          signalfd(2) Thread semantics; fs/eventpoll.c; fs/signalfd.c signalfd_poll
"""

import os
import signal
import threading

from toolkit.ffi.flags import EPOLLIN, SFD_CLOEXEC, EpollEvents
from toolkit.lab import Case, Claim, Lab
from toolkit.lab.threads import until

_NUMBER = signal.SIGUSR1


def threads(lab: Lab) -> None:
    """Directed, shared, and through epoll."""
    lab.block(_NUMBER)
    _directed(lab)
    _any_reader(lab)
    _stolen_from_epoll(lab)
    _two_waiters(lab)


def _directed(lab: Lab) -> None:
    fd = lab.signalfd(_NUMBER)
    lab.kill_thread(threading.get_ident(), _NUMBER)
    elsewhere = lab.thread(lambda: [lab.poll(fd), lab.outcome(fd.read)]).result()
    lab.must(
        "signalfd-thread-directed-only-target-reads",
        expected=[EpollEvents(0), "EAGAIN", EPOLLIN, 1],
        observed=[*elsewhere, lab.poll(fd), len(lab.records(fd))],
        reason="poll and read in another thread, then poll and records in the target",
    )


def _any_reader(lab: Lab) -> None:
    fd = lab.signalfd(_NUMBER, flags=SFD_CLOEXEC)
    readers = [lab.asleep(fd.read) for _ in range(3)]
    lab.kill(os.getpid(), _NUMBER)
    until(lambda: any(reader.done for reader in readers), "a reader got the signal")
    done = [reader for reader in readers if reader.done]
    lab.must(
        "signalfd-process-directed-any-thread-reads",
        expected=[1, [_NUMBER]],
        observed=[len(done), [info.ssi_signo for info in done[0].result()]],
    )
    for _ in range(2):
        lab.kill(os.getpid(), _NUMBER)
        until(lambda: _NUMBER not in signal.sigpending(), "another reader took the signal")


def _stolen_from_epoll(lab: Lab) -> None:
    epoll, fd = lab.epoll(), lab.signalfd(_NUMBER)
    lab.add(epoll, fd, EPOLLIN)
    lab.kill_thread(threading.get_ident(), _NUMBER)
    elsewhere = lab.thread(lab.ready_count, epoll).result()
    lab.must(
        "signalfd-epoll-thread-directed-foreign-wait-steals",
        expected=[0, 0, EPOLLIN],
        observed=[elsewhere, lab.ready_count(epoll), lab.poll(fd)],
        reason="wait in another thread, wait in the target after it, poll in the target",
    )
    lab.records(fd)


def _two_waiters(lab: Lab) -> None:
    fd = lab.signalfd(_NUMBER)
    epolls = [lab.epoll(), lab.epoll()]
    for epoll in epolls:
        lab.add(epoll, fd, EPOLLIN)
    lab.kill(os.getpid(), _NUMBER)
    told = [lab.ready_count(epoll) for epoll in epolls]
    lab.must(
        "signalfd-epoll-woken-thread-may-find-eagain",
        expected=[1, 1, 1, "EAGAIN"],
        observed=[*told, len(lab.records(fd)), lab.outcome(fd.read)],
        reason="events of both instances, then what the first and the second reader get",
    )


CASE = Case(
    variants=(threads,),
    claims=(
        Claim(
            "signalfd-thread-directed-only-target-reads",
            "A signal directed at a thread is polled and read by that thread only.",
            "signalfd(2) Thread semantics",
        ),
        Claim(
            "signalfd-process-directed-any-thread-reads",
            "A signal directed at the process is read by exactly one of the threads that wait for it.",
            "signalfd(2) Thread semantics",
        ),
        Claim(
            "signalfd-epoll-thread-directed-foreign-wait-steals",
            "Another thread's epoll_wait drops a thread-directed signal's entry from the ready list.",
            "observed; fs/eventpoll.c polls in the caller's context",
        ),
        Claim(
            "signalfd-epoll-woken-thread-may-find-eagain",
            "Two instances are told of one signal; the second reader gets EAGAIN.",
            "signalfd(2) NOTES",
        ),
    ),
)
