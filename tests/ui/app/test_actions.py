"""The one table of actions, and keys: which act while nothing is being typed, and how people change them."""

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
    QPushButton,
    QSpinBox,
    QWidget,
)
from pytestqt.qtbot import QtBot

from annotator.base.settings import Settings
from annotator.ui.app.action_registry import ActionRegistry, changed_keys, effective_keys, find_key_owner, key_problem
from annotator.ui.app.actions import ACTIONS, MENU_LIMIT, MENUS, PAGE_MENU
from annotator.ui.app.settings.settings_actions import SettingsActs
from annotator.ui.app.settings.settings_dialog import DEFAULTS, SettingsDialog
from annotator.ui.app.theme.look import Theme
from annotator.ui.pages.page_registry import PAGES
from annotator.ui.widgets.labels import button

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
            if key == same and one is not other and one.shares_page_with(other)] == []  # fmt: skip
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
        assert not spec.shows_page or len(spec.pages) == 1
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
    with qtbot.waitSignal(registry.page_requested) as page_requested:
        registry.trigger("sources.import")
    assert page_requested.args == [("sources.import", "Sources")]


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


# Keys that people change: what can be used, what clashes, and where they show at once.


@pytest.mark.parametrize("spec", [spec for spec in ACTIONS if spec.shortcuts], ids=lambda spec: spec.id)
def test_the_first_keys_can_all_be_used(spec):
    for key in spec.shortcuts:
        if key != "Ctrl+Return":
            assert key_problem(key) == ""


@pytest.mark.parametrize("key", ["", "Backspace", "Ctrl+Del", "Tab", "Down", "Space", "Ctrl+C", "A, B", "no such key"])
def test_keys_that_cannot_be_used_say_why(key: str):
    assert key_problem(key).endswith(".")


def test_the_users_choice_wins_over_a_first_key():
    defaults = {"a": ("A",), "b": ("B", "Ctrl+B"), "c": ()}
    assert effective_keys(defaults, {"a": ("B",)}) == {"a": ("B",), "b": ("Ctrl+B",), "c": ()}
    assert effective_keys(defaults, {"a": ("b",), "c": ("B",)})["c"] == ()
    assert effective_keys(defaults, {"a": ("Backspace",), "zzz": ("Q",)}) == {**defaults, "a": ()}
    assert find_key_owner(defaults, "ctrl+b", "a") == "b"
    assert find_key_owner(defaults, "B", "b") == ""
    assert changed_keys(defaults, {**defaults, "c": ("X",)}) == {"c": ("X",)}


def test_a_new_key_acts_and_the_old_one_does_not(qtbot: QtBot, window: QMainWindow):
    calls: list[str] = []
    registry = ActionRegistry(window)
    registry.set_project_open(True)
    registry.bind("select.accept", lambda: calls.append("accept"), page="Select")
    registry.bind("palette.open", lambda: calls.append("palette"))
    registry.set_page("Select")
    menus = registry.fill_menus(window.menuBar())
    assert menus
    field, other = QLineEdit(), QPushButton("other")
    window.centralWidget().layout().addWidget(field)
    window.centralWidget().layout().addWidget(other)
    window.show()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    with qtbot.waitSignal(registry.keys_changed) as said:
        registry.set_shortcuts({"select.accept": ("X",), "palette.open": ("Ctrl+Shift+K",)})
    assert said.args[0]["select.accept"] == ("A", "X")
    other.setFocus()
    qtbot.keyClicks(other, "a")
    assert calls == []
    qtbot.keyClicks(other, "x")
    assert calls == ["accept"]
    qtbot.keyClick(other, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    assert calls == ["accept", "palette"]
    field.setFocus()
    qtbot.keyClicks(field, "x")
    assert (field.text(), calls) == ("x", ["accept", "palette"]), "a letter belongs to the text field"
    assert registry.action("select.accept").shortcut().toString() == "X"
    assert registry.keys("palette.open") == "Ctrl+Shift+K"
    registry.set_shortcuts({})
    assert registry.action("select.accept").shortcut().toString() == "A"
    assert registry.shortcuts("palette.open") == ("Ctrl+K",)


@pytest.fixture
def acts(window: QMainWindow, theme: Theme, tmp_path) -> SettingsActs:
    return SettingsActs(window, theme, ActionRegistry(window), Settings(tmp_path / "s.json", {}), _fail)


def _fail(failure: object) -> None:
    raise AssertionError(failure)


def _dialog(window: QMainWindow) -> SettingsDialog:
    dialog = window.findChild(SettingsDialog)
    assert dialog is not None
    return dialog


def test_a_clash_is_named_and_nothing_changes_until_it_is_taken_over(
    window: QMainWindow, acts: SettingsActs, qtbot: QtBot
):
    actions = acts.actions
    named = button("Accept", actions.keys("select.accept"))
    window.centralWidget().layout().addWidget(named)
    acts.open()
    dialog = _dialog(window)
    keys = dialog.keys
    keys.choose("select.accept")
    keys.field.setKeySequence(QKeySequence("R"))
    assert "Reject" in keys.problem.text()
    assert not keys.set_key_button.isEnabled()
    keys.apply()
    assert acts.settings.shortcuts == {}
    keys.reassign_button.click()
    assert actions.shortcuts("select.accept") == ("R",)
    assert actions.shortcuts("select.reject") == ()
    assert named.text() == "Accept  R"
    assert Settings.load(acts.settings.path).shortcuts == {"select.accept": ("R",), "select.reject": ()}
    keys.choose("select.reject")
    keys.reset_button.click()
    assert "Accept" in keys.problem.text(), "its first key is another's now"
    keys.choose("select.accept")
    keys.no_key_button.click()
    assert (actions.shortcuts("select.accept"), named.text()) == ((), "Accept")
    keys.reset_all_button.click()
    assert {spec.id: actions.shortcuts(spec.id) for spec in ACTIONS} == DEFAULTS
    assert named.text() == "Accept  A"
    keys.field.setKeySequence(QKeySequence("Ctrl+Backspace"))
    assert "Backspace" in keys.problem.text()
    dialog.close()


def test_settings_act_at_once_and_reset(window: QMainWindow, acts: SettingsActs, theme: Theme, qtbot: QtBot):
    acts.open()
    dialog = _dialog(window)
    row = dialog.rows["look"]
    assert not row.reset_button.isVisibleTo(dialog)
    row.control.setCurrentIndex(row.control.findData("dark"))
    row.control.activated.emit(row.control.currentIndex())
    assert theme.is_dark
    assert row.reset_button.isVisibleTo(dialog)
    assert acts.actions.action("view.dark").isChecked()
    row.reset_button.click()
    assert acts.settings.get("look") == "system"
    dialog.rows["text_scale"].control.setValue(125)
    assert Settings.load(acts.settings.path).get("text_scale") == 125
    dialog.rows["open_last"].control.setChecked(False)
    assert acts.settings.get("open_last") is False
    dialog.rows["text_scale"].reset_button.click()
    assert dialog.rows["text_scale"].control.value() == 100
    dialog.close()


def test_a_setting_that_cannot_be_kept_says_so_where_it_is(window: QMainWindow, theme: Theme, tmp_path, qtbot: QtBot):
    (tmp_path / "file").write_text("")
    failures: list[object] = []
    acts = SettingsActs(
        window, theme, ActionRegistry(window), Settings(tmp_path / "file" / "s.json", {}), failures.append
    )
    acts.open()
    dialog = _dialog(window)
    dialog.rows["open_last"].control.setChecked(False)
    assert "could not be saved" in dialog.rows["open_last"].problem.text()
    assert dialog.rows["open_last"].control.isChecked(), "what is shown is what is in force"
    assert len(failures) == 1
    dialog.close()


def test_search_finds_settings_and_keys(window: QMainWindow, acts: SettingsActs, qtbot: QtBot):
    acts.open()
    dialog = _dialog(window)
    dialog.search.setText("backup verified")
    assert [key for key, row in dialog.rows.items() if row.isVisibleTo(dialog)] == ["backups"]
    assert not dialog.cards["Appearance"].isVisibleTo(dialog)
    dialog.search.setText("palette")
    assert dialog.tabs.currentWidget() is dialog.keys
    assert dialog.keys.table.row_count() == 1
    dialog.search.setText("text")
    assert not all(row.isHidden() for row in dialog.rows.values())
    assert dialog.tabs.currentWidget() is dialog.keys, "a search leaves a list that has matches only by choice"
    dialog.search.setText("zebra")
    assert dialog.nothing.isVisibleTo(dialog.nothing.parentWidget())
    dialog.close()


def test_the_list_of_keys_is_searched_and_changed_in_one_place(window: QMainWindow, acts: SettingsActs):
    acts.open(show_keys=True)
    dialog = _dialog(window)
    assert dialog.tabs.currentWidget() is dialog.keys
    keys = [acts.actions.shortcuts(action_id) for action_id in dialog.keys.table.view_payloads()]
    assert keys == sorted(keys, key=lambda item: not item), "actions without keys come last"
    dialog.close()
