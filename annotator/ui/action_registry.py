"""Makes actions out of the table of `annotator.ui.actions` and runs what is bound to them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAction, QActionGroup, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLineEdit,
    QMenu,
    QMenuBar,
    QPlainTextEdit,
    QTextEdit,
    QWidget,
)

from annotator.ui.actions import ACTIONS, MENUS, TEXT_FIELD_KEYS, ActionSpec


def is_guarded(spec: ActionSpec, shortcut: str) -> bool:
    """Say whether a shortcut acts only while no text field has the focus."""
    return spec.plain_key and (len(shortcut) == 1 or shortcut in TEXT_FIELD_KEYS)


def is_text_field(widget: QWidget | None) -> bool:
    """Say whether a widget takes typed characters, so that letters belong to it."""
    if isinstance(widget, (QLineEdit, QTextEdit, QPlainTextEdit)):
        return not widget.isReadOnly()
    if isinstance(widget, QComboBox):
        return widget.isEditable()
    return isinstance(widget, QAbstractSpinBox)


def key_text(shortcut: str) -> str:
    """Return a key as the platform writes it."""
    return QKeySequence(shortcut).toString(QKeySequence.SequenceFormat.NativeText)


class ActionRegistry(QObject):
    """Makes the table's actions and runs whatever is bound to them on the page shown."""

    led = Signal(object)
    """(action id, page name): an action was started whose page must be shown first."""

    def __init__(self, window: QWidget) -> None:
        """Make all actions and their keys on ``window``; nothing acts before it is bound."""
        super().__init__(window)
        self.specs = {spec.id: spec for spec in ACTIONS}
        self._actions: dict[str, QAction] = {}
        self._handlers: dict[tuple[str, str], Callable[[], object]] = {}
        self._guarded: list[QShortcut] = []
        self._exclusive: dict[str, QActionGroup] = {}
        self._page = ""
        self._has_project = False
        self._in_text = False
        for spec in ACTIONS:
            self._make(window, spec)
        application = QApplication.instance()
        if isinstance(application, QApplication):
            application.focusChanged.connect(self._focus_changed)
        self._update()

    def _make(self, window: QWidget, spec: ActionSpec) -> None:
        action = QAction(spec.text, self)
        action.setObjectName(spec.id)
        action.setToolTip(spec.help)
        action.setStatusTip("")
        free = [QKeySequence(key) for key in spec.shortcuts if not is_guarded(spec, key)]
        action.setShortcuts(free)
        if spec.exclusive:
            action.setCheckable(True)
            if spec.exclusive not in self._exclusive:
                self._exclusive[spec.exclusive] = QActionGroup(self)
            self._exclusive[spec.exclusive].addAction(action)
        action.triggered.connect(partial(self._triggered, spec.id))
        window.addAction(action)
        self._actions[spec.id] = action
        for key in spec.shortcuts:
            if is_guarded(spec, key):
                shortcut = QShortcut(QKeySequence(key), window)
                shortcut.setContext(Qt.ShortcutContext.WindowShortcut)
                shortcut.setObjectName(f"key-{spec.id}")
                shortcut.activated.connect(partial(self.trigger, spec.id))
                self._guarded.append(shortcut)

    def action(self, action_id: str) -> QAction:
        """Return the action with this id; raises KeyError for an id the table does not hold."""
        return self._actions[action_id]

    def spec(self, action_id: str) -> ActionSpec:
        """Return the table's entry; raises KeyError for an id it does not hold."""
        return self.specs[action_id]

    def keys(self, action_id: str) -> str:
        """Return the first key of an action as the platform writes it, or an empty text."""
        shortcuts = self.specs[action_id].shortcuts
        return key_text(shortcuts[0]) if shortcuts else ""

    def bind(self, action_id: str, handler: Callable[[], object], page: str = "") -> None:
        """Let an action call ``handler``: on one page, or (no page given) wherever the page binds nothing itself."""
        if action_id not in self.specs:
            raise KeyError(action_id)
        self._handlers[page, action_id] = handler
        self._update()

    def unbind_page(self, page: str) -> None:
        """Forget what a page bound, before it is thrown away."""
        self._handlers = {key: handler for key, handler in self._handlers.items() if key[0] != page}
        self._update()

    def set_page(self, name: str) -> None:
        """Say which page is shown (empty: none); actions without a handler there are greyed out."""
        self._page = name
        self._update()

    def set_project_open(self, is_open: bool) -> None:
        """Grey out what needs a project while there is none."""
        self._has_project = is_open
        self._update()

    def trigger(self, action_id: str) -> None:
        """Do an action as if its key had been pressed; does nothing while it is greyed out."""
        if self._actions[action_id].isEnabled():
            self._run(action_id)

    def trigger_bound(self, action_id: str) -> bool:
        """Do an action only if the page shown has bound it; returns whether it had."""
        handler = self._handlers.get((self._page, action_id))
        if handler is None:
            return False
        handler()
        return True

    def enabled_ids(self) -> tuple[str, ...]:
        """Return the ids of the actions that would act now, in the table's order."""
        return tuple(spec.id for spec in ACTIONS if self._actions[spec.id].isEnabled())

    def fill_menus(self, bar: QMenuBar) -> dict[str, QMenu]:
        """Add the menus to a menu bar and return them by name."""
        menus = {name: bar.addMenu(f"&{name}") for name in MENUS}
        for name, menu in menus.items():
            menu.setObjectName(f"menu-{name.lower()}")
        for spec in ACTIONS:
            menu = menus[spec.group]
            if spec.separator:
                menu.addSeparator()
            menu.addAction(self._actions[spec.id])
        self._show_guarded_keys()
        return menus

    def set_text(self, action_id: str, text: str) -> None:
        """Reword an action, such as "Undo accept 3 subjects"."""
        self._actions[action_id].setText(self._with_key(action_id, text))

    def _with_key(self, action_id: str, text: str) -> str:
        """Add the key a menu shows: guarded keys are no shortcuts of the action, so Qt would not show them."""
        spec = self.specs[action_id]
        if spec.shortcuts and is_guarded(spec, spec.shortcuts[0]):
            return f"{text}\t{key_text(spec.shortcuts[0])}"
        return text

    def _show_guarded_keys(self) -> None:
        for spec in ACTIONS:
            self.set_text(spec.id, spec.text)

    def _triggered(self, action_id: str, _checked: bool = False) -> None:
        self._run(action_id)

    def _run(self, action_id: str) -> None:
        handler = self._handler(action_id)
        if handler is not None:
            handler()
        elif self.specs[action_id].leads:
            self.led.emit((action_id, self.specs[action_id].pages[0]))

    def _handler(self, action_id: str) -> Callable[[], object] | None:
        return self._handlers.get((self._page, action_id)) or self._handlers.get(("", action_id))

    def _update(self) -> None:
        for spec in ACTIONS:
            possible = self._handler(spec.id) is not None or spec.leads
            self._actions[spec.id].setEnabled(possible and (self._has_project or not spec.needs_project))

    def _focus_changed(self, _old: QWidget | None, new: QWidget | None) -> None:
        in_text = is_text_field(new)
        if in_text != self._in_text:
            self._in_text = in_text
            for shortcut in self._guarded:
                shortcut.setEnabled(not in_text)
