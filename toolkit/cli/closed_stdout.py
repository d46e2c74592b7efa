"""What stands in for stdout when the shell closed descriptor 1 (`>&-`): results that go nowhere are an error."""

import errno
import io
import os
from typing import NoReturn


class ClosedStdout(io.TextIOBase):
    """Python leaves None there; this refuses each write as the kernel would have."""

    def writable(self) -> bool:
        """No."""
        return False

    def write(self, _text: str, /) -> NoReturn:
        """Raises OSError EBADF, as write(2) does."""
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))

    @property
    def buffer(self) -> "ClosedStdout":
        """Bytes are refused in the same way."""
        return self
