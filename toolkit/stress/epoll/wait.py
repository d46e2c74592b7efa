"""One writer goes round all counters, waiters read what is ready: the topology of `perf bench epoll wait`.

What it does        `--workers` waiters with `--entries` counters each (64), on one instance for all (`--queue
                    shared`) or one each (`--queue per-worker`); a wait returns up to `--maxevents` events.
What must hold      on every counter, what was written is what was read, as often and as much: each write counts
                    itself in the high bits.
What surprises      batching is worth more than threads: --maxevents 1 is perf's default, 64 is about three times as
                    fast. The writer waits for nobody: a read may find several writes. On a shared instance several
                    waiters see the same level-triggered event (the spurious column).
References          epoll_wait(2); linux tools/perf/bench/epoll-wait.c
"""

from typing import Any

from toolkit.ffi.flags import EPOLLIN
from toolkit.report.context import usable_cpus
from toolkit.stress.result import Invariant
from toolkit.stress.stage import Stage, Stressor, Verify, equal

_ENTRIES = 64  # a worker, as in perf bench
_ONE_WRITE = 2**40  # loops.c counts writes above it


def prepare(stage: Stage) -> Verify:
    plan = stage.plan
    each = plan.entries or _ENTRIES
    lanes = stage.lanes(plan.workers * each)
    shared = stage.epoll() if plan.queue == "shared" else None
    for index in range(plan.workers):
        instance = shared or stage.epoll()
        for lane in range(index * each, (index + 1) * each):
            lanes[lane].fd = lanes[lane].received_fd = stage.eventfd()
            instance.add(lanes[lane].fd, EPOLLIN, lane)
        stage.worker("waiter", "epoll_wait", produces=False, epoll=instance.fileno(), **stage.all_lanes)
    crowded = plan.workers >= usable_cpus()
    stage.worker("writer", "epoll_write", variant=crowded, **stage.all_lanes)
    stage.counts = "received"

    def verify() -> list[Invariant]:
        stage.figures["events_per_wake"] = stage.total("received") / max(1, stage.total("wakeups"))
        stage.figures["writes_per_event"] = stage.total("sent") / max(1, stage.total("received"))
        unequal = [lane for lane in stage.each_lane() if lane.sent_sum != lane.received_sum]
        first = _difference(unequal[0]) if unequal else None
        return [equal("all-written-is-all-read", 0, len(unequal), first)]

    return verify


def _difference(lane: Any) -> str:  # noqa: ANN401  cffi data has no static type
    """How many writes, and how much, the reads of one counter lack, or have too many."""
    missing = (lane.sent_sum - lane.received_sum) % 2**64
    what = "missing" if missing < 2**63 else "too many"
    writes, amount = divmod(min(missing, 2**64 - missing), _ONE_WRITE)
    return f"descriptor {lane.fd}: {writes} writes of {amount} in all {what}"


STRESSOR = Stressor(
    prepare,
    each=("event-carries-its-word",),
    options=("maxevents", "queue", "entries"),
)
