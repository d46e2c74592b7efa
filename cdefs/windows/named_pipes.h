/* Named pipes (namedpipeapi.h, winbase.h). */

#define PIPE_ACCESS_INBOUND 1
#define PIPE_ACCESS_OUTBOUND 2
#define PIPE_ACCESS_DUPLEX 3
#define PIPE_TYPE_BYTE 0
#define PIPE_TYPE_MESSAGE 4
#define PIPE_READMODE_BYTE 0
#define PIPE_READMODE_MESSAGE 2
#define PIPE_WAIT 0
#define PIPE_UNLIMITED_INSTANCES 255

HANDLE CreateNamedPipeW(
    const WCHAR *name, DWORD open_mode, DWORD pipe_mode, DWORD instances, DWORD out_size, DWORD in_size, DWORD ms,
    SECURITY_ATTRIBUTES *security);
BOOL ConnectNamedPipe(HANDLE pipe, OVERLAPPED *overlapped);
BOOL DisconnectNamedPipe(HANDLE pipe);
BOOL SetNamedPipeHandleState(HANDLE pipe, DWORD *mode, DWORD *collect, DWORD *ms);
