"""What holds for every test, whoever started pytest."""

import signal


def pytest_configure() -> None:
    # A shell without job control starts its background jobs with SIGINT ignored, and ignoring survives exec: programs
    # under test would rightly ignore the Ctrl-C that tests send them. A handler is reset to the default instead.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
