"""The page Bugs: review implanted bugs beside their reference and proof; a second view lists items made from code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QHBoxLayout, QLineEdit, QSplitter, QWidget

from annotator.base.messages import Message
from annotator.construction.bugs.taxonomy import FAMILIES
from annotator.jobs.progress import Progress
from annotator.llm.client import CachedAsker, Client
from annotator.llm.templates import Helper
from annotator.model.changes import Changes
from annotator.model.rows.bug_rows import KINDS, BugRow, BugView, ProposedRow
from annotator.model.rows.draft_rows import Draft
from annotator.model.rows.queue_rows import SubjectRow
from annotator.model.rows.run_rows import SetupRow
from annotator.model.rows.task_rows import TASK_FAMILIES, MadeRow
from annotator.services import suggestions
from annotator.services.bugs import combined_bugs, implanted_bugs, model_bugs
from annotator.services.edit_conflicts import EditConflictError
from annotator.services.runs import run_setups
from annotator.services.runs.recorder import StoreCache
from annotator.services.tasks import making
from annotator.store.file.project_file import ProjectFile
from annotator.ui.app.base_page import PageContext
from annotator.ui.app.session.session_notices import WorkFailure
from annotator.ui.app.translation import mark_for_translation, tr, tr_count, tr_message, translate_word
from annotator.ui.pages.bugs.bug_proof_panel import BugProof, bug_kind_word, bug_line, bug_state_chip, mark_differences
from annotator.ui.pages.bugs.task_panel import ReviewQueue, TaskPanel
from annotator.ui.pages.desk.steps import DeskFrame, ReviewDesk, SavedItem
from annotator.ui.pages.shared.edit_conflict_choice import ConflictDialog
from annotator.ui.pages.shared.model_suggestions import offer_endpoints
from annotator.ui.pages.shared.subject_page import announce_ignored_key
from annotator.ui.widgets.card import Card, EmptyState
from annotator.ui.widgets.code.code_view import CodeView
from annotator.ui.widgets.code.diff_view import scroll_together
from annotator.ui.widgets.dialog import Dialog
from annotator.ui.widgets.draft_field import DraftBar, DraftDot, DraftField
from annotator.ui.widgets.fields import TickList, choice_box, make_editable, number_box
from annotator.ui.widgets.labels import Segments, button, label
from annotator.ui.widgets.layouts import CurrentStack, fill_column, make_form, make_row, make_splitter, make_stack
from annotator.ui.widgets.line_queue import DESK_WIDTH, QueueSplitter, fits_search


class AskDialog(Dialog):
    """The form to ask a model for bugs; its button is enabled when the form is complete."""

    def __init__(self, endpoints: Sequence[SetupRow], kinds: Sequence[str], parent: QWidget | None = None) -> None:
        """Offer these endpoints and kinds of bugs; the first kind is ticked."""
        super().__init__(parent, tr("Ask a model for bugs"), name="ask-for-bugs-dialog")
        self.endpoint, self.model = choice_box(tr("Endpoint")), QLineEdit()
        make_editable(self.endpoint, "http://localhost:8000/v1")
        offer_endpoints(self.endpoint, endpoints)
        self.model.setPlaceholderText(tr("Name of the model at the endpoint"))
        self.kinds = TickList(kinds, kinds[:1], 180, bug_kind_word)
        self.count = number_box(1, 20, 3)
        self.problem = label("", "problem", wrap=True)
        self.ask_button = button(tr("Ask"), primary=True)
        self.buttons = self.make_buttons(QDialogButtonBox.StandardButton.Cancel, self.ask_button)
        form = make_form(
            (tr("&Endpoint"), self.endpoint), (tr("&Model"), self.model), (tr("&Kinds"), self.kinds),
            (tr("Bugs of each kind"), self.count),
        )  # fmt: skip
        about = label(tr("Each proposed bug is proven before reviewers see it."), "dim", wrap=True)
        self.lay_out(about, form, self.problem, self.buttons)
        self.setMinimumWidth(440)
        self.endpoint.editTextChanged.connect(self._check)
        self.model.textChanged.connect(self._check)
        self.kinds.itemChanged.connect(self._check)
        self._check()

    def _check(self, _changed: object = None) -> None:
        problem = ""
        if not self.endpoint.currentText().strip():
            problem = tr("Choose an endpoint, or type an address.")
        elif not self.kinds.ticked_names:
            problem = tr("Tick a kind of bug.")
        self.problem.setText(problem)
        self.ask_button.setEnabled(not problem and bool(self.model.text().strip()))


_NO_BUG = mark_for_translation(
    "Bugs are implanted in accepted subjects that have code and tests. Only proven bugs are listed here for review."
)
_MAX_REASONS = 3
"""Shown when no bug could be proven, each naming its subject."""
_STATES_BY_LIST = (("unproven", "proven", "in_review", "disputed"), ("accepted",), ("rejected",))
_BUG_NOUNS = frozenset({"bug", "bug_review"})
_DECIDED_STATES = ("accepted", "rejected")
BUG = mark_for_translation("Bug")
"""The tab with the reference and the code with the bug."""


class BugsPage(ReviewDesk):
    """Lists the bugs of the project and reviews one."""

    name = "Bugs"
    icon = "ph.bug"
    queue: ReviewQueue[BugRow]

    def __init__(self, context: PageContext) -> None:
        """Build the queue, the change, the proof and the review form."""
        super().__init__(context)
        self.view: BugView | None = None
        self.is_editing = False
        self._followed_subject_id = ""
        """The id of the previous page's subject, until the list is reloaded."""
        self._revealed_subject_ids: frozenset[str] | None = None
        """The subject ids of an undo or redo whose bug is to be shown after the reload; empty if unknown."""
        self.empty_state = EmptyState(self.theme, "ph.bug", tr("No bug yet"), _NO_BUG, tr("Propose bugs"))
        self.empty_state.acted.connect(self.propose)
        self.proof = BugProof(self.theme, self.session.drafts)
        self.proof.rejection_entered.connect(self._reject_by_reason)
        self.matrix, self.aspects, self.reason = self.proof.matrix, self.proof.aspects, self.proof.reason
        self.problem = self.proof.problem
        code_splitter = self._build_codes()
        self.queue = self._build_queue()
        self.mix_label = label("", "dim", wrap=True)
        """The number of bugs per family, and the kinds that the last proposal could not place."""
        self._proposed_rows: tuple[ProposedRow, ...] = ()
        self._empty_texts = (tr("No bug yet"), _NO_BUG)
        """Title and text shown while the project has no bug, such as why the last proposal yielded none."""
        self.queue.below.addWidget(self.mix_label)
        self.table = self.queue.table
        self.table.row_opened.connect(self._start_review)
        frame = self._build_desk(code_splitter)
        self.right = make_stack(frame, self.empty_state)
        self.splitter = QueueSplitter(self.theme, "bugs-splitter", DESK_WIDTH)
        self.splitter.fill(self.queue, self.right, (330, 940))
        self.tasks = TaskPanel(self.context, self.store)
        self.tasks.items_requested.connect(self.make)
        self.stack = make_stack(self.splitter, self.tasks, kind=CurrentStack)
        fill_column(self, self._build_bar(), (self.stack, 1), margin=(0, 8, 12, 8))
        for queue_table in (self.table, self.tasks.table):
            queue_table.menu.add(self.context.actions.add_page_actions)
        self.tasks.table.row_opened.connect(self.tasks.prompt.setFocus)
        self.tasks.table.letter_ignored.connect(partial(announce_ignored_key, self.session))
        self._show(None)
        self._show_face(0)
        self.theme.changed.connect(self._fit_bar)

    def _build_desk(self, code_splitter: QSplitter) -> DeskFrame:
        header_acts = (
            ("select.reject", tr("Reject"), False),
            ("bugs.edit", tr("Edit"), False),
            ("select.accept", tr("Accept"), True),
        )
        body = make_splitter(Qt.Orientation.Vertical, self.proof.proof_card, self.proof.review_card, sizes=(300, 300))
        body.setObjectName("bugs-work")
        frame = self.build_frame(header_acts, body)
        frame.material.put_first(BUG, code_splitter)
        self.title, self.edit_button = frame.header.title, frame.header.buttons["bugs.edit"]
        return frame

    def _build_bar(self) -> QHBoxLayout:
        self.faces = Segments(tr("View"), (tr("Bugs"), tr("Items from code")), selected=self._show_face)
        row = make_row(self.faces, 1)
        acts = (
            (tr("Combine bugs"), self.combine),
            (tr("Ask a model…"), self.ask),
            (tr("Propose bugs"), self.propose),
            (tr("Make items"), self.make),
        )
        self.bar_buttons = {}
        for text, on_click in acts:
            self.bar_buttons[text] = button(text, clicked=on_click)
            row.addWidget(self.bar_buttons[text])
        return row

    def _fit_bar(self) -> None:
        """Show the buttons of the current view; in a cramped window, some are only in the menu."""
        shows_items = bool(self.faces.current)
        spare_texts = (tr("Combine bugs"), tr("Ask a model…"))
        for text, bar_button in self.bar_buttons.items():
            belongs_to_view = (text == tr("Make items")) == shows_items
            is_left_out = self.theme.is_cramped and text in spare_texts
            bar_button.setVisible(belongs_to_view and not is_left_out)

    def _show_face(self, number: int) -> None:
        """Show bugs (0) or items (1) with their buttons."""
        self.stack.setCurrentIndex(number)
        self._fit_bar()
        if number:
            self.tasks.reload()

    def _build_queue(self) -> ReviewQueue[BugRow]:
        captions = (tr("To review"), tr("Accepted"), tr("Rejected"), tr("All"))
        self.list_choice = Segments(tr("Bugs shown"), captions, wrap=True)
        queue: ReviewQueue[BugRow] = ReviewQueue(self.theme, tr("Bugs"), self.list_choice, self._is_listed, bug_line)
        queue.row_current.connect(self._load)
        return queue

    def _build_codes(self) -> QSplitter:
        self.reference = CodeView(self.theme, tr("Reference"), language="python")
        self.code = CodeView(self.theme, tr("Code with the bug"), language="python")
        scroll_together(self.reference, self.code)
        self.draft = DraftField(
            self.session.drafts, "bugs.code", self.code.toPlainText, partial(self.code.set_code, language=""), self
        )
        self.code.textChanged.connect(self._record_edit)
        self.draft_bar = DraftBar(self.theme, self.draft)
        self.draft_bar.discard_button.clicked.connect(partial(self._set_editing, False))
        self.code_card = Card(tr("With the bug"), self.draft_bar, (self.code, 1))
        self.code_card.mark(DraftDot(self.draft))
        return make_splitter(
            Qt.Orientation.Vertical, Card(tr("Reference"), self.reference), self.code_card, sizes=(500, 500)
        )

    # -- page interface ------------------------------------------------------------------------------------------

    def activate(self) -> None:
        """Load the queues."""
        self._reload()
        self._focus_queue()

    def refresh(self, changes: Changes) -> None:
        """Reload the affected parts."""
        if changes.nouns & {*_BUG_NOUNS, "subject", "source", "decision", "proof"}:
            self._reload()
        self.reload_item(changes)

    def handlers(self) -> dict[str, Callable[[], object]]:
        """Return the page's handlers by action id."""
        return {
            **self.step_handlers(),
            "select.accept": self.accept,
            "select.reject": self.reject,
            "bugs.edit": self.edit,
            "bugs.propose": self.propose,
            "bugs.ask": self.ask,
            "bugs.combine": self.combine,
            "bugs.make": self.make,
            "queue.search": self._focus_search,
            "queue.next": partial(self._step, 1),
            "queue.previous": partial(self._step, -1),
        }

    def state(self) -> dict[str, Any]:
        """Return the current view: bugs (0) or items (1)."""
        return {"face": self.faces.current}

    def restore(self, state: dict[str, Any]) -> None:
        """Restore the last view."""
        if state.get("face") == 1:
            self.faces.choose(1)

    def show_draft(self, draft: Draft) -> None:
        """Show the bug of a draft."""
        self.faces.choose(0)
        self.queue.selected_on_load = draft.key.item_id
        self.list_choice.choose(len(_STATES_BY_LIST))
        self._reload()

    def reveal(self, changes: Changes) -> bool:
        """Show the bug affected by an undo or redo once the list is reloaded."""
        if not changes.nouns & _BUG_NOUNS:
            return False
        self.faces.choose(0)
        self._revealed_subject_ids = changes.subjects
        self.frame.show_work()
        self._reload()
        return True

    def show_subject(self, subject_id: str) -> None:
        """Show a bug of a subject at another page's request."""
        self._revealed_subject_ids, self._followed_subject_id = frozenset({subject_id}), ""
        self._reload()

    def subject_on_screen(self) -> SubjectRow | None:
        """Return the subject of the current bug, None for items from code."""
        return None if self.faces.current else super().subject_on_screen()

    def follow_subject(self, row: SubjectRow) -> None:
        """Make a bug of the subject current; if the search or list hides it, say so and stay."""
        if not self.faces.current and (self.view is None or self.view.row.subject_id != row.id):
            self._followed_subject_id = row.id
            self._reload()

    def _follow(self, rows: tuple[BugRow, ...]) -> None:
        """Choose a bug of the followed subject, before the list is filled."""
        followed_id, self._followed_subject_id = self._followed_subject_id, ""
        bugs = [row for row in rows if followed_id and row.subject_id == followed_id]
        search_text = self.queue.search.text()
        listed_bugs = [bug for bug in bugs if self._is_listed(bug) and fits_search(bug_line(bug), search_text)]
        if listed_bugs:
            self.queue.selected_on_load = listed_bugs[0].id
        elif bugs:
            text = tr("The search or the chosen list hides the bugs of this item.")
            self.session.offer(text, tr("Show it"), partial(self._show_hidden, followed_id))

    def _show_hidden(self, subject_id: str) -> None:
        self.queue.search.clear()
        self.show_subject(subject_id)

    def _start_review(self) -> None:
        """Focus the first field of the review."""
        if self.view is not None:
            self.frame.show_work()
            next(iter(self.aspects.values())).setFocus()
            self.frame.show_focus()

    def _focus_queue(self) -> None:
        (self.tasks.table if self.faces.current else self.table).setFocus()

    # -- acts ----------------------------------------------------------------------------------------------------

    def propose(self) -> None:
        """Start a job that implants bugs into all accepted subjects."""
        work = partial(implanted_bugs.propose_bugs, self.store, (), FAMILIES)
        self.session.start_job(
            tr("Proposing bugs"), work, self._proposed_by_rules, self._show_failure, summary=_describe_proposed
        )

    def combine(self) -> None:
        """Start a job that combines two bugs of different labels in every subject that has them."""
        work = partial(combined_bugs.combine_bugs, self.store, (), ())
        self.session.start_job(tr("Combining bugs"), work, None, self._show_failure, summary=_describe_proposed)

    def make(self) -> None:
        """Start a job that makes items from all accepted subjects and accepted bugs."""
        if not self.faces.current:
            self.faces.choose(1)
        work = partial(making.make_task_items, self.store, (), TASK_FAMILIES)
        self.session.start_job(tr("Making items"), work, None, self._show_failure, summary=_describe_made)

    def ask(self) -> None:
        """Open the dialog to ask a model for bugs."""
        self.session.run("read", partial(run_setups.list_endpoints, self.store), self._open_ask_dialog)

    def _open_ask_dialog(self, endpoints: tuple[SetupRow, ...]) -> None:
        self.dialog = AskDialog(endpoints, KINDS, self)
        self.dialog.finished.connect(self._start_asking)
        self.dialog.open()

    def _start_asking(self, code: int) -> None:
        dialog = self.dialog
        if code == QDialog.DialogCode.Accepted:
            work = partial(
                request_bugs,
                self.store,
                dialog.endpoint.currentText().strip(),
                dialog.model.text().strip(),
                dialog.kinds.ticked_names,
                dialog.count.value(),
            )
            self.session.start_job(
                tr("Asking for bugs"), work, self._show_proposed, self._show_failure, summary=_describe_proposed
            )
        dialog.deleteLater()

    def accept(self) -> None:
        """Accept the bug or item and go to the next one."""
        if self.faces.current:
            self.tasks.accept()
        else:
            self._submit_review("accept", "")

    def reject(self) -> None:
        """Reject the bug for the entered reason and go to the next one, or request a reason; items need none."""
        if self.faces.current:
            self.tasks.reject()
            return
        reason = self.proof.reason_text()
        if self.view is not None and not reason:
            self.proof.say(tr("A rejection needs a reason."))
            self.frame.show_work()
            self.reason.setFocus()
            return
        self._submit_review("reject", reason)

    def _reject_by_reason(self) -> None:
        """Reject for the typed reason and return the focus to the queue."""
        self.reject()
        self._focus_queue()

    def edit(self) -> None:
        """Start editing the code; the second time, save it and prove it again."""
        if self.view is None or self.faces.current:
            return
        if not self.is_editing:
            self._set_editing(True)
            self.frame.show_tab(BUG)
            self.code.setFocus()
            return
        text = self.code.toPlainText()
        if text.strip() == self.view.code.strip():
            self._set_editing(False)
        else:
            self._save_edit(self.view.row, self.view.row.id, text)

    def _save_edit(self, row: BugRow, base_id: str, text: str) -> None:
        work = partial(implanted_bugs.edit_bug, self.store, base_id, text)
        self.session.act(work, partial(self._prove_edited, row.id), partial(self._fail_edit, row, text), text=text)

    def _fail_edit(self, row: BugRow, text: str, failure: WorkFailure) -> None:
        conflict = failure.error
        if not isinstance(conflict, EditConflictError):
            self._show_failure(failure)
            return
        dialog = ConflictDialog(self.window(), self.theme, row.title, conflict, text, code=True)
        dialog.mine_kept.connect(partial(self._save_edit, row, conflict.revision))
        dialog.theirs_taken.connect(partial(self._take_theirs, row.id, conflict.revision))
        dialog.open_once()

    def _take_theirs(self, own_id: str, their_id: str) -> None:
        self.draft.finish(own_id)
        self._set_editing(False)
        self.queue.selected_on_load = their_id
        self._reload()

    def _set_editing(self, is_editing: bool) -> None:
        self.is_editing = is_editing
        self.code.setReadOnly(not is_editing)
        self.frame.header.set_word("bugs.edit", tr("Save and prove") if is_editing else tr("Edit"))

    def _record_edit(self) -> None:
        if self.is_editing:
            self.draft.record_edit()

    def _prove_edited(self, bug_id: str, edit_outcome: tuple[str, Changes]) -> None:
        self.draft.finish(bug_id)
        self._set_editing(False)
        self.queue.selected_on_load = edit_outcome[0]
        work = partial(implanted_bugs.prove_bugs, self.store, (edit_outcome[0],))
        self.session.start_job(tr("Proving the bug"), work, None, self._show_failure)

    def _proposed_by_rules(self, result: tuple[tuple[ProposedRow, ...], Changes]) -> None:
        self._proposed_rows = result[0]
        self._show_proposed(result)
        self._load_mix()

    def _show_proposed(self, result: tuple[tuple[ProposedRow, ...], Changes]) -> None:
        if not any(row.kept for row in result[0]):
            reasons = [tr_message(row.reason) for row in result[0] if row.reason][:_MAX_REASONS]
            reasons = reasons or [tr("First accept subjects that have code and tests.")]
            self._empty_texts = (tr("No bug could be proven"), "\n".join(reasons))
            self._show_empty()

    def _submit_review(self, verdict: str, reason: str) -> None:
        if self.view is None:
            return
        if self.draft.has_draft:
            self.proof.say(tr("Save and prove your edit first, or undo it in the text."))
            self.frame.show_work()
            return
        self._set_editing(False)
        bug_id, proof = self.view.row.id, self.proof
        work = partial(
            implanted_bugs.review_bug,
            self.store,
            bug_id,
            verdict,
            reason,
            aspects=proof.judged_aspects,
            labels=proof.labels.ticked_labels,
        )
        self.session.act(
            work, partial(self._advance_after_review, bug_id, self.queue.following(bug_id)), self._show_failure
        )

    def _advance_after_review(self, bug_id: str, following_id: str, _changes: Changes) -> None:
        self.proof.draft.finish(bug_id)
        self.queue.selected_on_load = following_id
        self.proof.say("")

    def _show_failure(self, failure: WorkFailure) -> None:
        self.proof.say(failure.message)
        self.session.failed.emit(failure)

    # -- showing -------------------------------------------------------------------------------------------------

    def _reload(self) -> None:
        self.session.run("read", partial(implanted_bugs.find_bugs, self.store), self._show_rows, latest="bugs-list")
        self._load_mix()
        if self.faces.current:
            self.tasks.reload()

    def _load_mix(self) -> None:
        rows = self._proposed_rows
        work = partial(implanted_bugs.describe_mix, self.store, rows, FAMILIES if rows else ())
        self.session.run("read", work, self._show_mix, latest="bugs-mix")

    def _show_mix(self, sentences: tuple[Message, ...]) -> None:
        self.mix_label.setText("\n".join(tr_message(line) for line in sentences))

    def _show_rows(self, rows: tuple[BugRow, ...]) -> None:
        revealed_bug = self._revealed_bug(rows)
        self._revealed_subject_ids = None
        self._follow(rows)
        if revealed_bug is not None:
            self.queue.selected_on_load = revealed_bug.id
            if not self._is_listed(revealed_bug):
                self.queue.rows = rows
                self.list_choice.choose(
                    next(number for number, states in enumerate(_STATES_BY_LIST) if revealed_bug.state in states)
                )
        self.queue.set_progress(tr("Reviewed"), sum(row.state in _DECIDED_STATES for row in rows), len(rows))
        self.queue.show_rows(rows)

    def _revealed_bug(self, rows: tuple[BugRow, ...]) -> BugRow | None:
        """Return the bug to show after an undo or redo: the first affected one whose row has changed."""
        if self._revealed_subject_ids is None:
            return None
        affected_bugs = [
            row for row in rows if not self._revealed_subject_ids or row.subject_id in self._revealed_subject_ids
        ]
        previous_rows = {row.id: row for row in self.queue.rows}
        changed_bug = next((row for row in affected_bugs if row != previous_rows.get(row.id)), None)
        if (
            changed_bug is None
            and self._revealed_subject_ids
            and (self.view is None or self.view.row.subject_id not in self._revealed_subject_ids)
        ):
            return next(iter(affected_bugs), None)
        return changed_bug

    def _is_listed(self, row: BugRow) -> bool:
        number = self.list_choice.current
        return number == len(_STATES_BY_LIST) or row.state in _STATES_BY_LIST[number]

    def _step(self, by: int) -> None:
        (self.tasks.queue if self.faces.current else self.queue).step(by)

    def _focus_search(self) -> None:
        (self.tasks.queue if self.faces.current else self.queue).focus_search()

    def _load(self, row: BugRow | None) -> None:
        if row is None:
            self._show(None)
        else:
            self.queue.selected_on_load = row.id
            self.session.run(
                "read", partial(implanted_bugs.load_bug, self.store, row.id), self._show, latest="bugs-view"
            )

    def _show(self, view: BugView | None) -> None:
        if view is not None and view == self.view:
            return
        is_new_bug = view is None or self.view is None or view.row.id != self.view.row.id
        self.view = view
        self.right.setCurrentIndex(0 if view is not None else 1)
        self.show_item(view.row.subject_id if view is not None else "")
        if view is None:
            self.draft.load_item("")
            self._show_empty()
            return
        self.show_header(self.item)
        self.reference.set_code(view.reference, view.language)
        self._show_code(view)
        self.proof.show_bug(view, is_new_bug=is_new_bug, reviewer=self.store.annotator.name)

    def _show_empty(self) -> None:
        if self.queue.rows:
            self.empty_state.set_text(
                tr("Nothing in this list"), tr("Other bugs are in the other lists above the queue.")
            )
        else:
            self.empty_state.set_text(*self._empty_texts)

    def show_header(self, item: SavedItem | None) -> None:
        """Show the subject, kind and state of the bug."""
        super().show_header(item)
        view = self.view
        if view is not None:
            row = view.row
            self.title.set_full(row.title)
            self.frame.header.facts.set_full(
                f"{bug_kind_word(row.kind)} · {translate_word(bug_state_chip(row.state)[0])}"
            )
            for header_button in self.frame.header.buttons.values():
                header_button.setEnabled(not self.store.read_only)
            self.edit_button.setEnabled(not view.parts and not self.store.read_only)

    def _show_code(self, view: BugView) -> None:
        """Show a bug's code, or a recovered draft that edits it."""
        bug = view.row
        is_being_edited = self.is_editing and bug.id == self.draft.item_id
        text = self.draft.load_item(bug.id, view.code, subject_id=bug.subject_id, began_from=bug.id)
        if is_being_edited:
            return
        # The text shown next is not user input, so it must not be noted as a draft.
        self.is_editing = False
        self.code.setReadOnly(True)
        self.code.set_code(text, view.language)
        if text == view.code:
            mark_differences(self.reference, self.code, view)
        self._set_editing(text != view.code)


def _describe_proposed(result: tuple[tuple[ProposedRow, ...], Changes]) -> str:
    rows, _ = result
    if not rows:
        return tr("No accepted subject is suitable.")
    subject_count_text = tr_count("{count} subject", "{count} subjects", len(rows))
    kept_count = sum(row.kept for row in rows)
    return tr_count(
        "{count} bug proposed in {where}", "{count} bugs proposed in {where}", kept_count, where=subject_count_text
    )


def _describe_made(result: tuple[tuple[MadeRow, ...], Changes]) -> str:
    return tr_message(result[1].label) or tr("Nothing new")


def request_bugs(
    store: ProjectFile, endpoint_name: str, model: str, kinds: Sequence[str], count: int, progress: Progress
) -> tuple[tuple[ProposedRow, ...], Changes]:
    """Ask a model for bugs in all accepted subjects."""
    endpoint = suggestions.endpoint_at(store, endpoint_name)
    with Client(endpoint) as client:
        helper = Helper(CachedAsker(client, StoreCache(store)), endpoint, model)
        return model_bugs.ask_model_for_bugs(store, helper, (), kinds, progress, count=count)
