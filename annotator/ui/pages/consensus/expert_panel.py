"""The experts' forms for one subject: review, vote, and edit or confirm its solution and tests."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QVBoxLayout, QWidget

from annotator.model.rows.judging_rows import ArtefactRow, ReviewRow, VoteState
from annotator.ui.app.session.draft_keeper import DraftKeeper
from annotator.ui.app.theme.look import Theme
from annotator.ui.app.translation import mark_for_translation, tr, translate_word
from annotator.ui.widgets.code.code_view import CodeView
from annotator.ui.widgets.draft_field import DraftBar, DraftField
from annotator.ui.widgets.fields import choice_box, line_edit
from annotator.ui.widgets.flow_layout import FlowLayout
from annotator.ui.widgets.labels import Segments, button, join_list, label
from annotator.ui.widgets.layouts import arrange, make_scroll
from annotator.ui.widgets.table import Cell, DataTable

ASPECTS = (
    mark_for_translation("correctness"),
    mark_for_translation("difficulty"),
    mark_for_translation("applicability"),
    mark_for_translation("readability"),
)
QUESTIONS = (
    ("realistic", mark_for_translation("Realistic scenario")),
    ("uses_llm", mark_for_translation("I would use a model for this")),
)
CHOICES = (mark_for_translation("yes"), mark_for_translation("no"), mark_for_translation("abstain"))
ARTEFACTS = ("solution", "tests")


def draft_item_id(subject_id: str, about: str) -> str:
    """Return the item id of drafts on a part of a subject: an artefact or a disagreement."""
    return f"{subject_id} {about}"


class ReviewPanel(QWidget):
    """Marks for four aspects, and the two questions of the vote; what is sent names the subject it was chosen for."""

    review_saved = Signal(str, dict, str)
    voted = Signal(str, dict)

    def __init__(self, theme: Theme, drafts: DraftKeeper, keys: str = "") -> None:
        """``keys`` are those that cast the vote, as the button shows them."""
        super().__init__()
        self.marks: dict[str, QComboBox] = {}
        self.answers: dict[str, Segments] = {}
        self._subject_id = ""
        self._votes_shown: dict[str, str] = {}
        self._may_vote = False
        self.note = line_edit(tr("Note on the review"), tr("Note"))
        self.draft = DraftField.for_line(drafts, "consensus.review", self.note)
        self.draft_bar = DraftBar(theme, self.draft)
        self.save = button(tr("Save review"), primary=True, clicked=self._emit_changes)
        self.cast_button = button(tr("Cast vote"), keys, clicked=self._emit_vote)
        self.close_vote = button(tr("Close vote…"))
        self.panel = button(tr("Panel…"))
        self.state = label("", "dim", wrap=True)
        self.table = DataTable(tr("Reviews"))
        # Labels are above their boxes in a flow layout, so that large letters still fit.
        review, vote = FlowLayout(8), FlowLayout(8)
        for aspect in ASPECTS:
            self.marks[aspect] = self._choice(review, translate_word(aspect), (tr("none"), "1", "2", "3", "4", "5"))
        for question, words in QUESTIONS:
            name = translate_word(words)
            self.answers[question] = Segments(name, CHOICES, selected=self._offer_vote, preset=False)
            vote.addWidget(_below(name, self.answers[question]))
        review.addWidget(label(tr("1 is bad, 5 is good"), "dim"))
        note = arrange(QHBoxLayout(), (self.note, 1), self.save)
        acts = FlowLayout(8)
        for vote_button in (self.cast_button, self.close_vote, self.panel):
            acts.addWidget(vote_button)
        column = QWidget()
        arrange(QVBoxLayout(column), self.draft_bar, review, note, vote, acts, self.state, (self.table, 1))
        area = make_scroll(column)
        # The scroll area itself takes no focus; its fields are scrolled into view when they get it.
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        arrange(QVBoxLayout(self), area)

    def _choice(self, row: FlowLayout, name: str, words: tuple[str, ...]) -> QComboBox:
        box = choice_box(name, ((translate_word(word), word) for word in words))
        row.addWidget(_below(name, box))
        return box

    def show_state(self, subject_id: str, rows: tuple[ReviewRow, ...], votes: VoteState, reviewer: str) -> None:
        """Show all reviews, those of the ``reviewer`` as far as they are not being changed, and votes that are open.

        Marks and answers that were chosen and not saved stay while the subject does.
        """
        own_review = next((row for row in rows if row.annotator == reviewer), None)
        own_note = own_review.note if own_review is not None else ""
        if (subject_id, votes.mine) != (self._subject_id, self._votes_shown):
            self._subject_id, self._votes_shown = subject_id, votes.mine
            self._show_own(own_review)
            for question, choice in votes.mine.items():
                self.answers[question].choose(CHOICES.index(choice))
        self.draft.show_item(subject_id, own_note, subject_id=subject_id, began_from=own_note)
        headers = (tr("who"), *(translate_word(aspect) for aspect in ASPECTS), tr("run"), tr("note"))
        lines = [
            [Cell(row.annotator + (tr(" (stale)") if row.stale else ""))]
            + [Cell("" if mark is None else str(mark), mark or 0) for mark in (getattr(row, name) for name in ASPECTS)]
            + [Cell(row.run or tr("none")), Cell(row.note)]
            for row in rows
        ]
        self.table.set_rows(headers, lines, list(rows), stretch=6)
        self._may_vote = votes.may_vote
        self._offer_vote()
        self.close_vote.setEnabled(votes.sealed and votes.cast > 0)
        summary = tr(
            "{cast} of {voters} votes are cast; {needed} approvals are needed.",
            cast=votes.cast,
            voters=votes.voters,
            needed=votes.needed,
        )
        if votes.approvals is None:
            summary += tr(" Votes stay sealed until all are cast or the chair closes the vote.")
            summary += _describe_small_panel(votes)
        else:
            word = tr("kept") if votes.kept else tr("not kept")
            summary += tr(" {approvals} approve: {word}.", approvals=votes.approvals, word=word)
            for question, words in QUESTIONS:
                counts = (votes.tally or {}).get(question, {})
                if counts:
                    tally = join_list(f"{count} {translate_word(choice)}" for choice, count in counts.items())
                    summary += f" {translate_word(words)}: {tally}."
        self.state.setText(summary)

    def leave(self, subject_id: str) -> None:
        """Show no marks and no answers until the state of another subject arrives."""
        if subject_id != self._subject_id:
            self._subject_id, self._may_vote = "", False
            self._show_own(None)
            self._offer_vote()

    @property
    def may_vote(self) -> bool:
        """Whether the reviewer may vote on the subject shown."""
        return self._may_vote

    def answer(self, choice: str) -> None:
        """Answer the first open question of the vote; if none is open, begin again with the first question."""
        if not self._may_vote:
            return
        if all(answer.current >= 0 for answer in self.answers.values()):
            self._clear_answers()
        next(answer for answer in self.answers.values() if answer.current < 0).choose(CHOICES.index(choice))

    def _show_own(self, review: ReviewRow | None) -> None:
        for aspect, box in self.marks.items():
            box.setCurrentIndex((getattr(review, aspect) if review is not None else None) or 0)
        self._clear_answers()

    def _clear_answers(self) -> None:
        for answer in self.answers.values():
            answer.clear()

    def _offer_vote(self, _choice: int = 0) -> None:
        """Let the vote be cast once every question has an answer."""
        self.save.setEnabled(bool(self._subject_id))
        self.cast_button.setEnabled(self._may_vote and all(answer.current >= 0 for answer in self.answers.values()))

    def _emit_changes(self) -> None:
        marks = {name: int(box.currentText()) for name, box in self.marks.items() if box.currentIndex()}
        self.review_saved.emit(self._subject_id, marks, self.note.text())

    def _emit_vote(self) -> None:
        self.voted.emit(
            self._subject_id, {question: CHOICES[answer.current] for question, answer in self.answers.items()}
        )


def _below(name: str, field: QWidget) -> QWidget:
    """Return a field with its name above it."""
    pair = QWidget()
    arrange(QVBoxLayout(pair), label(name, "dim"), field, spacing=2)
    return pair


def _describe_small_panel(votes: VoteState) -> str:
    """Return a hint if the project has fewer people than the panel has seats."""
    if not votes.lacks_people:
        return ""
    if votes.people == 1:
        return tr(" You work alone so far: choose Panel… to make it a panel of one, or close the vote after yours.")
    return tr(
        " Only {people} people work here so far: choose Panel… to set fewer seats, or close the vote when all "
        "have voted.",
        people=votes.people,
    )


class ArtefactPanel(QWidget):
    """The solution or the tests, editable, with the state of the three-expert rule."""

    artefact_chosen = Signal(str)
    edited = Signal(str, str, str)
    confirmed = Signal(str, str, str)

    def __init__(self, theme: Theme, drafts: DraftKeeper) -> None:
        super().__init__()
        self._language = ""
        self.artefact_choice = Segments(tr("Artefact"), (tr("Solution"), tr("Tests")), selected=self._choose)
        self.state = label("", "dim", wrap=True)
        self.code = CodeView(theme, tr("Content"), read_only=False)
        self.note = line_edit(tr("Note on the edit or confirmation"), tr("Note; a rejection needs one"))
        self.draft = DraftField.for_text(drafts, "consensus.artefact", self.code, self._replace_code)
        self.note_draft = DraftField.for_line(drafts, "consensus.note", self.note)
        self.draft_bar = DraftBar(theme, self.draft, self.note_draft)
        self.save = button(tr("Save edit"), clicked=self._emit_changes)
        self.reject = button(tr("Reject"), clicked=self._reject)
        self.confirm = button(tr("Confirm"), primary=True, clicked=self._confirm)
        head = arrange(QHBoxLayout(), self.artefact_choice, (self.state, 1))
        foot = arrange(QHBoxLayout(), self.save, 1, self.reject, self.confirm)
        arrange(QVBoxLayout(self), head, self.draft_bar, (self.code, 1), self.note, foot)

    @property
    def artefact(self) -> str:
        """The name of the current artefact."""
        return ARTEFACTS[self.artefact_choice.current]

    def show_row(self, subject_id: str, row: ArtefactRow, language: str) -> None:
        """Show an artefact; an unsaved edit of it stays and comes back with it."""
        self._language = "json" if row.artefact == "tests" else language
        place = draft_item_id(subject_id, row.artefact)
        self.draft.show_item(place, row.content, subject_id=subject_id, began_from=row.revision)
        self.note_draft.show_item(place, subject_id=subject_id)
        editor_text = tr("edited by {edited_by}", edited_by=row.edited_by) if row.edited_by else tr("not edited")
        confirmed_text = (
            tr("confirmed by {list}", list=", ".join(row.confirmed_by)) if row.confirmed_by else tr("not confirmed")
        )
        run_text = tr("; its test run: {run}", run=translate_word(row.run)) if row.run else ""
        missing_text = tr("; {missing} more needed", missing=row.missing) if row.missing else ""
        summary = f"{join_list((editor_text, confirmed_text))}{missing_text}{run_text}"
        self.state.setText(tr("{name}: {value}", name=translate_word(row.state), value=summary))
        self.confirm.setEnabled(row.may_confirm)

    def _replace_code(self, text: str) -> None:
        self.code.set_code(text, self._language)

    def _choose(self, _number: int) -> None:
        self.artefact_chosen.emit(self.artefact)

    def _emit_changes(self) -> None:
        self.edited.emit(self.artefact, self.code.toPlainText(), self.note.text())

    def _confirm(self) -> None:
        self.confirmed.emit(self.artefact, "confirm", self.note.text())

    def _reject(self) -> None:
        self.confirmed.emit(self.artefact, "reject", self.note.text())
