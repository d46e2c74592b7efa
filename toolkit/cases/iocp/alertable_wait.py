"""An asynchronous procedure call ends an alertable wait, and no other.

What it does        Queues a call to the waiting thread, and waits on an empty port: alertable, not alertable, and
                    with a packet there too.
Why it bites        A library that queues procedure calls to your thread ends your alertable waits with 192; taken
                    for an error it stops the loop, and in a wait that is not alertable the call never runs.
What you will see   192 without a packet and the call has run; without alertable the wait runs to its timeout and
                    the call waits for the next one.
References          Microsoft: GetQueuedCompletionStatusEx, QueueUserAPC
"""

from typing import TYPE_CHECKING

from toolkit.lab import Case, Claim

if TYPE_CHECKING:
    from toolkit.lab.windows_lab import WindowsLab


def alertable_wait(lab: "WindowsLab") -> None:
    """Alertable, then not."""
    ran: list[int] = []
    call = lab.ffi.callback("void(ULONG_PTR)", ran.append)
    port = lab.port()
    entries, removed = lab.ffi.new("OVERLAPPED_ENTRY[4]"), lab.ffi.new("ULONG *")

    def wait(alertable: bool) -> list[int]:
        lab.lib.QueueUserAPC(call, lab.lib.GetCurrentThread(), len(ran) + 1)
        done = lab.lib.GetQueuedCompletionStatusEx(lab.pointer_of(port), entries, 4, removed, 50, alertable)
        return [done, lab.last_error(), len(ran)]

    lab.must("iocp-alertable-wait-ends-192", expected=[0, 192, 1], observed=wait(True))
    lab.must("iocp-not-alertable-wait-runs-no-call", expected=[0, 258, 1], observed=wait(False))
    lab.lib.SleepEx(0, True)
    lab.must(
        "iocp-not-alertable-wait-runs-no-call",
        expected=2,
        observed=len(ran),
        reason="at the next alertable wait",
    )
    _timer_ends_it(lab)
    _neither_is_lost(lab)


def _neither_is_lost(lab: "WindowsLab") -> None:
    ran: list[int] = []
    call = lab.ffi.callback("void(ULONG_PTR)", ran.append)
    port = lab.port()
    port.post(key=7)
    lab.lib.QueueUserAPC(call, lab.lib.GetCurrentThread(), 1)
    entries, removed = lab.ffi.new("OVERLAPPED_ENTRY[4]"), lab.ffi.new("ULONG *")

    def wait() -> str:
        if lab.lib.GetQueuedCompletionStatusEx(lab.pointer_of(port), entries, 4, removed, 1000, True):
            return f"{removed[0]} packet, key {entries[0].lpCompletionKey}"
        return f"error {lab.last_error()}"

    came = [wait(), wait()]
    lab.record("iocp-alertable-wait-packet-and-call", came, "which of them was first")
    lab.must(
        "iocp-alertable-wait-packet-and-call",
        expected=[["1 packet, key 7", "error 192"], [1]],
        observed=[sorted(came), ran],
    )


def _timer_ends_it(lab: "WindowsLab") -> None:
    port, timer = lab.port(), lab.timer()
    rang: list[int] = []
    ring = lab.ffi.callback("void(void *, DWORD, DWORD)", lambda *_: rang.append(1))
    due = lab.ffi.new("LARGE_INTEGER *")
    due.QuadPart = -100_000  # 10 ms from now
    lab.lib.SetWaitableTimer(lab.pointer_of(timer), due, 0, ring, lab.NULL, False)
    entries, removed = lab.ffi.new("OVERLAPPED_ENTRY[4]"), lab.ffi.new("ULONG *")
    done = lab.lib.GetQueuedCompletionStatusEx(lab.pointer_of(port), entries, 4, removed, 5000, True)
    lab.must(
        "iocp-timer-call-ends-alertable-wait",
        expected=[0, 192, 1],
        observed=[done, lab.last_error(), len(rang)],
    )


CASE = Case(
    variants=(alertable_wait,),
    claims=(
        Claim(
            "iocp-alertable-wait-ends-192",
            "An alertable wait ends with FALSE and 192 when a queued procedure call ran.",
            "Microsoft: GetQueuedCompletionStatusEx",
        ),
        Claim(
            "iocp-not-alertable-wait-runs-no-call",
            "A wait that is not alertable runs no queued procedure call; a later alertable one does.",
            "Microsoft: QueueUserAPC",
        ),
        Claim(
            "iocp-timer-call-ends-alertable-wait",
            "The procedure of a waitable timer ends an alertable wait with 192.",
            "Microsoft: SetWaitableTimer",
        ),
        Claim(
            "iocp-alertable-wait-packet-and-call",
            "A packet and a procedure call that are both there end two alertable waits, in either order.",
            "observed",
        ),
    ),
    needs=("iocp",),
)
