"""Random acts in two windows on one project end in the state that the history tells, and both windows show it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest
from PySide6.QtWidgets import QInputDialog
from pytestqt.qtbot import QtBot

from annotator.base.settings import Settings
from annotator.model.vocabulary import Verdict
from annotator.services.project import projects
from annotator.services.select import triage
from annotator.store.file.project_file import ProjectFile
from annotator.store.soundness.project_checks import find_content_problems
from annotator.ui.app.main_window import MainWindow
from annotator.ui.pages.shared.edit_conflict_choice import ConflictDialog
from tests.windows import Wait, close, open_store, settle

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
            (dialog.keep, dialog.take, dialog.stay)[act.choice % 3].click()
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
    if page.queue.seeking or row is None or view is None or row.id != view.row.id:
        return False
    saved = triage.load_subject(store, row.id)
    return bool(row == view.row == saved.row and view.paraphrase == saved.paraphrase)


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
