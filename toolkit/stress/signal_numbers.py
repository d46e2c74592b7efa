"""What the signalfd stressors share: a blocked signal with a signalfd, and the stage of numbered signals."""

import signal
from collections.abc import Callable
from typing import Final

from toolkit.ffi.flags import EPOLLIN
from toolkit.primitives.signalfd import SFD_CLOEXEC, SFD_NONBLOCK, SignalFd, blocked
from toolkit.stress.result import Invariant
from toolkit.stress.stage import Stage, Verify, equal

QUEUED: Final = signal.SIGRTMIN + 5
STANDARD: Final = signal.SIGUSR2


def blocked_signalfd(stage: Stage, number: int) -> int:
    """The number of a non-blocking signalfd for signal `number`, which is blocked until the run is over.

    What is still pending then is taken first: unblocked, it would end the process.
    """
    stage.own(blocked([number]))
    stage.on_close(lambda: _discard_pending(number))
    made: int = stage.own(SignalFd([number], SFD_NONBLOCK | SFD_CLOEXEC)).fileno()
    return made


def _discard_pending(number: int) -> None:
    while signal.sigtimedwait([number], 0) is not None:
        pass


def numbered_signals(*, through_epoll: bool) -> Callable[[Stage], Verify]:
    """A stage with `workers` senders of numbered signals and one receiver."""

    def prepare(stage: Stage) -> Verify:
        senders = stage.plan.workers
        reader = blocked_signalfd(stage, QUEUED)
        stage.lanes(senders)
        for _ in range(senders):
            stage.worker("sender", "signal_queue", signal=QUEUED)
        receiver = stage.worker(
            "receiver", "signal_receive", produces=False, reads=reader, signal=QUEUED, **stage.all_lanes
        )
        if through_epoll:
            instance = stage.epoll()
            instance.add(reader, EPOLLIN)
            receiver.epoll, receiver.events = instance.fileno(), int(EPOLLIN)
        stage.counts = "received"

        def verify() -> list[Invariant]:
            sent = [worker.sent for worker in stage.of("sender")]
            return [equal("every-signal-sent-arrives", sent, [lane.received for lane in stage.each_lane()])]

        return verify

    return prepare
