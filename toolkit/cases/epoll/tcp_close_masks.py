"""Which bits a TCP socket shows when a side closes, and when it is reset.

What it does        Closes, shuts down and resets one end of a connection and reads the event mask of the other.
Why it bites        A peer's close() is no EPOLLHUP: that needs both directions shut, so code that waits for it never
                    sees an ordinary end. A reset sets everything at once, EPOLLIN included, and reading SO_ERROR
                    takes EPOLLERR away. A listener is never EPOLLOUT, whatever comes.
What you will see   FIN: EPOLLIN|EPOLLRDHUP; and with our own SHUT_WR after it, EPOLLHUP too. RST: EPOLLIN,
                    EPOLLRDHUP, EPOLLERR and EPOLLHUP.
References          epoll_ctl(2) EPOLLRDHUP, EPOLLHUP, EPOLLPRI; net/ipv4/tcp.c tcp_poll; LTP epoll_wait05
"""

import errno
import socket

from toolkit.ffi.flags import EPOLLERR, EPOLLHUP, EPOLLIN, EPOLLOUT, EPOLLPRI, EPOLLRDHUP
from toolkit.lab import Case, Claim, Lab

_END = EPOLLIN | EPOLLRDHUP


def close(lab: Lab) -> None:
    """An end, a reset, urgent data, a listener."""
    epoll, (client, server) = lab.epoll(), lab.tcp_pair()
    lab.add(epoll, server, EPOLLIN | EPOLLRDHUP)
    lab.close(client)
    ended = lab.until(epoll, _END)
    lab.shutdown(server, socket.SHUT_WR)
    lab.must(
        "epoll-tcp-peer-close-no-hup",
        expected=[_END, _END | EPOLLHUP],
        observed=[ended, lab.until(epoll, EPOLLHUP)],
        reason="after the peer's close(); after our own shutdown(SHUT_WR)",
    )
    lab.remove(epoll, server)

    client, server = lab.tcp_pair()
    lab.add(epoll, server, EPOLLIN | EPOLLRDHUP)
    lab.reset(client)
    reset = lab.until(epoll, _END | EPOLLERR | EPOLLHUP)
    error = lab.socket_error(server)
    after = lab.ready(epoll)
    lab.must(
        "epoll-tcp-rst-in-rdhup-err-hup",
        expected=[_END | EPOLLERR | EPOLLHUP, "ECONNRESET", [(server, _END | EPOLLHUP)]],
        observed=[reset, errno.errorcode.get(error, error), after],
        reason="the event, SO_ERROR, and the event after SO_ERROR was read",
    )
    lab.remove(epoll, server)

    client, server = lab.tcp_pair()
    lab.add(epoll, server, EPOLLIN | EPOLLRDHUP)
    lab.shutdown(server, socket.SHUT_RD)
    lab.must("epollrdhup-own-shut-rd", expected=_END, observed=lab.until(epoll, _END))
    lab.remove(epoll, server)

    client, server = lab.tcp_pair()
    lab.add(epoll, server, EPOLLIN | EPOLLPRI)
    lab.send(client, b"!", socket.MSG_OOB)
    urgent = lab.until(epoll, EPOLLPRI)
    lab.send(client, b"in band")
    lab.must(
        "epollpri-tcp-oob",
        expected=[EPOLLPRI, EPOLLIN | EPOLLPRI],
        observed=[urgent, lab.until(epoll, EPOLLIN | EPOLLPRI)],
        reason="an urgent byte alone; with ordinary data behind it",
    )
    lab.remove(epoll, server)

    listener, address = lab.listener()
    lab.add(epoll, listener, EPOLLIN | EPOLLOUT)
    idle = lab.ready(epoll)
    lab.connect(address)
    lab.must(
        "epoll-listener-out-never",
        expected=[[], [(listener, EPOLLIN)]],
        observed=[idle, lab.wait(epoll)],
    )


CASE = Case(
    variants=(close,),
    claims=(
        Claim(
            "epoll-tcp-peer-close-no-hup",
            "A TCP peer's close() is EPOLLIN|EPOLLRDHUP; EPOLLHUP comes only after our own SHUT_WR as well.",
            "net/ipv4/tcp.c tcp_poll; observed",
        ),
        Claim(
            "epoll-tcp-rst-in-rdhup-err-hup",
            "A reset is EPOLLIN|EPOLLRDHUP|EPOLLERR|EPOLLHUP, and reading SO_ERROR clears EPOLLERR.",
            "net/ipv4/tcp.c tcp_poll; socket(7) SO_ERROR",
        ),
        Claim(
            "epollrdhup-own-shut-rd",
            "shutdown(SHUT_RD) of the watched socket itself reports EPOLLRDHUP.",
            "LTP epoll_wait05; shutdown(2)",
            since="2.6.17",
        ),
        Claim(
            "epollpri-tcp-oob",
            "An urgent byte is EPOLLPRI, without EPOLLIN unless ordinary data is there as well.",
            "epoll_ctl(2) EPOLLPRI; poll(2) POLLPRI",
        ),
        Claim(
            "epoll-listener-out-never",
            "A listener reports EPOLLIN for a queued connection and never EPOLLOUT.",
            "net/ipv4/tcp.c tcp_poll; observed",
        ),
    ),
)
