"""A worker process of the pool: takes a client's descriptor from a message, sends the file, says that it is free."""

import errno
import os
import signal
import socket
import struct
import sys
from array import array
from typing import NoReturn

from toolkit.ffi import linux
from toolkit.servers.file_sending import WAYS
from toolkit.servers.options import SECOND_NS, ServeOptions

CLIENT = b"C"
"""A message with one descriptor beside it: serve this client."""
EXIT = b"X"
"""A message like any other, so that it is read after the clients sent before it: finish, then end."""

WHOLE, ABANDONED, STALLED = b"W", b"A", b"S"
"""What a worker reports of a client: it got everything, it left, it took nothing for too long."""

_LINGER_S = 2


def send_client(channel: socket.socket, fd: int) -> None:
    """Passes a descriptor: SCM_RIGHTS (unix(7)). The receiver gets a number of its own for the same open file.

    Raises:
        OSError: the worker is gone, or its channel is full.
    """
    channel.sendmsg([CLIENT], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array("i", [fd]))])


def become_worker(options: ServeOptions, file: int, channel: socket.socket, parent: int) -> NoReturn:
    """The child's whole life.

    Handlers and the wake-up descriptor were inherited: left as they are, Ctrl-C in this process would write to the
    parent's pipe. So they go first.
    """
    status = 1
    try:
        signal.set_wakeup_fd(-1)
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(
                number, signal.SIG_IGN
            )  # they reach the whole group, and it is the parent that decides
        linux.lib.evk_prctl(linux.lib.PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() == parent:  # else it died before the prctl
            _serve(options, file, channel)
            status = 0
    except BaseException as error:
        sys.stderr.write(f"evkit serve: worker: {error}\n")
    finally:
        os._exit(status)


def _serve(options: ServeOptions, file: int, channel: socket.socket) -> None:
    send = WAYS[options.send]
    while True:
        message, ancillary, _, _ = channel.recvmsg(1, socket.CMSG_SPACE(4))
        if message != CLIENT:  # EXIT, or the parent is gone
            return
        [(_, _, rights)] = ancillary
        with socket.socket(fileno=array("i", rights)[0]) as client:
            client.setblocking(True)
            _limit(client, socket.SO_SNDTIMEO, options.idle_timeout_ns / SECOND_NS)
            try:
                send(client, file, os.fstat(file).st_size)
                _linger(client)
            except OSError as error:
                stalled = error.errno in (errno.EAGAIN, errno.EWOULDBLOCK)
                channel.send(STALLED if stalled else ABANDONED)
            else:
                channel.send(WHOLE)


def _linger(client: socket.socket) -> None:
    """Our end of file, then the client's: only then is everything certainly there."""
    client.shutdown(socket.SHUT_WR)
    _limit(client, socket.SO_RCVTIMEO, _LINGER_S)
    try:
        while client.recv(4096):
            pass
    except BlockingIOError:
        return  # it has our end of file in its queue; that it keeps its own side open is its affair


def _limit(client: socket.socket, option: int, seconds: float) -> None:
    whole = int(seconds)
    client.setsockopt(socket.SOL_SOCKET, option, struct.pack("@ll", whole, int((seconds - whole) * 1e6)))
