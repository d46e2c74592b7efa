"""Messages through named pipes and back: every byte comes back, in order.

What it does        `--workers` clients, each on a pipe of its own; one server thread echoes them all from one port.
What must hold      each client gets back what it sent; the server took as many bytes as were sent.
References          Microsoft: Named Pipe Operations
"""

import time

from toolkit.primitives.iocp import CompletionPort
from toolkit.primitives.named_pipe import NamedPipe, pipe_pair
from toolkit.primitives.operation import Operation
from toolkit.primitives.overlapped_file import OverlappedHandle
from toolkit.stress.result import Invariant
from toolkit.stress.windows_stage import Verify, WindowsStage, WindowsStressor, Worker, equal

_STOP = 2**64 - 1
_LARGEST = 2048
_WITHIN_MS = 10_000


def prepare(stage: WindowsStage) -> Verify:
    server_port = stage.own(CompletionPort())
    servers: list[NamedPipe] = []
    differing: list[int] = []

    def serve(worker: Worker) -> None:
        for number, server in enumerate(servers):
            server.read(_tagged(Operation(_LARGEST), number))
        while (packet := server_port.wait()) is not None and packet.key != _STOP:
            operation = packet.operation
            if operation is None or packet.error:
                continue  # the clients' ends have closed
            server = servers[packet.key]
            if operation.context == "write":
                server.read(_tagged(Operation(_LARGEST), packet.key))
                continue
            worker.received += packet.bytes
            answer = Operation(data=operation.data(packet.bytes))
            answer.context = "write"
            server.write(answer)

    def client(end: OverlappedHandle) -> None:
        port = stage.own(CompletionPort())
        port.associate(end, 1)

        def talk(worker: Worker) -> None:
            while worker.goes_on():
                message = worker.random.randbytes(worker.random.randrange(1, _LARGEST))
                begin = time.perf_counter_ns()
                end.write(Operation(data=message))
                end.read(Operation(_LARGEST))
                back = b""
                for _ in range(2):  # the write's packet and the read's
                    packet = port.wait(_WITHIN_MS)
                    if packet is None or packet.operation is None:
                        raise TimeoutError("a message did not come back")
                    if packet.operation.size == _LARGEST:
                        back = packet.operation.data(packet.bytes)
                if worker.timed():
                    worker.took(begin)
                if back != message:
                    differing.append(worker.ops)
                worker.ops += 1
                worker.sent += len(message)

        stage.worker("client", talk)

    for number in range(stage.plan.workers):
        server, end = pipe_pair()
        servers.append(stage.own(server))
        server_port.associate(server, number)
        client(stage.own(end))
    stage.worker("server", serve, produces=False)
    stage.when_producers_ended(lambda: server_port.post(key=_STOP))

    def verify() -> list[Invariant]:
        received = stage.total("received", "server")
        return [
            equal("every-message-comes-back", [], differing[:10]),
            equal("bytes-taken-are-bytes-sent", stage.total("sent", "client"), received),
        ]

    return verify


def _tagged(operation: Operation, number: int) -> Operation:
    operation.context = number
    return operation


STRESSOR = WindowsStressor(prepare)
