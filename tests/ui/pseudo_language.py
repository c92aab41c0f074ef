"""A language in which whatever is translated can be told from what is not."""

from __future__ import annotations

import re

from PySide6.QtCore import QTranslator

_SHORTEST_MARKED = 2


class PseudoCatalogue(QTranslator):
    """Translates every text into itself with accents, longer by two fifths and in brackets: what is not, shows."""

    def isEmpty(self) -> bool:  # noqa: N802 - Qt's own name
        """Say that there is something to ask for."""
        return False

    def translate(self, _context: str, text: str, _note: str | None = None, _count: int = -1) -> str:
        """Return the text disguised."""
        return pseudo(text)


def pseudo(text: str) -> str:
    """Return a text in brackets with accents and dots, its fields as they are; what is in brackets stays as it is."""
    if (text.startswith("[") and text.endswith("]")) or len(text) < _SHORTEST_MARKED:
        return text
    accents = str.maketrans("AaCcEeGgIiNnOoSsUuYyZz", "ÅåÇçÉéĞğÎîÑñÖöŠšÜüÝýŽž")
    parts = re.split(r"(\{\w+\})", text)
    words = "".join(part if part.startswith("{") else part.translate(accents) for part in parts)
    return f"[{words}{'·' * (1 + len(text) * 2 // 5)}]"
