/* Winsock 2 (winsock2.h) and its extension functions (mswsock.h). SOCKET is a handle-sized integer. */

#define WSAEINTR 10004
#define WSAEFAULT 10014
#define WSAEINVAL 10022
#define WSAEWOULDBLOCK 10035
#define WSAENOTSOCK 10038
#define WSAEMSGSIZE 10040
#define WSAECONNABORTED 10053
#define WSAECONNRESET 10054
#define WSAENOTCONN 10057
#define WSAECONNREFUSED 10061
#define WSA_FLAG_OVERLAPPED 1
#define SIO_GET_EXTENSION_FUNCTION_POINTER 0xC8000006
#define SIO_UDP_CONNRESET 0x9800000C
#define SIO_BASE_HANDLE 0x48000022
#define SOL_SOCKET 0xFFFF
#define SO_UPDATE_ACCEPT_CONTEXT 0x700B
#define SO_UPDATE_CONNECT_CONTEXT 0x7010
#define TF_REUSE_SOCKET 2

typedef ULONG_PTR SOCKET;
typedef struct {
    ULONG len;
    char *buf;
} WSABUF;

int WSARecv(
    SOCKET s, WSABUF *buffers, DWORD count, DWORD *received, DWORD *flags, OVERLAPPED *overlapped,
    void (*completion)(DWORD, DWORD, OVERLAPPED *, DWORD));
int WSASend(
    SOCKET s, WSABUF *buffers, DWORD count, DWORD *sent, DWORD flags, OVERLAPPED *overlapped,
    void (*completion)(DWORD, DWORD, OVERLAPPED *, DWORD));
int WSARecvFrom(
    SOCKET s, WSABUF *buffers, DWORD count, DWORD *received, DWORD *flags, struct sockaddr *from, int *from_size,
    OVERLAPPED *overlapped, void (*completion)(DWORD, DWORD, OVERLAPPED *, DWORD));
int WSAIoctl(
    SOCKET s, DWORD code, void *in, DWORD in_size, void *out, DWORD out_size, DWORD *returned,
    OVERLAPPED *overlapped, void (*completion)(DWORD, DWORD, OVERLAPPED *, DWORD));
BOOL WSAGetOverlappedResult(SOCKET s, OVERLAPPED *overlapped, DWORD *bytes, BOOL wait, DWORD *flags);
int setsockopt(SOCKET s, int level, int name, const char *value, int size);
int closesocket(SOCKET s);

typedef BOOL (*LPFN_ACCEPTEX)(SOCKET, SOCKET, void *, DWORD, DWORD, DWORD, DWORD *, OVERLAPPED *);
typedef BOOL (*LPFN_CONNECTEX)(SOCKET, const struct sockaddr *, int, void *, DWORD, DWORD *, OVERLAPPED *);
typedef BOOL (*LPFN_DISCONNECTEX)(SOCKET, OVERLAPPED *, DWORD, DWORD);
