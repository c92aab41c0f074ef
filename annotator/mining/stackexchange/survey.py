"""Read a dump once, in constant memory, and keep what the funnel can still need.

Of every post a byte is kept, of every question with an accepted answer its age and views, and of every question above
the line its text and its answers. All of it lies in a folder with a bookmark, where a reading that was cut off goes on.
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
from annotator.mining.stackexchange.archives import kind
from annotator.mining.stackexchange.ledger import ID_LIMIT, PAGE, PAGE_BITS, Ledger
from annotator.mining.stackexchange.posts import Batch, Row, read_rows

VERSION = 1
# The byte of a question: how many answers with a positive score (up to 7), and what is known of the question itself.
COUNTED, SEEN, ACCEPTED, ABOVE = 0b111, 8, 16, 32
POINT = struct.Struct("<qiq")
KEPT = (
    "Id", "PostTypeId", "ParentId", "AcceptedAnswerId", "CreationDate", "LastEditDate", "Score", "ViewCount", "Tags",
    "Title", "Body", "OwnerUserId", "OwnerDisplayName", "ContentLicense", "ClosedDate",
)  # fmt: skip
_NUMBER_LIMIT = 2**62
_TYPES_SHOWN = 32
_DAYS_REMEMBERED = 50_000


@dataclass(frozen=True, slots=True)
class SurveyOptions:
    """What is kept: questions with an accepted answer, ``answers`` answers of positive score, above the line.

    Ages are counted to the day ``as_of``. Answers are counted up to 7, so ``answers`` is 1 to 7.
    """

    as_of: date
    line: FilterLine = field(default_factory=FilterLine)
    answers: int = 3
    member: str | None = None

    def __post_init__(self) -> None:
        """Raise `UsageError` for a number of answers that is not counted."""
        if not 1 <= self.answers <= COUNTED:
            raise UsageError(f"The number of answers must be 1 to {COUNTED}.")


@dataclass(kw_only=True)
class Counts:
    """What a dump holds: rows by PostTypeId, questions, and rows that could not be used, by reason."""

    rows: int = 0
    questions: int = 0
    answers: int = 0
    types: dict[str, int] = field(default_factory=dict)
    bad: dict[str, int] = field(default_factory=dict)


def survey(
    path: Path,
    options: SurveyOptions,
    folder: Path,
    progress: Progress | None = None,
    checkpoint_bytes: int = 1 << 29,
) -> Counts:
    """Read a dump into ``folder``, or go on where an earlier reading of the same dump and options was cut off.

    What was kept is read with `annotator.mining.stackexchange.survey_result.SurveyResult`. A bookmark is written every
    ``checkpoint_bytes`` of the unpacked dump and when ``progress`` is cancelled. Raises `BadInputError` for what is not
    a dump, `InterruptedWorkError` when cancelled.
    """
    progress = progress or Progress()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        state = load_state(folder)
        identity = _identity(path, options)
        if state is None or state["identity"] != identity:
            _clear(folder)
            state = {"identity": identity, "options": options_json(options), "position": 0, "done": False}
        if not state["done"]:
            with ExitStack() as stack:
                reading = _Reading(folder, options, state, stack)
                _read(path, reading, progress, checkpoint_bytes)
            state = load_state(folder) or state
    except OSError as error:
        raise MissingEnvironmentError(
            f"{path.name} could not be surveyed ({error.strerror or error}). Run it again to go on."
        ) from error
    return counts_of(state)


def _read(path: Path, reading: _Reading, progress: Progress, every: int) -> None:
    total = None if kind(path) else path.stat().st_size
    mark = reading.position
    source = read_rows(path, reading.position, reading.options.member)
    for batch in source:
        reading.take(batch)
        try:
            progress.report(batch.position, total, f"{reading.counts.rows:,} posts of {path.name}")
        except InterruptedWorkError as stop:
            reading.save(done=False)
            raise InterruptedWorkError("The dump was not read to its end. Run it again to go on from here.") from stop
        if batch.position - mark >= every:
            mark = batch.position
            reading.save(done=False)
    reading.save(done=True)


def load_state(folder: Path) -> dict[str, Any] | None:
    """Return the bookmark of a folder, or None if there is none that can be used."""
    try:
        state = json.loads((folder / "state.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return state if isinstance(state, dict) and state.get("version") == VERSION else None


def counts_of(state: Mapping[str, Any]) -> Counts:
    """Return the counts in a bookmark."""
    return Counts(**state.get("counts", {}))


def options_json(options: SurveyOptions) -> dict[str, Any]:
    """Return the options as the bookmark holds them."""
    return {**asdict(options), "as_of": options.as_of.isoformat()}


def _identity(path: Path, options: SurveyOptions) -> dict[str, Any]:
    kind(path)  # says so if there is no such file
    facts = path.stat()
    return {"name": path.name, "size": facts.st_size, "modified": facts.st_mtime_ns, **options_json(options)}


def _clear(folder: Path) -> None:
    for name in ("state.json", "points.bin", "posts.jsonl", "ledger.scratch", "ledger-0.bin", "ledger-1.bin"):
        (folder / name).unlink(missing_ok=True)


class _Reading:
    """The files of a survey under way, and what happens to a row."""

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
        self._points = stack.enter_context(_cut(folder / "points.bin", state.get("points", 0)))
        self._posts = stack.enter_context(_cut(folder / "posts.jsonl", state.get("posts", 0)))
        self._today = options.as_of.toordinal()
        self._days: dict[str, int] = {}

    def take(self, batch: Batch) -> None:
        """Take note of the rows of a batch."""
        counts, types, ledger = self.counts, self.counts.types, self._ledger
        for row in batch.rows:
            which = row.get("PostTypeId", "")
            if which in types or len(types) < _TYPES_SHOWN:
                types[which] = types.get(which, 0) + 1
            try:
                if which == "2":
                    counts.answers += 1
                    parent = int(row["ParentId"])
                    if not 0 <= parent < ID_LIMIT:
                        raise ValueError("ParentId")
                    page, place = ledger.page(parent >> PAGE_BITS), parent & (PAGE - 1)
                    known = page[place]
                    if int(row.get("Score") or 0) > 0 and known & COUNTED != COUNTED:
                        page[place] = known + 1
                    # An answer that comes before its question (merged threads) may still be wanted.
                    if known & ABOVE or not known & SEEN:
                        self._keep(row)
                elif which == "1":
                    self._question(row)
            except KeyError as error:
                self._bad(f"no {error.args[0]}")
            except ValueError as error:
                reason = str(error)
                self._bad(f"unusable {reason}" if reason.isalpha() else "not a whole number")
        counts.rows += len(batch.rows)
        self.position = batch.position

    def _bad(self, reason: str) -> None:
        self.counts.bad[reason] = self.counts.bad.get(reason, 0) + 1

    def _question(self, row: Row) -> None:
        identity = int(row["Id"])
        if not 0 <= identity < ID_LIMIT:
            raise ValueError("Id")
        known = self._ledger.get(identity)
        if known & SEEN:
            self._bad("an Id twice")
            return
        self.counts.questions += 1
        flags = known | SEEN
        if row.get("AcceptedAnswerId"):
            flags |= ACCEPTED
            # A question without a view count was never viewed, as far as anybody knows.
            day, views = self._day(row), int(row.get("ViewCount") or 0)
            if not 0 <= views < _NUMBER_LIMIT:
                raise ValueError("ViewCount")
            self._points.write(POINT.pack(identity, day, views))
            if self.options.line.keeps(views, self._today - day):
                flags |= ABOVE
                self._keep(row)
        self._ledger.set(identity, flags)

    def _day(self, row: Row) -> int:
        text = row["CreationDate"][:10]
        day = self._days.get(text)
        if day is None:
            try:
                day = date.fromisoformat(text).toordinal()
            except ValueError:
                raise ValueError("CreationDate") from None
            if len(self._days) >= _DAYS_REMEMBERED:
                self._days.clear()
            self._days[text] = day
        return day

    def _keep(self, row: Row) -> None:
        kept = {name: row[name] for name in KEPT if name in row}
        self._posts.write(json.dumps(kept, separators=(",", ":")).encode() + b"\n")

    def save(self, *, done: bool) -> None:
        """Write a bookmark: files first, the state that names them last and at once."""
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
        fresh = self._folder / "state.json.new"
        fresh.write_text(json.dumps(self._state), encoding="utf-8")
        fresh.replace(self._folder / "state.json")


def _cut(path: Path, length: int) -> BinaryIO:
    """Open a file for writing after its first ``length`` bytes; what an unfinished reading wrote beyond is dropped."""
    stream = path.open("r+b" if path.exists() else "w+b")
    stream.truncate(length)
    stream.seek(length)
    return stream
