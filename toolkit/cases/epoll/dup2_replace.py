"""After dup2() over a registered number, EPOLL_CTL_MOD of that number fails.

What it does        Registers a pipe, then makes its number name another pipe with dup2(), as a library does that
                    swaps the socket under an existing handle.
Why it bites        The number is the same, the open file description is not, and epoll goes by both. The entry went
                    with the old description, so a loop that remembers "registered" calls MOD and gets ENOENT; two
                    well-known libraries aborted on it.
What you will see   naive: MOD says ENOENT and data in the new pipe is not reported. right: a fresh ADD after dup2(),
                    and EPOLL_CTL_DEL before it where the old description may live on elsewhere.
References          epoll(7) Q1; dup2(2); joyent/libuv#1397; zeromq/libzmq#3223
"""

from toolkit.ffi.flags import EPOLLIN
from toolkit.lab import Case, Claim, Lab


def naive(lab: Lab) -> None:
    """MOD, because the number is known to be registered."""
    epoll, (old, _old_writer), (new, new_writer) = lab.epoll(), lab.pipe(), lab.pipe()
    lab.add(epoll, old, EPOLLIN)
    lab.dup2(new, old)
    lab.write(new_writer, b"hello")
    lab.must(
        "epoll-mod-after-dup2-enoent",
        expected=["ENOENT", []],
        observed=[lab.outcome(lab.modify, epoll, old, EPOLLIN), lab.told(epoll)],
    )


def right(lab: Lab) -> None:
    """DEL before dup2(), ADD after it."""
    epoll, (old, old_writer), (new, new_writer) = lab.epoll(), lab.pipe(), lab.pipe()
    lab.add(epoll, old, EPOLLIN, data=1)
    lab.dup(old)
    lab.remove(epoll, old)
    lab.dup2(new, old)
    added = lab.outcome(lab.add, epoll, old, EPOLLIN, data=2)
    lab.write(old_writer, b"for the old one")
    lab.write(new_writer, b"hello")
    lab.must("epoll-add-after-dup2-ok", expected=["ok", [2]], observed=[added, lab.told(epoll)])


CASE = Case(
    variants=(naive, right),
    claims=(
        Claim(
            "epoll-mod-after-dup2-enoent",
            "dup2() over a registered number replaces the open file, so MOD of the number says ENOENT.",
            "epoll(7) Q1; dup2(2)",
        ),
        Claim(
            "epoll-add-after-dup2-ok",
            "ADD of the number after dup2() registers the new open file, and its events come.",
            "epoll(7) Q1; dup2(2)",
        ),
    ),
)
