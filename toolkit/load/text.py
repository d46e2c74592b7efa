"""A load run for people."""

from toolkit.load.plan import LoadFigures
from toolkit.servers.latency import Percentiles


def table(figures: LoadFigures) -> str:
    """What came of a run, a fact a line."""
    kind = f"open loop at {figures.rate_per_s:g}/s" if figures.open_loop else "closed loop"
    lines = [
        f"{kind}, {figures.connections} connections, {figures.ran_ns / 1e9:.2f} s",
        f"  requests/s    {figures.answered_per_s:.1f}",
        f"  sent          {figures.sent} = {figures.answered} answered + {figures.unanswered} unanswered",
        f"  connections   {figures.opened_connections} opened",
        f"  latency ms    {percentiles(figures.latency_ns)}",
    ]
    if figures.late_ns is not None:
        lines.append(f"  started late  {percentiles(figures.late_ns)}")
    if figures.misdelivered:
        lines.append(f"  MISDELIVERED  {figures.misdelivered}")
    lines += [f"  error         {count} x {kind}" for kind, count in figures.errors.items()]
    return "\n".join(lines)


def live_line(figures: LoadFigures) -> str:
    """One line while it runs."""
    errors = sum(figures.errors.values())
    latency = figures.latency_ns
    p99 = f"{latency.p99 / 1e6:.3f} ms" if latency.p99 is not None else "-"
    return f"{figures.ran_ns / 1e9:6.1f} s  {figures.answered_per_s:9.0f}/s  p99 {p99}  errors {errors}"


def percentiles(latency: Percentiles) -> str:
    """`min 0.101  p50 0.2  ...` in milliseconds."""
    pairs = (
        ("min", latency.min),
        ("p50", latency.p50),
        ("p90", latency.p90),
        ("p99", latency.p99),
        ("p99.9", latency.p999),
        ("max", latency.max),
    )
    return "  ".join(f"{name} {value / 1e6:.3f}" for name, value in pairs if value is not None) or "none"
