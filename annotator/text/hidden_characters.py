"""Characters nobody sees in a text: bidi controls that reorder it, and letters without a width."""

from __future__ import annotations

import unicodedata
from collections import Counter

BIDI = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Embeddings, overrides and isolates: what is read is not what is there."""
STEERING = frozenset(map(chr, (*range(32), *range(127, 160)))) - frozenset("\n\t") | BIDI
"""What makes a terminal do something, or show a text in another order than it has."""
_SHOWN = {ord(letter): ascii(letter)[1:-1] for letter in STEERING}
_JOINERS = frozenset("\u200c\u200d")
_LINES = frozenset("\n\r\t")


def visible(text: str) -> str:
    """Return a text as it may be written to a terminal: escape sequences and the like are shown, not carried out."""
    if text.isascii() and text.isprintable():
        return text
    return text.replace("\r\n", "\n").translate(_SHOWN)


def find_hidden(text: str) -> tuple[tuple[str, int], ...]:
    """Return each hidden character of a text with how often it stands there, in the order of first meeting.

    Joiners between letters that are not Latin, and within emoji, belong there.
    """
    if text.isascii() and text.isprintable():
        return ()
    found: Counter[str] = Counter()
    for place, letter in enumerate(text):
        if letter in _LINES or unicodedata.category(letter) not in ("Cf", "Cc"):
            continue
        if letter in _JOINERS and _is_joined(text, place):
            continue
        found[letter] += 1
    return tuple(found.items())


def name_hidden(letter: str) -> str:
    """Return a hidden character as "U+202E (right-to-left override)"."""
    name = unicodedata.name(letter, "control character").lower()
    return f"U+{ord(letter):04X} ({name})"


def _is_joined(text: str, place: int) -> bool:
    before, after = text[max(0, place - 1) : place], text[place + 1 : place + 2]
    return bool(before) and bool(after) and not before.isascii() and not after.isascii()
