"""What an inspection finds, as frozen records. `report` writes them as JSON Lines; `text` and `tree` for people."""

from dataclasses import dataclass, field
from enum import Enum

from toolkit.records import Word


class State(str, Enum):
    """Whether an entry's number still names the file that was registered under it."""

    LIVE = "live"
    STALE = "stale"
    UNKNOWN = "unknown"


class Method(str, Enum):
    """Which evidence answered."""

    CLOSED = "closed"  # the number is not open in the process
    INODE = "inode"  # inode and device of the entry, from fdinfo, against the number's
    KCMP = "kcmp"  # kcmp(2), KCMP_EPOLL_TFD
    NONE = "none"  # nothing did: the entry's reason says why


class DataHint(str, Enum):
    """What an entry's 64-bit data word looks like."""

    NUMBER = "number"  # the registered number, upper half zero (libuv, Go before 1.21)
    NUMBER_LOW_HALF = (
        "number-in-low-half"  # the number below, something else above (CPython's select.epoll: left over)
    )
    POINTER = "pointer"  # within the range of user-space addresses, above 4 GiB


@dataclass(frozen=True, slots=True)
class Holder:
    """A descriptor that names the file: `access` is `r`, `w` or `rw` as it was opened."""

    pid: int
    fd: int
    access: str | None = None


@dataclass(frozen=True, slots=True)
class Target:
    """A file that an epoll watches.

    Attributes:
        kind: `socket`, `pipe`, `fifo`, `eventfd`, `epoll`, `signalfd`, `timerfd`, `pidfd`, `inotify`, `tty`, `device`,
            `file`, another anonymous inode's name, or `unknown`.
        text: the file in one line for people.
        ino: inode number, where it tells files apart (not for anonymous inodes, which share one).
        protocol, local, peer, socket_state: of a socket, as /proc/net has them: `tcp`, `127.0.0.1:80`, `LISTEN`.
        access: `r`, `w` or `rw`, of a pipe or fifo.
        other_end: who can write to the pipe read here, or read the pipe written here.
        eventfd_id: tells eventfds apart, system-wide (Linux 5.2).
        fd: of a nested epoll, its number in the process.
        process: of a pidfd, the process it refers to (-1: it ended and was reaped).
    """

    kind: str
    text: str
    ino: int | None = None
    protocol: str | None = None
    local: str | None = None
    peer: str | None = None
    socket_state: str | None = None
    access: str | None = None
    other_end: tuple[Holder, ...] | None = None
    eventfd_id: int | None = None
    fd: int | None = None
    process: int | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """A stale entry explained: what happened, how to fix it, and the case that shows it."""

    what: str
    fix: str
    case: str


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of an interest list.

    Attributes:
        tfd: the number it was registered under.
        events: the names of the event bits, as `epoll_ctl(2)` has them.
        data: the 64-bit word.
        reason: why the state is unknown, or in whom it is live.
        in_pid: the process whose number it is, when it is not the record's own.
        held_by: descriptors that keep a stale entry's file open, as far as they can be found.
    """

    tfd: int
    events: tuple[str, ...]
    data: Word
    state: State
    method: Method
    target: Target
    data_hint: DataHint | None = None
    reason: str | None = None
    in_pid: int | None = None
    held_by: tuple[Holder, ...] | None = None
    finding: Finding | None = None


@dataclass(frozen=True, slots=True)
class EpollRecord:
    """One epoll, once, however many processes share it: under the eldest of those that were asked for.

    Attributes:
        nspid: the process's numbers in the pid namespaces below ours, outermost first; None when it is in ours.
        shared_with: the other descriptors of the same epoll, in any process that could be read.
    """

    pid: int
    fd: int
    process: str
    entries: tuple[Entry, ...]
    shared_with: tuple[Holder, ...] = ()
    nspid: tuple[int, ...] | None = None
    type: str = field(default="epoll", init=False)


@dataclass(frozen=True, slots=True)
class Watcher:
    """An epoll that watches a descriptor: `tfd` is the number it is registered under, a number of `pid`."""

    pid: int
    fd: int
    tfd: int


@dataclass(frozen=True, slots=True)
class EventFdRecord:
    """One eventfd of one process. `count` is not consumed by reading; `semaphore` is None where fdinfo lacks it."""

    pid: int
    fd: int
    process: str
    count: Word
    id: int | None
    semaphore: bool | None
    held_by: tuple[Holder, ...] = ()
    watched_by: tuple[Watcher, ...] = ()
    nspid: tuple[int, ...] | None = None
    type: str = field(default="eventfd", init=False)


@dataclass(frozen=True, slots=True)
class ThreadMask:
    """What one thread does with a signalfd's signals.

    A signal that a thread does not block may be taken by that thread, its handler or default action, and then never
    reaches the signalfd (signalfd(2)).
    """

    tid: int
    name: str
    blocked: tuple[str, ...]
    not_blocked: tuple[str, ...]
    pending: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SignalFdRecord:
    """One signalfd of one process.

    Attributes:
        mask: the names of the signals it takes.
        pending: those of them pending for the process as a whole; each thread's own stand with the thread.
    """

    pid: int
    fd: int
    process: str
    mask: tuple[str, ...]
    pending: tuple[str, ...]
    threads: tuple[ThreadMask, ...]
    watched_by: tuple[Watcher, ...] = ()
    nspid: tuple[int, ...] | None = None
    type: str = field(default="signalfd", init=False)


Record = EpollRecord | EventFdRecord | SignalFdRecord


@dataclass(frozen=True, slots=True)
class Survey:
    """The records of an inspection, by process and number, and what it could not see, a sentence each."""

    records: tuple[Record, ...]
    notes: tuple[str, ...] = ()

    @property
    def stale(self) -> int:
        """How many stale entries were found."""
        return sum(
            entry.state is State.STALE
            for record in self.records
            if isinstance(record, EpollRecord)
            for entry in record.entries
        )
