"""A loopback endpoint that speaks the OpenAI interface, fails as it is told to, and counts what it was asked.

Runs in a thread (`running`), or as a process: ``python -m tests.llm.server PORT DELAY_S``. ``GET /counts`` tells what
it saw. A request is known by its Idempotency-Key; ``faults`` says what happens to the first attempts of each.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import ssl
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

from annotator.llm.probe import QUESTION
from tests.llm.batch_desk import BatchDesk

Faults = Callable[[str, int], str]
Reply = Callable[[dict[str, Any], str], str]


BOMB = gzip.compress(b"\0" * 50_000_000)
"""50 MB in 50 kB."""


def no_faults(key: str, number: int) -> str:
    return ""


def in_turn(kinds: Sequence[str], share: int = 1) -> Faults:
    """Each ``share``-th request (by its key) meets one of the faults at its first attempt."""

    def fault(key: str, attempt: int) -> str:
        number = int(key[:8], 16)
        return kinds[number // share % len(kinds)] if attempt == 1 and number % share == 0 else ""

    return fault


def sequence(*kinds: str) -> Faults:
    """The attempts of every request meet these faults in order, then none."""
    return lambda key, attempt: kinds[attempt - 1] if attempt <= len(kinds) else ""


def echo(body: dict[str, Any], key: str) -> str:
    asked = body["messages"][-1]["content"] if "messages" in body else body["prompt"]
    return f"answer to {asked[:40]} [{key[:8]}]"


@dataclass
class Counts:
    """What the server saw, by request key: attempts, and answers written whole to a client that was still there."""

    attempts: Counter[str] = field(default_factory=Counter)
    answered: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    times: dict[str, list[float]] = field(default_factory=dict)
    bodies: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    lines: set[str] = field(default_factory=set)
    requests: int = 0
    probes: int = 0
    open: int = 0
    peak: int = 0
    area: float = 0.0
    moment: float = 0.0


class Server:
    def __init__(
        self,
        faults: Faults = no_faults,
        reply: Reply = echo,
        delay_s: float = 0.0,
        stall_s: float = 30.0,
        keep: int = 200,
    ) -> None:
        self.faults, self.reply, self.delay_s, self.stall_s, self.keep = faults, reply, delay_s, stall_s, keep
        self.counts = Counts()
        self.finish_reason: str | None = "stop"
        self.usage: dict[str, Any] = {"prompt_tokens": 12, "completion_tokens": 5, "total_tokens": 17}
        self.probe_faults: Faults = no_faults
        self.batches: BatchDesk | None = None
        self.models: list[dict[str, Any]] | None = None
        self.status_body: Any = None
        self.refuses: Callable[[dict[str, Any]], bool] = lambda body: False
        self.port = 0
        self.tls: ssl.SSLContext | None = None
        self.connections: list[asyncio.StreamWriter] = []

    @property
    def url(self) -> str:
        scheme = "http" if self.tls is None else "https"
        return f"{scheme}://127.0.0.1:{self.port}/v1"

    def mark(self, change: int) -> None:
        counts, now = self.counts, time.perf_counter()
        counts.area += counts.open * (now - counts.moment) if counts.moment else 0.0
        counts.moment = now
        counts.open += change
        counts.peak = max(counts.peak, counts.open)

    async def start(self, port: int = 0) -> asyncio.Server:
        server = await asyncio.start_server(self._serve, "127.0.0.1", port, limit=2**22, backlog=512, ssl=self.tls)
        self.port = server.sockets[0].getsockname()[1]
        return server

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections.append(writer)
        try:
            while await self._one(reader, writer):
                pass
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass
        finally:
            writer.close()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        first, *rest = head.split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in rest if line)}
        content = await reader.readexactly(int(headers.get("content-length", "0")))
        if self.batches is not None and (found := self.batches.answer(first, content)) is not None:
            if first.startswith("GET /v1/batches/"):
                await asyncio.sleep(self.batches.silent_s)
            self._whole(writer, *found)
            await writer.drain()
            return True
        if first.startswith("GET"):
            if first.split()[1].endswith("/models"):
                listed = json.dumps({"object": "list", "data": self.models}).encode()
                self._whole(writer, 404 if self.models is None else 200, listed)
                return True
            self.mark(0)
            self._whole(
                writer,
                200,
                json.dumps(
                    {
                        "area": self.counts.area,
                        "held": self.counts.open,
                        "moment": self.counts.moment,
                        "requests": self.counts.requests,
                    }
                ).encode(),
            )
            return True
        body = json.loads(content)
        key = headers.get("idempotency-key", "0" * 64)
        counts = self.counts
        if self.refuses(body):
            return await self._fail("400", reader, writer, body, key)
        if QUESTION in json.dumps(body.get("messages", body.get("prompt"))):
            return await self._probe(reader, writer, body, key)
        counts.requests += 1
        counts.lines.add(first)
        counts.attempts[key] += 1
        counts.times.setdefault(key, []).append(time.monotonic())
        if len(counts.bodies) < self.keep:
            counts.bodies.append(body)
            counts.headers.append(headers)
        self.mark(1)
        try:
            fault = self.faults(key, counts.attempts[key])
            if fault:
                counts.faults[fault] += 1
                return await self._fail(fault, reader, writer, body, key)
            if self.delay_s:
                await asyncio.sleep(self.delay_s)
            if reader.at_eof():
                return False  # nobody is there any more: like an endpoint that stops generating
            await self._answer(writer, body, key)
            return True
        finally:
            self.mark(-1)

    async def _probe(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, body: dict[str, Any], key: str
    ) -> bool:
        """Answer the tiny question before a run, which is counted apart and meets faults of its own."""
        self.counts.probes += 1
        fault = self.probe_faults(key, self.counts.probes)
        if fault:
            return await self._fail(fault, reader, writer, body, key)
        limits = ("X-RateLimit-Limit-Requests: 500", "X-RateLimit-Remaining-Requests: 499")
        if body.get("stream"):
            await self._stream(writer, body, "OK", 2)
        else:
            self._whole(writer, 200, json.dumps(self._document(body, "OK")).encode(), *limits)
        await writer.drain()
        return True

    async def _answer(self, writer: asyncio.StreamWriter, body: dict[str, Any], key: str) -> None:
        text = self.reply(body, key)
        if body.get("stream"):
            await self._stream(writer, body, text, len(text))
        else:
            self._whole(writer, 200, json.dumps(self._document(body, text)).encode())
        await writer.drain()
        if not writer.is_closing():
            self.counts.answered[key] += 1

    def _document(self, body: dict[str, Any], text: str) -> dict[str, Any]:
        choice: dict[str, Any] = {"index": 0, "finish_reason": self.finish_reason}
        choice |= {"message": {"role": "assistant", "content": text}} if "messages" in body else {"text": text}
        return {
            "id": "x",
            "object": "x",
            "created": 1,
            "model": "served-" + body["model"],
            "choices": [choice],
            "usage": self.usage,
        }

    @staticmethod
    def _whole(
        writer: asyncio.StreamWriter, status: int, body: bytes, *lines: str, kind: str = "application/json"
    ) -> None:
        head = [f"HTTP/1.1 {status} X", f"Content-Type: {kind}", f"Content-Length: {len(body)}", *lines]
        writer.write("\r\n".join(head).encode() + b"\r\n\r\n" + body)

    async def _stream(
        self, writer: asyncio.StreamWriter, body: dict[str, Any], text: str, upto: int, bad: bytes = b""
    ) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
        chat = "messages" in body

        def event(data: Any) -> None:
            piece = b"data: " + (data if isinstance(data, bytes) else json.dumps(data).encode()) + b"\n\n"
            writer.write(b"%x\r\n" % len(piece) + piece + b"\r\n")

        for at in range(0, upto, 8):
            piece = text[at : min(at + 8, upto)]
            choice = {"delta": {"content": piece}} if chat else {"text": piece}
            event({"model": "served-" + body["model"], "choices": [{"index": 0, "finish_reason": None, **choice}]})
        if bad:
            event(bad)
        if upto == len(text):
            event(
                {
                    "choices": [
                        {"index": 0, "finish_reason": self.finish_reason, **({"delta": {}} if chat else {"text": ""})}
                    ]
                }
            )
            event({"choices": [], "usage": {"prompt_tokens": 12, "completion_tokens": 5}})
            event(b"[DONE]")
        writer.write(b"0\r\n\r\n")

    async def _fail(
        self, fault: str, reader: Any, writer: asyncio.StreamWriter, body: dict[str, Any], key: str
    ) -> bool:
        name, _, value = fault.partition(":")
        document = self._document(body, self.reply(body, key))
        whole = json.dumps(document).encode()
        if name.isdigit():
            if value == "date":
                # Dates have whole seconds: a moment 2 s ahead is at least 1 s ahead.
                value = format_datetime(datetime.now(UTC) + timedelta(seconds=2), usegmt=True)
            error = self.status_body or {"error": {"message": f"scripted {name}", "code": None}}
            self._whole(writer, int(name), json.dumps(error).encode(), *([f"Retry-After: {value}"] if value else []))
        elif name == "slow":
            await self._drip(writer, whole, float(value or 1))
        elif name == "stall":
            await asyncio.sleep(float(value or self.stall_s))
            return False
        elif name == "broken":
            if body.get("stream"):
                await self._stream(writer, body, "half of it", 5)
                return True
            writer.write(
                b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(whole)
            )
            writer.write(whole[: len(whole) // 2])
            await writer.drain()
            return False
        elif name == "malformed":
            if body.get("stream"):
                await self._stream(writer, body, "half of it", 5, b'{"choices": [')
            else:
                self._whole(writer, 200, whole[:-9])
        elif name == "html":
            self._whole(writer, 200, b"<html>sign in</html>", kind="text/html")
        elif name == "reset":
            writer.transport.abort()
            return False
        elif name == "unfinished":
            document["choices"][0]["finish_reason"] = None
            if body.get("stream"):
                await self._stream(writer, body, "half of it", 5)
            else:
                self._whole(writer, 200, json.dumps(document).encode())
        elif name == "ended":
            document["choices"][0]["finish_reason"] = value
            self._whole(writer, 200, json.dumps(document).encode())
        elif name == "raw":
            self._whole(writer, 200, value.encode())
        elif name == "filter":
            document["choices"][0] |= {"finish_reason": "content_filter", "message": {"content": None}}
            self._whole(writer, 200, json.dumps(document).encode())
            await writer.drain()
            self.counts.answered[key] += 1
        elif name == "choices":
            self._whole(writer, 200, json.dumps(document | {"choices": []}).encode())
        elif name == "surrogate":
            document["choices"][0]["message"] = {"content": "answer \ud83d and \udc00"}
            self._whole(writer, 200, json.dumps(document | {"model": "\ud800"}).encode())
            await writer.drain()
            self.counts.answered[key] += 1
        elif name == "bomb":
            self._whole(writer, 200, BOMB, "Content-Encoding: gzip")
        elif name == "drip-headers":
            writer.write(b"HTTP/1.1 200 OK\r\n")
            await self._write_for_ever(writer, b"A: b\r\n")
        elif name == "trickle":
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
            piece = b'data: {"choices": [{"index": 0, "delta": {"content": "x"}}]}\n\n'
            await self._write_for_ever(writer, b"%x\r\n" % len(piece) + piece + b"\r\n")
        elif name == "continue":
            await self._write_for_ever(writer, b"HTTP/1.1 100 Continue\r\n\r\n")
        elif name == "gzip":
            self._whole(writer, 200, gzip.compress(whole), "Content-Encoding: gzip")
        elif name == "headers":
            writer.write(b"HTTP/1.1 200 OK\r\n")
            for _ in range(int(value)):
                writer.write(b"A: b\r\n" * 1000)
                await writer.drain()
        else:
            raise ValueError(fault)
        await writer.drain()
        return True

    @staticmethod
    async def _write_for_ever(writer: asyncio.StreamWriter, piece: bytes) -> None:
        while True:
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(0.05)

    @staticmethod
    async def _drip(writer: asyncio.StreamWriter, whole: bytes, seconds: float) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(whole))
        step = -(-len(whole) // 20)
        for at in range(0, len(whole), step):
            writer.write(whole[at : at + step])
            await writer.drain()
            await asyncio.sleep(seconds / 20)


@contextmanager
def running(server: Server) -> Iterator[Server]:
    """Serve from a thread for as long as the block lasts."""
    loop = asyncio.new_event_loop()
    ready = threading.Event()

    async def main() -> None:
        made = await server.start()
        ready.set()
        try:
            await asyncio.Event().wait()
        finally:
            # Waiting until it is closed would wait, from Python 3.12 on, for what it was told to stall.
            made.close()

    def serve() -> None:
        asyncio.set_event_loop(loop)
        task = loop.create_task(main())
        server_stop.append(lambda: loop.call_soon_threadsafe(task.cancel))
        try:
            loop.run_until_complete(task)
        except asyncio.CancelledError:
            pending = asyncio.all_tasks(loop)
            for item in pending:
                item.cancel()
            loop.run_until_complete(asyncio.gather(*pending, return_exceptions=True))
        loop.close()

    server_stop: list[Callable[[], object]] = []
    thread = threading.Thread(target=serve, name="scripted-server", daemon=True)
    thread.start()
    assert ready.wait(60)
    try:
        yield server
    finally:
        server_stop[0]()
        thread.join(10)


if __name__ == "__main__":

    async def alone() -> None:
        server = Server(delay_s=float(sys.argv[2]), keep=0)
        made = await server.start(int(sys.argv[1]))
        print(server.port, flush=True)
        async with made:
            await made.serve_forever()

    asyncio.run(alone())
