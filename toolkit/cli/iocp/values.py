"""Words of a packet on the command line."""

from collections.abc import Callable

from typer import BadParameter

from toolkit.cli.quantities import count


def word(bits: int) -> Callable[[str | int], int]:
    """A parser of what fits `bits` bits without a sign: `3`, `0x10`, `100k`; a number is a default and stays."""

    def parse(text: str | int) -> int:
        if isinstance(text, int):
            return text
        value = _hexadecimal(text[2:]) if text[:2] in ("0x", "0X") else _count(text)
        if value is None or value >= 1 << bits:
            raise BadParameter(f"{text!r} is not a number from 0 to {(1 << bits) - 1:#x}")
        return value

    return parse


def _hexadecimal(digits: str) -> int | None:
    return int(digits, 16) if digits and not digits.strip("0123456789abcdefABCDEF") else None


def _count(text: str) -> int | None:
    try:
        return count(text)
    except BadParameter:
        return None
