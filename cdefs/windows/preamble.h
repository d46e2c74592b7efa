/* For the check against mingw-w64's headers only: the order matters, winsock2.h goes before windows.h. */

#ifndef _WIN32_WINNT
#define _WIN32_WINNT 0x0602
#endif
#include <winsock2.h>
#include <ws2tcpip.h>
#include <mswsock.h>
#include <windows.h>
#include <winternl.h>

/* AFD's poll, which no header has: its code from its parts, its events from their bit numbers, and its structures without
   the compiler's padding, pinned to the places where Wine's server (include/wine/afd.h, afd_poll_params_64) and wepoll
   (src/afd.h) find the fields. A field of another size, order or place in sockets_afd.h does not agree with these. */
#include <stddef.h>
#define IOCTL_AFD_POLL ((FILE_DEVICE_NETWORK << 12) | (9 << 2) | METHOD_BUFFERED)
enum {
    AFD_POLL_RECEIVE = 1 << 0,
    AFD_POLL_RECEIVE_EXPEDITED = 1 << 1,
    AFD_POLL_SEND = 1 << 2,
    AFD_POLL_DISCONNECT = 1 << 3,
    AFD_POLL_ABORT = 1 << 4,
    AFD_POLL_LOCAL_CLOSE = 1 << 5,
    AFD_POLL_CONNECT = 1 << 6,
    AFD_POLL_ACCEPT = 1 << 7,
    AFD_POLL_CONNECT_FAIL = 1 << 8
};
typedef struct __attribute__((packed)) {
    HANDLE Handle;
    ULONG Events;
    NTSTATUS Status;
} AFD_POLL_HANDLE_INFO;
typedef struct __attribute__((packed)) {
    LARGE_INTEGER Timeout;
    ULONG NumberOfHandles;
    ULONG Exclusive;
    AFD_POLL_HANDLE_INFO Handles[1];
} AFD_POLL_INFO;
_Static_assert(offsetof(AFD_POLL_HANDLE_INFO, Events) == 8, "Events at 8");
_Static_assert(offsetof(AFD_POLL_HANDLE_INFO, Status) == 12, "Status at 12");
_Static_assert(sizeof(AFD_POLL_HANDLE_INFO) == 16, "16 bytes a socket");
_Static_assert(offsetof(AFD_POLL_INFO, NumberOfHandles) == 8, "NumberOfHandles at 8");
_Static_assert(offsetof(AFD_POLL_INFO, Exclusive) == 12, "Exclusive at 12");
_Static_assert(offsetof(AFD_POLL_INFO, Handles) == 16, "Handles at 16");
_Static_assert(sizeof(AFD_POLL_INFO) == 32, "32 bytes a poll of one socket");
