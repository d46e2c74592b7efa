"""Targets in words and fields, against what the processes know of themselves."""

from typing import TYPE_CHECKING

import pytest

from toolkit.inspect import DataHint, Entry, EpollRecord, Holder, Target, survey

if TYPE_CHECKING:
    from tests.conftest import Start, Subject

pytestmark = pytest.mark.once  # /proc says the same to every interpreter


def entries_by_number(subject: "Subject") -> dict[int, Entry]:
    """All entries of the epoll it told of."""
    (record,) = survey([subject.pid], fd=subject["epoll"]).records
    assert isinstance(record, EpollRecord)
    return {entry.tfd: entry for entry in record.entries}


def target_of(subject: "Subject", name: str) -> Target:
    """The target of the entry whose number it told under `name`."""
    return entries_by_number(subject)[subject[name]].target


SOCKETS = """
epoll = select.epoll()
listener = socket.create_server(("127.0.0.1", 0))
client = socket.create_connection(listener.getsockname())
server, _ = listener.accept()
address = lambda name: "%s:%d" % (f"[{name[0]}]" if ":" in name[0] else name[0], name[1])
datagram = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); datagram.bind(("127.0.0.1", 0))
six = socket.socket(socket.AF_INET6); six.bind(("::1", 0)); six.listen()
path = socket.socket(socket.AF_UNIX); path.bind("here"); path.listen()
bare = socket.socket()
pair = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
netlink = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0); netlink.bind((0, 0))
made = dict(listener=listener, client=client, datagram=datagram, six=six, path=path, bare=bare, pair=pair[0],
            netlink=netlink)
for one in made.values():
    epoll.register(one, select.EPOLLIN)
server.close()
while not select.select([client], [], [], 1)[0]:
    pass
tell(epoll=epoll.fileno(), **{name: one.fileno() for name, one in made.items()},
     listening=address(listener.getsockname()), near=address(client.getsockname()),
     bound=address(datagram.getsockname()), bound_six=address(six.getsockname()[:2]))
"""


def test_sockets_have_addresses_and_states(start: "Start") -> None:
    told = start(SOCKETS)
    found = {
        name: target_of(told, name)
        for name in ("listener", "client", "datagram", "six", "path", "bare", "pair", "netlink")
    }
    assert {target.kind for target in found.values()} == {"socket"}
    seen = {name: (t.protocol, t.local, t.peer, t.socket_state) for name, t in found.items()}
    assert seen == {
        "listener": ("tcp", told["listening"], None, "LISTEN"),
        "client": ("tcp", told["near"], told["listening"], "CLOSE_WAIT"),  # the server closed its end
        "datagram": ("udp", told["bound"], None, "UNCONNECTED"),
        "six": ("tcp6", told["bound_six"], None, "LISTEN"),
        "path": ("unix-stream", "here", None, "LISTEN"),
        "bare": ("tcp", None, None, None),
        "pair": ("unix-seqpacket", None, None, "CONNECTED"),
        "netlink": ("netlink", f"family 0 port {told.pid}", None, None),
    }


def test_a_pipe_names_the_owners_of_its_other_end(start: "Start") -> None:
    told = start(
        """
epoll = select.epoll()
reader, writer = os.pipe()
epoll.register(reader, select.EPOLLIN)
child = fork(lambda: os.close(reader))
os.close(writer)
alone, ending = os.pipe()
epoll.register(alone, select.EPOLLIN)
os.close(ending)
tell(epoll=epoll.fileno(), reader=reader, writer=writer, child=child, alone=alone)
"""
    )
    target = target_of(told, "reader")
    assert (target.access, target.other_end) == ("r", (Holder(told["child"], told["writer"], "w"),))
    assert f"written by {told['child']}/{told['writer']} (" in target.text
    assert "nobody" in target_of(told, "alone").text


def test_the_other_descriptors_that_can_be_waited_on_are_named(start: "Start") -> None:
    told = start(
        """
libc = ctypes.CDLL(None)
epoll = select.epoll()
child = fork()
ended = os.fork()
if not ended:
    os._exit(0)
made = dict(eventfd=os.eventfd(0), timerfd=libc.timerfd_create(0, 0), armed=libc.timerfd_create(1, 0),
            inotify=libc.inotify_init1(0), pidfd=os.pidfd_open(child), of_ended=os.pidfd_open(ended),
            tty=pty.openpty()[1])
os.waitpid(ended, 0)
libc.timerfd_settime(made["armed"], 0, (ctypes.c_long * 4)(0, 0, 3000, 0), None)
for one in made.values():
    epoll.register(one, select.EPOLLIN)
ids = [line.split()[1] for line in open(f"/proc/self/fdinfo/{made['eventfd']}") if "-id" in line]
tell(epoll=epoll.fileno(), child=child, ids=ids, name=os.ttyname(made["tty"]), **made)
"""
    )
    assert [target_of(told, "eventfd").eventfd_id] == [int(number) for number in told["ids"]]
    assert target_of(told, "timerfd").text == "timerfd CLOCK_REALTIME disarmed"
    armed = target_of(told, "armed")
    assert armed.kind == "timerfd"
    assert armed.text.startswith("timerfd CLOCK_MONOTONIC due in 2")
    assert target_of(told, "inotify").kind == "inotify"
    assert (target_of(told, "pidfd").kind, target_of(told, "pidfd").process) == ("pidfd", told["child"])
    assert target_of(told, "of_ended").process == -1
    assert target_of(told, "tty").text == f"tty {told['name']}"


def test_data_words_and_events(start: "Start") -> None:
    told = start(
        """
from toolkit.primitives.epoll import Epoll
epoll = Epoll()
words = [None, 0x7fff00000000, 0x55d6d333ee91, 0, 2**64 - 1]
pipes = [os.pipe()[0] for _ in words]
words[1] += pipes[1]
bits = [select.EPOLLIN, select.EPOLLIN | select.EPOLLET, select.EPOLLOUT | select.EPOLLONESHOT,
        select.EPOLLIN | select.EPOLLEXCLUSIVE, 0]
for pipe, word, events in zip(pipes, words, bits):
    epoll.add(pipe, events, word)
tell(epoll=epoll.fileno(), pipes=pipes)
"""
    )
    numbers = told["pipes"]
    entries = entries_by_number(told)
    assert [(int(entries[n].data), entries[n].data_hint) for n in numbers] == [
        (numbers[0], DataHint.NUMBER),
        (0x7FFF00000000 + numbers[1], DataHint.NUMBER_LOW_HALF),
        (0x55D6D333EE91, DataHint.POINTER),
        (0, None),
        (2**64 - 1, None),
    ]
    always = {"EPOLLERR", "EPOLLHUP"}  # epoll_ctl(2): added to every entry
    assert [set(entries[n].events) - always for n in numbers] == [
        {"EPOLLIN"},
        {"EPOLLIN", "EPOLLET"},
        {"EPOLLOUT", "EPOLLONESHOT"},
        {"EPOLLIN", "EPOLLEXCLUSIVE"},
        set(),
    ]


@pytest.mark.skipif("os.geteuid() != 0", reason="unshare(2) of a network namespace needs root")
def test_sockets_of_another_network_namespace(start: "Start") -> None:
    told = start(
        """
epoll = select.epoll()
listener = socket.create_server(("0.0.0.0", 0))
epoll.register(listener, select.EPOLLIN)
tell(epoll=epoll.fileno(), listener=listener.fileno(), port=listener.getsockname()[1])
""",
        "unshare",
        "--net",
    )
    target = target_of(told, "listener")
    assert (target.local, target.socket_state) == (f"0.0.0.0:{told['port']}", "LISTEN")


@pytest.mark.skipif("os.geteuid() != 0", reason="unshare(2) of a pid namespace needs root")
def test_a_process_of_another_pid_namespace_tells_its_number_there(start: "Start") -> None:
    told = start(
        """
epoll = select.epoll()
counter = os.eventfd(0)
epoll.register(counter, select.EPOLLIN)
tell(epoll=epoll.fileno(), inner=os.getpid())
""",
        "unshare",
        "--pid",
        "--fork",
        "--kill-child",
    )
    # unshare(1) is in our namespace still, its child is not
    (pid,) = [pid for pid in children(told.pid) if children(told.pid)]
    (record,) = survey([pid], fd=told["epoll"]).records
    assert isinstance(record, EpollRecord)
    assert (record.pid, record.nspid) == (pid, (told["inner"],))
    assert [entry.state.value for entry in record.entries] == ["live"]


def children(pid: int) -> list[int]:
    """The children of a process with one thread (proc_pid_task(5))."""
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        return [int(word) for word in file.read().split()]
