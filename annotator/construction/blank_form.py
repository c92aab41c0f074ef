"""What a blank is, in every language (specification, task construction, 3.4)."""

from __future__ import annotations

from dataclasses import dataclass

from annotator.construction.edits import Edit

BLANK = "____"
SHORTEST, LONGEST, NEAR = 3, 80, 3


@dataclass(frozen=True, slots=True)
class Blank:
    """A place for a blank: the edit that makes it, what stands there, and fillers that must not do."""

    edit: Edit
    filler: str
    line: int
    dummies: tuple[Edit, ...]

    @property
    def span(self) -> tuple[int, int]:
        """Where it stands, in bytes."""
        return self.edit.start, self.edit.end

    @property
    def weight(self) -> tuple[int, int]:
        """Sorts those that hold more before the others."""
        return -min(len(self.filler), 30), self.edit.start


def fits(filler: str) -> bool:
    """Tell whether a text has the length of a blank, and stands on one line."""
    return SHORTEST <= len(filler) <= LONGEST and "\n" not in filler and BLANK not in filler


def glued(data: bytes, start: int, end: int) -> bool:
    """Tell whether a word stands against a place (``if(a) and b``), so that a blank would be part of it."""
    around = data[max(0, start - 1) : start] + data[end : end + 1]
    return any(letter.isalnum() or letter == "_" for letter in around.decode("latin-1"))


def visible(code: str, filler: str, first: int, last: int) -> bool:
    """Tell whether the same text stands within three lines of a place's first and last line."""
    window = "\n".join(code.splitlines()[max(0, first - 1 - NEAR) : last + NEAR])
    return window.count(filler) > 1
