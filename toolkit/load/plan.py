"""What load to put on a server, and what came of it."""

from dataclasses import dataclass, field

from toolkit.servers.latency import Percentiles
from toolkit.servers.options import SECOND_NS


@dataclass(frozen=True)
class LoadPlan:
    """Times are nanoseconds. Without `rate_per_s` the loop is closed: each connection asks again when it is answered.

    With it the loop is open: requests start at fixed moments whether or not earlier ones are answered, and latency
    counts from that moment, so that a stall of the server shows in full. `requests` ends the run early;
    `per_connection` closes a connection after so many answers and opens another. `check_echo` asks each time for a
    token of its own; `distinct` puts a header of its own in each, so that no server answers from memory.
    """

    host: str
    port: int
    connections: int = 64
    duration_ns: int = 5 * SECOND_NS
    requests: int | None = None
    rate_per_s: float | None = None
    per_connection: int | None = None
    path: str = "/"
    check_echo: bool = False
    settle_ns: int = 5 * SECOND_NS
    distinct: bool = False


@dataclass(frozen=True)
class LoadFigures:
    """`sent` = `answered` + `unanswered`; every other kind of trouble is in `errors`, by its name.

    `misdelivered` are answers that were meant for another request.
    """

    host: str
    port: int
    connections: int
    open_loop: bool
    planned_ns: int
    ran_ns: int
    sent: int
    answered: int
    unanswered: int
    misdelivered: int
    answered_per_s: float
    latency_ns: Percentiles
    opened_connections: int
    errors: dict[str, int]
    rate_per_s: float | None = None
    late_ns: Percentiles | None = None
    type: str = field(default="load", init=False)
