"""The page Judge: compare blind pairs by keyboard, and see the results of a study."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtWidgets import QComboBox, QDialog, QProgressBar, QSizePolicy

from annotator.model.changes import Changes
from annotator.model.rows.draft_rows import Draft
from annotator.model.rows.judging_rows import RaterBatch
from annotator.model.rows.queue_rows import AnnotatorRow, StudyRow
from annotator.services.judge import agreement, blind_judging, model_pairs, rater_changes, study_files
from annotator.services.judge.agreement import StudyReport, TextTable
from annotator.services.judge.blind_judging import JudgingQueue, MapCheck, NewStudy
from annotator.services.judge.rater_changes import Handover
from annotator.services.judge.side_order import ServingPlan
from annotator.services.project import members
from annotator.store.file.project_file import ProjectFile
from annotator.ui.app.base_page import Page, PageContext
from annotator.ui.app.session.session_notices import WorkFailure
from annotator.ui.app.translation import tr, tr_count, tr_message
from annotator.ui.pages.judge.pair_panel import PairPanel
from annotator.ui.pages.judge.study_dialog import HandoverDialog, StudyDialog
from annotator.ui.pages.judge.study_tables import OwnVerdicts, StudyTables
from annotator.ui.widgets.card import Card, EmptyState
from annotator.ui.widgets.draft_field import ask_on_page
from annotator.ui.widgets.fields import choice_box
from annotator.ui.widgets.labels import ElidedLabel, Segments, button, label
from annotator.ui.widgets.layouts import CurrentStack, FlowRow, fill_column, make_stack

JUDGE, RESULTS, MINE = 0, 1, 2
_BREAK_MINUTES = 45
"""Minutes of judging after which the page suggests a break."""
_BAR_WIDTH = 80


class JudgePage(Page):
    """Shows one anonymous pair at a time, the results, and the rater's own verdicts."""

    name = "Judge"
    icon = "ph.scales"

    def __init__(self, context: PageContext) -> None:
        """Build the head, the pair, the tables and the list of own verdicts."""
        super().__init__(context)
        self.judging_queue: JudgingQueue | None = None
        self._is_saving = False
        self._started_at: float | None = None
        self._unsealed_batches: tuple[RaterBatch, ...] = ()
        self.study = choice_box(tr("Study"))
        self.study.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.study.setMaximumWidth(320)
        self.study.activated.connect(self._load)
        self.faces = Segments(tr("View"), (tr("Judge"), tr("Results"), tr("Your verdicts")), selected=self._show_face)
        self.count = ElidedLabel("dim", QSizePolicy.Policy.Maximum)
        self.bar = QProgressBar()
        self.bar.setAccessibleName(tr("Pairs judged"))
        self.bar.setTextVisible(False)
        self.break_hint = label("", "dim", wrap=True)
        self.break_hint.hide()
        self.new_button = button(tr("New study…"), clicked=self.new_study)
        self.panel = PairPanel(self.theme, context.actions, self.session.drafts)
        self.panel.verdict_chosen.connect(self._judge)
        self.empty = EmptyState(
            self.theme,
            "ph.scales",
            tr("No pairs to judge yet"),
            tr(
                "A study shows two texts for the same subject side by side, without names and in random order: "
                "answers of two models, paraphrases by a person and a model, or a text before and after a change."
            ),
            tr("New study…"),
        )
        self.empty.acted.connect(self.new_study)
        self.finished_state = EmptyState(
            self.theme, "ph.check-circle", tr("All your pairs are judged"), "", tr("Seal the batch")
        )
        self.finished_state.acted.connect(self._finish_batch)
        self.tables = StudyTables(self.theme)
        self.tables.unblind_requested.connect(self.ask_to_unblind)
        self.tables.check_requested.connect(self.verify)
        self.own_verdicts = OwnVerdicts(self.theme)
        faces = (self.panel, self.finished_state, self.empty, self.tables, self.own_verdicts)
        self.stack = make_stack(*faces, kind=CurrentStack)
        # In a narrow window the head wraps to two rows.
        self.bar.setFixedWidth(_BAR_WIDTH)
        self.head = Card(
            "", FlowRow(self.study, self.faces, self.bar, self.count, self.new_button, spacing=12), self.break_hint
        )
        fill_column(self, self.head, (self.stack, 1), spacing=12, margin=(0, 8, 12, 8))

    # -- page interface -------------------------------------------------------------------------------------------

    def activate(self) -> None:
        """Load the study and its next pairs."""
        self._started_at = time.monotonic()
        self.panel.setFocus()
        self._load()

    def refresh(self, changes: Changes) -> None:
        """Reload when studies, pairs, judgements or the current person changed."""
        if changes.nouns & {"study", "pair", "judgement", "resolution", "annotator"}:
            self._load()

    def show_draft(self, draft: Draft) -> None:
        """Show the pair that a drafted rationale is about."""
        if draft.key.field == self.panel.draft.name:
            self.faces.choose(JUDGE)
            work = partial(blind_judging.load_judging_queue, self.store, first=draft.key.item_id)
            self.session.run("read", work, self._show_state, latest="judge-state")

    def handlers(self) -> dict[str, Callable[[], object]]:
        """Return the page's handlers by action id."""
        return {
            "judge.first": partial(self._choose_verdict, "1"),
            "judge.second": partial(self._choose_verdict, "2"),
            "judge.tie": partial(self._choose_verdict, "tie"),
            "judge.both_bad": partial(self._choose_verdict, "both_bad"),
            "select.undo": self.session.undo,
            "judge.rationale": self.panel.rationale.setFocus,
            "judge.new": self.new_study,
            "judge.skip": self.ask_to_skip,
            "judge.take_up": self.take_up,
            "judge.hand_over": self.ask_to_hand_over,
        }

    def _load(self) -> None:
        work = partial(blind_judging.load_judging_queue, self.store, self.study.currentData())
        self.session.run("read", work, self._show_state, latest="judge-state")

    def _show_state(self, state: JudgingQueue) -> None:
        self.judging_queue = state
        self.study.clear()
        for row in state.studies:
            study_title = tr_count("{name} ({count} pair)", "{name} ({count} pairs)", row.pairs, name=row.name)
            self.study.addItem(study_title, row.id)
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
        self.count.set_full(_count_text(study))
        self._show_pair()
        self._show_face(self.faces.current)

    def _show_pair(self) -> None:
        state = self.judging_queue
        if state is None or state.study is None:
            return
        pair = state.pairs[0] if state.pairs else None
        self.panel.show_pair(pair, state.study.guidelines)
        if pair is None:
            button_text = tr("Show the results") if state.study.ended else tr("Seal the batch")
            self.finished_state.set_text(*_finished_texts(state.study), button_text)
            self.finished_state.button.setVisible(bool(state.study.mine))
        minutes = int((time.monotonic() - (self._started_at or time.monotonic())) / 60)
        self.break_hint.setVisible(minutes >= _BREAK_MINUTES)
        self.break_hint.setText(
            tr("You have judged for {minutes} min. A short break keeps your verdicts consistent.", minutes=minutes)
        )

    def _show_face(self, number: int) -> None:
        if number == RESULTS:
            self.stack.setCurrentWidget(self.tables)
            self._load_report()
            return
        if number == MINE:
            self.stack.setCurrentWidget(self.own_verdicts)
            work = partial(blind_judging.my_verdicts, self.store, self.study.currentData())
            self.session.run("read", work, self.own_verdicts.show_verdicts, latest="judge-mine")
            return
        has_pairs = self.judging_queue is not None and bool(self.judging_queue.pairs)
        if not has_pairs and self.stack.currentWidget() is self.panel:
            # Otherwise Qt would focus the button that seals the batch, and a key meant for a pair would press it.
            self.faces.focus()
        self.stack.setCurrentWidget(self.panel if has_pairs else self.finished_state)

    # -- judging --------------------------------------------------------------------------------------------------

    def _choose_verdict(self, choice: str) -> None:
        if self.stack.currentWidget() is self.panel and not self._is_saving:
            self.panel.choose(choice)

    def _judge(self, choice: str) -> None:
        pair = self.panel.pair
        if pair is None or self._is_saving:
            return
        self._is_saving = True
        seconds, rationale = round(self.panel.stopwatch.seconds, 1), self.panel.rationale.toPlainText()
        work = partial(blind_judging.judge_pair, self.store, pair.assignment_id, choice, rationale, seconds)
        self.session.act(work, partial(self._advance, pair.assignment_id), self._show_judging_failure, text=rationale)

    def _advance(self, assignment_id: str, _changes: Changes) -> None:
        self._is_saving = False
        self.panel.draft.finish(assignment_id)
        state = self.judging_queue
        if state is not None and len(state.pairs) > 1:
            # The next pair is loaded already; the following reload adds the one after it.
            self.judging_queue = replace(state, pairs=state.pairs[1:])
            self._show_pair()

    def _show_judging_failure(self, failure: WorkFailure) -> None:
        self._is_saving = False
        self.session.failed.emit(failure)

    def ask_to_skip(self) -> None:
        """Ask why to skip the current pair, and skip it."""
        pair = self.panel.pair
        if pair is None or self.stack.currentWidget() is not self.panel or self._is_saving:
            return
        question = tr("A skipped pair is no verdict. You can take it up again until the batch is sealed. Why skip it?")
        reason = ask_on_page(self, tr("Skip the pair"), question, name="judge.skip", item_id=pair.assignment_id)
        if reason is not None:
            self.skip(reason)

    def skip(self, reason: str) -> None:
        """Skip the current pair."""
        pair = self.panel.pair
        if pair is not None and not self._is_saving:
            self._is_saving = True
            work = partial(rater_changes.skip_pair, self.store, pair.assignment_id, reason)
            self.session.act(work, partial(self._advance, pair.assignment_id), self._show_judging_failure, text=reason)

    def take_up(self) -> None:
        """Return the skipped pairs to the queue."""
        self.session.act(partial(rater_changes.take_up_skipped, self.store, self.study.currentData()))

    def _finish_batch(self) -> None:
        """Seal the batch, or show the results of an ended study."""
        state = self.judging_queue
        if state is not None and state.study is not None and state.study.ended:
            self.faces.choose(RESULTS)
        else:
            self.seal()

    def seal(self) -> None:
        """Seal the batch, which makes its verdicts final."""
        self.session.act(partial(blind_judging.seal_own_batch, self.store, self.study.currentData()))

    # -- studies --------------------------------------------------------------------------------------------------

    def new_study(self) -> None:
        """Open the form of a new study and create it."""
        self.session.run("read", partial(_load_choices, self.store), self._ask_for_study)

    def _ask_for_study(self, choices: tuple[tuple[AnnotatorRow, ...], tuple[str, ...]]) -> None:
        dialog = StudyDialog(*choices, parent=self, creator=self.store.annotator.name)
        if dialog.exec() == QDialog.DialogCode.Accepted:
            self.make_study(dialog)
        dialog.deleteLater()

    def make_study(self, dialog: StudyDialog) -> None:
        """Create the study described by a form."""
        sides = ("a", "b") if dialog.file else (str(dialog.side_a.currentData()), str(dialog.side_b.currentData()))
        plan_number = dialog.number.value()
        base_plan = ServingPlan(plan=dialog.plan.currentData(), repeats=dialog.repeats.value() / 100)
        is_overlap = base_plan.plan == "overlap"
        plan = (
            replace(base_plan, overlap=plan_number / 100)
            if is_overlap
            else replace(base_plan, raters_per_pair=plan_number, pairs_per_rater=plan_number)
        )
        study = NewStudy(
            name=dialog.name.text().strip(),
            kind=dialog.kind.currentData(),
            name_a=sides[0],
            name_b=sides[1],
            raters=dialog.raters.ticked_names,
            plan=plan,
            guidelines=dialog.guidelines.text().strip(),
        )
        keys = tuple(dialog.subjects.text().split())
        self.session.act(partial(_create_study, self.store, study, dialog.file, keys), self._show_new_study)

    def ask_to_hand_over(self) -> None:
        """Open the form that gives an absent rater's open pairs to another person."""
        if self.study.currentData():
            self.session.run("read", partial(_load_choices, self.store), self._ask_for_new_rater)

    def _ask_for_new_rater(self, choices: tuple[tuple[AnnotatorRow, ...], tuple[str, ...]]) -> None:
        study = self.judging_queue.study if self.judging_queue is not None else None
        if study is None:
            return
        dialog = HandoverDialog(study.raters, [person.name for person in choices[0]], parent=self)
        if dialog.exec() == QDialog.DialogCode.Accepted:
            self.hand_over(dialog.giver.currentData(), dialog.taker.currentData(), dialog.reason.text())
        dialog.deleteLater()

    def hand_over(self, giver: str, taker: str, reason: str) -> None:
        """Give the open pairs of one rater to another person."""
        work = partial(rater_changes.hand_over_pairs, self.store, self.study.currentData(), giver, taker, reason)
        self.session.act(work, self._show_handover)

    def _show_handover(self, result: Handover) -> None:
        texts = [tr_message(result.changes.label)]
        if result.shared:
            texts.append(
                tr_count(
                    "{count} pair stays, as the new rater has it anyway.",
                    "{count} pairs stay, as the new rater has them anyway.",
                    result.shared,
                )
            )
        if result.dropped:
            texts.append(
                tr_count(
                    "{count} repeated pair is not shown a second time.",
                    "{count} repeated pairs are not shown a second time.",
                    result.dropped,
                )
            )
        self.session.say(". ".join(text.rstrip(".") for text in texts) + ".")

    def _show_new_study(self, result: tuple[str, Changes]) -> None:
        self.session.say(tr("{label} is ready.", label=tr_message(result[1].label)))
        self.study.addItem("", result[0])
        self.study.setCurrentIndex(self.study.count() - 1)
        self._load()

    # -- results --------------------------------------------------------------------------------------------------

    def _load_report(self) -> None:
        if study := self.study.currentData():
            work = partial(_load_report_tables, self.store, study)
            self.session.run("cpu", work, self._show_report, self.tables.show_failure, latest="judge-report")

    def _show_report(self, loaded: tuple[StudyReport, list[str], tuple[TextTable, ...]]) -> None:
        report, notes, sections = loaded
        name_a, name_b = report.names
        judged, pairs = report.judged_pairs, report.pairs - report.identical
        self._unsealed_batches = report.unsealed
        heading = tr_count(
            "{one} against {other}: {judged} of {count} pair judged; {done} of {raters} raters have finished",
            "{one} against {other}: {judged} of {count} pairs judged; {done} of {raters} raters have finished",
            pairs,
            one=name_a,
            other=name_b,
            judged=judged,
            done=report.raters_done,
            raters=len(report.batches),
        )
        self.tables.show_report(heading, notes, sections, is_unblinded=report.names != ("A", "B"))

    def ask_to_unblind(self) -> None:
        """Ask for a reason and reveal the identities of A and B."""
        title, study = tr("Unblind the study"), str(self.study.currentData())
        question = tr(
            "The history will show that you unblinded it, and the study will accept no more judgements. Why now?"
        )
        if self._unsealed_batches:
            batch_list = ", ".join(
                tr("{rater} ({judged} of {served} judged)", rater=row.rater, judged=row.judged, served=row.served)
                for row in self._unsealed_batches
            )
            warning = tr("These batches are not sealed yet and will be closed: {list}.", list=batch_list)
            question = f"{warning} {question}"
        reason = ask_on_page(self, title, question, name="judge.unblinding", item_id=study)
        if reason is not None:
            self.unblind(reason)

    def unblind(self, reason: str) -> None:
        """Reveal the identities of A and B; the history records the reason."""
        study = self.study.currentData()
        self.session.act(partial(blind_judging.unblind_sides, self.store, study, reason, close_unsealed=True))

    def verify(self) -> None:
        """Check that the map of sides A and B still matches the hash that was recorded when the study was created."""
        self.session.run(
            "cpu", partial(blind_judging.verify_study, self.store, self.study.currentData()), self._show_verification
        )

    def _show_verification(self, verified: MapCheck) -> None:
        word = tr("verified: the map, pairs and orders match the commitment") if verified.ok else tr("not verified")
        self.session.say(tr("The commitment {commitment}… {word}.", commitment=verified.commitment[:16], word=word))


def _count_text(study: StudyRow) -> str:
    if not study.mine:
        return tr("not assigned to you")
    progress_text = tr("{done} of {mine} judged", done=study.done, mine=study.mine)
    if study.skipped:
        progress_text = f"{progress_text} · {tr('{count} skipped', count=study.skipped)}"
    if not study.identical:
        return progress_text
    identical_text = tr_count(
        "{count} is the same on both sides", "{count} are the same on both sides", study.identical
    )
    return f"{progress_text} · {identical_text}"


def _finished_texts(study: StudyRow) -> tuple[str, str]:
    if not study.mine:
        return tr("No pair is assigned to you"), tr(
            "The study {name} is judged by {list}.", name=study.name, list=", ".join(study.raters)
        )
    if study.unblinded and study.done < study.mine:
        return tr("This study was unblinded"), tr("It accepts no more judgements. See the results.")
    if study.sealed:
        return tr("This batch is sealed"), tr("Thank you. Results shows the outcome of the study.")
    if study.skipped:
        title = tr_count(
            "{count} pair is skipped, all others are judged", "{count} pairs are skipped, all others are judged",
            study.skipped,
        )  # fmt: skip
        return title, tr(
            "Take up skipped pairs, in the menu Page, shows them again. Sealing the batch makes your verdicts final."
        )
    return tr("All your pairs are judged"), tr("You can still undo. Sealing the batch makes your verdicts final.")


def _load_choices(store: ProjectFile) -> tuple[tuple[AnnotatorRow, ...], tuple[str, ...]]:
    return members.list_annotators(store), blind_judging.models_with_responses(store)


def _load_report_tables(store: ProjectFile, study: str) -> tuple[StudyReport, list[str], tuple[TextTable, ...]]:
    report = agreement.study_report(store, study)
    notes, sections = agreement.study_notes(report), agreement.study_tables(report)
    if report.kind == "response":
        models = model_pairs.compare_models(store)
        return report, notes + model_pairs.model_pair_notes(models), sections + model_pairs.model_pair_tables(models)
    return report, notes, sections


def _create_study(store: ProjectFile, study: NewStudy, file: Path | None, keys: tuple[str, ...]) -> tuple[str, Changes]:
    sides = (study.kind, study.name_a, study.name_b)
    if file is not None:
        pairs = study_files.read_candidate_pairs(store, file)
    elif keys:
        pairs = blind_judging.candidate_pairs(store, *sides, keys)
    else:
        pairs = blind_judging.candidate_pairs_of_accepted(store, *sides)
    return blind_judging.create_blind_study(store, study, pairs)
