"""Job objects: groups of processes that report to a completion port.

https://learn.microsoft.com/windows/win32/api/winnt/ns-winnt-jobobject_associate_completion_port
"""

from enum import IntEnum

from toolkit.ffi import windows
from toolkit.ffi.windows_errors import fail
from toolkit.primitives.iocp import CompletionPort
from toolkit.primitives.owned_handle import HandleLike, OwnedHandle, pointer_of

_constant = windows.ffi.integer_const


class JobMessage(IntEnum):
    """The count of a job's packet; its OVERLAPPED word is the process id."""

    ACTIVE_PROCESS_ZERO = _constant("JOB_OBJECT_MSG_ACTIVE_PROCESS_ZERO")
    NEW_PROCESS = _constant("JOB_OBJECT_MSG_NEW_PROCESS")
    EXIT_PROCESS = _constant("JOB_OBJECT_MSG_EXIT_PROCESS")
    ABNORMAL_EXIT_PROCESS = _constant("JOB_OBJECT_MSG_ABNORMAL_EXIT_PROCESS")


class Process(OwnedHandle):
    """A process by its id, with the rights a job needs; signalled when it has ended."""

    __slots__ = ()

    def __init__(self, pid: int) -> None:
        """OpenProcess.

        Raises:
            WindowsCallError: 87 when there is no such process, 5 when it is not ours.
        """
        lib = windows.lib
        access = lib.PROCESS_TERMINATE | lib.PROCESS_SET_QUOTA | lib.SYNCHRONIZE
        pointer = lib.OpenProcess(access, False, pid)
        if pointer == windows.NULL:
            fail("OpenProcess", hex(access), False, pid)
        super().__init__(pointer)


class Job(OwnedHandle):
    """A job object."""

    __slots__ = ()

    def __init__(self) -> None:
        """Raises WindowsCallError when the system has no memory for it."""
        pointer = windows.lib.CreateJobObjectW(windows.NULL, windows.NULL)
        if pointer == windows.NULL:
            fail("CreateJobObjectW")
        super().__init__(pointer)

    def report_to(self, port: CompletionPort, key: int) -> None:
        """Messages about the job's processes arrive at `port` from now on, with `key`.

        Raises:
            WindowsCallError: the call failed.
            ValueError: closed.
        """
        information = windows.ffi.new("JOBOBJECT_ASSOCIATE_COMPLETION_PORT *")
        information.CompletionKey = windows.ffi.cast("void *", key)
        information.CompletionPort = pointer_of(port)
        kind = windows.lib.JobObjectAssociateCompletionPortInformation
        size = windows.ffi.sizeof("JOBOBJECT_ASSOCIATE_COMPLETION_PORT")
        if not windows.lib.SetInformationJobObject(pointer_of(self.handle), kind, information, size):
            fail("SetInformationJobObject", hex(self.handle), hex(key), hex(port.handle))

    def assign(self, process: HandleLike) -> None:
        """AssignProcessToJobObject.

        Raises:
            WindowsCallError: the process has ended, or may not be moved.
            ValueError: closed.
        """
        if not windows.lib.AssignProcessToJobObject(pointer_of(self.handle), pointer_of(process)):
            fail("AssignProcessToJobObject", hex(self.handle), process)

    def terminate(self, status: int = 1) -> None:
        """TerminateJobObject: ends every process of the job with `status`.

        Raises:
            WindowsCallError: the call failed.
            ValueError: closed.
        """
        if not windows.lib.TerminateJobObject(pointer_of(self.handle), status):
            fail("TerminateJobObject", hex(self.handle), status)
