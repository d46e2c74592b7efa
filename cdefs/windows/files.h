/* Files, directories and handles (fileapi.h, handleapi.h, winbase.h, winioctl.h). */

#define GENERIC_READ 0x80000000
#define GENERIC_WRITE 0x40000000
#define FILE_LIST_DIRECTORY 1
#define DUPLICATE_SAME_ACCESS 2
#define FILE_SHARE_READ 1
#define FILE_SHARE_WRITE 2
#define FILE_SHARE_DELETE 4
#define CREATE_NEW 1
#define CREATE_ALWAYS 2
#define OPEN_EXISTING 3
#define OPEN_ALWAYS 4
#define FILE_ATTRIBUTE_NORMAL 0x80
#define FILE_ATTRIBUTE_DIRECTORY 0x10
#define FILE_FLAG_OVERLAPPED 0x40000000
#define FILE_FLAG_NO_BUFFERING 0x20000000
#define FILE_FLAG_BACKUP_SEMANTICS 0x02000000
#define FILE_FLAG_FIRST_PIPE_INSTANCE 0x00080000
#define FSCTL_SET_SPARSE 0x000900C4
#define FILE_TYPE_DISK 1
#define FILE_TYPE_CHAR 2
#define FILE_TYPE_PIPE 3
#define FILE_BEGIN 0
#define STD_INPUT_HANDLE 0xFFFFFFF6

#define FILE_NOTIFY_CHANGE_FILE_NAME 0x1
#define FILE_NOTIFY_CHANGE_DIR_NAME 0x2
#define FILE_NOTIFY_CHANGE_ATTRIBUTES 0x4
#define FILE_NOTIFY_CHANGE_SIZE 0x8
#define FILE_NOTIFY_CHANGE_LAST_WRITE 0x10
#define FILE_ACTION_ADDED 1
#define FILE_ACTION_REMOVED 2
#define FILE_ACTION_MODIFIED 3
#define FILE_ACTION_RENAMED_OLD_NAME 4
#define FILE_ACTION_RENAMED_NEW_NAME 5

DWORD GetLastError(void);
BOOL CloseHandle(HANDLE object);
BOOL DuplicateHandle(
    HANDLE from_process, HANDLE from, HANDLE to_process, HANDLE *to, DWORD access, BOOL inherit, DWORD options);
HANDLE GetCurrentProcess(void);
HANDLE GetStdHandle(DWORD which);
DWORD GetFileType(HANDLE file);
BOOL GetFileSizeEx(HANDLE file, LARGE_INTEGER *size);
HANDLE CreateFileW(
    const WCHAR *name, DWORD access, DWORD share, SECURITY_ATTRIBUTES *security, DWORD disposition, DWORD flags,
    HANDLE model);
BOOL ReadFile(HANDLE file, void *buffer, DWORD size, DWORD *read, OVERLAPPED *overlapped);
BOOL WriteFile(HANDLE file, const void *buffer, DWORD size, DWORD *written, OVERLAPPED *overlapped);
BOOL DeviceIoControl(
    HANDLE device, DWORD code, void *in, DWORD in_size, void *out, DWORD out_size, DWORD *returned,
    OVERLAPPED *overlapped);
BOOL ReadDirectoryChangesW(
    HANDLE directory, void *buffer, DWORD size, BOOL subtree, DWORD filter, DWORD *returned, OVERLAPPED *overlapped,
    void (*completion)(DWORD, DWORD, OVERLAPPED *));
