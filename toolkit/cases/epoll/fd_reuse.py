"""A stale registration speaks in the name of the descriptor's next owner.

What it does        Registers a pipe under its own number, duplicates it, closes the number, and opens a socket,
                    which gets the same number. Then somebody writes to the pipe.
Why it bites        epoll's key is the pair of number and open file description. close() ends the number, but the
                    duplicate (a child process, a dup) keeps the description, so the entry stays, and its data word
                    still holds the number that now belongs to somebody else.
What you will see   naive: a map keyed by number delivers the dead pipe's event to the new socket, to which nobody
                    wrote. right: the data word carries a generation beside the number, so the event is recognised as
                    one for a former owner and dropped; the same with {fd, local port, remote port} as the key.
References          epoll(7) Q6 and Q7; moonbitlang/async#571; creytiv/re#266; joyent/libuv#968
"""

from toolkit.ffi.flags import EPOLLIN
from toolkit.lab import Case, Claim, Lab


def naive(lab: Lab) -> None:
    """The data word is the number, and the number finds the connection."""
    epoll, (reader, writer) = lab.epoll(), lab.pipe()
    lab.add(epoll, reader, EPOLLIN, data=reader)
    lab.dup(reader)
    number = lab.close(reader)
    newcomer, _peer = lab.socketpair()
    lab.must("epoll-lowest-number-is-reused", expected=number, observed=newcomer)
    lab.add(epoll, newcomer, EPOLLIN, data=newcomer)
    lab.must(
        "epoll-fd-number-reuse-two-entries",
        expected=[newcomer, newcomer],
        observed=[entry.tfd for entry in lab.interest_list(epoll)],
    )
    owners = {newcomer: "the new socket"}
    lab.write(writer, b"for the dead")
    told = [owners[data] for data, _ in lab.wait(epoll)]
    lab.must("epoll-reuse-misdelivers-by-number", expected=["the new socket"], observed=told)
    lab.must(
        "epoll-reuse-misdelivers-by-number",
        expected="EAGAIN",
        observed=lab.outcome(lab.recv_now, newcomer),
        reason="the new socket has nothing to read",
    )


def right(lab: Lab) -> None:
    """The data word is generation and number; only the current generation is delivered."""
    epoll, (reader, writer) = lab.epoll(), lab.pipe()
    generations: dict[int, int] = {}

    def register(fd: int) -> None:
        generations[fd] = generations.get(fd, 0) + 1
        lab.add(epoll, fd, EPOLLIN, data=generations[fd] << 32 | fd)

    register(reader)
    lab.dup(reader)
    lab.close(reader)
    newcomer, peer = lab.socketpair()
    register(newcomer)
    lab.write(writer, b"for the dead")
    lab.send(peer, b"for the living")
    delivered = [
        lab.read(data & 0xFFFFFFFF)
        for data, _ in lab.wait(epoll)
        if generations[data & 0xFFFFFFFF] == data >> 32
    ]
    lab.must("epoll-generation-in-data-word", expected=[b"for the living"], observed=delivered)
    _connections_known_by_their_ports(lab)


def _connections_known_by_their_ports(lab: Lab) -> None:
    """The data word is {fd, local port, remote port}, which two connections never share while both live."""
    epoll, (listener, address) = lab.epoll(), lab.listener(nonblocking=False)

    current: dict[int, int] = {}

    def accept() -> int:
        server = lab.accept(listener)
        current[server] = server << 32 | lab.local_port(server) << 16 | lab.peer_port(server)
        lab.add(epoll, server, EPOLLIN, data=current[server])
        return server

    old_client, new_client = lab.connect(address), lab.connect(address)
    old = accept()
    lab.dup(old)
    lab.close(old)
    new = accept()
    lab.must("epoll-lowest-number-is-reused", expected=old, observed=new)
    lab.send(old_client, b"for the dead")
    known = [key in current.values() for key in lab.told(epoll, within=1.0)]
    lab.must("epoll-ports-in-data-word", expected=[False], observed=known)
    lab.send(new_client, b"for the living")
    lab.poll(new, EPOLLIN, within=1.0)
    delivered = [lab.recv_now(key >> 32) for key in lab.told(epoll) if current[key >> 32] == key]
    lab.must("epoll-ports-in-data-word", expected=[b"for the living"], observed=delivered)


CASE = Case(
    variants=(naive, right),
    claims=(
        Claim(
            "epoll-lowest-number-is-reused",
            "A new descriptor gets the lowest free number, so a closed number has a new owner at once.",
            "open(2) DESCRIPTION",
        ),
        Claim(
            "epoll-fd-number-reuse-two-entries",
            "A reused number can be registered beside the orphan of its former owner, and both entries "
            "show it.",
            "epoll(7) Q1, Q7",
        ),
        Claim(
            "epoll-reuse-misdelivers-by-number",
            "A loop that finds the connection by number hands the orphan's event to the number's new owner.",
            "epoll(7) Q7",
        ),
        Claim(
            "epoll-generation-in-data-word",
            "A generation beside the number in the 64-bit data word tells the orphan's event from the "
            "owner's.",
            "epoll_ctl(2) data; epoll(7) Q7",
        ),
        Claim(
            "epoll-ports-in-data-word",
            "Number, local port and remote port fit the data word, and tell two TCP connections of one "
            "number apart.",
            "epoll_ctl(2) data; tcp(7)",
        ),
    ),
)
