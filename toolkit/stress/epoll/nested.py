"""An epoll in an epoll in an epoll: readiness of the innermost counter climbs to the outermost instance.

What it does        each worker has a chain of `--entries` instances (5, the most the kernel allows) around one
                    counter, and waits level by level after each write.
What must hold      each level reports the next one, the counter holds what was written.
References          epoll(7) Q3; fs/eventpoll.c, EP_MAX_NESTS
"""

from toolkit.ffi.flags import EPOLLIN
from toolkit.stress.stage import Stage, Stressor, Verify

_DEEPEST = 5


def prepare(stage: Stage) -> Verify:
    depth = stage.plan.entries or _DEEPEST
    if depth > _DEEPEST:
        raise ValueError(f"--entries {depth}: epoll instances nest at most {_DEEPEST} deep (EP_MAX_NESTS)")
    for _ in range(stage.plan.workers):
        lanes = stage.memory.array("struct evk_lane", depth + 1)
        instances = [stage.epoll() for _ in range(depth)]
        counter = stage.eventfd()
        for level, number in enumerate([*(each.fileno() for each in instances), counter]):
            lanes[level].fd = number
        for level in reversed(range(depth)):
            instances[level].add(lanes[level + 1].fd, EPOLLIN, level + 1)
        stage.worker("nest", "epoll_nested", lanes=lanes, lane_count=depth + 1)
    return list


STRESSOR = Stressor(prepare, each=("each-level-names-the-next", "counter-arrives"), options=("entries",))
