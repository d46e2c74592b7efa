"""kcmp(2): whether two descriptors, of any two processes, name one open file description.

Needs the right to read both processes (ptrace(2), PTRACE_MODE_READ_REALCREDS), the same pid namespace as /proc, and a
kernel with CONFIG_KCMP. Nothing is stopped or changed.
"""

from toolkit.ffi import linux
from toolkit.ffi.errors import fail


def compare_files(pid: int, fd: int, other_pid: int, other_fd: int) -> int:
    """KCMP_FILE: 0 when both descriptors name one open file, else an order that sorts: 1 before, 2 after.

    3 says that they differ and cannot be ordered.

    Raises:
        CallError: EBADF for a closed number, ESRCH, EPERM, ENOSYS.
    """
    result: int = linux.lib.evk_kcmp(pid, other_pid, linux.compiled.KCMP_FILE, fd, other_fd)
    if result < 0:
        fail(result, "kcmp", pid, other_pid, "KCMP_FILE", fd, other_fd)
    return result


def is_epoll_target(pid: int, fd: int, holder: int, epfd: int, tfd: int, toff: int = 0) -> bool:
    """KCMP_EPOLL_TFD: whether descriptor `fd` of `pid` is the file that epoll `epfd` of `holder` has under `tfd`.

    `toff` counts the entries with that number, in fdinfo's order: one number may be registered for several files. The
    kernel walks the interest list to the entry and holds the epoll's lock meanwhile (fs/eventpoll.c, ep_find_tfd).

    Raises:
        CallError: EBADF when `fd` or `epfd` is closed, ENOENT when there is no such entry, EINVAL when `epfd` is
            not an epoll, ESRCH, EPERM, ENOSYS.
    """
    result: int = linux.lib.evk_kcmp_epoll_tfd(pid, holder, fd, epfd, tfd, toff)
    if result < 0:
        fail(result, "kcmp", pid, holder, "KCMP_EPOLL_TFD", fd, f"{{{epfd}, {tfd}, {toff}}}")
    return result == 0
