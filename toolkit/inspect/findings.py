"""A stale entry explained in one line: what happened, how to fix it, which case shows it."""

from toolkit.inspect.interest import Naming, Verdict
from toolkit.inspect.records import Finding, Holder
from toolkit.primitives.fdinfo import Registration

_IN_FLIGHT = (
    "its file is open nowhere that can be read: in flight in a unix socket (SCM_RIGHTS), "
    "in an io_uring, or in a process of another user"
)


def explain(
    pid: int,
    entry: Registration,
    verdict: Verdict,
    now: str | None,
    held_by: tuple[Holder, ...],
    holders: str,
) -> Finding:
    """The finding for a stale entry of an epoll of `pid`.

    `now` says what the number names today (None: closed), `holders` spells `held_by`.
    """
    stays = f"its file stays open as {holders}" if held_by else _IN_FLIGHT
    if verdict.naming is Naming.OTHER:
        return Finding(
            f"number {entry.tfd} names another file now ({now or 'closed again'}) "
            f"and gets the events of the old one; {stays}",
            "EPOLL_CTL_DEL before close(), and a generation beside the number in the data word",
            "epoll/fd-reuse",
        )
    if held_by and all(holder.pid != pid for holder in held_by):
        return Finding(
            f"number {entry.tfd} was closed here, but another process kept the file; {stays}",
            "EPOLL_CTL_DEL before close(); close inherited descriptors in the child (O_CLOEXEC for exec)",
            "epoll/fork-held-spin",
        )
    return Finding(
        f"number {entry.tfd} was closed without EPOLL_CTL_DEL; {stays}",
        "EPOLL_CTL_DEL before close(), or close every duplicate",
        "epoll/dup-close-stale",
    )
