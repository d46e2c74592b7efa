"""The numbers that eventfd commands take and print."""

from typer import BadParameter

from toolkit.cli.quantities import count

MAXIMUM = 2**64 - 2


def counter_value(text: str | int) -> int:
    """`3`, `0x10`, `100k`: what a counter can hold or be given at once; a number is a default and stays.

    Raises:
        BadParameter: not a number, or above 2^64-2 (eventfd(2): the kernel refuses 2^64-1).
    """
    if isinstance(text, int):
        return text
    value = _hexadecimal(text) if text[:2] in ("0x", "0X") else count(text)
    if value > MAXIMUM:
        raise BadParameter(f"{text} is above 2^64-2 ({MAXIMUM}), the most an eventfd holds")
    return value


def _hexadecimal(text: str) -> int:
    try:
        return int(text, 16)
    except ValueError:
        raise BadParameter(f"{text!r} is not a hexadecimal number") from None
