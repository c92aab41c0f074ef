"""A field whose text is kept as a draft while it is not saved, and the bar that says so when it comes back."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAccessible, QAccessibleEvent
from PySide6.QtWidgets import QComboBox, QFrame, QHBoxLayout, QLabel, QLineEdit, QPlainTextEdit, QWidget

from annotator.base import clock
from annotator.model.rows.drafts import Draft
from annotator.ui.app.session.draft_keeper import DraftKeeper
from annotator.ui.app.theme.look import Theme
from annotator.ui.app.translation import tr
from annotator.ui.widgets.code.diff_view import DiffPanes
from annotator.ui.widgets.dialog import Dialog
from annotator.ui.widgets.labels import button, label
from annotator.ui.widgets.layouts import arrange, make_column, make_row

DRAFT_DOT = "●"


class DraftField(QObject):
    """Hands what is typed for an item to the keeper, and finds it again when the item is shown.

    ``name`` is the field's name in the journal and begins with its page. The field is read and written by functions,
    as several widgets may be one document; `for_text` and `for_line` make one for a widget.
    """

    offered_changed = Signal()
    kept_changed = Signal()
    """There is a draft now, or none any more."""

    def __init__(
        self,
        keeper: DraftKeeper,
        name: str,
        read: Callable[[], str],
        write: Callable[[str], object],
        parent: QObject | None = None,
    ) -> None:
        """Belong to no item yet; the owner calls `note` whenever somebody edits."""
        super().__init__(parent)
        self.name = name
        self.item_id = ""
        self.stored = ""
        self.offered: Draft | None = None
        """The draft that was not typed just now, while it is in the editor."""
        self._keeper = keeper
        self._read, self._write = read, write
        self._subject_id, self._began_from = "", ""
        self._typed = self._quiet = self._shown = False
        keeper.drafts_loaded.connect(self._show_loaded)
        keeper.kept_changed.connect(self._tell_kept)

    @classmethod
    def for_text(
        cls,
        keeper: DraftKeeper,
        name: str,
        view: QPlainTextEdit,
        write: Callable[[str], object] | None = None,
    ) -> DraftField:
        """Return the field of a text of several lines."""
        field = cls(keeper, name, view.toPlainText, write or view.setPlainText, view)
        view.textChanged.connect(field.note)
        return field

    @classmethod
    def for_line(cls, keeper: DraftKeeper, name: str, line: QLineEdit) -> DraftField:
        """Return the field of one line."""
        field = cls(keeper, name, line.text, line.setText, line)
        line.textChanged.connect(field.note)
        return field

    @classmethod
    def for_box(cls, keeper: DraftKeeper, name: str, box: QComboBox) -> DraftField:
        """Return the field of a box of choices in which something else can be typed."""
        field = cls(keeper, name, box.currentText, box.setEditText, box)
        box.editTextChanged.connect(field.note)
        return field

    @property
    def is_kept(self) -> bool:
        """Whether what stands in the field is a draft."""
        return bool(self.item_id) and self._keeper.draft(self.name, self.item_id) is not None

    @property
    def outdated(self) -> bool:
        """Whether another revision was stored since the offered draft was begun."""
        return self.offered is not None and self.offered.began_from != self._began_from

    @property
    def text(self) -> str:
        """What stands in the field."""
        return self._read()

    @property
    def base_revision(self) -> str:
        """The revision that what stands in the field was begun from."""
        draft = self._keeper.draft(self.name, self.item_id)
        return draft.began_from if draft is not None else self._began_from

    def choose(self, item_id: str, stored: str = "", *, subject_id: str = "", began_from: str = "") -> str:
        """Belong to an item from now on; returns its draft, or what is ``stored`` if there is none.

        ``began_from`` is the stored revision. The draft of an item that is shown anew is offered as such.
        """
        shown_anew = item_id != self.item_id
        self.item_id, self.stored = item_id, stored
        self._subject_id, self._began_from = subject_id, began_from
        draft = self._keeper.draft(self.name, item_id) if item_id else None
        if draft is not None and draft.text == stored:
            self._keeper.discard(self.name, item_id)
            draft = None
        if shown_anew:
            self._typed = False
        if draft is None or not self._typed:
            self._offer(draft)
        self.kept_changed.emit()
        return draft.text if draft is not None else stored

    def show_item(self, item_id: str, stored: str = "", *, subject_id: str = "", began_from: str = "") -> None:
        """Show an item's draft, or what is ``stored``; a text that is there already stays untouched."""
        self._shown = True
        text = self.choose(item_id, stored, subject_id=subject_id, began_from=began_from)
        if self._read() != text:
            self._quiet = True
            self._write(text)
            self._quiet = False

    def leave_item(self) -> None:
        """Take the item that is shown next, the same one too, for one that is shown anew."""
        self.item_id = ""

    def _show_loaded(self) -> None:
        """Show the draft of whoever works here now; what somebody else typed stays a draft of theirs."""
        item_id = self.item_id
        if self._shown and item_id:
            self.leave_item()
            self.show_item(item_id, self.stored, subject_id=self._subject_id, began_from=self._began_from)

    def note(self, *_: object) -> None:
        """Keep what stands in the field now; what is stored again is no draft."""
        if self._quiet or not self.item_id:
            return
        self._typed = True
        text = self._read()
        if text == self.stored:
            self._keeper.discard(self.name, self.item_id)
            self._offer(None)
        else:
            self._keeper.keep(self.name, self.item_id, text, subject_id=self._subject_id, began_from=self._began_from)

    def finish(self, item_id: str, text: str | None = None) -> None:
        """Forget an item's draft, because it is saved or decided; not if something else than ``text`` is there now."""
        self._keeper.finish(self.name, item_id, text)
        if item_id == self.item_id and (text is None or self._read() == text):
            self._offer(None)
            self._typed = False

    def clear(self, item_id: str, text: str) -> None:
        """Forget a text that is saved and empty the field, unless something else was typed meanwhile."""
        self.finish(item_id, text)
        if item_id == self.item_id and self._read() == text:
            self._quiet = True
            self._write("")
            self._quiet = False

    def discard(self) -> None:
        """Put back what is stored."""
        self._write(self.stored)
        # A function that writes without telling of it leaves the draft to be discarded here.
        self._keeper.discard(self.name, self.item_id)
        self._offer(None)

    def _tell_kept(self, name: str, item_id: str) -> None:
        if name == self.name and item_id == self.item_id:
            self.kept_changed.emit()

    def _offer(self, draft: Draft | None) -> None:
        if draft != self.offered:
            self.offered = draft
            self.offered_changed.emit()


class DraftDot(QLabel):
    """A dot beside a title that says that the text below it is a draft; its room stays, so that nothing moves."""

    def __init__(self, *fields: DraftField) -> None:
        """Follow fields: one draft is enough for the dot."""
        super().__init__(DRAFT_DOT)
        self._fields = fields
        self.setProperty("role", "draft")
        self.setAccessibleName(tr("Draft, not saved yet"))
        self.setToolTip(self.accessibleName())
        policy = self.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self.setSizePolicy(policy)
        for field in fields:
            field.kept_changed.connect(self.show_state)
        self.show_state()

    def show_state(self) -> None:
        """Show the dot, or not."""
        self.setVisible(any(field.is_kept for field in self._fields))


class DraftBar(QFrame):
    """Says above some fields that what stands in them was not saved; hidden while that is not so."""

    def __init__(self, theme: Theme, *fields: DraftField, parent: QWidget | None = None) -> None:
        """Follow fields; more may be added by `follow`."""
        super().__init__(parent)
        self.setObjectName("draft-bar")
        self.setAccessibleName(tr("Draft that was not saved"))
        self._theme = theme
        self._fields: list[DraftField] = []
        self.text = label("", wrap=True)
        self.compare = button(tr("Compare…"), clicked=self.show_both)
        self.discard_button = button(tr("Discard"), clicked=self.discard)
        for flat_button in (self.compare, self.discard_button):
            flat_button.setProperty("role", "flat")
        middle = Qt.AlignmentFlag.AlignVCenter
        parts = ((self.text, 1), (self.compare, middle), (self.discard_button, middle))
        arrange(QHBoxLayout(self), *parts, margins=(10, 3, 6, 3))
        self.hide()
        for field in fields:
            self.follow(field)

    def follow(self, field: DraftField) -> None:
        """Say so of one more field."""
        self._fields.append(field)
        field.offered_changed.connect(self.show_state)
        self.show_state()

    def show_state(self) -> None:
        """Show when the newest of the drafts was typed, or nothing if there is none."""
        offered = [field.offered for field in self._fields if field.offered is not None]
        if offered:
            when = draft_time(max(draft.written_at for draft in offered))
            outdated = self._outdated() is not None
            self.text.setText(
                tr("A draft from {when} that was not saved. Another text was saved since it was begun.", when=when)
                if outdated
                else tr("A draft from {when} that was not saved.", when=when)
            )
            self.compare.setVisible(outdated)
        if bool(offered) == self.isHidden():
            self.setVisible(bool(offered))
            if offered:
                QAccessible.updateAccessibility(QAccessibleEvent(self.text, QAccessible.Event.Alert))

    def discard(self) -> None:
        """Put back what is stored in every field with a draft."""
        for field in self._fields:
            if field.offered is not None:
                field.discard()

    def show_both(self) -> None:
        """Show the draft beside what is stored now."""
        field = self._outdated()
        if field is not None and field.offered is not None:
            dialog = DraftComparison(self._theme, field.stored, field.offered, self)
            dialog.discard_button.clicked.connect(field.discard)
            dialog.open_once()

    def _outdated(self) -> DraftField | None:
        return next((field for field in self._fields if field.outdated), None)


class DraftComparison(Dialog):
    """What is stored beside a draft that was begun from an older revision."""

    def __init__(self, theme: Theme, stored: str, draft: Draft, parent: QWidget) -> None:
        """Show both, with the words that differ."""
        super().__init__(parent)
        self.setObjectName("draft-comparison")
        self.setWindowTitle(tr("Draft and saved text"))
        self.panes = DiffPanes(theme)
        self.panes.editor.setReadOnly(True)
        for card, view, name in (
            (self.panes.left_card, self.panes.original, tr("Saved")),
            (self.panes.right_card, self.panes.editor, tr("Draft from {when}", when=draft_time(draft.written_at))),
        ):
            card.set_title(name)
            view.setAccessibleName(name)
        self.panes.set_texts(stored, draft.text)
        self.keep_button = button(tr("Go on with the draft"), primary=True, clicked=self.accept)
        self.discard_button = button(tr("Discard the draft"), clicked=self.accept)
        buttons = make_row(None, self.discard_button, self.keep_button, spacing=8)
        make_column(self, (self.panes, 1), buttons, spacing=12, margin=16)
        self.resize(theme.pixels(900), theme.pixels(480))


def draft_time(moment: str) -> str:
    """Return when a draft was typed: the time of today, else the day with it."""
    try:
        local = clock.parse(moment).astimezone()
    except ValueError:
        return moment
    today = clock.now().astimezone().date() == local.date()
    return f"{local:%H:%M}" if today else f"{local:%Y-%m-%d %H:%M}"
