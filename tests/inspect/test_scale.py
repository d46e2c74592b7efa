"""Large interest lists, many descriptors, many processes: right, within the budget, and cheap beside reading fdinfo."""

import os
import statistics
import time
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from toolkit.inspect import EpollRecord, Method, State, survey
from toolkit.inspect.processes import list_processes
from toolkit.primitives.fdinfo import read_fdinfo_bytes, read_interest_list

if TYPE_CHECKING:
    from tests.conftest import Start, Subject

pytestmark = pytest.mark.once  # /proc says the same to every interpreter

ENTRIES = 100_000

# Helpers share one epoll, since a process may not have that many descriptors; each registers its own, under the same
# numbers as all the others.
HELPERS = """
import resource
hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
each = min(hard - 100, 12_500)
helpers = -(-{entries} // each)
epoll = select.epoll()
number = epoll.fileno()
kept = []
def register(count):
    for _ in range(count):
        {make}
        kept.append(made)
        epoll.register(made, select.EPOLLIN)
shares = [{entries} // helpers] * (helpers - 1)
shares.append({entries} - sum(shares))
children = [fork(lambda share=share: register(share)) for share in shares]
epoll.close()
tell(epoll=number, children=children, shares=shares)
"""


def only_epoll(pid: int, fd: int, budget_s: float) -> EpollRecord:
    """The one record of that epoll."""
    (record,) = survey([pid], fd=fd, budget_s=budget_s).records
    assert isinstance(record, EpollRecord)
    return record


@pytest.mark.timeout(300)
def test_a_hundred_thousand_sockets_in_one_epoll(start: "Start") -> None:
    make = "made = socket.socket(socket.AF_UNIX).detach()"
    subject = start(HELPERS.format(entries=ENTRIES, make=make))
    first = subject["children"][0]
    record = only_epoll(first, subject["epoll"], 1.0)
    assert len(record.entries) == ENTRIES
    assert {(entry.state, entry.method) for entry in record.entries} == {(State.LIVE, Method.INODE)}
    owners = [entry.in_pid or first for entry in record.entries]
    assert [owners.count(child) for child in subject["children"]] == subject["shares"]


@pytest.mark.timeout(300)
def test_kcmp_stays_within_its_budget(start: "Start") -> None:
    subject = start(HELPERS.format(entries=ENTRIES, make="made = os.eventfd(0)"))
    found = survey([subject["children"][0]], fd=subject["epoll"], budget_s=0.05)
    (record,) = found.records
    assert isinstance(record, EpollRecord)
    unknown = [entry for entry in record.entries if entry.state is State.UNKNOWN]
    assert len(record.entries) == ENTRIES
    assert {entry.reason for entry in unknown} == {"budget"}
    assert 0 < len(unknown) < ENTRIES  # the first question is always asked
    assert {entry.state for entry in record.entries} == {State.UNKNOWN, State.LIVE}
    assert any("--budget" in note for note in found.notes)


def test_the_budget_goes_first_to_numbers_registered_twice(start: "Start") -> None:
    subject = start(
        """
epoll = select.epoll()
kept = [os.eventfd(0) for _ in range(2000)]
for made in kept:
    epoll.register(made, select.EPOLLIN)
old = kept[1000]
kept.append(os.dup(old))
os.dup2(os.eventfd(0), old)
epoll.register(old, select.EPOLLIN)
tell(epoll=epoll.fileno(), old=old)
"""
    )
    entries = only_epoll(subject.pid, subject["epoll"], 1e-9).entries  # one question to kcmp, no more
    # The one answer is about the number registered twice; where it says stale, none is left to confirm it.
    assert {entry.tfd for entry in entries if entry.state is not State.UNKNOWN} <= {subject["old"]}


def test_ten_thousand_descriptors_in_a_process(start: "Start") -> None:
    subject = start(
        """
import resource
hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
epoll = select.epoll()
count = min(10_000, hard - 100)
sockets = [socket.socket(socket.AF_UNIX).detach() for _ in range(count // 2)]
pipes = [end for _ in range(count // 4) for end in os.pipe()]
for made in sockets:
    epoll.register(made, select.EPOLLIN)
copies = [os.dup(made) for made in sockets[::500]]
for made in sockets[::500]:
    os.close(made)
tell(epoll=epoll.fileno(), closed=sockets[::500], count=len(sockets))
"""
    )
    entries = only_epoll(subject.pid, subject["epoll"], 1.0).entries
    assert len(entries) == subject["count"]
    assert [entry.tfd for entry in entries if entry.state is State.STALE] == subject["closed"]


BUSY_BOX = """
made = []
def work():
    epoll, counter, pair, pipe = select.epoll(), os.eventfd(0), socket.socketpair(), os.pipe()
    others = [os.pipe() for _ in range(4)]
    for fd in (counter, pair[0].fileno(), pipe[0]):
        epoll.register(fd, select.EPOLLIN)
    made.append((epoll, pair))
children = [fork(work) for _ in range(500)]
tell(children=children)
"""


def read_every_fdinfo() -> int:
    """Lists all processes' descriptors and reads each one's fdinfo: what a look at everything cannot do without."""
    size = 0
    for pid in list_processes():
        with suppress(OSError):
            for number in os.listdir(f"/proc/{pid}/fdinfo"):  # noqa: PTH208  names, fast
                size += len(read_fdinfo_bytes(int(number), pid))
    return size


@pytest.mark.alone
@pytest.mark.timeout(300)
def test_all_of_a_busy_box_costs_at_most_twice_reading_its_fdinfo(start: "Start") -> None:
    subject = start(BUSY_BOX)
    ratios = []
    for _ in range(5):
        began = time.process_time()
        read_every_fdinfo()
        between = time.process_time()
        found = survey()
        ratios.append((time.process_time() - between) / (between - began))
    mine = [record for record in found.records if record.pid in set(subject["children"])]
    assert len(mine) == 1000
    assert statistics.median(ratios) <= 2, ratios


def test_parsing_agrees_with_what_was_registered(start: "Start") -> None:
    subject: Subject = start(
        """
epoll = select.epoll()
numbers = [end for _ in range(300) for end in os.pipe()]
for number in numbers:
    epoll.register(number, number & 0x3005)
tell(epoll=epoll.fileno(), numbers=numbers, inodes=[os.fstat(number).st_ino for number in numbers])
"""
    )
    entries = read_interest_list(subject["epoll"], subject.pid)
    always = 0x18  # EPOLLERR, EPOLLHUP
    assert sorted((entry.tfd, entry.events, entry.ino) for entry in entries) == [
        (number, number & 0x3005 | always, ino)
        for number, ino in zip(subject["numbers"], subject["inodes"], strict=True)
    ]
    assert {entry.data & 0xFFFFFFFF for entry in entries} == set(subject["numbers"])
