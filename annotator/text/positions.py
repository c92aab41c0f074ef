"""Convert Python's positions, counted in code points, to Qt's, counted in UTF-16 units."""

from __future__ import annotations

from bisect import bisect_left


class Utf16Positions:
    """Translate positions in one text; characters beyond the basic plane (emoji, some CJK) take two units."""

    def __init__(self, text: str) -> None:
        self._wide: list[int] = []
        if text and not text.isascii() and max(text) > "\uffff":
            self._wide = [index for index, character in enumerate(text) if character > "\uffff"]

    def units(self, index: int) -> int:
        """Return the UTF-16 position of a code point."""
        return index + bisect_left(self._wide, index) if self._wide else index
