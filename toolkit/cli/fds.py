"""`evkit fds`: what live processes' epolls watch, what their eventfds hold, which signals their signalfds take."""

import sys
from typing import Annotated

import typer

from toolkit.cli.apps import examples, new_app
from toolkit.cli.options import Count, Json, ReadyFd, TimeoutNs
from toolkit.cli.output import Output
from toolkit.cli.quantities import duration_ns, some_time_ns
from toolkit.cli.readiness import Readiness
from toolkit.cli.refusal import refuse
from toolkit.exits import Exit

app = new_app()

Pids = Annotated[
    list[int] | None, typer.Argument(metavar="PID...", help="Processes to look into.", show_default=False)
]
Name = Annotated[
    str | None,
    typer.Option(
        "--name",
        metavar="PATTERN",
        help="Processes whose name, command or script matches, as a glob or a part.",
    ),
]
All = Annotated[bool, typer.Option("--all", help="Every process that may be read.")]
Fd = Annotated[
    int | None, typer.Option("--fd", min=0, metavar="N", help="Only the descriptor with this number.")
]
WhoWatches = Annotated[
    int | None,
    typer.Option(
        "--who-watches",
        min=0,
        metavar="N",
        help="The entries, of any process's epolls, that watch descriptor N.",
    ),
]
Stale = Annotated[
    bool, typer.Option("--stale", help="Only stale entries, explained; status 1 when there is one.")
]
WatchNs = Annotated[
    int | None,
    typer.Option(
        "--watch", parser=some_time_ns, metavar="TIME", help="Look again this often, until the processes end."
    ),
]
Tree = Annotated[bool, typer.Option("--tree", help="Draw a tree, nested epolls in place.")]
BudgetNs = Annotated[
    int,
    typer.Option(
        "--budget",
        parser=duration_ns,
        metavar="TIME",
        show_default="1s",
        help="Time for kcmp(2), for each epoll. A call walks the interest list and holds that epoll's lock, for which "
        "its epoll_ctl waits, and its epoll_wait when there are events; what is left over is `unknown: budget`. "
        "Reading an interest list holds the lock once.",
    ),
]


@app.command(
    epilog=examples(
        "evkit eventfd run --initial 3 -- sh -c 'evkit fds $$'",
        "evkit eventfd run -- sh -c 'evkit fds --stale --json $$'",
    )
)
def fds(
    pids: Pids = None,
    name: Name = None,
    all_processes: All = False,
    fd: Fd = None,
    who_watches: WhoWatches = None,
    stale: Stale = False,
    tree: Tree = False,
    watch_ns: WatchNs = None,
    count: Count = None,
    timeout_ns: TimeoutNs = None,
    ready_fd: ReadyFd = None,
    budget_ns: BudgetNs = 10**9,
    json: Json = False,
) -> Exit:
    """Look into live processes: which descriptors an epoll watches, and whether each entry still names its file.

    Also what eventfds hold, and whether signals can reach signalfds. Nothing is attached, stopped or changed.
    What may not be read is said on stderr.
    """
    if sum((bool(pids), name is not None, all_processes)) != 1:
        refuse("give process numbers, or --name PATTERN, or --all")
    if fd is not None and who_watches is not None:
        refuse("--fd and --who-watches ask different questions: give one of them")
    if tree and (json or stale):
        refuse(f"--tree draws for people; it does not go with {'--json' if json else '--stale'}")
    if watch_ns is None and (count, timeout_ns, ready_fd) != (None, None, None):
        refuse("--count, --timeout and --ready-fd go with --watch")
    from toolkit.cli.fds_rounds import Question, Rounds

    question = Question(tuple(pids or ()), name, fd, who_watches, stale, tree, budget_ns / 1e9)
    rounds = Rounds(question, Output(json), sys.stderr)
    if watch_ns is None:
        return rounds.once()
    return rounds.watch(watch_ns, count, timeout_ns, Readiness(ready_fd))
