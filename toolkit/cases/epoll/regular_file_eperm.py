"""Regular files, directories and /dev/null cannot be added: EPERM.

What it does        Adds a regular file, a directory, /dev/null and /dev/zero, and then everything that can be added.
Why it bites        epoll takes files whose driver can say "not now, I shall call you". A regular file never says
                    that, so ADD is EPERM, although poll(2) and select(2) accept it as always ready. Programs meet it
                    where they did not choose their input: `tool < file` and `tool < /dev/null` under cron or CI.
What you will see   naive: EPERM for each of them, while poll(2) says readable. right: on EPERM treat the descriptor
                    as always ready and read it; what must not block on a disk goes to a thread or to io_uring.
References          epoll_ctl(2) EPERM; SIPp/sipp#50; circonus-labs/libmtev#682; tmux/tmux#3622;
                    moonbitlang/async#533; bluez/bluez#700; php/php-src#23805
"""

import os
import signal

from toolkit.ffi.flags import EPOLLIN
from toolkit.lab import Case, Claim, Lab
from toolkit.primitives.epoll import Epoll
from toolkit.primitives.owned import Descriptor


def naive(lab: Lab) -> None:
    """Add what came in as standard input."""
    epoll = lab.epoll()
    regular, memory = lab.file(b"content"), lab.memfd()
    lab.must(
        "epoll-add-regular-file-eperm",
        expected={"file": ["EPERM", "EPOLLIN"], "memfd": ["EPERM", "EPOLLIN"]},
        observed={
            name: [lab.outcome(lab.add, epoll, fd, EPOLLIN), lab.poll(fd)]
            for name, fd in (("file", regular), ("memfd", memory))
        },
        reason="what epoll says, what poll(2) says",
    )
    lab.must(
        "epoll-add-directory-eperm",
        expected="EPERM",
        observed=lab.outcome(lab.add, epoll, lab.open(lab.tmp_path, os.O_RDONLY | os.O_DIRECTORY), EPOLLIN),
    )
    lab.must(
        "epoll-add-dev-null-zero-eperm",
        expected={"/dev/null": "EPERM", "/dev/zero": "EPERM"},
        observed={
            path: lab.outcome(lab.add, epoll, lab.open(path), EPOLLIN) for path in ("/dev/null", "/dev/zero")
        },
    )
    lab.must(
        "epoll-add-o-path-ebadf",
        expected="EBADF",
        observed=lab.outcome(lab.add, epoll, lab.open(lab.tmp_path, os.O_PATH), EPOLLIN),
    )
    no_epoll = Epoll.adopt(lab.dup(lab.eventfd()))
    lab.must(
        "epoll-ctl-eperm-precedes-einval",
        expected="EPERM",
        observed=lab.outcome(lab.add, no_epoll, regular, EPOLLIN),
        reason="neither is the first descriptor an epoll nor can the second be added",
    )


def right(lab: Lab) -> None:
    """EPERM means always ready; and what epoll does take."""
    epoll = lab.epoll()
    regular, (reader, writer) = lab.file(b"content"), lab.pipe()
    always_ready = [fd for fd in (regular, reader) if lab.outcome(lab.add, epoll, fd, EPOLLIN) == "EPERM"]
    lab.write(writer, b"piped")
    turn = {fd: lab.read(fd) for fd in (*always_ready, *lab.told(epoll))}
    lab.must(
        "epoll-eperm-means-always-ready",
        expected={regular: b"content", reader: b"piped"},
        observed=turn,
    )
    kinds = _pollable_kinds(lab)
    lab.must(
        "epoll-add-pollable-kinds-ok",
        expected=dict.fromkeys(kinds, "ok"),
        observed={name: lab.outcome(lab.add, epoll, fd, EPOLLIN) for name, fd in kinds.items()},
    )


def _pollable_kinds(lab: Lab) -> dict[str, Descriptor]:
    controller, terminal = lab.terminal()
    reader, writer = lab.pipe()
    return {
        "pipe, reading end": reader,
        "pipe, writing end": writer,
        "FIFO": lab.open(lab.fifo(), os.O_RDWR),
        "stream socket": lab.socketpair()[0],
        "TCP socket": lab.tcp_socket(),
        "UDP socket": lab.udp_socket(),
        "pseudo-terminal": terminal,
        "its controller": controller,
        "eventfd": lab.eventfd(),
        "signalfd": lab.signalfd(signal.SIGUSR1),
        "timerfd": lab.timerfd(),
        "inotify": lab.inotify(),
        "pidfd": lab.pidfd(os.getpid()),
        "epoll": lab.epoll(),
        "/dev/random": lab.open("/dev/random"),
        "/proc/self/mounts": lab.open("/proc/self/mounts"),
    }


CASE = Case(
    variants=(naive, right),
    claims=(
        Claim(
            "epoll-add-regular-file-eperm",
            "ADD of a regular file or a memfd is EPERM, though poll(2) reports it as ready.",
            "epoll_ctl(2) EPERM",
        ),
        Claim("epoll-add-directory-eperm", "ADD of a directory is EPERM.", "epoll_ctl(2) EPERM"),
        Claim(
            "epoll-add-dev-null-zero-eperm",
            "ADD of /dev/null or /dev/zero is EPERM: their drivers have no poll operation.",
            "epoll_ctl(2) EPERM; LTP epoll_ctl06",
        ),
        Claim(
            "epoll-add-o-path-ebadf",
            "ADD of an O_PATH descriptor is EBADF.",
            "open(2) O_PATH; LTP epoll_ctl06",
        ),
        Claim(
            "epoll-ctl-eperm-precedes-einval",
            "Whether the target can be polled is checked before whether epfd is an epoll: EPERM, not EINVAL.",
            "fs/eventpoll.c do_epoll_ctl",
        ),
        Claim(
            "epoll-eperm-means-always-ready",
            "A loop that treats EPERM as always ready serves a regular file beside a pipe.",
            "poll(2); epoll_ctl(2) EPERM",
        ),
        Claim(
            "epoll-add-pollable-kinds-ok",
            "ADD succeeds for pipes, FIFOs, sockets, terminals, eventfd, signalfd, timerfd, inotify, pidfd, another"
            " epoll, /dev/random and /proc/self/mounts.",
            "epoll_ctl(2) EPERM; LTP epoll_ctl06",
        ),
    ),
)
