"""Numbered real-time signals from many senders: none is lost, and those of one sender stay in order.

What it does        `--workers` threads queue signals with sigqueue(3) as fast as they can, one reads them 64 at a
                    time.
What must hold      every number of every sender arrives, in order. At RLIMIT_SIGPENDING sigqueue says EAGAIN (the
                    again column) and is called again.
References          signal(7) "Real-time signals", sigqueue(3), signalfd(2), getrlimit(2) RLIMIT_SIGPENDING
"""

from toolkit.stress.signal_numbers import numbered_signals
from toolkit.stress.stage import Stressor

STRESSOR = Stressor(
    numbered_signals(through_epoll=False),
    each=("record-is-of-a-known-sender", "signals-of-one-sender-in-order"),
    processes=False,
)
