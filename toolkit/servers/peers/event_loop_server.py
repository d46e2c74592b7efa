"""A protocol on asyncio or uvloop, with the parser and the answers of the models: `LOOP PORT BODY_SIZE`."""

import asyncio
import importlib
import sys
from typing import Any, cast

from toolkit.servers.answers import answer_to
from toolkit.servers.requests import Request, RequestReader, load_parser


class Answering(asyncio.Protocol):
    """Answers known bytes without parsing, as the models do; anything else goes through httptools."""

    known: dict[bytes, bytes]
    httptools: Any
    body_size: int

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Remembers where to write."""
        self._transport = cast(asyncio.WriteTransport, transport)
        self._reader = RequestReader(self.httptools)

    def data_received(self, data: bytes) -> None:
        """Answers what is complete."""
        answer = self.known.get(data)
        if answer is None or self._reader.in_hand:
            answer = self._parse(data)
        if answer:
            self._transport.write(answer)

    def _parse(self, data: bytes) -> bytes:
        self._reader.feed(data)
        requests: list[Request] = list(self._reader.complete)
        self._reader.complete.clear()
        answer = b"".join(answer_to(request, self.body_size, b"", True) for request in requests)
        if requests and not self._reader.in_hand and len(self.known) < 256:
            self.known[data] = answer
        return answer


async def serve(port: int, body_size: int) -> None:
    """Listens, prints its port, and serves for ever."""
    Answering.known, Answering.httptools, Answering.body_size = {}, load_parser(), body_size
    loop = asyncio.get_running_loop()
    server = await loop.create_server(Answering, "127.0.0.1", port, backlog=4096)
    sys.stdout.write(f"{server.sockets[0].getsockname()[1]}\n")
    sys.stdout.flush()
    await server.serve_forever()


if __name__ == "__main__":
    loop_name, port, body_size = sys.argv[1:]
    work = serve(int(port), int(body_size))
    if loop_name == "uvloop":
        importlib.import_module("uvloop").run(work)
    else:
        asyncio.run(work)
