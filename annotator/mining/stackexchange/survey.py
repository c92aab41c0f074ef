"""Read a dump once, in constant memory, and keep everything the funnel may need:

- a byte of flags for every question,
- age and views of every question with an accepted answer,
- text and answers of every question above the line.

All of it is in a folder with a bookmark, from which an interrupted reading can continue.
"""

from __future__ import annotations

import json
import math
import os
import shutil
import struct
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from datetime import date
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from annotator.base.errors import InterruptedWorkError, MissingEnvironmentError, UsageError
from annotator.jobs.progress import Progress
from annotator.mining.stackexchange.archives import detect_packing
from annotator.mining.stackexchange.ledger import ID_LIMIT, PAGE_BITS, PAGE_SIZE, Ledger
from annotator.mining.stackexchange.posts import PostBatch, Row, read_rows

STATE_VERSION = 1
# Bits of a question's byte: number of answers with a positive score (up to 7), and flags of the question itself.
ANSWER_COUNT_MASK, HAS_QUESTION, HAS_ACCEPTED_ANSWER, IS_ABOVE_LINE = 0b111, 8, 16, 32
POINT_RECORD = struct.Struct("<qiq")  # Id, day, views
_SAVED_FIELDS = (
    "Id", "PostTypeId", "ParentId", "AcceptedAnswerId", "CreationDate", "LastEditDate", "Score", "ViewCount", "Tags",
    "Title", "Body", "OwnerUserId", "OwnerDisplayName", "ContentLicense", "ClosedDate",
)  # fmt: skip
_NUMBER_LIMIT = 2**62
_MAX_TYPES = 32
_MAX_CACHED_DAYS = 50_000


@dataclass(frozen=True, slots=True)
class FilterLine:
    """Keep a question if log(views) lies above ``intercept + slope · days``; the natural logarithm by default."""

    intercept: float = 5.0
    slope: float = 0.0035
    base: float = math.e

    def __post_init__(self) -> None:
        """Raise `UsageError` for an infinite line or an invalid base."""
        if not (math.isfinite(self.intercept) and math.isfinite(self.slope)):
            raise UsageError("The ends of the filter line must be finite numbers.")
        if not (math.isfinite(self.base) and self.base > 1):
            raise UsageError("The base of the logarithm must be a number above 1.")

    @classmethod
    def through(cls, first: tuple[float, float], second: tuple[float, float], base: float = math.e) -> FilterLine:
        """Return the line through two points (days, log of views), as they are dragged in the scatter plot."""
        if first[0] == second[0]:
            raise UsageError("The two ends of the filter line need different days.")
        slope = (second[1] - first[1]) / (second[0] - first[0])
        return cls(first[1] - slope * first[0], slope, base)

    def at(self, days: float) -> float:
        """Return the height of the line: the logarithm of views at an age in days."""
        return self.intercept + self.slope * days

    def threshold(self, days: float) -> float:
        """Return the views a question of this age must exceed."""
        try:
            return float(self.base ** self.at(days))
        except OverflowError:
            return math.inf

    def keeps(self, views: int, days: int) -> bool:
        """Return whether a question lies above the line; questions without views never do."""
        return views > 0 and math.log(views) / math.log(self.base) > self.intercept + self.slope * days

    def keeps_all(self, views: NDArray[np.int64], days: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return `keeps` for many questions at once (a million take some milliseconds)."""
        heights = np.log(np.maximum(views, 1)) / math.log(self.base)
        is_kept: NDArray[np.bool_] = (views > 0) & (heights > self.intercept + self.slope * days)
        return is_kept


@dataclass(frozen=True, slots=True)
class SurveyOptions:
    """Which questions to keep: with an accepted answer and ``answers`` answers of positive score, above the line.

    ``as_of`` is the reference date for ages. Answers are counted up to 7, so ``answers`` must be 1 to 7.
    """

    as_of: date
    line: FilterLine = field(default_factory=FilterLine)
    answers: int = 3
    member: str | None = None

    def __post_init__(self) -> None:
        """Raise `UsageError` for a number of answers out of range."""
        if not 1 <= self.answers <= ANSWER_COUNT_MASK:
            raise UsageError(f"The number of answers must be 1 to {ANSWER_COUNT_MASK}.")


@dataclass(kw_only=True)
class DumpCounts:
    """Counts of a dump: rows, questions, answers, rows by PostTypeId (``types``), unusable rows by reason (``bad``)."""

    rows: int = 0
    questions: int = 0
    answers: int = 0
    types: dict[str, int] = field(default_factory=dict)
    bad: dict[str, int] = field(default_factory=dict)


def survey_posts(
    path: Path,
    options: SurveyOptions,
    folder: Path,
    progress: Progress | None = None,
    checkpoint_bytes: int = 1 << 29,
) -> DumpCounts:
    """Read a dump into ``folder``, or continue an interrupted reading of the same dump and options.

    Read the result with `annotator.mining.stackexchange.survey_result.SurveyResult`. A bookmark is written every
    ``checkpoint_bytes`` of the unpacked dump and when ``progress`` is cancelled. Raises `BadInputError` for a file that
    is not a dump, `InterruptedWorkError` if cancelled.
    """
    progress = progress or Progress()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        state = load_state(folder)
        identity = _dump_identity(path, options)
        if state is None or state["identity"] != identity:
            _clear_folder(folder)
            state = {"identity": identity, "options": options_json(options), "position": 0, "done": False}
        if not state["done"]:
            with ExitStack() as stack:
                files = _SurveyFiles(folder, options, state, stack)
                _read_dump(path, files, progress, checkpoint_bytes)
            state = load_state(folder) or state
    except OSError as error:
        raise MissingEnvironmentError(
            f"{path.name} could not be surveyed ({error.strerror or error}). Run the command again to continue."
        ) from error
    return counts_of(state)


def _read_dump(path: Path, files: _SurveyFiles, progress: Progress, checkpoint_bytes: int) -> None:
    total = None if detect_packing(path) else path.stat().st_size
    saved_at = files.position
    source = read_rows(path, files.position, files.options.member)
    for batch in source:
        files.add_batch(batch)
        try:
            progress.report(batch.position, total, f"{files.counts.rows:,} posts of {path.name}")
        except InterruptedWorkError as stop:
            files.save(done=False)
            raise InterruptedWorkError("The dump was not read to its end. Run the command again to continue.") from stop
        if batch.position - saved_at >= checkpoint_bytes:
            saved_at = batch.position
            files.save(done=False)
    files.save(done=True)


def load_state(folder: Path) -> dict[str, Any] | None:
    """Return the bookmark of a folder, or None if it has no usable one."""
    try:
        state = json.loads((folder / "state.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return state if isinstance(state, dict) and state.get("version") == STATE_VERSION else None


def counts_of(state: Mapping[str, Any]) -> DumpCounts:
    """Return the counts in a bookmark."""
    return DumpCounts(**state.get("counts", {}))


def options_json(options: SurveyOptions) -> dict[str, Any]:
    """Return the options in the bookmark's form."""
    return {**asdict(options), "as_of": options.as_of.isoformat()}


def _dump_identity(path: Path, options: SurveyOptions) -> dict[str, Any]:
    detect_packing(path)  # raises if the file does not exist
    status = path.stat()
    return {"name": path.name, "size": status.st_size, "modified": status.st_mtime_ns, **options_json(options)}


def _clear_folder(folder: Path) -> None:
    for name in ("state.json", "points.bin", "posts.jsonl", "ledger.scratch", "ledger-0.bin", "ledger-1.bin"):
        (folder / name).unlink(missing_ok=True)


class _SurveyFiles:
    """The open files of a survey in progress; `add_batch` adds rows."""

    def __init__(self, folder: Path, options: SurveyOptions, state: dict[str, Any], stack: ExitStack) -> None:
        self.options = options
        self.position: int = state["position"]
        self.counts = counts_of(state)
        self._folder = folder
        self._state = state
        scratch = folder / "ledger.scratch"
        scratch.unlink(missing_ok=True)
        if "ledger" in state:
            shutil.copyfile(folder / state["ledger"], scratch)
        self._ledger = stack.enter_context(Ledger(scratch))
        self._points = stack.enter_context(_open_truncated(folder / "points.bin", state.get("points", 0)))
        self._posts = stack.enter_context(_open_truncated(folder / "posts.jsonl", state.get("posts", 0)))
        self._today = options.as_of.toordinal()
        self._days: dict[str, int] = {}

    def add_batch(self, batch: PostBatch) -> None:
        """Add the rows of a batch."""
        counts, types, ledger = self.counts, self.counts.types, self._ledger
        for row in batch.rows:
            post_type = row.get("PostTypeId", "")
            if post_type in types or len(types) < _MAX_TYPES:
                types[post_type] = types.get(post_type, 0) + 1
            try:
                if post_type == "2":
                    counts.answers += 1
                    parent = int(row["ParentId"])
                    if not 0 <= parent < ID_LIMIT:
                        raise ValueError("ParentId")
                    page, offset = ledger.page(parent >> PAGE_BITS), parent & (PAGE_SIZE - 1)
                    mark = page[offset]
                    if int(row.get("Score") or 0) > 0 and mark & ANSWER_COUNT_MASK != ANSWER_COUNT_MASK:
                        page[offset] = mark + 1
                    # An answer before its question (in merged threads) may still be needed.
                    if mark & IS_ABOVE_LINE or not mark & HAS_QUESTION:
                        self._save_post(row)
                elif post_type == "1":
                    self._add_question(row)
            except KeyError as error:
                self._count_bad(f"no {error.args[0]}")
            except ValueError as error:
                reason = str(error)
                self._count_bad(f"unusable {reason}" if reason.isalpha() else "not a whole number")
        counts.rows += len(batch.rows)
        self.position = batch.position

    def _count_bad(self, reason: str) -> None:
        self.counts.bad[reason] = self.counts.bad.get(reason, 0) + 1

    def _add_question(self, row: Row) -> None:
        post_id = int(row["Id"])
        if not 0 <= post_id < ID_LIMIT:
            raise ValueError("Id")
        mark = self._ledger.get(post_id)
        if mark & HAS_QUESTION:
            self._count_bad("an Id twice")
            return
        self.counts.questions += 1
        flags = mark | HAS_QUESTION
        if row.get("AcceptedAnswerId"):
            flags |= HAS_ACCEPTED_ANSWER
            # A question without a view count counts as never viewed.
            day, views = self._day(row), int(row.get("ViewCount") or 0)
            if not 0 <= views < _NUMBER_LIMIT:
                raise ValueError("ViewCount")
            self._points.write(POINT_RECORD.pack(post_id, day, views))
            if self.options.line.keeps(views, self._today - day):
                flags |= IS_ABOVE_LINE
                self._save_post(row)
        self._ledger.set(post_id, flags)

    def _day(self, row: Row) -> int:
        text = row["CreationDate"][:10]
        day = self._days.get(text)
        if day is None:
            try:
                day = date.fromisoformat(text).toordinal()
            except ValueError:
                raise ValueError("CreationDate") from None
            if len(self._days) >= _MAX_CACHED_DAYS:
                self._days.clear()
            self._days[text] = day
        return day

    def _save_post(self, row: Row) -> None:
        fields = {name: row[name] for name in _SAVED_FIELDS if name in row}
        self._posts.write(json.dumps(fields, separators=(",", ":")).encode() + b"\n")

    def save(self, *, done: bool) -> None:
        """Write a bookmark: first the data files, then, atomically, the state that names them."""
        number = 1 - int(self._state.get("ledger", "ledger-1.bin")[7])
        name = f"ledger-{number}.bin"
        self._ledger.save(self._folder / name)
        for stream in (self._points, self._posts):
            stream.flush()
            os.fsync(stream.fileno())
        self._state.update(
            version=STATE_VERSION,
            position=self.position,
            counts=asdict(self.counts),
            points=self._points.tell(),
            posts=self._posts.tell(),
            ledger=name,
            done=done,
        )
        new_file = self._folder / "state.json.new"
        new_file.write_text(json.dumps(self._state), encoding="utf-8")
        new_file.replace(self._folder / "state.json")


def _open_truncated(path: Path, length: int) -> BinaryIO:
    """Open a file for writing after its first ``length`` bytes; later bytes of an interrupted reading are dropped."""
    stream = path.open("r+b" if path.exists() else "w+b")
    stream.truncate(length)
    stream.seek(length)
    return stream
