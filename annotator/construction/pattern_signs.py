"""The signs of a regular expression that people forget: repetition, and anchors for the start and end of a match."""

from __future__ import annotations

import re
from collections.abc import Iterator

_SIGN = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?.|[+*]\??|.", re.DOTALL)


def forgettable_signs(pattern: str) -> Iterator[tuple[int, str]]:
    """Yield (place, sign) for each ``+`` or ``\\b``, a ``^`` that opens the pattern and a ``$`` that ends it."""
    for match in _SIGN.finditer(pattern):
        sign = match[0]
        is_edge = (sign == "^" and not match.start()) or (sign == "$" and match.end() == len(pattern))
        if sign[0] == "+" or sign == r"\b" or is_edge:
            yield match.start(), sign
