"""Results of every kind, as the engine would give them, and writers fed with them."""

import io
from collections.abc import Callable, Iterable
from dataclasses import replace
from types import SimpleNamespace

import pytest

from toolkit.records import CaseResult, Check, Kind, Known, Status, TraceLine, VariantResult
from toolkit.report.context import describe_run
from toolkit.report.formats import new_writer
from toolkit.report.human import Look
from toolkit.report.tally import Tally

PASSED = CaseResult(
    id="epoll/fd-reuse",
    primitive="epoll",
    status=Status.PASS,
    duration_ns=3_200_000,
    iteration=1,
    variants=(VariantResult("naive", Status.PASS, 1_200_000), VariantResult("right", Status.PASS, 2_000_000)),
    checks=(
        Check("epoll-two-entries", Kind.MUST, Status.PASS, expected=[7, 7], observed=[7, 7], variant="naive"),
        Check("epoll-order", Kind.RECORD, Status.PASS, observed="oldest first", variant="naive"),
        Check(
            "epoll-generation",
            Kind.MUST,
            Status.PASS,
            expected=["living"],
            observed=["living"],
            variant="right",
        ),
    ),
)
FAILED = CaseResult(
    id="eventfd/semaphore",
    primitive="eventfd",
    status=Status.FAIL,
    duration_ns=5_000_000,
    iteration=1,
    variants=(VariantResult(None, Status.FAIL, 5_000_000, "differs: eventfd-semaphore-reads-one"),),
    checks=(
        Check("eventfd-sizes", Kind.MUST, Status.SKIP, reason="no such syscall #1"),
        Check(
            "eventfd-semaphore-reads-one",
            Kind.MUST,
            Status.FAIL,
            expected=1,
            observed="0xffffffffffffffff\x00\x1b[31m # \\",
            reason="a token was taken twice\nor more",
        ),
    ),
    trace=(TraceLine('read(4, "\\1\\0"..., 8) = 8'),),
    reason="differs: eventfd-semaphore-reads-one",
)
SKIPPED = CaseResult(
    id="epoll/exclusive-einval",
    primitive="epoll",
    status=Status.SKIP,
    duration_ns=0,
    iteration=1,
    variants=(VariantResult(None, Status.SKIP, 0, "needs epoll-exclusive: EINVAL"),),
    reason="needs epoll-exclusive: EINVAL",
)
BROKEN = replace(
    FAILED,
    id="signalfd/sigchld-lost",
    primitive="signalfd",
    status=Status.ERROR,
    variants=(VariantResult(None, Status.ERROR, 1, "killed by SIGSEGV"),),
    checks=(),
    trace=(),
    reason="killed by SIGSEGV",
)
HANGING = replace(
    BROKEN,
    id="signalfd/mask-inherited",
    status=Status.TIMEOUT,
    variants=(VariantResult(None, Status.TIMEOUT, 10**10, "still running at its deadline"),),
    reason="still running at its deadline",
)
KNOWN = replace(FAILED, known=Known(True, reasons=("the semaphore # is new",)))
UNLISTED = replace(
    PASSED, known=Known(False, differences=("epoll/fd-reuse: listed as fail, but it is pass",))
)
AGAIN = replace(PASSED, iteration=2)


@pytest.fixture
def samples() -> SimpleNamespace:
    """One result of every kind by name, and all of them in a run's order."""
    by_name = {
        "passed": PASSED,
        "failed": FAILED,
        "skipped": SKIPPED,
        "broken": BROKEN,
        "hanging": HANGING,
        "known": KNOWN,
        "unlisted": UNLISTED,
        "again": AGAIN,
    }
    return SimpleNamespace(**by_name, everything=tuple(by_name.values()))


@pytest.fixture
def written() -> Callable[..., str]:
    """What a format writes of some results, at some width."""

    def write(
        name: str,
        results: Iterable[CaseResult],
        *,
        width: int = 80,
        signal: int | None = None,
        **look: object,
    ) -> str:
        stream = io.StringIO()
        tally = Tally()
        writer = new_writer(name, stream, Look(width, lambda text, *_: text, **look))  # type: ignore[arg-type]
        writer.start(describe_run(["evkit", "case", "run"], seed=42))
        for result in results:
            tally.add(result)
            writer.case(result)
        writer.finish(tally.summary(1_500_000_000, signal))
        return stream.getvalue()

    return write
