"""The end of a process reaches a port, through its handle or through its job.

What it does        Waits for a process through the thread pool; puts one into a job that reports to the port, lets
                    it end, and ends another by the job.
Why it bites        There is no SIGCHLD. A job tells of every process in it, also of those the program did not start
                    itself.
What you will see   The packet of the registered wait; from the job: new, exit, none left, each with the process's
                    number.
References          Microsoft: JOBOBJECT_ASSOCIATE_COMPLETION_PORT, RegisterWaitForSingleObject
"""

from typing import TYPE_CHECKING

from toolkit.lab import Case, Claim

if TYPE_CHECKING:
    from toolkit.lab.windows_lab import WindowsLab


def process_end(lab: "WindowsLab") -> None:
    """By handle, by job."""
    port, job = lab.port(), lab.job()
    child = lab.child("input()")
    with lab.process(child.pid) as process, lab.post_when_signalled(process, port, 1, once=True):
        child.communicate(b"\n")
        lab.must("iocp-process-handle-posts", expected=1, observed=lab.packet(port).key)
    job.report_to(port, 2)
    child = lab.child("input()")
    with lab.process(child.pid) as process:
        job.assign(process)
    child.communicate(b"\n")
    messages = [lab.packet(port) for _ in range(3)]
    lab.must(
        "iocp-job-messages",
        expected=[[6, True], [7, True], [4, False]],
        observed=[[message.bytes, message.overlapped == child.pid] for message in messages],
    )
    child = lab.child("input()")
    with lab.process(child.pid) as process:
        job.assign(process)
    job.terminate(3)
    status = child.wait(10)
    found = {lab.packet(port).bytes}
    while 4 not in found:
        found.add(lab.packet(port).bytes)
    lab.must("iocp-job-terminate-ends-all", expected=[3, True], observed=[status, {6, 4} <= found])


CASE = Case(
    variants=(process_end,),
    claims=(
        Claim(
            "iocp-process-handle-posts",
            "A registered wait for a process's handle posts when it has ended.",
            "Microsoft: RegisterWaitForSingleObject",
        ),
        Claim(
            "iocp-job-messages",
            "A job's port hears of a new process (6), its exit (7), and that none is left (4), with its number.",
            "Microsoft: JOBOBJECT_ASSOCIATE_COMPLETION_PORT",
        ),
        Claim(
            "iocp-job-terminate-ends-all",
            "TerminateJobObject ends its processes, and the port hears that none is left.",
            "Microsoft: TerminateJobObject",
        ),
    ),
    needs=("iocp",),
)
