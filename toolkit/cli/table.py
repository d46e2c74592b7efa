"""Every command by name, with its one-line help: what `--help` and completion need without importing any command.

A name leads to a line of help, and then the command is `app` in `toolkit.cli.<words>` (imported when it is chosen),
or to a Group of such names.
"""


class Group:
    """A command of commands."""

    __slots__ = ("commands", "example", "help")

    def __init__(self, help: str, example: str, commands: "Table") -> None:
        self.help = help
        self.example = example
        self.commands = commands


Table = dict[str, "str | Group"]

ROOT = Group(
    "An executable man page and stress bench for epoll, eventfd, signalfd and I/O completion ports.",
    "evkit eventfd run -- sh -c 'evkit eventfd add 3; evkit eventfd read'",
    {
        "doctor": "What this platform offers: each primitive, flag, syscall and limit, and why one is missing.",
        "map": "epoll, completion ports and kqueue side by side.",
        "case": Group(
            "Reproducers: what bites, why, and whether it does here.",
            "evkit case show epoll/fd-reuse",
            {
                "list": "List the cases, or the claims that they check.",
                "show": "Explain a case: what it does, why it bites, what you will see.",
                "run": "Run cases and say whether what happened is what is documented.",
                "diff": "Compare two runs: kernels, containers, emulators.",
            },
        ),
        "eventfd": Group(
            "A 64-bit counter in the kernel that can be waited on.",
            "evkit eventfd run -- sh -c 'evkit eventfd add 3; evkit eventfd peek'",
            {
                "demo": "Tell its story step by step, by real calls.",
                "stress": "Load it at the speed of C, and verify that nothing is lost.",
                "run": "Run a command that inherits a new eventfd, its number in $EVENTFD.",
                "add": "Add to an inherited eventfd's counter.",
                "read": "Take an inherited eventfd's counter and print it.",
                "peek": "Print an inherited eventfd's counter without taking it.",
            },
        ),
        "signalfd": Group(
            "Signals read from a descriptor.",
            "evkit signalfd watch USR1 -- sh -c 'evkit signalfd queue $PPID USR1 --value 42'",
            {
                "demo": "Tell its story step by step, by real calls.",
                "stress": "Load it at the speed of C, and verify that no signal is lost or out of order.",
                "watch": "Block signals and print each that arrives.",
                "queue": "Send a signal with a value (sigqueue(3)).",
            },
        ),
        "epoll": Group(
            "Interest lists, and waiting on them.",
            "echo hello | evkit epoll watch -",
            {
                "demo": "Tell its story step by step, by real calls.",
                "stress": "Load it at the speed of C, and verify that every event reaches its owner once.",
                "watch": "Watch descriptors and print a line an event.",
            },
        ),
        "bench": "Our bindings beside C, the standard library, ctypes and installed peers, in one run.",
        "tail": "Read the lines of many pipes and files at once; leave cleanly on Ctrl-C.",
        "serve": "Serve HTTP by one of the classic models, and account for every connection and request.",
        "load": "Load an HTTP server, closed or open loop, with latency percentiles.",
        "fds": "Look into live processes: what epolls watch, stale entries, eventfd counts, signalfd masks.",
        "iocp": Group(
            "I/O completion ports: one queue of finished operations for many handles (Windows).",
            "evkit iocp demo",
            {
                "demo": "Tell the story of a completion port, step by step.",
                "post": "Post packets to a port and print them as they are taken.",
                "read": "Read a file with overlapped calls, right or with one of two famous faults.",
                "watch": "Print the changes in a directory.",
                "stress": "Load ports with posts, reads, echoes and cancels; verify every packet.",
            },
        ),
    },
)

PLATFORMS = {"epoll": "linux", "eventfd": "linux", "signalfd": "linux", "iocp": "win32"}
"""Commands about a primitive that one platform has: `sys.platform` there."""
