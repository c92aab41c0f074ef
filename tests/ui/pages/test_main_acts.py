"""The main act of every page, in the window."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from annotator.services.release import release_gates
from annotator.services.select import triage
from annotator.ui.app.main_window import MainWindow
from annotator.ui.pages.page_registry import PAGES
from tests.windows import Wait, open_page, open_store


def test_every_page_can_be_shown(window: MainWindow, subtests: pytest.Subtests) -> None:
    for entry in PAGES:
        with subtests.test(entry.name):
            open_page(window, entry.name)
            assert window.pages.current_name == entry.name
            assert not window.error_bar.isVisible()


def test_deciding_by_key_goes_on_and_can_be_undone(window: MainWindow, qtbot: QtBot, wait: Wait) -> None:
    page = open_page(window, "Select")
    wait(lambda: page.view is not None)
    first = page.view.row.id
    page.queue.list.setFocus()
    qtbot.keyClick(page.queue.list, Qt.Key.Key_R)
    store = page.session.store
    wait(lambda: triage.load_subject(store, first).row.verdict == "reject")
    wait(lambda: page.view is not None and page.view.row.id != first)
    qtbot.keyClick(page.queue.list, Qt.Key.Key_U)
    wait(lambda: triage.load_subject(store, first).row.verdict == "accept")


def test_letters_belong_to_the_search_field(window: MainWindow, qtbot: QtBot, wait: Wait) -> None:
    page = open_page(window, "Select")
    wait(lambda: page.queue.model.rowCount() == 24)
    qtbot.keyClick(page.queue.list, Qt.Key.Key_Slash)
    wait(page.queue.search.hasFocus)
    qtbot.keyClicks(page.queue.search, "regex")
    wait(lambda: page.queue.model.rowCount() in (0, 1))
    page.queue.search.clear()
    qtbot.keyClicks(page.queue.search, "dict")
    wait(lambda: page.queue.model.rowCount() == 1)
    wait(lambda: page.view is not None and "dictionaries" in page.view.row.title)
    assert page.view.row.verdict == "accept"


def test_a_paraphrase_is_saved_and_marked(window: MainWindow, wait: Wait) -> None:
    page = open_page(window, "Prompt")
    wait(lambda: page.view is not None and page.panes.paraphrase() != "")
    subject = page.view.row.id
    page.panes.editor.setPlainText("Say why np.where(a > 0.25) gives a tuple.")
    assert page.save()
    store = page.session.store

    def saved() -> bool:
        paraphrase = triage.load_subject(store, subject).paraphrase
        return paraphrase is not None and paraphrase.text.startswith("Say why")

    wait(saved)
    wait(lambda: len(page.panes.editor.extraSelections()) > 0)


def test_an_empty_paraphrase_stays_with_a_sentence(window: MainWindow, wait: Wait) -> None:
    page = open_page(window, "Prompt")
    wait(lambda: page.view is not None and page.panes.paraphrase() != "")
    page.panes.editor.setPlainText("   ")
    page.save_next()
    assert page.paraphrase.problem.isVisible()
    assert page.panes.paraphrase() == "   "
    page.panes.editor.undo()
    page.own_writing.unsaved_texts.clear()


def test_criteria_are_scored_while_typing(window: MainWindow, wait: Wait) -> None:
    page = open_page(window, "Criterion")
    wait(lambda: page.answers.responses.row_count() == 7)
    page.document.yaml.setPlainText("grading:\n  keywords:\n    - flatnonzero\n")
    wait(lambda: len(page.answers.rules.shown_payloads()) == 1)
    page.document.yaml.setPlainText("grading:\n  keywords: 3\n")
    wait(page.document.problems.isVisible)
    assert "Line 2" in page.document.problems.text()
    assert not page.save()
    page.document.yaml.setPlainText("grading:\n  keywords:\n    - content: tuple\n      why: says what it is\n")
    subject = page.view.row.id
    assert page.save()
    store = page.session.store

    def saved() -> bool:
        criterion = triage.load_subject(store, subject).criterion
        return criterion is not None and "says what it is" in criterion.source

    wait(saved)


def test_an_import_reports_bad_rows_and_keeps_the_good(window: MainWindow, wait: Wait, tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps({"id": "n1", "prompt": "What is a set?"}) + "\n{broken\n")
    page = open_page(window, "Sources")
    page.import_paths([path])
    wait(lambda: "bad" in page.report.text())
    assert "rows.jsonl:2" in page.errors.toPlainText()
    page.keep_good.click()
    wait(lambda: "1 added" in page.report.text())
    wait(lambda: page.table.row_count() == 2)


def test_a_release_is_made_and_exported(window: MainWindow, wait: Wait, tmp_path: Path) -> None:
    page = open_page(window, "Release")
    on = [kind for kind in release_gates.KINDS if kind.rule != release_gates.OFF]
    wait(lambda: page.gates.row_count() == len(on))
    page.version.setText("0.2")
    page.create_release()
    wait(lambda: page.table.row_count() == 2)
    page.export_to(tmp_path / "out", "0.2")
    wait(lambda: (tmp_path / "out" / "manifest.json").exists())
    page.version.setText("0.2")
    page.create_release()
    wait(lambda: "already" in page.status_label.text())
    page.version.clear()
    wait(lambda: page.changes_label.text() == "Nothing has changed since 0.2.")
    assert page.version.placeholderText() == ""
    page.create_release()
    wait(lambda: "Give a version" in page.status_label.text())


def test_responses_become_runs(window: MainWindow, wait: Wait, tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text(json.dumps({"subject": "np-where", "model": "new", "response": "flatnonzero"}) + "\n")
    page = open_page(window, "Runs")
    wait(lambda: page.table.row_count() == 3)
    page.replay(path)
    wait(lambda: page.table.row_count() == 4)


def test_local_execution_is_warned_of_for_as_long_as_it_is_allowed(window: MainWindow, wait: Wait) -> None:
    from annotator.services.project import members

    store = open_store(window)
    assert not window.status.warning.isVisible()
    window.session.act(lambda: members.allow_local_execution(store, True))
    wait(window.status.warning.isVisible)
    window.session.act(lambda: members.allow_local_execution(store, False))
    wait(lambda: not window.status.warning.isVisible())


def test_a_restored_subject_that_was_open_is_shown() -> None:
    """Restoring writes the state of then as new rows; one of them is a decision that says nothing."""
    from dataclasses import replace
    from unittest.mock import Mock

    from annotator.model.rows.view_rows import DecisionRow
    from annotator.ui.pages.select.page import decision_summary

    decision = DecisionRow(verdict="open", reason="", annotator="Mei", created_at="2026-01-01T00:00:00.000000Z")
    assert decision_summary(Mock(holder="", decisions=(decision,))) == ""
    assert (
        decision_summary(Mock(holder="", decisions=(replace(decision, verdict="accept"), decision)))
        == "accepted by Mei"
    )
