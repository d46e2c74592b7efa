"""The clock of a graceful end: a while for requests that are on their way, then the drain timeout."""

import time

from toolkit.servers.options import SECOND_NS
from toolkit.servers.service import Service
from toolkit.servers.stop import Stop

_IDLE_GRACE_NS = SECOND_NS // 2
"""How long an idle connection may still bring a request when the server ends: the client may be sending it already.
At most half the drain timeout, and at least a twentieth: who waits for long waits for slow clients, too."""
_LOOK_AGAIN_MS = 20
_MILLISECOND_NS = 1_000_000


class Draining:
    """Made when the end begins: from now on the services say `Connection: close` in each last answer."""

    def __init__(self, stop: Stop, services: list[Service]) -> None:
        for service in services:
            service.draining = True
        now = time.monotonic_ns()
        left = stop.deadline - now
        self._idle_until = now + max(min(_IDLE_GRACE_NS, left // 2), left // 20)

    def idle_may_end(self) -> bool:
        """Whether connections without a request have had their time."""
        return time.monotonic_ns() >= self._idle_until

    def timeout_ms(self) -> int:
        """For a wait: until something is to be done. In the end, often: what is left is wound up one by one."""
        now = time.monotonic_ns()
        if now >= self._idle_until:
            return _LOOK_AGAIN_MS
        return (self._idle_until - now) // _MILLISECOND_NS + 1
