"""Align a template with responses, character by character (criterion specification, part B, section 5).

The alignment is not a textbook longest common subsequence: its borders do not propagate, a match always takes the
diagonal, and ties go to the larger column. All of that decides what is captured, so all of it is kept.

Lengths and columns travel together in one integer, so that the larger of two cells is the longer alignment, and among
equals the one with the larger column. Many responses are aligned at once, side by side in one row of the table: what a
step costs does not depend on how many there are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

CELL_LIMIT = 30_000_000
"""The largest table, in cells of 8 bytes: a template's length times a response's."""
_BATCH_CELLS = 4_000_000

_COLUMN_BITS = 25
_LENGTH_BITS = 18
_ONE = 1 << _COLUMN_BITS
_COLUMN = _ONE - 1
_LENGTH = (1 << _LENGTH_BITS) - 1
_NEXT = 1 << (_COLUMN_BITS + _LENGTH_BITS)
_BATCH_RESPONSES = 1 << 18


@dataclass(frozen=True, slots=True)
class Alignment:
    """How many characters of the template were found, and the column in the response for each of them."""

    length: int
    positions: tuple[int, ...]


def align(template: str, response: str) -> Alignment:
    """Align one response; both texts must not be empty."""
    return next(align_all(template, [response]))


def align_all(template: str, responses: Sequence[str]) -> Iterator[Alignment]:
    """Align many responses with one template and yield them in order.

    No text may be empty, and no response times the template larger than `CELL_LIMIT`. Memory is bounded by that too.
    """
    batch: list[str] = []
    width = 0
    for response in responses:
        full = (width + len(response)) * len(template) > _BATCH_CELLS or len(batch) == _BATCH_RESPONSES
        if batch and full:
            yield from _Batch(template, batch).alignments()
            batch, width = [], 0
        batch.append(response)
        width += len(response)
    if batch:
        yield from _Batch(template, batch).alignments()


class _Batch:
    """Some responses side by side; a number above the length tells them apart, so no maximum crosses a border."""

    def __init__(self, template: str, responses: Sequence[str]) -> None:
        import numpy as np

        self._template, self._responses = template, responses
        self._codes = np.frombuffer("".join(responses).encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
        lengths = np.array([len(response) for response in responses], dtype=np.int64)
        self._starts = np.concatenate(([0], np.cumsum(lengths)[:-1])).astype(np.int64)
        self._ends = self._starts + lengths
        self._floors = np.arange(len(responses), dtype=np.int64) * _NEXT + self._starts
        """The value of a cell without any match: length 0, the response's first column."""
        self._table = np.empty((len(template), len(self._codes)), dtype=np.int64)
        self._is_start = np.zeros(len(self._codes), dtype=bool)
        self._is_start[self._starts] = True

    def alignments(self) -> Iterator[Alignment]:
        """Fill the table and read every response's alignment from it."""
        import numpy as np

        inner: dict[str, NDArray[np.int64]] = {}
        borders: dict[str, NDArray[np.bool_]] = {}
        for number, letter in enumerate(self._template):
            if letter not in inner:
                where = np.flatnonzero(self._codes == ord(letter))
                inner[letter] = where[~self._is_start[where]]
                borders[letter] = self._codes[self._starts] == ord(letter)
            row = self._table[number]
            border = self._floors + np.where(borders[letter], _ONE, 0)
            if number == 0:
                self._first_row(row, inner[letter], border)
            else:
                self._next_row(self._table[number - 1], row, inner[letter], border)
        for index in range(len(self._responses)):
            yield self._trace(index)

    def _first_row(self, row: NDArray[np.int64], inner: NDArray[np.int64], border: NDArray[np.int64]) -> None:
        import numpy as np

        segments = np.searchsorted(self._starts, inner, side="right") - 1
        row[:] = np.repeat(self._floors, self._ends - self._starts)
        row[inner] = segments * _NEXT + _ONE + inner
        row[self._starts] = border

    def _next_row(
        self, above: NDArray[np.int64], row: NDArray[np.int64], inner: NDArray[np.int64], border: NDArray[np.int64]
    ) -> None:
        """Fill one row of the table from the one above it."""
        import numpy as np

        row[:] = above
        # The border column stands for itself: it takes nothing from above.
        row[self._starts] = border
        fresh = (above[inner - 1] & ~_COLUMN) + _ONE + inner
        row[inner] = fresh
        np.maximum.accumulate(row, out=row)
        shorter = inner[row[inner] != fresh]
        if len(shorter):
            for index in np.unique(np.searchsorted(self._starts, shorter, side="right") - 1).tolist():
                self._with_resets(above, row, inner, fresh, index, int(border[index]))

    def _with_resets(
        self,
        above: NDArray[np.int64],
        row: NDArray[np.int64],
        inner: NDArray[np.int64],
        fresh: NDArray[np.int64],
        index: int,
        border: int,
    ) -> None:
        """Fill one response's part of a row in which a match is shorter than what stands left of it.

        What follows such a match starts from it, not from the longer one before.
        """
        import numpy as np

        start, end = int(self._starts[index]), int(self._ends[index])
        first, last = np.searchsorted(inner, [start, end]).tolist()
        row[start:end] = above[start:end]
        row[start] = border
        row[inner[first:last]] = fresh[first:last]
        for left, right in pairwise([start, *inner[first:last].tolist(), end]):
            if right > left:
                np.maximum.accumulate(row[left:right], out=row[left:right])

    def _trace(self, index: int) -> Alignment:
        template, response = self._template, self._responses[index]
        start, last = int(self._starts[index]), len(response) - 1
        table = self._table[:, start : start + len(response)]
        whole = int(table[-1, last])
        place = (whole & _COLUMN) - start
        positions = [0] * len(template)
        for row in range(len(template) - 1, -1, -1):
            if template[row] == response[place]:
                positions[row] = place
                if row:
                    # Column -1 is the last one, as in the reference.
                    place = (int(table[row - 1, place - 1]) & _COLUMN) - start
            else:
                positions[row] = place + 1
        return Alignment((whole >> _COLUMN_BITS) & _LENGTH, tuple(positions))
