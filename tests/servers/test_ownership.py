"""One owner closes: connections that come and go never get each other's bytes."""

import socket
import struct
import threading
from typing import TYPE_CHECKING

import pytest

from toolkit.servers.ownership import NotTheOwnerError, OwnerCheckedEpoll

if TYPE_CHECKING:
    from tests.servers.conftest import Running, Serving

pytestmark = pytest.mark.once

RESET_ON_CLOSE = struct.pack("ii", 1, 0)  # SO_LINGER with time 0 (socket(7))


def churn(server: "Running", count: int) -> None:
    """Opens and resets connections: before, in the middle of, and after a request."""
    for number in range(count):
        with socket.create_connection((server.host, server.port), timeout=30) as client:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET_ON_CLOSE)
            if number % 3 == 1:
                client.sendall(b"GET /echo/chu")
            elif number % 3 == 2:
                client.sendall(b"GET /echo/churn HTTP/1.1\r\nHost: x\r\n\r\n")


def test_ten_thousand_resets_beside_others_mix_nobody_up(serving: "Serving", model: str) -> None:
    with serving(model) as server:
        load = server.start_load(
            "--connections", "32", "--duration", "50s", "--check-echo", "--per-connection", "7"
        )
        churners = [threading.Thread(target=churn, args=(server, 2500)) for _ in range(4)]
        for thread in churners:
            thread.start()
        for thread in churners:
            thread.join(100)
        load.terminate()
        out, err = load.communicate(timeout=60)
        assert load.returncode == 143, err
        assert '"misdelivered": 0' in out
        assert '"errors": {}' in out
        final = server.end()
    assert final["accepted"] >= 10_000
    assert final["lost"] == 0
    assert final["abandoned"] > 0


def test_only_the_owner_may_change_or_close_a_checked_epoll() -> None:
    errors: list[Exception] = []
    epoll = OwnerCheckedEpoll()
    epoll.own()

    def foreign() -> None:
        for attempt in (
            lambda: epoll.add(0, 1),
            lambda: epoll.modify(0, 1),
            lambda: epoll.modify_many([(0, 1, 0)]),
            lambda: epoll.remove(0),
            lambda: epoll.check("wait in"),
            epoll.close,
        ):
            try:
                attempt()
            except NotTheOwnerError as error:
                errors.append(error)

    thread = threading.Thread(target=foreign)
    thread.start()
    thread.join(10)
    assert len(errors) == 6
    assert not epoll.closed
    epoll.close()


def test_a_connection_closed_by_a_foreign_thread_is_caught() -> None:
    from toolkit.servers.connection import Connection
    from toolkit.servers.ledger import Tally
    from toolkit.servers.options import ServeOptions
    from toolkit.servers.service import Service

    here, there = socket.socketpair()
    service = Service(ServeOptions(check_owner=True), Tally(accepted=1))
    connection = Connection(here.detach(), 1, b"", 0)
    connection.owner = threading.get_ident()
    errors: list[Exception] = []

    def foreign() -> None:
        try:
            service.close(connection, by_client=False)
        except NotTheOwnerError as error:
            errors.append(error)

    thread = threading.Thread(target=foreign)
    thread.start()
    thread.join(10)
    assert "it belongs to thread" in str(errors[0])
    with pytest.raises(BlockingIOError):
        there.recv(1, socket.MSG_DONTWAIT)  # still open
    service.close(connection, by_client=False)
    assert there.recv(1) == b""
    there.close()
