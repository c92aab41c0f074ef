"""The experts' forms for one subject: settle, review, vote, and edit or confirm its solution and tests."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QDialogButtonBox, QWidget

from annotator.model.rows.judging_rows import (
    ArtefactRow,
    ConflictRow,
    Disagreement,
    Opinion,
    ReviewRow,
    VoteState,
)
from annotator.model.tables.judging_tables import PAIR
from annotator.services.consensus.panel_votes import PanelReport, approvals_needed
from annotator.store.file.project_file import ProjectFile
from annotator.ui.app.session.draft_keeper import DraftKeeper
from annotator.ui.app.session.session import Session
from annotator.ui.app.theme.look import Theme
from annotator.ui.app.translation import mark_for_translation, mark_words, tr, translate_word
from annotator.ui.pages.shared.artefact_editor import ARTEFACTS, ArtefactEditor, draft_item_id
from annotator.ui.widgets.card import Card
from annotator.ui.widgets.code.code_view import CodeView
from annotator.ui.widgets.dialog import Dialog
from annotator.ui.widgets.draft_field import DraftBar, DraftField
from annotator.ui.widgets.fields import choice_box, line_edit, number_box
from annotator.ui.widgets.labels import Segments, button, join_list, label, shorten_middle
from annotator.ui.widgets.layouts import (
    FlowLayout,
    fill_column,
    make_column,
    make_form,
    make_row,
    make_scroll,
    make_splitter,
)
from annotator.ui.widgets.table import Cell, DataTable, moment_cell

_METHODS = (
    (mark_for_translation("Discussion"), "discussion"),
    (mark_for_translation("Majority"), "majority"),
    (mark_for_translation("Adjudicator"), "adjudicator"),
)
mark_for_translation("selection")
"""Subjects of a decision, in the words of the service; registered for translation."""
_PAIR_OUTCOMES = (
    mark_for_translation("left is better"),
    mark_for_translation("right is better"),
    "tie",
    mark_for_translation("both bad"),
)


class SettlePanel(QWidget):
    """Shows a disagreement (or a conflict of files) and emits (method, outcome, rationale)."""

    settled = Signal(str, str, str)

    def __init__(self, theme: Theme, drafts: DraftKeeper) -> None:
        super().__init__()
        self.row: Disagreement | None = None
        self.opinions = DataTable(tr("Opinions"), selected=self._show_reason)
        self.opinions.min_rows = 2
        self.heading = label("", "section", wrap=True)
        self.opinions_view, self.form = QWidget(), QWidget()
        self.reason = label("", wrap=True)
        fill_column(self.opinions_view, self.heading, (self.opinions, 1), self.reason)
        self.left, self.right = (CodeView(theme, name, wrap=True) for name in (tr("Left"), tr("Right")))
        self._side_cards = Card(tr("Left"), self.left), Card(tr("Right"), self.right)
        self.pair = make_splitter(Qt.Orientation.Horizontal, *self._side_cards)
        self.method = choice_box(tr("Method"), ((translate_word(word), value) for word, value in _METHODS))
        self.outcome = choice_box(tr("Outcome"))
        self.outcome.setPlaceholderText(tr("Choose an outcome"))
        self.outcome.setMinimumContentsLength(12)
        self.rationale = line_edit(tr("Rationale"), tr("Why this outcome?"))
        self.draft = DraftField.for_line(drafts, "consensus.settlement", self.rationale)
        self.draft_bar = DraftBar(theme, self.draft)
        self.settle_button = button(tr("Settle"), primary=True, clicked=self._settle)
        self.rationale.returnPressed.connect(self._settle)
        self.remark = label("", "dim", wrap=True)
        # Two rows, because one is too narrow for the reason when letters are large.
        method_row = make_row(self.method, (self.outcome, 1))
        rationale_row = make_row((self.rationale, 1), self.settle_button)
        fill_column(self.form, self.draft_bar, method_row, rationale_row, self.remark)
        fill_column(self, (self.opinions_view, 2), (self.pair, 3), self.form, spacing=12)

    def show_row(self, row: Disagreement | None) -> None:
        """Show a disagreement; `show_texts` adds the texts of a pair. The same one keeps its outcome."""
        previous_row, self.row = self.row, row
        is_same_row = (
            row is not None
            and previous_row is not None
            and (row.subject_id, row.about) == (previous_row.subject_id, previous_row.about)
        )
        current_outcome = self.outcome.currentData() if is_same_row else None
        current_opinions = self.opinions.selected_payloads() if is_same_row else []
        if row is None:
            self.draft.show_item("")
        else:
            self.draft.show_item(draft_item_id(row.subject_id, row.about), subject_id=row.subject_id)
        opinions = row.opinions if row else ()
        cells = [
            (Cell(item.annotator), Cell(translate_word(item.said)), Cell(item.why), moment_cell(item.created_at))
            for item in opinions
        ]
        self.opinions.set_rows(
            mark_words("who", "opinion", "why", "when"), cells, list(opinions), stretch=2, spare=(3,)
        )
        self.reason.clear()
        self.opinions.select_first(lambda opinion: opinion in current_opinions)
        self.opinions_view.show()
        self.heading.setText(f"{shorten_middle(row.title)} · {translate_word(row.what)}" if row else "")
        self.pair.setVisible(False)
        self.form.setVisible(row is not None)
        self.outcome.clear()
        if row is None:
            return
        outcomes = list(dict.fromkeys(item.said for item in opinions))
        outcomes += [row.outcome] if row.outcome and row.outcome not in outcomes else []
        outcomes += [word for word in _PAIR_OUTCOMES if row.about.startswith(PAIR) and word not in outcomes]
        for word in outcomes:
            self.outcome.addItem(translate_word(word), word)
        default_outcome = current_outcome if current_outcome in outcomes else row.majority
        self.outcome.setCurrentIndex(self.outcome.findData(row.outcome or default_outcome))
        majority_text = (
            tr("The majority says {majority}.", majority=translate_word(row.majority))
            if row.majority
            else tr("There is no majority.")
        )
        method, outcome = translate_word(row.method or ""), translate_word(row.outcome or "")
        settled_text = tr(
            "Settled by {method}: {outcome}. {rationale}", method=method, outcome=outcome, rationale=row.rationale
        )
        self.remark.setText(settled_text if row.outcome else majority_text)
        for widget in (self.method, self.outcome, self.rationale, self.settle_button):
            widget.setEnabled(row.outcome is None)

    def show_texts(self, texts: tuple[str, str, str]) -> None:
        """Show the two texts of a pair."""
        self._show_sides((tr("Left"), texts[1]), (tr("Right"), texts[2]), "markdown")

    def show_conflict(self, row: ConflictRow | None) -> None:
        """Show two conflicting versions of one row."""
        self.row = None
        self.opinions_view.hide()
        self.form.hide()
        if row is not None:
            ours, theirs = _fields_text(row.ours, row.theirs), _fields_text(row.theirs, row.ours)
            titles = (tr("Ours (kept)"), tr("Theirs (not used)"))
            if not row.is_one_row:
                first_person, second_person = (name or "?" for name in row.people)
                titles = (
                    tr("Earlier, by {name}", name=first_person),
                    tr("Later, by {name}", name=second_person),
                )
            self._show_sides((titles[0], ours), (titles[1], theirs), "yaml")
        self.pair.setVisible(row is not None)

    def _show_sides(self, left_side: tuple[str, str], right_side: tuple[str, str], language: str) -> None:
        for card, view, (title, text) in zip(
            self._side_cards, (self.left, self.right), (left_side, right_side), strict=True
        ):
            card.set_title(title)
            view.set_code(text, language)
        self.pair.setVisible(True)

    def _settle(self) -> None:
        if self.row is not None:
            self.settled.emit(self.method.currentData(), self.outcome.currentData() or "", self.rationale.text())

    def _show_reason(self, opinion: Opinion) -> None:
        self.reason.setText(opinion.why)


def _fields_text(row: dict[str, object], other: dict[str, object]) -> str:
    """Return a row's fields as text, those that differ from the other row first."""
    differing_fields = [f"{name}: {value}" for name, value in row.items() if value != other.get(name)]
    same_fields = [f"{name}: {value}" for name, value in row.items() if value == other.get(name)]
    return "\n".join([*differing_fields, "", tr("# the same in both"), *same_fields])


_MAX_VOTERS = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelState:
    """A panel's settings, the people who may chair it, and its report, or the reason why results are sealed.

    ``size`` is (voters, approvals needed), which only the ``chair`` can change; ``is_chair`` is True for the user.
    """

    size: tuple[int, int]
    chair: str
    is_chair: bool
    people: tuple[str, ...]
    has_pseudonyms: bool
    report: PanelReport | str


class PanelDialog(Dialog):
    """Edits the size and chair of the panel, and shows the distribution of approvals."""

    def __init__(self, theme: Theme, state: PanelState, parent: QWidget) -> None:
        super().__init__(parent, tr("Panel"))
        self.previous_state = state
        report = state.report
        self.voters = number_box(1, _MAX_VOTERS, state.size[0], tr("People who vote"))
        self.needed = number_box(1, _MAX_VOTERS, state.size[1], tr("Approvals that keep a subject"))
        self.chair = choice_box(tr("Chair, who may close votes"), [(name, name) for name in state.people])
        self.chair.setCurrentIndex(self.chair.findData(state.chair))
        chair_fields = (self.voters, self.needed, self.chair)
        form = make_form(*((field.accessibleName(), field) for field in chair_fields))
        for field in chair_fields:
            field.setEnabled(state.is_chair)
        self.pseudonyms_box = QCheckBox(tr("Releases show pseudonyms instead of names"))
        self.pseudonyms_box.setChecked(state.has_pseudonyms)
        form.addRow(self.pseudonyms_box)
        self.voters.valueChanged.connect(self._suggest)
        self.summary = label(report if isinstance(report, str) else _describe_panel_report(report), "dim", wrap=True)
        self.table = DataTable(tr("Approvals"))
        buttons = self.make_buttons(QDialogButtonBox.StandardButton.Save | QDialogButtonBox.StandardButton.Cancel)
        self.lay_out(form, self.summary, (self.table, 1), 0, buttons)
        if isinstance(report, str) or not report.subjects:
            self.table.hide()
        else:
            rows = [
                (Cell(str(approvals), approvals), Cell(str(count), count),
                 Cell(tr("kept") if approvals >= report.needed else tr("not kept")))
                for approvals, count in report.distribution.items()
            ]  # fmt: skip
            self.table.set_rows(mark_words("approvals", "subjects", "result"), rows, rows, stretch=2)
        self.resize(theme.pixels(460), theme.pixels(330 if self.table.isHidden() else 460))

    def _suggest(self, voters: int) -> None:
        self.needed.setMaximum(voters)
        self.needed.setValue(approvals_needed(voters))

    @property
    def panel_size(self) -> tuple[int, int]:
        """The number of voters and of approvals needed."""
        return self.voters.value(), self.needed.value()


def _describe_panel_report(report: PanelReport) -> str:
    if not report.subjects:
        return tr("Nobody has voted yet.")
    ac1 = report.agreement.ac1
    value = f"{ac1.value:.3f}" if ac1.value is not None else ac1.reason
    text = tr(
        "{kept} of {subjects} subjects are kept. Agreement of the voters (Gwet's AC1): {value}.",
        kept=report.kept,
        subjects=report.subjects,
        value=value,
    )
    if report.sealed:
        text += " " + tr("Still sealed: {sealed}.", sealed=report.sealed)
    return text


ASPECTS = mark_words("correctness", "difficulty", "applicability", "readability")
QUESTIONS = (
    ("realistic", mark_for_translation("Realistic scenario")),
    ("uses_llm", mark_for_translation("I would use a model for this")),
)
CHOICES = mark_words("yes", "no", "abstain")


class ReviewPanel(QWidget):
    """The form of a review (marks for four aspects) and a vote (two questions); its signals carry the subject's id."""

    review_saved = Signal(str, dict, str)
    voted = Signal(str, dict)

    def __init__(self, theme: Theme, drafts: DraftKeeper, keys: str = "") -> None:
        """``keys`` is the shortcut that casts the vote, shown on the button."""
        super().__init__()
        self.marks: dict[str, QComboBox] = {}
        self.answers: dict[str, Segments] = {}
        self._subject_id = ""
        self._last_votes: dict[str, str] = {}
        self._may_vote = False
        self.note = line_edit(tr("Note on the review"), tr("Note"))
        self.draft = DraftField.for_line(drafts, "consensus.review", self.note)
        self.draft_bar = DraftBar(theme, self.draft)
        self.save_button = button(tr("Save review"), primary=True, clicked=self._emit_changes)
        self.cast_button = button(tr("Cast vote"), keys, clicked=self._emit_vote)
        self.close_vote_button = button(tr("Close vote…"))
        self.panel_button = button(tr("Panel…"))
        self.state = label("", "dim", wrap=True)
        self.table = DataTable(tr("Reviews"))
        # Labels are above their boxes in a flow layout, so that large letters still fit.
        review, vote = FlowLayout(8), FlowLayout(8)
        for aspect in ASPECTS:
            self.marks[aspect] = self._choice(review, translate_word(aspect), (tr("none"), "1", "2", "3", "4", "5"))
        for question, question_text in QUESTIONS:
            name = translate_word(question_text)
            self.answers[question] = Segments(name, CHOICES, selected=self._offer_vote, preset=False)
            vote.addWidget(_with_caption(name, self.answers[question]))
        review.addWidget(label(tr("1 is bad, 5 is good"), "dim"))
        note = make_row((self.note, 1), self.save_button)
        vote_buttons = FlowLayout(8)
        for vote_button in (self.cast_button, self.close_vote_button, self.panel_button):
            vote_buttons.addWidget(vote_button)
        column = QWidget()
        vote_parts = make_column(vote, vote_buttons, self.state)
        fill_column(column, self.draft_bar, review, note, vote_parts, (self.table, 1))
        area = make_scroll(column)
        # The scroll area itself takes no focus; its fields are scrolled into view when they get it.
        fill_column(self, area)

    def _choice(self, row: FlowLayout, name: str, choices: tuple[str, ...]) -> QComboBox:
        box = choice_box(name, ((translate_word(word), word) for word in choices))
        row.addWidget(_with_caption(name, box))
        return box

    def show_state(self, subject_id: str, rows: tuple[ReviewRow, ...], votes: VoteState, reviewer: str) -> None:
        """Show all reviews of a subject, the state of its vote, and the marks and answers of the ``reviewer``.

        Unsaved marks and answers stay until another subject is shown or the saved votes change.
        """
        own_review = next((row for row in rows if row.annotator == reviewer), None)
        own_note = own_review.note if own_review is not None else ""
        if (subject_id, votes.mine) != (self._subject_id, self._last_votes):
            self._subject_id, self._last_votes = subject_id, votes.mine
            self._show_own(own_review)
            for question, choice in votes.mine.items():
                self.answers[question].choose(CHOICES.index(choice))
        self.draft.show_item(subject_id, own_note, subject_id=subject_id, began_from=own_note)
        headers = (*mark_words("who"), *ASPECTS, *mark_words("run", "note"))
        cells = [
            [Cell(row.annotator + (tr(" (stale)") if row.stale else ""))]
            + [Cell("" if mark is None else str(mark), mark or 0) for mark in (getattr(row, name) for name in ASPECTS)]
            + [Cell(row.run or tr("none")), Cell(row.note)]
            for row in rows
        ]
        self.table.set_rows(headers, cells, list(rows), stretch=6)
        self._may_vote = votes.may_vote
        self._offer_vote()
        self.close_vote_button.setEnabled(votes.may_close)
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
            for question, question_text in QUESTIONS:
                counts = (votes.tally or {}).get(question, {})
                if counts:
                    tally = join_list(f"{count} {translate_word(choice)}" for choice, count in counts.items())
                    summary += f" {translate_word(question_text)}: {tally}."
        self.state.setText(summary)

    def leave(self, subject_id: str) -> None:
        """Clear the marks and answers if another subject is about to be shown."""
        if subject_id != self._subject_id:
            self._subject_id, self._may_vote = "", False
            self._show_own(None)
            self._offer_vote()

    @property
    def may_vote(self) -> bool:
        """Whether the reviewer may vote on the subject shown."""
        return self._may_vote

    def answer(self, choice: str) -> None:
        """Answer the first unanswered question of the vote; if all are answered, start over with the first."""
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
        """Enable the button that casts the vote once every question has an answer."""
        self.save_button.setEnabled(bool(self._subject_id))
        self.cast_button.setEnabled(self._may_vote and all(answer.current >= 0 for answer in self.answers.values()))

    def _emit_changes(self) -> None:
        marks = {name: int(box.currentText()) for name, box in self.marks.items() if box.currentIndex()}
        self.review_saved.emit(self._subject_id, marks, self.note.text())

    def _emit_vote(self) -> None:
        self.voted.emit(
            self._subject_id, {question: CHOICES[answer.current] for question, answer in self.answers.items()}
        )


def _with_caption(name: str, field: QWidget) -> QWidget:
    """Return a field with its caption above it."""
    pair = QWidget()
    fill_column(pair, label(name, "dim"), field, spacing=2)
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


class ArtefactPanel(ArtefactEditor):
    """The solution or the tests, editable, with the state of the three-expert rule."""

    artefact_chosen = Signal(str)
    confirmed = Signal(str, str, str)

    def __init__(self, session: Session, store: ProjectFile, theme: Theme) -> None:
        super().__init__(session, store, theme)
        self.artefact_choice = Segments(tr("Artefact"), (tr("Solution"), tr("Tests")), selected=self._choose)
        self.state = label("", "dim", wrap=True)
        self.note = line_edit(tr("Note on the edit or confirmation"), tr("Note; a rejection needs one"))
        self.note_draft = DraftField.for_line(session.drafts, "consensus.note", self.note)
        self.draft_bar.follow(self.note_draft)
        self.saved.connect(self.note_draft.clear)
        self.reject_button = button(tr("Reject"), clicked=self._reject)
        self.confirm_button = button(tr("Confirm"), primary=True, clicked=self._confirm)
        head = make_row(self.artefact_choice, (self.state, 1))
        foot = make_row(self.save_button, 1, self.reject_button, self.confirm_button)
        editors = make_column((self.code, 1), (self.tests, 1))
        fill_column(self, head, self.draft_bar, (editors, 1), self.note, foot)

    @property
    def chosen_artefact(self) -> str:
        """The name of the chosen artefact."""
        return ARTEFACTS[self.artefact_choice.current]

    def show_row(self, subject_id: str, title: str, row: ArtefactRow, language: str) -> None:
        """Show an artefact with its confirmations; an unsaved edit is restored from its draft."""
        super().show_row(subject_id, title, row, language)
        self.note_draft.show_item(draft_item_id(subject_id, row.artefact), subject_id=subject_id)
        editor_text = tr("edited by {edited_by}", edited_by=row.edited_by) if row.edited_by else tr("not edited")
        confirmed_text = (
            tr("confirmed by {list}", list=", ".join(row.confirmed_by)) if row.confirmed_by else tr("not confirmed")
        )
        run_text = tr("; its test run: {run}", run=translate_word(row.run)) if row.run else ""
        missing_text = tr("; {missing} more needed", missing=row.missing) if row.missing else ""
        summary = f"{join_list((editor_text, confirmed_text))}{missing_text}{run_text}"
        self.state.setText(tr("{name}: {value}", name=translate_word(row.state), value=summary))
        self.confirm_button.setEnabled(row.may_confirm)

    def edit_note(self) -> str:
        """Return the note."""
        return self.note.text()

    def _choose(self, _number: int) -> None:
        self.artefact_chosen.emit(self.chosen_artefact)

    def _confirm(self) -> None:
        self.confirmed.emit(self.artefact, "confirm", self.note.text())

    def _reject(self) -> None:
        self.confirmed.emit(self.artefact, "reject", self.note.text())
