"""Read a dump once, in constant memory, and keep everything the funnel may need.

A byte is kept of every post, age and views of every question with an accepted answer, and of every question above
the line its text and answers. All of it lies in a folder with a bookmark, where an interrupted reading continues.
"""

from __future__ import annotations

import json
import os
import shutil
import struct
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from datetime import date
from pathlib import Path
from typing import Any, BinaryIO

from annotator.base.errors import InterruptedWorkError, MissingEnvironmentError, UsageError
from annotator.jobs.progress import Progress
from annotator.mining.stackexchange.age_and_views_line import FilterLine
from annotator.mining.stackexchange.archives import packing_of
from annotator.mining.stackexchange.ledger import ID_LIMIT, PAGE, PAGE_BITS, Ledger
from annotator.mining.stackexchange.posts import PostBatch, Row, read_rows

VERSION = 1
# The byte of a question: the number of answers with a positive score (up to 7), and flags of the question itself.
COUNTED, SEEN, ACCEPTED, ABOVE = 0b111, 8, 16, 32
POINT = struct.Struct("<qiq")
KEPT = (
    "Id", "PostTypeId", "ParentId", "AcceptedAnswerId", "CreationDate", "LastEditDate", "Score", "ViewCount", "Tags",
    "Title", "Body", "OwnerUserId", "OwnerDisplayName", "ContentLicense", "ClosedDate",
)  # fmt: skip
_NUMBER_LIMIT = 2**62
_MAX_TYPES = 32
_MAX_CACHED_DAYS = 50_000


@dataclass(frozen=True, slots=True)
class SurveyOptions:
    """Which questions to keep: with an accepted answer and ``answers`` answers of positive score, above the line.

    Ages are counted to the day ``as_of``. Answers are counted up to 7, so ``answers`` is 1 to 7.
    """

    as_of: date
    line: FilterLine = field(default_factory=FilterLine)
    answers: int = 3
    member: str | None = None

    def __post_init__(self) -> None:
        """Raise `UsageError` for a number of answers out of range."""
        if not 1 <= self.answers <= COUNTED:
            raise UsageError(f"The number of answers must be 1 to {COUNTED}.")


@dataclass(kw_only=True)
class DumpCounts:
    """The contents of a dump: rows by PostTypeId, questions, and unusable rows by reason."""

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
    is no dump, `InterruptedWorkError` when cancelled.
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
                reading = _SurveyFiles(folder, options, state, stack)
                _read_dump(path, reading, progress, checkpoint_bytes)
            state = load_state(folder) or state
    except OSError as error:
        raise MissingEnvironmentError(
            f"{path.name} could not be surveyed ({error.strerror or error}). Run it again to go on."
        ) from error
    return counts_of(state)


def _read_dump(path: Path, reading: _SurveyFiles, progress: Progress, checkpoint_bytes: int) -> None:
    total = None if packing_of(path) else path.stat().st_size
    saved_at = reading.position
    source = read_rows(path, reading.position, reading.options.member)
    for batch in source:
        reading.take(batch)
        try:
            progress.report(batch.position, total, f"{reading.counts.rows:,} posts of {path.name}")
        except InterruptedWorkError as stop:
            reading.save(done=False)
            raise InterruptedWorkError("The dump was not read to its end. Run it again to go on from here.") from stop
        if batch.position - saved_at >= checkpoint_bytes:
            saved_at = batch.position
            reading.save(done=False)
    reading.save(done=True)


def load_state(folder: Path) -> dict[str, Any] | None:
    """Return the bookmark of a folder, or None if it has no usable one."""
    try:
        state = json.loads((folder / "state.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return state if isinstance(state, dict) and state.get("version") == VERSION else None


def counts_of(state: Mapping[str, Any]) -> DumpCounts:
    """Return the counts in a bookmark."""
    return DumpCounts(**state.get("counts", {}))


def options_json(options: SurveyOptions) -> dict[str, Any]:
    """Return the options as the bookmark holds them."""
    return {**asdict(options), "as_of": options.as_of.isoformat()}


def _dump_identity(path: Path, options: SurveyOptions) -> dict[str, Any]:
    packing_of(path)  # says so if there is no such file
    facts = path.stat()
    return {"name": path.name, "size": facts.st_size, "modified": facts.st_mtime_ns, **options_json(options)}


def _clear_folder(folder: Path) -> None:
    for name in ("state.json", "points.bin", "posts.jsonl", "ledger.scratch", "ledger-0.bin", "ledger-1.bin"):
        (folder / name).unlink(missing_ok=True)


class _SurveyFiles:
    """The open files of a survey in progress; `take` adds rows."""

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

    def take(self, batch: PostBatch) -> None:
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
                    page, offset = ledger.page(parent >> PAGE_BITS), parent & (PAGE - 1)
                    mark = page[offset]
                    if int(row.get("Score") or 0) > 0 and mark & COUNTED != COUNTED:
                        page[offset] = mark + 1
                    # An answer before its question (in merged threads) may still be needed.
                    if mark & ABOVE or not mark & SEEN:
                        self._save_post(row)
                elif post_type == "1":
                    self._take_question(row)
            except KeyError as error:
                self._count_bad(f"no {error.args[0]}")
            except ValueError as error:
                reason = str(error)
                self._count_bad(f"unusable {reason}" if reason.isalpha() else "not a whole number")
        counts.rows += len(batch.rows)
        self.position = batch.position

    def _count_bad(self, reason: str) -> None:
        self.counts.bad[reason] = self.counts.bad.get(reason, 0) + 1

    def _take_question(self, row: Row) -> None:
        identity = int(row["Id"])
        if not 0 <= identity < ID_LIMIT:
            raise ValueError("Id")
        mark = self._ledger.get(identity)
        if mark & SEEN:
            self._count_bad("an Id twice")
            return
        self.counts.questions += 1
        flags = mark | SEEN
        if row.get("AcceptedAnswerId"):
            flags |= ACCEPTED
            # A question without a view count counts as never viewed.
            day, views = self._day(row), int(row.get("ViewCount") or 0)
            if not 0 <= views < _NUMBER_LIMIT:
                raise ValueError("ViewCount")
            self._points.write(POINT.pack(identity, day, views))
            if self.options.line.keeps(views, self._today - day):
                flags |= ABOVE
                self._save_post(row)
        self._ledger.set(identity, flags)

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
        fields = {name: row[name] for name in KEPT if name in row}
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
            version=VERSION,
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
