"""Numbered tokens go from one writer through pipes to many waiters; each is handled exactly once.

What it does        `--workers` waiters on `--entries` pipes (1), woken as `--trigger` says: lt and oneshot read one
                    token a wake-up, et reads until EAGAIN, exclusive is level-triggered with an instance for each
                    waiter.
What must hold      each token is handled once: none is lost, none comes twice.
What surprises      lt wakes waiters that find nothing; oneshot pays an epoll_ctl a token; exclusive wakes the same
                    waiter again and again, so shares are uneven (see the share column and --max-spread).
References          epoll(7), EPOLLEXCLUSIVE and EPOLLONESHOT in epoll_ctl(2); commit df0108c5da56
"""

from toolkit.stress.result import Invariant
from toolkit.stress.stage import Stage, Stressor, Verify, equal
from toolkit.stress.tokens import SLOTS, unhandled
from toolkit.stress.triggers import note_wake_ups, watch


def prepare(stage: Stage) -> Verify:
    plan = stage.plan
    stage.lanes(plan.entries or 1)
    slots = stage.memory.array("struct evk_slot", SLOTS)
    for lane in stage.each_lane():
        lane.received_fd, lane.fd = stage.pipe()
    instances, events = watch(stage, [lane.received_fd for lane in stage.each_lane()])
    stage.worker("writer", "handoff_send", slots=slots, slot_count=SLOTS, **stage.all_lanes)
    for instance in instances:
        stage.worker(
            "waiter",
            "handoff_take",
            produces=False,
            epoll=instance.fileno(),
            events=events,
            slots=slots,
            slot_count=SLOTS,
            **stage.all_lanes,
        )
    stage.counts = "received"

    def verify() -> list[Invariant]:
        note_wake_ups(stage)
        return [
            equal("tokens-sent-are-tokens-handled", stage.total("sent"), stage.total("received")),
            unhandled(slots),
        ]

    return verify


STRESSOR = Stressor(prepare, each=("each-token-handled-once",), options=("trigger", "maxevents", "entries"))
