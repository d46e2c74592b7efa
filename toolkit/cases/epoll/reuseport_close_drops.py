"""Closing one of several SO_REUSEPORT listeners resets the connections that wait in its queue.

What it does        Two listeners share a port; clients connect; one listener is closed before anybody accepts.
Why it bites        With SO_REUSEPORT each listener has a queue of its own, and the kernel has already chosen one for
                    every connection. A worker that ends, at a reload say, takes its queue along: clients that were
                    connected get a reset, and with many workers it looks like bad luck.
What you will see   naive: some clients reset, about half. right: accept until EAGAIN before close(): none. (Since
                    5.14 net.ipv4.tcp_migrate_req=1 hands the queue to another listener.)
References          socket(7) SO_REUSEPORT; ip-sysctl tcp_migrate_req; emmett-framework/granian#567;
                    libp2p/go-reuseport#6; cloudflare/pingora#427; envoyproxy/envoy#8031
"""

from pathlib import Path

from toolkit.ffi.flags import EPOLLERR, EPOLLHUP, EPOLLRDHUP
from toolkit.lab import Case, Claim, Lab
from toolkit.lab.threads import until

_CLIENTS = 32


def _connected(lab: Lab) -> tuple[list[int], list[int], list[int]]:
    """Two listeners of one port, the clients, and how many of those wait in each listener's queue."""
    first, address = lab.listener(reuseport=True)
    listeners = [first, lab.listener(reuseport=True, address=address)[0]]
    clients = [lab.connect(address) for _ in range(_CLIENTS)]
    return listeners, clients, lab.all_queued(listeners, _CLIENTS)


def _cut(lab: Lab, clients: list[int]) -> int:
    """How many of the clients were reset."""
    return sum(bool(lab.poll(client, EPOLLRDHUP) & (EPOLLERR | EPOLLHUP)) for client in clients)


def naive(lab: Lab) -> None:
    """close() with a queue."""
    migrate = Path("/proc/sys/net/ipv4/tcp_migrate_req")
    if migrate.exists() and migrate.read_text().strip() != "0":
        lab.skip_rest("net.ipv4.tcp_migrate_req is on: queues are handed over")
    listeners, clients, queues = _connected(lab)
    lab.close(listeners[0])
    until(lambda: _cut(lab, clients) >= queues[0], "the clients of the closed listener were reset")
    lab.must(
        "so-reuseport-close-resets-its-queue",
        expected=queues[0],
        observed=_cut(lab, clients),
        reason=f"clients reset; of {_CLIENTS}, {queues[0]} were in the queue of the closed listener",
    )


def right(lab: Lab) -> None:
    """Accept what is there, then close()."""
    listeners, clients, queues = _connected(lab)
    served = 0
    while lab.outcome(lab.accept, listeners[0]) == "ok":
        served += 1
    lab.close(listeners[0])
    lab.must(
        "so-reuseport-accept-before-close-loses-none",
        expected=[queues[0], 0],
        observed=[served, _cut(lab, clients)],
        reason="connections accepted before close(); clients reset",
    )


CASE = Case(
    variants=(naive, right),
    claims=(
        Claim(
            "so-reuseport-close-resets-its-queue",
            "Closing a SO_REUSEPORT listener resets what waits in its own queue.",
            "socket(7) SO_REUSEPORT; net/ipv4/inet_connection_sock.c inet_csk_listen_stop",
        ),
        Claim(
            "so-reuseport-accept-before-close-loses-none",
            "Accepting until EAGAIN before close() loses no connection.",
            "accept(2)",
        ),
    ),
    needs=("so_reuseport",),
)
