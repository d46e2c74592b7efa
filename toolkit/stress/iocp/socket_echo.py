"""TCP clients against the coroutine echo server on a port: every byte comes back, in order.

What it does        `--workers` clients with blocking sockets; the server accepts with AcceptEx, one coroutine each.
What must hold      each client gets back what it sent; the server took as many bytes as were sent.
References          Microsoft: AcceptEx, WSARecv, WSASend
"""

import socket
import time

from toolkit.scheduler.completion_port import CompletionPortScheduler
from toolkit.scheduler.echo import EchoServer
from toolkit.stress.result import Invariant
from toolkit.stress.windows_stage import Verify, WindowsStage, WindowsStressor, Worker, equal

_LARGEST = 4096
_WITHIN_S = 10.0


def prepare(stage: WindowsStage) -> Verify:
    listener = stage.own(socket.create_server(("127.0.0.1", 0), backlog=128))
    address = listener.getsockname()
    differing: list[int] = []
    running: list[EchoServer] = []

    def serve(worker: Worker) -> None:
        with CompletionPortScheduler() as scheduler:
            server = EchoServer(scheduler, listener)
            running.append(server)
            scheduler.spawn(server.accept_all())
            scheduler.run()
        worker.received = server.bytes

    def talk(worker: Worker) -> None:
        with socket.create_connection(address, timeout=_WITHIN_S) as connection:
            while worker.goes_on():
                message = worker.random.randbytes(worker.random.randrange(1, _LARGEST))
                begin = time.perf_counter_ns()
                connection.sendall(message)
                back = bytearray()
                while len(back) < len(message):
                    piece = connection.recv(_LARGEST)
                    if not piece:
                        raise ConnectionError("the server closed the connection")
                    back += piece
                if worker.timed():
                    worker.took(begin)
                if back != message:
                    differing.append(worker.ops)
                worker.ops += 1
                worker.sent += len(message)

    def stop() -> None:
        for server in running:
            server.stop()

    for _ in range(stage.plan.workers):
        stage.worker("client", talk)
    stage.worker("server", serve, produces=False)
    stage.when_producers_ended(stop)

    def verify() -> list[Invariant]:
        return [
            equal("every-message-comes-back", [], differing[:10]),
            equal(
                "bytes-taken-are-bytes-sent", stage.total("sent", "client"), stage.total("received", "server")
            ),
        ]

    return verify


STRESSOR = WindowsStressor(prepare)
