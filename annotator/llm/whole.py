"""Ask for an answer in one JSON document, straight over a connection.

Most requests of a run go this way. The openai package costs four times the work per request, which is more than one
interpreter has at 64 requests in flight (`tests/benchmarks/generation.py`); what it adds, streams, goes through it
(`streams.py`).
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from annotator import __version__
from annotator.llm.connections import Connections
from annotator.llm.errors import StatusError

NO_KEY = "none"
_COMPACT = json.JSONEncoder(separators=(",", ":"))
_ACCOUNT = (("OPENAI_ORG_ID", "OpenAI-Organization"), ("OPENAI_PROJECT_ID", "OpenAI-Project"))


class WholeAsker:
    """Posts JSON to one endpoint and returns the JSON it answers with."""

    def __init__(self, connections: Connections, base_url: str, key: str) -> None:
        """Make the headers that every request has."""
        parts = urlsplit(base_url)
        self._connections = connections
        self._base = parts.path.rstrip("/")
        self._query = f"?{parts.query}" if parts.query else ""
        self._headers = [
            ("Host", parts.netloc),
            ("Accept", "application/json"),
            ("Accept-Encoding", "identity"),
            ("Content-Type", "application/json"),
            ("User-Agent", f"annotator/{__version__}"),
            ("Authorization", f"Bearer {key or NO_KEY}"),
            *account_headers(base_url).items(),
        ]

    def post(self, path: str, body: Mapping[str, Any], digest: str) -> Any:
        """Return the document that answers a request, or the text of one that is not JSON.

        ``digest`` lets an endpoint tell that it was asked this before. Raises `StatusError` for a status other than
        2xx, `WireError` and `Cancelled` as `Connections.send`, ValueError for JSON that does not parse.
        """
        # Escaped, so that half a character pair in a prompt is still valid JSON.
        content = _COMPACT.encode(body).encode("ascii")
        headers = [*self._headers, ("Idempotency-Key", digest), ("Content-Length", str(len(content)))]
        reply = self._connections.send("POST", f"{self._base}{path}{self._query}", headers, content)
        try:
            received = b"".join(reply.pieces())
        finally:
            reply.close()
        status, fields = reply.status, reply.headers
        if 200 <= status < 300:
            kind = next((value for name, value in fields if name.lower() == "content-type"), "")
            if not kind.partition(";")[0].strip().lower().endswith("json"):
                return received.decode("utf-8", "replace")
            return json.loads(received)
        raise StatusError(status, _said(received), {name.lower(): value for name, value in fields})


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
