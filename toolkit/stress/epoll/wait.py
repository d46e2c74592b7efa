"""One writer goes round all counters, waiters read what is ready: the topology of `perf bench epoll wait`.

What it does        `--workers` waiters with `--entries` counters each (64), on one instance for all (`--queue
                    shared`) or one each (`--queue per-worker`); a wait returns up to `--maxevents` events.
What must hold      each read returns what one write wrote; on every counter, the sum written is the sum read.
What surprises      batching is worth more than threads: --maxevents 1 is perf's default, 64 is about three times as
                    fast. On a shared instance several waiters see the same level-triggered event (the spurious
                    column).
References          epoll_wait(2); linux tools/perf/bench/epoll-wait.c
"""

from toolkit.ffi.flags import EPOLLIN
from toolkit.stress.result import Invariant
from toolkit.stress.stage import Stage, Stressor, Verify, equal

_ENTRIES = 64  # a worker, as in perf bench


def prepare(stage: Stage) -> Verify:
    plan = stage.plan
    each = plan.entries or _ENTRIES
    lanes = stage.lanes(plan.workers * each)
    # the writer fills one half while the waiter empties the other, so that neither sleeps for the other's sake
    block = each if each % 2 else each // 2
    shared = stage.epoll() if plan.queue == "shared" else None
    for index in range(plan.workers):
        instance = shared or stage.epoll()
        for lane in range(index * each, (index + 1) * each):
            lanes[lane].fd = stage.eventfd()
            instance.add(lanes[lane].fd, EPOLLIN, lane)
        stage.worker("waiter", "epoll_wait", produces=False, epoll=instance.fileno(), **stage.all_lanes)
    stage.worker("writer", "epoll_write", block=block, **stage.all_lanes)
    stage.counts = "received"

    def verify() -> list[Invariant]:
        stage.figures["events_per_wake"] = stage.total("received") / max(1, stage.total("wakeups"))
        unequal = [lane for lane in stage.each_lane() if lane.sent_sum != lane.received_sum]
        first = (
            f"descriptor {unequal[0].fd} got {unequal[0].sent_sum}, gave {unequal[0].received_sum}"
            if unequal
            else None
        )
        return [equal("sum-written-is-sum-read", 0, len(unequal), first)]

    return verify


STRESSOR = Stressor(
    prepare,
    each=("event-carries-its-word", "each-read-is-one-write"),
    options=("maxevents", "queue", "entries"),
)
