"""The details of one run: its progress, items, errors by cause, requests, settings and scores."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QProgressBar, QWidget

from annotator.base.errors import BadInputError, DamagedFileError
from annotator.model.changes import Changes
from annotator.model.rows.queue_rows import RunRow
from annotator.model.rows.run_rows import (
    CauseRow,
    RequestLog,
    RequestRow,
    RunItemRow,
    ScoreSetRow,
    lost_answers,
    state_word,
)
from annotator.model.token_usage import TokenUsage
from annotator.services.runs import rescoring, run_log
from annotator.services.runs.execution import RunLive
from annotator.store.file.project_file import ProjectFile
from annotator.ui.app.session.session import Session
from annotator.ui.app.session.session_notices import WorkFailure
from annotator.ui.app.theme.look import Theme
from annotator.ui.app.translation import mark_words, tr, tr_message, translate_word
from annotator.ui.pages.shared.fact_texts import scoring_mode_word
from annotator.ui.widgets.card import Card
from annotator.ui.widgets.code.code_view import CodeView
from annotator.ui.widgets.fields import choice_box, debounce, refill_box, search_line
from annotator.ui.widgets.labels import OptionalLabel, Segments, button, join_list, label
from annotator.ui.widgets.layouts import Part, fill_column, fill_layout, make_row, make_splitter, make_stack
from annotator.ui.widgets.table import Cell, CellContent, DataTable, moment_cell

_SEARCH_MS = 250
FACES = mark_words("Items", "Errors", "Requests", "Settings", "Scores")
OUTCOMES = (
    "pass", "partial", "fail", "disputed", "flaky", "tampered", "empty", "refusal", "truncated", "filtered",
    "machinery",
)  # fmt: skip

ERRORS = mark_words("no answer", "no score", "no solution", "tool call", "truncated reasoning", "only reasoning")
"""Error words that come from data, registered for translation."""


class RunFace(NamedTuple):
    """The rows of one view of a run, and the run's token usage."""

    run_id: str
    face: str
    rows: Sequence[Any]
    usage: TokenUsage | None


def load_run_face(store: ProjectFile, run_id: str, face: str, other: str, words: str) -> RunFace:
    """Load one view of a run; ``other`` is the id of a run to compare settings with, ``words`` filters the requests."""
    loads: dict[str, Callable[[], Sequence[Any]]] = {
        "Items": partial(run_log.load_run_items, store, run_id),
        "Errors": partial(run_log.failure_causes, store, run_id),
        "Requests": partial(run_log.list_requests, store, run_id, words=words),
        "Settings": partial(run_log.compare_settings, store, [run_id, *filter(None, [other])]),
        "Scores": partial(rescoring.list_score_sets, store, run_id),
    }
    return RunFace(run_id, face, loads[face](), run_log.token_usage_of_run(store, run_id))


def format_outcomes(outcomes: Mapping[str, int]) -> str:
    """Return the counts of outcomes as words, such as "12 pass, 3 fail"."""
    return join_list(f"{outcomes[name]:,} {translate_word(name)}" for name in OUTCOMES if outcomes.get(name))


def format_run_progress(run: RunRow, live: RunLive | None, usage: TokenUsage | None = None) -> str:
    """Return a run's progress, failures, tokens, cost and speed as one line."""
    answered, failed = run.answered, sum(run.failures.values())
    cost, prompt_tokens, completion_tokens = run.cost, run.prompt_tokens, run.completion_tokens
    if live is not None:
        # The row may be some seconds old, while ``live`` counts this session exactly.
        answered, failed = max(answered, run.expected - live.total + live.answered), live.failed
        cost = max(cost, live.cost)
        prompt_tokens = max(prompt_tokens, live.prompt_tokens)
        completion_tokens = max(completion_tokens, live.completion_tokens)
    parts = [
        tr(
            "{answered} of {expected} answered",
            answered=f"{min(answered, run.expected):,}",
            expected=f"{run.expected:,}",
        )
    ]
    if failed:
        parts.append(tr("{failed} without an answer", failed=f"{failed:,}"))
    if live is not None and live.note:
        parts.append(tr_message(live.note))
    if live is not None and live.obstacle:
        parts.append(tr_message(live.obstacle))
    if live is not None and live.waiting:
        parts.append(tr("{count} waiting for a retry", count=f"{live.waiting:,}"))
    lost_count = lost_answers(run) + (live.unreadable if live is not None else 0)
    if lost_count:
        parts.append(tr("{count} paid answers cannot be read", count=f"{lost_count:,}"))
    if prompt_tokens or completion_tokens:
        parts.append(
            tr("{prompt} + {completion} tokens", prompt=f"{prompt_tokens:,}", completion=f"{completion_tokens:,}")
        )
    if live is not None:
        usage = TokenUsage(prompt_tokens, completion_tokens, live.cached_tokens, live.reasoning_tokens)
    if usage is not None and usage.cached:
        parts.append(tr("{count} from the endpoint's cache", count=f"{usage.cached:,}"))
    if usage is not None and usage.reasoning:
        parts.append(tr("{count} of them for reasoning", count=f"{usage.reasoning:,}"))
    if run.currency:
        parts.append(f"{cost:.4f} {run.currency}")
    if run.cached:
        # A replayed run sent no requests: its answers came from a file.
        cached_text = (
            tr("{cached} recorded", cached=f"{run.cached:,}")
            if run.preset == "replay"
            else tr("{cached} from earlier runs", cached=f"{run.cached:,}")
        )
        parts.append(cached_text)
    if live is not None and live.seconds >= 1:
        parts.append(tr("{per_minute} answers a minute", per_minute=f"{live.per_minute:,.0f}"))
        parts += _outlook_texts(live, run.currency)
    elif run.seconds >= 1:
        parts.append(tr("{seconds} s", seconds=f"{run.seconds:,.0f}"))
    return " · ".join(parts)


def _outlook_texts(live: RunLive, currency: str) -> list[str]:
    """Return the time and cost left, estimated from the answers so far."""
    outlook = live.outlook
    if outlook is None or live.answered + live.failed >= live.total:
        return []
    parts = [tr("about {time} left", time=format_duration(outlook.seconds_left))]
    if currency:
        parts.append(tr("about {cost} {currency} in total", cost=f"{outlook.cost:.4f}", currency=currency))
    return parts


def format_duration(seconds: float) -> str:
    """Return a duration in seconds, minutes or hours as words."""
    if seconds < 90:
        return tr("{seconds} s", seconds=f"{seconds:.0f}")
    if seconds < 5400:
        return tr("{seconds} min", seconds=f"{seconds / 60:.0f}")
    return tr("{hours} h", hours=f"{seconds / 3600:.1f}")


def _percent_cell(score: float | None) -> Cell:
    return Cell("", -1.0) if score is None else Cell(f"{score * 100:.2f}", score)


class RunDetail(Card):
    """Shows one run, each of its views when it is chosen."""

    def __init__(self, session: Session, store: ProjectFile, theme: Theme) -> None:
        super().__init__(tr("Run"))
        self._session, self._store = session, store
        self.run: RunRow | None = None
        self._live: RunLive | None = None
        self._request: RequestRow | None = None
        self.faces = Segments(tr("Part of the run to show"), FACES, selected=self._show_face, wrap=True)
        self.numbers, self.reason = label("", "dim", wrap=True), OptionalLabel()
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setFixedHeight(6)
        self.bar.setAccessibleName(tr("Progress of the run"))
        self.table = DataTable(tr("Items of the run"), activated=self._show_requests_of)
        self.errors = DataTable(tr("Errors of the run by cause"), selected=self._show_cause)
        self.example = label("", wrap=True)
        self.requests = DataTable(tr("Requests of the run"), selected=self._read_request)
        self.search = search_line(tr("Search the requests"))
        self.search.textChanged.connect(debounce(self, _SEARCH_MS, self.load_face).start)
        self.text = CodeView(theme, tr("A request and its answer"), language="markdown", wrap=True)
        self.facts = label("", "dim", wrap=True)
        self.facts.setObjectName("request-facts")
        self.settings = DataTable(tr("Settings of the run"))
        self.other = choice_box(tr("Compare with the settings of"))
        self.scores = DataTable(tr("Scorings of the run"))
        self.use_button = button(tr("Use these scores"), clicked=self._use_scores)
        requests = make_splitter(
            Qt.Orientation.Horizontal,
            _make_page(self.search, (self.requests, 1)),
            _make_page(self.facts, (self.text, 1)),
            sizes=(380, 320),
        )
        compared_row = make_row(None, label(tr("compared with"), "dim"), self.other)
        self.stack = make_stack(
            self.table,
            _make_page((self.errors, 1), self.example),
            requests,
            _make_page(compared_row, (self.settings, 1)),
            _make_page(make_row(None, self.use_button), (self.scores, 1)),
        )
        fill_layout(self.body, self.faces, self.numbers, self.bar, self.reason, (self.stack, 1))
        self.other.currentIndexChanged.connect(self.load_face)
        self.show_run(None, None)

    def _show_cause(self, row: CauseRow) -> None:
        """Show the full text of a failure, which the table cuts off."""
        self.example.setText(row.example)

    @property
    def face(self) -> str:
        """The name of the current view."""
        return FACES[self.faces.current]

    def show_run(self, run: RunRow | None, live: RunLive | None, *, paused: bool = False) -> None:
        """Show a run's progress; `show_face` fills its views."""
        is_same_run = run is not None and self.run is not None and run.id == self.run.id
        self.run, self._live = run, live
        self.set_title(tr("{model} on {version}", model=run.model, version=run.version) if run else tr("Run"))
        self.set_trailing((tr("paused") if paused else translate_word(state_word(run))) if run else "")
        self.numbers.setText(format_run_progress(run, live) if run else tr("Choose a run above."))
        self.reason.setText(run.reason if run else "")
        self.bar.setVisible(live is not None)
        if live is not None:
            total = 2 * live.total + live.to_score
            self.bar.setRange(0, max(1, total))
            self.bar.setValue(min(total, live.answered + live.failed + live.scored))
        self.stack.setVisible(run is not None)
        self.faces.setEnabled(run is not None)
        if not is_same_run:
            self._clear_texts()

    def _clear_texts(self) -> None:
        self._request = None
        self.text.set_code("", "markdown")
        self.facts.setText("")
        self.example.setText("")

    def load_face(self, _changed: object = None) -> None:
        """Read the current view of the run."""
        if self.run is not None:
            other, words = str(self.other.currentData() or ""), self.search.text()
            work = partial(load_run_face, self._store, self.run.id, self.face, other, words)
            on_error = partial(self._show_failure, self.run.id, self.face)
            self._session.run("read", work, self.show_face, on_error, latest="run-detail")

    def reload(self, _changes: Changes | None = None) -> None:
        """Reload the current view, and the selected request, whose score may have changed."""
        self.load_face()
        if self._request is not None:
            self._read_request(self._request)

    def _read_request(self, row: RequestRow) -> None:
        self._request = row
        if self.run is not None:
            work = partial(run_log.request_log, self._store, self.run.id, row.subject_id, row.sample)
            self._session.run("read", work, self.show_request, latest="run-request")

    def _show_requests_of(self, item: RunItemRow) -> None:
        """Show the requests about an item and their answers."""
        self.search.setText(item.key)
        self.text.set_code("", "markdown")
        self.faces.choose(FACES.index("Requests"))

    def list_other_runs(self, runs: Sequence[RunRow]) -> None:
        """Fill the list of runs to compare settings with."""
        others = [
            (f"{run.model} · {run.preset} · {run.id[:13]}", run.id)
            for run in runs
            if self.run is None or run.id != self.run.id
        ]
        refill_box(self.other, [(tr("no other run"), ""), *others], self.other.currentData())

    def show_face(self, face: RunFace) -> None:
        """Show the data of a view if its run is still the current one."""
        if self.run is None or face.run_id != self.run.id:
            return
        self.numbers.setText(format_run_progress(self.run, self._live, face.usage))
        views: dict[str, tuple[DataTable, Callable[[Any], None]]] = {
            "Items": (self.table, self._show_items),
            "Errors": (self.errors, self._show_errors),
            "Requests": (self.requests, self._show_requests),
            "Settings": (self.settings, self._show_settings),
            "Scores": (self.scores, self._show_scores),
        }
        table, show = views[face.face]
        for any_table in self._tables():
            any_table.empty_text = tr("Nothing to show")
        scroll_position = table.verticalScrollBar().value()
        show(face.rows)
        # A run in progress reloads repeatedly, so the scroll position must be kept.
        table.verticalScrollBar().setValue(scroll_position)

    def _tables(self) -> tuple[DataTable, ...]:
        return self.table, self.errors, self.requests, self.settings, self.scores

    def _show_failure(self, run_id: str, face: str, failure: WorkFailure) -> None:
        """Show in the tables why a view cannot be loaded, such as for a rater of a blind study."""
        if not isinstance(failure.error, BadInputError) or isinstance(failure.error, DamagedFileError):
            self._session.failed.emit(failure)
        if self.run is None or (self.run.id, self.face) != (run_id, face):
            # The user has switched to another view in the meantime.
            return
        for table in self._tables():
            table.empty_text = tr_message(failure.message)
            table.set_rows((), [], [])
        self._clear_texts()

    def _show_items(self, items: Sequence[RunItemRow]) -> None:
        mode = mark_words("mode") if any(item.mode == "shared" for item in items) else ()
        rows: list[tuple[CellContent, ...]] = [
            (
                item.title,
                item.language,
                Cell(tr("{answered} of {expected}", answered=item.answered, expected=item.expected), item.answered),
                Cell(str(item.failed or ""), item.failed),
                format_outcomes(item.outcomes),
                _percent_cell(item.score),
                *(scoring_mode_word(item.mode) for _ in mode),
            )
            for item in items
        ]
        headers = ("item", "language", "answered", "failed", "outcomes", *mark_words("score %"), *mode)
        self.table.set_rows(headers, rows, items)

    def _show_errors(self, causes: Sequence[CauseRow]) -> None:
        rows = [
            (
                translate_word(row.kind),
                translate_word(row.cause) or tr("unknown"),
                row.count,
                row.example,
                moment_cell(row.last),
            )
            for row in causes
        ]
        self.errors.set_rows(mark_words("what", "cause", "count", "example", "last"), rows, causes, stretch=3)

    def _show_requests(self, requests: Sequence[RequestRow]) -> None:
        rows = [
            (
                row.key.partition(":")[2] or row.key,
                Cell(str(row.sample + 1), row.sample),
                translate_word(row.cause or row.outcome),
                Cell("" if row.seconds is None else f"{row.seconds:.2f}", row.seconds or 0.0),
            )
            for row in requests
        ]
        self.requests.set_rows(mark_words("item", "sample", "outcome", "seconds"), rows, requests)
        if requests and not self.text.toPlainText():
            self.requests.select(0)

    def _show_settings(self, compared: Sequence[tuple[str, tuple[str, ...], bool]]) -> None:
        has_two_runs = any(len(texts) > 1 for _, texts, _ in compared)
        rows = [
            (name, *texts, *([tr("differs") if differs else ""] * has_two_runs)) for name, texts, differs in compared
        ]
        headers = mark_words("setting", "this run", "the other run", "")
        self.settings.set_rows(
            headers if has_two_runs else headers[:2], rows, compared, stretch=(1, 2) if has_two_runs else 1
        )

    def _show_scores(self, sets: Sequence[ScoreSetRow]) -> None:
        rows = [
            (
                tr("criteria of the {source}", source=item.source),
                _percent_cell(item.score),
                item.scored,
                tr("counts") if item.current else "",
                moment_cell(item.created_at),
            )
            for item in sets
        ]
        self.scores.set_rows(mark_words("scored with", "score %", "responses", "", "when"), rows, sets)
        self.use_button.setEnabled(len(sets) > 1)

    def show_request(self, log: RequestLog) -> None:
        """Show one request in full, with its answer."""
        self.facts.setText(
            " · ".join(f"{translate_word(name.lower())} {translate_word(text)}" for name, text in log.facts)
        )
        answer = tr("[answer]\n{text}", text=log.text) if log.text else ""
        self.text.set_code(
            "\n\n".join(part for part in (log.problem, run_log.body_text(log.request), answer) if part), "markdown"
        )

    def _show_face(self, number: int) -> None:
        self.stack.setCurrentIndex(number)
        self.load_face()

    def _use_scores(self) -> None:
        score_set: ScoreSetRow | None = self.scores.current_payload()
        if self.run is not None and score_set is not None:
            act = partial(rescoring.use_score_set, self._store, self.run.id, score_set.id)
            self._session.act(act, self.reload)


def _make_page(*parts: Part) -> QWidget:
    page = QWidget()
    fill_column(page, *parts)
    return page
