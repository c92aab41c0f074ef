"""Identifiers and content hashes."""

from __future__ import annotations

import hashlib
import json
import os
import time
import uuid
from typing import Any

_NAMESPACE = uuid.UUID("5f0d3c6e-0f5b-5a39-9c1b-6d8f1f4f6a10")

_CANONICAL = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def new_id() -> str:
    """Return a fresh UUID version 7 (time-ordered, RFC 9562) as text."""
    milliseconds = time.time_ns() // 1_000_000
    value = (milliseconds & ((1 << 48) - 1)) << 80 | int.from_bytes(os.urandom(10))
    value = value & ~(0xF << 76) | 0x7 << 76
    value = value & ~(0x3 << 62) | 0x2 << 62
    return str(uuid.UUID(int=value))


def stable_id(*parts: str) -> str:
    """Return the same UUID (version 5) for the same parts on every machine."""
    digest = hashlib.sha1(_NAMESPACE.bytes + "\0".join(parts).encode(), usedforsecurity=False).hexdigest()
    # As `uuid.uuid5` does it, without an object in between: this runs for every row that is written.
    variant = "89ab"[int(digest[16], 16) & 3]
    return f"{digest[:8]}-{digest[8:12]}-5{digest[13:16]}-{variant}{digest[17:20]}-{digest[20:32]}"


def content_hash(value: Any) -> str:
    """Return the SHA-256 of a JSON-able value in canonical form (sorted keys, UTF-8), as 64 hex digits."""
    return hashlib.sha256(_CANONICAL.encode(value).encode("utf-8", "surrogatepass")).hexdigest()
