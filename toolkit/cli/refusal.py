"""How a command says no: one line on stderr and an exit status, never a traceback."""

from typing import NoReturn

from toolkit.exits import Exit


class Refusal(Exception):  # noqa: N818  a refusal is not always an error: 77 says "not here"
    """Ends the command with `message` on stderr and status `code`."""

    def __init__(self, message: str, code: Exit = Exit.USAGE) -> None:
        super().__init__(message)
        self.code = code


def refuse(message: str, code: Exit = Exit.USAGE) -> NoReturn:
    """Says what is wrong and what would be right, and ends the command; status 2 unless told otherwise."""
    raise Refusal(message, code)
