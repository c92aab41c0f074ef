"""The desk: question, paraphrase, criterion, answers and proof of one accepted subject on one page."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QTextCursor, QTextDocument

from annotator.model.changes import Changes
from annotator.model.rows.draft_rows import Draft
from annotator.model.rows.queue_rows import QueueFilter, StageCounts, SubjectRow
from annotator.model.rows.view_rows import SubjectView
from annotator.model.vocabulary import Verdict
from annotator.services.consensus import aspect_reviews
from annotator.services.consensus.aspect_reviews import ReviewProgress
from annotator.services.project import projects
from annotator.services.select import triage
from annotator.ui.app.base_page import Destination
from annotator.ui.app.translation import mark_for_translation, tr, translate_word
from annotator.ui.pages.desk.criterion_step import CriterionWriting
from annotator.ui.pages.desk.paraphrase_step import ParaphraseWriting
from annotator.ui.pages.desk.steps import (
    QUESTION,
    DeskFrame,
    DeskStep,
    StepPanel,
    StepStack,
    StepState,
    criterion_state,
    proof_state,
    review_state,
    unwritten_paraphrase_state,
)
from annotator.ui.pages.desk.writing import Writing
from annotator.ui.pages.shared.subject_page import WorkPage, announce_queue_focus
from annotator.ui.pages.shared.subject_tabs import TRIED_ON, Details
from annotator.ui.widgets.card import Card
from annotator.ui.widgets.draft_field import DraftDot
from annotator.ui.widgets.layouts import fill_layout
from annotator.ui.widgets.line_queue import DESK_WIDTH

TO_CRITERION = (mark_for_translation("Go to Criterion"), mark_for_translation("Criterion"))
TO_RELEASE = (mark_for_translation("Go to Release"), mark_for_translation("Release"))


class DeskPage(WorkPage):
    """The queue of accepted subjects and the desk of one; ``own_step`` is the step the page is dedicated to."""

    base_filter = QueueFilter(verdicts=("accept",))
    empty_page = mark_for_translation("Select")
    item_width = DESK_WIDTH
    own_step = DeskStep.PARAPHRASED
    next_page = ("", "")
    """The button label and the page offered at the end of the list."""

    def build(self) -> None:
        """Build the panels and the desk around them."""
        self.paraphrase, self.criterion = ParaphraseWriting(self), CriterionWriting(self)
        self.writings: tuple[Writing, ...] = (self.paraphrase, self.criterion)
        for writing in self.writings:
            writing.state_changed.connect(self._show_steps)
        self.paraphrase.panes.right_card.mark(DraftDot(self.paraphrase.draft))
        self.criterion.document.mark(DraftDot(self.criterion.draft))
        self.panes, self.document = self.paraphrase.panes, self.criterion.document
        self.answers, self.proof = self.criterion.answers, self.criterion.proof
        self.details = Details(self.session, self.store, self.theme)
        self.queue.set_status(self.status)
        self.queue.placed.connect(self._apply_focus_if_shown)
        self._review_progress: ReviewProgress | None = None
        self._pending_focus: Callable[[], object] | None = None
        """Sets the focus once the next subject is on screen."""
        acts = (
            ("queue.next", tr("Skip"), False),
            ("select.flag", tr("Flag"), False),
            ("subject.drafts", tr("Suggestions…"), False),
            ("subject.save_next", tr("Save and next"), True),
        )
        self.details.put_first(TRIED_ON, self.answers)
        panels = {
            DeskStep.PARAPHRASED: StepPanel(panel=self.paraphrase.panel),
            DeskStep.CRITERION: StepPanel(panel=self.criterion.panel),
            DeskStep.PROVEN: StepPanel(panel=Card("", (self.proof, 1)), acts=(self.proof.prove_button,)),
        }
        self.frame = DeskFrame(
            self.context,
            acts,
            self.panes.left_card,
            self.details,
            StepStack(panels),
            # Their keys are too long for buttons; the menu and the sheet of keys show them.
            keyless=[action_id for action_id, _, primary in acts if not primary],
            spare=("queue.next", "subject.drafts"),
        )
        self.proof.answer_chosen.connect(self._show_tried)
        self.paraphrase.anchor_chosen.connect(self._show_anchor)
        self.header, self.steps = self.frame.header, self.frame.steps
        self._open_step(self.own_step)
        self.steps.step_chosen.connect(self.go_to_step)
        self.steps.current_changed.connect(self._update_save_label)
        self.header.buttons["queue.next"].setToolTip(
            tr("Go to the next item; your text stays a draft, and this item stays accepted")
        )
        # The action select.flag belongs to Select, so here the button has its own slot.
        flag_button = self.header.buttons["select.flag"]
        flag_button.clicked.disconnect()
        flag_button.clicked.connect(self._flag)
        fill_layout(self.subject_layout, (self.frame, 1))

    @property
    def own_writing(self) -> Writing:
        """The text of the page's own step."""
        return self.paraphrase if self.own_step == DeskStep.PARAPHRASED else self.criterion

    def status(self, row: SubjectRow) -> tuple[str, str] | None:
        """Return the chip of a subject in the queue."""
        raise NotImplementedError

    def show_counts(self, counts: StageCounts) -> None:
        """Show the progress of the work."""
        raise NotImplementedError

    def handlers(self) -> dict[str, Callable[[], object]]:
        """Return the acts of saving, the steps and the panels."""
        steps = {f"desk.{step.name.lower()}": partial(self.go_to_step, step) for step in DeskStep}
        return {
            **super().handlers(),
            **steps,
            "subject.save": self.save,
            "subject.save_next": self.save_next,
            "subject.drafts": self.show_suggestions,
            "prompt.reset": self.paraphrase.reset,
            "prompt.rewrite": self.paraphrase.rewrite,
            "prompt.override": self.paraphrase.override,
            "criterion.template": self.document.template_button.showMenu,
            "criterion.face": self.document.toggle_face,
            "criterion.run_tests": self.criterion.run_tests,
            "criterion.prove": self.prove,
            "criterion.prove_all": self.prove_all,
            "criterion.rule": self.answers.rule_from_selection,
        }

    # -- what is shown --------------------------------------------------------------------------------------------

    def activate(self) -> None:
        """Load the queue and the progress, and focus the page's own step."""
        super().activate()
        self._load_counts()
        self._pending_focus = self._focus_own if self.view is None else None
        self._focus_own()

    def refresh(self, changes: Changes) -> None:
        """Reload the queue, guard state, counts and reviews; a text being typed stays."""
        self.paraphrase.guard.forget(changes)
        super().refresh(changes)
        self.paraphrase.request_state()
        self._load_counts()
        self._load_reviews()

    def show_view(self, view: SubjectView | None) -> None:
        """Show a subject; unsaved drafts of it come back."""
        self.header.show_subject(view.row if view else None, writable=self.writable)
        self.details.show_subject(view)
        for writing in self.writings:
            writing.show_view(view)
        self._show_steps()
        self._load_reviews()
        self._apply_pending_focus()

    def _apply_pending_focus(self) -> None:
        """Set the pending focus once its subject is on screen."""
        if self.view is not None and self._pending_focus is not None and not self.queue.is_seeking:
            focus_act, self._pending_focus = self._pending_focus, None
            focus_act()

    def _apply_focus_if_shown(self) -> None:
        if self.view is not None and self.view.row.id == self.queue.current_id():
            self._apply_pending_focus()

    def open_row(self) -> None:
        """Focus the page's own step."""
        self._focus_own()

    def show_subject(self, subject_id: str) -> None:
        """Make a subject current and focus the page's own step."""
        self._pending_focus = self._focus_own
        super().show_subject(subject_id)

    def follow_subject(self, row: SubjectRow) -> None:
        """Make the subject of another page current and focus the page's own step."""
        self._pending_focus = self._focus_own
        super().follow_subject(row)
        self._apply_pending_focus()

    def _not_listed(self, subject_ids: frozenset[str]) -> None:
        super()._not_listed(subject_ids)
        self._apply_pending_focus()

    def show_draft(self, draft: Draft) -> None:
        """Show the subject of a draft and the dialog it was typed in."""
        super().show_draft(draft)
        self.paraphrase.show_draft(draft)

    def reveal(self, changes: Changes) -> bool:
        """Make the subject of an undo or redo current, with the step it concerns open."""
        # The focus does not move to the panel: a text field would take the next Ctrl+Z for itself.
        if "prompt" in changes.nouns:
            self._open_step(DeskStep.PARAPHRASED)
        elif "criterion" in changes.nouns:
            self._open_step(DeskStep.CRITERION)
        return super().reveal(changes)

    def finish_typing(self) -> None:
        """Apply pending input."""
        self.criterion.finish_typing()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move the focus from a field to the queue on Esc."""
        if event.key() == Qt.Key.Key_Escape:
            announce_queue_focus(self.session, self.queue.list)
            self.queue.list.setFocus()
        else:
            super().keyPressEvent(event)

    def _load_counts(self) -> None:
        work = partial(projects.stage_counts, self.store)
        self.session.run("read", work, self.show_counts, latest=f"{self.name}-counts")

    # -- the steps ------------------------------------------------------------------------------------------------

    def go_to_step(self, step: DeskStep) -> None:
        """Focus the widgets of a step; a focus pending for the next item goes to this step too."""
        if step == DeskStep.REVIEWED:
            if self.view is not None:
                self.go_to.emit(Destination("Consensus", self.view.row.id))
            return
        if self._pending_focus is not None:
            self._pending_focus = partial(self.go_to_step, step)
        if step == DeskStep.ACCEPTED:
            self.frame.show_tab(QUESTION)
            self.panes.original.setFocus()
        else:
            self._open_step(step)
            if step == DeskStep.PARAPHRASED:
                self.paraphrase.focus()
            elif step == DeskStep.CRITERION:
                self.criterion.focus()
            else:
                self.proof.table.setFocus()
        self.frame.show_focus()
        self._update_save_label()

    def _open_step(self, step: DeskStep) -> None:
        """Open a step; if another one was open, also bring the matching material to the front."""
        previous_step = self.steps.open_step
        self.frame.show_step(step)
        if self.steps.open_step != previous_step:
            self.details.show_tab(QUESTION if step == DeskStep.PARAPHRASED else TRIED_ON)

    def _show_tried(self, *_shown: object) -> None:
        """Show the answer of a proof's row among the tried answers."""
        if DeskStep.PROVEN in self.steps.visible_steps:
            self.details.show_tab(TRIED_ON)

    def _show_anchor(self, text: str) -> None:
        """Select an anchor in the question."""
        self.frame.show_tab(QUESTION)
        original = self.panes.original
        original.moveCursor(QTextCursor.MoveOperation.Start)
        original.find(text, QTextDocument.FindFlag.FindCaseSensitively)
        original.ensureCursorVisible()

    def current_step(self) -> DeskStep:
        """Return the step that is worked on."""
        return self.steps.current

    def step_states(self) -> dict[DeskStep, StepState]:
        """Return the progress of the item on screen, including unsaved edits."""
        view = self.view
        if view is None:
            return dict.fromkeys(DeskStep, StepState(False))
        return {
            DeskStep.ACCEPTED: StepState(True),
            DeskStep.PARAPHRASED: self._paraphrase_state(view),
            DeskStep.CRITERION: self._criterion_state(view),
            DeskStep.PROVEN: self._proof_state(view),
            DeskStep.REVIEWED: self._review_state(view),
        }

    def _paraphrase_state(self, view: SubjectView) -> StepState:
        if not self.paraphrase.text().strip():
            return unwritten_paraphrase_state(view)
        problems = self.paraphrase.problems
        if problems:
            return StepState(False, problems[0])
        return StepState(True, tr("not saved yet") if self.paraphrase.is_edited else self.paraphrase.facts)

    def _criterion_state(self, view: SubjectView) -> StepState:
        problem = self.document.problems.text().partition("\n")[0] if self.criterion.text().strip() else ""
        if problem:
            return StepState(False, problem)
        state = criterion_state(view, self.criterion.text())
        is_unsaved = state.done and not state.note and self.criterion.is_edited
        return StepState(True, tr("not saved yet")) if is_unsaved else state

    def _proof_state(self, view: SubjectView) -> StepState:
        if self.criterion.is_proving:
            return StepState(False, tr("Proving…"))
        return proof_state(view, has_edits=self._has_edits)

    def _review_state(self, view: SubjectView) -> StepState:
        progress = self._review_progress
        return review_state(progress if progress is not None and progress.subject_id == view.row.id else None)

    def _load_reviews(self) -> None:
        if self.view is not None:
            work = partial(aspect_reviews.load_review_progress, self.store, self.view.row.id)
            self.session.run("read", work, self._show_reviews, latest=f"{self.name}-reviews")

    def _show_reviews(self, progress: ReviewProgress) -> None:
        self._review_progress = progress
        self._show_steps()

    def _is_proof_valid(self, view: SubjectView) -> bool:
        return view.proof is not None and view.proof.holds and not self._has_edits

    @property
    def _has_edits(self) -> bool:
        return any(writing.is_edited for writing in self.writings)

    def _next_step(self) -> DeskStep | None:
        """Return the next open step of this item; None if saving leads to the next item."""
        current_step = self.current_step()
        return None if current_step == DeskStep.PROVEN else self.open_step(DeskStep(current_step + 1))

    def open_step(self, first: DeskStep) -> DeskStep | None:
        """Return the first open step from ``first`` on that can be done on this page."""
        states = self.step_states()
        for step in DeskStep:
            # The review is other people's work.
            is_own_work = step != DeskStep.REVIEWED and (step != DeskStep.PROVEN or self.criterion.can_prove)
            if step >= first and not states[step].done and is_own_work:
                return step
        return None

    def _show_steps(self) -> None:
        self.steps.show_states(self.step_states())
        self._update_save_label()

    def _update_save_label(self) -> None:
        """Label the save button according to the next step."""
        word = tr("Save and prove") if self._next_step() == DeskStep.PROVEN else tr("Save and next")
        self.header.set_word("subject.save_next", word)

    # -- saving ---------------------------------------------------------------------------------------------------

    def save(self) -> bool:
        """Save the texts on screen, recovered drafts included; return whether saving has begun or was not needed.

        In the editor of the material, only its text is saved.
        """
        if self.details.is_typed_in:
            self.details.editor.save_edit()
            return False
        for writing in self.writings:
            writing.take_up_draft()
            if not writing.save_typed():
                self._focus_writing(writing)
                return False
        return True

    def _focus_writing(self, writing: Writing) -> None:
        self.go_to_step(DeskStep.PARAPHRASED if writing is self.paraphrase else DeskStep.CRITERION)

    def save_next(self) -> None:
        """Save and go to the next open step of this item, starting its proof, or else to the next item."""
        view = self.view
        if view is None or (self.details.is_typed_in and not self.save()):
            return
        self.finish_typing()
        step = self._next_step()
        if step == DeskStep.PROVEN:
            if self._is_proof_valid(view) or self.criterion.is_proving or self.prove():
                self.go_to_step(DeskStep.PROVEN)
        elif self.save():
            if step is not None:
                self.go_to_step(step)
                return
            self._focus_own()
            self._pending_focus = partial(self._focus_open, view.row.id)
            if not self.queue.rows_beyond(1):
                self._say_end()
            self.advance(1)

    def _say_end(self) -> None:
        """Say that the list has ended, and offer the page where work on its items continues."""
        text = tr("That was the last item in the list.")
        word, page = self.next_page
        self.session.offer(text, translate_word(word), partial(self.go_to.emit, Destination(page)))

    def prove(self) -> bool:
        """Save and prove; return whether that has begun."""
        self.paraphrase.take_up_draft()
        if not self.paraphrase.save_typed():
            self._focus_writing(self.paraphrase)
            return False
        if not self.criterion.prove():
            self._focus_writing(self.criterion)
            return False
        return True

    def prove_all(self) -> None:
        """Save the texts on screen and prove all accepted subjects not proven yet."""
        if self.save():
            self.criterion.prove_all()

    def show_suggestions(self) -> None:
        """Request a model's suggestion for the text of the open step."""
        writing = self.criterion if self.current_step() >= DeskStep.CRITERION else self.paraphrase
        writing.show_suggestions()

    def _focus_own(self, _index: object = None) -> None:
        self.go_to_step(self.own_step)

    def _focus_open(self, left_id: str) -> None:
        """Go to the first open step of the current item, unless it is still the item ``left_id``."""
        if self.view is not None and self.view.row.id != left_id:
            self.go_to_step(self.open_step(self.own_step) or self.own_step)

    def _flag(self, _checked: bool = False) -> None:
        if self.view is not None:
            subject_id = self.view.row.id
            act = partial(
                triage.decide_subjects, self.store, [subject_id], Verdict.FLAG, seen_decisions=self.seen_decisions()
            )
            self.when_settled(partial(self.decide_and_advance, act, about=subject_id))


class PromptPage(DeskPage):
    """Accepted subjects and the paraphrased prompt of one."""

    name = "Prompt"
    icon = "ph.pencil-line"
    queue_title = mark_for_translation("Prompt queue")
    empty = (
        "ph.pencil-line",
        mark_for_translation("No accepted subjects yet"),
        mark_for_translation(
            "Accept candidates on the Select page; then paraphrase their prompts here, beside the public original."
        ),
        mark_for_translation("Go to Select"),
    )
    own_step = DeskStep.PARAPHRASED
    next_page = TO_CRITERION

    def open_row(self) -> None:
        """Put the cursor into the paraphrase of the current subject."""
        self.context.actions.trigger("desk.paraphrased")

    def status(self, row: SubjectRow) -> tuple[str, str] | None:
        """Return the guard's chip of a subject's paraphrase."""
        return self.paraphrase.guard.status(row)

    def show_counts(self, counts: StageCounts) -> None:
        """Show how many subjects have a prompt."""
        # Proofs can be made on this page too, which may leave nothing to do on Criterion.
        self.next_page = TO_RELEASE if counts.proven == counts.accepted else TO_CRITERION
        self.queue.set_progress(tr("Paraphrased"), counts.accepted - counts.without_prompt, counts.accepted)


class CriterionPage(DeskPage):
    """Accepted subjects and the criterion of one."""

    name = "Criterion"
    icon = "ph.target"
    queue_title = mark_for_translation("Criterion queue")
    empty = (
        "ph.target",
        mark_for_translation("No accepted subjects yet"),
        mark_for_translation(
            "Accept candidates on Select; then describe a good response here and try the rules right away."
        ),
        mark_for_translation("Go to Select"),
    )
    own_step = DeskStep.CRITERION
    next_page = TO_RELEASE

    def open_row(self) -> None:
        """Put the cursor into the criterion of the current subject."""
        self.context.actions.trigger("desk.criterion")

    def status(self, row: SubjectRow) -> tuple[str, str] | None:
        """Return the chip of a subject: written, proven or none."""
        written_chip = (tr("written"), "attention") if row.has_criterion else None
        return (tr("proven"), "good") if row.proven else written_chip

    def show_counts(self, counts: StageCounts) -> None:
        """Show how many subjects are proven."""
        self.queue.set_progress(tr("Proven"), counts.proven, counts.accepted)
