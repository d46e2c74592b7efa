"""A server's figures for people."""

from toolkit.load.text import percentiles
from toolkit.servers.figures import QueueFigures, ServerFigures

_BARS = " ▁▂▃▄▅▆▇█"
_COURSE_WIDTH = 60


def live_line(figures: ServerFigures) -> str:
    """One line while it serves."""
    queue = f"  queue {figures.queue.length}/{figures.queue.limit}" if figures.queue else ""
    refused = figures.refused_connections + figures.refused_requests
    return (
        f"{figures.ran_ns / 1e9:6.1f} s  {figures.answered} answered ({figures.answered_per_s:.0f}/s)  "
        f"open {figures.open_connections}  refused {refused}{queue}"
    )


def table(figures: ServerFigures) -> str:
    """Everything, once it has ended."""
    f = figures
    lines = [
        f"{f.model} on {f.host}:{f.port}, {f.ran_ns / 1e9:.2f} s",
        f"  connections   {f.accepted} accepted = {f.closed_by_us} closed by us + {f.closed_by_client} by the client"
        f" + {f.refused_connections} refused",
        f"  requests      {f.begun} begun = {f.answered} answered + {f.refused_requests} refused"
        f" + {f.abandoned} abandoned by the client",
        f"  lost          {f.lost}",
        f"  of these      {f.bad} bad, {f.timed_out} timed out, {f.descriptors_exhausted} times out of descriptors",
        f"  requests/s    {f.answered_per_s:.1f}",
        f"  latency ms    {percentiles(f.latency_ns)}  (in the server, from readiness to the answer sent)",
    ]
    if f.replaced_workers:
        lines.append(f"  replaced      {f.replaced_workers} workers")
    if f.queue is not None:
        lines += _queue_lines(f.queue)
    lines += _worker_lines(f)
    if f.ledgers_hold is False:
        lines.append("  THE LEDGERS DO NOT HOLD")
    return "\n".join(lines)


def _queue_lines(queue: QueueFigures) -> list[str]:
    peak = max(queue.course, default=0)
    return [
        f"  queue         limit {queue.limit}, longest {queue.longest}, paused {queue.pauses} times"
        f" for {queue.paused_ns / 1e6:.1f} ms, lock wait share {queue.lock_wait_share:.4%}",
        f"  its course    |{_sparkline(queue.course, peak)}| 0..{peak}",
    ]


def _sparkline(points: tuple[int, ...], peak: int) -> str:
    step = max(1, -(-len(points) // _COURSE_WIDTH))
    heights = (max(points[i : i + step]) for i in range(0, len(points), step))
    return "".join(_BARS[-(-height * (len(_BARS) - 1) // peak)] if peak else " " for height in heights)


def _worker_lines(figures: ServerFigures) -> list[str]:
    lines = ["  worker            events   answered   share     cpu ms   switches (own/forced)"]
    for worker in figures.workers:
        cpu = f"{worker.cpu_ns / 1e6:.1f}" if worker.cpu_ns is not None else "-"
        known = worker.switches_voluntary is not None
        switches = f"{worker.switches_voluntary}/{worker.switches_involuntary}" if known else "-"
        lines.append(
            f"  {worker.name:<14} {worker.events:>9}  {worker.answered:>9}  {worker.share:>6.1%}  {cpu:>9}   {switches}"
        )
    return lines
