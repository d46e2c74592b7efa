/* Which processors a thread may run on (winbase.h), within the first group of 64. */

BOOL GetProcessAffinityMask(HANDLE process, ULONG_PTR *of_process, ULONG_PTR *of_system);
ULONG_PTR SetThreadAffinityMask(HANDLE thread, ULONG_PTR mask);
