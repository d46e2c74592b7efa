"""epoll_pwait's mask holds during the wait only, and only when there is a wait.

What it does        Sends signals before and during epoll_pwait, with descriptors ready and not.
Why it bites        epoll_pwait exists to close the gap between testing a flag and going to sleep. It unblocks the
                    signal for the sleep, not for the call: with something ready, or with a timeout of 0, it does not
                    sleep, so a pending signal stays pending. A busy loop that counts on epoll_pwait for its signals
                    never sees them; they must be taken by a signalfd, or unblocked now and then.
What you will see   A masked signal does not interrupt and is handled when the mask returns; an unmasked pending one
                    interrupts only a wait that sleeps. The C library hides that the mask is 8 bytes: 128 is EINVAL.
References          epoll_wait(2) epoll_pwait(), C library/kernel differences; LTP epoll_pwait01, epoll_pwait04
"""

import signal

from toolkit.ffi import linux, raw
from toolkit.ffi.errors import errno_name
from toolkit.ffi.flags import EPOLLIN
from toolkit.lab import Case, Claim, Lab
from toolkit.lab.threads import until


def mask(lab: Lab) -> None:
    """During, before, and not at all."""
    epoll, eventfd = lab.epoll(), lab.eventfd()
    lab.add(epoll, eventfd, EPOLLIN)
    handled = lab.count_handled(signal.SIGUSR1)
    waiter = lab.asleep(lab.pwait, epoll, [signal.SIGUSR1], 5.0)
    lab.kill_thread(waiter.ident, signal.SIGUSR1)
    eventfd.write(1)
    outcome = lab.attempt(waiter.result)
    until(lambda: bool(handled), "the handler ran")
    lab.must(
        "epoll-pwait-mask-blocks-signal-during-wait",
        expected=[[(eventfd.fileno(), EPOLLIN)], 1],
        observed=[outcome, len(handled)],
        reason="the wait ended by the write, not by the signal; the handler ran after it",
    )
    lab.block(signal.SIGUSR1)
    lab.send_signal(signal.SIGUSR1)
    ready = lab.attempt(lab.pwait, epoll, [], 5.0)
    lab.must(
        "epoll-pwait-ready-fd-leaves-signal-pending",
        expected=[[(eventfd.fileno(), EPOLLIN)], 1, [signal.SIGUSR1]],
        observed=[ready, len(handled), lab.pending()],
    )
    eventfd.read()
    lab.must(
        "epoll-pwait-timeout-zero-skips-signal",
        expected=[[], 1, [signal.SIGUSR1]],
        observed=[lab.attempt(lab.pwait, epoll, [], 0.0), len(handled), lab.pending()],
    )
    lab.must(
        "epoll-pwait-sleep-takes-pending-signal",
        expected=["EINTR", 2, []],
        observed=[lab.attempt(lab.pwait, epoll, [], 5.0), len(handled), lab.pending()],
        reason="nothing ready and time to sleep: the pending signal interrupts at once",
    )
    lab.send_signal(signal.SIGUSR1)
    lab.must(
        "epoll-pwait-null-mask-like-epoll-wait",
        expected=[[], 2, [signal.SIGUSR1]],
        observed=[lab.attempt(lab.pwait, epoll, None, 0.002), len(handled), lab.pending()],
        reason="the thread's own mask stays, and the signal with it",
    )
    _sizes_and_pointers(lab)


def _sizes_and_pointers(lab: Lab) -> None:
    epoll = lab.epoll()
    lab.add(epoll, lab.eventfd(initial=1), EPOLLIN)
    with raw.Region() as region:
        events, good, zero_time = region.address, region.write(bytes(8), 1024), region.write(bytes(16), 2048)

        def call(name: str, timeout: int, mask_address: int, size: int) -> int | str:
            number = getattr(linux.compiled, name)
            result, error = raw.syscall(number, epoll.fileno(), events, 1, timeout, mask_address, size)
            return result if result >= 0 else errno_name(error)

        calls = (("SYS_epoll_pwait", 0), ("SYS_epoll_pwait2", zero_time))
        lab.must(
            "epoll-pwait-wrong-sigsetsize-einval",
            expected=["EINVAL", "EINVAL", 1] * 2,
            observed=[call(name, timeout, good, size) for name, timeout in calls for size in (128, 4, 8)],
            reason="128, 4 and 8 bytes, for epoll_pwait and epoll_pwait2",
        )
        lab.must(
            "epoll-pwait-bad-mask-pointer-efault",
            expected=["EFAULT", "EFAULT"],
            observed=[call(name, timeout, region.end, 8) for name, timeout in calls],
            reason="though a descriptor is ready",
        )


CASE = Case(
    variants=(mask,),
    claims=(
        Claim(
            "epoll-pwait-mask-blocks-signal-during-wait",
            "A signal in epoll_pwait's mask does not interrupt the wait; its handler runs when the mask "
            "returns.",
            "epoll_wait(2) epoll_pwait(); LTP epoll_pwait01",
            since="2.6.19",
        ),
        Claim(
            "epoll-pwait-ready-fd-leaves-signal-pending",
            "With a descriptor ready, epoll_pwait returns it and a signal that its mask lets through stays "
            "pending.",
            "observed; kernel/signal.c restore_saved_sigmask_unless",
        ),
        Claim(
            "epoll-pwait-timeout-zero-skips-signal",
            "With a timeout of 0 and nothing ready, epoll_pwait returns 0 and the pending signal stays "
            "pending.",
            "observed; fs/eventpoll.c ep_poll",
        ),
        Claim(
            "epoll-pwait-sleep-takes-pending-signal",
            "With nothing ready, a pending signal that the mask lets through interrupts epoll_pwait at once.",
            "epoll_wait(2) epoll_pwait()",
            since="2.6.19",
        ),
        Claim(
            "epoll-pwait-null-mask-like-epoll-wait",
            "With a NULL mask epoll_pwait is epoll_wait: the thread's mask stays as it is.",
            "epoll_wait(2) epoll_pwait()",
            since="2.6.19",
        ),
        Claim(
            "epoll-pwait-wrong-sigsetsize-einval",
            "The system calls take a mask of exactly 8 bytes, anything else is EINVAL.",
            "epoll_wait(2) C library/kernel differences",
            since="2.6.19",
        ),
        Claim(
            "epoll-pwait-bad-mask-pointer-efault",
            "A mask at a bad address is EFAULT even when a descriptor is ready.",
            "LTP epoll_pwait04",
            since="2.6.19",
        ),
    ),
    needs=("epoll_pwait2",),
)
