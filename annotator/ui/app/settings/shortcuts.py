"""User-defined keys: which are valid, which conflict, and which take effect."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from PySide6.QtCore import QKeyCombination, Qt
from PySide6.QtGui import QKeySequence

from annotator.ui.app.translation import tr

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
        else tuple(k for k in keys if normalise_key(k) not in used)
        for action_id, keys in defaults.items()
    }


def changed_keys(defaults: Keys, current: Keys) -> dict[str, tuple[str, ...]]:
    """Return the keys that differ from the defaults."""
    return {
        action_id: keys
        for action_id, keys in current.items()
        if tuple(map(normalise_key, keys)) != tuple(map(normalise_key, defaults[action_id]))
    }
