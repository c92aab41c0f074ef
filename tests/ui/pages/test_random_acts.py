"""Random acts in two windows on one project end in the state that the history tells, and both windows show it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
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
from annotator.store.soundness.caches import find_cache_problems
from annotator.ui.app.main_window import MainWindow
from annotator.ui.pages.shared.edit_conflict_choice import ConflictDialog
from tests.windows import Wait, close, settle

STEPS = 30
_VERDICTS = (Verdict.ACCEPT, Verdict.REJECT, Verdict.SKIP, Verdict.FLAG)


@pytest.fixture
def second(window: MainWindow, wait: Wait, tmp_path: Path) -> Iterator[MainWindow]:
    """Another window of the same person on the same project."""
    store = window.session.store
    assert store is not None
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


def random_act(random: Random, window: MainWindow) -> str:
    """Do something at random in a window, as a person would; return what it was."""
    dialogs = [dialog for dialog in window.findChildren(ConflictDialog) if dialog.isVisible()]
    if dialogs:
        random.choice((dialogs[0].keep, dialogs[0].take, dialogs[0].stay)).click()
        return "conflict"
    page: Any = window.pages.page(window.pages.current_name)
    acts: list[Callable[[], object]] = [
        window.session.undo,
        window.session.redo,
        lambda: window.show_page(random.choice(("Select", "Prompt", "Criterion"))),
    ]
    if hasattr(page, "queue"):
        acts += [page.queue.select_next, page.queue.select_previous, page.queue.reload]
    if window.pages.current_name == "Select":
        acts += [lambda: page.decide(random.choice(_VERDICTS))] * 4
    if hasattr(page, "paraphrase"):
        acts += [lambda: page.paraphrase.panes.editor.appendPlainText(f"word {random.random():.3f}")] * 3
        acts += [page.save] * 2
        acts += [page.save_next]
    act = random.choice(acts)
    act()
    return getattr(act, "__name__", repr(act))


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
    random = Random(seed)
    store = window.session.store
    assert store is not None
    done = []
    for _ in range(STEPS):
        acting = random.choice((window, second))
        done.append(random_act(random, acting))
        if random.random() < 0.5:
            settle(acting, qtbot)
    for shown in (window, second):
        for dialog in shown.findChildren(ConflictDialog):
            dialog.reject()
        settle(shown, qtbot)
    with store.read() as db:
        assert list(find_cache_problems(db.connection(), done.append)) == [], done
    for shown in (window, second):
        assert shown.error_bar.isHidden(), (shown.error_bar.details.toPlainText(), done)
        for name in ("Select", "Prompt"):
            shown.show_page(name)
            wait(partial(_shows_project, shown.pages.page(name), store))
    counts = projects.stage_counts(store)
    assert counts.accepted == len(triage.accepted_subjects(store)), done
