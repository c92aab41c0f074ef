"""Map positions in compiled JavaScript back to its TypeScript source, by the rules of v8-to-istanbul (used by c8)."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Sequence
from dataclasses import dataclass

Segment = tuple[int, int, int]
"""A column, and the line and column that it maps to, all from 0."""

_DIGITS = {character: number for number, character in enumerate(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
)}  # fmt: skip


def _numbers(text: str) -> list[int]:
    """Decode one segment's numbers. Raises `KeyError` for an invalid character."""
    numbers, value, shift = [], 0, 0
    for character in text:
        digit = _DIGITS[character]
        value |= (digit & 31) << shift
        shift += 5
        if not digit & 32:
            numbers.append(-(value >> 1) if value & 1 else value >> 1)
            value, shift = 0, 0
    return numbers


def _decode(mappings: str) -> list[list[Segment]]:
    lines: list[list[Segment]] = []
    source_line = source_column = 0
    for row in mappings.split(";"):
        column, segments = 0, []
        for text in filter(None, row.split(",")):
            numbers = _numbers(text)
            column += numbers[0]
            if len(numbers) >= 4:
                source_line += numbers[2]
                source_column += numbers[3]
                segments.append((column, source_line, source_column))
        lines.append(sorted(segments, key=lambda item: item[0]))
    return lines


@dataclass(frozen=True, slots=True)
class Position:
    """A line and column from 0; ``column`` is None for the end of the line."""

    line: int
    column: int | None


class SourceMap:
    """The mappings of one compiled file with one source."""

    def __init__(self, mappings: str) -> None:
        """Decode mappings. Raises `KeyError` or `IndexError` if they are malformed."""
        self._lines = _decode(mappings)
        self._back: dict[int, list[Segment]] = {}
        for line, segments in enumerate(self._lines):
            for column, source_line, source_column in segments:
                insort(self._back.setdefault(source_line, []), (source_column, line, column), key=lambda item: item[0])

    def extent(self, lines: int) -> tuple[int, int]:
        """Return the first and last compiled line that map to the first ``lines`` lines of the source."""
        numbers = [number for number, row in enumerate(self._lines) if any(item[1] < lines for item in row)]
        return (numbers[0], numbers[-1]) if numbers else (0, -1)

    def start(self, line: int, column: int) -> Position | None:
        """Return the source position of a range that starts here."""
        position = self._before(line, column) or self._after(line, column)
        first = self._before(line, 0)
        if position is not None and first is not None and first.line > position.line:
            return first
        return position

    def end(self, line: int, column: int) -> Position | None:
        """Return the source position of a range that ends here: the next mapping on the same source line."""
        before = self.start(line, max(column - 1, 1))
        if before is None or before.column is None:
            return None
        following = _first_from(self._back.get(before.line, ()), before.column + 1)
        position = None if following is None else self._before(following[1], following[2])
        if position is None or position.line != before.line:
            return Position(before.line, None)
        return position

    def short_end(self, line: int, column: int) -> Position | None:
        """Return the end of a range whose `end` would equal its start."""
        position = self._after(line, column)
        return None if position is None or position.column is None else Position(position.line, position.column - 1)

    def _before(self, line: int, column: int) -> Position | None:
        segments = self._lines[line] if line < len(self._lines) else ()
        at = bisect_right(segments, column, key=lambda item: item[0]) - 1
        if at < 0:
            return None
        if segments[at][0] == column:
            at = bisect_left(segments, column, key=lambda item: item[0])
        return Position(segments[at][1], segments[at][2])

    def _after(self, line: int, column: int) -> Position | None:
        segment = _first_from(self._lines[line] if line < len(self._lines) else (), column)
        return None if segment is None else Position(segment[1], segment[2])


def _first_from(segments: Sequence[Segment], column: int) -> Segment | None:
    """Return the last segment at this column, else the first after it."""
    at = bisect_right(segments, column, key=lambda item: item[0])
    if at and segments[at - 1][0] == column:
        return segments[at - 1]
    return segments[at] if at < len(segments) else None
