"""Read-only access to a project or a release for notebooks, with its tables as Arrow data."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from html import escape
from pathlib import Path
from typing import Any, Self

from annotator.formats.write.table_writer import Kind, arrow_table
from annotator.services.judge import agreement
from annotator.services.release import release_list
from annotator.services.results import result_tables
from annotator.services.runs import run_list
from annotator.store.file.project_file import ProjectFile
from annotator.store.file.writer import Session
from annotator.store.judging import studies
from annotator.store.runs import stored_answers

_LABEL_COLUMNS: dict[str, Kind] = dict.fromkeys(
    ("subject_id", "key", "title", "task", "language", "domain", "area", "difficulty", "question_type", "licence"),
    "text",
)
_SUBJECT_COLUMNS: dict[str, Kind] = {**_LABEL_COLUMNS, "verdict": "text", "proven": "truth", "views": "count"}
_ITEM_COLUMNS: dict[str, Kind] = {**_LABEL_COLUMNS, "prompt": "text", "reference": "text"}
_ANSWER_COLUMNS: dict[str, Kind] = {
    "response_id": "text", "run_id": "text", "version": "text", "model": "text", "protocol": "text",
    "subject_id": "text", "key": "text", "sample": "count", "outcome": "text",
}  # fmt: skip
_RESPONSE_COLUMNS: dict[str, Kind] = {
    **_ANSWER_COLUMNS, "text": "text", "finish_reason": "text", "prompt_tokens": "count", "completion_tokens": "count",
    "seconds": "number", "cost": "number",
}  # fmt: skip
_SCORE_COLUMNS: dict[str, Kind] = {**_ANSWER_COLUMNS, "score": "number", "points": "number", "total": "number"}
_RESULT_COLUMNS: dict[str, Kind] = {
    "version": "text", "rank": "count", "model": "text", "protocol": "text", "run_id": "text", "score": "number",
    "low": "number", "high": "number", "se": "number", "items": "count", "samples": "count", "passed": "count",
    "partial": "count", "failed": "count", "no_answer": "count", "machinery": "count",
}  # fmt: skip
_RUN_COLUMNS: dict[str, Kind] = {
    "run_id": "text", "version": "text", "model": "text", "protocol": "text", "state": "text", "reason": "text",
    "samples": "count", "expected": "count", "answered": "count", "scored": "count", "failures": "count",
    "prompt_tokens": "count", "completion_tokens": "count", "seconds": "number", "cost": "number", "currency": "text",
    "created_at": "text", "finished_at": "text",
}  # fmt: skip
_JUDGEMENT_COLUMNS: dict[str, Kind] = {
    "pair_id": "text", "subject_id": "text", "key": "text", "rater": "text", "verdict": "text", "both_bad": "truth",
    "serving": "count", "seconds": "number", "created_at": "text",
}  # fmt: skip

_Records = Sequence[Sequence[Any]]
_TABLES = ("subjects", "runs", "responses", "scores", "results", "judgements")


class NotebookProject:
    """A project opened read-only; with ``version``, restricted to that release.

    Scores are fractions from 0 to 1. Close it when done, or use it in a ``with`` statement.
    """

    def __init__(self, store: ProjectFile, version: str | None = None) -> None:
        """Use `open_project` or `open_release` instead."""
        self._store = store
        self.version = version

    def __enter__(self) -> Self:
        """Return the project."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the project."""
        self.close()

    def close(self) -> None:
        """Close the project; tables already returned stay valid."""
        self._store.close()

    @property
    def name(self) -> str:
        """The project's name."""
        return self._store.project_name

    @property
    def releases(self) -> tuple[str, ...]:
        """The versions of the project's releases, newest first."""
        return tuple(row.version for row in release_list.list_releases(self._store))

    def subjects(self) -> NotebookTable:
        """Return the subjects with their labels, verdict and proof state; of a release, its items with their texts."""
        with self._store.read() as db:
            if self.version is None:
                rows = [(*row[:-2], bool(row[-2]), row[-1]) for row in stored_answers.subject_records(db)]
                return _build_table("subjects", _SUBJECT_COLUMNS, rows)
            return _build_table("items", _ITEM_COLUMNS, stored_answers.item_records(db, self.version))

    def runs(self) -> NotebookTable:
        """Return all runs, newest first, with model, protocol, progress and cost."""
        rows = [
            (row.id, row.version, row.model, row.preset, row.state, row.reason, row.samples, row.expected, row.answered,
             row.done, sum(row.failures.values()), row.prompt_tokens, row.completion_tokens, row.seconds,
             row.cost if row.currency else None, row.currency or None, row.created_at, row.finished_at)
            for row in run_list.list_runs(self._store)
            if self.version in (None, row.version)
        ]  # fmt: skip
        return _build_table("runs", _RUN_COLUMNS, rows)

    def responses(self) -> NotebookTable:
        """Return the answers of all runs, each with its text, tokens, seconds and cost.

        Raises `BadInputError` if some of them are in a blind study that the annotator rates.
        """
        return _build_table(
            "responses", _RESPONSE_COLUMNS, self._read_visible(stored_answers.response_records, _RESPONSE_COLUMNS)
        )

    def scores(self) -> NotebookTable:
        """Return the current score of every scored answer; null if scoring failed for technical reasons.

        Raises `BadInputError` if some of them are in a blind study that the annotator rates.
        """
        return _build_table("scores", _SCORE_COLUMNS, self._read_visible(stored_answers.score_records, _SCORE_COLUMNS))

    def _read_visible(self, read: Callable[[Session, str | None], _Records], columns: dict[str, Kind]) -> _Records:
        """Read records with a subject id. Raises `BadInputError` if a blind study hides some from the annotator."""
        with self._store.read() as db:
            rows = read(db, self.version)
            subject_column = list(columns).index("subject_id")
            studies.refuse_blind(db, self._store.annotator.id, {row[subject_column] for row in rows})
        return rows

    def results(self) -> NotebookTable:
        """Return the leaderboards of all releases: scores, 95 % intervals, standard errors and counts of outcomes."""
        rows = []
        for version in (self.version,) if self.version else self.releases:
            board = result_tables.load_leaderboard(self._store, version)
            rows += [[board.version, *(getattr(row, name) for name in list(_RESULT_COLUMNS)[1:])] for row in board.rows]
        return _build_table("results", _RESULT_COLUMNS, rows)

    def judgements(self, study: str | None = None) -> NotebookTable:
        """Return the judgements of a study (None: the newest); a verdict is win, tie or lose for candidate A.

        Raises `BadInputError` if there is no study, or while the annotator still has pairs to judge, because the
        results would bias them.
        """
        rows = agreement.judgement_rows(self._store, study)
        with self._store.read() as db:
            keys = stored_answers.keys_by_subject(db)
        return _build_table(
            "judgements", _JUDGEMENT_COLUMNS, [(*row[:2], keys.get(str(row[1])), *row[2:]) for row in rows]
        )

    def release(self, version: str | None = None) -> NotebookProject:
        """Return this project restricted to a release (None: the newest).

        Both share one connection, so closing one closes the other. Raises `BadInputError` for an unknown release.
        """
        row, _ = release_list.find_release(self._store, version)
        return NotebookProject(self._store, row.version)

    def __repr__(self) -> str:
        """Return the project's name, its release or releases, and its tables."""
        return f"{self.name}, {self._release_text()}. Tables: {', '.join(f'{name}()' for name in _TABLES)}"

    def _release_text(self) -> str:
        return f"release {self.version}" if self.version else f"releases: {', '.join(self.releases) or 'none'}"

    def _repr_html_(self) -> str:
        """Return the same as HTML for notebooks."""
        tables = ", ".join(f"<code>{name}()</code>" for name in _TABLES)
        return f"<p><b>{escape(self.name)}</b>, {escape(self._release_text())}<br>Tables: {tables}</p>"


def open_project(path: str | Path, *, annotator: str | None = None) -> NotebookProject:
    """Open a project file read-only. Raises `BadInputError` if the file is not an intact project."""
    return NotebookProject(ProjectFile.open(Path(path), read_only=True, annotator=annotator))


def open_release(path: str | Path, version: str | None = None) -> NotebookProject:
    """Open a release of a project file read-only (None: the newest). Raises `BadInputError` if it does not exist."""
    project = open_project(path)
    try:
        row, _ = release_list.find_release(project._store, version)
    except Exception:
        project.close()
        raise
    project.version = row.version
    return project


def _build_table(name: str, kinds: dict[str, Kind], rows: Sequence[Sequence[Any]]) -> NotebookTable:
    return NotebookTable(arrow_table(kinds, rows), name)


_MAX_ROWS_SHOWN = 10
_MAX_CELL_CHARACTERS = 60


class NotebookTable:
    """Rows with named columns, backed by the `pyarrow.Table` in ``arrow``.

    polars, duckdb and pandas accept it through the Arrow interface. All other attributes are those of the Arrow table,
    and those that it lacks are those of the pandas data frame.
    """

    def __init__(self, arrow: Any, name: str = "table") -> None:
        self.arrow = arrow
        self.name = name

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Return the rows as an Arrow C stream."""
        return self.arrow.__arrow_c_stream__(requested_schema)

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the Arrow table, whose methods return wrapped tables, or else of the data frame."""
        if name.startswith("_") or name == "arrow":
            raise AttributeError(name)
        if not hasattr(self.arrow, name):
            try:
                return getattr(self.arrow.to_pandas(), name)
            except ImportError as error:
                raise AttributeError(f"{name} is an attribute of a data frame, which needs pandas") from error
        attribute = getattr(self.arrow, name)
        if not callable(attribute):
            return attribute

        def call(*arguments: Any, **options: Any) -> Any:
            arrow_arguments = [item.arrow if isinstance(item, NotebookTable) else item for item in arguments]
            return _wrap_table(attribute(*arrow_arguments, **options), self.name)

        call.__doc__ = attribute.__doc__
        return call

    def __dir__(self) -> list[str]:
        """Return the attribute names for completion, including those of the Arrow table."""
        return sorted({*super().__dir__(), *(name for name in dir(self.arrow) if not name.startswith("_"))})

    def __len__(self) -> int:
        """Return the number of rows."""
        return int(self.arrow.num_rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Yield every row as a dictionary."""
        for batch in self.arrow.to_batches():
            yield from batch.to_pylist()

    def __getitem__(self, key: str | int | slice | list[str]) -> Any:
        """Return a column by name, a row by number as a dictionary, or a table for a list of columns or a slice."""
        if isinstance(key, list):
            return self.select(key)
        if isinstance(key, slice):
            return NotebookTable(self.arrow.take(list(range(len(self))[key])), self.name)
        if isinstance(key, int):
            return self.arrow.slice(range(len(self))[key], 1).to_pylist()[0]
        return self.arrow[key]

    @property
    def columns(self) -> list[str]:
        """The names of the columns, as in a data frame; ``arrow.columns`` has the columns themselves."""
        return list(self.arrow.column_names)

    def head(self, count: int = 5) -> NotebookTable:
        """Return the first rows."""
        return NotebookTable(self.arrow.slice(0, count), self.name)

    def __repr__(self) -> str:
        """Return the first rows as text."""
        columns = self.columns
        rows = [[_format_cell(row[name]) for name in columns] for row in self.head(_MAX_ROWS_SHOWN)]
        widths = [max(map(len, texts)) for texts in zip(columns, *rows, strict=True)]
        lines = ["  ".join(map(str.ljust, texts, widths)).rstrip() for texts in (columns, *rows)]
        return "\n".join([self._size_text(), *lines])

    def _repr_html_(self) -> str:
        """Return the first rows as an HTML table with escaped texts."""
        heads = "".join(f"<th>{escape(name)}</th>" for name in self.columns)
        rows = "".join(
            "<tr>" + "".join(f"<td>{escape(_format_cell(row[name]))}</td>" for name in self.columns) + "</tr>"
            for row in self.head(_MAX_ROWS_SHOWN)
        )
        return f"<p>{escape(self._size_text())}</p><table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"

    def _size_text(self) -> str:
        rows = "1 row" if len(self) == 1 else f"{len(self):,} rows"
        limit_note = f", the first {_MAX_ROWS_SHOWN} shown" if len(self) > _MAX_ROWS_SHOWN else ""
        return f"{self.name}: {rows}, {len(self.columns)} columns{limit_note}"


def _wrap_table(value: Any, name: str) -> Any:
    is_table = (
        hasattr(value, "__arrow_c_stream__") and hasattr(value, "column_names") and not isinstance(value, NotebookTable)
    )
    return NotebookTable(value, name) if is_table and hasattr(value, "group_by") else value


def _format_cell(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, float):
        return f"{value:.4g}"
    line = " ".join(str(value).split())
    return line if len(line) <= _MAX_CELL_CHARACTERS else f"{line[: _MAX_CELL_CHARACTERS - 1]}…"
