"""A refused connect() reports EPOLLOUT, which looks like success.

What it does        Connects without blocking to a port where nobody listens, and waits for EPOLLOUT.
Why it bites        "Writable" is how a finished connect() announces itself, failed ones included: EPOLLOUT, EPOLLERR
                    and EPOLLHUP come together. Code that looks at EPOLLOUT first marks a dead backend as healthy;
                    code that waits for EPOLLOUT alone hung on kernels (2.6.32) that left it out for a failure.
What you will see   naive: EPOLLOUT is there, and the first send() fails. right: SO_ERROR is read before anything
                    else: ECONNREFUSED for the dead port, 0 for the living one. Reading it clears EPOLLERR, not
                    EPOLLHUP.
References          connect(2) EINPROGRESS; socket(7) SO_ERROR; scylladb/seastar#309; axboe/liburing#1217;
                    haproxy/haproxy#1863 and #169
"""

import errno

from toolkit.ffi.flags import EPOLLERR, EPOLLHUP, EPOLLOUT
from toolkit.lab import Case, Claim, Lab


def _refused(lab: Lab) -> int:
    """A non-blocking socket whose connect() is refused: the port is bound, and nobody listens on it."""
    address = lab.bind(lab.tcp_socket())
    return lab.connect(address, nonblocking=True)


def naive(lab: Lab) -> None:
    """EPOLLOUT means connected."""
    epoll, sock = lab.epoll(), _refused(lab)
    lab.add(epoll, sock, EPOLLOUT)
    mask = lab.until(epoll, EPOLLOUT | EPOLLERR | EPOLLHUP)
    lab.must("epoll-connect-refused-out-err-hup", expected=EPOLLOUT | EPOLLERR | EPOLLHUP, observed=mask)
    lab.must(
        "epoll-out-is-no-proof-of-connection",
        expected=["EPOLLOUT", "ECONNREFUSED"],
        observed=[mask & EPOLLOUT, lab.outcome(lab.send, sock, b"hello")],
    )


def right(lab: Lab) -> None:
    """SO_ERROR decides."""
    epoll, dead = lab.epoll(), _refused(lab)
    _listener, address = lab.listener()
    alive = lab.connect(address, nonblocking=True)
    for sock in (dead, alive):
        lab.add(epoll, sock, EPOLLOUT)
    lab.until(epoll, EPOLLOUT | EPOLLERR | EPOLLHUP)
    lab.poll(alive, EPOLLOUT, within=1.0)
    verdicts = {fd: errno.errorcode.get(lab.socket_error(fd), "connected") for fd in lab.told(epoll)}
    lab.must(
        "epoll-so-error-tells-refused-from-connected",
        expected={dead: "ECONNREFUSED", alive: "connected"},
        observed=verdicts,
    )
    lab.must(
        "epoll-so-error-read-clears-err-not-hup",
        expected={dead: EPOLLOUT | EPOLLHUP, alive: EPOLLOUT},
        observed=dict(lab.ready(epoll)),
    )


CASE = Case(
    variants=(naive, right),
    claims=(
        Claim(
            "epoll-connect-refused-out-err-hup",
            "A refused non-blocking connect reports EPOLLOUT|EPOLLERR|EPOLLHUP.",
            "connect(2) EINPROGRESS; observed",
        ),
        Claim(
            "epoll-out-is-no-proof-of-connection",
            "A socket whose connect was refused is writable as far as epoll says, and send() fails on it.",
            "connect(2) EINPROGRESS",
        ),
        Claim(
            "epoll-so-error-tells-refused-from-connected",
            "After EPOLLOUT, SO_ERROR says whether the connection stands.",
            "connect(2) EINPROGRESS; socket(7) SO_ERROR",
        ),
        Claim(
            "epoll-so-error-read-clears-err-not-hup",
            "Reading SO_ERROR takes the pending error, so EPOLLERR ends; EPOLLHUP stays, for the socket is "
            "closed.",
            "socket(7) SO_ERROR",
        ),
    ),
)
