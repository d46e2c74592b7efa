"""Numbered real-time signals through an event loop: the reader sleeps in epoll_wait until the signalfd is readable.

What it does        as `queue`, with the signalfd in an epoll: wait, read up to 64 records, wait again.
What must hold      every number of every sender arrives, in order.
What surprises      a thread that waits is told of its own signals and the process's, whoever called epoll_ctl.
References          signalfd(2), epoll(7); fs/signalfd.c, signalfd_poll
"""

from toolkit.stress.signal_numbers import numbered_signals
from toolkit.stress.stage import Stressor

STRESSOR = Stressor(
    numbered_signals(through_epoll=True),
    each=("record-is-of-a-known-sender", "signals-of-one-sender-in-order"),
    processes=False,
)
