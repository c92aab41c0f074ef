"""The signs of a regular expression that people forget: what repeats, and what says where a match begins and ends."""

from __future__ import annotations

import re
from collections.abc import Iterator

_SIGN = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?.|[+*]\??|.", re.DOTALL)


def forgettable_signs(pattern: str) -> Iterator[tuple[int, str]]:
    """Yield (place, sign) for each ``+`` or ``\\b``, a ``^`` that opens the pattern and a ``$`` that ends it."""
    for found in _SIGN.finditer(pattern):
        sign = found[0]
        is_edge = (sign == "^" and not found.start()) or (sign == "$" and found.end() == len(pattern))
        if sign[0] == "+" or sign == r"\b" or is_edge:
            yield found.start(), sign
