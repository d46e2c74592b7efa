"""epoll, I/O completion ports and kqueue side by side: what does the same job in each, and what has no counterpart."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Mapping:
    """One row.

    Attributes:
        topic: the job.
        epoll: how Linux does it.
        iocp: how Windows does it.
        kqueue: how the BSDs and macOS do it.
        sources: the pages that say so.
    """

    topic: str
    epoll: str
    iocp: str
    kqueue: str
    sources: tuple[str, ...]
    type: str = field(default="mapping", init=False)


_KQUEUE = "kqueue(2) of FreeBSD"
_STATUS = "Microsoft: GetQueuedCompletionStatus"
_CREATE = "Microsoft: CreateIoCompletionPort"
_PORTS = "Microsoft: I/O Completion Ports"

ROWS = (
    Mapping(
        "model",
        "readiness: you are told that a call would not block, and make it",
        "completion: you start the operation, and are told that it has ended",
        "readiness, with amounts: how much can be read or written",
        ("epoll(7)", _PORTS, _KQUEUE),
    ),
    Mapping(
        "create",
        "epoll_create1(EPOLL_CLOEXEC)",
        "CreateIoCompletionPort(INVALID_HANDLE_VALUE, NULL, 0, n)",
        "kqueue()",
        ("epoll_create(2)", _CREATE, _KQUEUE),
    ),
    Mapping(
        "attach",
        "epoll_ctl(EPOLL_CTL_ADD, fd, events, 64-bit data)",
        "CreateIoCompletionPort(handle, port, key, 0), once for a handle's life; then one OVERLAPPED an operation",
        "kevent() with EV_ADD: identifier, filter, udata",
        ("epoll_ctl(2)", _CREATE, _KQUEUE),
    ),
    Mapping(
        "change",
        "epoll_ctl(EPOLL_CTL_MOD)",
        "nothing to change: each operation says what it wants",
        "EV_ADD again, EV_ENABLE, EV_DISABLE",
        ("epoll_ctl(2)", _PORTS, _KQUEUE),
    ),
    Mapping(
        "detach",
        "epoll_ctl(EPOLL_CTL_DEL), or close of the last duplicate",
        "close the handle; CancelIoEx ends what is under way, and each still gives its packet",
        "EV_DELETE, or close of the descriptor",
        ("epoll_ctl(2)", "epoll(7) Q6", "Microsoft: CancelIoEx", _KQUEUE),
    ),
    Mapping(
        "wait",
        "epoll_wait, epoll_pwait2 (nanoseconds): many events a call",
        "GetQueuedCompletionStatus: one packet; ...StatusEx: many (milliseconds)",
        "kevent(): changes in and events out in one call (nanoseconds)",
        ("epoll_wait(2)", _STATUS, "Microsoft: GetQueuedCompletionStatusEx", _KQUEUE),
    ),
    Mapping(
        "what is told",
        "your 64-bit data word and event bits",
        "key, OVERLAPPED pointer, bytes moved, success or error",
        "identifier, filter, flags, data (bytes, backlog, status), udata",
        ("epoll_ctl(2)", _STATUS, _KQUEUE),
    ),
    Mapping(
        "post (wake it)",
        "no call: write to an eventfd in the list",
        "PostQueuedCompletionStatus: three words of yours",
        "EVFILT_USER with NOTE_TRIGGER",
        ("eventfd(2)", "Microsoft: PostQueuedCompletionStatus", _KQUEUE),
    ),
    Mapping(
        "triggering",
        "level; edge with EPOLLET; once with EPOLLONESHOT",
        "a packet an operation; none on immediate success with FILE_SKIP_COMPLETION_PORT_ON_SUCCESS",
        "level; edge with EV_CLEAR; once with EV_ONESHOT or EV_DISPATCH",
        ("epoll(7)", "Microsoft: SetFileCompletionNotificationModes", _KQUEUE),
    ),
    Mapping(
        "several threads",
        "may wait in one epoll; EPOLLONESHOT or EPOLLET for one thread an event; EPOLLEXCLUSIVE for several epolls",
        "made for it: last in, first out, at most n running",
        "may wait in one kqueue; EV_DISPATCH for one thread an event",
        ("epoll(7)", _PORTS, _KQUEUE),
    ),
    Mapping(
        "cancel a wait",
        "a signal (EINTR), or the eventfd",
        "a posted packet; closing the port fails the waits",
        "a signal (EINTR), or EVFILT_USER",
        ("epoll_wait(2)", _STATUS, _KQUEUE),
    ),
    Mapping(
        "destroy",
        "close: the list goes with the last duplicate of the epoll",
        "CloseHandle, after every handle bound to it",
        "close; not inherited by fork",
        ("epoll_create(2)", _CREATE, _KQUEUE),
    ),
    Mapping(
        "regular files",
        "no: EPERM. io_uring or a thread",
        "yes: ReadFile and WriteFile with OVERLAPPED; the caller keeps the offset",
        "yes, by position (EVFILT_READ); EVFILT_AIO for real asynchrony",
        ("epoll_ctl(2)", "Microsoft: ReadFile", _KQUEUE),
    ),
    Mapping(
        "sockets",
        "yes, also listening ones",
        "yes: WSARecv, WSASend, AcceptEx, ConnectEx",
        "yes, also listening ones (data is the backlog)",
        ("epoll(7)", "Microsoft: AcceptEx", _KQUEUE),
    ),
    Mapping(
        "pipes, terminals",
        "yes",
        "named pipes opened for overlapped use; consoles and anonymous pipes not",
        "yes",
        ("epoll(7)", "Microsoft: Anonymous Pipe Operations", _KQUEUE),
    ),
    Mapping(
        "signals",
        "signalfd, with the signals blocked",
        "none; SetConsoleCtrlHandler can post a packet",
        "EVFILT_SIGNAL, beside the usual delivery",
        ("signalfd(2)", "Microsoft: SetConsoleCtrlHandler", _KQUEUE),
    ),
    Mapping(
        "timers",
        "timerfd, or the wait's timeout",
        "no handle for it: a waitable or pool timer whose callback posts",
        "EVFILT_TIMER",
        ("timerfd_create(2)", "Microsoft: CreateThreadpoolTimer", _KQUEUE),
    ),
    Mapping(
        "processes",
        "pidfd (since Linux 5.3)",
        "a job: SetInformationJobObject ties it to the port",
        "EVFILT_PROC with NOTE_EXIT",
        ("pidfd_open(2)", "Microsoft: JOBOBJECT_ASSOCIATE_COMPLETION_PORT", _KQUEUE),
    ),
    Mapping(
        "directory changes",
        "inotify, fanotify",
        "ReadDirectoryChangesW with OVERLAPPED",
        "EVFILT_VNODE on the open directory: that it changed, not what",
        ("inotify(7)", "Microsoft: ReadDirectoryChangesW", _KQUEUE),
    ),
    Mapping(
        "nesting",
        "an epoll can be in an epoll (five deep)",
        "a port is no source for another port",
        "a kqueue can be in a kqueue, and in poll",
        ("epoll(7)", _PORTS, _KQUEUE),
    ),
    Mapping(
        "after fork",
        "shared: the child's epoll_ctl changes the parent's list",
        "no fork; a port handle can be duplicated",
        "gone in the child",
        ("epoll(7)", "Microsoft: DuplicateHandle", _KQUEUE),
    ),
)
