/* Types of the Windows SDK (winnt.h, minwindef.h, minwinbase.h), spelt as LLP64 compilers see them: long has 32 bits. */

typedef int BOOL;
typedef unsigned char BYTE;
typedef unsigned char BOOLEAN;
typedef unsigned short WORD;
typedef unsigned long DWORD;
typedef unsigned long ULONG;
typedef unsigned short USHORT;
typedef unsigned long long ULONG_PTR;
typedef long long LONG_PTR;
typedef void *HANDLE;
typedef wchar_t WCHAR;

typedef union { long long QuadPart; } LARGE_INTEGER;

typedef struct {
    ULONG_PTR Internal;
    ULONG_PTR InternalHigh;
    DWORD Offset;
    DWORD OffsetHigh;
    HANDLE hEvent;
} OVERLAPPED;

typedef struct {
    ULONG_PTR lpCompletionKey;
    OVERLAPPED *lpOverlapped;
    ULONG_PTR Internal;
    DWORD dwNumberOfBytesTransferred;
} OVERLAPPED_ENTRY;

typedef struct {
    DWORD nLength;
    void *lpSecurityDescriptor;
    BOOL bInheritHandle;
} SECURITY_ATTRIBUTES;

typedef struct {
    DWORD Data1;
    WORD Data2;
    WORD Data3;
    BYTE Data4[8];
} GUID;
