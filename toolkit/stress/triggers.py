"""How waiters are woken, by `--trigger`: which instance each has, and with which flags it watches."""

from toolkit.ffi.flags import EPOLLET, EPOLLEXCLUSIVE, EPOLLIN, EPOLLONESHOT
from toolkit.primitives.epoll import Epoll
from toolkit.stress.stage import Stage

_FLAGS = {
    "lt": EPOLLIN,
    "et": EPOLLIN | EPOLLET,
    "oneshot": EPOLLIN | EPOLLONESHOT,
    "exclusive": EPOLLIN | EPOLLEXCLUSIVE,
}


def watch(stage: Stage, descriptors: list[int]) -> tuple[list[Epoll], int]:
    """An instance for each worker, watching all `descriptors` (the word is the index), and the flags it uses.

    One instance serves all workers but with `exclusive`, where each has its own: EPOLLEXCLUSIVE is about instances.
    """
    plan = stage.plan
    events = int(_FLAGS[plan.trigger])
    count = plan.workers if plan.trigger == "exclusive" else 1
    instances = [stage.epoll() for _ in range(count)]
    for instance in instances:
        for index, descriptor in enumerate(descriptors):
            instance.add(descriptor, events, index)
    return [instances[index % count] for index in range(plan.workers)], events


def note_wake_ups(stage: Stage) -> None:
    """The figures that tell triggers apart: wake-ups an event, and how many of them found nothing to do."""
    wakeups = stage.total("wakeups")
    stage.figures["wakeups_per_event"] = wakeups / max(1, stage.total("received"))
    stage.figures["spurious_share"] = stage.total("spurious") / max(1, wakeups)
