"""What runs in a case's own process, from its fork to its end."""

import os
import shutil
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable
from pathlib import Path

from toolkit.engine.channel import Sender
from toolkit.engine.plan import Job
from toolkit.lab.checks import DeadlineError, SkippedError
from toolkit.records import Status

CHANNEL_NUMBER = 250
"""Far from the lowest free numbers that cases watch being reused."""


def run_case(job: Job, sender: Sender, seed: str, trace: bool, tmp_path: Path) -> None:
    """Calls the variant's function with a lab, and tells the engine how it went."""
    from toolkit.ffi import tracing
    from toolkit.lab import Lab

    lab = Lab(sender, job.case.claim_ids, job.variant, seed, tmp_path)
    if trace:
        tracing.start(sender.trace)
    try:
        job.case.named(job.variant)(lab)
    except SkippedError as skipped:
        sender.done(Status.SKIP, str(skipped))
    except DeadlineError as late:
        sender.done(Status.TIMEOUT, str(late))
    except BaseException:
        sender.done(Status.ERROR, _where_it_broke())
    else:
        sender.done(Status.PASS)
    finally:
        lab.end_children()


def _where_it_broke() -> str:
    kind, error, trace = sys.exc_info()
    frames = [
        frame for frame in traceback.extract_tb(trace) if "cases" in Path(frame.filename).parts
    ] or traceback.extract_tb(trace)
    place = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "?"
    return f"{kind.__name__ if kind else '?'} at {place}: {error}"


def become_case(channel: int, output: int) -> int:
    """Gives the process what a case may count on: its own group, plain signals, nothing open but 0, 1, 2.

    Returns the channel's new number, high up.
    """
    import fcntl
    import resource

    os.setpgid(0, 0)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.dup2(output, 1)
    os.dup2(output, 2)
    ceiling = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    high = fcntl.fcntl(channel, fcntl.F_DUPFD_CLOEXEC, CHANNEL_NUMBER if ceiling > CHANNEL_NUMBER else 3)
    os.closerange(3, high)
    os.closerange(high + 1, min(ceiling, 65536))
    return high


def in_own_folder(base: Path, work: Callable[[Path], None]) -> None:
    """Runs `work` with a temporary folder in `base`, removed afterwards."""
    folder = Path(tempfile.mkdtemp(dir=base))
    try:
        work(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
