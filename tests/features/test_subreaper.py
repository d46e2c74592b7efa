"""The probe of PR_SET_CHILD_SUBREAPER."""

import os
import select

from toolkit.features.processes import _say_when_adopted


def test_an_orphan_that_was_adopted_before_it_looked_waits_for_nobody() -> None:
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        _say_when_adopted(writer, os.getppid())
    os.close(writer)
    try:
        assert select.select([reader], [], [], 4)[0], "it waited for its adopter to end"
        assert os.read(reader, 16) == str(os.getpid()).encode()
    finally:
        os.close(reader)
        os.waitpid(child, 0)
