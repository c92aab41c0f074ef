"""Functions with names like a target's, for retrieval (specification, 5)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")


@lru_cache(maxsize=65_536)
def tokens(name: str) -> frozenset[str]:
    """Split a name at underscores and camel case, in lower case: ``parseHTTPHeader_2`` is parse, http, header, 2."""
    return frozenset(part.lower() for part in _WORD.findall(name))


def similar(name: str, others: Sequence[tuple[str, str]], count: int = 5) -> tuple[str, ...]:
    """Return the keys of those ``(key, name)`` that share most tokens with a name; without any they are left out.

    Ties go to the name with fewer tokens of its own, then to the key.
    """
    wanted = tokens(name)
    ranked = []
    for key, other in others:
        shared = len(wanted & tokens(other))
        if shared:
            ranked.append((-shared, len(tokens(other)), key))
    return tuple(key for _, _, key in sorted(ranked)[:count])
