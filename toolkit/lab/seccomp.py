"""Taking a system call away from this process, as a sandbox does (seccomp(2))."""

import errno
import struct

from toolkit.ffi import linux, raw, tracing
from toolkit.ffi.errors import errno_name

_PR_SET_NO_NEW_PRIVS = 38
_SECCOMP_SET_MODE_FILTER = 1
_LOAD_WORD = 0x20
_JUMP_IF_EQUAL = 0x15
_RETURN = 0x06
_ALLOW = 0x7FFF0000
_ERRNO = 0x00050000
_NR_OFFSET = 0


def refuse(number: int, name: str, error: int = errno.ENOSYS) -> None:
    """From now on the system call `number` fails with `error` in this thread and what it starts. For ever.

    Raises:
        OSError: this kernel or sandbox does not take filters.
    """
    program = [
        (_LOAD_WORD, 0, 0, _NR_OFFSET),
        (_JUMP_IF_EQUAL, 0, 1, number),
        (_RETURN, 0, 0, _ERRNO | error),
        (_RETURN, 0, 0, _ALLOW),
    ]
    with raw.Region() as region:
        filters = region.write(b"".join(struct.pack("=HBBI", *instruction) for instruction in program))
        header = region.write(struct.pack("=H6xQ", len(program), filters), 256)
        for call, words in (
            (linux.compiled.SYS_prctl, (_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)),
            (linux.compiled.SYS_seccomp, (_SECCOMP_SET_MODE_FILTER, 0, header)),
        ):
            result, failed = raw.syscall(call, *words)
            if result < 0:
                raise OSError(failed, "seccomp")
    tracing.emit("seccomp", f"SECCOMP_SET_MODE_FILTER, 0, {{{name}: {errno_name(error)}}}", 0)
