/* Job objects and their messages to a port (jobapi2.h, winnt.h), processes, the console (consoleapi.h). */

#define JOB_OBJECT_MSG_ACTIVE_PROCESS_ZERO 4
#define JOB_OBJECT_MSG_NEW_PROCESS 6
#define JOB_OBJECT_MSG_EXIT_PROCESS 7
#define JOB_OBJECT_MSG_ABNORMAL_EXIT_PROCESS 8
#define PROCESS_TERMINATE 0x1
#define PROCESS_SET_QUOTA 0x100
#define CTRL_C_EVENT 0
#define CTRL_BREAK_EVENT 1
#define CTRL_CLOSE_EVENT 2

typedef enum { JobObjectAssociateCompletionPortInformation = 7 } JOBOBJECTINFOCLASS;
typedef struct {
    void *CompletionKey;
    HANDLE CompletionPort;
} JOBOBJECT_ASSOCIATE_COMPLETION_PORT;

HANDLE CreateJobObjectW(SECURITY_ATTRIBUTES *security, const WCHAR *name);
BOOL SetInformationJobObject(HANDLE job, JOBOBJECTINFOCLASS kind, void *information, DWORD size);
BOOL AssignProcessToJobObject(HANDLE job, HANDLE process);
BOOL TerminateJobObject(HANDLE job, unsigned int status);
HANDLE OpenProcess(DWORD access, BOOL inherit, DWORD id);
BOOL SetConsoleCtrlHandler(BOOL (*handler)(DWORD), BOOL add);
BOOL GenerateConsoleCtrlEvent(DWORD event, DWORD group);
