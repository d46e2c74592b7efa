"""Looks into live processes: what their epolls watch, what their eventfds hold, which signals their signalfds take.

`survey` reads /proc/PID/fd and fdinfo, asks kcmp(2) where inode numbers do not tell files apart, and returns frozen
records. Linux only. Reads the caller's own processes without privilege, others' with that of ptrace(2)'s read access.
"""

from toolkit.inspect.processes import find_named
from toolkit.inspect.records import (
    DataHint,
    Entry,
    EpollRecord,
    EventFdRecord,
    Finding,
    Holder,
    Method,
    Record,
    SignalFdRecord,
    State,
    Survey,
    Target,
    ThreadMask,
    Watcher,
)
from toolkit.inspect.survey import NotFoundError, survey

__all__ = [
    "DataHint",
    "Entry",
    "EpollRecord",
    "EventFdRecord",
    "Finding",
    "Holder",
    "Method",
    "NotFoundError",
    "Record",
    "SignalFdRecord",
    "State",
    "Survey",
    "Target",
    "ThreadMask",
    "Watcher",
    "find_named",
    "survey",
]
