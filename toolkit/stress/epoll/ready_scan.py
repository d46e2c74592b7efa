"""One ready of many: a wait on a list of up to a hundred thousand entries reports exactly the one that is ready.

What it does        one instance a worker, with `--entries` idle counters in all (10,000) beside 64 that are written
                    to. Beyond the limit on descriptors, idle ones belong to helper processes that share the
                    instances.
What must hold      each wait returns the one counter written to, and no other.
What surprises      the cost of a wait does not depend on how many entries are idle: the ready list is a list of its
                    own.
References          epoll(7); fs/eventpoll.c, ep_poll_callback
"""

from toolkit.ffi.flags import EPOLLIN
from toolkit.stress.idle_entries import register_idle
from toolkit.stress.result import Invariant
from toolkit.stress.stage import Stage, Stressor, Verify, equal

_ENTRIES = 10_000
_WRITTEN_TO = 64


def prepare(stage: Stage) -> Verify:
    plan = stage.plan
    lanes = stage.lanes(_WRITTEN_TO * plan.workers)
    instances = [stage.epoll() for _ in range(plan.workers)]
    for index, lane in enumerate(stage.each_lane()):
        lane.fd = stage.eventfd()
        instances[index // _WRITTEN_TO].add(lane.fd, EPOLLIN, index)
    idle = register_idle(stage, instances, plan.entries or _ENTRIES)
    for index, instance in enumerate(instances):
        stage.worker(
            "scan",
            "epoll_scan",
            epoll=instance.fileno(),
            lanes=lanes,
            first_lane=index * _WRITTEN_TO,
            lane_count=_WRITTEN_TO,
        )

    def verify() -> list[Invariant]:
        stage.figures["idle_entries"] = idle.entries
        stage.figures["helper_processes"] = len(idle.helpers)
        return [equal("helpers-kept-their-descriptors", [], idle.ended())]

    return verify


STRESSOR = Stressor(
    prepare, each=("exactly-the-ready-one", "event-means-readable"), options=("maxevents", "entries")
)
