"""The tabs below a subject: reference, code, tests, answers, request, evidence, history, comments."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cached_property, partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QApplication, QPlainTextEdit, QStackedWidget, QWidget

from annotator.base.messages import Message
from annotator.model.changes import Changes
from annotator.model.rows.judging_rows import CommentRow
from annotator.model.rows.view_rows import HistoryRow, SubjectView
from annotator.services.select import triage
from annotator.store.file.project_file import ProjectFile
from annotator.text.code_or_prose import looks_like_prose
from annotator.ui.app.session.draft_keeper import DraftKeeper
from annotator.ui.app.session.session import Session
from annotator.ui.app.theme.look import Theme
from annotator.ui.app.translation import mark_for_translation, mark_words, tr, tr_message, translate_word
from annotator.ui.loading import aspect_reviews, run_log
from annotator.ui.pages.shared.artefact_editor import ARTEFACT_DRAFT, MaterialEditor, draft_item_id
from annotator.ui.pages.shared.fact_texts import evidence_rows, thread_answer_count, thread_answers
from annotator.ui.pages.shared.kind_row import KindRow
from annotator.ui.widgets.card import Card
from annotator.ui.widgets.code.code_view import CodeView
from annotator.ui.widgets.draft_field import DRAFT_DOT, DraftBar, DraftDot, DraftField
from annotator.ui.widgets.fields import choice_box, debounce, line_edit, refill_box
from annotator.ui.widgets.labels import TabRow, button, label
from annotator.ui.widgets.layouts import fill_column, fill_layout, make_row
from annotator.ui.widgets.table import DataTable, moment_cell


class CommentPanel(QWidget):
    """The comments on a subject and a field for a new one."""

    written = Signal(str, str)
    """The text, and the id of the comment it replies to or an empty string."""

    def __init__(self, theme: Theme, drafts: DraftKeeper) -> None:
        super().__init__()
        self._reply_to_id = ""
        self.table = DataTable(tr("Comments"), selected=self._choose)
        self.line = line_edit(tr("New comment"), tr("Write a comment; @name notifies a person"))
        self.draft = DraftField.for_line(drafts, "consensus.comment", self.line)
        self.draft_bar = DraftBar(theme, self.draft)
        self.send_button = button(tr("Comment"), primary=True, clicked=self._send)
        self.line.returnPressed.connect(self._send)
        self.reply_button = button(tr("Reply"), clicked=self._reply)
        self.reply_button.setEnabled(False)
        row = make_row(DraftDot(self.draft), (self.line, 1), self.reply_button, self.send_button)
        fill_column(self, (self.table, 1), self.draft_bar, row)

    def show_comments(self, subject_id: str, rows: tuple[CommentRow, ...]) -> None:
        """Show the comments on a subject with their mentions and the author each one replies to."""
        self.draft.show_item(subject_id, subject_id=subject_id)
        writers = {row.id: row.annotator for row in rows}
        cells = [
            (
                row.annotator,
                ", ".join(f"@{name}" for name in row.mentions),
                writers.get(row.reply_to, "") if row.reply_to else "",
                row.text,
                moment_cell(row.created_at),
            )
            for row in rows
        ]
        headers = mark_words("who", "mentions", "reply to", "comment", "when")
        self.table.set_rows(headers, cells, rows, stretch=3, spare=(1, 2))
        if self._reply_to_id in writers:
            self.table.select_first(lambda row: row.id == self._reply_to_id)
        else:
            self._reply_to_id = ""
        self.reply_button.setEnabled(bool(self._reply_to_id))

    def _choose(self, row: CommentRow) -> None:
        self._reply_to_id = row.id
        self.reply_button.setEnabled(True)

    def _send(self) -> None:
        self.written.emit(self.line.text(), "")

    def _reply(self) -> None:
        self.written.emit(self.line.text(), self._reply_to_id)


class AsSentPanel(QWidget):
    """A protocol selector and the request that the protocol builds from the saved texts."""

    def __init__(self, session: Session, store: ProjectFile, theme: Theme) -> None:
        """Start empty; the default protocol is that of the project's newest run."""
        super().__init__()
        self._session, self._store = session, store
        self._subject_id = ""
        self._protocol_name = ""
        self.protocol = choice_box(tr("Protocol"), letters=18)
        self.protocol.activated.connect(self._choose)
        self.text = CodeView(theme, tr("As sent"), wrap=True)
        row = make_row(label(tr("Protocol"), "dim"), (self.protocol, 1))
        fill_column(self, row, (self.text, 1), spacing=6, margin=(0, 6, 0, 0))

    def show_subject(self, subject_id: str) -> None:
        """Show the request for a subject, or nothing."""
        self._subject_id = subject_id
        if not subject_id:
            self.text.set_code("", "")
            return
        work = partial(run_log.preview_request, self._store, subject_id, self._protocol_name)
        self._session.run("read", work, self._show, latest="as-sent")

    def _choose(self) -> None:
        self._protocol_name = str(self.protocol.currentData())
        self.show_subject(self._subject_id)

    def _show(self, preview: run_log.RequestPreview) -> None:
        if preview.subject_id == self._subject_id:
            refill_box(
                self.protocol,
                [(translate_word(protocol.title), protocol.name) for protocol in preview.protocols],
                preview.protocol_name,
            )
            self.text.set_code(preview.text or tr_message(preview.problem), "markdown" if preview.text else "")


_HISTORY_MS = 250
_DETAIL_PIXELS = 60
"""Minimum width of the detail column; small, so that the history does not scroll sideways in a narrow tab."""
_HISTORY = mark_words("when", "who", "what", "detail")
_ARTEFACTS = {"Reference": "solution", "Tests": "tests"}
"""The artefact behind each tab whose text can be edited there."""
_AS_SENT = mark_for_translation("As sent")
COMMENTS = mark_for_translation("Comments")
CRITERION = mark_for_translation("Criterion")
PARAPHRASE = mark_for_translation("Paraphrase")
"""Read-only tabs, added by the desks that do not edit these texts."""
TRIED_ON = mark_for_translation("Tried on")
"""A tab of the desk that edits criteria."""
_TABS = (
    mark_for_translation("Reference"),
    mark_for_translation("Code"),
    mark_for_translation("Tests"),
    mark_for_translation("Answers"),
    _AS_SENT,
    mark_for_translation("Evidence"),
    mark_for_translation("History"),
    COMMENTS,
)


class Details(Card):
    """Tabs with everything about a subject except its prompt; each tab is built and filled on first view."""

    def __init__(
        self,
        session: Session,
        store: ProjectFile,
        theme: Theme,
        parent: QWidget | None = None,
        *,
        on_label: Callable[[SubjectView, str, str], object] | None = None,
    ) -> None:
        """``on_label`` sets a fact, given the view, the name and the value; by default, of the subject shown only."""
        super().__init__(parent=parent)
        self._session, self._store = session, store
        self._on_label = on_label or self._label
        self._view: SubjectView | None = None
        self._filled_tabs: set[str] = set()
        # The history is read only after the user has stayed on a subject for a moment.
        self._timer = debounce(self, _HISTORY_MS, self._ask_history)
        self.tabs = TabRow(tr("Details of the subject"))
        self.stack = QStackedWidget(self)
        self._theme = theme
        self._names = list(_TABS)
        self._views: dict[str, CodeView] = {}
        self._tables: dict[str, DataTable] = {}
        self.facts = KindRow(self, all_facts=True)
        """The facts that can be set, above the table of evidence."""
        self.facts.hide()
        for name in _TABS:
            self.tabs.add_tab(translate_word(name))
            self.stack.addWidget(QWidget())
        self.view_of(_TABS[0])
        self.tabs.current_changed.connect(self._show_tab)
        self.edit_button = button(tr("Edit"), clicked=self.edit_text)
        self.editor = MaterialEditor(session, store, theme)
        self.editor.hide()
        self.editor.closed.connect(self.close_editor)
        session.drafts.has_draft_changed.connect(self._mark_draft)
        # In the row of tabs, where it takes no height from the text.
        self.tabs.add(self.edit_button)
        fill_layout(self.body, self.tabs, (self.stack, 1), (self.editor, 1))

    def view_of(self, name: str) -> CodeView:
        """Return the code view of a tab with text or code, built on first use."""
        if name not in self._views:
            view = CodeView(self._theme, translate_word(name), wrap=name == "Answers", parent=self.stack)
            view.setPlaceholderText(tr("nothing here"))
            self._views[name] = view
            self._replace_placeholder(name, view)
        return self._views[name]

    def table_of(self, name: str) -> DataTable:
        """Return the table of the tab Evidence or History, built on first use."""
        if name not in self._tables:
            self._tables[name] = DataTable(translate_word(name))
            content: QWidget = self._tables[name]
            if name == "Evidence":
                self.facts.label_chosen.connect(self._on_label)
                content = QWidget()
                fill_column(content, self.facts, (self._tables[name], 1))
                self.facts.show()
            self._replace_placeholder(name, content)
        return self._tables[name]

    @cached_property
    def as_sent(self) -> AsSentPanel:
        """The panel of the request to a model, built on first use."""
        panel = AsSentPanel(self._session, self._store, self._theme)
        self._replace_placeholder(_AS_SENT, panel)
        return panel

    @cached_property
    def comments(self) -> CommentPanel:
        """The panel of comments, built on first use."""
        panel = CommentPanel(self._theme, self._session.drafts)
        panel.written.connect(self._comment)
        self._replace_placeholder(COMMENTS, panel)
        return panel

    def show_tab(self, name: str) -> None:
        """Show a tab by its name."""
        index = self._names.index(name)
        self.tabs.set_shown(index, True)
        self.tabs.choose(index)

    def focus_tab(self, name: str) -> None:
        """Focus the content of a tab."""
        content = self._views.get(name) or self.stack.widget(self._names.index(name))
        if isinstance(content, QWidget):
            (content.findChild(QPlainTextEdit) or content).setFocus()

    def put_first(self, name: str, widget: QWidget | None = None) -> None:
        """Insert a widget, or an empty placeholder, as the first tab."""
        self._names.insert(0, name)
        self.stack.insertWidget(0, widget or QWidget())
        self.tabs.insert_tab(0, translate_word(name))
        self.tabs.choose(0)

    def _replace_placeholder(self, name: str, widget: QWidget) -> None:
        """Replace the placeholder of a tab with its view or table."""
        index = self._names.index(name)
        current_index = self.stack.currentIndex()
        empty = self.stack.widget(index)
        self.stack.insertWidget(index, widget)
        if empty is not None:
            self.stack.removeWidget(empty)
            empty.deleteLater()
        self.stack.setCurrentIndex(current_index)

    def show_subject(self, view: SubjectView | None) -> None:
        """Show a subject, or nothing; each tab is filled when it is first viewed."""
        is_other = view is None or self._view is None or view.row.id != self._view.row.id
        self._view = view
        if is_other:
            self.close_editor()
        self._filled_tabs.clear()
        tests, answers = (len(view.tests), len(view.responses) + thread_answer_count(view)) if view else (0, 0)
        self._show_count("Tests", tests)
        self._show_count("Answers", answers)
        has_answers = bool(view and (answers or view.blind_study))
        # Empty tabs would push others out of sight; the current tab stays.
        has_content = {
            "Code": bool(view and view.context),
            "Tests": tests > 0 or bool(view and view.entry_point),
            "Answers": has_answers,
        }
        for name, is_shown in has_content.items():
            index = self._names.index(name)
            self.tabs.set_shown(index, is_shown or index == self.tabs.current)
        self._show_count("History", 0)
        self._show_count(COMMENTS, 0)
        self._fill(self.tabs.current)
        self._timer.start()

    def _show_tab(self, index: int) -> None:
        self.stack.setCurrentIndex(index)
        self.close_editor()
        self._fill(index)

    # -- editing --------------------------------------------------------------------------------------------------

    def edit_text(self) -> None:
        """Open the text of the current tab for editing, in its place."""
        artefact = self._editable_artefact
        if self._view is not None and artefact:
            row = self._view.row
            self.edit_button.hide()
            self.stack.hide()
            self.editor.load(row.id, row.title, artefact, row.language)

    def close_editor(self) -> None:
        """Show the text of the current tab instead of its editor."""
        had_focus = self.is_typed_in
        self.editor.leave()
        self.stack.show()
        self._mark_draft()
        if had_focus:
            # Qt would pass it on to the first tab.
            self.focus_tab(self._names[self.tabs.current])

    @property
    def is_typed_in(self) -> bool:
        """Whether the focus is in the editor."""
        focus = QApplication.focusWidget()
        return focus is not None and self.editor.isAncestorOf(focus)

    @property
    def _editable_artefact(self) -> str:
        """The artefact behind the current tab, empty if it cannot be edited."""
        is_writable = self._view is not None and not self._store.read_only
        return _ARTEFACTS.get(self._names[self.tabs.current], "") if is_writable else ""

    def _mark_draft(self, _field: str = "", _item_id: str = "") -> None:
        """Offer the editor if the tab has one, with a dot if it holds unsaved text."""
        artefact = self._editable_artefact
        self.edit_button.setVisible(bool(artefact) and self.editor.isHidden())
        if self._view is not None and artefact:
            draft = self._session.drafts.draft(ARTEFACT_DRAFT, draft_item_id(self._view.row.id, artefact))
            self.edit_button.setText(tr("Edit") + (f" {DRAFT_DOT}" if draft is not None else ""))
            self.edit_button.setToolTip(tr("Draft, not saved yet") if draft is not None else "")

    # -- what the tabs show ---------------------------------------------------------------------------------------

    def _fill(self, index: int) -> None:
        name, view = self._names[index], self._view
        if name in self._filled_tabs or name not in (*_TABS, CRITERION):
            return
        self._filled_tabs.add(name)
        language = view.row.language if view else ""
        if name == "Reference":
            reference = view.reference if view else ""
            is_prose = looks_like_prose(reference)
            self.view_of(name).set_code(reference, "markdown" if is_prose else language)
        elif name == "Code":
            self.view_of(name).set_code(view.context if view else "", language)
        elif name == "Tests":
            self.view_of(name).set_code(_tests_text(view), language)
        elif name == "Answers":
            self.view_of(name).set_code(_answers_text(view), "markdown")
        elif name == CRITERION:
            self.view_of(name).set_code(view.criterion.source if view and view.criterion else "", "yaml")
        elif name == "Evidence":
            rows = evidence_rows(view) if view else []
            self.table_of(name).set_rows(mark_words("fact", "value"), rows, rows, stretch=1)
            self.facts.show_subject(view)
            self.facts.setDisabled(view is None or self._store.read_only)
        elif name == _AS_SENT:
            self.as_sent.show_subject(view.row.id if view else "")
        elif name == COMMENTS:
            if view is None or self.comments.draft.item_id != view.row.id:
                self._show_comments(())
            self._ask_history()
        else:
            self.table_of(name).set_rows(_HISTORY, [], [], stretch=3)
            self._ask_history()

    def _ask_history(self) -> None:
        if self._view is not None:
            work = partial(_load_history_and_comments, self._store, self._view.row.id)
            self._session.run("read", work, self._show_history_and_comments, latest="history")

    def _show_history_and_comments(self, loaded: tuple[str, tuple[HistoryRow, ...], tuple[CommentRow, ...]]) -> None:
        subject_id, history, comments = loaded
        if self._view is not None and self._view.row.id == subject_id:
            self._show_history(history)
            self._show_count(COMMENTS, len(comments))
            if "comments" in self.__dict__:
                self._show_comments(comments)

    def _show_comments(self, rows: tuple[CommentRow, ...]) -> None:
        subject_id = self._view.row.id if self._view is not None else ""
        self.comments.show_comments(subject_id, rows)
        self.comments.setEnabled(bool(subject_id) and not self._store.read_only)

    def _label(self, view: SubjectView, name: str, value: str) -> None:
        self._session.act(partial(triage.label_rows, self._store, [view.row.row], name, value))

    def _comment(self, text: str, reply_to_id: str) -> None:
        if self._view is not None:
            subject_id = self._view.row.id
            work = partial(aspect_reviews.add_comment, self._store, subject_id, text, reply_to_id or None)
            on_done = partial(self._commented, subject_id, text)
            self._session.act(work, on_done, text=text)

    def _commented(self, subject_id: str, text: str, _changes: Changes) -> None:
        self.comments.draft.clear(subject_id, text)
        self._ask_history()

    def _show_count(self, name: str, count: int) -> None:
        word = translate_word(name)
        self.tabs.set_text(self._names.index(name), f"{word} {count}" if count else word)

    def _show_history(self, rows: tuple[HistoryRow, ...]) -> None:
        self._show_count("History", len(rows))
        cells = [
            (
                moment_cell(row.created_at),
                row.annotator,
                history_act_text(row) if row.active else tr("{act} (undone)", act=history_act_text(row)),
                tr_message(row.detail),
            )
            for row in rows
        ]
        self._filled_tabs.add("History")
        # "50 min ago" is wider than "just now": where there is no room left, the name gives way.
        table = self.table_of("History")
        table.set_rows(_HISTORY, cells, rows, stretch=3, min_width=_DETAIL_PIXELS, spare=(1,))


def history_act_text(row: HistoryRow) -> str:
    """Return the act of a history row in the user's language."""
    return tr_message(row.act) if isinstance(row.act, Message) else translate_word(row.act)


def _load_history_and_comments(
    store: ProjectFile, subject_id: str
) -> tuple[str, tuple[HistoryRow, ...], tuple[CommentRow, ...]]:
    return subject_id, triage.load_subject_history(store, subject_id), aspect_reviews.load_comments(store, subject_id)


def _tests_text(view: SubjectView | None) -> str:
    if view is None:
        return ""
    blocks = []
    for test in view.tests:
        block = f"# {test.name}\n{test.code}"
        if test.inputs:
            block += f"\n# inputs: {json.dumps(test.inputs, ensure_ascii=False)}"
        if test.expected:
            block += f"\n# expected: {test.expected}"
        blocks.append(block)
    return "\n\n".join(blocks)


def _answers_text(view: SubjectView | None) -> str:
    if view is None:
        return ""
    blocks = [f"# {item.model}, sample {item.sample + 1}\n\n{item.text}" for item in view.responses]
    if view.blind_study:
        blocks = [tr("Hidden from you until the blind study {name} is unblinded.", name=view.blind_study)]
    return "\n\n".join(filter(None, [thread_answers(view), *blocks]))
