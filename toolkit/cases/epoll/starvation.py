"""Edge-triggered "read until EAGAIN" lets one busy peer starve all others.

What it does        Two connections are ready; one of them is refilled as fast as it is read.
Why it bites        The rule of EPOLLET, read until EAGAIN, has no end while the peer keeps sending, and nothing else
                    is served meanwhile. Stopping early is no way out by itself: the edge was consumed, so no event
                    comes for what is left.
What you will see   naive: the quiet connection is served after all of the flood. right: a budget of reads a turn and
                    a list of one's own of those that are not drained yet: it is served after the first turn.
References          epoll(7) "Possible pitfalls and ways to avoid them", starvation; rsyslog/rsyslog#5502;
                    twitter/twemproxy#416; romange/helio#611
"""

from collections import deque

from toolkit.ffi.flags import EPOLLET, EPOLLIN
from toolkit.lab import Case, Claim, Lab
from toolkit.primitives.epoll import Epoll

_FLOOD = 200
_BUDGET = 4


class _Peers:
    """A busy connection whose peer sends again after each read, up to `_FLOOD` times, and a quiet one."""

    def __init__(self, lab: Lab) -> None:
        self._lab = lab
        self.epoll: Epoll = lab.epoll()
        self.busy, self._flooder = lab.socketpair()
        self.quiet, quiet_peer = lab.socketpair()
        self._sent = 0
        self.busy_reads = 0
        self.busy_reads_before_quiet: int | None = None
        for fd in (self.busy, self.quiet):
            lab.add(self.epoll, fd, EPOLLIN | EPOLLET)
        self._refill()
        lab.send(quiet_peer, b"me too")

    def _refill(self) -> None:
        if self._sent < _FLOOD:
            self._lab.send(self._flooder, b"x" * 64)
            self._sent += 1

    def read(self, fd: int) -> bool:
        """One read; False at EAGAIN."""
        if self._lab.outcome(self._lab.recv_now, fd) != "ok":
            return False
        if fd == self.busy:
            self.busy_reads += 1
            self._refill()
        elif self.busy_reads_before_quiet is None:
            self.busy_reads_before_quiet = self.busy_reads
        return True


def naive(lab: Lab) -> None:
    """Until EAGAIN, each in turn."""
    peers = _Peers(lab)
    while ready := lab.told(peers.epoll):
        for fd in ready:
            while peers.read(fd):
                pass
    lab.must(
        "epoll-starvation-et-large-drain",
        expected=[_FLOOD, _FLOOD],
        observed=[peers.busy_reads_before_quiet, peers.busy_reads],
        reason="reads of the busy one before the quiet one was served; in all",
    )


def right(lab: Lab) -> None:
    """A few reads a turn, and a list of who is not done."""
    peers = _Peers(lab)
    undrained: deque[int] = deque(lab.told(peers.epoll))
    while undrained:
        fd = undrained.popleft()
        if all(peers.read(fd) for _ in range(_BUDGET)):
            undrained.append(fd)
        undrained.extend(fd for fd in lab.told(peers.epoll) if fd not in undrained)
    lab.must(
        "epoll-bounded-reads-serve-all",
        expected=[_BUDGET, _FLOOD],
        observed=[peers.busy_reads_before_quiet, peers.busy_reads],
        reason="reads of the busy one before the quiet one was served; in all",
    )


CASE = Case(
    variants=(naive, right),
    claims=(
        Claim(
            "epoll-starvation-et-large-drain",
            "Reading one busy descriptor until EAGAIN keeps all others waiting as long as its peer sends.",
            "epoll(7) Possible pitfalls, starvation",
        ),
        Claim(
            "epoll-bounded-reads-serve-all",
            "With a bounded number of reads a turn and a ready list of one's own, all are served and "
            "nothing is lost.",
            "epoll(7) Possible pitfalls, starvation",
        ),
    ),
)
