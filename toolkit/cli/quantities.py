"""Durations such as `250ms 10s 2m` and counts such as `100k 2M`, as every command takes them."""

from typer import BadParameter

_UNITS_NS = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9, "m": 60 * 10**9, "h": 3600 * 10**9}
_LONGEST_NS = 596 * _UNITS_NS["h"]  # 2^31-1 ms, in whole hours: what poll(2) and epoll_wait(2) take
_MULTIPLES = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9}


def duration_ns(text: str | int) -> int:
    """Nanoseconds in `250ms`, `1.5s`, `2m`; a number is an option's default and stays.

    Raises:
        BadParameter: no number, no unit, or longer than an int of milliseconds holds.
    """
    if isinstance(text, int):
        return text
    number, unit = _split(text)
    if unit not in _UNITS_NS or number is None:
        raise BadParameter(f"{text!r} is not a duration; write 250ms, 10s or 2m")
    nanoseconds = int(number * _UNITS_NS[unit])
    if nanoseconds > _LONGEST_NS:
        raise BadParameter(f"{text!r} is longer than 596h, the most that one wait takes")
    return nanoseconds


def count(text: str | int) -> int:
    """The number in `100`, `100k`, `2M`; a number is an option's default and stays.

    Raises:
        BadParameter: no number, a fraction of one, or an unknown multiple.
    """
    if isinstance(text, int):
        return text
    number, unit = _split(text)
    scaled = None if number is None or unit not in _MULTIPLES else number * _MULTIPLES[unit]
    if scaled is None or scaled != int(scaled):
        raise BadParameter(f"{text!r} is not a count; write 100, 100k or 2M")
    return int(scaled)


def at_least_one(text: str | int) -> int:
    """As `count`, of what has to happen.

    Raises:
        BadParameter: as `count`, and 0.
    """
    number = count(text)
    if number == 0:
        raise BadParameter("0 is nothing to do; the least is 1")
    return number


MOST_CONNECTIONS = 100_000
"""Each takes some 10 kB in a load generator, and one address has 65,535 ports."""


def some_connections(text: str | int) -> int:
    """As `at_least_one`, as many as one load can have.

    Raises:
        BadParameter: as `at_least_one`, and above MOST_CONNECTIONS.
    """
    number = at_least_one(text)
    if number > MOST_CONNECTIONS:
        raise BadParameter(f"{number} is out of range; it goes from 1 to {MOST_CONNECTIONS}")
    return number


def some_time_ns(text: str | int) -> int:
    """As `duration_ns`, of what has to last.

    Raises:
        BadParameter: as `duration_ns`, and 0.
    """
    nanoseconds = duration_ns(text)
    if nanoseconds == 0:
        raise BadParameter(f"{text!r} is no time at all; write 250ms, 10s or 2m")
    return nanoseconds


def _split(text: str) -> tuple[int | float | None, str]:
    digits = text.rstrip("numshkMG")
    unit = text[len(digits) :]
    if digits.isascii() and digits.isdigit():
        return int(digits), unit
    whole, dot, part = digits.partition(".")
    if dot and digits.isascii() and whole.isdigit() and part.isdigit():
        return float(digits), unit
    return None, unit
