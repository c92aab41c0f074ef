"""The page Consensus: settle disagreements, and review, vote and comment on subjects."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtWidgets import QApplication

from annotator.base.errors import BadInputError
from annotator.jobs.progress import Progress
from annotator.model.changes import Changes
from annotator.model.rows.draft_rows import Draft
from annotator.model.rows.judging_rows import (
    ArtefactRow,
    CommentRow,
    ConflictRow,
    Disagreement,
    PanelRow,
    ReviewRow,
    VoteState,
)
from annotator.model.rows.queue_rows import SubjectRow
from annotator.model.tables.judging_tables import PAIR
from annotator.model.vocabulary import Verdict
from annotator.services.consensus import aspect_reviews, disagreements, panel_votes, three_experts
from annotator.services.consensus.panel_votes import PanelReport
from annotator.services.project import members
from annotator.services.select import triage
from annotator.store.file.project_file import ProjectFile
from annotator.ui.app.base_page import PageContext
from annotator.ui.app.session.session_notices import WorkFailure
from annotator.ui.app.translation import mark_for_translation, tr, translate_word
from annotator.ui.pages.consensus.expert_panel import (
    CHOICES,
    ArtefactPanel,
    PanelDialog,
    PanelState,
    ReviewPanel,
    SettlePanel,
)
from annotator.ui.pages.consensus.packet_acts import PacketActs
from annotator.ui.pages.desk.steps import DeskStep, ReviewDesk, SavedItem
from annotator.ui.pages.shared.artefact_editor import ARTEFACT_DRAFT, ARTEFACTS, draft_item_id
from annotator.ui.pages.shared.subject_tabs import COMMENTS
from annotator.ui.widgets.card import Card, EmptyState
from annotator.ui.widgets.draft_field import DRAFT_DOT, DraftField, ask_on_page
from annotator.ui.widgets.labels import OptionalLabel, Segments, TabRow
from annotator.ui.widgets.layouts import CurrentStack, fill_column, make_stack
from annotator.ui.widgets.line_queue import DESK_WIDTH, LineQueue, QueueLine, QueueSplitter

ConsensusRow = Disagreement | PanelRow | CommentRow | ConflictRow

OPEN, SETTLED, SUBJECTS, MENTIONS, CONFLICTS = range(5)
_FACES = (
    mark_for_translation("Open"),
    mark_for_translation("Settled"),
    mark_for_translation("Subjects"),
    mark_for_translation("Mentions"),
    mark_for_translation("Conflicts"),
)
_EMPTY_TEXTS = {
    OPEN: (
        mark_for_translation("No disagreements"),
        mark_for_translation(
            "Decisions, ratings, votes and judgements that differ are listed here. To review or vote, choose Subjects."
        ),
    ),
    SETTLED: (
        mark_for_translation("Nothing settled yet"),
        mark_for_translation("Settled disagreements are listed here, with who settled them and why."),
    ),
    SUBJECTS: (
        mark_for_translation("No accepted subjects yet"),
        mark_for_translation("Accept candidates on the Select page; they are reviewed here."),
    ),
    MENTIONS: (
        mark_for_translation("No mentions"),
        mark_for_translation("Unanswered comments with your @name are listed here."),
    ),
    CONFLICTS: (
        mark_for_translation("No conflicts"),
        mark_for_translation("Where a merged file and yours differ, both versions are listed here."),
    ),
}
_TABS = (
    mark_for_translation("Opinions"),
    mark_for_translation("Review and vote"),
    mark_for_translation("Three experts"),
)
_OPINIONS, _REVIEW, _EXPERTS = range(len(_TABS))
_TAB_OF_DRAFT = {
    "consensus.settlement": _OPINIONS,
    "consensus.review": _REVIEW,
    ARTEFACT_DRAFT: _EXPERTS,
    "consensus.note": _EXPERTS,
}
"""The tab of each draft field, by its name in the journal of drafts."""
_COMMENT = "consensus.comment"
_TAB_OF_NOUN = {
    "resolution": _OPINIONS,
    "review": _REVIEW,
    "vote": _REVIEW,
    "revision": _EXPERTS,
    "confirmation": _EXPERTS,
}
"""The tab that shows a change, by the change's noun."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SubjectDetails:
    """The data about one subject that the right side shows."""

    subject_id: str
    reviews: tuple[ReviewRow, ...]
    votes: VoteState
    artefact: ArtefactRow
    locked: bool
    title: str
    language: str


class ConsensusPage(ReviewDesk):
    """A list to choose from on the left, and the subject of the selected row on the desk."""

    name = "Consensus"
    icon = "ph.users-three"

    def __init__(self, context: PageContext) -> None:
        super().__init__(context)
        self.subject_id = ""
        self._followed_row: SubjectRow | None = None
        """The previous page's subject, until the list is loaded."""
        self._row_key: tuple[str, str] | None = None
        """The key of the current row of the list."""
        self.faces = Segments(tr("List"), _FACES, selected=self._choose_list, wrap=True)
        self.empty = EmptyState(self.theme, "ph.users-three", *_EMPTY_TEXTS[OPEN])
        self.queue = LineQueue(self.theme, tr("Topics"), self.faces)
        self.table = self.queue.table
        self.table.row_selected.connect(self._select)
        self.table.row_opened.connect(self._start_work)
        self.settle_panel = SettlePanel(self.theme, self.session.drafts)
        self.settle_panel.settled.connect(self.resolve)
        self.review = ReviewPanel(self.theme, self.session.drafts, context.actions.keys("consensus.cast"))
        self.artefact = ArtefactPanel(self.session, self.store, self.theme)
        self.review.review_saved.connect(self._review)
        self.review.voted.connect(self._vote)
        self.review.panel_button.clicked.connect(self.open_panel)
        self.review.close_vote_button.clicked.connect(self.close_vote)
        self.artefact.artefact_chosen.connect(self._load_subject)
        self.artefact.problem_changed.connect(self._say_problem)
        self.artefact.confirmed.connect(self._confirm)
        self.problem = OptionalLabel("problem")
        self._is_locked = False
        self.packets = PacketActs(self.session, self.store, self)
        self.tabs = TabRow(tr("Information about the subject"))
        self.stack = make_stack(self.settle_panel, self.review, self.artefact, kind=CurrentStack)
        for word in _TABS:
            self.tabs.add_tab(translate_word(word))
        self.tabs.current_changed.connect(self.stack.setCurrentIndex)
        self._fields_by_tab = (
            (self.settle_panel.draft,),
            (self.review.draft,),
            (self.artefact.draft, self.artefact.note_draft),
        )
        for fields in self._fields_by_tab:
            for field in fields:
                field.has_draft_changed.connect(self._mark_drafts)
        self.middle = Card("", self.tabs, self.problem, (self.stack, 1))
        frame = self.build_frame((("consensus.lock", tr("Lock"), False),), self.middle)
        self.title, self.lock = frame.header.title, frame.header.buttons["consensus.lock"]
        self.right = make_stack(frame, self.empty)
        self.splitter = QueueSplitter(self.theme, "consensus-splitter", DESK_WIDTH)
        # The list starts narrow, because the work beside it needs the space.
        self.splitter.fill(self.queue, self.right, (200, 940))
        fill_column(self, self.splitter, margin=(0, 8, 12, 8))
        self._clear_subject()
        self.table.menu.add(context.actions.add_page_actions)

    def _mark_drafts(self) -> None:
        """Put a dot on the tabs with unsaved text."""
        for index, (word, fields) in enumerate(zip(_TABS, self._fields_by_tab, strict=True)):
            has_draft = any(field.has_draft for field in fields)
            text, tip = translate_word(word), ""
            if has_draft:
                text, tip = f"{text} {DRAFT_DOT}", tr("Draft, not saved yet")
            self.tabs.set_text(index, text, tip)

    # -- lists ----------------------------------------------------------------------------------------------------

    def activate(self) -> None:
        """Load the list and focus it."""
        self._load()
        self.queue.focus_list()

    def refresh(self, changes: Changes) -> None:
        """Reload on every change, because almost any one can open or settle a disagreement."""
        self._load()
        if not changes.subjects or self.subject_id in changes.subjects:
            self._load_subject()
        self.reload_item(changes)

    def handlers(self) -> dict[str, Callable[[], object]]:
        """Return the page's handlers by action id."""
        return {
            **self.step_handlers(),
            "consensus.lock": self.toggle_lock,
            "consensus.panel": self.open_panel,
            "consensus.yes": partial(self._answer, "yes"),
            "consensus.no": partial(self._answer, "no"),
            "consensus.abstain": partial(self._answer, "abstain"),
            "consensus.cast": self._cast,
            "packet.export": self.packets.ask_to_export,
            "packet.import": self.packets.ask_to_import,
        }

    def show_subject(self, subject_id: str) -> None:
        """Show a subject at another page's request."""
        self.subject_id, self._row_key, self._followed_row = subject_id, None, None
        self.tabs.choose(_REVIEW)
        self._load_subject()

    def follow_subject(self, row: SubjectRow) -> None:
        """Select another page's subject in the list; if the list is empty, show the subject if it is accepted."""
        if row.id != self.subject_id:
            self._followed_row = row
            self._load()

    def _follow(self, subject_ids: Sequence[str]) -> None:
        followed_row, self._followed_row = self._followed_row, None
        if followed_row is not None and followed_row.id in subject_ids:
            self.subject_id, self._row_key = followed_row.id, None
        elif followed_row is not None and followed_row.verdict == Verdict.ACCEPT and not subject_ids:
            self.show_subject(followed_row.id)

    def show_draft(self, draft: Draft) -> None:
        """Show the tab of a draft with its subject or disagreement."""
        tab = _TAB_OF_DRAFT.get(draft.key.field, _REVIEW)
        if draft.key.field == _COMMENT:
            self.frame.show_tab(COMMENTS)
        self.faces.choose(OPEN if tab == _OPINIONS else SUBJECTS)
        topic = draft.key.item_id.partition(" ")[2]
        if topic in ARTEFACTS:
            self.artefact.artefact_choice.choose(ARTEFACTS.index(topic))
        self.show_subject(draft.subject_id)
        if tab == _OPINIONS:
            self._row_key = draft.subject_id, topic
        self.tabs.choose(tab)

    def reveal(self, changes: Changes) -> bool:
        """Show the subject of an undo or redo and the tab of the act."""
        if not changes.nouns & {*_TAB_OF_NOUN, "comment", "lock"}:
            return False
        if changes.subjects and self.subject_id not in changes.subjects:
            self.subject_id, self._row_key = min(changes.subjects), None
            self._load()
            self._load_subject()
        tab = next((noun_tab for noun, noun_tab in _TAB_OF_NOUN.items() if noun in changes.nouns), None)
        if tab is not None:
            self.frame.show_work()
            self.tabs.choose(tab)
        elif "comment" in changes.nouns:
            self.frame.show_tab(COMMENTS)
        return True

    def go_to_step(self, step: DeskStep) -> None:
        """Show the text of a step; for the step Reviewed, show this page's review form."""
        if step != DeskStep.REVIEWED:
            super().go_to_step(step)
            return
        self.frame.show_work()
        self.tabs.choose(_REVIEW)
        next(iter(self.review.marks.values())).setFocus()

    def _start_work(self) -> None:
        """Focus the first field to work on: the rationale, a mark, the solution or the comments."""
        self.frame.show_work()
        first_fields = (self.settle_panel.rationale, next(iter(self.review.marks.values())), self.artefact)
        if self.faces.current == MENTIONS:
            self.frame.show_tab(COMMENTS)
            self.details.focus_tab(COMMENTS)
        else:
            first_fields[self.tabs.current].setFocus()
        self.frame.show_focus()

    def _choose_list(self, _number: int) -> None:
        self._clear_subject()
        self._load()

    def _clear_subject(self) -> None:
        self.subject_id, self._row_key = "", None
        focus = QApplication.focusWidget()
        if focus is not None and self.middle.isAncestorOf(focus):
            self.queue.focus_list()
        self.title.set_full("")
        self.show_item("")
        self.settle_panel.show_row(None)
        self.review.leave("")
        self.tabs.setEnabled(False)
        self.stack.setEnabled(False)
        self.tabs.choose(_OPINIONS)

    def _load(self) -> None:
        face = self.faces.current
        work = partial(_read_list, self.store, face)
        self.session.run("read", work, partial(self._show_list, face), latest="consensus-list")

    def _show_list(self, face: int, rows: Sequence[ConsensusRow]) -> None:
        if face != self.faces.current:
            return
        self.empty.set_text(*_EMPTY_TEXTS[face])
        self.queue.empty_text = translate_word(_EMPTY_TEXTS[face][0])
        self.queue.set_lines([_line_of(row) for row in rows], rows)
        all_rows, rows = rows, self.queue.payloads
        self._follow([_subject_of(row) for row in rows])
        if rows:
            row_keys, subject_ids = [_row_key(row) for row in rows], [_subject_of(row) for row in rows]
            if self._row_key in row_keys:
                self.table.select(row_keys.index(self._row_key))
            elif self.subject_id in subject_ids:
                self.table.select(subject_ids.index(self.subject_id))
            elif not self.subject_id or self._row_key is not None:
                self.table.select(0)
        elif not self.subject_id or (face in (OPEN, SETTLED) and self._row_key is not None):
            # A subject requested by another page stays, listed or not.
            self._clear_subject()
        self.right.setCurrentWidget(self.frame if all_rows or self.subject_id else self.empty)

    def _select(self, row: ConsensusRow) -> None:
        # A reload of the list keeps the current tab.
        is_same_row, self._row_key = _row_key(row) == self._row_key, _row_key(row)
        self.subject_id = _subject_of(row)
        tab = _OPINIONS
        if isinstance(row, ConflictRow):
            self.show_item("")
            self.title.set_full(tr("Conflict in {table}", table=row.table))
            self.stack.setEnabled(True)
            self.settle_panel.show_conflict(row)
        elif isinstance(row, Disagreement):
            self.settle_panel.show_row(row)
            if row.about.startswith(PAIR):
                work = partial(disagreements.pair_texts, self.store, row.about.partition(":")[2])
                self.session.run("read", work, partial(self._show_texts, row), latest="consensus-pair")
        else:
            self.settle_panel.show_row(None)
            tab = max(_REVIEW, self.tabs.current)
        if not is_same_row:
            self.tabs.choose(tab)
            if isinstance(row, CommentRow):
                self.frame.show_tab(COMMENTS)
        self._load_subject()

    def _show_texts(self, row: Disagreement, texts: tuple[str, str, str]) -> None:
        if self.settle_panel.row is row:
            self.settle_panel.show_texts(texts)

    # -- one subject ----------------------------------------------------------------------------------------------

    def _load_subject(self, _artefact: str = "") -> None:
        self.review.leave(self.subject_id)
        if self.subject_id:
            self.right.setCurrentWidget(self.frame)
            self.show_item(self.subject_id)
            work = partial(_read_subject, self.store, self.subject_id, self.artefact.chosen_artefact)
            self.session.run("read", work, self._show_details, latest="consensus-subject")

    def _show_details(self, details: SubjectDetails) -> None:
        if details.subject_id != self.subject_id:
            return
        self.tabs.setEnabled(True)
        self.stack.setEnabled(True)
        self._is_locked = details.locked
        self.frame.header.set_word("consensus.lock", tr("Unlock…") if details.locked else tr("Lock"))
        self.show_header(self.item)
        self.review.show_state(details.subject_id, details.reviews, details.votes, self.store.annotator.name)
        self.artefact.show_row(details.subject_id, details.title, details.artefact, details.language)

    def show_header(self, item: SavedItem | None) -> None:
        """Show the subject with its lock."""
        super().show_header(item)
        if item is not None and self._is_locked:
            self.title.set_full(item.view.row.title + tr(" (locked)"))

    def resolve(self, method: str, outcome: str, rationale: str) -> None:
        """Settle the current disagreement."""
        row = self.settle_panel.row
        if row is not None:
            settle = partial(disagreements.resolve_disagreement, self.store, row.subject_id, row.about, method)
            work = partial(settle, outcome=outcome, rationale=rationale)
            field = self.settle_panel.draft
            on_done = partial(self._announce_settled, field, field.item_id, rationale, outcome)
            self.session.act(work, on_done, self._show_failure, text=rationale)

    def _announce_settled(
        self, field: DraftField, item_id: str, rationale: str, outcome: str, changes: Changes
    ) -> None:
        self._finish_writing(field, item_id, rationale, changes)
        self.session.say(tr("Settled: {outcome}.", outcome=translate_word(outcome)))

    def _review(self, subject_id: str, marks: dict[str, int | None], note: str) -> None:
        self._act(partial(aspect_reviews.add_review, self.store, subject_id, marks, note), note, self.review.draft)

    def _answer(self, choice: str) -> None:
        if self.subject_id:
            self.frame.show_work()
            self.tabs.choose(_REVIEW)
            self.review.answer(choice)

    def _cast(self) -> None:
        if self.review.cast_button.isEnabled():
            self.review.cast_button.click()
        elif self.review.may_vote:
            yes, no, abstain = (self.context.actions.keys(f"consensus.{word}") for word in CHOICES)
            self.session.say(
                tr(
                    "Answer both questions of the vote first: {yes} for yes, {no} for no, {abstain} to abstain.",
                    yes=yes,
                    no=no,
                    abstain=abstain,
                )
            )
        elif self.subject_id:
            self.session.say(tr("You cannot vote on this subject: the vote is closed, or you have edited the subject."))

    def _vote(self, subject_id: str, answers: dict[str, str]) -> None:
        self.session.act(
            partial(panel_votes.cast_vote, self.store, subject_id, answers), self._show_next, self._show_failure
        )

    def _show_next(self, changes: Changes) -> None:
        """Go on to the next subject of the list after a vote."""
        self._hide_problem(changes)
        if self.faces.current == SUBJECTS and self.subject_id in changes.subjects:
            self.queue.step(1)

    def _confirm(self, artefact: str, verdict: str, note: str) -> None:
        """Confirm or reject an artefact, as a job because a confirmation runs the tests."""
        if self.subject_id:
            verb, noun = translate_word(verdict.capitalize()), translate_word(artefact)
            work = partial(_confirm, self.store, self.subject_id, artefact, verdict, note)
            label = tr("{verdict} the {artefact}", verdict=verb, artefact=noun)
            on_done = partial(
                self._finish_writing, self.artefact.note_draft, draft_item_id(self.subject_id, artefact), note
            )
            self.session.start_job(label, work, on_done, self._show_failure)

    def toggle_lock(self) -> None:
        """Lock the subject, or unlock it with a reason."""
        if not self.subject_id:
            return
        # The list may show another subject once the question is answered.
        subject_id, is_locked, reason = self.subject_id, self._is_locked, ""
        if is_locked:
            answer = self._ask_why(tr("Unlock"), tr("Why reopen it?"), "consensus.unlock")
            if answer is None:
                return
            reason = answer
        self._act(partial(aspect_reviews.set_locked, self.store, subject_id, not is_locked, reason), reason)

    def close_vote(self) -> None:
        """Close the vote on the subject before everybody has voted, with a reason."""
        if not self.subject_id:
            return
        subject_id = self.subject_id
        question = tr("Why close the vote before all have voted? This cannot be undone.")
        reason = self._ask_why(tr("Close the vote"), question, "consensus.close-vote")
        if reason is not None:
            self._act(partial(panel_votes.close_panel_vote, self.store, subject_id, reason), reason)

    def _ask_why(self, title: str, question: str, name: str) -> str | None:
        return ask_on_page(self, title, question, name=name, item_id=self.subject_id, subject_id=self.subject_id)

    def _act(self, work: Callable[[], Changes], text: str = "", field: DraftField | None = None) -> None:
        if self.subject_id:
            on_done = (
                partial(self._finish_writing, field, field.item_id, text) if field is not None else self._hide_problem
            )
            self.session.act(work, on_done, self._show_failure, text=text)

    def _finish_writing(self, field: DraftField, item_id: str, text: str, changes: Changes) -> None:
        field.clear(item_id, text)
        self._hide_problem(changes)

    def _hide_problem(self, _changes: Changes) -> None:
        self.problem.setText("")

    def _show_failure(self, failure: WorkFailure) -> None:
        self._say_problem(failure.message)

    def _say_problem(self, text: str) -> None:
        self.problem.setText(text)

    # -- the panel of voters --------------------------------------------------------------------------------------

    def open_panel(self) -> None:
        """Load the panel and its report, then open the dialog."""
        self.session.run("read", partial(_read_panel, self.store), self._show_panel, latest="consensus-panel")

    def _show_panel(self, panel_state: PanelState) -> None:
        dialog = PanelDialog(self.theme, panel_state, self)
        dialog.accepted.connect(partial(self._save_panel, dialog))
        dialog.open_once()

    def _save_panel(self, dialog: PanelDialog) -> None:
        state, chair = dialog.previous_state, dialog.chair.currentData()
        if dialog.panel_size != state.size:
            self.session.act(partial(panel_votes.set_panel, self.store, *dialog.panel_size), None, self._show_failure)
        if chair != state.chair:
            self.session.act(partial(panel_votes.set_chair, self.store, chair), None, self._show_failure)
        if dialog.pseudonyms_box.isChecked() != state.has_pseudonyms:
            name_policy = panel_votes.PSEUDONYMS if dialog.pseudonyms_box.isChecked() else panel_votes.NAMES
            self.session.act(partial(panel_votes.set_voter_names, self.store, name_policy), None, self._show_failure)


def _subject_of(row: ConsensusRow) -> str:
    if isinstance(row, ConflictRow):
        return ""
    return row.id if isinstance(row, PanelRow) else row.subject_id


def _row_key(row: ConsensusRow) -> tuple[str, str]:
    """Return the key that identifies a row of a list."""
    return (row.subject_id, row.about) if isinstance(row, Disagreement) else ("", row.id)


def _line_of(row: ConsensusRow) -> QueueLine:
    """Return a row of any list as title, facts and chip."""
    if isinstance(row, Disagreement):
        positions = row.outcome or " / ".join(dict.fromkeys(translate_word(item.said) for item in row.opinions))
        return QueueLine(row.title, f"{translate_word(row.what)} · {translate_word(positions)}", None)
    if isinstance(row, CommentRow):
        return QueueLine(row.text, f"{row.annotator} · {row.title}")
    if isinstance(row, ConflictRow):
        return QueueLine(", ".join(row.differing), f"{row.table} · {row.key or row.row_id[:8]}")
    votes = tr("{cast} of {voters} votes", cast=row.cast, voters=row.voters)
    if not row.cast:
        return QueueLine(row.title, votes)
    if row.approvals is None:
        return QueueLine(row.title, votes, (tr("sealed"), "neutral"))
    return QueueLine(row.title, votes, (tr("kept"), "good") if row.kept else (tr("not kept"), "bad"))


def _read_list(store: ProjectFile, face: int) -> Sequence[ConsensusRow]:
    if face == OPEN:
        return disagreements.load_disagreements(store)
    if face == SETTLED:
        return tuple(row for row in disagreements.load_disagreements(store, settled=True) if row.outcome is not None)
    if face == SUBJECTS:
        return panel_votes.panel_rows(store)
    return aspect_reviews.unanswered_mentions(store) if face == MENTIONS else disagreements.load_conflicts(store)


def _read_subject(store: ProjectFile, subject_id: str, artefact: str) -> SubjectDetails:
    row = triage.load_subject_row(store, subject_id)
    return SubjectDetails(
        subject_id=subject_id,
        reviews=aspect_reviews.list_reviews(store, subject_id),
        votes=panel_votes.vote_state(store, subject_id),
        artefact=three_experts.load_artefact(store, subject_id, artefact),
        locked=aspect_reviews.is_subject_locked(store, subject_id),
        title=row.title,
        language=row.language,
    )


def _read_panel(store: ProjectFile) -> PanelState:
    report: PanelReport | str
    chair = panel_votes.chair_name(store)
    try:
        report = panel_votes.panel_report(store)
    except BadInputError as error:
        report = error.message
    return PanelState(
        size=panel_votes.panel_size(store),
        chair=chair,
        is_chair=chair == store.annotator.name,
        people=tuple(person.name for person in members.list_annotators(store)),
        has_pseudonyms=panel_votes.voter_names(store) == panel_votes.PSEUDONYMS,
        report=report,
    )


def _confirm(
    store: ProjectFile, subject_id: str, artefact: str, verdict: str, note: str, _progress: Progress
) -> Changes:
    return three_experts.record_confirmation(store, subject_id, artefact, verdict, note)
