"""A project, or a release of it, as notebooks see it: read-only, with its tables as Arrow."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import Any, Self

from annotator.formats.write.arrow import Kind, arrow_table
from annotator.services.judge import agreement
from annotator.services.release import release_list
from annotator.services.results import leaderboard
from annotator.store.file.project_file import ProjectFile
from annotator.store.runs import notebook_rows

_LABELS: dict[str, Kind] = dict.fromkeys(
    ("id", "key", "title", "task", "language", "domain", "area", "difficulty", "question_type", "licence"), "text"
)
_SUBJECTS: dict[str, Kind] = {**_LABELS, "verdict": "text", "proven": "truth", "views": "count"}
_ITEMS: dict[str, Kind] = {**_LABELS, "prompt": "text", "reference": "text"}
_ANSWER: dict[str, Kind] = {
    "response_id": "text", "run_id": "text", "version": "text", "model": "text", "protocol": "text",
    "subject_id": "text", "sample": "count", "outcome": "text",
}  # fmt: skip
_RESPONSES: dict[str, Kind] = {
    **_ANSWER, "text": "text", "finish_reason": "text", "prompt_tokens": "count", "completion_tokens": "count",
    "seconds": "number", "cost": "number",
}  # fmt: skip
_SCORES: dict[str, Kind] = {**_ANSWER, "score": "number", "points": "number", "total": "number"}
_RESULTS: dict[str, Kind] = {
    "version": "text", "rank": "count", "model": "text", "protocol": "text", "run_id": "text", "score": "number",
    "low": "number", "high": "number", "se": "number", "items": "count", "samples": "count", "passed": "count",
    "partial": "count", "failed": "count", "no_answer": "count", "machinery": "count",
}  # fmt: skip
_JUDGEMENTS: dict[str, Kind] = {
    "pair_id": "text", "subject_id": "text", "rater": "text", "verdict": "text", "both_bad": "truth",
    "serving": "count", "seconds": "number", "created_at": "text",
}  # fmt: skip


class Project:
    """A project that is read and never changed; with ``version`` only what belongs to that release.

    Scores are fractions from 0 to 1. Close it when done, or use it in a ``with``.
    """

    def __init__(self, store: ProjectFile, version: str | None = None) -> None:
        """Use `open_project` or `open_release` instead."""
        self._store = store
        self.version = version

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the project."""
        self.close()

    def close(self) -> None:
        """Close the project; tables that were taken stay."""
        self._store.close()

    @property
    def name(self) -> str:
        """The project's name."""
        return self._store.project_name

    @property
    def releases(self) -> tuple[str, ...]:
        """The versions of the project, newest first."""
        return tuple(row.version for row in release_list.list_releases(self._store))

    def subjects(self) -> Any:
        """Return the subjects with labels, verdict and whether they are proven; of a release its items, with texts."""
        with self._store.read() as db:
            if self.version is None:
                return arrow_table(_SUBJECTS, [_with_truth(row) for row in notebook_rows.subjects(db)])
            return arrow_table(_ITEMS, notebook_rows.items(db, self.version))

    def responses(self) -> Any:
        """Return every answer of every run with its text, tokens, seconds and cost."""
        with self._store.read() as db:
            return arrow_table(_RESPONSES, notebook_rows.responses(db, self.version))

    def scores(self) -> Any:
        """Return the score that counts of every answer that has one; null where the machinery failed."""
        with self._store.read() as db:
            return arrow_table(_SCORES, notebook_rows.scores(db, self.version))

    def results(self) -> Any:
        """Return the leaderboard of every release with a run: score, 95 % interval, standard error, counts."""
        rows = []
        for version in (self.version,) if self.version else self.releases:
            board = leaderboard.leaderboard(self._store, version)
            rows += [[board.version, *(getattr(row, name) for name in list(_RESULTS)[1:])] for row in board.rows]
        return arrow_table(_RESULTS, rows)

    def judgements(self, study: str | None = None) -> Any:
        """Return the judgements of a study (None: the newest), each win, tie or lose for candidate A.

        Raises `BadInputError` without a study, and while the annotator has pairs to judge: results would sway them.
        """
        return arrow_table(_JUDGEMENTS, agreement.judgement_rows(self._store, study))

    def _repr_html_(self) -> str:
        """Return what notebooks show: the project, its release or releases, and which tables there are."""
        told = f"release {self.version}" if self.version else f"releases: {', '.join(self.releases) or 'none'}"
        tables = ", ".join(f"<code>{name}()</code>" for name in ("subjects", "responses", "scores", "results"))
        return f"<p><b>{escape(self.name)}</b>, {escape(told)}<br>Tables: {tables}, <code>judgements(study)</code></p>"


def open_project(path: str | Path, *, annotator: str | None = None) -> Project:
    """Open a project file for reading. Raises `BadInputError` for a file that is no sound project."""
    return Project(ProjectFile.open(Path(path), read_only=True, annotator=annotator))


def open_release(path: str | Path, version: str | None = None) -> Project:
    """Open a release (None: the newest) of a project file for reading. Raises `BadInputError` if there is none."""
    project = open_project(path)
    try:
        row, _ = release_list.find_release(project._store, version)
    except Exception:
        project.close()
        raise
    project.version = row.version
    return project


def _with_truth(row: Any) -> list[Any]:
    values = list(row)
    values[-2] = bool(values[-2])
    return values
