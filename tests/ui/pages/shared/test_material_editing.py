"""An item's reference, tests and facts are edited where they are seen; its source, and its other tabs."""

from __future__ import annotations

import json
import stat
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from annotator.base.errors import BadInputError
from annotator.base.messages import Message
from annotator.services.consensus import aspect_reviews, three_experts
from annotator.services.prompt import paraphrases
from annotator.services.select import triage
from annotator.ui.app.main_window import MainWindow
from annotator.ui.pages.shared.artefact_editor import draft_item_id
from annotator.ui.pages.shared.fact_texts import evidence_rows
from annotator.ui.pages.shared.item_source import build_editor_command, find_local_file
from tests.windows import Wait, open_page, settle


@pytest.fixture
def page(window: MainWindow, wait: Wait) -> Any:
    found = open_page(window, "Criterion")
    wait(lambda: found.view is not None)
    return found


def test_the_material_is_edited_where_it_is_seen(page: Any, window: MainWindow, wait: Wait) -> None:
    store, subject = page.store, page.view.row.id
    details, editor = page.details, page.details.editor
    details.show_tab("Reference")
    details.edit_button.click()
    wait(editor.isVisible)
    assert editor.code.toPlainText() == page.view.reference and not details.stack.isVisible()
    # A text that is left stays a draft, and the button says so.
    editor.code.setFocus()
    editor.code.appendPlainText("more")
    editor.close_button.click()
    assert details.stack.isVisible() and details.edit_button.text() == "Edit ●"
    assert details.view_of("Reference").hasFocus()
    assert three_experts.load_artefact(store, subject, "solution").edited_by is None
    details.edit_button.click()
    wait(lambda: editor.isVisible() and editor.code.toPlainText().endswith("more"))
    # The key that saves the step saves the text in which it is pressed, and goes nowhere else.
    editor.code.setFocus()
    page.save_next()
    wait(lambda: page.view.reference.endswith("more") and details.stack.isVisible())
    assert page.view.row.id == subject and details.edit_button.text() == "Edit"
    assert details.view_of("Reference").toPlainText().endswith("more")
    window.session.undo()
    wait(lambda: not page.view.reference.endswith("more"))


def test_tests_have_a_form(page: Any, wait: Wait) -> None:
    store, subject = page.store, page.view.row.id
    details, form = page.details, page.details.editor.tests
    details.show_tab("Tests")
    assert details.edit_button.isVisible()
    details.edit_button.click()
    wait(form.isVisible)
    assert not page.details.editor.code.isVisible() and not form.name.isEnabled()
    form.add_button.click()
    form.add_button.click()
    assert [form.choice.itemText(place) for place in range(form.choice.count())] == ["test 1", "test 2"]
    form.code.setPlainText("assert f(1) == 2")
    QTest.keyClicks(form.expected, "2")
    form.choice.setCurrentIndex(0)
    form.remove_button.click()
    QTest.keyClicks(form.inputs, "[1]")
    details.editor.save_button.click()
    wait(lambda: "inputs must be a JSON object" in details.editor.problem.text())
    form.inputs.clear()
    QTest.keyClicks(form.inputs, '{"x": 1}')
    details.editor.save_button.click()
    wait(lambda: len(page.view.tests) == 1 and not details.editor.isVisible())
    row = json.loads(three_experts.load_artefact(store, subject, "tests").content)[0]
    assert (row["name"], row["code"], row["inputs"], row["expected"]) == (
        "test 2", "assert f(1) == 2", {"x": 1}, "2"
    )  # fmt: skip


def test_the_facts_are_set_above_the_evidence(page: Any, wait: Wait) -> None:
    page.details.show_tab("Evidence")
    box = page.details.facts.findChildren(type(page.details.facts.type))[-1]
    assert page.details.facts.isVisible() and box.accessibleName() == "Area"
    box.lineEdit().selectAll()
    QTest.keyClicks(box.lineEdit(), "arrays")
    QTest.keyClick(box.lineEdit(), Qt.Key.Key_Return)
    wait(lambda: page.view.row.area == "arrays")
    assert triage.load_subject_row(page.store, page.view.row.id).area == "arrays"


# -- what is typed and what is shown at the same time ----------------------------------------------------------------


def _other(page: Any, wait: Wait) -> None:
    """Go to the other subject of the desk."""
    subject = page.view.row.id
    page.queue.select_next()
    wait(lambda: page.view is not None and page.view.row.id != subject)


def test_an_editor_that_is_loaded_late_stays_closed(page: Any, window: MainWindow, qtbot: QtBot) -> None:
    details = page.details
    details.show_tab("Reference")
    details.edit_button.click()
    details.close_editor()
    settle(window, qtbot)
    assert not details.editor.isVisible() and details.stack.isVisible()


def test_the_text_returns_if_the_editor_cannot_be_loaded(
    page: Any, window: MainWindow, wait: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise BadInputError("The text cannot be read.")

    details = page.details
    details.show_tab("Reference")
    monkeypatch.setattr(three_experts, "load_artefact", refuse)
    details.edit_button.click()
    assert not details.stack.isVisible()
    wait(lambda: details.stack.isVisible() and details.edit_button.isVisible())
    assert "cannot be read" in window.error_bar.message.text()


def test_a_save_closes_no_editor_of_another_text(page: Any, wait: Wait) -> None:
    details, editor = page.details, page.details.editor
    details.show_tab("Reference")
    details.edit_button.click()
    wait(editor.isVisible)
    editor.saved.emit(draft_item_id("another", "solution"), "")
    assert editor.isVisible()
    editor.saved.emit(draft_item_id(page.view.row.id, "solution"), "")
    assert not editor.isVisible()


def test_the_form_waits_for_the_text_to_be_shown_again_or_discarded(page: Any, wait: Wait) -> None:
    details, editor = page.details, page.details.editor
    details.show_tab("Tests")
    details.edit_button.click()
    wait(editor.tests.isVisible)
    stored = editor.draft.stored
    editor.draft.show_item(editor.draft.item_id, "no array")
    assert editor.code.isVisible() and not editor.tests.isVisible()
    editor.code.setFocus()
    editor.code.selectAll()
    QTest.keyClicks(editor.code, "[]")
    assert editor.code.isVisible() and not editor.tests.isVisible(), "nothing appears under the typist"
    editor.draft.show_item(editor.draft.item_id, stored)
    editor.draft.discard()
    assert editor.tests.isVisible()


def test_a_key_in_the_form_is_passed_on_once_typing_pauses_or_the_form_is_left(
    page: Any, window: MainWindow, wait: Wait
) -> None:
    details, editor = page.details, page.details.editor
    details.show_tab("Tests")
    details.edit_button.click()
    wait(editor.tests.isVisible)
    editor.tests.add_button.click()
    told: list[str] = []
    editor.tests.changed.connect(told.append)
    QTest.keyClicks(editor.tests.expected, "12345")
    assert len(told) <= 1
    wait(lambda: "12345" in editor.code.toPlainText())
    QTest.keyClicks(editor.tests.expected, "6")
    assert window.session.drafts.flush() and "123456" in window.session.drafts.drafts[-1].text
    QTest.keyClicks(editor.tests.expected, "7")
    details.close_editor()
    assert "1234567" in window.session.drafts.drafts[-1].text


def _box(page: Any, name: str) -> Any:
    boxes = page.details.facts.findChildren(type(page.details.facts.type))
    return next(box for box in boxes if box.accessibleName() == name)


def test_a_fact_that_is_typed_survives_another_that_is_saved(page: Any, wait: Wait) -> None:
    page.details.show_tab("Evidence")
    subject, store, box = page.view.row.id, page.store, _box(page, "Domain")
    difficulty = page.details.facts.difficulty
    difficulty.setCurrentIndex(difficulty.findData("hard"))
    difficulty.activated.emit(difficulty.currentIndex())
    box.lineEdit().setFocus()
    box.lineEdit().selectAll()
    QTest.keyClicks(box.lineEdit(), "graphs")
    wait(lambda: page.view.row.difficulty == "hard")
    assert box.currentText() == "graphs"
    _other(page, wait)
    wait(lambda: triage.load_subject_row(store, subject).domain == "graphs")
    assert box.currentText() == page.view.row.domain != "graphs"


def test_a_fact_is_saved_once(page: Any) -> None:
    page.details.show_tab("Evidence")
    box = _box(page, "Area")
    told: list[str] = []
    page.details.facts.label_chosen.connect(lambda _view, name, value: told.append(f"{name} {value}"))
    box.lineEdit().setFocus()
    box.lineEdit().selectAll()
    QTest.keyClicks(box.lineEdit(), "arrays")
    QTest.keyClick(box.lineEdit(), Qt.Key.Key_Return)
    page.details.facts.difficulty.setFocus()
    box.lineEdit().editingFinished.emit()
    assert told == ["area arrays"]


# The tabs below a subject: what a model is asked, as it is sent, and the comments.


@pytest.fixture
def prompt_page(window: MainWindow, wait: Wait) -> Any:
    found = open_page(window, "Prompt")
    wait(lambda: found.view is not None)
    return found


def test_what_a_model_is_asked_is_one_tab_away(prompt_page: Any, window: MainWindow, wait: Wait) -> None:
    panel = prompt_page.details.as_sent
    prompt_page.details.show_tab("As sent")
    wait(lambda: panel.text.toPlainText().startswith("[user]"))
    assert '"temperature": 0.0' in panel.text.toPlainText() and panel.protocol.currentData() == "plain"
    panel.protocol.setCurrentIndex(panel.protocol.findData("infibench"))
    panel.protocol.activated.emit(panel.protocol.currentIndex())
    wait(lambda: '"temperature": 0.2' in panel.text.toPlainText())
    panel.protocol.setCurrentIndex(panel.protocol.findData("evocodebench-none-greedy"))
    panel.protocol.activated.emit(panel.protocol.currentIndex())
    wait(lambda: "it cannot be asked" in panel.text.toPlainText())


def test_a_saved_paraphrase_is_what_is_sent(prompt_page: Any, window: MainWindow, wait: Wait) -> None:
    store, subject = window.session.store, prompt_page.view.row.id
    assert store is not None
    prompt_page.details.show_tab("As sent")
    wait(lambda: bool(prompt_page.details.as_sent.text.toPlainText()))
    window.session.act(lambda: paraphrases.save_prompt(store, subject, "Say it in entirely other words."))
    wait(lambda: "[user]\nSay it in entirely other words." in prompt_page.details.as_sent.text.toPlainText())


def test_a_comment_is_written_and_read_beside_the_subject(prompt_page: Any, window: MainWindow, wait: Wait) -> None:
    store, subject = window.session.store, prompt_page.view.row.id
    assert store is not None
    prompt_page.details.show_tab("Comments")
    panel = prompt_page.details.comments
    wait(panel.line.isVisible)
    QTest.keyClicks(panel.line, "Is this about lists alone?")
    assert window.session.drafts.draft("consensus.comment", subject) is not None
    QTest.keyClick(panel.line, Qt.Key.Key_Return)
    wait(lambda: panel.table.row_count() == 1)
    assert [row.text for row in aspect_reviews.load_comments(store, subject)] == ["Is this about lists alone?"]
    assert panel.line.text() == "" and window.session.drafts.draft("consensus.comment", subject) is None
    tabs = prompt_page.details.tabs
    assert "Comments 1" in [tabs.tab_text(number) for number in range(tabs.count())]
    prompt_page.advance(1)
    wait(lambda: prompt_page.view.row.id != subject and panel.table.row_count() == 0)


def test_the_evidence_says_how_long_the_context_is(prompt_page: Any) -> None:
    view = replace(prompt_page.view, context="import math\n\n[MASK]\n")
    assert ("context", "3 lines") in evidence_rows(view)
    assert "context" not in dict(evidence_rows(replace(view, context="")))


def test_the_history_of_an_item_is_told_in_messages_that_can_be_translated(prompt_page: Any) -> None:
    rows = triage.load_subject_history(prompt_page.store, prompt_page.view.row.id)
    told = {str(row.act): row.detail for row in rows}
    assert told["paraphrase"] == "25 words" and told["criterion"].startswith("revision ")
    assert all(isinstance(detail, Message) for detail in told.values() if detail)


def test_the_history_in_a_narrow_tab_does_not_scroll_sideways(prompt_page: Any, wait: Wait) -> None:
    prompt_page.details.show_tab("History")
    table = prompt_page.details.table_of("History")
    wait(lambda: table.row_count() == 4)
    wait(lambda: table.horizontalScrollBar().maximum() == 0)


# An item's source is opened in the browser or an editor, and its path is copied, on every page with items.
ACTS = ("subject.editor", "subject.browser", "subject.copy_path")


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[QUrl]:
    """What the system was asked to open."""
    found: list[QUrl] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: found.append(url) or True)
    return found


def _prompt(window: MainWindow, wait: Wait) -> Any:
    page = open_page(window, "Prompt")
    wait(lambda: page.view is not None and page.queue.shown_id() == page.view.row.id)
    return page


def _use_editor(window: MainWindow, command: str) -> None:
    assert window.settings_acts.save_value("editor", command)


def test_every_page_with_items_has_the_acts(window: MainWindow, wait: Wait, subtests: pytest.Subtests) -> None:
    for name in ("Select", "Prompt", "Criterion", "Bugs", "Consensus"):
        with subtests.test(name):
            window.show_page(name)
            wait(lambda: set(ACTS) <= set(window.actions_table.enabled_ids()))
            window.show_page("Runs")
            assert not set(ACTS) & set(window.actions_table.enabled_ids())


def test_without_a_setting_the_system_shows_a_text(window: MainWindow, wait: Wait, opened: list[QUrl]) -> None:
    page = _prompt(window, wait)
    assert page.row_menu.open(None)
    assert "Open in your editor" in [action.text().partition("\t")[0] for action in page.row_menu.menu.actions()]
    page.row_menu.menu.hide()
    window.actions_table.trigger("subject.editor")
    path = Path(opened[0].toLocalFile())
    assert path.suffix == ".txt", "a file of code might be run"
    assert path.read_text().strip()
    assert not stat.S_IMODE(path.stat().st_mode) & 0o222
    window.actions_table.trigger("subject.editor")
    assert opened[1] == opened[0]


def test_an_editor_is_started_without_a_shell(window: MainWindow, wait: Wait, tmp_path: Path) -> None:
    page = _prompt(window, wait)
    page.view = replace(page.view, reference="def f(x):\n    return x\n", context="", provenance={})
    page.view = replace(page.view, row=replace(page.view.row, language="python"))
    told = tmp_path / "told.txt"
    script = tmp_path / "an editor.py"
    script.write_text("import pathlib, sys\npathlib.Path(sys.argv[1]).write_text('|'.join(sys.argv[2:]))\n")
    _use_editor(window, f'"{sys.executable}" "{script}" "{told}" $HOME;ls {{file}}')
    window.actions_table.trigger("subject.editor")
    wait(lambda: told.exists() and bool(told.read_text()))
    first, file = told.read_text().split("|")
    assert first == "$HOME;ls" and file.endswith(".py")
    assert Path(file).read_text() == "def f(x):\n    return x\n"


def test_an_editor_that_is_not_there_is_named(window: MainWindow, wait: Wait) -> None:
    _prompt(window, wait)
    _use_editor(window, "no-such-editor-here --wait")
    failures: list[Any] = []
    window.session.failed.connect(failures.append)
    window.actions_table.trigger("subject.editor")
    assert [failure.message for failure in failures] == [
        "The editor no-such-editor-here could not be started. Check Editor in the settings."
    ]
    assert window.error_bar.isVisible()


def test_the_browser_and_the_path(window: MainWindow, wait: Wait, opened: list[QUrl]) -> None:
    page = _prompt(window, wait)
    page.view = replace(page.view, provenance={"url": "https://example.org/q/1", "path": "src/a.py"})
    window.actions_table.trigger("subject.browser")
    window.actions_table.trigger("subject.copy_path")
    assert opened == [QUrl("https://example.org/q/1")]
    assert QGuiApplication.clipboard().text() == "src/a.py"
    page.view = replace(page.view, provenance={"url": "file:///etc/passwd"})
    said: list[str] = []
    window.session.message_posted.connect(said.append)
    for act in ("subject.browser", "subject.copy_path"):
        window.actions_table.trigger(act)
    assert said == ["This item has no address to open.", "This item does not come from a file."]
    assert len(opened) == 1


def test_consensus_has_them_in_its_menu(window: MainWindow, wait: Wait, opened: list[QUrl]) -> None:
    page = open_page(window, "Consensus")
    page.faces.choose(2)
    wait(lambda: page.subject_on_screen() is not None and page.table.currentIndex().isValid())
    assert page.table.menu.open(None)
    texts = [action.text().partition("\t")[0] for action in page.table.menu.menu.actions()]
    assert {"Open in your editor", "Copy the key", "Copy the row"} <= set(texts)
    page.table.menu.menu.hide()
    window.actions_table.trigger("subject.editor")
    assert len(opened) == 1


def test_the_file_takes_its_place_in_the_command() -> None:
    path = Path("/x/a b.py")
    assert build_editor_command("code --wait", path) == ["code", "--wait", str(path)]
    assert build_editor_command('"/opt/my editor/e" --file={file} -n', path) == [
        "/opt/my editor/e",
        f"--file={path}",
        "-n",
    ]


def test_a_file_on_this_machine_is_opened_only_from_the_folder_that_was_read(tmp_path: Path) -> None:
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "a.py").write_text("x = 1\n")
    (tmp_path / "other.py").write_text("y = 1\n")
    root = str(tmp_path / "tree")
    assert find_local_file({"repository": root, "path": "a.py"}) == (tmp_path / "tree" / "a.py").resolve()
    for path in ("../other.py", str(tmp_path / "other.py"), "", "b.py"):
        assert find_local_file({"repository": root, "path": path}) is None
    assert find_local_file({"repository": "https://example.org/a", "path": "a.py"}) is None
    assert find_local_file({"path": str(tmp_path / "other.py")}) is None
