"""Import candidates: streaming, idempotent, and all or nothing unless bad rows are skipped."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from annotator.base.errors import BadInputError, MissingEnvironmentError
from annotator.base.ids import stable_id
from annotator.base.messages import Message, message_for_count
from annotator.base.open_files import is_project_name, open_output, refuse_project
from annotator.formats.format_registry import ImportFormat, import_format
from annotator.formats.read.import_records import Candidate, RowError
from annotator.formats.read.row_checks import RowChecks
from annotator.jobs.progress import Progress
from annotator.model.changes import Changes
from annotator.model.rows.queue_rows import SourceRow
from annotator.sandbox.languages import find_language
from annotator.sandbox.libraries import LibrarySet
from annotator.services import library_sets
from annotator.services.project import search_index
from annotator.store.file.project_file import ProjectFile
from annotator.store.queue import first_page
from annotator.store.queue.stored_candidates import AddedCandidates, NewSubject, SourceInfo, insert_candidates

ERRORS_SHOWN = 50
_SUBJECT_COLUMNS = (
    "key", "title", "task", "language", "domain", "area", "difficulty", "question_type", "views", "licence",
)  # fmt: skip
_TEXT_FIELDS = ("prompt", "reference", "context", "entry_point")


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportReport:
    """Counts of the rows that were added, already present, present with different content (left as is) and bad.

    ``changed_keys`` are the first keys present with different content, ``left_out`` the columns that were not read,
    and ``converted`` those whose HTML became plain text.
    """

    added: int
    known: int
    changed: int
    bad: int
    errors: tuple[RowError, ...]
    sources: int
    changes: Changes
    changed_keys: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    converted: tuple[str, ...] = ()


@dataclass(kw_only=True)
class _Reading:
    """One pass over a file that yields candidates and collects errors."""

    format: ImportFormat
    path: Path
    mapping: Mapping[str, str]
    skip_bad: bool
    progress: Progress
    licence: str = ""
    libraries: LibrarySet | None = None
    checks: RowChecks = field(default_factory=RowChecks)
    bad: int = 0
    row_count: int = 0
    errors: list[RowError] = field(default_factory=list)
    left_out: dict[str, None] = field(default_factory=dict)
    converted: dict[str, None] = field(default_factory=dict)

    def candidates(self) -> Iterator[Candidate]:
        for item in self.checks.check(self.format.read(self.path, self.mapping)):
            self.row_count += 1
            if self.row_count % 100 == 0:
                self.progress.report(self.row_count, text=f"{self.row_count} rows of {self.path.name}")
            if isinstance(item, RowError):
                self.bad += 1
                if len(self.errors) < ERRORS_SHOWN:
                    self.errors.append(item)
                continue
            if item.place:
                self.left_out.update(dict.fromkeys(item.place.left_out))
                self.converted.update(dict.fromkeys(item.place.converted))
            if self.skip_bad or not self.bad:
                yield self._add_defaults(item)
        self.progress.report(self.row_count, text=f"{self.row_count} rows of {self.path.name}")
        if self.bad and not self.skip_bad:
            raise self.refusal()

    def _add_defaults(self, item: Candidate) -> Candidate:
        """Return a candidate with the import's licence and libraries, unless it has its own."""
        if self.licence and not item.licence:
            item = replace(item, licence=self.licence)
        if self.libraries and "libraries" not in item.extra and _is_set_for_language(self.libraries, item.language):
            item = replace(item, extra={**item.extra, "libraries": self.libraries.to_extra()})
        return item

    def refusal(self) -> BadInputError:
        rows = "row" if self.bad == 1 else "rows"
        return BadInputError(
            f"{self.path.name} has {self.bad} bad {rows}, so nothing was imported. Correct the file.",
            details=tuple(str(error) for error in self.errors),
        )


def import_paths(
    store: ProjectFile,
    format_name: str,
    paths: Sequence[Path],
    mapping: Mapping[str, str] | None = None,
    skip_bad: bool = False,
    progress: Progress | None = None,
    licence: str = "",
    libraries: Sequence[str] = (),
) -> ImportReport:
    """Import files or folders of one format.

    ``licence`` and ``libraries`` (see `library_sets.resolve_library_set`) apply to candidates without their own;
    libraries only to those in the set's languages. After a long import, the search index is completed later: see
    `search_index.complete_search_index`. Importing the same content twice adds nothing. A row whose key is present
    with different content is counted as changed and not imported. Raises `BadInputError` listing the bad rows, with
    file, line and reason, unless ``skip_bad``; then nothing has changed.
    """
    import_kind = import_format(format_name)
    task_progress = progress or Progress()
    library_set = library_sets.resolve_library_set(libraries) if libraries else None
    checks = RowChecks()
    readings = [
        _Reading(
            format=import_kind,
            path=path,
            mapping=mapping or {},
            skip_bad=skip_bad,
            progress=task_progress,
            licence=licence,
            libraries=library_set,
            checks=checks,
        )
        for path in _require_existing(paths)
    ]
    if len(readings) > 1 and not skip_bad:
        _refuse_bad_rows(readings)
    results = [_import_one(store, reading) for reading in readings]
    added = sum(result.added for result, _ in results)
    if not any(reading.row_count for reading in readings):
        names = ", ".join(reading.path.name for reading in readings)
        raise BadInputError(f"There are no rows in {names}, so nothing was imported.")
    label = message_for_count("Import {count} subject", "Import {count} subjects", added)
    return replace(
        _build_report(results, label),
        bad=sum(reading.bad for reading in readings),
        errors=tuple(error for reading in readings for error in reading.errors)[:ERRORS_SHOWN],
        changed_keys=tuple(key for result, _ in results for key in result.changed)[:ERRORS_SHOWN],
        left_out=tuple(dict.fromkeys(column for reading in readings for column in reading.left_out)),
        converted=tuple(dict.fromkeys(column for reading in readings for column in reading.converted)),
    )


def _refuse_bad_rows(readings: Sequence[_Reading]) -> None:
    """Read all files before the first is imported. Raises `BadInputError` for the first file with bad rows."""
    first_look = RowChecks()
    for reading in readings:
        check = replace(reading, errors=[], checks=first_look)
        for _ in check.candidates():
            continue


def import_candidates(
    store: ProjectFile, kind: str, path: Path, candidates: Iterable[Candidate], counts: Mapping[str, int]
) -> ImportReport:
    """Add candidates that were mined from ``path``; the mining's ``counts`` are stored with the source.

    As in `import_paths`, nothing is added twice or overwritten, and it is all or nothing. The candidates are searchable
    when this returns.
    """
    return add_candidates(store, SourceInfo(kind, path.name, path_digest(path)), candidates, counts)


def add_candidates(
    store: ProjectFile, source: SourceInfo, candidates: Iterable[Candidate], counts: Mapping[str, int]
) -> ImportReport:
    """Add candidates of a source, as `import_candidates` does."""
    act = Message("Mine {name}", name=source.name)
    result, change_id = insert_candidates(store, source, map(new_subject, candidates), counts, act)
    search_index.complete_search_index(store)
    label = message_for_count("Mine {count} subject", "Mine {count} subjects", result.added)
    return _build_report([(result, change_id)], label)


def add_made_candidates(
    store: ProjectFile, source: SourceInfo, candidates: Iterable[Candidate], counts: Mapping[str, int], label: str
) -> Changes:
    """Add candidates that were made from the project's own, in one change, and make them searchable."""
    _, change_id = insert_candidates(store, source, map(new_subject, candidates), counts, label)
    search_index.complete_search_index(store)
    return Changes(frozenset({"source", "subject"}), label=label, change_id=change_id) if change_id else Changes()


def _build_report(results: Sequence[tuple[AddedCandidates, str | None]], label: str) -> ImportReport:
    """Return a report on the results of several changes; ``change_id`` is that of the last, which is undone first."""
    change_ids = [change_id for _, change_id in results if change_id is not None]
    nouns = frozenset({"source", "subject", "criterion"}) if change_ids else frozenset[str]()
    return ImportReport(
        added=sum(result.added for result, _ in results),
        known=sum(result.already_present for result, _ in results),
        changed=sum(len(result.changed) for result, _ in results),
        bad=0,
        errors=(),
        sources=len(change_ids),
        changes=Changes(nouns, label=label, change_id=change_ids[-1] if change_ids else None),
    )


def _is_set_for_language(libraries: LibrarySet, name: str) -> bool:
    """Return whether a library set is for programs in a language."""
    try:
        return find_language(name).group == libraries.group
    except BadInputError:
        return False


def _require_existing(paths: Sequence[Path]) -> list[Path]:
    if not paths:
        raise BadInputError("No file was given, so nothing was imported.")
    for path in paths:
        if not path.exists():
            raise BadInputError(f"There is no file or folder {path.name}. Nothing was imported.")
        refuse_project(path)
    return list(paths)


def _import_one(store: ProjectFile, reading: _Reading) -> tuple[AddedCandidates, str | None]:
    counts: dict[str, int] = {}

    def new_subjects() -> Iterator[NewSubject]:
        for candidate in reading.candidates():
            yield new_subject(candidate)
        counts.update(rows=reading.row_count, bad=reading.bad)

    def report_added(added_count: int) -> None:
        # `tell` instead of `report`, because everything has been read and it is too late to cancel.
        reading.progress.tell(reading.row_count, text=f"{added_count} candidates of {reading.path.name} added")

    source = SourceInfo(reading.format.name, reading.path.name, path_digest(reading.path))
    return insert_candidates(
        store, source, new_subjects(), counts, Message("Import {name}", name=reading.path.name), report_added
    )


def new_subject(candidate: Candidate) -> NewSubject:
    """Return a candidate as the rows that the store adds."""
    digest = candidate.content_hash()
    column_values = {name: getattr(candidate, name) for name in _SUBJECT_COLUMNS}
    columns = {"id": stable_id(candidate.key, digest), **column_values, "content_hash": digest}
    texts = {name: getattr(candidate, name) for name in _TEXT_FIELDS} | {
        name: dict(getattr(candidate, name)) for name in ("dependencies", "provenance", "extra")
    }
    return NewSubject(
        columns=columns,
        texts=texts,
        tests=[test.as_row() for test in candidate.tests],
        criterion=candidate.criterion,
        paraphrase=candidate.paraphrase,
    )


def path_digest(path: Path) -> str:
    """Return the SHA-256 of a file, or of a folder's file names and contents in order, without projects in it."""
    refuse_project(path)
    digest = hashlib.sha256()
    files = [path] if path.is_file() else sorted(path.rglob("*"))
    try:
        for file in files:
            if not file.is_file() or is_project_name(file.name):
                continue
            if file != path:
                digest.update(file.relative_to(path).as_posix().encode() + b"\0")
            with file.open("rb") as stream:
                while block := stream.read(1 << 20):
                    digest.update(block)
    except OSError as error:
        raise MissingEnvironmentError(
            f"{path.name} cannot be read ({error.strerror}). Nothing was imported."
        ) from error
    return digest.hexdigest()


def list_sources(store: ProjectFile) -> tuple[SourceRow, ...]:
    """Return the project's imports, newest first."""
    with store.reader() as connection:
        return first_page.fetch_source_rows(connection)


def write_rows(path: Path, candidates: Iterable[Candidate]) -> int:
    """Write candidates atomically as JSON lines that ``import jsonl`` reads; return their number."""
    number = 0
    with open_output(path) as stream:
        for candidate in candidates:
            row = {name: value for name, value in asdict(candidate).items() if value not in ("", None, {}, ())}
            stream.write(json.dumps(row, ensure_ascii=False) + "\n")
            number += 1
    return number


def save_pasted_text(text: str, folder: Path) -> Path:
    """Write a pasted table, JSON lines or JSON array into a folder and return the file.

    Raises `BadInputError` for empty text, and `MissingEnvironmentError` if the file cannot be written.
    """
    start = text.lstrip("\ufeff \t\r\n")[:1]
    if not start:
        raise BadInputError(
            "The clipboard contains no text. Copy the rows of a table with its header row, and paste them."
        )
    ending = {"{": "jsonl", "[": "json"}.get(start, "csv")
    path = folder / f"clipboard.{ending}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path.write_text(text.lstrip("\ufeff"), "utf-8", newline="")
    except (OSError, UnicodeEncodeError) as error:
        raise MissingEnvironmentError(f"The pasted text could not be saved ({error}). Save it as a file.") from error
    return path
