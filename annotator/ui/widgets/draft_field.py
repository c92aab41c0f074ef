"""Fields whose unsaved text becomes a draft, and the bar that announces a restored draft."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAccessible, QAccessibleEvent
from PySide6.QtWidgets import QComboBox, QDialogButtonBox, QFrame, QLabel, QLineEdit, QPlainTextEdit, QWidget

from annotator.base import clock
from annotator.model.rows.draft_rows import Draft
from annotator.ui.app.base_page import Page
from annotator.ui.app.session.draft_keeper import DraftKeeper
from annotator.ui.app.theme.look import Theme
from annotator.ui.app.translation import tr
from annotator.ui.widgets.code.diff_view import DiffPanes
from annotator.ui.widgets.dialog import Dialog
from annotator.ui.widgets.fields import line_edit
from annotator.ui.widgets.labels import button, label
from annotator.ui.widgets.layouts import fill_row, make_row

DRAFT_DOT = "●"


class DraftField(QObject):
    """Keeps the typed text of an item as a draft, and restores it when the item is shown again.

    ``name`` is the field's name in the journal of drafts; it begins with the page. The text is read and written by
    functions, because it may be spread over several widgets; `for_text`, `for_line` and `for_box` are for one widget.
    """

    offered_changed = Signal()
    """`offered` has changed."""
    has_draft_changed = Signal()
    """A draft was created or removed."""

    def __init__(
        self,
        keeper: DraftKeeper,
        name: str,
        read: Callable[[], str],
        write: Callable[[str], object],
        parent: QObject | None = None,
    ) -> None:
        """Create a field without an item; the owner must call `record_edit` on every edit."""
        super().__init__(parent)
        self.name = name
        self.item_id = ""
        self.stored = ""
        self.offered: Draft | None = None
        """The draft that was restored into the field, until the user edits, saves or discards it."""
        self._keeper = keeper
        self._read, self._write = read, write
        self._subject_id, self._began_from = "", ""
        self._was_edited = self._is_writing = self._was_shown = False
        keeper.drafts_loaded.connect(self._show_loaded)
        keeper.has_draft_changed.connect(self._emit_own_change)

    @classmethod
    def for_text(
        cls,
        keeper: DraftKeeper,
        name: str,
        view: QPlainTextEdit,
        write: Callable[[str], object] | None = None,
    ) -> DraftField:
        """Create a field for a multi-line text."""
        field = cls(keeper, name, view.toPlainText, write or view.setPlainText, view)
        view.textChanged.connect(field.record_edit)
        return field

    @classmethod
    def for_line(cls, keeper: DraftKeeper, name: str, line: QLineEdit) -> DraftField:
        """Create a field for a single line."""
        field = cls(keeper, name, line.text, line.setText, line)
        line.textChanged.connect(field.record_edit)
        return field

    @classmethod
    def for_box(cls, keeper: DraftKeeper, name: str, box: QComboBox) -> DraftField:
        """Create a field for an editable combo box."""
        field = cls(keeper, name, box.currentText, box.setEditText, box)
        box.editTextChanged.connect(field.record_edit)
        return field

    @property
    def has_draft(self) -> bool:
        """Whether there is a draft of the current item."""
        return bool(self.item_id) and self._keeper.draft(self.name, self.item_id) is not None

    @property
    def is_outdated(self) -> bool:
        """Whether another revision was saved after the restored draft was started."""
        return self.offered is not None and self.offered.began_from != self._began_from

    @property
    def text(self) -> str:
        """The text of the field."""
        return self._read()

    @property
    def base_revision(self) -> str:
        """The revision that the text of the field is based on."""
        draft = self._keeper.draft(self.name, self.item_id)
        return draft.began_from if draft is not None else self._began_from

    def load_item(self, item_id: str, stored: str = "", *, subject_id: str = "", began_from: str = "") -> str:
        """Switch to an item; return its draft, or ``stored`` if there is none.

        ``began_from`` is the id of the stored revision. The draft of a different item than before becomes `offered`.
        """
        is_other_item = item_id != self.item_id
        self.item_id, self.stored = item_id, stored
        self._subject_id, self._began_from = subject_id, began_from
        draft = self._keeper.draft(self.name, item_id) if item_id else None
        if draft is not None and draft.text == stored:
            self._keeper.discard(self.name, item_id)
            draft = None
        if is_other_item:
            self._was_edited = False
        if draft is None or not self._was_edited:
            self._offer(draft)
        self.has_draft_changed.emit()
        return draft.text if draft is not None else stored

    def show_item(self, item_id: str, stored: str = "", *, subject_id: str = "", began_from: str = "") -> None:
        """Show an item's draft, or ``stored`` if there is none; a field that already has this text is left alone."""
        self._was_shown = True
        text = self.load_item(item_id, stored, subject_id=subject_id, began_from=began_from)
        if self._read() != text:
            self._is_writing = True
            self._write(text)
            self._is_writing = False

    def leave_item(self) -> None:
        """Treat the item shown next as a different one, even if it is the same."""
        self.item_id = ""

    def _show_loaded(self) -> None:
        """Show the draft of the current annotator, who may have changed; the other person's text stays their draft."""
        item_id = self.item_id
        if self._was_shown and item_id:
            self.leave_item()
            self.show_item(item_id, self.stored, subject_id=self._subject_id, began_from=self._began_from)

    def record_edit(self, *_: object) -> None:
        """Store the current text as a draft, or discard the draft if the text equals the stored one."""
        if self._is_writing or not self.item_id:
            return
        self._was_edited = True
        text = self._read()
        if text == self.stored:
            self._keeper.discard(self.name, self.item_id)
            self._offer(None)
        else:
            self._keeper.keep(self.name, self.item_id, text, subject_id=self._subject_id, began_from=self._began_from)

    def finish(self, item_id: str, text: str | None = None) -> None:
        """Discard an item's draft after ``text`` was saved, unless the field has been edited since."""
        self._keeper.finish(self.name, item_id, text)
        if item_id == self.item_id and (text is None or self._read() == text):
            self._offer(None)
            self._was_edited = False

    def clear(self, item_id: str, text: str) -> None:
        """Discard the draft of a saved text and empty the field, unless it has been edited since."""
        self.finish(item_id, text)
        if item_id == self.item_id and self._read() == text:
            self._is_writing = True
            self._write("")
            self._is_writing = False

    def discard(self) -> None:
        """Restore the stored text."""
        self._write(self.stored)
        # Discarded here too, in case the write function emits no change signal.
        self._keeper.discard(self.name, self.item_id)
        self._offer(None)

    def _emit_own_change(self, name: str, item_id: str) -> None:
        if name == self.name and item_id == self.item_id:
            self.has_draft_changed.emit()

    def _offer(self, draft: Draft | None) -> None:
        if draft != self.offered:
            self.offered = draft
            self.offered_changed.emit()


class DraftDot(QLabel):
    """A dot next to a title that marks unsaved text; its space is reserved while it is hidden."""

    def __init__(self, *fields: DraftField) -> None:
        """Show the dot while any of the fields has a draft."""
        super().__init__(DRAFT_DOT)
        self._fields = fields
        self.setProperty("role", "draft")
        self.setAccessibleName(tr("Draft, not saved yet"))
        self.setToolTip(self.accessibleName())
        policy = self.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self.setSizePolicy(policy)
        for field in fields:
            field.has_draft_changed.connect(self.show_state)
        self.show_state()

    def show_state(self) -> None:
        """Show or hide the dot."""
        self.setVisible(any(field.has_draft for field in self._fields))


class DraftBar(QFrame):
    """A bar above fields that announces a restored draft; hidden if there is none."""

    def __init__(self, theme: Theme, *fields: DraftField, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("draft-bar")
        self.setAccessibleName(tr("Unsaved draft"))
        self._theme = theme
        self._fields: list[DraftField] = []
        self.text = label("", wrap=True)
        self.compare_button = button(tr("Compare…"), clicked=self.show_both)
        self.discard_button = button(tr("Discard"), clicked=self.discard)
        for flat_button in (self.compare_button, self.discard_button):
            flat_button.setProperty("role", "flat")
        vertical_centre = Qt.AlignmentFlag.AlignVCenter
        parts = ((self.text, 1), (self.compare_button, vertical_centre), (self.discard_button, vertical_centre))
        fill_row(self, *parts, margin=(10, 3, 6, 3))
        self.hide()
        for field in fields:
            self.follow(field)

    def follow(self, field: DraftField) -> None:
        """Watch one more field."""
        self._fields.append(field)
        field.offered_changed.connect(self.show_state)
        self.show_state()

    def show_state(self) -> None:
        """Show the time of the newest restored draft, or hide the bar if there is none."""
        offered_drafts = [field.offered for field in self._fields if field.offered is not None]
        if offered_drafts:
            when = draft_time(max(draft.written_at for draft in offered_drafts))
            is_outdated = self._outdated_field() is not None
            self.text.setText(
                tr("Unsaved draft from {when}. Another text has been saved since you started it.", when=when)
                if is_outdated
                else tr("Unsaved draft from {when}.", when=when)
            )
            self.compare_button.setVisible(is_outdated)
        if bool(offered_drafts) == self.isHidden():
            self.setVisible(bool(offered_drafts))
            if offered_drafts:
                QAccessible.updateAccessibility(QAccessibleEvent(self.text, QAccessible.Event.Alert))

    def discard(self) -> None:
        """Restore the stored text in every field with a draft."""
        for field in self._fields:
            if field.offered is not None:
                field.discard()

    def show_both(self) -> None:
        """Compare the stored text with a draft that is based on an older revision."""
        field = self._outdated_field()
        if field is not None and field.offered is not None:
            dialog = DraftComparison(self._theme, field.stored, field.offered, self)
            dialog.discard_button.clicked.connect(field.discard)
            dialog.open_once()

    def _outdated_field(self) -> DraftField | None:
        return next((field for field in self._fields if field.is_outdated), None)


class DraftComparison(Dialog):
    """Compares the stored text with a draft that is based on an older revision."""

    def __init__(self, theme: Theme, stored: str, draft: Draft, parent: QWidget) -> None:
        super().__init__(
            parent, tr("Draft and saved text"), name="draft-comparison", size=(theme.pixels(900), theme.pixels(480))
        )
        self.panes = DiffPanes(theme)
        self.panes.editor.setReadOnly(True)
        for card, view, name in (
            (self.panes.left_card, self.panes.original, tr("Saved")),
            (self.panes.right_card, self.panes.editor, tr("Draft from {when}", when=draft_time(draft.written_at))),
        ):
            card.set_title(name)
            view.setAccessibleName(name)
        self.panes.set_texts(stored, draft.text)
        self.keep_button = button(tr("Continue with the draft"), primary=True, clicked=self.accept)
        self.discard_button = button(tr("Discard the draft"), clicked=self.accept)
        buttons = make_row(None, self.discard_button, self.keep_button)
        self.lay_out((self.panes, 1), buttons)


def draft_time(moment: str) -> str:
    """Return the local time of a draft, with the date if it is not today's."""
    try:
        local = clock.parse_time(moment).astimezone()
    except ValueError:
        return moment
    is_today = clock.now().astimezone().date() == local.date()
    return f"{local:%H:%M}" if is_today else f"{local:%Y-%m-%d %H:%M}"


class TextQuestion(Dialog):
    """Asks for one line of text; if it is cancelled, the text is kept as a draft for the next time."""

    def __init__(
        self,
        parent: QWidget,
        theme: Theme,
        drafts: DraftKeeper,
        title: str,
        question: str,
        *,
        name: str,
        item_id: str,
        subject_id: str = "",
    ) -> None:
        """Build the dialog; ``name``, ``item_id`` and ``subject_id`` identify the draft in the journal."""
        super().__init__(parent, title)
        self.line = line_edit(question)
        self.draft = DraftField.for_line(drafts, name, self.line)
        self.draft_bar = DraftBar(theme, self.draft)
        buttons = self.make_buttons(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)
        self.lay_out(label(question, wrap=True), self.draft_bar, self.line, buttons)
        self.setMinimumWidth(theme.pixels(420))
        self._item_id = item_id
        self.draft.show_item(item_id, subject_id=subject_id)
        self.accepted.connect(self._forget_draft)

    def _forget_draft(self) -> None:
        self.draft.finish(self._item_id)


def ask_text(
    parent: QWidget,
    theme: Theme,
    drafts: DraftKeeper,
    title: str,
    question: str,
    *,
    name: str,
    item_id: str,
    subject_id: str = "",
) -> str | None:
    """Ask for one line and return it, or None if cancelled; see `TextQuestion`."""
    dialog = TextQuestion(parent, theme, drafts, title, question, name=name, item_id=item_id, subject_id=subject_id)
    has_agreed = dialog.exec()
    text = dialog.line.text()
    dialog.deleteLater()
    return text if has_agreed else None


def ask_on_page(page: Page, title: str, question: str, *, name: str, item_id: str, subject_id: str = "") -> str | None:
    """Ask for one line over a page and return it, or None if cancelled; see `TextQuestion`."""
    return ask_text(
        page, page.theme, page.session.drafts, title, question, name=name, item_id=item_id, subject_id=subject_id
    )
