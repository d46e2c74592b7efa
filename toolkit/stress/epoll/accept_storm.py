"""Connections arrive as fast as they can, waiters accept them; each brings a token that is handled exactly once.

What it does        `--workers` acceptors on one Unix listener, woken as `--trigger` says, and one client that
                    connects, writes its token and closes. With et an acceptor accepts until EAGAIN.
What must hold      each connection is accepted once and brings its token.
What surprises      lt wakes acceptors for one connection (the spurious column); exclusive is made for this.
References          accept4(2), unix(7), epoll_ctl(2) EPOLLEXCLUSIVE
"""

import os

from toolkit.ffi import linux
from toolkit.ffi.errors import fail
from toolkit.stress.result import Invariant
from toolkit.stress.stage import Stage, Stressor, Verify, equal
from toolkit.stress.tokens import SLOTS, unhandled
from toolkit.stress.triggers import note_wake_ups, watch

_BACKLOG = 128


def prepare(stage: Stage) -> Verify:
    slots = stage.memory.array("struct evk_slot", SLOTS)
    name = int.from_bytes(os.urandom(7), "little")
    listener = linux.compiled.evk_storm_listen(name, _BACKLOG)
    if listener < 0:
        fail(listener, "listen", name)
    stage.on_close(lambda: os.close(listener))
    stage.lanes(1)[0].generation = name
    instances, events = watch(stage, [listener])
    stage.worker("client", "storm_connect", timed=True, slots=slots, slot_count=SLOTS, **stage.all_lanes)
    for instance in instances:
        stage.worker(
            "acceptor",
            "storm_accept",
            produces=False,
            reads=listener,
            epoll=instance.fileno(),
            events=events,
            slots=slots,
            slot_count=SLOTS,
        )
    stage.counts = "received"

    def verify() -> list[Invariant]:
        note_wake_ups(stage)
        return [
            equal("connections-made-are-handled", stage.total("sent"), stage.total("received")),
            unhandled(slots),
        ]

    return verify


STRESSOR = Stressor(
    prepare, each=("each-token-handled-once", "connection-brings-its-token"), options=("trigger",)
)
