"""The Bugs page: propose, review by key, edit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from annotator.model.words import Verdict
from annotator.services import bugs, importing, selecting
from annotator.services import workbench as benches
from annotator.ui.main_window import MainWindow
from tests.construction.conftest import KEY_CASES, KEY_CHANGES, runner  # noqa: F401

Wait = Callable[[Callable[[], bool]], None]


@pytest.fixture
def page(window: MainWindow, runner: object, monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> Any:  # noqa: F811
    import json

    # The tests' own program is trusted: it runs without an engine.
    monkeypatch.setattr(benches.Workbench, "runner", lambda _self: runner)
    checks = "".join(f"assert countKeyChanges(None, {text!r}) == {count}\n" for text, count in KEY_CASES.items())
    row = {
        "id": "keys", "title": "Keys", "prompt": "Count.", "reference": KEY_CHANGES, "language": "python",
        "entry_point": "countKeyChanges", "task": "generation", "tests": [{"name": "check", "code": checks}],
    }  # fmt: skip
    (tmp_path / "rows.jsonl").write_text(json.dumps(row) + "\n")
    store = window.session.store
    assert store is not None
    importing.import_paths(store, "jsonl", [tmp_path / "rows.jsonl"])
    selecting.decide(store, ["keys"], Verdict.ACCEPT)
    window.show_page("Bugs")
    return window.pages.page("Bugs")


def test_review_by_key(window: MainWindow, page: Any, qtbot: QtBot, wait: Wait) -> None:
    store = window.session.store
    assert store is not None and page.right.currentWidget() is page.empty_state
    _, changes = bugs.propose(store, ["keys"], ["logic"])
    window.session.announce(changes)
    wait(lambda: page.view is not None and page.table.row_count() == 3)
    first = page.view.row.id
    assert page.matrix.row_count() == len(KEY_CASES)
    page.aspects["correctness"].setCheckState(Qt.CheckState.Checked)
    page.table.setFocus()
    qtbot.keyClick(page.table, Qt.Key.Key_A)
    wait(lambda: bugs.bug(store, first).row.state == "in_review")
    assert bugs.bug(store, first).reviews[0].aspects == {"correctness": True}
    wait(lambda: page.view.row.id != first)
    second = page.view.row.id
    page.table.setFocus()
    qtbot.keyClick(page.table, Qt.Key.Key_R)
    assert "needs a reason" in page.problem.text() and bugs.bug(store, second).reviews == ()
    page.reason.setCurrentText("too easy")
    page.reject()
    wait(lambda: bugs.bug(store, second).row.rejects == 1)
    wait(lambda: page.view.row.id != second)
    page.table.setFocus()
    qtbot.keyClick(page.table, Qt.Key.Key_K)
    wait(lambda: page.view.row.id == second)


def test_an_edit_is_proven_again(window: MainWindow, page: Any, wait: Wait) -> None:
    store = window.session.store
    assert store is not None
    _, changes = bugs.propose(store, ["keys"], ["logic"], most=1)
    window.session.announce(changes)
    wait(lambda: page.view is not None)
    first = page.view.row.id
    page.edit()
    assert not page.code.isReadOnly()
    page.code.setPlainText(KEY_CHANGES.replace("s[i] !=", "s[i] =="))
    page.edit()
    wait(lambda: [row.state for row in bugs.listing(store)] == ["proven"] and bugs.listing(store)[0].replaces == first)
    wait(lambda: page.view.row.replaces == first and page.view.row.state == "proven")
    assert page.code.isReadOnly()
