"""Words of a packet on the command line."""

from collections.abc import Callable

from typer import BadParameter


def word(bits: int) -> Callable[[str], int]:
    """A parser of unsigned numbers of `bits` bits, decimal or 0x...."""

    def parse(text: str) -> int:
        try:
            value = int(str(text), 0)
        except ValueError:
            value = -1
        if not 0 <= value < 1 << bits:
            raise BadParameter(f"{text} is not a number from 0 to {(1 << bits) - 1:#x}")
        return value

    return parse
