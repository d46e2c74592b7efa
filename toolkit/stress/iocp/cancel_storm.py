"""Reads that are cancelled while their data arrives: one packet each, and no byte is lost.

What it does        `--workers` threads, each on a pipe of its own: a read is started, then data is written, or the
                    read is cancelled, or both, in random order.
What must hold      every read brings exactly one packet: data, or 995; what was written is read, in order.
References          Microsoft: CancelIoEx; lewissbaker/cppcoro#68; nanomsg/nng#1599
"""

import time

from toolkit.primitives.iocp import CompletionPort
from toolkit.primitives.named_pipe import pipe_pair
from toolkit.primitives.operation import Operation
from toolkit.stress.result import Invariant
from toolkit.stress.windows_stage import Verify, WindowsStage, WindowsStressor, Worker, equal

_CANCELLED = 995
_WITHIN_MS = 10_000


def prepare(stage: WindowsStage) -> Verify:
    out_of_order: list[int] = []
    cancelled: list[int] = []
    surplus: list[int] = []

    def storm(worker: Worker) -> None:
        server, client = pipe_pair()
        with CompletionPort() as port, server, client:
            port.associate(server, 1)

            def take() -> bytes:
                packet = port.wait(_WITHIN_MS)
                if packet is None or packet.operation is None:
                    raise TimeoutError("a read brought no packet")
                if packet.error == _CANCELLED:
                    cancelled.append(1)
                    return b""
                worker.received += packet.bytes
                return packet.operation.data(packet.bytes)

            def check(data: bytes) -> None:
                first = (worker.received - len(data)) % 256
                if data != bytes((first + i) % 256 for i in range(len(data))):
                    out_of_order.append(worker.ops)

            def write() -> None:
                operation = Operation(data=bytes([worker.sent % 256]))
                client.write(operation)
                client.result(operation, _WITHIN_MS)
                operation.arrive()
                worker.sent += 1

            while worker.goes_on():
                read = Operation(16)
                begin = time.perf_counter_ns()
                server.read(read)
                choice = worker.random.randrange(4)
                if choice == 0:
                    write()
                elif choice == 1:
                    server.cancel(read)
                elif choice == 2:
                    write()
                    server.cancel(read)
                else:
                    server.cancel(read)
                    write()
                check(take())
                if worker.timed():
                    worker.took(begin)
                worker.ops += 1
            while worker.received < worker.sent:
                server.read(Operation(256))
                check(take())
            while port.wait(0) is not None:
                surplus.append(worker.index)

    for _ in range(stage.plan.workers):
        stage.worker("storm", storm)

    def verify() -> list[Invariant]:
        stage.figures["cancelled"] = len(cancelled)
        return [
            equal("no-byte-lost", stage.total("sent"), stage.total("received")),
            equal("bytes-in-order", [], out_of_order[:10]),
            equal("one-packet-a-read", [], surplus),
        ]

    return verify


STRESSOR = WindowsStressor(prepare)
