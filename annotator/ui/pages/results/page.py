"""Results: every table and figure, and the way down from a cell to one response explained."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QVBoxLayout

from annotator.formats.write.tables import write_table
from annotator.jobs.progress import Progress
from annotator.model.changes import Changes
from annotator.model.rows.drafts import Draft
from annotator.model.rows.results import ItemScoreRow, Table, Target
from annotator.model.rows.views import RunRow
from annotator.services.results import (
    answer_list,
    error_labels,
    figures,
    health,
    report,
    response_explanation,
    responses,
    settlements,
)
from annotator.services.results.error_labels import LabelChoice
from annotator.services.results.response_explanation import Explanation
from annotator.services.results.score_data import ResultData
from annotator.services.results.tables import TableOptions
from annotator.services.runs import run_list
from annotator.store.file.project_file import ProjectFile
from annotator.ui.app import file_dialogs
from annotator.ui.app.base_page import Destination, Page, PageContext
from annotator.ui.app.session.notices import Failure
from annotator.ui.app.translation import mark_for_translation, tr, tr_message, translate_word
from annotator.ui.pages.results.answers_card import AnswersCard
from annotator.ui.pages.results.board import ResultsBoard
from annotator.ui.pages.results.controls import ResultsBar
from annotator.ui.pages.results.response_panel import ANSWER, DIFF, ResponsePanel
from annotator.ui.pages.results.table_request import ResultView, TableRequest, load_view
from annotator.ui.pages.shared.others_question import OthersQuestion
from annotator.ui.widgets.empty_state import EmptyState
from annotator.ui.widgets.labels import button
from annotator.ui.widgets.layouts import CurrentStack, arrange, make_splitter, make_stack
from annotator.ui.widgets.text_question import ask_text

_FILES = mark_for_translation(
    "CSV (*.csv);;JSON (*.json);;LaTeX (*.tex);;Markdown (*.md);;SVG figure (*.svg);;PDF figure (*.pdf);;"
    "PNG figure (*.png);;Report of everything (*.html)"
)


_ANSWER_FILES = mark_for_translation(
    "JSON lines with the answers (*.jsonl);;CSV (*.csv);;JSON (*.json);;LaTeX (*.tex);;Markdown (*.md)"
)
_LINK = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\s*$")


class ResultsPage(Page):
    """From the leaderboard down to one response."""

    name = "Results"
    icon = "ph.chart-bar"

    def __init__(self, context: PageContext) -> None:
        """Put the table, the items below it and the response together."""
        super().__init__(context)
        self.shown: ResultView | None = None
        self.others = OthersQuestion(self.session, self)
        self._target: Target | None = None
        self._again: Target | None = None
        """What was open before everything was read again."""
        self._run = ""
        """The run that is to be chosen once its release is shown."""
        self._response = ""
        self.bar = ResultsBar()
        self.bar.changed.connect(self.activate)
        self.bar.filtered.connect(self._filter)
        self.bar.scores_asked.connect(self._ask_scores)
        self.board = ResultsBoard(self.session, self.theme)
        self.board.opened.connect(self._open)
        self.board.ticked.connect(self.bar.set_frontier)
        self.board.turned.connect(self._make_room)
        self.theme.changed.connect(self._make_room)
        self.board.sent_back.connect(self._send_items)
        self.save = button(tr("Save as…"), clicked=self.export)
        self.board.acts.addWidget(self.save)
        self.items_card = AnswersCard()
        self.items_card.shown.connect(self._show_item)
        self.items_card.filtered.connect(self._filter_answers)
        self.items_card.saved.connect(self._save_answers)
        self.items = self.items_card.table
        self.board.table.row_activated.connect(self.go_to_answers)
        self.panel = ResponsePanel(self.theme, context.actions.keys("results.label"), self.session.drafts)
        self.panel.other_chosen.connect(self._show_other)
        self.panel.other_opened.connect(self._show_item)
        self.panel.labelled.connect(self._label)
        self.panel.sent_back.connect(self._send_back)
        self.panel.item_opened.connect(self._open_item)
        self.empty = EmptyState(
            self.theme,
            "ph.chart-bar",
            tr("No result yet"),
            tr("Ask a model or score recorded responses on the Runs page; the leaderboard appears here."),
            tr("Go to Runs"),
        )
        self.empty.acted.connect(self._go_to_runs)
        self.below = make_splitter(Qt.Orientation.Horizontal, self.items_card, self.panel, sizes=(420, 720))
        self.down = make_splitter(Qt.Orientation.Vertical, self.board, self.below, sizes=(400, 380))
        self.stack = make_stack(self.down, self.empty, kind=CurrentStack)
        arrange(QVBoxLayout(self), self.bar, (self.stack, 1), margins=(0, 8, 12, 8))

    # -- what the window asks -------------------------------------------------------------------------------------

    def activate(self) -> None:
        """Make the table that is asked for, off the main thread."""
        work = partial(load_view, self.store, self.bar.read_request(), self.shown.data if self.shown else None)
        self.session.run("cpu", work, self._show_view, self._refused, latest="results")

    def refresh(self, changes: Changes) -> None:
        """Read again when a run ended, a score changed or a release was made."""
        if changes.nouns & {"run", "score", "release", "response", "published"}:
            self._again = self._target or self._again
            self.shown = self._target = None
            self.activate()
        elif changes.nouns & {"error_label", "decision"} and self.panel.found is not None:
            self._explain(self._response)
            if self.board.shown is not None and self.board.shown.name == "errors":
                self.activate()

    def handlers(self) -> dict[str, Callable[[], object]]:
        """Return the export, and what labels failed responses and settles verdicts in doubt."""
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
        """Show the response that a note is about, among all answers to its item."""
        self._response = draft.key.item_id
        self._again = Target("item", id=draft.subject_id)
        self.activate()

    def show_subject(self, subject_id: str) -> None:
        """Show a run in the leaderboard of its release: on this page the subjects are runs."""
        self.session.run("read", partial(_find_run, self.store, subject_id), self._show_run)

    def state(self) -> dict[str, Any]:
        """Return the pins."""
        return {"pins": sorted(self.board.pins)}

    def restore(self, state: dict[str, Any]) -> None:
        """Take the pins back."""
        pins = state.get("pins")
        if isinstance(pins, list):
            self.board.pins = {str(name) for name in pins}

    # -- the table ------------------------------------------------------------------------------------------------

    def _show_view(self, shown: ResultView | None) -> None:
        self.shown = shown
        filled = shown is not None and bool(shown.labels)
        self.stack.setCurrentIndex(0 if filled else 1)
        self.bar.setVisible(filled)
        if shown is None or not filled:
            return
        self.bar.offer(shown.versions, shown.version, shown.protocols, shown.models, shown.pair, shown.published)
        self._make_room()
        if shown.table is None:
            self.board.show_problem(self.bar.table.currentText(), shown.problem)
            return
        self.board.show_table(shown.table)
        chosen = self.board.table.currentIndex().isValid()
        if not chosen and (self._target is None or self.items.row_count() == 0):
            self.board.table.select(0)
        again, self._again = self._again, None
        if again is not None:
            self._open(again)
        self._choose_run()

    def _show_run(self, run: RunRow | None) -> None:
        if run is not None:
            self._run = run.id
            self.bar.show_release(run.version)

    def _choose_run(self) -> None:
        """Choose the row of the run that was asked for, or say why it has none."""
        run, self._run = self._run, ""
        if not run or self.shown is None or self.board.choose_run(run):
            return
        if any(older.id == run for older in self.shown.older):
            self.session.say(tr("A newer run of this model counts here. “Compare two” shows the two side by side."))
        else:
            self.session.say(tr("This run has not ended, so it does not count yet."))

    def _make_room(self) -> None:
        """Leave the figure the whole page; published tables have no responses below either.

        Where there is no room beside the answers, the one chosen stands below them.
        """
        self.below.setOrientation(Qt.Orientation.Vertical if self.theme.is_cramped else Qt.Orientation.Horizontal)
        self.below.setVisible(self.shown is not None and self.shown.data is not None and not self.board.has_figure_face)
        self.save.setEnabled(self.board.shown is not None)

    def _refused(self, failure: Failure) -> None:
        self.board.show_problem(self.bar.table.currentText(), failure.message)

    def _filter(self) -> None:
        self.board.set_filter(self.bar.filter.text())

    def _ask_scores(self) -> None:
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
        """Compare the run of the chosen row with the one before it, of the same model and protocol."""
        run = self._target.run_id if self._target is not None else ""
        name, before = self.shown.run_before(run) if self.shown is not None else ("", "")
        if before:
            self.compare(name, before)
        elif name:
            self.session.say(tr("{name} has no earlier run on this release.", name=name))
        else:
            self.session.say(tr("Choose the row of a model first."))

    # -- the way down ---------------------------------------------------------------------------------------------

    def _open(self, target: Target) -> None:
        if target != self._target:
            self._list_answers(target)

    def _list_answers(self, target: Target) -> None:
        if self.shown is None or self.shown.listed is None:
            return
        self._target = target
        work = partial(answer_list.read_answers, self.store, self.shown.listed, target, self.items_card.read_filter())
        self.session.run(
            "read", work, partial(self._show_items, target), partial(self._no_items, target), latest="result-items"
        )

    def _no_items(self, target: Target, failure: Failure) -> None:
        self._show_items(target, ())
        self.session.say(failure.message)

    def _show_items(self, target: Target, rows: tuple[ItemScoreRow, ...]) -> None:
        same = [at for at, row in enumerate(rows) if row.response_id == self._response]
        own = [at for at, row in enumerate(rows) if target.run_id and row.run_id == target.run_id]
        self.items_card.show_rows(
            self._heading(target, rows),
            rows,
            by_model=target.kind == "item",
            chosen=next(iter((*same, *own)), 0),
            asked=self._asked(target),
        )
        if not rows:
            self.panel.clear()

    def _filter_answers(self) -> None:
        """List the answers that fit the filter; a link that was pasted leads to its answer."""
        link = _LINK.search(self.items_card.words.text())
        if link is not None:
            self.items_card.clear_filter()
            self.session.run("read", partial(responses.item_of, self.store, link[0]), partial(self._follow, link[0]))
        elif self._target is not None:
            self._list_answers(self._target)

    def _follow(self, response_id: str, subject_id: str) -> None:
        self._response = response_id
        self._list_answers(Target("item", id=subject_id))

    def _copy_link(self) -> None:
        if self.panel.found is not None:
            command = ["annotator", "results", "answer", self.store.place.name, self._response]
            QGuiApplication.clipboard().setText(shlex.join(command))
            self.session.say(tr("The link is on the clipboard. Paste it into the search above the answers."))

    def go_to_answers(self, _row: object = None) -> None:
        """Put the keyboard into the list of answers that the chosen cell stands for."""
        if self.items.row_count():
            self.items.setFocus()

    def _next_failed(self) -> None:
        if not self.items_card.next_failed():
            self.session.say(tr("Every answer listed has passed."))

    def _save_answers(self) -> None:
        proposed = file_dialogs.beside_project(self.session, "answers.jsonl")
        path = file_dialogs.choose_new_file(self, tr("Save the answers"), proposed, translate_word(_ANSWER_FILES))
        if path is not None:
            self.save_answers_to(path)

    def save_answers_to(self, path: Path) -> None:
        """Write the selected answers, or all listed, off the main thread."""
        work = partial(write_answers, self.store, self.items_card.chosen_rows(), path)
        self.session.start_job(tr("Writing {name}", name=path.name), work, summary=partial(_describe_file, path))

    def _asked(self, target: Target) -> str:
        """Return when the run of a cell began, empty for a cell of several runs."""
        entries = self.shown.listed.entries if self.shown is not None and self.shown.listed is not None else ()
        return next((entry.run.created_at for entry in entries if entry.run.id == target.run_id), "")

    def _heading(self, target: Target, rows: tuple[ItemScoreRow, ...]) -> str:
        if target.kind == "item":
            return rows[0].title if rows else tr("Item")
        name = next(
            (label for label, run in (self.shown.runs if self.shown else ()) if run == target.run_id), tr("Items")
        )
        if target.kind == "doubt":
            return tr("Answers in doubt")
        if target.kind == "failed":
            return tr("{name} · failed", name=name) + (f" · {target.value or tr('not labelled')}" if target.by else "")
        return f"{name} · {target.value}" if target.value else name

    def _show_item(self, row: ItemScoreRow) -> None:
        self._explain(row.response_id)

    def _explain(self, response_id: str) -> None:
        self._response = response_id
        if self.shown is not None:
            work = partial(explain_response, self.store, response_id, self.shown.listed)
            self.session.run("cpu", work, self._show_response, latest="result-response")

    def _show_response(self, found: tuple[Explanation, tuple[LabelChoice, ...]]) -> None:
        self.panel.offer_labels(found[1])
        blind = self._target is not None and self._target.kind == "doubt"
        self.panel.show_response(found[0], blind=blind)

    def _show_other(self, row: ItemScoreRow) -> None:
        work = partial(response_explanation.compare_answers, self.store, self._response, row.response_id)
        self.session.run("read", work, self.panel.show_other, latest="result-other")

    # -- acts -----------------------------------------------------------------------------------------------------

    def _label(self, word: str, note: str) -> None:
        found = self.panel.found
        if found is not None:
            work = partial(error_labels.label, self.store, [found.detail.response_id], word, note)
            self.session.act(work, partial(self._labelled, found.detail.response_id, note, bool(word)))

    def choose_label(self) -> None:
        """Open the labels below the response: a digit labels it and goes on to the next."""
        if self.panel.found is not None:
            menu = self.panel.label_menu()
            menu.popup(self.panel.label_add.mapToGlobal(self.panel.label_add.rect().topLeft()))

    def show_failed(self) -> None:
        """Go through the failed responses of the model shown that nobody has labelled yet, beside the reference."""
        target = self._target
        run = target.run_id if target is not None else ""
        runs = self.shown.runs if self.shown else ()
        if run or runs:
            self.panel.faces.choose(DIFF)
            self.items_card.clear_filter()
            self._list_answers(Target("failed", run or runs[0][1], "label", ""))

    def show_doubt(self) -> None:
        """Go through the answers of all runs whose verdict was in doubt, those that nobody has settled first."""
        self.panel.faces.choose(ANSWER)
        self.items_card.clear_filter()
        self._list_answers(Target("doubt"))

    def settle(self, verdict: str) -> None:
        """Ask why the answer shown passes or fails, and let it; the model's name must not be on screen."""
        found = self.panel.found
        if found is None or not found.detail.in_doubt:
            self.session.say(tr("The verdict of this answer is not in doubt."))
            return
        if self._target is None or self._target.kind != "doubt":
            self.show_doubt()
            self.session.say(
                tr("Verdicts are settled without the model's name. Press the key again to settle this one.")
            )
            return
        response = found.detail.response_id
        title = tr("The answer passes") if verdict == "pass" else tr("The answer fails")
        reason = ask_text(
            self, self.theme, self.session.drafts, title, tr("Why? The reason stands beside the verdict."),
            name="results.settle", item_id=response, subject_id=found.subject_id,
        )  # fmt: skip
        if reason is not None:
            self.session.act(partial(settlements.settle, self.store, response, verdict, reason), self._settled)

    def _settled(self, changes: Changes) -> None:
        self.session.say(tr("{label}. Undo takes it back.", label=tr_message(changes.label)))

    def _labelled(self, response_id: str, note: str, given: bool, _changes: Changes) -> None:
        """After a label was given, show the next failed response of the list."""
        self.panel.draft.clear(response_id, note)
        if given and self._target is not None and self._target.kind == "failed":
            self.items.select(min(self.items.currentIndex().row() + 1, self.items.row_count() - 1))

    def _send_back(self) -> None:
        if self.panel.found is not None:
            self._send_items([self.panel.found.subject_id])

    def _send_items(self, subject_ids: list[str]) -> None:
        data = self.shown.data if self.shown is not None else None
        self.others.act(partial(health.send_back, self.store, subject_ids, data=data), self._sent)

    def _sent(self, changes: Changes) -> None:
        self.session.say(tr("{label}. Undo takes it back.", label=tr_message(changes.label)))

    def _open_item(self) -> None:
        if self.panel.found is not None:
            self.go_to.emit(Destination("Criterion", self.panel.found.subject_id))

    def export(self) -> None:
        """Ask for a file and write what is on screen: its ending says how."""
        name = self.board.shown.name if self.board.shown else "results"
        proposed = file_dialogs.beside_project(self.session, f"{name}.csv")
        path = file_dialogs.choose_new_file(self, tr("Save the results"), proposed, translate_word(_FILES))
        if path is not None:
            self.export_to(path)

    def export_to(self, path: Path) -> None:
        """Write the table or figure on screen, or the whole report, off the main thread."""
        table = self._as_shown()
        if table is not None:
            work = partial(write_results, self.store, table, path, self.bar.read_request())
            self.session.start_job(tr("Writing {name}", name=path.name), work, summary=partial(_describe_file, path))

    def _as_shown(self) -> Table | None:
        """Return the table with the rows that are on screen."""
        found = self.board.shown
        return None if found is None else found.with_rows(self.board.rows())

    def _go_to_runs(self) -> None:
        self.go_to.emit(Destination("Runs"))


def _find_run(store: ProjectFile, run_id: str) -> RunRow | None:
    return next((run for run in run_list.list_runs(store) if run.id == run_id), None)


def write_answers(store: ProjectFile, rows: list[ItemScoreRow], path: Path, progress: Progress) -> None:
    """Write answers into a file, as its ending says."""
    answer_list.write_answers(store, rows, path)
    progress.report(len(rows), len(rows), "done")


def explain_response(
    store: ProjectFile, response_id: str, data: ResultData | None
) -> tuple[Explanation, tuple[LabelChoice, ...]]:
    """Return a response with everything that explains its score, and the error labels to choose from."""
    return response_explanation.explain_response(store, response_id, data), error_labels.choices(store)


def write_results(store: ProjectFile, table: Table, path: Path, wanted: TableRequest, progress: Progress) -> None:
    """Write a table, its figure, or the report of everything, by the file's ending."""
    kind = path.suffix.lower()
    if kind in (".html", ".htm"):
        options = TableOptions(by=wanted.by if wanted.by != "metric" else "domain", threshold=wanted.threshold)
        report.write_report(
            store, path, wanted.version or None, options, protocol=wanted.protocol or None, progress=progress
        )
    elif kind in (".svg", ".pdf", ".png"):
        figures.write(table, path)
    else:
        write_table(table, path)


def _describe_file(path: Path, _result: object) -> str:
    return tr("{name} was written.", name=path.name)
