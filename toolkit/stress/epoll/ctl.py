"""ADD, MOD and DEL at random, each result held against a model of the interest list.

What it does        each worker has `--entries` counters (64), on one instance for all (`--queue shared`) or one each.
                    `--order round` is perf bench's default: ADD, MOD, DEL of one after the other, none fails.
What must hold      ADD of what is there says EEXIST, MOD and DEL of what is not say ENOENT, all else succeeds; at the
                    end /proc lists exactly what the model has.
What surprises      one instance a thread is about two and a half times as fast: a shared one is a shared lock.
References          epoll_ctl(2); linux tools/perf/bench/epoll-ctl.c
"""

from toolkit.primitives.fdinfo import read_interest_list
from toolkit.stress.result import Invariant
from toolkit.stress.stage import Stage, Stressor, Verify, equal

_ENTRIES = 64  # a worker, as in perf bench


def prepare(stage: Stage) -> Verify:
    plan = stage.plan
    each = plan.entries or _ENTRIES
    lanes = stage.lanes(plan.workers * each)
    instances = [stage.epoll() for _ in range(1 if plan.queue == "shared" else plan.workers)]
    for lane in stage.each_lane():
        lane.fd = stage.eventfd()
    for index in range(plan.workers):
        instance = instances[index % len(instances)]
        stage.worker(
            "ctl",
            "epoll_ctl",
            epoll=instance.fileno(),
            lanes=lanes,
            first_lane=index * each,
            lane_count=each,
            variant=int(plan.order == "round"),
        )

    def verify() -> list[Invariant]:
        stage.figures["share_that_succeeded"] = stage.total("received") / max(1, stage.total("ops"))
        model = sorted(lane.fd for lane in stage.each_lane() if lane.generation)
        listed = sorted(entry.tfd for each in instances for entry in read_interest_list(each.fileno()))
        return [equal("proc-lists-what-the-model-has", model, listed)]

    return verify


STRESSOR = Stressor(prepare, each=("result-agrees-with-the-list",), options=("queue", "order", "entries"))
