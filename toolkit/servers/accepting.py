"""A loop that accepts for itself: a worker of `reuseport` or `exclusive`, and the first of a `reactor`."""

from collections.abc import Callable

from toolkit.ffi.flags import EPOLLEXCLUSIVE, EPOLLIN
from toolkit.servers.buffers import BufferPool
from toolkit.servers.ledger import Tally
from toolkit.servers.listener import Acceptor, Listener, Task
from toolkit.servers.loop import Loop
from toolkit.servers.options import ServeOptions
from toolkit.servers.stop import Stop, answer, doorbell

BELL_TOKEN = 1
LISTENER_TOKEN = 2
_AT_ONCE = 16
"""How many a worker accepts before it serves again: who takes all has all to do."""
_RETRY_MS = 50


class AcceptingLoop:
    """Its own epoll with its connections and a listener, which may be its own or shared with others."""

    def __init__(
        self,
        options: ServeOptions,
        tally: Tally,
        stop: Stop,
        listener: Listener,
        worker: int = 0,
        shared: bool = False,
        give_to: Callable[[Task], None] | None = None,
    ) -> None:
        """`shared` registers the listener EPOLLEXCLUSIVE: of the epolls that watch it, few are woken. `give_to` gets
        what is accepted; without it this loop adopts it."""
        self.loop = Loop(options, tally, BufferPool(1), worker)
        self._tally = tally
        self._stop = stop
        self._listener = listener
        self._give_to = self.loop.adopt if give_to is None else give_to
        self._acceptor = Acceptor(listener)
        self._events = int(EPOLLIN | EPOLLEXCLUSIVE) if shared else int(EPOLLIN)
        self._bell = doorbell()
        stop.tell(self._bell)
        self._listening = False

    def begin(self) -> None:
        """Watches the listener and the stop bell; the calling thread owns the loop from now on."""
        self.loop.run_here()
        self.loop.watch(self._bell, EPOLLIN, BELL_TOKEN, lambda: answer(self._bell))
        self._listen()

    def turn(self, timeout_ms: int = -1) -> None:
        """One turn of the loop; after running out of descriptors the listener rests for 50 ms."""
        if self._listening:
            self.loop.turn(timeout_ms)
        else:
            self.loop.turn(_RETRY_MS if timeout_ms < 0 else min(timeout_ms, _RETRY_MS))
            self._listen()

    def end(self) -> None:
        """Accepts whom the kernel has queued, closes the listener if nobody else holds it, finishes what is in hand."""
        self.loop.service.begin_batch()
        self._accept(at_most=1 << 30)
        if self._listening:
            self.loop.forget(self._listener.fd, LISTENER_TOKEN)
        if self._listener.release():
            self._accept(at_most=1 << 30)
            self._listener.close()
        self._acceptor.close()
        self.loop.drain(self._stop)
        self.loop.close()

    def _listen(self) -> None:
        self._listening = True
        self.loop.watch(self._listener.fd, self._events, LISTENER_TOKEN, self._accept)

    def _accept(self, at_most: int = _AT_ONCE) -> None:
        for task in self._acceptor.accept_all(self._tally, self.loop.service.now, at_most):
            self._give_to(task)
        if self._acceptor.must_retry and self._listening:
            self._listening = False
            self.loop.forget(self._listener.fd, LISTENER_TOKEN)
