"""The desk: question, paraphrase, criterion, samples and proof of one accepted subject on one page."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent

from annotator.model.changes import Changes
from annotator.model.rows.drafts import Draft
from annotator.model.rows.queue import QueueFilter, StageCounts, SubjectRow
from annotator.model.rows.views import SubjectView
from annotator.model.vocabulary import Verdict
from annotator.services.consensus import review_progress
from annotator.services.consensus.review_progress import ReviewProgress
from annotator.services.project import projects
from annotator.services.select import triage
from annotator.ui.app.base_page import Destination
from annotator.ui.app.translation import mark_for_translation, tr, translate_word
from annotator.ui.pages.desk.criterion import CriterionWriting
from annotator.ui.pages.desk.frame import QUESTION, DeskFrame
from annotator.ui.pages.desk.paraphrase import ParaphraseWriting
from annotator.ui.pages.desk.step_states import criterion_state, proof_state, review_state, unwritten_state
from annotator.ui.pages.desk.steps import Step, StepPanel, StepStack, StepState
from annotator.ui.pages.desk.writing import Writing
from annotator.ui.pages.shared.subject_page import WorkPage
from annotator.ui.pages.shared.subject_tabs import TRIED, Details
from annotator.ui.pages.shared.typing_place import say_left
from annotator.ui.widgets.card import Card
from annotator.ui.widgets.draft_field import DraftDot
from annotator.ui.widgets.layouts import fill_layout

TO_CRITERION = (mark_for_translation("Go to Criterion"), mark_for_translation("Criterion"))
TO_RELEASE = (mark_for_translation("Go to Release"), mark_for_translation("Release"))


class DeskPage(WorkPage):
    """The queue of accepted subjects and the desk of one; ``own`` is the step that a page is there for."""

    base_filter = QueueFilter(verdicts=("accept",))
    empty_page = mark_for_translation("Select")
    own = Step.PARAPHRASED
    onwards = ("", "")
    """What leads on at the end of the list: the words of a button, and its page."""

    def build(self) -> None:
        """Build the panels, and the desk around them."""
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
        self.queue.placed.connect(self._arrive_if_shown)
        self._reviewed: ReviewProgress | None = None
        self._arriving: Callable[[], object] | None = None
        """What puts the focus in its place once the next subject is shown."""
        self._lay_out()

    def _lay_out(self) -> None:
        acts = (
            ("queue.next", tr("Skip"), False),
            ("select.flag", tr("Flag"), False),
            ("subject.drafts", tr("Drafts…"), False),
            ("subject.save_next", tr("Save and next"), True),
        )
        self.details.add_tab(TRIED, self.answers)
        panels = {
            Step.PARAPHRASED: StepPanel(panel=self.paraphrase.panel),
            Step.CRITERION: StepPanel(panel=self.criterion.panel),
            Step.PROVEN: StepPanel(panel=Card("", (self.proof, 1)), acts=(self.proof.prove,)),
        }
        self.frame = DeskFrame(
            self.context,
            acts,
            self.panes.left_card,
            self.details,
            StepStack(panels),
            # Their keys are long; the menu and the sheet of keys show them.
            keyless=[action_id for action_id, _, primary in acts if not primary],
            spare=("queue.next",),
        )
        self.proof.answer_chosen.connect(self._show_tried)
        self.header, self.steps = self.frame.header, self.frame.steps
        self._open(self.own)
        self.steps.chosen.connect(self.go_to_step)
        self.header.buttons["queue.next"].setToolTip(tr("Go on; what is typed stays a draft, the item accepted"))
        # Flag is a key of Select; here the button acts by itself.
        flag = self.header.buttons["select.flag"]
        flag.clicked.disconnect()
        flag.clicked.connect(self._flag)
        self.splitter.setSizes((230, 1000))
        fill_layout(self.subject_layout, (self.frame, 1))

    @property
    def main(self) -> Writing:
        """What is written in the step that the page is there for."""
        return self.paraphrase if self.own == Step.PARAPHRASED else self.criterion

    def status(self, row: SubjectRow) -> tuple[str, str] | None:
        """Return the chip of a subject in the queue."""
        raise NotImplementedError

    def show_counts(self, counts: StageCounts) -> None:
        """Show how far the work is."""
        raise NotImplementedError

    def handlers(self) -> dict[str, Callable[[], object]]:
        """Return saving, the steps, and the acts of the panels."""
        steps = {f"desk.{step.name.lower()}": partial(self.go_to_step, step) for step in Step}
        return {
            **super().handlers(),
            **steps,
            "subject.save": self.save,
            "subject.save_next": self.save_next,
            "subject.drafts": self.show_drafts,
            "prompt.reset": self.paraphrase.reset,
            "prompt.rewrite": self.paraphrase.rewrite,
            "prompt.override": self.paraphrase.override,
            "criterion.template": self.document.template.showMenu,
            "criterion.face": self.document.toggle_face,
            "criterion.run_tests": self.criterion.run_tests,
            "criterion.prove": self.prove,
            "criterion.prove_all": self.prove_all,
            "criterion.rule": self.answers.rule_from_selection,
        }

    # -- what is shown --------------------------------------------------------------------------------------------

    def activate(self) -> None:
        """Load the queue and the progress; the next thing is typed where the page is large."""
        super().activate()
        self._count()
        self._arriving = self._focus_own if self.view is None else None
        self._focus_own()

    def refresh(self, changes: Changes) -> None:
        """Show the new state, also of what the guard says; a text being written stays."""
        self.paraphrase.guard.forget(changes)
        super().refresh(changes)
        self.paraphrase.request_state()
        self._count()
        self._ask_reviews()

    def show_view(self, view: SubjectView | None) -> None:
        """Show a subject; unsaved drafts of it come back."""
        self.header.show_subject(view.row if view else None, writable=self.writable)
        self.details.show_subject(view)
        for writing in self.writings:
            writing.show_view(view)
        self._show_steps()
        self._ask_reviews()
        if not self.queue.seeking:
            self._arrive()

    def _arrive(self) -> None:
        if self.view is not None and self._arriving is not None:
            then, self._arriving = self._arriving, None
            then()

    def _arrive_if_shown(self) -> None:
        if self.view is not None and self.view.row.id == self.queue.current_id():
            self._arrive()

    def open_row(self) -> None:
        """Put the focus where the work of the page is."""
        self._focus_own()

    def show_subject(self, subject_id: str) -> None:
        """Make a subject current, and put the focus where its work is."""
        self._arriving = self._focus_own
        super().show_subject(subject_id)

    def follow_subject(self, row: SubjectRow) -> None:
        """Make the subject of another page current, and put the focus where its work is."""
        self._arriving = self._focus_own
        super().follow_subject(row)
        if not self.queue.seeking:
            self._arrive()

    def _not_listed(self, subject_ids: frozenset[str]) -> None:
        super()._not_listed(subject_ids)
        if not self.queue.seeking:
            self._arrive()

    def show_draft(self, draft: Draft) -> None:
        """Show the subject of a draft, and the dialog it was typed in."""
        super().show_draft(draft)
        self.paraphrase.show_draft(draft)

    def reveal(self, changes: Changes) -> bool:
        """Make the subject of an undo or redo current, with the step it concerns open."""
        # The panel is shown, and the focus stays: a field would take the next Ctrl+Z for itself.
        if "prompt" in changes.nouns:
            self._open(Step.PARAPHRASED)
        elif "criterion" in changes.nouns:
            self._open(Step.CRITERION)
        return super().reveal(changes)

    def finish_typing(self) -> None:
        """Take over what is still being typed."""
        self.criterion.finish_typing()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Esc leaves a field for the queue."""
        if event.key() == Qt.Key.Key_Escape:
            say_left(self.session, self.queue.list)
            self.queue.list.setFocus()
        else:
            super().keyPressEvent(event)

    def _count(self) -> None:
        work = partial(projects.stage_counts, self.store)
        self.session.run("read", work, self.show_counts, latest=f"{self.name}-counts")

    # -- the steps ------------------------------------------------------------------------------------------------

    def go_to_step(self, step: Step) -> None:
        """Put the focus where a step is done."""
        if step == Step.ACCEPTED:
            self.frame.show_tab(QUESTION)
            self.panes.original.setFocus()
        elif step == Step.REVIEWED:
            if self.view is not None:
                self.go_to.emit(Destination("Consensus", self.view.row.id))
            return
        else:
            self._open(step)
            if step == Step.PROVEN:
                self.proof.table.setFocus()
            else:
                (self.paraphrase if step == Step.PARAPHRASED else self.criterion).focus()
        self.frame.show_focus()
        self._name_saving()

    def _open(self, step: Step) -> None:
        """Open a step; the material that it is about comes to the front, where another step was open before."""
        before = self.steps.open
        self.frame.show_step(step)
        if self.steps.open != before:
            self.details.show_tab(QUESTION if step == Step.PARAPHRASED else TRIED)

    def _show_tried(self, *_shown: object) -> None:
        """Show what was tried in a row of the proof."""
        if self.steps.open == Step.PROVEN:
            self.details.show_tab(TRIED)

    def current_step(self) -> Step:
        """Return the step that is open."""
        return self.steps.open

    def step_states(self) -> dict[Step, StepState]:
        """Return how far the item on screen is, with what stands in the editors."""
        view = self.view
        if view is None:
            return dict.fromkeys(Step, StepState(False))
        return {
            Step.ACCEPTED: StepState(True),
            Step.PARAPHRASED: self._paraphrase_state(view),
            Step.CRITERION: self._criterion_state(view),
            Step.PROVEN: self._proof_state(view),
            Step.REVIEWED: self._review_state(view),
        }

    def _paraphrase_state(self, view: SubjectView) -> StepState:
        if not self.paraphrase.text().strip():
            return unwritten_state(view)
        problems = self.paraphrase.problems
        if problems:
            return StepState(False, problems[0])
        return StepState(True, tr("not saved yet") if self.paraphrase.edited else self.paraphrase.facts)

    def _criterion_state(self, view: SubjectView) -> StepState:
        problem = self.document.problems.text().partition("\n")[0] if self.criterion.text().strip() else ""
        if problem:
            return StepState(False, problem)
        state = criterion_state(view, self.criterion.text())
        unsaved = state.done and not state.said and self.criterion.edited
        return StepState(True, tr("not saved yet")) if unsaved else state

    def _proof_state(self, view: SubjectView) -> StepState:
        if self.criterion.proving:
            return StepState(False, tr("Proving…"))
        if view.proof is not None and not self._proof_stands(view):
            return StepState(False, tr("proven with an earlier text"))
        return proof_state(view)

    def _review_state(self, view: SubjectView) -> StepState:
        found = self._reviewed
        return review_state(found if found is not None and found.subject_id == view.row.id else None)

    def _ask_reviews(self) -> None:
        if self.view is not None:
            work = partial(review_progress.of_subject, self.store, self.view.row.id)
            self.session.run("read", work, self._show_reviews, latest=f"{self.name}-reviews")

    def _show_reviews(self, found: ReviewProgress) -> None:
        self._reviewed = found
        self._show_steps()

    def _proof_stands(self, view: SubjectView) -> bool:
        edited = any(writing.edited for writing in self.writings)
        return view.proof is not None and view.proof.holds and not edited

    def _next_step(self) -> Step | None:
        """Return the step of this item that comes after the one with the focus; None where the next item comes."""
        here = self.current_step()
        return None if here == Step.PROVEN else self.open_step(Step(here + 1))

    def open_step(self, first: Step) -> Step | None:
        """Return the first step from ``first`` on that can be done and is not."""
        states = self.step_states()
        for step in Step:
            # What others say is theirs to do.
            mine = step != Step.REVIEWED and (step != Step.PROVEN or self.criterion.can_prove)
            if step >= first and not states[step].done and mine:
                return step
        return None

    def _show_steps(self) -> None:
        self.steps.show_states(self.step_states())
        self._name_saving()

    def _name_saving(self) -> None:
        """Say on the button whether it proves this item or leads to the next."""
        word = tr("Save and prove") if self._next_step() == Step.PROVEN else tr("Save and next")
        self.header.set_word("subject.save_next", word)

    # -- saving ---------------------------------------------------------------------------------------------------

    def save(self) -> bool:
        """Save the texts on screen, drafts from before too; returns whether saving has begun or was not needed."""
        for writing in self.writings:
            writing.take_up_draft()
            if not writing.save_typed():
                self._focus_writing(writing)
                return False
        return True

    def _focus_writing(self, writing: Writing) -> None:
        self.go_to_step(Step.PARAPHRASED if writing is self.paraphrase else Step.CRITERION)

    def save_next(self) -> None:
        """Save and go to the next open step of this item, where the proof runs by itself; else to the next item."""
        view = self.view
        if view is None:
            return
        self.finish_typing()
        step = self._next_step()
        if step == Step.PROVEN:
            if self._proof_stands(view) or self.criterion.proving or self.prove():
                self.go_to_step(Step.PROVEN)
        elif self.save():
            if step is not None:
                self.go_to_step(step)
                return
            self._arriving = partial(self._focus_open, view.row.id)
            self._focus_own()
            if not self.queue.rows_beyond(1):
                self._say_end()
            self.advance(1)

    def _say_end(self) -> None:
        """Say that the list has ended, with the way to where its items go on."""
        text = tr("That was the last item of the list.")
        word, page = self.onwards
        self.session.offer(text, translate_word(word), partial(self.go_to.emit, Destination(page)))

    def prove(self) -> bool:
        """Save and prove; returns whether that has begun."""
        self.paraphrase.take_up_draft()
        if not self.paraphrase.save_typed():
            self._focus_writing(self.paraphrase)
            return False
        if not self.criterion.prove():
            self._focus_writing(self.criterion)
            return False
        return True

    def prove_all(self) -> None:
        """Save what is typed, and prove all accepted subjects that are not proven yet."""
        if self.save():
            self.criterion.prove_all()

    def show_drafts(self) -> None:
        """Ask a model for a draft of what is being written."""
        (self.criterion if self.current_step() >= Step.CRITERION else self.paraphrase).show_drafts()

    def _focus_own(self, _index: object = None) -> None:
        self.go_to_step(self.own)

    def _focus_open(self, left: str) -> None:
        """Go to the first open step of the item shown now, unless it is the one that was to be ``left``."""
        if self.view is not None and self.view.row.id != left:
            self.go_to_step(self.open_step(self.own) or self.own)

    def _flag(self, _checked: bool = False) -> None:
        if self.view is not None:
            subject_id = self.view.row.id
            act = partial(triage.decide, self.store, [subject_id], Verdict.FLAG, seen_decisions=self.seen())
            self.when_settled(partial(self.decide_and_advance, act, about=subject_id))
