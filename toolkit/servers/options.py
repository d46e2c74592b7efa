"""What a server is asked to be."""

from dataclasses import dataclass

MODELS = ("half-sync", "half-reactor", "reactor", "leader-follower", "reuseport", "exclusive", "pool")
WHEN_FULL = ("reject", "pause", "shed")
DISPATCH = ("shared", "round-robin", "least-loaded", "steal")
PROCESS_MODELS = ("reuseport", "exclusive")
"""The models whose workers may be processes (`processes`) instead of threads."""

SECOND_NS = 1_000_000_000
MOST_BODY = 10**9
MOST_THREADS = 4096
MOST_PROCESSES = 256
"""What Apache's prefork has, too (ServerLimit): a slip of the finger must not fill the memory, 1.5 MB a process."""


@dataclass(frozen=True)
class ServeOptions:
    """Times are nanoseconds. `low_water` is the queue length at which a paused listener goes on.

    `slow_workers` workers take `slow_ns` longer for each request: for seeing what a policy makes of them.
    `check_owner` turns on the debug mode that asserts who touches an epoll and who closes.
    """

    model: str = "half-sync"
    host: str = "127.0.0.1"
    port: int = 0
    workers: int = 4
    processes: int = 0
    queue_limit: int = 1024
    low_water: int | None = None
    when_full: str = "pause"
    dispatch: str = "shared"
    idle_timeout_ns: int = 60 * SECOND_NS
    work_ns: int = 0
    slow_workers: int = 0
    slow_ns: int = 0
    body_size: int = 13
    keep_alive: bool = True
    drain_timeout_ns: int = 10 * SECOND_NS
    stats_every_ns: int = SECOND_NS
    check_owner: bool = False
    exit_by: str = "signalfd"
    file: str = ""
    send: str = "sendfile"
    stop: str = "graceful"

    @property
    def low_mark(self) -> int:
        """`low_water`, or half the limit."""
        return self.queue_limit // 2 if self.low_water is None else self.low_water

    def work_of(self, worker: int) -> int:
        """Nanoseconds of work that worker number `worker` does for each request."""
        return self.work_ns + (self.slow_ns if worker < self.slow_workers else 0)

    def complaint(self) -> str | None:
        """What is wrong with the combination, and what would be right; None when nothing is."""
        most = MOST_PROCESSES if self.model == "pool" else MOST_THREADS
        if self.workers > most:
            return f"--workers {self.workers} is out of range; it goes from 1 to {most}"
        if self.processes > MOST_PROCESSES:
            return f"--processes {self.processes} is out of range; it goes from 1 to {MOST_PROCESSES}"
        if self.body_size > MOST_BODY:
            return f"--body-size {self.body_size} is out of range; it goes from 0 to {MOST_BODY}"
        if self.processes and self.model not in PROCESS_MODELS:
            return f"--processes is for {' and '.join(PROCESS_MODELS)}; {self.model} has --workers"
        if (self.model == "pool") != bool(self.file):
            return "pool needs --file F, the file it sends" if self.model == "pool" else "--file is for pool"
        if self.low_mark >= self.queue_limit:
            return f"--low-water {self.low_mark} must be below --queue-limit {self.queue_limit}"
        if self.slow_workers > max(self.workers, self.processes):
            return f"--slow-workers {self.slow_workers} is more than there are workers"
        return None
