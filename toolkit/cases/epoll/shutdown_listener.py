"""shutdown() of a listener wakes the thread that waits for connections; close() does not.

What it does        A thread waits on a listener; another one wants it to stop accepting.
Why it bites        close() of the listener is the obvious way, and it wakes nobody: the accepting thread sleeps
                    until the next client, who never comes, for nobody listens any more. On Linux shutdown() of a
                    listener ends the listening and is an event. Elsewhere (BSD, macOS) it is ENOTCONN, so portable
                    code uses a wake-up descriptor.
What you will see   naive: after close() the waiter is still asleep and hears of nothing but another descriptor.
                    right: EPOLLHUP at once, without EPOLLIN or EPOLLRDHUP, and accept() says EINVAL.
References          shutdown(2); accept(2) EINVAL; net/ipv4/tcp.c tcp_poll, inet_shutdown;
                    obsidiansystems/gargoyle#21; ziglang/zig#6226
"""

import socket

from toolkit.ffi.flags import EPOLLHUP, EPOLLIN, EPOLLRDHUP
from toolkit.lab import Case, Claim, Lab


def naive(lab: Lab) -> None:
    """close()."""
    epoll, (listener, _), other = lab.epoll(), lab.listener(), lab.eventfd()
    lab.add(epoll, listener, EPOLLIN | EPOLLRDHUP)
    lab.add(epoll, other, EPOLLIN)
    waiter = lab.asleep(lab.told, epoll, 5.0)
    lab.close(listener)
    other.write(1)
    lab.must(
        "epoll-close-listener-does-not-wake-waiter",
        expected=[other.fileno()],
        observed=waiter.result(),
        reason="what the waiter returned",
    )


def right(lab: Lab) -> None:
    """shutdown(SHUT_RD)."""
    epoll, (listener, address) = lab.epoll(), lab.listener()
    lab.add(epoll, listener, EPOLLIN | EPOLLRDHUP)
    waiter = lab.asleep(lab.wait, epoll, 5.0)
    lab.shutdown(listener, socket.SHUT_RD)
    lab.must(
        "epoll-shutdown-listener-wakes-waiter",
        expected=[[(listener, EPOLLHUP)], "EINVAL", "ECONNREFUSED"],
        observed=[
            waiter.result(),
            lab.outcome(lab.accept, listener),
            lab.outcome(lab.connect, address),
        ],
        reason="the waiter's event; accept(); a client's connect()",
    )


CASE = Case(
    variants=(naive, right),
    claims=(
        Claim(
            "epoll-close-listener-does-not-wake-waiter",
            "close() of a listener does not wake a thread that waits for its connections.",
            "epoll(7) Q7; observed",
        ),
        Claim(
            "epoll-shutdown-listener-wakes-waiter",
            "shutdown(SHUT_RD) of a TCP listener wakes the waiter with EPOLLHUP and ends the listening.",
            "observed; net/ipv4/af_inet.c inet_shutdown",
        ),
    ),
)
