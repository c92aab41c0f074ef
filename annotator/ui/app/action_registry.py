"""Creates the Qt actions listed in `annotator.ui.app.actions` with the user's shortcuts, and runs their handlers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, cast

from PySide6.QtCore import QKeyCombination, QObject, Qt, Signal
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMenu, QMenuBar, QWidget

from annotator.ui.app.actions import ACTIONS, MENUS, PAGE_MENU, ActionSpec
from annotator.ui.app.translation import tr, translate_word

Keys = Mapping[str, tuple[str, ...]]
"""Portable key names by action id."""

_NAVIGATION_KEYS = {
    Qt.Key.Key_Tab, Qt.Key.Key_Backtab, Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Escape, Qt.Key.Key_Space,
    Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Home, Qt.Key.Key_End,
    Qt.Key.Key_PageUp, Qt.Key.Key_PageDown,
}  # fmt: skip
_DELETION_KEYS = {Qt.Key.Key_Backspace, Qt.Key.Key_Delete}
_CLIPBOARD_KEYS = ("Ctrl+C", "Ctrl+V", "Ctrl+X")
_MODIFIERS = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.MetaModifier


def normalise_key(key: str) -> str:
    """Return a key's portable name in Qt's normal form, or an empty text if Qt cannot parse it."""
    return QKeySequence.fromString(key, QKeySequence.SequenceFormat.PortableText).toString(
        QKeySequence.SequenceFormat.PortableText
    )


def _first(sequence: QKeySequence) -> QKeyCombination:
    # The type stubs lack QKeySequence.__getitem__.
    return cast(QKeyCombination, cast(Any, sequence)[0])


def key_problem(key: str) -> str:
    """Return a sentence saying why a key cannot be assigned to an action, or an empty text."""
    sequence = QKeySequence(key)
    if sequence.isEmpty() or not normalise_key(key) or _first(sequence).key() == Qt.Key.Key_unknown:
        return tr("This key cannot be used.")
    if sequence.count() > 1:
        return tr("Use a single key or combination; key sequences are not supported.")
    first = _first(sequence)
    if first.key() in _DELETION_KEYS:
        return tr("Backspace and Delete are reserved for editing text.")
    if first.key() in _NAVIGATION_KEYS and not first.keyboardModifiers() & _MODIFIERS:
        return tr("This key moves the focus or cursor. Add Ctrl or Alt.")
    if normalise_key(key) in _CLIPBOARD_KEYS:
        return tr("This key copies, cuts or pastes text.")
    return ""


def find_key_owner(keys: Keys, key: str, excluded_id: str) -> str:
    """Return the id of an action other than ``excluded_id`` that has the key, or an empty text."""
    normalised_key = normalise_key(key)
    for action_id, action_keys in keys.items():
        if action_id != excluded_id and normalised_key in {normalise_key(action_key) for action_key in action_keys}:
            return action_id
    return ""


def effective_keys(defaults: Keys, changed: Keys) -> dict[str, tuple[str, ...]]:
    """Return the effective keys of every action: the user's if valid, else the defaults.

    On a conflict, the user's choice wins over a default, and an earlier action over a later one.
    """
    user_keys: dict[str, tuple[str, ...]] = {}
    used: set[str] = set()
    for action_id in defaults:
        if action_id in changed:
            valid_keys = [normalise_key(key) for key in changed[action_id] if not key_problem(key)]
            user_keys[action_id] = tuple(key for key in dict.fromkeys(valid_keys) if key not in used)
            used.update(user_keys[action_id])
    return {
        action_id: user_keys[action_id]
        if action_id in user_keys
        else tuple(key for key in keys if normalise_key(key) not in used)
        for action_id, keys in defaults.items()
    }


def changed_keys(defaults: Keys, current: Keys) -> dict[str, tuple[str, ...]]:
    """Return the keys that differ from the defaults."""
    return {
        action_id: keys
        for action_id, keys in current.items()
        if tuple(map(normalise_key, keys)) != tuple(map(normalise_key, defaults[action_id]))
    }


def _title_with_accelerator(name: str) -> str:
    """Return a menu's title with its mnemonic: before a Latin first letter, else in parentheses after the word."""
    title = translate_word(name)
    return f"&{title}" if title[:1].isascii() and title[:1].isalpha() else f"{title}(&{name[0]})"


def key_text(shortcut: str) -> str:
    """Return a key sequence in the platform's notation."""
    return QKeySequence(shortcut).toString(QKeySequence.SequenceFormat.NativeText)


class ActionRegistry(QObject):
    """Creates all actions, and runs the handlers that are bound to them on the current page."""

    page_requested = Signal(object)
    """(action id, page name) of a triggered action whose page must be shown first."""
    keys_changed = Signal(object)
    """The changed actions: a mapping of action id to the (old, new) first key in the platform's notation."""

    def __init__(self, window: QWidget) -> None:
        """Create all actions and their shortcuts on ``window``; they stay disabled until bound.

        As usual in Qt, a focused text field handles the keys it can use, such as letters and Ctrl+Z, itself.
        """
        super().__init__(window)
        self.specs = {spec.id: spec for spec in ACTIONS}
        self._actions: dict[str, QAction] = {}
        self._handlers: dict[tuple[str, str], Callable[[], object]] = {}
        self._keys: dict[str, tuple[str, ...]] = {spec.id: spec.shortcuts for spec in ACTIONS}
        self._action_groups: dict[str, QActionGroup] = {}
        self._page = ""
        self._page_menu: QMenu | None = None
        self._has_project = False
        for spec in ACTIONS:
            self._make_action(window, spec)

    def _make_action(self, window: QWidget, spec: ActionSpec) -> None:
        action = QAction(self)
        action.setObjectName(spec.id)
        action.setToolTip(translate_word(spec.help))
        action.setStatusTip("")
        if spec.exclusive:
            action.setCheckable(True)
            if spec.exclusive not in self._action_groups:
                self._action_groups[spec.exclusive] = QActionGroup(self)
            self._action_groups[spec.exclusive].addAction(action)
        action.triggered.connect(partial(self._run, spec.id))
        self._actions[spec.id] = action
        action.setShortcuts([QKeySequence(key) for key in spec.shortcuts])
        action.setShortcutVisibleInContextMenu(True)
        action.setText(translate_word(spec.text))
        action.setEnabled(spec.shows_page and not spec.needs_project)
        # Last, because the window and its shortcuts are notified of every later change.
        window.addAction(action)

    def set_shortcuts(self, changed: Mapping[str, tuple[str, ...]]) -> None:
        """Apply the user's keys by action id; other actions get their default keys. Unknown ids are ignored.

        Invalid or conflicting keys are ignored too, because a settings file may contain anything.
        """
        old_keys = {action_id: self.keys(action_id) for action_id in self.specs}
        effective = effective_keys({spec.id: spec.shortcuts for spec in ACTIONS}, changed)
        changed_ids = [action_id for action_id, keys in effective.items() if keys != self._keys[action_id]]
        self._keys = effective
        for action_id in changed_ids:
            self._actions[action_id].setShortcuts([QKeySequence(key) for key in effective[action_id]])
        new_keys = {action_id: (old_keys[action_id], self.keys(action_id)) for action_id in changed_ids}
        if new_keys:
            self.keys_changed.emit(new_keys)

    def shortcuts(self, action_id: str) -> tuple[str, ...]:
        """Return the portable names of an action's current keys."""
        return self._keys[action_id]

    def action(self, action_id: str) -> QAction:
        """Return the action with this id; raises KeyError for an unknown id."""
        return self._actions[action_id]

    def spec(self, action_id: str) -> ActionSpec:
        """Return the specification of an action; raises KeyError for an unknown id."""
        return self.specs[action_id]

    def keys(self, action_id: str) -> str:
        """Return the first key of an action in the platform's notation, or an empty text."""
        keys = self._keys[action_id]
        return key_text(keys[0]) if keys else ""

    def bind(self, action_id: str, handler: Callable[[], object], page: str = "") -> None:
        """Bind an action to ``handler`` on one page, or by default on all pages that do not bind it themselves."""
        self.bind_all({action_id: handler}, page)

    def bind_all(self, handlers: Mapping[str, Callable[[], object]], page: str = "") -> None:
        """Bind several actions at once. Raises KeyError for an unknown id; nothing is bound then."""
        unknown = next((action_id for action_id in handlers if action_id not in self.specs), None)
        if unknown is not None:
            raise KeyError(unknown)
        self._handlers.update({(page, action_id): handler for action_id, handler in handlers.items()})
        self._update()

    def unbind_page(self, page: str) -> None:
        """Remove all bindings of a page, before it is destroyed."""
        self._handlers = {key: handler for key, handler in self._handlers.items() if key[0] != page}
        self._update()

    def set_page(self, name: str) -> None:
        """Set the current page (empty: none); actions without a handler there are disabled."""
        if name != self._page:
            self._page = name
            self._fill_page_menu()
        self._update()

    def set_project_open(self, is_open: bool) -> None:
        """Disable the actions that need a project while none is open."""
        self._has_project = is_open
        self._update()

    def trigger(self, action_id: str) -> None:
        """Run an action as if its key had been pressed; does nothing while it is disabled."""
        if self._actions[action_id].isEnabled():
            self._run(action_id)

    def trigger_bound(self, action_id: str) -> bool:
        """Run an action only if the current page has bound it; return whether it has."""
        handler = self._handlers.get((self._page, action_id))
        if handler is None:
            return False
        handler()
        return True

    def enabled_ids(self) -> tuple[str, ...]:
        """Return the ids of the enabled actions in the table's order."""
        return tuple(spec.id for spec in ACTIONS if self._actions[spec.id].isEnabled())

    def fill_menus(self, bar: QMenuBar) -> dict[str, QMenu]:
        """Add the menus to a menu bar and return them by name; the page menu follows the current page."""
        menus = {name: bar.addMenu(_title_with_accelerator(name)) for name in MENUS}
        for name, menu in menus.items():
            menu.setObjectName(f"menu-{name.lower()}")
        for spec in ACTIONS:
            if spec.group != PAGE_MENU and spec.in_menu:
                self._add_entry(menus[spec.group], spec)
        self._page_menu = menus[PAGE_MENU]
        self._fill_page_menu()
        return menus

    def _fill_page_menu(self) -> None:
        """Fill the page menu with the current page's actions, and hide it if there are none."""
        menu = self._page_menu
        if menu is not None:
            menu.clear()
            self.add_page_actions(menu)
            menu.menuAction().setVisible(not menu.isEmpty())

    def add_page_actions(self, menu: QMenu) -> None:
        """Add the current page's actions to a menu, such as a row's context menu."""
        for spec in ACTIONS:
            if spec.group == PAGE_MENU and spec.in_menu and self._page in spec.pages:
                self._add_entry(menu, spec)

    def _add_entry(self, menu: QMenu, spec: ActionSpec) -> None:
        if spec.separator:
            menu.addSeparator()
        menu.addAction(self._actions[spec.id])

    def set_text(self, action_id: str, text: str) -> None:
        """Reword an action, such as "Undo accept 3 subjects"."""
        self._actions[action_id].setText(text)

    def text(self, action_id: str) -> str:
        """Return the current text of an action without its key."""
        return self._actions[action_id].text()

    def _run(self, action_id: str, _checked: bool = False) -> None:
        handler = self._handler(action_id)
        if handler is not None:
            handler()
        elif self.specs[action_id].shows_page:
            self.page_requested.emit((action_id, self.specs[action_id].pages[0]))

    def _handler(self, action_id: str) -> Callable[[], object] | None:
        return self._handlers.get((self._page, action_id)) or self._handlers.get(("", action_id))

    def _update(self) -> None:
        for spec in ACTIONS:
            is_bound = self._handler(spec.id) is not None or spec.shows_page
            enabled = is_bound and (self._has_project or not spec.needs_project)
            # Only on a change, as setEnabled makes Qt update every menu and shortcut.
            if enabled is not self._actions[spec.id].isEnabled():
                self._actions[spec.id].setEnabled(enabled)
