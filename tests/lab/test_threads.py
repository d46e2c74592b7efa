"""Threads that a case starts."""

from pathlib import Path

from toolkit.demos.workbench import workbench


def test_a_waiter_s_thread_is_gone_for_the_kernel_when_its_result_is_there() -> None:
    """Python joins a thread a little earlier: what still ended would take signals sent to the process."""

    def tasks() -> set[str]:
        return {task.name for task in Path("/proc/self/task").iterdir()}

    before = tasks()
    with workbench() as lab:
        for number in range(500):
            assert lab.thread(lambda number=number: number).result() == number
            assert tasks() == before
