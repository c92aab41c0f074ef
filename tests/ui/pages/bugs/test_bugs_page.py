"""The Bugs page: propose, review by key, edit."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from annotator.model.changes import Changes
from annotator.model.vocabulary import Verdict
from annotator.services import sandbox_sessions as benches
from annotator.services.bugs import implanted_bugs
from annotator.services.project import projects, undo
from annotator.services.select import triage
from annotator.services.sources import imports
from annotator.ui.app.main_window import MainWindow
from tests.construction.conftest import KEY_CASES, KEY_CHANGES, KEY_ROW
from tests.template_projects import copy_project
from tests.windows import Wait, open_page, open_store, settle, window_on


def _build_project(path: Path, sample_file: Path, *, proposes: bool) -> None:
    """Add an item that bugs can be implanted in to the sample, and if asked the bugs of one family."""
    shutil.copy(sample_file, path)
    rows = path.with_suffix(".jsonl")
    rows.write_text(json.dumps(KEY_ROW) + "\n")
    store = projects.open_project(path)
    imports.import_paths(store, "jsonl", [rows])
    triage.decide_subjects(store, ["keys"], Verdict.ACCEPT)
    if proposes:
        implanted_bugs.propose_bugs(store, ["keys"], ["logic"])
    store.close()


@pytest.fixture
def open_window(
    qtbot: QtBot, sample_file: Path, tmp_path: Path, runner: object, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[bool], MainWindow]]:
    """Return what opens a window on a copy of such a project."""
    # The tests' own program is trusted: it runs without an engine.
    monkeypatch.setattr(benches.Workbench, "runner", lambda _self: runner)
    with ExitStack() as stack:

        def open_copy(proposes: bool) -> MainWindow:
            path = tmp_path / "bugs.annotator"
            build = partial(_build_project, sample_file=sample_file, proposes=proposes)
            copy_project(path, ("bugs page", proposes), build)
            return stack.enter_context(window_on(qtbot, path, "Bugs"))

        yield open_copy


@pytest.fixture
def window(open_window: Callable[[bool], MainWindow], request: pytest.FixtureRequest) -> MainWindow:
    """The window on a project with one item, and its proposed bugs where a test asks for them."""
    return open_window("proposed" in request.fixturenames)


@pytest.fixture
def page(window: MainWindow) -> Any:
    window.show_page("Bugs")
    return window.pages.page("Bugs")


@pytest.fixture
def proposed(page: Any, wait: Wait) -> Any:
    """The page with the three bugs that were proposed."""
    wait(lambda: page.view is not None and page.item is not None and page.table.row_count() == 3)
    return page


def test_why_no_bug_could_be_proven_stays(window: MainWindow, page: Any, qtbot: QtBot, wait: Wait) -> None:
    store = open_store(window)
    triage.decide_subjects(store, ["keys"], Verdict.REJECT)
    page.propose()
    wait(lambda: page.empty_state.title == "No bug could be proven")
    page.refresh(Changes(frozenset({"bug"})))
    settle(window, qtbot)
    assert "has no tests" in page.empty_state.text()


def test_review_by_key(window: MainWindow, page: Any, qtbot: QtBot, wait: Wait) -> None:
    store = window.session.store
    assert store is not None and page.right.currentWidget() is page.empty_state
    _, changes = implanted_bugs.propose_bugs(store, ["keys"], ["logic"])
    window.session.announce(changes)
    wait(lambda: page.view is not None and page.table.row_count() == 3)
    first = page.view.row.id
    assert page.matrix.row_count() == len(KEY_CASES)
    page.aspects["correctness"].setCheckState(Qt.CheckState.Checked)
    page.table.setFocus()
    qtbot.keyClick(page.table, Qt.Key.Key_A)
    wait(lambda: implanted_bugs.load_bug(store, first).row.state == "in_review")
    assert implanted_bugs.load_bug(store, first).reviews[0].aspects == {"correctness": True}
    wait(lambda: page.view.row.id != first)
    form = page.reason.parentWidget().parentWidget().parentWidget()
    assert form.horizontalScrollBar().maximum() == 0, "the form fits its card"
    second = page.view.row.id
    page.table.setFocus()
    qtbot.keyClick(page.table, Qt.Key.Key_R)
    assert "needs a reason" in page.problem.text() and implanted_bugs.load_bug(store, second).reviews == ()
    page.reason.setCurrentText("too easy")
    page.reject()
    wait(lambda: implanted_bugs.load_bug(store, second).row.rejects == 1)
    wait(lambda: page.view.row.id != second)
    page.table.setFocus()
    qtbot.keyClick(page.table, Qt.Key.Key_K)
    wait(lambda: page.view.row.id == second)
    page.table.setFocus()
    qtbot.keyClick(page.table, Qt.Key.Key_Return)
    assert page.aspects["correctness"].hasFocus()
    assert page.table.menu.open(None)
    assert {"Accept", "Reject"} <= {action.text().partition("\t")[0] for action in page.table.menu.menu.actions()}
    page.table.menu.menu.hide()


def test_the_item_of_another_page_stays(window: MainWindow, proposed: Any, tmp_path: Any, wait: Wait) -> None:
    page = proposed
    store = page.session.store
    (tmp_path / "more.jsonl").write_text(
        json.dumps({**KEY_ROW, "id": "more", "title": "More", "prompt": "Count more."})
    )
    imports.import_paths(store, "jsonl", [tmp_path / "more.jsonl"])
    triage.decide_subjects(store, ["more"], Verdict.ACCEPT)
    _, changes = implanted_bugs.propose_bugs(store, ["more"], ["logic"], most=1)
    window.session.announce(changes)
    wait(lambda: len(page.queue.payloads) == 4)
    shown = page.view.row.subject_id
    [other] = {row.subject_id for row in page.queue.payloads} - {shown}
    window.show_page("Prompt", other)
    prompt: Any = window.pages.page("Prompt")
    wait(lambda: prompt.view is not None and prompt.view.row.id == other)
    window.show_page("Bugs")
    wait(lambda: page.subject_on_screen() is not None and page.subject_on_screen().id == other)
    criterion = open_page(window, "Criterion")
    wait(lambda: criterion.view is not None and criterion.view.row.id == other)
    page.list_choice.choose(1)
    offered: list[Any] = []
    window.session.notice_posted.connect(offered.append)
    window.show_page("Bugs")
    wait(lambda: bool(offered))
    assert page.list_choice.current == 1 and page.view is None
    offered[0].act()
    wait(lambda: page.view is not None and page.view.row.subject_id == other)


def test_the_mix_of_families_is_told_below_the_queue(
    window: MainWindow, page: Any, monkeypatch: pytest.MonkeyPatch, wait: Wait
) -> None:
    store = window.session.store
    assert store is not None and page.queue.isAncestorOf(page.mix_label)
    wait(lambda: page.mix_label.text() == "Bugs in the project: none.")
    propose = implanted_bugs.propose_bugs
    # Slow code is proven by time, which a test has none to lose.
    monkeypatch.setattr(
        implanted_bugs, "propose_bugs", lambda *given: propose(*given[:2], ["logic", "syntax"], *given[3:])
    )
    page.propose()
    wait(lambda: page.mix_label.text().startswith("Bugs in the project: logic 3.\n"))
    assert "No security bug: the code has no place for one." in page.mix_label.text()
    assert "limited to a fifth of a project's bugs" in page.mix_label.text()


def test_labels_that_answers_may_name_as_well(window: MainWindow, page: Any, qtbot: QtBot, wait: Wait) -> None:
    store = page.session.store
    _, changes = implanted_bugs.propose_bugs(store, ["keys"], ["logic"], most=1)
    window.session.announce(changes)
    wait(lambda: page.view is not None)
    bug, labels = page.view.row.id, page.proof.labels
    assert labels.text() == "Also accepted: none" and not labels.boxes["logical_errors"].isVisible()
    for name in ("performance_issues", "syntax_errors"):
        labels.boxes[name].trigger()
    assert labels.text() == "Also accepted: 2 labels" and "syntax errors" in labels.accessibleName()
    page.table.setFocus()
    qtbot.keyClick(page.table, Qt.Key.Key_A)
    wait(lambda: bool(implanted_bugs.load_bug(store, bug).reviews))
    assert implanted_bugs.load_bug(store, bug).reviews[0].labels == ("performance_issues", "syntax_errors")
    wait(lambda: "also accepted: performance issues, syntax errors" in page.proof.facts.text())
    assert implanted_bugs.bug_item_of(store, implanted_bugs.load_bug(store, bug)).accepted_labels == (
        "performance_issues",
        "syntax_errors",
    )
    page.proof.show_bug(page.view, is_new_bug=True, reviewer="somebody else")
    assert labels.ticked_labels == ()
    page.proof.show_bug(page.view, is_new_bug=True, reviewer=store.annotator.name)
    assert labels.ticked_labels == ("performance_issues", "syntax_errors"), "what was said before is not lost"
    labels.boxes["syntax_errors"].trigger()
    assert labels.text() == "Also accepted: 1 label"
    assert labels.accessibleName() == "Also accepted: performance issues"
    page.accept()
    wait(lambda: implanted_bugs.load_bug(store, bug).reviews[0].labels == ("performance_issues",))
    undo.undo_last_act(store)
    assert implanted_bugs.load_bug(store, bug).reviews[0].labels == ("performance_issues", "syntax_errors")


def test_an_edit_is_proven_again(window: MainWindow, proposed: Any, wait: Wait) -> None:
    page = proposed
    store = page.session.store
    first = page.view.row.id
    page.edit()
    assert not page.code.isReadOnly()
    page.code.setPlainText(KEY_CHANGES.replace("s[i] !=", "s[i] =="))
    page.edit()
    wait(
        lambda: (
            [row.state for row in implanted_bugs.find_bugs(store)] == ["proven"] * 3
            and [row.replaces for row in implanted_bugs.find_bugs(store) if row.replaces] == [first]
        )
    )
    wait(lambda: page.view.row.replaces == first and page.view.row.state == "proven")
    assert page.code.isReadOnly()


def test_items_from_code_are_made_and_decided_on_by_key(page: Any, qtbot: QtBot, wait: Wait) -> None:
    store = page.session.store
    page.faces.choose(1)
    panel = page.tasks
    assert panel.right.currentWidget() is panel.empty_state and not page.bar_buttons["Propose bugs"].isVisible()
    page.bar_buttons["Make items"].click()
    wait(lambda: panel.table.row_count() > 5 and panel.view is not None)
    count, first = panel.table.row_count(), panel.view.row
    assert "Reference" in panel.answer.accessibleName() and panel.answer.toPlainText().strip()
    assert first.key.startswith("made:keys/") and "Work out" in panel.prompt.toPlainText()
    assert "made from: jsonl:keys" in panel.facts.text()
    panel.table.setFocus()
    qtbot.keyClick(panel.table, Qt.Key.Key_A)
    wait(lambda: triage.load_subject(store, first.id).row.verdict == "accept")
    wait(lambda: panel.table.row_count() == count - 1 and panel.view.row.id != first.id)
    second = panel.view.row
    panel.table.setFocus()
    qtbot.keyClick(panel.table, Qt.Key.Key_R)
    wait(lambda: triage.load_subject(store, second.id).row.verdict == "reject")
    wait(lambda: panel.table.row_count() == count - 2)
    panel.list_choice.choose(1)
    wait(lambda: panel.table.row_count() == 1 and panel.view is not None and panel.view.row.id == first.id)
    panel.list_choice.choose(3)
    panel.family.setCurrentIndex(panel.family.findData("completion"))
    wait(lambda: 0 < panel.table.row_count() < count)
    assert page.state()["face"] == 1 and page.view is None
    page.restore({"face": 0, "sizes": "odd"})


def test_times_several_bugs_and_a_model(window: MainWindow, page: Any, wait: Wait, monkeypatch: Any) -> None:
    from dataclasses import replace

    from annotator.services.runs import run_setups
    from annotator.ui.pages.bugs import page as module

    store = page.session.store
    # Bugs of different labels are put together.
    _, changes = implanted_bugs.propose_bugs(store, ["keys"], ["logic", "syntax", "naming"], most=5)
    window.session.announce(changes)
    wait(lambda: page.view is not None and page.table.row_count() == 5)
    assert page.proof.plot.isHidden()
    timing = {"sizes": [10, 20, 40], "reference_s": [1e-5, 2e-5, 4e-5], "changed_s": [1e-4, 4e-4, 1.6], "ratio": 40.0}
    slow = replace(page.view, proof={**page.view.proof, "timing": timing})
    page.proof.show_bug(slow, is_new_bug=False)
    assert not page.proof.plot.isHidden() and "1.6 s" in page.proof.plot.accessibleDescription()
    assert page.proof.plot.grab().width() > 0 and "40.0 times slower" in page.proof.facts.text()
    page.combine()
    wait(lambda: any(row.kind == "several" for row in implanted_bugs.find_bugs(store)))
    asked: list[Any] = []

    def ask(*arguments: Any) -> Any:
        asked.append(arguments[1:-1])
        return (), changes

    monkeypatch.setattr(module, "request_bugs", ask)
    page.ask()
    wait(lambda: getattr(page, "dialog", None) is not None and page.dialog.isVisible())
    offered = [page.dialog.endpoint.itemText(at) for at in range(page.dialog.endpoint.count())]
    assert offered == [row.name for row in run_setups.list_endpoints(store)] and "anthropic" in offered
    assert "Choose an endpoint" in page.dialog.problem.text() and not page.dialog.ask_button.isEnabled()
    page.dialog.reject()
    run_setups.save_run_setup(store, "endpoint", "here", {"base_url": "http://127.0.0.1:1/v1"})
    page.dialog = None
    page.ask()
    wait(lambda: page.dialog is not None and page.dialog.isVisible())
    page.dialog.model.setText(" m ")
    page.dialog.kinds.item(2).setCheckState(Qt.CheckState.Checked)
    assert page.dialog.ask_button.isEnabled()
    page.dialog.ask_button.click()
    wait(lambda: bool(asked))
    assert asked == [("here", "m", ("logic.condition", "logic.offbyone"), 3)]


def test_a_change_and_a_reason_are_drafts_of_their_bug(window: MainWindow, proposed: Any, wait: Wait) -> None:
    page = proposed
    store = page.session.store
    bug, code = page.view.row.id, page.view.code
    page.reason.setCurrentText("too easy for anybody")
    page.edit()
    page.code.setPlainText(code + "// half a chan")
    drafts = window.session.drafts
    assert {draft.key.field for draft in drafts.drafts} == {"bugs.code", "bugs.reason"}
    assert drafts.flush()
    draft = drafts.draft("bugs.code", bug)
    # The window is killed and opened again.
    window.pages.drop_pages()
    window.show_draft(draft)
    page = window.pages.page("Bugs")
    wait(lambda: page.view is not None and page.view.row.id == bug)
    assert page.code.toPlainText() == code + "// half a chan" and not page.code.isReadOnly()
    assert page.draft_bar.isVisible() and page.proof.draft_bar.isVisible()
    assert page.reason.currentText() == "too easy for anybody"
    # A draft from before may be left, and comes back; nothing of it is on another bug.
    page.queue.step(1 if page.table.currentIndex().row() == 0 else -1)
    wait(lambda: page.view.row.id != bug)
    assert page.code.isReadOnly() and page.code.toPlainText() == page.view.code
    assert page.reason.currentText() == "" and page.draft_bar.isHidden()
    page.show_draft(draft)
    wait(lambda: page.view.row.id == bug and "half a chan" in page.code.toPlainText())
    page.accept()
    assert "your edit" in page.problem.text() and not implanted_bugs.load_bug(store, bug).reviews
    page.draft_bar.discard_button.click()
    assert page.code.toPlainText() == code and page.code.isReadOnly() and not page.is_editing
    # A bug whose edit has only begun is left as any other: the bug on screen is the current one of the queue.
    page.edit()
    page.queue.step(1 if page.table.currentIndex().row() == 0 else -1)
    wait(lambda: page.view.row.id != bug and not page.is_editing)
    page.show_draft(draft)
    wait(lambda: page.view.row.id == bug)
    page.reject()
    wait(lambda: implanted_bugs.load_bug(store, bug).row.rejects == 1)
    wait(lambda: drafts.drafts == ())


def test_a_bug_is_told_in_words_beside_its_reference(window: MainWindow, proposed: Any, wait: Wait) -> None:
    page = proposed
    shown = [page.table.line(row) for row in range(3)]
    assert not any("logic." in f"{line.title} {line.facts}" for line in shown)
    assert all(line.chip == ("proven", "neutral") for line in shown)
    facts = page.frame.header.facts.full
    assert facts.endswith("· proven") and facts.partition(" ·")[0] in shown[0].title
    assert "Made by the rule" in page.proof.facts.text() and "_" not in page.proof.facts.text().splitlines()[1]
    marked = [page.view.code[start:end] for start, end, _ in page.code.marks]
    assert marked and all("\n" not in text and len(text) < 12 for text in marked), "only the letters that differ"
    box = page.aspects["correctness"]
    words = [box.text()]
    for _ in range(3):
        box.nextCheckState()
        words.append(box.text())
    assert words == ["Correctness: not judged", "Correctness: yes", "Correctness: no", "Correctness: not judged"]
    assert "Work out" not in page.panes.original.toPlainText() and page.panes.original.toPlainText() == "Count."
    assert page.frame.steps.buttons[0].text().startswith("✓")
    wait(lambda: window.sidebar.button("Bugs").count == 3)


def test_both_codes_scroll_together(window: MainWindow, page: Any, wait: Wait) -> None:
    text = "\n".join(f"value_{line} = {line!r} * 100  # {'a long remark ' * 20}" for line in range(200))
    page.right.setCurrentIndex(0)
    for view in (page.reference, page.code):
        view.set_code(text, "python")
    wait(lambda: min(view.verticalScrollBar().maximum() for view in (page.reference, page.code)) > 50)
    page.reference.verticalScrollBar().setValue(40)
    assert page.code.verticalScrollBar().value() == 40
    page.code.horizontalScrollBar().setValue(70)
    assert page.reference.horizontalScrollBar().value() == 70


def test_return_rejects_for_the_reason_and_undo_goes_back(
    window: MainWindow, proposed: Any, qtbot: QtBot, wait: Wait
) -> None:
    page = proposed
    store = page.session.store
    first = page.view.row.id
    line = page.reason.lineEdit()
    line.setFocus()
    qtbot.keyClick(line, Qt.Key.Key_Return)
    qtbot.wait(50)
    assert implanted_bugs.load_bug(store, first).reviews == (), "an empty reason rejects nothing"
    qtbot.keyClicks(line, "too easy")
    qtbot.keyClick(line, Qt.Key.Key_Return)
    wait(lambda: implanted_bugs.load_bug(store, first).row.rejects == 1)
    assert implanted_bugs.load_bug(store, first).reviews[0].reason == "too easy"
    wait(lambda: page.view.row.id != first)
    assert page.table.hasFocus(), "the next key is for the next bug"
    wait(lambda: window.sidebar.button("Bugs").count == 2)
    qtbot.keyClick(page.table, Qt.Key.Key_J)
    window.session.undo()
    wait(lambda: implanted_bugs.load_bug(store, first).row.rejects == 0 and page.view.row.id == first)


def test_bugs_are_searched_and_shown_with_large_letters(window: MainWindow, proposed: Any, wait: Wait) -> None:
    page = proposed
    title = page.table.line(2).title
    page.queue.search.setText(title.partition(" ·")[0])
    wait(lambda: page.table.row_count() < 3 and page.view.row.id == page.queue.payloads[0].id)
    page.queue.search.setText("nothing is called so")
    wait(lambda: page.view is None)
    page.queue.search.clear()
    wait(lambda: page.view is not None and page.table.row_count() == 3)
    window.theme.set_scale(175)
    try:
        wait(lambda: page.frame.is_narrow and page.frame.area.horizontalScrollBar().maximum() == 0)
        accept = page.frame.header.buttons["select.accept"]
        wait(lambda: accept.mapTo(window, accept.rect().bottomRight()).x() < window.width())
    finally:
        window.theme.set_scale(100)
