"""SO_REUSEPORT: every worker has a listening socket of its own on the same port (socket(7)).

    listener -> worker: accepts, serves          the kernel spreads connections by a hash of the addresses
    listener -> worker: accepts, serves

Nothing is shared, which suits processes. The price: each socket has a queue of its own, so that a connection waits for
the worker it was hashed to, however busy that is; and closing a listener resets whom the kernel has queued there, or
who is in the middle of the handshake, though other workers still listen (unless net.ipv4.tcp_migrate_req is 1, Linux
5.14).
"""

from toolkit.servers.control import Control
from toolkit.servers.listener import Listener
from toolkit.servers.self_accepting import SelfAcceptingServer


class ReuseportServer(SelfAcceptingServer):
    """As many listeners as workers."""

    def __init__(self, control: Control) -> None:
        """Listens; no worker runs yet.

        Raises:
            CannotListen: the address cannot be had.
        """
        options = control.options
        workers = options.processes or options.workers
        listeners = [Listener(options.host, options.port, reuse_port=True)]
        listeners += [Listener(options.host, listeners[0].port, reuse_port=True) for _ in range(workers - 1)]
        super().__init__(control, listeners, workers)
