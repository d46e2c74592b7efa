"""How long a waiter in epoll_wait takes to wake: the value written is the time of writing.

What it does        pairs of a waker and a waiter, each asleep in an epoll of its own until the other writes. With an
                    odd number of workers the last one rests. `--rate` lets the waiter sleep deeper.
What must hold      each wake is answered once, with its own value.
What surprises      a halted CPU wakes slowly: latency is worst at low rates. See also --pin.
References          epoll_wait(2), eventfd(2)
"""

from toolkit.ffi.flags import EPOLLIN
from toolkit.stress.result import Invariant
from toolkit.stress.stage import Stage, Stressor, Verify, equal


def prepare(stage: Stage) -> Verify:
    for _ in range(max(1, stage.plan.workers // 2)):
        there, back = stage.eventfd(), stage.eventfd()
        near, far = stage.epoll(), stage.epoll()
        near.add(back, EPOLLIN)
        far.add(there, EPOLLIN)
        stage.worker("waker", "eventfd_wake", epoll=near.fileno(), reads=back, writes=there)
        stage.worker("waiter", "eventfd_woken", produces=False, epoll=far.fileno(), reads=there, writes=back)

    def verify() -> list[Invariant]:
        wakes = sum(worker.sent for worker in stage.of("waker"))
        return [
            equal("each-wake-received-once", wakes, sum(worker.received for worker in stage.of("waiter")))
        ]

    return verify


STRESSOR = Stressor(prepare, each=("answer-repeats-the-wake",))
