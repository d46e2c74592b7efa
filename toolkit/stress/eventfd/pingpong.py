"""Pairs of workers answer each other: the reply to n is n+1, through two blocking counters.

What it does        a write and a blocking read on either side, so each operation is two wake-ups. With an odd number
                    of workers the last one rests.
What must hold      requests and replies arrive one by one and in order.
What surprises      a wake-up on another CPU costs ten times one on the same: compare --pin same and --pin spread.
References          eventfd(2); stress-ng --eventfd has this shape
"""

from functools import partial

from toolkit.primitives.eventfd import EventFd
from toolkit.stress.result import Invariant
from toolkit.stress.stage import Stage, Stressor, Verify, equal

_FAREWELL = 1 << 62  # of loops_eventfd.c


def prepare(stage: Stage) -> Verify:
    for _ in range(max(1, stage.plan.workers // 2)):
        there, back = EventFd(), EventFd()
        stage.own(there), stage.own(back)
        stage.worker("server", "eventfd_serve", writes=there.fileno(), reads=back.fileno())
        stage.worker("partner", "eventfd_return", produces=False, reads=there.fileno(), writes=back.fileno())
        stage.on_rescue(partial(_say_farewell, [there, back]))

    def verify() -> list[Invariant]:
        asked = sum(worker.sent for worker in stage.of("server"))
        answered = sum(worker.received for worker in stage.of("partner"))
        return [equal("each-request-answered-once", asked, answered)]

    return verify


def _say_farewell(unsaid: list[EventFd]) -> None:
    """Once to each side: a counter that nobody reads any more has no room for ever more."""
    while unsaid:
        unsaid.pop().write(_FAREWELL)


STRESSOR = Stressor(prepare, each=("requests-in-order", "reply-follows-request"))
