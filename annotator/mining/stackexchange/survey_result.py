"""Read the result of a survey: the points of the scatter plot, and the questions above the line with answers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from annotator.base.errors import MissingEnvironmentError
from annotator.mining.stackexchange.ledger import PAGE_BITS, Ledger
from annotator.mining.stackexchange.posts import Row
from annotator.mining.stackexchange.survey import (
    ANSWER_COUNT_MASK,
    HAS_ACCEPTED_ANSWER,
    HAS_QUESTION,
    IS_ABOVE_LINE,
    POINT_RECORD,
    DumpCounts,
    FilterLine,
    SurveyOptions,
    counts_of,
    load_state,
)
from annotator.mining.stackexchange.tags import split_tags

_POINTS_AT_ONCE = 1 << 18


@dataclass(frozen=True)
class Points:
    """Questions with enough answers: arrays of Ids, ages in days and views, in the dump's order."""

    ids: NDArray[np.int64]
    days: NDArray[np.int64]
    views: NDArray[np.int64]

    def __len__(self) -> int:
        """Return the number of questions."""
        return len(self.ids)


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """A question above the line, without its text. ``days`` is its age on the survey's day."""

    id: int
    days: int
    views: int
    score: int
    title: str
    tags: tuple[str, ...]


class SurveyResult:
    """A finished survey; reads its folder, never the dump."""

    def __init__(self, folder: Path) -> None:
        """Open a survey's folder. Raises `MissingEnvironmentError` if no finished survey is in it."""
        state = load_state(folder)
        if state is None or not state["done"]:
            raise MissingEnvironmentError(f"{folder.name} contains no finished survey of a dump; read the dump first.")
        self._folder = folder
        self._ledger = folder / str(state["ledger"])
        options = dict(state["options"])
        options["as_of"] = date.fromisoformat(options["as_of"])
        options["line"] = FilterLine(**options["line"])
        self.options = SurveyOptions(**options)
        self.counts: DumpCounts = counts_of(state)

    def points(self) -> Points:
        """Return the points of the scatter plot: questions with an accepted answer and enough answers."""
        record_dtype = np.dtype([("id", "<i8"), ("day", "<i4"), ("views", "<i8")])
        required = HAS_QUESTION | HAS_ACCEPTED_ANSWER
        chunks = []
        with Ledger(self._ledger, writable=False) as ledger, (self._folder / "points.bin").open("rb") as stream:
            while block := stream.read(_POINTS_AT_ONCE * POINT_RECORD.size):
                rows = np.frombuffer(block, dtype=record_dtype)
                marks = np.zeros(len(rows), dtype=np.uint8)
                numbers = rows["id"] >> PAGE_BITS
                for number in np.unique(numbers):
                    in_page = numbers == number
                    page = np.frombuffer(bytes(ledger.page(int(number))), dtype=np.uint8)
                    marks[in_page] = page[rows["id"][in_page] & ((1 << PAGE_BITS) - 1)]
                chunks.append(
                    rows[(marks & required == required) & (marks & ANSWER_COUNT_MASK >= self.options.answers)]
                )
        rows = np.concatenate(chunks) if chunks else np.zeros(0, dtype=record_dtype)
        days = self.options.as_of.toordinal() - rows["day"].astype(np.int64)
        return Points(rows["id"].copy(), days, rows["views"].copy())

    def heads(self) -> Iterator[Head]:
        """Yield every question above the line, in the dump's order."""
        today = self.options.as_of.toordinal()
        for _, row in self._rows(questions=True):
            day = date.fromisoformat(row["CreationDate"][:10]).toordinal()
            yield Head(
                id=int(row["Id"]),
                days=today - day,
                views=int(row.get("ViewCount") or 0),
                score=read_number(row, "Score"),
                title=row.get("Title", ""),
                tags=split_tags(row.get("Tags", "")),
            )

    def threads(self, ids: frozenset[int] | None = None) -> Iterator[tuple[Row, list[Row]]]:
        """Yield the questions above the line with their answers, in the dump's order; with ``ids``, only those.

        Answers are the accepted one, then those with a positive score, by score.
        """
        offsets: dict[int, list[int]] = {}
        for offset, row in self._rows(questions=False):
            parent = int(row["ParentId"])
            if ids is None or parent in ids:
                offsets.setdefault(parent, []).append(offset)
        with (self._folder / "posts.jsonl").open("rb") as stream:
            for _, row in self._rows(questions=True):
                post_id = int(row["Id"])
                if ids is None or post_id in ids:
                    answers = [_read_post(stream, offset) for offset in offsets.get(post_id, ())]
                    yield row, _order_answers(row, answers)

    def _rows(self, *, questions: bool) -> Iterator[tuple[int, Row]]:
        required = HAS_QUESTION | HAS_ACCEPTED_ANSWER | IS_ABOVE_LINE
        with Ledger(self._ledger, writable=False) as ledger, (self._folder / "posts.jsonl").open("rb") as stream:
            offset = 0
            for line in stream:
                row: Row = json.loads(line)
                if (row["PostTypeId"] == "1") is questions:
                    mark = ledger.get(int(row["Id" if questions else "ParentId"]))
                    if mark & required == required and mark & ANSWER_COUNT_MASK >= self.options.answers:
                        yield offset, row
                offset += len(line)


def read_number(row: Row, name: str) -> int:
    """Return a whole number of a row, 0 if it is missing."""
    try:
        return int(row.get(name) or 0)
    except ValueError:
        return 0


def _read_post(stream: BinaryIO, offset: int) -> Row:
    stream.seek(offset)
    row: Row = json.loads(stream.readline())
    return row


def _order_answers(question: Row, answers: list[Row]) -> list[Row]:
    accepted = question.get("AcceptedAnswerId", "")
    listed = [row for row in answers if row.get("Id") == accepted or read_number(row, "Score") > 0]
    return sorted(
        listed, key=lambda row: (row.get("Id") != accepted, -read_number(row, "Score"), read_number(row, "Id"))
    )
