"""Identifiers and content hashes."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Container
from typing import Any

NAMESPACE = bytes.fromhex("5f0d3c6e0f5b5a399c1b6d8f1f4f6a10")
"""The namespace of our version 5 UUIDs (RFC 9562, section 5.5)."""
_HEX_DIGITS = frozenset("0123456789abcdef")
_CANONICAL = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def is_hex(text: str, lengths: Container[int]) -> bool:
    """Return whether a text is lower-case hexadecimal with one of these numbers of digits."""
    return len(text) in lengths and set(text) <= _HEX_DIGITS


def new_id() -> str:
    """Return a fresh UUID version 7 (time-ordered, RFC 9562) as text."""
    milliseconds = time.time_ns() // 1_000_000
    value = (milliseconds & ((1 << 48) - 1)) << 80 | int.from_bytes(os.urandom(10))
    # The version (7) and the variant, at the bits that section 5.7 of the RFC names.
    value = value & ~(0xF << 76) | 0x7 << 76
    value = value & ~(0x3 << 62) | 0x2 << 62
    # Formatted by hand: importing uuid costs time when a project opens, as it detects the platform.
    digits = f"{value:032x}"
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def stable_id(*parts: str) -> str:
    """Return the same UUID (version 5) for the same parts on every machine."""
    # The same as uuid.uuid5 without creating a UUID object: imports need one or more per row.
    digest = hashlib.sha1(NAMESPACE + "\0".join(parts).encode(), usedforsecurity=False).hexdigest()
    variant = "89ab"[int(digest[16], 16) & 3]
    return f"{digest[:8]}-{digest[8:12]}-5{digest[13:16]}-{variant}{digest[17:20]}-{digest[20:32]}"


def content_hash(value: Any) -> str:
    """Return the SHA-256 of a JSON-able value in canonical form (sorted keys, UTF-8), as 64 hex digits."""
    return hashlib.sha256(_CANONICAL.encode(value).encode("utf-8", "surrogatepass")).hexdigest()
