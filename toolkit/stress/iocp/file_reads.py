"""Overlapped reads of a file at random places, several in flight: each block is what belongs there.

What it does        `--workers` threads, each with its own port, eight reads in flight on one file of 4 MiB.
What must hold      every read brings one packet, whole, with the bytes of the place it asked for.
References          Microsoft: ReadFile, OVERLAPPED
"""

import os
import struct
import tempfile
import time

from toolkit.primitives.iocp import CompletionPort
from toolkit.primitives.operation import Operation
from toolkit.primitives.overlapped_file import OverlappedFile
from toolkit.stress.result import Invariant
from toolkit.stress.windows_stage import Verify, WindowsStage, WindowsStressor, Worker, equal

_BLOCK = 4096
_BLOCKS = 1024
_IN_FLIGHT = 8
_WITHIN_MS = 10_000
_MARK = struct.Struct("<Q")


def prepare(stage: WindowsStage) -> Verify:
    folder = tempfile.TemporaryDirectory(prefix="evkit-")
    stage.stack.callback(folder.cleanup)
    path = os.path.join(folder.name, "blocks")  # noqa: PTH118  a plain string for CreateFileW
    with open(path, "wb") as blocks:
        blocks.writelines(_MARK.pack(block) * (_BLOCK // _MARK.size) for block in range(_BLOCKS))
    wrong: list[int] = []

    def read(worker: Worker) -> None:
        with CompletionPort() as port, OverlappedFile.open(path) as file:
            port.associate(file, 1)
            begun: dict[Operation, int] = {}

            def begin(operation: Operation) -> None:
                operation.offset = worker.random.randrange(_BLOCKS) * _BLOCK
                begun[operation] = time.perf_counter_ns()
                worker.ops += 1
                worker.sent += 1
                file.read(operation)

            for _ in range(_IN_FLIGHT):
                if worker.goes_on():
                    begin(Operation(_BLOCK))
            while begun:
                packet = port.wait(_WITHIN_MS)
                if packet is None or packet.operation is None:
                    raise TimeoutError(f"{len(begun)} reads brought no packet")
                operation = packet.operation
                started = begun.pop(operation)
                worker.received += 1
                if worker.timed():
                    worker.took(started)
                expected = _MARK.pack(operation.offset // _BLOCK) * (_BLOCK // _MARK.size)
                if packet.error or operation.data(packet.bytes) != expected:
                    wrong.append(operation.offset)
                if worker.goes_on():
                    begin(operation)

    for _ in range(stage.plan.workers):
        stage.worker("reader", read)

    def verify() -> list[Invariant]:
        return [
            equal("one-packet-a-read", stage.total("sent"), stage.total("received")),
            equal("blocks-are-what-was-asked-for", [], wrong[:10]),
        ]

    return verify


STRESSOR = WindowsStressor(prepare)
