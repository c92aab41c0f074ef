"""Identifiers and content hashes."""

from __future__ import annotations

import json
import os
import time
from typing import Any

_NAMESPACE = "5f0d3c6e-0f5b-5a39-9c1b-6d8f1f4f6a10"


def new_id() -> str:
    """Return a fresh UUID version 7 (time-ordered, RFC 9562) as text."""
    # Here and below: a project is opened and shown without making an identifier, and these load TLS and more.
    import uuid

    milliseconds = time.time_ns() // 1_000_000
    value = (milliseconds & ((1 << 48) - 1)) << 80 | int.from_bytes(os.urandom(10))
    value = value & ~(0xF << 76) | 0x7 << 76
    value = value & ~(0x3 << 62) | 0x2 << 62
    return str(uuid.UUID(int=value))


def stable_id(*parts: str) -> str:
    """Return the same UUID (version 5) for the same parts on every machine."""
    import uuid

    return str(uuid.uuid5(uuid.UUID(_NAMESPACE), "\0".join(parts)))


def content_hash(value: Any) -> str:
    """Return the SHA-256 of a JSON-able value in canonical form (sorted keys, UTF-8), as 64 hex digits."""
    import hashlib

    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
