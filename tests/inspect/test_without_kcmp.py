"""Where kcmp(2) is missing or forbidden, as in many containers: a real seccomp(2) filter takes it away."""

import errno
import platform
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.conftest import Start

pytestmark = pytest.mark.once  # /proc says the same to every interpreter

NUMBERS = {"x86_64": 312, "aarch64": 272}  # kcmp's, by machine (asm/unistd.h)

WATCHED = """
epoll = select.epoll()
counter, reader, one = os.eventfd(0), os.pipe()[0], socket.socket(socket.AF_UNIX)
gone = os.eventfd(0)
for made in (counter, reader, one, gone):
    epoll.register(made, select.EPOLLIN)
kept = os.dup(gone)
os.close(gone)
tell(epoll=epoll.fileno(), counter=counter, reader=reader, socket=one.fileno(), gone=gone)
"""

LOOK = """
instructions = [(0x20, 0, 0, 0), (0x15, 0, 1, {number}), (0x06, 0, 0, 0x50000 | {refusal}), (0x06, 0, 0, 0x7FFF0000)]
import struct
code = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *one) for one in instructions))
class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_void_p)]
libc = ctypes.CDLL(None, use_errno=True)
assert libc.prctl(38, 1, 0, 0, 0) == 0  # PR_SET_NO_NEW_PRIVS
program = Program(len(instructions), ctypes.addressof(code))
assert libc.prctl(22, 2, ctypes.byref(program)) == 0  # PR_SET_SECCOMP, SECCOMP_MODE_FILTER
from toolkit.inspect import survey
found = survey([{pid}], fd={epoll})
(record,) = found.records
tell(entries=[[entry.tfd, entry.state, entry.method, entry.reason] for entry in record.entries], notes=found.notes)
"""


@pytest.mark.skipif(
    platform.machine() not in NUMBERS, reason="the number of kcmp on this machine is not known here"
)
@pytest.mark.parametrize("refusal", ["ENOSYS", "EPERM"])
def test_what_needs_kcmp_is_unknown_and_says_why(start: "Start", refusal: str) -> None:
    watched = start(WATCHED)
    look = start(
        LOOK.format(
            number=NUMBERS[platform.machine()],
            refusal=getattr(errno, refusal),
            pid=watched.pid,
            epoll=watched["epoll"],
        )
    )
    why = f"kcmp: {refusal}"
    assert {tuple(entry) for entry in look["entries"]} == {
        (watched["counter"], "unknown", "none", why),
        (watched["reader"], "unknown", "none", why),
        (watched["socket"], "live", "inode", None),
        (watched["gone"], "stale", "closed", None),
    }
    assert look["notes"] == [f"2 entries are unknown, since only kcmp(2) can settle them: {why}"]
