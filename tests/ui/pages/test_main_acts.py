"""The main act of every page, what the palette finds, and random acts in two windows."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QInputDialog
from pytestqt.qtbot import QtBot

from annotator.base.settings import Settings
from annotator.model.rows.queue_rows import QueueFilter
from annotator.model.vocabulary import Verdict
from annotator.services.project import projects, undo
from annotator.services.release import release_gates
from annotator.services.select import triage
from annotator.store.file.project_file import ProjectFile
from annotator.store.soundness.project_checks import find_content_problems
from annotator.ui.app import main_window
from annotator.ui.app.main_window import MainWindow
from annotator.ui.pages.page_registry import PAGES
from annotator.ui.pages.shared.edit_conflict_choice import ConflictDialog
from tests.windows import Wait, close, open_page, open_store, settle


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
    wait(lambda: len(page.answers.rules.view_payloads()) == 1)
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
    page.import_good_button.click()
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


# The palette, the manual, the tour and changed keys in the window on the sample project.


def _texts(window: MainWindow, kind: str) -> list[str]:
    return [entry.text for entry in window.palette_popup.results() if entry.kind.startswith(kind)]


def test_the_palette_finds_subjects_runs_and_the_manual(window: MainWindow, wait: Wait) -> None:
    window.open_palette()
    popup = window.palette_popup
    popup.field.setText("np.where tuple")
    wait(lambda: _texts(window, "Subject") == ["Why does np.where return a tuple?"])
    assert popup.results()[0].kind == "Subject"
    popup.run_current()
    wait(lambda: window.pages.current_name == "Select")
    page = window.pages.page("Select")
    wait(lambda: page.view is not None and page.view.row.title.startswith("Why does np.where"))

    window.open_palette()
    popup.field.setText("birch")
    wait(lambda: _texts(window, "Run") == ["birch-medium on 0.1"])
    popup.run_current()
    wait(lambda: window.pages.current_name == "Runs")
    runs = window.pages.page("Runs")
    wait(lambda: runs.detail.run is not None and runs.detail.run.model == "birch-medium")

    window.open_palette()
    popup.field.setText("troubleshooting")
    assert popup.results()[0].kind == "Manual"
    popup.run_current()
    wait(lambda: window.help.manual_window is not None and window.help.manual_window.place == "troubleshooting")
    window.help.manual_window.close()


def test_f1_opens_the_manual_at_the_page(window: MainWindow, qtbot: QtBot, wait: Wait) -> None:
    window.show_page("Release")
    window.setFocus()
    qtbot.keyClick(window, Qt.Key.Key_F1)
    viewer = window.help.manual_window
    assert viewer is not None
    assert viewer.place == "release"
    window.actions_table.set_shortcuts({"select.accept": ("X",)})
    viewer.show_place("select")
    assert "X\naccept" in viewer.page.toPlainText()
    window.actions_table.set_shortcuts({})
    assert "A\naccept" in viewer.page.toPlainText(), "the page on screen shows keys at once"
    viewer.close()


def test_the_tour_begins_once_with_the_sample(
    window: MainWindow, wait: Wait, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert not window.tour.isVisible(), "a project of one's own begins no tour"
    store = open_store(window)
    folder = tmp_path / "data" / "sample"
    folder.mkdir(parents=True)
    copy = folder / "starter.annotator"
    store.copy_to(copy)
    monkeypatch.setattr(main_window, "data_dir", lambda: tmp_path / "data")
    window.open_project(copy)
    wait(window.tour.isVisible)
    assert window.state.is_tour_seen
    assert window.pages.current_name == "Sources"
    window.tour.end()
    window.acts.close_project()
    window.open_project(copy)
    wait(lambda: window.pages.current_name != "")
    assert not window.tour.isVisible()
    window.actions_table.trigger("help.tour")
    assert window.tour.isVisible()


def test_the_tour_begins_with_a_sample_kept_anywhere(window: MainWindow, wait: Wait) -> None:
    store = open_store(window)
    path = store.path
    window.acts.close_project()
    window.expect_sample()
    window.open_project(path)
    wait(window.tour.isVisible)
    window.tour.end()


def test_changed_keys_show_on_buttons_sidebar_and_palette(window: MainWindow, wait: Wait) -> None:
    page = open_page(window, "Select")
    accept = page.header.buttons["select.accept"]
    assert accept.text() == "Accept  A"
    window.actions_table.set_shortcuts({"select.accept": ("X",), "go.select": ("Ctrl+F2",)})
    assert accept.text() == "Accept  X"
    assert window.sidebar.button("Select").toolTip().endswith("Ctrl+F2")
    entry = next(entry for entry in window.palette_entries() if entry.text == "Accept")
    assert entry.key == "X"
    window.actions_table.set_shortcuts({})
    assert accept.text() == "Accept  A"


def test_keys_of_the_settings_file_are_in_force_from_the_start(qtbot: QtBot, tmp_path: Path) -> None:
    from PySide6.QtWidgets import QApplication

    from annotator.ui.app.theme.look import Theme

    settings = Settings(tmp_path / "s.json", {"shortcuts": {"palette.open": ["Ctrl+J"], "odd": ["Q"], "file.new": 3}})
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    made = MainWindow(Theme(app), settings)
    assert made.actions_table.shortcuts("palette.open") == ("Ctrl+J",)
    assert made.actions_table.shortcuts("file.new") == ("Ctrl+N",)
    made.close()
    made.deleteLater()


# Random acts in two windows on one project end in the state that the history tells, and both windows show it.
STEPS = 60
_NAMES = (
    *("undo", "redo", "page", "select_next", "select_previous", "reload", "answer"),
    *("decide",) * 4, *("type",) * 3, *("save",) * 2, "save_next",
)  # fmt: skip
_VERDICTS = (Verdict.ACCEPT, Verdict.REJECT, Verdict.SKIP, Verdict.FLAG)


@pytest.fixture
def second(window: MainWindow, wait: Wait, tmp_path: Path) -> Iterator[MainWindow]:
    """Another window of the same person on the same project."""
    store = open_store(window)
    second = MainWindow(window.theme, Settings(tmp_path / "second.json", {}))
    second.show()
    wait(lambda: store.count_windows() == 1)
    second.open_project(store.path)
    wait(lambda: second.session.store is not None or second.findChild(QInputDialog, "who-works-here") is not None)
    if question := second.findChild(QInputDialog, "who-works-here"):
        question.accept()
    wait(lambda: second.session.store is not None and second.pages.current_name != "")
    yield second
    close(second)


@dataclass(frozen=True)
class DrawnAct:
    """An act drawn before the test starts, so that a seed is the same acts whatever the windows show by then."""

    in_second: bool
    name: str
    choice: int
    settles: bool


def draw_acts(seed: int) -> list[DrawnAct]:
    """Return the acts of a seed."""
    random = Random(seed)
    return [
        DrawnAct(random.random() < 0.5, random.choice(_NAMES), random.randrange(60), random.random() < 0.5)
        for _ in range(STEPS)
    ]


def do_act(act: DrawnAct, window: MainWindow) -> bool:
    """Do an act in a window, as a person would; return whether it was possible there."""
    page: Any = window.pages.page(window.pages.current_name)
    dialogs = [dialog for dialog in window.findChildren(ConflictDialog) if dialog.isVisible()]
    if dialogs or act.name == "answer":
        for dialog in dialogs[:1]:
            (dialog.keep_mine_button, dialog.take_theirs_button, dialog.cancel_button)[act.choice % 3].click()
        return bool(dialogs)
    if act.name in ("undo", "redo"):
        getattr(window.session, act.name)()
    elif act.name == "page":
        window.show_page(("Select", "Prompt", "Criterion")[act.choice % 3])
    elif act.name in ("select_next", "select_previous", "reload") and hasattr(page, "queue"):
        getattr(page.queue, act.name)()
    elif act.name == "decide" and window.pages.current_name == "Select":
        page.decide(_VERDICTS[act.choice % 4])
    elif act.name == "type" and hasattr(page, "paraphrase"):
        page.paraphrase.panes.editor.appendPlainText(f"word {act.choice}")
    elif act.name in ("save", "save_next") and hasattr(page, "paraphrase"):
        getattr(page, act.name)()
    else:
        return False
    return True


def _shows_project(page: Any, store: ProjectFile) -> bool:
    """Return whether the row and the view of a page are what the project says."""
    row, view = page.queue.current_row(), page.view
    if page.queue.is_seeking or row is None or view is None or row.id != view.row.id:
        return False
    saved = triage.load_subject(store, row.id)
    return bool(row == view.row == saved.row and view.paraphrase == saved.paraphrase)


def _decided_work(store: ProjectFile) -> dict[str, tuple[str | None, str | None]]:
    """Return the verdict and the paraphrase of every subject."""
    views = (triage.load_subject(store, row.id) for row in triage.queue_page(store, QueueFilter()).rows)
    return {view.row.id: (view.row.verdict, view.paraphrase.text if view.paraphrase else None) for view in views}


@pytest.mark.parametrize("seed", (1,))
def test_random_acts_in_two_windows(
    window: MainWindow, second: MainWindow, qtbot: QtBot, wait: Wait, seed: int
) -> None:
    store = open_store(window)
    done: list[Any] = []
    for act in draw_acts(seed):
        acting = second if act.in_second else window
        if do_act(act, acting):
            done.append(act)
        if act.settles:
            settle(acting, qtbot)
    for shown in (window, second):
        for dialog in shown.findChildren(ConflictDialog):
            dialog.reject()
        settle(shown, qtbot)
    with store.read() as db:
        assert find_content_problems(db.connection()) == (), done
    for shown in (window, second):
        assert shown.error_bar.isHidden(), (shown.error_bar.details.toPlainText(), done)
        for name in ("Select", "Prompt"):
            shown.show_page(name)
            wait(partial(_shows_project, shown.pages.page(name), store))
    counts = projects.stage_counts(store)
    assert counts.accepted == len(triage.accepted_subjects(store)), done
    acts = [act.id for act in undo.load_acts(store).rows if act.state == "done" and act.mine]
    end = _decided_work(store)
    undo.move_to_act(store, acts[-1], before=True)
    assert _decided_work(store) != end, done
    undo.move_to_act(store, acts[0])
    assert _decided_work(store) == end, done
