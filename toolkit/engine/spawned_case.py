"""The process of one variant on Windows, started by `spawned`: ``python -m`` this, and what to run."""

import os
import sys
import threading
from pathlib import Path

from toolkit.engine import registry
from toolkit.engine.channel import Sender
from toolkit.engine.child import run_case
from toolkit.engine.plan import Job
from toolkit.records import Status


def main(arguments: list[str]) -> None:
    """Waits to be put into its job, runs the variant, and leaves without waiting for any thread."""
    case_id, variant, iteration, seed, trace, messages, folder, timeout_s = arguments
    sys.stdin.read()
    channel = os.open(messages, os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0))
    job = Job(registry.load(case_id), variant or None, int(iteration))
    sender = Sender(channel, b"\n")
    limit = threading.Timer(
        float(timeout_s), _give_up, [sender]
    )  # counted from here: a start is not the case's time
    limit.daemon = True
    limit.start()
    run_case(job, sender, seed, trace == "1", Path(folder))
    limit.cancel()
    os._exit(0)


def _give_up(sender: Sender) -> None:
    sender.done(Status.TIMEOUT, "still running at its deadline")
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1:])
