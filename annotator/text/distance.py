"""The distance of two texts by words."""

from __future__ import annotations

import re

from rapidfuzz.distance import Levenshtein

_WORD = re.compile(r"\w+|[^\w\s]", re.UNICODE)
WORD_LIMIT = 20_000


def split_words(text: str) -> list[str]:
    """Return the lower-case words and signs of a text."""
    return _WORD.findall(text.lower())


def word_distance(a: str, b: str) -> float:
    """Return 0 for texts of the same words in order, 1 for texts that share none (normalised Levenshtein on words).

    Only the first 20,000 words of each count, which bounds the time.
    """
    return float(Levenshtein.normalized_distance(split_words(a)[:WORD_LIMIT], split_words(b)[:WORD_LIMIT]))
