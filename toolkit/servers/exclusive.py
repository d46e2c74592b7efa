"""EPOLLEXCLUSIVE: every worker watches the same listening socket from its own epoll (epoll_ctl(2), Linux 4.5).

    listener -+-> worker: accepts, serves        one of the waiting workers is woken, not all
              +-> worker: accepts, serves

One queue in the kernel, so that whoever is free takes the next and no connection waits behind a busy worker. The price:
the worker that registered first is woken first, and under light load takes nearly all connections.
"""

from toolkit.servers.control import Control
from toolkit.servers.listener import Listener
from toolkit.servers.self_accepting import SelfAcceptingServer


class ExclusiveServer(SelfAcceptingServer):
    """One listener for all workers."""

    def __init__(self, control: Control) -> None:
        """Listens; no worker runs yet.

        Raises:
            CannotListen: the address cannot be had.
        """
        options = control.options
        workers = options.processes or options.workers
        holders = 1 if options.processes else workers
        super().__init__(control, [Listener(options.host, options.port, holders=holders)], workers)
