"""`struct signalfd_siginfo` decoded, and signals by name (signalfd(2), signal(7)).

A mask is 64 bits, bit n-1 for signal n, as the kernel has it.
"""

import signal
import struct
from collections.abc import Iterable
from functools import cache
from typing import Any, NamedTuple

RECORD_SIZE = 128
_RECORDS = struct.Struct("=I2i2Ii4I2i4QH2xiQI28x")

# sigaction(2): who sent it, by si_code.
_CODES = {0: "SI_USER", -1: "SI_QUEUE", -2: "SI_TIMER", -3: "SI_MESGQ", -4: "SI_ASYNCIO", -5: "SI_SIGIO",
          -6: "SI_TKILL", 0x80: "SI_KERNEL"}  # fmt: skip
_CHILD_CODES = {1: "CLD_EXITED", 2: "CLD_KILLED", 3: "CLD_DUMPED", 4: "CLD_TRAPPED", 5: "CLD_STOPPED",
                6: "CLD_CONTINUED"}  # fmt: skip


class SigInfo(NamedTuple):
    """One record read from a signalfd, every `ssi_*` field (signalfd(2)).

    `ssi_ptr`, `ssi_addr` and `ssi_call_addr` are unsigned 64-bit words, `ssi_int` is the signed low half of
    `ssi_ptr`; `ssi_utime` and `ssi_stime` count clock ticks. The last three are filled from Linux 4.18 on (SIGSYS).
    """

    ssi_signo: int
    ssi_errno: int
    ssi_code: int
    ssi_pid: int
    ssi_uid: int
    ssi_fd: int
    ssi_tid: int
    ssi_band: int
    ssi_overrun: int
    ssi_trapno: int
    ssi_status: int
    ssi_int: int
    ssi_ptr: int
    ssi_utime: int
    ssi_stime: int
    ssi_addr: int
    ssi_addr_lsb: int
    ssi_syscall: int
    ssi_call_addr: int
    ssi_arch: int

    @property
    def name(self) -> str:
        """`SIGUSR1`, `SIGRTMIN+3`."""
        return signal_name(self.ssi_signo)

    @property
    def code_name(self) -> str:
        """`SI_USER`, `CLD_EXITED`; the number where it has no name."""
        table = _CHILD_CODES if self.ssi_signo == signal.SIGCHLD and 0 < self.ssi_code < 0x80 else _CODES
        return table.get(self.ssi_code, str(self.ssi_code))

    def brief(self) -> str:
        """Name, code and sender, as a trace shows it."""
        return f"{{ssi_signo={self.name}, ssi_code={self.code_name}, ssi_pid={self.ssi_pid}}}"


unpack = _RECORDS.unpack_from
"""The fields of the first record in a buffer."""
new_tuple = tuple.__new__
"""Makes a SigInfo of `unpack`'s fields: `_make` without its frame and its count, which the format makes right."""


def decode(data: Any) -> list[SigInfo]:  # noqa: ANN401  any buffer
    """Every record in `data`, whose size is a multiple of 128 bytes."""
    return list(map(SigInfo._make, _RECORDS.iter_unpack(data)))


def mask_of(signals: Iterable[int]) -> int:
    """The 64-bit mask of `signals`.

    Raises ValueError for a number outside 1..64.
    """
    mask = 0
    for number in signals:
        if not 1 <= number <= 64:
            raise ValueError(f"no signal has the number {number}; they go from 1 to 64")
        mask |= 1 << (number - 1)
    return mask


def signals_of(mask: int) -> list[int]:
    """The signal numbers in a 64-bit mask, lowest first."""
    return [number for number in range(1, 65) if mask >> (number - 1) & 1]


@cache
def signal_name(number: int) -> str:
    """`SIGUSR1`, `SIGRTMIN+3`; the number itself where it has no name."""
    if signal.SIGRTMIN < number < signal.SIGRTMAX:
        return f"SIGRTMIN+{number - signal.SIGRTMIN}"
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)


def signal_number(word: str) -> int:
    """The number that a user means by `USR1`, `SIGUSR1`, `RTMIN+3`, `RTMAX-1` or `10`.

    Raises ValueError naming near misses.
    """
    text = word.upper().removeprefix("SIG")
    if text.isdigit() and 1 <= int(text) <= 64:
        return int(text)
    for base, sign in (("RTMIN", "+"), ("RTMAX", "-")):
        if text.startswith(base + sign) and text[len(base) + 1 :].isdigit():
            number = signal.Signals["SIG" + base] + int(text[len(base) :])
            if signal.SIGRTMIN <= number <= signal.SIGRTMAX:
                return int(number)
    known = signal.Signals.__members__
    if f"SIG{text}" in known:
        return int(known[f"SIG{text}"])
    from difflib import get_close_matches  # only a user who mistyped pays for it

    near = get_close_matches(text, [name.removeprefix("SIG") for name in known], n=3)
    hint = f"did you mean {' or '.join(near)}?" if near else "try USR1, RTMIN+3 or a number from 1 to 64"
    raise ValueError(f"unknown signal {word!r}; {hint}")
