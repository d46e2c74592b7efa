/* I/O completion ports and overlapped results (ioapiset.h), and the errors their users meet (winerror.h). */

#define INFINITE 0xFFFFFFFF
#define WAIT_OBJECT_0 0
#define WAIT_TIMEOUT 258
#define WAIT_IO_COMPLETION 192
#define WAIT_FAILED 0xFFFFFFFF
#define STATUS_PENDING 0x103
#define FILE_SKIP_COMPLETION_PORT_ON_SUCCESS 1
#define FILE_SKIP_SET_EVENT_ON_HANDLE 2

#define ERROR_SUCCESS 0
#define ERROR_FILE_NOT_FOUND 2
#define ERROR_PATH_NOT_FOUND 3
#define ERROR_ACCESS_DENIED 5
#define ERROR_INVALID_HANDLE 6
#define ERROR_NOT_READY 21
#define ERROR_SHARING_VIOLATION 32
#define ERROR_LOCK_VIOLATION 33
#define ERROR_HANDLE_EOF 38
#define ERROR_BAD_NETPATH 53
#define ERROR_NETNAME_DELETED 64
#define ERROR_BAD_NET_NAME 67
#define ERROR_INVALID_PARAMETER 87
#define ERROR_BROKEN_PIPE 109
#define ERROR_SEM_TIMEOUT 121
#define ERROR_INVALID_NAME 123
#define ERROR_BAD_PATHNAME 161
#define ERROR_FILENAME_EXCED_RANGE 206
#define ERROR_PIPE_BUSY 231
#define ERROR_NO_DATA 232
#define ERROR_PIPE_NOT_CONNECTED 233
#define ERROR_MORE_DATA 234
#define ERROR_DIRECTORY 267
#define ERROR_PIPE_CONNECTED 535
#define ERROR_PIPE_LISTENING 536
#define ERROR_ABANDONED_WAIT_0 735
#define ERROR_OPERATION_ABORTED 995
#define ERROR_IO_INCOMPLETE 996
#define ERROR_IO_PENDING 997
#define ERROR_NOACCESS 998
#define ERROR_NOT_FOUND 1168
#define ERROR_CONNECTION_REFUSED 1225
#define ERROR_PORT_UNREACHABLE 1234
#define ERROR_CONNECTION_ABORTED 1236
#define ERROR_NOTIFY_ENUM_DIR 1022

HANDLE CreateIoCompletionPort(HANDLE file, HANDLE port, ULONG_PTR key, DWORD concurrency);
BOOL GetQueuedCompletionStatus(HANDLE port, DWORD *bytes, ULONG_PTR *key, OVERLAPPED **overlapped, DWORD ms);
BOOL GetQueuedCompletionStatusEx(
    HANDLE port, OVERLAPPED_ENTRY *entries, ULONG count, ULONG *removed, DWORD ms, BOOL alertable);
BOOL PostQueuedCompletionStatus(HANDLE port, DWORD bytes, ULONG_PTR key, OVERLAPPED *overlapped);
BOOL SetFileCompletionNotificationModes(HANDLE file, BYTE flags);
BOOL GetOverlappedResult(HANDLE file, OVERLAPPED *overlapped, DWORD *bytes, BOOL wait);
BOOL GetOverlappedResultEx(HANDLE file, OVERLAPPED *overlapped, DWORD *bytes, DWORD ms, BOOL alertable);
BOOL CancelIo(HANDLE file);
BOOL CancelIoEx(HANDLE file, OVERLAPPED *overlapped);
ULONG RtlNtStatusToDosError(long status);
