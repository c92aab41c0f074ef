"""The one table of actions, and the keys that act only while nothing is being typed."""

from __future__ import annotations

from collections import Counter

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import (
    QComboBox,
    QLineEdit,
    QListWidget,
    QMainWindow,
    QMenu,
    QPlainTextEdit,
    QSpinBox,
    QWidget,
)
from pytestqt.qtbot import QtBot

from annotator.ui.app.action_registry import ActionRegistry
from annotator.ui.app.actions import ACTIONS, MENU_LIMIT, MENUS, PAGE_MENU
from annotator.ui.pages.page_registry import PAGES

FIXED = """select.accept A|select.reject R|select.skip S|select.flag F|select.undo U|queue.search /|queue.next J
queue.previous K|subject.save_next Ctrl+Return|subject.save Ctrl+S|sources.import Ctrl+I|palette.open Ctrl+K
help.keys ?|edit.undo Ctrl+Z|edit.redo Ctrl+Shift+Z|go.sources Ctrl+1|go.results Ctrl+Shift+L"""


def _show(qtbot: QtBot, window: QMainWindow, *widgets: QWidget) -> None:
    for widget in widgets:
        window.centralWidget().layout().addWidget(widget)
    window.show()
    qtbot.waitExposed(window)
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)


def test_ids_and_keys_are_unique():
    assert all(count == 1 for count in Counter(spec.id for spec in ACTIONS).values())
    held = [(QKeySequence(key).toString(), spec) for spec in ACTIONS for key in spec.shortcuts]
    assert [(key, one.id, other.id) for key, one in held for same, other in held
            if key == same and one is not other and one.meets(other)] == []  # fmt: skip
    assert all(key for key, _ in held), "a shortcut that Qt cannot read"


def test_actions_of_different_pages_may_share_a_key(qtbot: QtBot, window: QMainWindow) -> None:
    done: list[str] = []
    actions = ActionRegistry(window)
    actions.set_project_open(True)
    actions.bind("judge.second", _recorder(done, "judge"), page="Judge")
    actions.bind("desk.paraphrased", _recorder(done, "desk"), page="Criterion")
    field = QLineEdit()
    _show(qtbot, window, field)
    field.setFocus()
    for page in ("Judge", "Criterion", "Judge"):
        actions.set_page(page)
        qtbot.keyClick(field, Qt.Key.Key_2, Qt.KeyboardModifier.AltModifier)
    assert done == ["judge", "desk", "judge"] and field.text() == ""


def test_every_entry_can_be_shown():
    pages = {page.name for page in PAGES}
    for spec in ACTIONS:
        assert spec.group in MENUS
        assert spec.text
        assert spec.help
        assert set(spec.pages) <= pages
        assert not spec.leads or len(spec.pages) == 1
        assert not any("Backspace" in key or "Del" in key for key in spec.shortcuts)
    assert {page.action_id for page in PAGES} == {spec.id for spec in ACTIONS if spec.id.startswith("go.")}


def test_ids_that_pages_bind_keep_their_keys():
    keys = {spec.id: spec.shortcuts for spec in ACTIONS}
    for line in FIXED.replace("\n", "|").split("|"):
        action_id, key = line.split()
        assert keys[action_id][0] == key
    for action_id in ("prompt.reset", "criterion.template", "release.create", "release.export", "runs.replay"):
        assert action_id in keys


def test_letters_act_only_outside_text_fields(qtbot: QtBot, window: QMainWindow):
    calls: list[str] = []
    registry = ActionRegistry(window)
    registry.set_project_open(True)
    registry.bind("select.accept", _recorder(calls, "accept"), page="Select")
    registry.bind("queue.next", _recorder(calls, "next"), page="Select")
    registry.bind("edit.undo", _recorder(calls, "undo"))
    registry.set_page("Select")
    field, text, listing, box, number = QLineEdit(), QPlainTextEdit(), QListWidget(), QComboBox(), QSpinBox()
    listing.addItems(["alpha", "beta"])
    box.setEditable(True)
    closed = QComboBox()
    closed.addItems(["alpha", "jay"])
    _show(qtbot, window, field, text, listing, box, number, closed)

    for widget in (field, text, box, number):
        widget.setFocus()
        qtbot.keyClicks(widget, "aj")
        qtbot.keyClick(widget, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert calls == []
    qtbot.keyClicks(text, "a")
    assert text.toPlainText().endswith("a")

    qtbot.keyClick(text, Qt.Key.Key_Down, Qt.KeyboardModifier.AltModifier)
    assert calls == ["next"], "keys with a modifier act while typing, too"

    listing.setFocus()
    qtbot.keyClicks(listing, "aj")
    qtbot.keyClick(listing, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert calls == ["next", "accept", "next", "undo"]

    text.setReadOnly(True)
    text.setFocus()
    qtbot.keyClicks(text, "a")
    closed.setFocus()
    qtbot.keyClicks(closed, "j")
    assert calls == ["next", "accept", "next", "undo", "accept", "next"]


def test_actions_are_awake_only_where_they_are_bound(window: QMainWindow):
    calls: list[str] = []
    registry = ActionRegistry(window)
    registry.bind("subject.save", _recorder(calls, "prompt"), page="Prompt")
    registry.bind("subject.save", _recorder(calls, "criterion"), page="Criterion")
    registry.set_page("Prompt")
    assert not registry.action("subject.save").isEnabled(), "no project is open"
    registry.set_project_open(True)
    registry.trigger("subject.save")
    registry.set_page("Criterion")
    registry.trigger("subject.save")
    registry.set_page("Runs")
    registry.trigger("subject.save")
    assert calls == ["prompt", "criterion"]
    registry.set_page("Prompt")
    registry.unbind_page("Prompt")
    assert not registry.action("subject.save").isEnabled()
    with pytest.raises(KeyError):
        registry.bind("no.such", _recorder(calls, "x"))


def test_an_action_leads_to_its_page(qtbot: QtBot, window: QMainWindow):
    registry = ActionRegistry(window)
    registry.set_project_open(True)
    registry.set_page("Select")
    with qtbot.waitSignal(registry.led) as led:
        registry.trigger("sources.import")
    assert led.args == [("sources.import", "Sources")]


def _entries(menu: QMenu) -> list[str]:
    return [action.objectName() for action in menu.actions() if not action.isSeparator()]


def test_no_menu_is_long_on_any_page_and_each_entry_stands_where_it_acts(window: QMainWindow):
    registry = ActionRegistry(window)
    menus = registry.fill_menus(window.menuBar())
    listed: set[str] = set()
    for page in PAGES:
        registry.set_page(page.name)
        for name, menu in menus.items():
            entries = _entries(menu)
            assert len(entries) <= MENU_LIMIT, (page.name, name, len(entries))
            assert len(set(entries)) == len(entries)
            assert name != PAGE_MENU or all(page.name in registry.spec(entry).pages for entry in entries)
            listed.update(entries)
        assert menus[PAGE_MENU].menuAction().isVisible() is bool(_entries(menus[PAGE_MENU]))
    assert listed == {spec.id for spec in ACTIONS if spec.in_menu}
    assert registry.action("select.accept").shortcut().toString() == "A"
    registry.set_text("edit.undo", "Undo accept")
    assert registry.action("edit.undo").text() == "Undo accept"
    assert registry.action("edit.undo").shortcut().toString() == "Ctrl+Z"


def _recorder(calls: list[str], name: str):
    def record() -> None:
        calls.append(name)

    return record
