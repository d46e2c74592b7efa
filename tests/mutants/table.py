"""The mutants: what each breaks, and the checks that must notice."""

from dataclasses import dataclass

ELSEWHERE = "eventfd/counter"
"""Has nothing to do with epoll or signals: the control of their mutants."""
SIGNALS = "signalfd/reading"
"""The control of the mutants of eventfd."""


@dataclass(frozen=True)
class Mutant:
    """One broken promise.

    Attributes:
        name: as the interposer's C code asks for it.
        breaks: what a kernel like this would do.
        killers: checks (`case#claim`) that must be `fail`, or cases that must be `timeout`.
        control: a case that must still pass.
    """

    name: str
    breaks: str
    killers: tuple[str, ...]
    control: str = ELSEWHERE


def _epoll(name: str, breaks: str, *killers: str) -> Mutant:
    return Mutant(name, breaks, tuple(f"epoll/{killer}" for killer in killers))


def _eventfd(name: str, breaks: str, *killers: str) -> Mutant:
    return Mutant(name, breaks, tuple(f"eventfd/{killer}" for killer in killers), SIGNALS)


def _signalfd(name: str, breaks: str, *killers: str) -> Mutant:
    return Mutant(name, breaks, tuple(f"signalfd/{killer}" for killer in killers))


MUTANTS = (
    _epoll("bad-epfd-accepted", "waits on what is no epoll", "wait-arguments#epoll-wait-not-epoll-einval"),
    _epoll(
        "bad-event-accepted", "takes an event from a bad address", "ctl-errors#epoll-ctl-null-event-efault"
    ),
    _epoll(
        "closed-target-accepted",
        "says nothing of a closed target",
        "dup-close-stale#epoll-orphan-cannot-be-deleted-by-number",
    ),
    _epoll("data-32-bits", "cuts the data word", "data-word#epoll-data-u64-opaque-roundtrip"),
    _epoll("del-does-nothing", "keeps what is deleted", "double-tfd#epoll-del-before-close-number-once"),
    _epoll(
        "del-of-unknown-accepted", "deletes what is not there", "ctl-errors#epoll-del-unregistered-enoent"
    ),
    _epoll("eintr-hidden", "turns EINTR into nothing ready", "interrupted-wait#epoll-wait-signal-eintr"),
    _epoll(
        "epoll-bad-flags-accepted", "takes unknown flags", "create-arguments#epoll-create1-bad-flags-einval"
    ),
    _epoll("epoll-cloexec-lost", "forgets EPOLL_CLOEXEC", "create-arguments#epoll-create1-cloexec-flag"),
    _epoll(
        "epoll-size-zero-accepted",
        "takes a size of 0",
        "create-arguments#epoll-create-size-nonpositive-einval",
    ),
    _epoll("err-hidden", "never reports EPOLLERR", "connect-refused-mask#epoll-connect-refused-out-err-hup"),
    _epoll("et-as-lt", "ignores EPOLLET", "et-partial-read#epoll-et-partial-read-stalls"),
    _epoll(
        "exclusive-ignored", "ignores EPOLLEXCLUSIVE", "exclusive-einval#epollexclusive-epoll-target-einval"
    ),
    _epoll(
        "exclusive-mod-accepted",
        "modifies an exclusive entry",
        "exclusive-einval#epollexclusive-mod-einval",
    ),
    _epoll("hup-hidden", "reports EPOLLHUP to nobody", "pollhup-mask-zero#epoll-mask-zero-still-reports-hup"),
    _epoll("last-event-lost", "drops the last event of a batch", "fd-reuse#epoll-generation-in-data-word"),
    _epoll("loop-accepted", "lets epolls watch each other", "nesting#epoll-two-instance-cycle-eloop"),
    _epoll(
        "lt-as-et",
        "makes everything edge-triggered",
        "accept-emfile-spin#epoll-accept-emfile-keeps-listener-ready",
    ),
    _epoll(
        "maxevents-zero-accepted",
        "takes maxevents 0",
        "wait-arguments#epoll-wait-maxevents-nonpositive-einval",
    ),
    _epoll("mod-does-nothing", "ignores EPOLL_CTL_MOD", "dup2-replace#epoll-mod-after-dup2-enoent"),
    _epoll(
        "mod-of-unknown-accepted", "modifies what is not there", "dup2-replace#epoll-mod-after-dup2-enoent"
    ),
    _epoll("one-event-too-many", "reports an event twice", "data-word#epoll-in-out-combined-one-entry"),
    _epoll("oneshot-ignored", "ignores EPOLLONESHOT", "oneshot-forgotten#epolloneshot-disables-after-one"),
    _epoll(
        "out-hidden-with-in", "never reports both directions", "data-word#epoll-in-out-combined-one-entry"
    ),
    _epoll("pri-never-asked", "forgets EPOLLPRI", "tcp-close-masks#epollpri-tcp-oob"),
    _epoll("pwait-mask-ignored", "waits with the thread's own mask", "pwait-mask"),
    _epoll("pwait2-mask-ignored", "does so in epoll_pwait2", "pwait-mask"),
    _epoll("pwait2-timeout-ignored", "waits for ever instead", "timeout-floor"),
    _epoll("rdhup-never-asked", "forgets EPOLLRDHUP", "rdhup-drops-tail#epollrdhup-comes-with-the-last-data"),
    _epoll(
        "regular-file-accepted", "takes a regular file", "regular-file-eperm#epoll-add-regular-file-eperm"
    ),
    _epoll("second-add-accepted", "adds the same twice", "ctl-errors#epoll-add-twice-eexist"),
    _epoll(
        "timeout-halved",
        "returns after half the timeout",
        "wait-timeouts#epoll-wait-never-returns-before-its-timeout",
    ),
    _epoll(
        "timeout-zero-blocks", "waits though told not to", "wait-timeouts#epoll-wait-timeout-zero-immediate"
    ),
    _eventfd("all-ones-accepted", "takes 2^64-1", "overflow#eventfd-write-all-ones-einval"),
    _eventfd("always-semaphore", "gives 1 a read", "counter#eventfd-writes-accumulate"),
    _eventfd(
        "empty-read-is-zero", "reads 0 of an empty counter", "blocking-read#eventfd-read-zero-nonblock-eagain"
    ),
    _eventfd("eventfd-bad-flags-accepted", "takes unknown flags", "flags#eventfd-bad-flags-einval"),
    _eventfd("eventfd-cloexec-lost", "forgets EFD_CLOEXEC", "flags#eventfd-cloexec-flag"),
    _eventfd("eventfd-nonblock-lost", "forgets EFD_NONBLOCK", "flags#eventfd-nonblock-flag"),
    _eventfd("initval-ignored", "starts at 0", "counter#eventfd-initval-then-read"),
    _eventfd(
        "long-read-fills-buffer", "returns the size asked for", "counter#eventfd-read-large-buffer-returns-8"
    ),
    _eventfd("read-does-not-reset", "leaves the counter as it was", "counter#eventfd-initval-then-read"),
    _eventfd(
        "read-loses-one",
        "gives one less than there was",
        "sum-conserved#eventfd-sum-conserved-under-contention",
    ),
    _eventfd("semaphore-ignored", "ignores EFD_SEMAPHORE", "semaphore#eventfd-semaphore-decrements-by-one"),
    _eventfd("short-read-accepted", "fills a short buffer", "buffer-sizes#eventfd-read-short-buffer-einval"),
    _eventfd(
        "short-write-accepted", "takes a short number", "buffer-sizes#eventfd-write-short-buffer-einval"
    ),
    _eventfd(
        "write-at-limit-wraps", "loses what does not fit", "overflow#eventfd-write-overflow-nonblock-eagain"
    ),
    _eventfd("write-replaces", "keeps the last number only", "counter#eventfd-writes-accumulate"),
    _eventfd("zero-write-refused", "refuses to add 0", "overflow#eventfd-write-zero-at-max-succeeds"),
    _eventfd("zero-write-signals", "signals on 0", "buffer-sizes#eventfd-write-zero-ok-no-readiness"),
    _signalfd("code-dropped", "forgets how it was sent", "siginfo-of-senders#signalfd-ssi-tgkill"),
    _signalfd("int-dropped", "forgets the value", "siginfo-of-senders#signalfd-ssi-sigqueue-int-ptr"),
    _signalfd("last-record-lost", "drops the last record of a read", "read-sizes#signalfd-multi-record-read"),
    _signalfd("mask-update-ignored", "keeps the old mask", "update-mask#signalfd-update-mask-same-fd"),
    _signalfd("one-record-a-read", "gives one record whatever fits", "read-sizes#signalfd-multi-record-read"),
    _signalfd("overrun-dropped", "forgets missed expirations", "siginfo-of-senders#signalfd-ssi-posix-timer"),
    _signalfd("pid-dropped", "forgets the sender", "siginfo-of-senders#signalfd-ssi-kill"),
    _signalfd("pointer-cut", "cuts the value to 32 bits", "siginfo-of-senders#signalfd-ssi-sigqueue-int-ptr"),
    _signalfd(
        "realtime-coalesced",
        "merges real-time signals",
        "standard-signals-coalesce#signalfd-realtime-signals-queue-fifo",
    ),
    _signalfd(
        "records-reversed",
        "gives the latest first",
        "standard-signals-coalesce#signalfd-realtime-signals-queue-fifo",
    ),
    _signalfd("signalfd-cloexec-lost", "forgets SFD_CLOEXEC", "flags#signalfd-cloexec-nonblock-flags"),
    _signalfd(
        "signalfd-empty-mask-refused", "refuses an empty mask", "reading#signalfd-empty-mask-ok-never-ready"
    ),
    _signalfd("signalfd-nonblock-lost", "forgets SFD_NONBLOCK", "flags#signalfd-cloexec-nonblock-flags"),
    _signalfd(
        "signalfd-short-read-accepted", "fills a short buffer", "read-sizes#signalfd-short-read-einval"
    ),
    _signalfd(
        "signalfd-size-unchecked", "takes a mask of any size", "bad-arguments#signalfd-sizemask-wrong-einval"
    ),
    _signalfd("status-dropped", "forgets the exit status", "siginfo-of-children#signalfd-ssi-sigchld-exited"),
    _signalfd("uid-wrong", "names another user", "siginfo-of-senders#signalfd-ssi-kill"),
    _signalfd("update-makes-another", "makes a new one instead", "update-mask#signalfd-update-mask-same-fd"),
)
