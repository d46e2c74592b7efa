"""A comparison of servers for people: one table, and what to make of it."""

import os

from toolkit.bench.contest import MEANINGLESS
from toolkit.report.context import usable_cpus
from toolkit.servers.comparison import ComparisonPlan, Row

ADVICE = """\
Which model suits what, and when it is the wrong choice:
  reactor          The fewest calls a request. Wrong when a request computes or blocks: all connections of its loop
                   wait. Sub-reactors use more CPUs only where threads can run at the same time (not under the GIL).
  half-sync        Work that blocks, with pressure that stays visible: a bounded queue that rejects, pauses or sheds.
                   Wrong for short requests: a hand-over and an own epoll for each worker buy nothing.
  half-reactor     Uneven requests on few busy connections: any worker takes any event. Wrong when events are cheap:
                   each costs a wake-up of another thread.
  leader-follower  As half-reactor without queue or hand-over. Wrong when the one mutex is where all threads meet:
                   many cores and tiny requests.
  reuseport        Processes that share nothing, on many CPUs. Wrong for uneven work (a connection is stuck with the
                   worker it was hashed to) and for restarts: closing a listener resets who waits in its queue.
  exclusive        As reuseport with one queue for all, so that nobody waits behind a busy worker. Wrong under light
                   load with long-lived connections: the first to be woken collects them.
  pool             Few long transfers, each isolated in a process. Wrong for many short requests."""

HOW_COMPARED = """\
All answer with the same bytes, one receive and one send a request. C parses each request, as strictly as httptools.
Models, asyncio and uvloop parse by httptools and remember the answer to bytes that they have parsed before; with
--distinct there is nothing to remember, and each request is parsed by everybody. `x C` is CPU time a request, the
kernel's included, over that of C in the same round: measure on an idle machine, with many rounds."""

DISPATCH_ADVICE = """\
Why they rank so: in `shared` a connection waits for the first worker that is free, whichever it is, so that a slow one
simply takes fewer. `least-loaded` guesses that from numbers of connections, which say nothing of how long each takes.
`steal` mends a wrong guess only once somebody has nothing to do. `round-robin` gives the slow worker as many as the
others, and all of them wait behind it: its queue is the tail. Splitting the queue helps against contention for its
lock, and that share is in each server's own figures."""


def table(rows: list[Row], plan: ComparisonPlan) -> str:
    """One line a server, in the order given."""
    loads = {row.load_by for row in rows}
    requests = "all different" if plan.distinct else "all the same"
    head = (
        f"{plan.connections} connections, {plan.rounds} rounds of {plan.turn_ns / 1e9:g} s each in turn,"
        f" load by {' and '.join(sorted(loads))}, requests {requests}\n"
        f"{usable_cpus()} CPUs for servers and load together;"
        f" load average {os.getloadavg()[0]:.1f} at the end"
    )
    columns = f"{'server':<26}{'requests/s':>11}{'of C':>7}{'p50 ms':>9}{'p99 ms':>9}{'cpu us':>8}{'x C':>7}"
    lines = [head, columns + f"{'spread':>8}{'queue':>7}{'errors':>7}"]
    for row in rows:
        of_c = f"{row.rate_ratio:.2f}" if row.rate_ratio is not None else "-"
        times_c = f"{row.cpu_ratio:.2f}" if row.cpu_ratio is not None else "-"
        queue = str(row.queue_longest) if row.queue_longest is not None else "-"
        lines.append(
            f"{row.name:<26}{row.answered_per_s:>11.0f}{of_c:>7}{row.p50_ns / 1e6:>9.3f}{row.p99_ns / 1e6:>9.3f}"
            f"{row.cpu_ns_per_request / 1e3:>8.1f}{times_c:>7}{row.spread:>8.0%}{queue:>7}{row.errors:>7}"
        )
    broken = [row.name for row in rows if row.ledgers_hold is False or row.lost]
    if broken:
        lines.append(f"LOST REQUESTS OR LEDGERS THAT DO NOT HOLD: {', '.join(broken)}")
    wide = [row.name for row in rows if row.spread > MEANINGLESS]
    if wide:
        lines.append(f"quartiles more than 25 % apart, so not worth a conclusion: {', '.join(wide)}")
    return "\n".join(lines)
