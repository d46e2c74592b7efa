/* Polls of sockets, asked of the driver beneath Winsock (AFD), as event loops do: libuv, wepoll, mio, trio. No header of
   the SDK has them. preamble.h states the same once more, in the form of Wine's server and of wepoll, to check this. */

#define IOCTL_AFD_POLL 0x00012024
#define AFD_POLL_RECEIVE 0x1
#define AFD_POLL_RECEIVE_EXPEDITED 0x2
#define AFD_POLL_SEND 0x4
#define AFD_POLL_DISCONNECT 0x8
#define AFD_POLL_ABORT 0x10
#define AFD_POLL_LOCAL_CLOSE 0x20
#define AFD_POLL_CONNECT 0x40
#define AFD_POLL_ACCEPT 0x80
#define AFD_POLL_CONNECT_FAIL 0x100

typedef struct {
    HANDLE Handle;
    ULONG Events;
    long Status;
} AFD_POLL_HANDLE_INFO;

typedef struct {
    LARGE_INTEGER Timeout;
    ULONG NumberOfHandles;
    ULONG Exclusive;
    AFD_POLL_HANDLE_INFO Handles[1];
} AFD_POLL_INFO;
