"""Ask for an answer in pieces (server-sent events)."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from annotator.llm.answers import Content, read_stream
from annotator.llm.connections import Reply
from annotator.llm.errors import BadAnswerError, WireError
from annotator.llm.whole import Poster, kind_of, refuse

_DONE = b"[DONE]"


class StreamAsker(Poster):
    """Posts to one endpoint and puts together what it streams."""

    accept = "text/event-stream"

    def post(self, path: str, body: Mapping[str, Any], digest: str, *, chat: bool) -> Content:
        """Return what the pieces come to.

        Raises `StatusError`, `WireError`, `Cancelled`, `BadAnswerError`, and ValueError for JSON that does not parse.
        """
        asked = dict(body) | {"stream": True, "stream_options": {"include_usage": True}}
        reply = self.send(path, asked, digest)
        try:
            if not 200 <= reply.status < 300:
                refuse(reply)
            kind = kind_of(reply)
            if "event-stream" not in kind:
                raise BadAnswerError("wrong content", f"the endpoint sent {kind or 'an unnamed type'}, not a stream")
            return read_stream(_chunks(reply), chat=chat)
        finally:
            reply.close()


def _chunks(reply: Reply) -> Iterator[Any]:
    """Yield the documents of a stream up to its end mark."""
    pieces = reply.pieces()
    for data in events(pieces):
        if data.startswith(_DONE):
            # The answer is whole. Its last frame is mostly here too, and then the connection can be used again.
            if reply.at_hand:
                with contextlib.suppress(WireError):
                    for _ in pieces:
                        pass
            return
        chunk = json.loads(data)
        if isinstance(chunk, Mapping) and chunk.get("error"):
            error = chunk["error"]
            said = error.get("message") if isinstance(error, Mapping) else error
            raise BadAnswerError("error in the stream", f"the endpoint broke off: {str(said)[:200]}")
        yield chunk


def events(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the data of every event that comes to its empty line, however the bytes are cut (WHATWG, 9.2.6)."""
    held: list[bytes] = []
    data: list[bytes] = []
    for piece in pieces:
        if b"\n" not in piece and b"\r" not in piece and not (held and held[-1].endswith(b"\r")):
            held.append(piece)
            continue
        lines = b"".join([*held, piece]).splitlines(keepends=True)
        # A carriage return at the end may be half of a line's end.
        held = [] if lines[-1].endswith(b"\n") else [lines.pop()]
        for line in lines:
            text = line.rstrip(b"\r\n")
            if text.startswith(b"data:"):
                data.append(text[6:] if text.startswith(b"data: ") else text[5:])
            elif not text and data:
                yield b"\n".join(data)
                data = []
