"""A model's endpoint on this machine that answers after a while and counts how many requests it holds.

python -m annotator.bench.endpoint SECONDS

Prints the port it listens at. ``GET /counts`` tells the requests so far, the area under the number of requests held,
and the moment of both.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from dataclasses import dataclass

_ANSWER = {
    "id": "made", "object": "chat.completion", "model": "made",
    "choices": [{"index": 0, "finish_reason": "stop",
                 "message": {"role": "assistant", "content": "def add(a, b):\n    return a + b"}}],
    "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120},
}  # fmt: skip


@dataclass
class _Counts:
    requests: int = 0
    held: int = 0
    area: float = 0.0
    moment: float = 0.0

    def change(self, by: int) -> None:
        now = time.monotonic()
        self.area += self.held * (now - self.moment if self.moment else 0.0)
        self.moment = now
        self.held += by


class Endpoint:
    """Answers every question with the same code."""

    def __init__(self, seconds: float) -> None:
        """Answer after so many seconds."""
        self._seconds = seconds
        self._counts = _Counts()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer what one connection asks, until it closes."""
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                length = next(
                    (int(line[15:]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")), 0
                )
                if length:
                    await reader.readexactly(length)
                if head.startswith(b"GET"):
                    self._counts.change(0)
                    self._write(writer, self._counts.__dict__)
                else:
                    self._counts.requests += 1
                    self._counts.change(1)
                    await asyncio.sleep(self._seconds)
                    self._counts.change(-1)
                    self._write(writer, _ANSWER)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass  # Whoever asked has gone.
        finally:
            writer.close()

    def _write(self, writer: asyncio.StreamWriter, content: object) -> None:
        body = json.dumps(content).encode()
        head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        writer.write(head.encode() + body)


async def _main(seconds: float) -> None:
    server = await asyncio.start_server(Endpoint(seconds).serve, "127.0.0.1", 0)
    sys.stdout.write(f"{server.sockets[0].getsockname()[1]}\n")
    sys.stdout.flush()
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(_main(float(sys.argv[1])))
