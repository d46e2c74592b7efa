"""Sending, ending and closing: what happens to a connection after its requests have been understood."""

import errno
import socket
import time

from toolkit.ffi import linux
from toolkit.servers.answers import refusal
from toolkit.servers.connection import Connection
from toolkit.servers.ledger import Tally
from toolkit.servers.options import SECOND_NS, ServeOptions
from toolkit.servers.ownership import check_owner

NOSIGNAL = int(socket.MSG_NOSIGNAL)
_PEEK = int(socket.MSG_PEEK)
LINGER_NS = 2 * SECOND_NS
"""How long a client may take to see our end of file before the connection is closed over what it still sends."""
_IDLE_LINGER_NS = SECOND_NS // 4
"""The same for a client that has nothing to lose: its last answer is long there, and only a request may cross."""

AGAIN = -errno.EAGAIN
INTERRUPTED = -errno.EINTR


class Outgoing:
    """One worker's. `now` is the time at which the current batch of events was returned by the kernel."""

    def __init__(self, options: ServeOptions, tally: Tally, shedding: bool) -> None:
        self.options = options
        self.tally = tally
        self.shedding = shedding
        self.now = 0
        self.idle_deadline = 0
        self._peeked = linux.ffi.new("char[1]")
        self.begin_batch()

    def begin_batch(self) -> None:
        """Takes the time, once for all events of a wait."""
        self.now = time.monotonic_ns()
        self.idle_deadline = self.now + self.options.idle_timeout_ns

    def send(self, connection: Connection, data: bytes) -> None:
        """Sends `data` after what is still unsent; what the peer's window does not take stays in `unsent`."""
        if connection.unsent is None:
            sent = linux.lib.evk_send(connection.fd, data, len(data), NOSIGNAL)
            if sent == len(data):
                self._all_sent(connection)
                return
            connection.unsent = memoryview(data)[max(0, sent) :]
        else:
            connection.unsent = memoryview(connection.unsent.tobytes() + data)
        self.send_rest(connection)

    def send_rest(self, connection: Connection) -> bool:
        """Whether everything has gone out; False also when the connection had to be closed."""
        rest = connection.unsent
        while rest:
            sent = linux.lib.evk_send(connection.fd, linux.ffi.from_buffer(rest), len(rest), NOSIGNAL)
            if sent == AGAIN:
                connection.unsent = rest
                return False
            if sent < 0 and sent != INTERRUPTED:
                self.close(connection, by_client=True)
                return False
            if sent > 0:
                rest = rest[sent:]
                connection.deadline = self.idle_deadline
        self._all_sent(connection)
        return True

    def _all_sent(self, connection: Connection) -> None:
        connection.unsent = None
        connection.deadline = self.idle_deadline
        self.tally.answered += connection.owed
        connection.owed = 0
        if connection.ending:
            self._shut_down(connection)

    # --- ending ---

    def end(self, connection: Connection, crossing_counts: bool = False, linger_ns: int = LINGER_NS) -> None:
        """Sends our end of file after what is still to be sent; then reads to the client's, or to a deadline.

        Closing at once over unread bytes would send a reset, which can overtake the answer (RFC 9112, 9.6).
        """
        connection.ending = True
        connection.at_rest = False
        connection.linger_counts = crossing_counts
        if connection.unsent is None:
            self._shut_down(connection, linger_ns)

    def _shut_down(self, connection: Connection, linger_ns: int = LINGER_NS) -> None:
        connection.deadline = self.now + linger_ns
        linux.lib.evk_shutdown(connection.fd, socket.SHUT_WR)

    def wind_up(self, connection: Connection) -> bool:
        """What an exit does with a connection: one that has nothing in hand is ended, one that was ended and has had
        its time is closed. Whether it was either.

        A request may have come while the worker was busy with others: the socket is asked, not only the books.
        """
        if connection.ending and connection.unsent is None and connection.deadline <= self.now:
            self.close(connection, by_client=False)
            return True
        if connection.ending or connection.unfinished or connection.unsent is not None:
            return False
        if linux.lib.evk_recv(connection.fd, self._peeked, 1, _PEEK) != AGAIN:
            return False
        self.end(connection, crossing_counts=True, linger_ns=_IDLE_LINGER_NS)
        return True

    def expire(self, connection: Connection) -> None:
        """Its deadline has passed: an idle one is ended, a request that does not arrive gets 408, others are closed."""
        if connection.ending or connection.unsent is not None:
            self.close(connection, by_client=False)
            return
        self.tally.timed_out += 1
        if connection.reader is not None and connection.reader.in_hand:
            connection.reader.in_hand = False
            self.tally.refused_requests += 1
            self.send(connection, refusal(b"408 Request Timeout"))
            if connection.closed:
                return
            self.end(connection)
        else:
            self.end(connection, crossing_counts=True, linger_ns=_IDLE_LINGER_NS)

    def close(self, connection: Connection, by_client: bool, lost: bool = False) -> None:
        """Closes the descriptor and accounts for the connection and for what was unfinished on it."""
        if connection.closed:
            return
        if self.options.check_owner:
            check_owner(connection.owner, f"close connection {connection.token}")
        tally = self.tally
        unfinished = connection.unfinished
        if by_client:
            tally.abandoned += unfinished
        else:
            tally.refused_requests += unfinished
            tally.lost += unfinished if lost else 0
        if self.shedding:
            tally.refused_connections += 1
        elif by_client:
            tally.closed_by_client += 1
        else:
            tally.closed_by_us += 1
        connection.closed = True
        connection.unsent = None
        if connection.reader is not None:
            connection.reader.release()
            connection.reader = None
        linux.lib.evk_close(connection.fd)

    def abort(self, connection: Connection) -> None:
        """Closes it whatever it has in hand, which is lost."""
        self.close(connection, by_client=False, lost=True)
