"""Ask for an answer in one JSON document, straight over a connection. Most requests of a run go this way."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any, NoReturn
from urllib.parse import urlsplit

from annotator import __version__
from annotator.llm.connections import Connections, Reply
from annotator.llm.errors import StatusError

NO_KEY = "none"
_COMPACT = json.JSONEncoder(separators=(",", ":"))
_ACCOUNT = (("OPENAI_ORG_ID", "OpenAI-Organization"), ("OPENAI_PROJECT_ID", "OpenAI-Project"))


class Poster:
    """Posts JSON to one endpoint."""

    accept = "application/json"
    """What kind of answer is asked for."""

    def __init__(self, connections: Connections, base_url: str, key: str) -> None:
        """Make the headers that every request has."""
        parts = urlsplit(base_url)
        self._connections = connections
        self._base = parts.path.rstrip("/")
        self._query = f"?{parts.query}" if parts.query else ""
        self._headers = [
            ("Host", parts.netloc),
            ("Accept", self.accept),
            ("Accept-Encoding", "identity"),
            ("Content-Type", "application/json"),
            ("User-Agent", f"annotator/{__version__}"),
            ("Authorization", f"Bearer {key or NO_KEY}"),
            *account_headers(base_url).items(),
        ]

    def send(self, path: str, body: Mapping[str, Any], digest: str) -> Reply:
        """Send a request and return its reply, which is to be closed.

        ``digest`` lets an endpoint tell that it was asked this before. Raises `WireError` and `Cancelled` as
        `Connections.send`.
        """
        # Escaped, so that half a character pair in a prompt is still valid JSON.
        content = _COMPACT.encode(body).encode("ascii")
        headers = [*self._headers, ("Idempotency-Key", digest), ("Content-Length", str(len(content)))]
        return self._connections.send("POST", f"{self._base}{path}{self._query}", headers, content)


class WholeAsker(Poster):
    """Posts JSON to one endpoint and returns the JSON it answers with."""

    def post(self, path: str, body: Mapping[str, Any], digest: str) -> Any:
        """Return the document that answers a request, or the text of one that is not JSON.

        Raises `StatusError` for a status other than 2xx, what `send` raises, ValueError for JSON that does not parse.
        """
        reply = self.send(path, body, digest)
        try:
            if not 200 <= reply.status < 300:
                refuse(reply)
            received = b"".join(reply.pieces())
        finally:
            reply.close()
        if not kind_of(reply).partition(";")[0].strip().lower().endswith("json"):
            return received.decode("utf-8", "replace")
        return json.loads(received)


def kind_of(reply: Reply) -> str:
    """Return the content type of a reply, empty if it has none."""
    return next((value for name, value in reply.headers if name.lower() == "content-type"), "")


def refuse(reply: Reply) -> NoReturn:
    """Raise the `StatusError` that a reply amounts to."""
    received = b"".join(reply.pieces())
    raise StatusError(reply.status, _said(received), {name.lower(): value for name, value in reply.headers})


def account_headers(base_url: str) -> dict[str, str]:
    """Return what the environment says of an organisation: it belongs to the account at OpenAI, and to nobody else."""
    if ".openai.com" not in base_url:
        return {}
    return {header: os.environ[name] for name, header in _ACCOUNT if os.environ.get(name)}


def _said(received: bytes) -> Any:
    """Return what came with an error: its JSON, else its text."""
    try:
        return json.loads(received)
    except (ValueError, RecursionError):
        return received.decode("utf-8", "replace")
