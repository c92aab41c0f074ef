"""Judge: blind pairs by keyboard, and what came of a study."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QHBoxLayout,
    QInputDialog,
    QProgressBar,
    QStackedWidget,
    QVBoxLayout,
)

from annotator.model.judging_rows import PairView, StudyRow
from annotator.model.rows import AnnotatorRow, Changes
from annotator.ui.notices import Failure
from annotator.ui.page import Page, PageContext
from annotator.ui.pages.parts.pair_panel import PairPanel
from annotator.ui.pages.parts.study_dialog import StudyDialog
from annotator.ui.pages.parts.study_tables import StudyTables
from annotator.ui.widgets.card import Card
from annotator.ui.widgets.empty_state import EmptyState
from annotator.ui.widgets.labels import button, label
from annotator.ui.widgets.segments import Segments
from annotator.ui.words import tr

if TYPE_CHECKING:
    from annotator.services.agreement_tables import Section
    from annotator.services.judging import NewStudy, Verified

JUDGE, RESULTS = 0, 1
BREAK_MINUTES = 45


@dataclass(frozen=True, slots=True)
class JudgeState:
    """Everything the page shows of the judging itself."""

    studies: tuple[StudyRow, ...]
    study: StudyRow | None
    pairs: tuple[PairView, ...]


class JudgePage(Page):
    """One pair at a time, without names; the tables behind."""

    name = "Judge"
    icon = "ph.scales"

    def __init__(self, context: PageContext) -> None:
        """Put the head, the pair and the tables together."""
        super().__init__(context)
        self.state_shown: JudgeState | None = None
        self._busy = False
        self._began: float | None = None
        self.study = QComboBox()
        self.study.setAccessibleName(tr("Study"))
        self.study.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.study.setMaximumWidth(320)
        self.study.activated.connect(self._choose_study)
        self.faces = Segments(tr("Face"), (tr("Judge"), tr("Results")))
        self.faces.chosen.connect(self._show_face)
        self.count = label("", "dim")
        self.bar = QProgressBar()
        self.bar.setAccessibleName(tr("Pairs judged"))
        self.bar.setTextVisible(False)
        self.pause = label("", "dim", wrap=True)
        self.pause.hide()
        self.new = button(tr("New study…"))
        self.new.clicked.connect(self.new_study)
        self.panel = PairPanel(self.theme, context.actions)
        self.panel.judged.connect(self._judge)
        self.empty = EmptyState(
            self.theme,
            "ph.scales",
            tr("No pairs to judge yet"),
            tr(
                "A study puts two texts for the same subject side by side, without names and in an order drawn by "
                "chance: answers of two models, a human and a model's paraphrase, before and after."
            ),
            tr("New study…"),
        )
        self.empty.acted.connect(self.new_study)
        self.finished = EmptyState(
            self.theme, "ph.check-circle", tr("All your pairs are judged"), "", tr("Seal the batch")
        )
        self.finished.acted.connect(self.seal)
        self.tables = StudyTables(self.theme)
        self.tables.unblind_wanted.connect(self.ask_to_unblind)
        self.tables.verify_wanted.connect(self.verify)
        self.stack = QStackedWidget()
        for widget in (self.panel, self.finished, self.empty, self.tables):
            self.stack.addWidget(widget)
        self._lay_out()

    def _lay_out(self) -> None:
        self.head = Card()
        row = QHBoxLayout()
        row.setSpacing(12)
        row.addWidget(self.study)
        row.addWidget(self.faces)
        row.addWidget(self.bar, 1)
        row.addWidget(self.count)
        row.addWidget(self.new)
        self.head.body.addLayout(row)
        self.head.body.addWidget(self.pause)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 8, 12, 8)
        layout.setSpacing(12)
        layout.addWidget(self.head)
        layout.addWidget(self.stack, 1)

    # -- life -----------------------------------------------------------------------------------------------------

    def activate(self) -> None:
        """Load the study and its next pairs; the time on the pair goes on."""
        self._began = time.monotonic()
        self.panel.watch.go_on()
        self.panel.setFocus()
        self._load()

    def deactivate(self) -> None:
        """Stop the time while another page is shown."""
        self.panel.watch.pause()

    def refresh(self, changes: Changes) -> None:
        """Load again when somebody judged, made a study, or became somebody else."""
        if changes.nouns & {"study", "pair", "judgement", "annotator"}:
            self._load()

    def actions(self) -> dict[str, Callable[[], object]]:  # type: ignore[override]  # see Page.actions
        """Return the verdicts."""
        return {
            "judge.first": partial(self._verdict, "1"),
            "judge.second": partial(self._verdict, "2"),
            "judge.tie": partial(self._verdict, "tie"),
            "judge.both_bad": partial(self._verdict, "both_bad"),
            "select.undo": self.undo,
            "judge.rationale": self._go_to_rationale,
            "judge.new": self.new_study,
        }

    def _load(self) -> None:
        store = self.session.store
        if store is not None:
            self.session.run("read", partial(_state, store, self.study.currentData()), self._take, latest="judge-state")

    def _take(self, state: JudgeState) -> None:
        self.state_shown = state
        self.study.clear()
        for row in state.studies:
            self.study.addItem(tr("{name} ({pairs} pairs)", name=row.name, pairs=row.pairs), row.id)
        study = state.study
        for widget in (self.study, self.faces, self.bar, self.count):
            widget.setVisible(study is not None)
        if study is None:
            self.head.hide()
            self.panel.show_pair(None, "")
            self.stack.setCurrentWidget(self.empty)
            return
        self.head.show()
        self.study.setCurrentIndex(self.study.findData(study.id))
        self.bar.setMaximum(max(1, study.mine))
        self.bar.setValue(study.done)
        self.count.setText(
            tr("{done} of {mine} judged", done=study.done, mine=study.mine) if study.mine else tr("not assigned to you")
        )
        self._show_pair()
        self._show_face(self.faces.current)

    def _show_pair(self) -> None:
        state = self.state_shown
        if state is None or state.study is None:
            return
        pair = state.pairs[0] if state.pairs else None
        self.panel.show_pair(pair, state.study.guidelines)
        if pair is None:
            self.finished.set_text(*_finished_texts(state.study))
            self.finished.button.setVisible(bool(state.study.mine) and not state.study.sealed)
        self._remind()

    def _remind(self) -> None:
        minutes = int((time.monotonic() - (self._began or time.monotonic())) / 60)
        self.pause.setVisible(minutes >= BREAK_MINUTES)
        self.pause.setText(
            tr("You have judged for {minutes} min. A short break keeps your verdicts steady.", minutes=minutes)
        )

    def _show_face(self, number: int) -> None:
        if number == RESULTS:
            self.stack.setCurrentWidget(self.tables)
            self._load_report()
            return
        waiting = self.state_shown is not None and bool(self.state_shown.pairs)
        self.stack.setCurrentWidget(self.panel if waiting else self.finished)

    def _choose_study(self, _index: int) -> None:
        self._load()

    # -- judging --------------------------------------------------------------------------------------------------

    def _verdict(self, choice: str) -> None:
        if self.stack.currentWidget() is self.panel and not self._busy:
            self.panel.choose(choice)

    def _judge(self, choice: str) -> None:
        store, pair, state = self.session.store, self.panel.pair, self.state_shown
        if store is None or pair is None or state is None or self._busy:
            return
        self._busy = True
        seconds, why = round(self.panel.watch.seconds, 1), self.panel.rationale.toPlainText()
        work = partial(_judge, store, pair.assignment_id, choice, why, seconds)
        self.session.act(work, self._judged, self._not_judged, text=why)

    def _judged(self, _changes: Changes) -> None:
        self._busy = False
        state = self.state_shown
        if state is not None and len(state.pairs) > 1:
            # The next pair is here already; the reload that follows brings the one after it.
            self.state_shown = JudgeState(state.studies, state.study, state.pairs[1:])
            self._show_pair()

    def _not_judged(self, failure: Failure) -> None:
        self._busy = False
        self.session.failed.emit(failure)

    def undo(self) -> None:
        """Take back the last act, which is the last verdict while one judges."""
        self.session.undo()

    def _go_to_rationale(self) -> None:
        self.panel.rationale.setFocus()

    def seal(self) -> None:
        """Finish the batch for good."""
        store, study = self.session.store, self.study.currentData()
        if store is not None:
            self.session.act(partial(_seal, store, study))

    # -- studies --------------------------------------------------------------------------------------------------

    def new_study(self) -> None:
        """Ask for a study and make it."""
        store = self.session.store
        if store is not None:
            self.session.run("read", partial(_choices, store), self._ask_for_study)

    def _ask_for_study(self, choices: tuple[tuple[AnnotatorRow, ...], tuple[str, ...]]) -> None:
        dialog = StudyDialog(*choices, parent=self)
        if dialog.exec() == QDialog.DialogCode.Accepted:
            self.make_study(dialog)
        dialog.deleteLater()

    def make_study(self, dialog: StudyDialog) -> None:
        """Make the study a form describes."""
        store = self.session.store
        if store is None:
            return
        sides = (str(dialog.side_a.currentData()), str(dialog.side_b.currentData()))
        form = (dialog.name.text().strip(), str(dialog.kind.currentData()), str(dialog.plan.currentData()))
        numbers = (dialog.number.value(), dialog.repeats.value() / 100)
        work = partial(_create, store, form, sides, dialog.file, dialog.chosen_raters(), numbers)
        self.session.act(work, self._made)

    def _made(self, result: tuple[str, Changes]) -> None:
        self.session.say(tr("{label} is ready.", label=result[1].label))
        self.study.addItem("", result[0])
        self.study.setCurrentIndex(self.study.count() - 1)
        self._load()

    # -- results --------------------------------------------------------------------------------------------------

    def _load_report(self) -> None:
        store, study = self.session.store, self.study.currentData()
        if store is not None and study:
            self.session.run(
                "cpu", partial(_report, store, study), self._take_report, self._no_report, latest="judge-report"
            )

    def _take_report(self, found: tuple[str, list[str], tuple[Section, ...], bool]) -> None:
        heading, notes, sections, named = found
        self.tables.show_report(heading, notes, sections, named=named)

    def _no_report(self, failure: Failure) -> None:
        self.tables.say(failure.message)

    def ask_to_unblind(self) -> None:
        """Ask why, and reveal what A and B are."""
        reason, said = QInputDialog.getText(
            self, tr("Unblind the study"), tr("Everybody will see in the history that you looked. Why now?")
        )
        if said:
            self.unblind(reason)

    def unblind(self, reason: str) -> None:
        """Reveal what A and B are; logged with the reason."""
        store, study = self.session.store, self.study.currentData()
        if store is not None:
            self.session.act(partial(_unblind, store, study, reason))

    def verify(self) -> None:
        """Compute the map's hash again."""
        store, study = self.session.store, self.study.currentData()
        if store is not None:
            self.session.run("cpu", partial(_verify, store, study), self._verified)

    def _verified(self, found: Verified) -> None:
        word = tr("holds: map, pairs and orders are those committed to") if found.ok else tr("does not hold")
        self.session.say(tr("The commitment {commitment}… {word}.", commitment=found.commitment[:16], word=word))


def _finished_texts(study: StudyRow) -> tuple[str, str]:
    if not study.mine:
        return tr("No pair is assigned to you"), tr(
            "The study {name} is judged by {list}.", name=study.name, list=", ".join(study.raters)
        )
    if study.sealed:
        return tr("This batch is sealed"), tr("Thank you. Results show what came of the study.")
    return tr("All your pairs are judged"), tr("You can still undo. Sealing the batch makes your verdicts final.")


# The store's type would load SQLModel before the first paint, so these take it as an object.


def _state(store: object, wanted: str | None) -> JudgeState:
    from annotator.services import judging

    rows = judging.studies(store)  # type: ignore[arg-type]  # see above
    study = next((row for row in rows if row.id == wanted), rows[0] if rows else None)
    pairs = judging.next_pairs(store, study.id) if study else ()  # type: ignore[arg-type]  # see above
    return JudgeState(rows, study, pairs)


def _judge(store: object, assignment_id: str, choice: str, rationale: str, seconds: float) -> Changes:
    from annotator.services import judging

    return judging.judge(store, assignment_id, choice, rationale, seconds)  # type: ignore[arg-type]  # see above


def _seal(store: object, study: str) -> Changes:
    from annotator.services import judging

    return judging.seal(store, study)  # type: ignore[arg-type]  # see above


def _choices(store: object) -> tuple[tuple[AnnotatorRow, ...], tuple[str, ...]]:
    from annotator.services import judging, projects

    return projects.annotators(store), judging.models(store)  # type: ignore[arg-type]  # see above


def _create(
    store: object, form: tuple[str, str, str], sides: tuple[str, str], file: Path | None, raters: tuple[str, ...],
    numbers: tuple[int, float],
) -> tuple[str, Changes]:  # fmt: skip
    from annotator.services import judging, judging_files
    from annotator.services.serving import ServingPlan

    name, kind, plan = form
    if file is not None:
        pairs, sides = judging_files.candidates_from_file(store, file), ("a", "b")  # type: ignore[arg-type]  # see above
    else:
        pairs = judging.candidates_of_accepted(store, kind, *sides)  # type: ignore[arg-type]  # see above
    wanted: NewStudy = judging.NewStudy(
        name, kind, *sides, raters, ServingPlan(plan, numbers[0], numbers[0], repeats=numbers[1])
    )
    return judging.create_study(store, wanted, pairs)  # type: ignore[arg-type]  # see above


def _report(store: object, study: str) -> tuple[str, list[str], tuple[Section, ...], bool]:
    from annotator.services import agreement, agreement_tables

    found = agreement.study_report(store, study)  # type: ignore[arg-type]  # see above
    judged, pairs, (one, other) = found.judged_pairs, found.pairs, found.names
    heading = tr(
        "{one} against {other}: {judged} of {pairs} pairs judged", one=one, other=other, judged=judged, pairs=pairs
    )
    return heading, agreement_tables.notes(found), agreement_tables.sections(found), found.names != ("A", "B")


def _unblind(store: object, study: str, reason: str) -> Changes:
    from annotator.services import judging

    return judging.unblind(store, study, reason)[1]  # type: ignore[arg-type]  # see above


def _verify(store: object, study: str) -> Verified:
    from annotator.services import judging

    return judging.verify(store, study)  # type: ignore[arg-type]  # see above
