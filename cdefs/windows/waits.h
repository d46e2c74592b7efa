/* Events, waitable timers, registered waits and asynchronous procedure calls (synchapi.h, winbase.h). */

#define WT_EXECUTEDEFAULT 0
#define WT_EXECUTEONLYONCE 8
#define EVENT_MODIFY_STATE 2
#define SYNCHRONIZE 0x00100000
#define THREAD_SET_CONTEXT 0x10

HANDLE CreateEventW(SECURITY_ATTRIBUTES *security, BOOL manual_reset, BOOL initially_set, const WCHAR *name);
BOOL SetEvent(HANDLE event);
BOOL ResetEvent(HANDLE event);
DWORD WaitForSingleObject(HANDLE object, DWORD ms);
HANDLE CreateWaitableTimerW(SECURITY_ATTRIBUTES *security, BOOL manual_reset, const WCHAR *name);
BOOL SetWaitableTimer(
    HANDLE timer, const LARGE_INTEGER *due, long period_ms, void (*completion)(void *, DWORD, DWORD), void *argument,
    BOOL resume);
BOOL CancelWaitableTimer(HANDLE timer);
BOOL RegisterWaitForSingleObject(
    HANDLE *wait, HANDLE object, void (*callback)(void *, BOOLEAN), void *context, ULONG ms, ULONG flags);
BOOL UnregisterWaitEx(HANDLE wait, HANDLE completion_event);
DWORD QueueUserAPC(void (*function)(ULONG_PTR), HANDLE thread, ULONG_PTR data);
DWORD SleepEx(DWORD ms, BOOL alertable);
DWORD GetCurrentThreadId(void);
HANDLE GetCurrentThread(void);
HANDLE OpenThread(DWORD access, BOOL inherit, DWORD id);
