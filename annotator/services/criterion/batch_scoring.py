"""Score a file of responses with a folder of criteria: in parallel, as a stream and without a project."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from annotator.base.errors import BadInputError
from annotator.criteria import CriterionDocument, CriterionScore, load_criterion, score_all_by_criterion
from annotator.formats.interchange.response_files import read_responses
from annotator.formats.read.import_records import ImportedResponse, RowError
from annotator.sandbox import Runner
from annotator.services.sandbox_sessions import Workbench

COLUMNS = {
    "keywords": "keywords", "blank_filling": "blank_filling", "unit_test": "unit_test", "similarity": "similarity",
    "custom": "customized", "equals": "equals", "number": "number", "json": "json", "ast": "ast",
}  # fmt: skip
"""The columns of a row and their metrics; the first five are always present."""
_COLUMNS_ALWAYS_PRESENT = tuple(COLUMNS)[:5]
WINDOW_ROWS = 4000
"""The maximum number of responses in memory at a time."""
_WINDOW_CHARACTERS = 16_000_000
WORTH_PROCESSES = 2000
"""The smallest number of responses for which starting processes is worthwhile."""
TASK_ROWS = 500
"""The number of responses of a case that are sent to a process at a time."""


@dataclass(frozen=True, slots=True)
class BatchOptions:
    """The columns to score (empty: all), and the number of processes for criteria that need no sandbox.

    ``compat`` drops a whole case if one of its responses cannot be scored, as the published grader does.
    """

    only: tuple[str, ...] = ()
    jobs: int = 0
    compat: bool = False
    allow_local: bool = False

    @property
    def metrics(self) -> frozenset[str] | None:
        """The requested metrics; None means all."""
        return frozenset(COLUMNS[column] for column in self.only) if self.only else None


@dataclass
class _Suite:
    """The documents of a folder, read when first needed."""

    files: dict[str, Path]
    documents: dict[str, CriterionDocument] = field(default_factory=dict)

    def load_document(self, case: str) -> CriterionDocument:
        if case not in self.documents:
            self.documents[case] = load_criterion(self.files[case], name=self.files[case].name)
        return self.documents[case]


def _find_suite(folder: Path) -> _Suite:
    if not folder.is_dir():
        raise BadInputError(f"There is no folder {folder.name}, so nothing was scored.")
    files: dict[str, Path] = {}
    for path in sorted(folder.rglob("eval_*.yaml")):
        case = path.stem.removeprefix("eval_")
        if case in files:
            raise BadInputError(f"{folder.name} has two files for the case {case}, so nothing was scored.")
        files[case] = path
    if not files:
        raise BadInputError(f"{folder.name} has no eval_*.yaml, so nothing was scored.")
    return _Suite(files)


def score_suite(cases: Path, responses: Path, options: BatchOptions | None = None) -> Iterator[dict[str, Any]]:
    """Yield a row per response, in the order of the file: case, idx, points and total per metric, score, detail.

    Criteria that run code need the sandbox; without one their responses are not scored, and the row has the reason.
    Raises `BadInputError` for a bad folder, document or row, after the rows before it.
    """
    settings = options or BatchOptions()
    rows: Iterable[dict[str, Any]] = _score_windows(_find_suite(cases), responses, settings)
    if settings.compat:
        rows = list(rows)
        dropped = {row["case"] for row in rows if row["status"] != "scored"}
        rows = [row for row in rows if row["case"] not in dropped]
    yield from rows


def _score_windows(suite: _Suite, responses: Path, options: BatchOptions) -> Iterator[dict[str, Any]]:
    with ExitStack() as stack:
        workers = _Workers(suite, options, stack)
        for window in _read_windows(responses, suite):
            yield from workers.score(window)


def _read_windows(path: Path, suite: _Suite) -> Iterator[list[ImportedResponse]]:
    window: list[ImportedResponse] = []
    characters = 0
    for row in read_responses(path):
        if isinstance(row, RowError):
            raise BadInputError(f"{row}. Rows before it were scored.")
        if row.subject not in suite.files:
            raise BadInputError(f"The responses are for a case {row.subject} that the folder does not contain.")
        window.append(row)
        characters += len(row.text)
        if len(window) >= WINDOW_ROWS or characters >= _WINDOW_CHARACTERS:
            yield window
            window = []
            characters = 0
    if window:
        yield window


class _Workers:
    """Scores windows of responses: sandboxed criteria in this process, the rest in other processes if that pays off."""

    def __init__(self, suite: _Suite, options: BatchOptions, stack: ExitStack) -> None:
        self._suite = suite
        self._options = options
        self._stack = stack
        self._bench = Workbench(allow_local=lambda: options.allow_local, size=options.jobs or None)
        stack.callback(self._bench.close)
        self._processes: ProcessPoolExecutor | None = None

    def score(self, window: Sequence[ImportedResponse]) -> Iterator[dict[str, Any]]:
        """Yield the rows of a window in its order."""
        by_case: dict[str, list[int]] = {}
        for index, response in enumerate(window):
            by_case.setdefault(response.subject, []).append(index)
        sandboxed = [case for case in by_case if self._suite.load_document(case).needs_sandbox]
        other_cases = [case for case in by_case if case not in sandboxed]
        rows: list[dict[str, Any]] = [{} for _ in window]
        metrics = self._options.metrics
        columns = self._options.only
        tasks: list[tuple[list[int], Future[list[dict[str, Any]]]]] = []
        processes = self._open_pool(sum(len(by_case[case]) for case in other_cases))
        for case in other_cases:
            for start in range(0, len(by_case[case]), TASK_ROWS):
                part = by_case[case][start : start + TASK_ROWS]
                texts = [window[index].text for index in part]
                if processes is None:
                    scored = _score_part(self._suite.load_document(case), texts, metrics, columns)
                    _store_rows(rows, window, part, scored)
                else:
                    tasks.append((part, processes.submit(_score_in_worker, case, texts, metrics, columns)))
        for case in sandboxed:
            texts = [window[index].text for index in by_case[case]]
            scored = _score_part(self._suite.load_document(case), texts, metrics, columns, self._bench.runner())
            _store_rows(rows, window, by_case[case], scored)
        for part, task in tasks:
            _store_rows(rows, window, part, task.result())
        yield from rows

    def _open_pool(self, count: int) -> ProcessPoolExecutor | None:
        """Return the process pool; None if starting it would take longer than the work."""
        jobs = self._options.jobs or min(8, os.cpu_count() or 1)
        if self._processes is None and jobs > 1 and count >= WORTH_PROCESSES:
            self._processes = ProcessPoolExecutor(
                jobs, mp_context=get_context("spawn"), initializer=_start_worker, initargs=(self._suite.files,)
            )
            # A caller that stops early must not wait for tasks that have not begun.
            self._stack.callback(self._processes.shutdown, cancel_futures=True)
        return self._processes


def _store_rows(
    rows: list[dict[str, Any]],
    window: Sequence[ImportedResponse],
    indexes: Sequence[int],
    scored: Iterable[dict[str, Any]],
) -> None:
    for index, row in zip(indexes, scored, strict=True):
        rows[index] = {"case": window[index].subject, "idx": window[index].sample, **row}


def _score_part(
    document: CriterionDocument,
    texts: Sequence[str],
    metrics: frozenset[str] | None,
    columns: Sequence[str],
    sandbox: Runner | None = None,
) -> list[dict[str, Any]]:
    results = score_all_by_criterion(document, texts, sandbox=sandbox, only=metrics, spans=False)
    return [_build_result_row(result, columns) for result in results]


def _build_result_row(result: CriterionScore, columns: Sequence[str]) -> dict[str, Any]:
    row: dict[str, Any] = {}
    for column, metric in COLUMNS.items():
        metric_score = result.metrics.get(metric)
        if metric_score is not None:
            row[column] = [metric_score.points, metric_score.total]
        elif column in _COLUMNS_ALWAYS_PRESENT or column in columns:
            row[column] = None
    row["score"] = result.score
    row["status"] = result.status
    if result.unsettled:
        row["unsettled"] = result.unsettled
    row["detail"] = result.reason or [
        {"rule": rule.label, "metric": rule.metric, "matched": rule.matched, "points": rule.points,
         "detail": rule.detail}
        for rule in result.rules
    ]  # fmt: skip
    return row


_worker_suites: list[_Suite] = []
"""The suite of this process, if it is a worker; set by the pool's initializer."""


def _start_worker(files: dict[str, Path]) -> None:
    _worker_suites[:] = [_Suite(files)]


def _score_in_worker(
    case: str, texts: Sequence[str], metrics: frozenset[str] | None, columns: Sequence[str]
) -> list[dict[str, Any]]:
    return _score_part(_worker_suites[0].load_document(case), texts, metrics, columns)
