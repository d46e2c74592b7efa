"""One step of a story, and running a story step by step."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Step:
    """What happened: the calls as the tracer saw them, and what they show."""

    number: int
    title: str
    calls: tuple[str, ...]
    note: str | None = None
    type: str = field(default="step", init=False)


Chapter = tuple[str, Callable[[], str]]
"""A title, and the function that makes the calls and says what they showed."""


def tell(chapters: Iterable[Chapter]) -> Iterator[Step]:
    """Makes each chapter's calls under the tracer.

    Raises:
        OSError: a call failed that the story does not expect to fail.
    """
    from toolkit.ffi.tracing import tracing

    for number, (title, make_calls) in enumerate(chapters, start=1):
        calls: list[str] = []
        with tracing(calls.append):
            note = make_calls()
        yield Step(number, title, tuple(calls), note)
