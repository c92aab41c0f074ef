"""The page Results: tables and figures, the answers behind a cell, and how one response was scored."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication

from annotator.formats.write.table_writer import write_table
from annotator.jobs.progress import Progress
from annotator.model.changes import Changes
from annotator.model.rows.draft_rows import Draft
from annotator.model.rows.queue_rows import RunRow
from annotator.model.rows.result_rows import ItemScoreRow, Table, Target
from annotator.services.results import (
    answer_list,
    error_labels,
    figures,
    health,
    report,
    response_explanation,
    responses,
)
from annotator.services.results.error_labels import LabelChoice
from annotator.services.results.response_explanation import Explanation
from annotator.services.results.result_tables import TableOptions
from annotator.services.results.score_data import ResultData
from annotator.services.runs import run_list
from annotator.store.file.project_file import ProjectFile
from annotator.ui.app import file_dialogs
from annotator.ui.app.base_page import Destination, Page, PageContext
from annotator.ui.app.session.session_notices import WorkFailure
from annotator.ui.app.translation import mark_for_translation, tr, tr_message, translate_word
from annotator.ui.pages.results.answers_card import AnswersCard
from annotator.ui.pages.results.board import ResultsBoard
from annotator.ui.pages.results.response_panel import ANSWER, DIFF, ResponsePanel
from annotator.ui.pages.results.result_controls import ResultsBar
from annotator.ui.pages.results.table_request import ResultView, TableRequest, load_result_view
from annotator.ui.pages.shared.others_question import OthersQuestion
from annotator.ui.widgets.card import EmptyState
from annotator.ui.widgets.draft_field import ask_on_page
from annotator.ui.widgets.fields import debounce
from annotator.ui.widgets.labels import button
from annotator.ui.widgets.layouts import CurrentStack, fill_column, make_splitter, make_stack

_TABLE_FILES = mark_for_translation(
    "CSV (*.csv);;JSON (*.json);;LaTeX (*.tex);;Markdown (*.md);;SVG figure (*.svg);;PDF figure (*.pdf);;"
    "PNG figure (*.png);;Report of everything (*.html)"
)


_ANSWER_FILES = mark_for_translation(
    "JSON lines with the answers (*.jsonl);;CSV (*.csv);;JSON (*.json);;LaTeX (*.tex);;Markdown (*.md)"
)
_SLOW_MS = 400
"""Loading that takes longer shows a message."""
_LINK = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\s*$")


class ResultsPage(Page):
    """Leads from the leaderboard down to one response."""

    name = "Results"
    icon = "ph.chart-bar"

    def __init__(self, context: PageContext) -> None:
        """Build the board, the list of answers and the response panel."""
        super().__init__(context)
        self.result_view: ResultView | None = None
        self.others = OthersQuestion(self.session, self)
        self._target: Target | None = None
        self._target_to_reopen: Target | None = None
        """The target to open again after a reload."""
        self._run_id_to_choose = ""
        """The id of the run to select once its release is loaded."""
        self._response_id = ""
        self.bar = ResultsBar()
        self.bar.changed.connect(self._load)
        self.bar.row_filter_changed.connect(self._filter)
        self.bar.scores_requested.connect(self._choose_scores)
        self.board = ResultsBoard(self.session, self.theme)
        self._slow_timer = debounce(self, _SLOW_MS, self._say_loading)
        self.board.target_opened.connect(self._open_target)
        self.board.ticked.connect(self.bar.set_frontier)
        self.board.face_changed.connect(self._fit_layout)
        self.theme.changed.connect(self._fit_layout)
        self.board.send_back_requested.connect(self._send_items)
        self.save_button = button(tr("Save as…"), clicked=self.export)
        self.board.acts.addWidget(self.save_button)
        self.items_card = AnswersCard()
        self.items_card.answer_selected.connect(self._show_item)
        self.items_card.filter_changed.connect(self._filter_answers)
        self.items_card.save_requested.connect(self._save_answers)
        self.items = self.items_card.table
        self.board.table.row_activated.connect(self.go_to_answers)
        self.panel = ResponsePanel(self.theme, context.actions.keys("results.label"), self.session.drafts)
        self.panel.other_chosen.connect(self._show_other)
        self.panel.other_opened.connect(self._show_item)
        self.panel.label_requested.connect(self._label)
        self.panel.send_back_requested.connect(self._send_back)
        self.panel.item_opened.connect(self._open_item)
        self.empty = EmptyState(
            self.theme,
            "ph.chart-bar",
            tr("No results yet"),
            tr("Ask a model or score recorded responses on the Runs page; the leaderboard appears here."),
            tr("Go to Runs"),
        )
        self.empty.acted.connect(self._go_to_runs)
        self.lower_splitter = make_splitter(Qt.Orientation.Horizontal, self.items_card, self.panel, sizes=(420, 720))
        self.main_splitter = make_splitter(Qt.Orientation.Vertical, self.board, self.lower_splitter, sizes=(400, 380))
        self.stack = make_stack(self.main_splitter, self.empty, kind=CurrentStack)
        fill_column(self, self.bar, (self.stack, 1), margin=(0, 8, 12, 8))

    # -- page interface -------------------------------------------------------------------------------------------

    def activate(self) -> None:
        """Focus the table and load the requested one."""
        self.board.table.setFocus()
        self._load()

    def _load(self) -> None:
        work = partial(
            load_result_view, self.store, self.bar.read_request(), self.result_view.data if self.result_view else None
        )
        self.session.run("cpu", work, self._show_view, self._show_failure, latest="results")
        self._slow_timer.start()

    def _say_loading(self) -> None:
        self.board.set_trailing(tr("Loading {table}…", table=self.bar.table.currentText()))

    def _stop_loading(self) -> None:
        self._slow_timer.stop()
        self.board.set_trailing("")

    def refresh(self, changes: Changes) -> None:
        """Reload when runs, scores, releases, responses or published tables changed."""
        if changes.nouns & {"run", "score", "release", "response", "published"}:
            self._target_to_reopen = self._target or self._target_to_reopen
            self.result_view = self._target = None
            self._load()
        elif changes.nouns & {"error_label", "decision"} and self.panel.explanation is not None:
            self._explain(self._response_id)
            if self.board.current_table is not None and self.board.current_table.name == "errors":
                self._load()

    def handlers(self) -> dict[str, Callable[[], object]]:
        """Return the page's handlers by action id."""
        return {
            "results.export": self.export,
            "results.answers": self.go_to_answers,
            "results.back": self.board.table.setFocus,
            "results.next-failed": self._next_failed,
            "results.link": self._copy_link,
            "results.before": self.compare_with_before,
            "results.failed": self.show_failed,
            "results.label": self.choose_label,
            "results.doubt": self.show_doubt,
            "results.pass": partial(self.settle, "pass"),
            "results.fail": partial(self.settle, "fail"),
        }

    def show_draft(self, draft: Draft) -> None:
        """Show the response that a drafted note is about, among all answers to its item."""
        self._response_id = draft.key.item_id
        self._target_to_reopen = Target("item", id=draft.subject_id)
        self._load()

    def show_subject(self, subject_id: str) -> None:
        """Show a run in the leaderboard of its release; on this page ids of subjects are run ids."""
        self.session.run("read", partial(_find_run, self.store, subject_id), self._show_run)

    def state(self) -> dict[str, Any]:
        """Return the pins."""
        return {"pins": sorted(self.board.pins)}

    def restore(self, state: dict[str, Any]) -> None:
        """Restore the pins."""
        pins = state.get("pins")
        if isinstance(pins, list):
            self.board.pins = {str(name) for name in pins}

    # -- the table ------------------------------------------------------------------------------------------------

    def _show_view(self, view: ResultView | None) -> None:
        self._stop_loading()
        self.result_view = view
        has_results = view is not None and bool(view.labels)
        self.stack.setCurrentIndex(0 if has_results else 1)
        self.bar.setVisible(has_results)
        if view is None or not has_results:
            return
        self.bar.offer(view)
        self._fit_layout()
        if view.table is None:
            self.board.show_problem(self.bar.table.currentText(), view.problem)
            return
        self.board.show_table(view.table)
        has_current_row = self.board.table.currentIndex().isValid()
        if not has_current_row and (self._target is None or self.items.row_count() == 0):
            self.board.table.select_view_row(0)
        target, self._target_to_reopen = self._target_to_reopen, None
        if target is not None:
            self._open_target(target)
        self._choose_run()

    def _show_run(self, run: RunRow | None) -> None:
        if run is not None:
            self._run_id_to_choose = run.id
            self.bar.show_release(run.version)

    def _choose_run(self) -> None:
        """Select the row of the requested run, or say why it has none."""
        run_id, self._run_id_to_choose = self._run_id_to_choose, ""
        if not run_id or self.result_view is None or self.board.choose_run(run_id):
            return
        if any(older_run.id == run_id for older_run in self.result_view.older):
            self.session.say(tr("A newer run of this model is used here. “Compare two” shows both side by side."))
        else:
            self.session.say(tr("This run is not finished, so it is not included yet."))

    def _fit_layout(self) -> None:
        """Hide the answers below a full-page figure or a published table.

        In a cramped window, the response is placed below the list of answers instead of beside it.
        """
        self.lower_splitter.setOrientation(
            Qt.Orientation.Vertical if self.theme.is_cramped else Qt.Orientation.Horizontal
        )
        self.lower_splitter.setVisible(
            self.result_view is not None and self.result_view.data is not None and not self.board.has_figure_face
        )
        self.save_button.setEnabled(self.board.current_table is not None)

    def _show_failure(self, failure: WorkFailure) -> None:
        self._stop_loading()
        self.board.show_problem(self.bar.table.currentText(), failure.message)

    def _filter(self) -> None:
        self.board.set_filter(self.bar.filter.text())

    def _choose_scores(self) -> None:
        path = file_dialogs.choose_file(
            self,
            tr("Scores of another benchmark"),
            tr("CSV or JSON (*.csv *.json)"),
            file_dialogs.project_folder(self.session),
        )
        if path is not None:
            self.bar.set_scores(path)

    def compare(self, a: str, b: str) -> None:
        """Compare two models of the board."""
        self.bar.choose("compare", a, b)

    def compare_with_before(self) -> None:
        """Compare the run of the current row with the previous run of its model and protocol."""
        run_id = self._target.run_id if self._target is not None else ""
        name, previous_run_id = self.result_view.previous_run(run_id) if self.result_view is not None else ("", "")
        if previous_run_id:
            self.compare(name, previous_run_id)
        elif name:
            self.session.say(tr("{name} has no earlier run on this release.", name=name))
        else:
            self.session.say(tr("Select a model's row first."))

    # -- from a cell to its answers -------------------------------------------------------------------------------

    def _open_target(self, target: Target) -> None:
        if target != self._target:
            self._list_answers(target)

    def _list_answers(self, target: Target) -> None:
        if self.result_view is None or self.result_view.table_data is None:
            return
        self._target = target
        work = partial(
            answer_list.read_answers, self.store, self.result_view.table_data, target, self.items_card.read_filter()
        )
        self.session.run(
            "read", work, partial(self._show_items, target), partial(self._show_no_items, target), latest="result-items"
        )

    def _show_no_items(self, target: Target, failure: WorkFailure) -> None:
        self._show_items(target, (), tr_message(failure.message))

    def _show_items(self, target: Target, rows: tuple[ItemScoreRow, ...], why_empty: str = "") -> None:
        self.items.empty_text = why_empty or tr("Nothing to show")
        shown_response_rows = [index for index, row in enumerate(rows) if row.response_id == self._response_id]
        run_rows = [index for index, row in enumerate(rows) if target.run_id and row.run_id == target.run_id]
        self.items_card.show_rows(
            self._heading(target, rows),
            rows,
            by_model=target.kind == "item",
            current_index=next(iter((*shown_response_rows, *run_rows)), 0),
            run_created_at=self._run_created_at(target),
        )
        if not rows:
            self.panel.clear()

    def _filter_answers(self) -> None:
        """List the answers that match the filter; a pasted link opens its answer instead."""
        link = _LINK.search(self.items_card.search_field.text())
        if link is not None:
            self.items_card.clear_filter()
            self.session.run(
                "read",
                partial(responses.subject_of_response, self.store, link[0]),
                partial(self._list_linked_answer, link[0]),
            )
        elif self._target is not None:
            self._list_answers(self._target)

    def _list_linked_answer(self, response_id: str, subject_id: str) -> None:
        self._response_id = response_id
        self._list_answers(Target("item", id=subject_id))

    def _copy_link(self) -> None:
        if self.panel.explanation is not None:
            command = ["annotator", "results", "answer", self.store.place.name, self._response_id]
            QGuiApplication.clipboard().setText(shlex.join(command))
            self.session.say(tr("Link copied. Paste it into the search field above the answers."))

    def go_to_answers(self, _row: object = None) -> None:
        """Focus the list of answers behind the current cell."""
        if self.items.row_count():
            self.items.setFocus()

    def _next_failed(self) -> None:
        if not self.items_card.next_failed():
            self.session.say(tr("All listed answers passed."))

    def _save_answers(self) -> None:
        proposed = file_dialogs.beside_project(self.session, "answers.jsonl")
        path = file_dialogs.choose_new_file(self, tr("Save the answers"), proposed, translate_word(_ANSWER_FILES))
        if path is not None:
            self.save_answers_to(path)

    def save_answers_to(self, path: Path) -> None:
        """Write the selected answers, or all listed, off the main thread."""
        work = partial(export_answers, self.store, self.items_card.rows_to_save(), path)
        self.session.start_job(tr("Writing {name}", name=path.name), work, summary=partial(_describe_file, path))

    def _run_created_at(self, target: Target) -> str:
        """Return the start of a cell's run, empty for a cell of several runs."""
        entries = (
            self.result_view.table_data.entries
            if self.result_view is not None and self.result_view.table_data is not None
            else ()
        )
        return next((entry.run.created_at for entry in entries if entry.run.id == target.run_id), "")

    def _heading(self, target: Target, rows: tuple[ItemScoreRow, ...]) -> str:
        if target.kind == "item":
            return rows[0].title if rows else tr("Item")
        name = next(
            (label for label, run in (self.result_view.runs if self.result_view else ()) if run == target.run_id),
            tr("Items"),
        )
        if target.kind == "doubt":
            return tr("Doubtful answers")
        if target.kind == "failed":
            return tr("{name} · failed", name=name) + (f" · {target.value or tr('not labelled')}" if target.by else "")
        return f"{name} · {target.value}" if target.value else name

    def _show_item(self, row: ItemScoreRow) -> None:
        self._explain(row.response_id)

    def _explain(self, response_id: str) -> None:
        self._response_id = response_id
        if self.result_view is not None:
            work = partial(load_explanation, self.store, response_id, self.result_view.table_data)
            self.session.run("cpu", work, self._show_response, latest="result-response")

    def _show_response(self, explanation_and_choices: tuple[Explanation, tuple[LabelChoice, ...]]) -> None:
        self.panel.offer_labels(explanation_and_choices[1])
        is_blind = self._target is not None and self._target.kind == "doubt"
        self.panel.show_response(explanation_and_choices[0], blind=is_blind)

    def _show_other(self, row: ItemScoreRow) -> None:
        work = partial(response_explanation.compare_answers, self.store, self._response_id, row.response_id)
        self.session.run("read", work, self.panel.show_other, latest="result-other")

    # -- acts -----------------------------------------------------------------------------------------------------

    def _label(self, word: str, note: str) -> None:
        explanation = self.panel.explanation
        if explanation is not None:
            work = partial(
                error_labels.label_failed_responses, self.store, [explanation.detail.response_id], word, note
            )
            self.session.act(work, partial(self._finish_labelling, explanation.detail.response_id, note, bool(word)))

    def choose_label(self) -> None:
        """Open the menu of error labels; a digit assigns one and goes to the next response."""
        if self.panel.explanation is not None:
            menu = self.panel.label_menu()
            menu.popup(self.panel.add_label_button.mapToGlobal(self.panel.add_label_button.rect().topLeft()))

    def show_failed(self) -> None:
        """List the current model's failed responses without an error label, and show each beside the reference."""
        target = self._target
        run_id = target.run_id if target is not None else ""
        runs = self.result_view.runs if self.result_view else ()
        if run_id or runs:
            self.panel.faces.choose(DIFF)
            self.items_card.clear_filter()
            self._list_answers(Target("failed", run_id or runs[0][1], "label", ""))

    def show_doubt(self) -> None:
        """List the answers of all runs with a doubtful verdict, unsettled ones first."""
        self.panel.faces.choose(ANSWER)
        self.items_card.clear_filter()
        self._list_answers(Target("doubt"))

    def settle(self, verdict: str) -> None:
        """Ask for a reason and settle the current answer's doubtful verdict; the model's name is hidden meanwhile."""
        explanation = self.panel.explanation
        if explanation is None or not explanation.detail.in_doubt:
            self.session.say(tr("The verdict on this answer is not in doubt."))
            return
        if self._target is None or self._target.kind != "doubt":
            self.show_doubt()
            self.session.say(
                tr("Verdicts are settled without seeing the model's name. Press the key again to settle this one.")
            )
            return
        response_id = explanation.detail.response_id
        title = tr("The answer passes") if verdict == "pass" else tr("The answer fails")
        question, subject_id = tr("Why? The reason is shown beside the verdict."), explanation.subject_id
        reason = ask_on_page(self, title, question, name="results.settle", item_id=response_id, subject_id=subject_id)
        if reason is not None:
            self.session.act(
                partial(responses.settle_answer, self.store, response_id, verdict, reason), self._say_undoable
            )

    def _finish_labelling(self, response_id: str, note: str, is_labelled: bool, _changes: Changes) -> None:
        """Clear the draft and, after a new label, select the next failed response."""
        self.panel.draft.clear(response_id, note)
        if is_labelled and self._target is not None and self._target.kind == "failed":
            self.items.select_view_row(min(self.items.currentIndex().row() + 1, self.items.row_count() - 1))

    def _send_back(self) -> None:
        if self.panel.explanation is not None:
            self._send_items([self.panel.explanation.subject_id])

    def _send_items(self, subject_ids: list[str]) -> None:
        data = self.result_view.data if self.result_view is not None else None
        self.others.act(partial(health.reopen_items, self.store, subject_ids, data=data), self._say_undoable)

    def _say_undoable(self, changes: Changes) -> None:
        self.session.say(tr("{label}. Undo reverts it.", label=tr_message(changes.label)))

    def _open_item(self) -> None:
        if self.panel.explanation is not None:
            self.go_to.emit(Destination("Criterion", self.panel.explanation.subject_id))

    def export(self) -> None:
        """Ask for a file, proposing the kind shown, and write the board to it in the format of its ending."""
        name = self.board.current_table.name if self.board.current_table else "results"
        suffix = "svg" if self.board.has_figure_face else "csv"
        proposed = file_dialogs.beside_project(self.session, f"{name}.{suffix}")
        path = file_dialogs.choose_new_file(self, tr("Save the results"), proposed, translate_word(_TABLE_FILES))
        if path is not None:
            self.export_to(path)

    def export_to(self, path: Path) -> None:
        """Write the table or figure on screen, or the whole report, off the main thread."""
        table = self._table_on_screen()
        if table is not None:
            work = partial(export_results, self.store, table, path, self.bar.read_request())
            self.session.start_job(tr("Writing {name}", name=path.name), work, summary=partial(_describe_file, path))

    def _table_on_screen(self) -> Table | None:
        """Return the table with its filtered rows."""
        table = self.board.current_table
        return None if table is None else table.with_rows(self.board.rows())

    def _go_to_runs(self) -> None:
        self.go_to.emit(Destination("Runs"))


def _find_run(store: ProjectFile, run_id: str) -> RunRow | None:
    return next((run for run in run_list.list_runs(store) if run.id == run_id), None)


def export_answers(store: ProjectFile, rows: list[ItemScoreRow], path: Path, progress: Progress) -> None:
    """Write answers to a file in the format of its ending."""
    answer_list.write_answers(store, rows, path)
    progress.report(len(rows), len(rows), "done")


def load_explanation(
    store: ProjectFile, response_id: str, data: ResultData | None
) -> tuple[Explanation, tuple[LabelChoice, ...]]:
    """Return the explanation of a response's score, and the available error labels."""
    return response_explanation.explain_response(store, response_id, data), error_labels.list_label_choices(store)


def export_results(store: ProjectFile, table: Table, path: Path, request: TableRequest, progress: Progress) -> None:
    """Write a table, its figure, or the full report, depending on the file's ending."""
    suffix = path.suffix.lower()
    if suffix in (".html", ".htm"):
        options = TableOptions(by=request.by if request.by != "metric" else "domain", threshold=request.threshold)
        report.write_report(
            store, path, request.version or None, options, protocol=request.protocol or None, progress=progress
        )
    elif suffix in (".svg", ".pdf", ".png"):
        figures.write_figure(table, path)
    else:
        write_table(table, path)


def _describe_file(path: Path, _result: object) -> str:
    return tr("Saved {name}.", name=path.name)
