"""What was typed and not saved: on disk while it is typed, shown again where it was typed, saved by nobody else."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from annotator.base.errors import MissingEnvironmentError
from annotator.model.rows.draft_rows import Draft
from annotator.services.project import draft_journal, projects
from annotator.services.prompt import paraphrases
from annotator.store.file.project_file import ProjectFile
from annotator.ui.app.action_registry import ActionRegistry
from annotator.ui.app.main_window import MainWindow
from annotator.ui.app.session.session import Session
from annotator.ui.app.theme.look import Theme
from annotator.ui.pages.criterion.editor import YAML
from annotator.ui.pages.judge.pair_panel import PairPanel
from tests.windows import open_page, open_store, window_on

TYPED = "A text that nobody saved."


@pytest.fixture
def project(sample_file: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(sample_file, tmp_path))


@pytest.fixture
def window(qtbot: QtBot, project: Path) -> Iterator[MainWindow]:
    with window_on(qtbot, project) as window:
        yield window


def _on_disk(window: MainWindow) -> tuple[Draft, ...]:
    store = open_store(window)
    return draft_journal.load_drafts(store)


def _page(window: MainWindow, name: str, qtbot: QtBot) -> Any:
    found = open_page(window, name)
    qtbot.waitUntil(lambda: found.view is not None)
    return found


def _left_by_a_kill(project: Path, text: str, field: str = "prompt.paraphrase", at: int = 0) -> Draft:
    """Put a draft on disk as a window that was killed leaves one; returns it."""
    with closing(projects.open_project(project)) as store:
        subject = paraphrases_of(store)[at]
        draft = Draft(
            key=draft_journal.DraftKey(store.annotator.id, field, subject),
            text=text,
            subject_id=subject,
            began_from="",
            written_at="2026-11-21T10:42:00.000000Z",
        )
        draft_journal.save_draft(store, draft)
    return draft


def paraphrases_of(store: ProjectFile) -> list[str]:
    """Return the accepted subjects, in queue order."""
    from annotator.services.select import triage

    return [row.id for row in triage.accepted_subjects(store)]


def test_what_is_typed_is_on_disk_soon_and_gone_when_it_is_saved(qtbot: QtBot, window: MainWindow) -> None:
    page = _page(window, "Prompt", qtbot)
    page.own_writing.replace_text("")
    page.panes.editor.setFocus()
    began = time.monotonic()
    while time.monotonic() - began < 1.5:
        QTest.keyClicks(page.panes.editor, "word ")
        QTest.qWait(20)
    # Somebody is still typing: no pause was needed.
    typed = page.own_writing.text()
    [draft] = _on_disk(window)
    assert typed.startswith(draft.text.rstrip())
    assert len(draft.text) > len(typed) / 3
    assert (draft.key.field, draft.subject_id) == ("prompt.paraphrase", page.view.row.id)
    assert draft.began_from == (page.view.paraphrase.id if page.view.paraphrase else "")
    assert not page.own_writing.draft_bar.isVisible()
    page.save()
    qtbot.waitUntil(lambda: _on_disk(window) == ())
    store = open_store(window)
    folder = draft_journal.draft_folder(store.place)
    qtbot.waitUntil(lambda: not folder.exists())


def test_what_is_stored_again_is_no_draft(qtbot: QtBot, window: MainWindow) -> None:
    page = _page(window, "Prompt", qtbot)
    before = page.own_writing.text()
    page.own_writing.replace_text(TYPED)
    qtbot.waitUntil(lambda: len(_on_disk(window)) == 1)
    page.panes.editor.undo()
    assert page.own_writing.text() == before
    qtbot.waitUntil(lambda: _on_disk(window) == ())


@pytest.mark.parametrize("name", ["Prompt", "Criterion"])
def test_a_draft_is_offered_where_it_was_typed_and_saved_only_when_asked(
    qtbot: QtBot, project: Path, name: str
) -> None:
    field = {"Prompt": "prompt.paraphrase", "Criterion": "criterion.source"}[name]
    text = {"Prompt": TYPED, "Criterion": "grading:\n  keywords:\n    - kept in a draft\n"}[name]
    draft = _left_by_a_kill(project, text, field, at=2)
    with window_on(qtbot, project) as window:
        assert window.draft_notice.isVisible()
        window.draft_notice.show_button.click()
        page = window.pages.page(name)
        assert page is not None
        shown: Any = page
        qtbot.waitUntil(lambda: shown.view is not None and shown.view.row.id == draft.subject_id)
        assert not window.draft_notice.isVisible()
        assert shown.own_writing.text() == text
        assert shown.own_writing.draft_bar.isVisible()
        assert "Unsaved draft" in shown.own_writing.draft_bar.text.text()
        stored = shown.own_writing.draft.stored
        # Leaving and coming back, and closing, save nothing.
        window.show_page("Select")
        window.show_page(name)
        shown.queue.select_next()
        qtbot.waitUntil(lambda: shown.view.row.id != draft.subject_id)
        assert not shown.own_writing.draft_bar.isVisible()
        shown.show_subject(draft.subject_id)
        qtbot.waitUntil(lambda: shown.view.row.id == draft.subject_id)
        assert shown.own_writing.text() == text
        assert shown.own_writing.draft_bar.isVisible()
        assert window.session.receipt is None
    with window_on(qtbot, project) as window:
        window.draft_notice.show_button.click()
        shown = window.pages.page(name)
        qtbot.waitUntil(lambda: shown.view is not None and shown.view.row.id == draft.subject_id)
        assert (shown.own_writing.text(), shown.own_writing.draft.stored) == (text, stored)
        shown.save()
        qtbot.waitUntil(lambda: window.session.receipt is not None and not shown.own_writing.draft_bar.isVisible())
        qtbot.waitUntil(lambda: _on_disk(window) == ())
        qtbot.waitUntil(lambda: shown.own_writing.draft.stored == text)


def test_discarding_puts_back_what_is_stored_and_can_be_undone(qtbot: QtBot, project: Path) -> None:
    _left_by_a_kill(project, TYPED)
    with window_on(qtbot, project) as window:
        window.draft_notice.show_button.click()
        page: Any = window.pages.page("Prompt")
        qtbot.waitUntil(lambda: page.view is not None and page.own_writing.text() == TYPED)
        page.own_writing.draft_bar.discard_button.click()
        assert page.own_writing.text() == page.own_writing.draft.stored
        assert not page.own_writing.draft_bar.isVisible()
        qtbot.waitUntil(lambda: _on_disk(window) == ())
        page.panes.editor.undo()
        assert page.own_writing.text() == TYPED
        qtbot.waitUntil(lambda: len(_on_disk(window)) == 1)
        page.panes.editor.redo()
        qtbot.waitUntil(lambda: _on_disk(window) == ())


def test_a_draft_older_than_what_is_stored_is_shown_beside_it(qtbot: QtBot, project: Path) -> None:
    draft = _left_by_a_kill(project, TYPED)
    store = projects.open_project(project)
    paraphrases.save_prompt(store, draft.subject_id, "What somebody saved since.")
    store.close()
    with window_on(qtbot, project) as window:
        window.draft_notice.show_button.click()
        page: Any = window.pages.page("Prompt")
        qtbot.waitUntil(lambda: page.view is not None and page.own_writing.text() == TYPED)
        assert "Another text has been saved" in page.own_writing.draft_bar.text.text()
        page.own_writing.draft_bar.compare_button.click()
        dialog = page.own_writing.draft_bar.findChild(object, "draft-comparison")
        assert dialog.panes.original.toPlainText() == "What somebody saved since."
        assert dialog.panes.paraphrase() == TYPED
        dialog.discard_button.click()
        assert page.own_writing.text() == "What somebody saved since."
        qtbot.waitUntil(lambda: _on_disk(window) == ())


def test_a_disk_that_is_full_is_said_once(qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[object] = []
    window.session.failed.connect(said.append)
    tried: list[str] = []
    keep = draft_journal.save_draft

    def full(_store: ProjectFile, draft: Draft) -> None:
        tried.append(draft.text)
        raise MissingEnvironmentError("The disk is full.")

    monkeypatch.setattr(draft_journal, "save_draft", full)
    monkeypatch.setattr("annotator.ui.app.session.draft_keeper._RETRY_MS", 200)
    page = _page(window, "Prompt", qtbot)
    for letter in "some letters":
        QTest.keyClicks(page.panes.editor, letter)
        QTest.qWait(120)
    qtbot.waitUntil(lambda: len(tried) > 3)
    assert len(said) == 1
    monkeypatch.setattr(draft_journal, "save_draft", keep)
    # Without another key: it is tried again by itself.
    qtbot.waitUntil(lambda: [draft.text for draft in _on_disk(window)] == [page.own_writing.text()])
    page.panes.editor.undo()
    page.own_writing.replace_text(page.own_writing.draft.stored)


def test_closing_writes_what_is_waiting(qtbot: QtBot, session: Session) -> None:
    store = session.store
    assert store is not None
    session.drafts.keep("x.y", "item", "typed just now")
    session.close()
    again = projects.open_project(store.place)
    assert [draft.text for draft in draft_journal.load_drafts(again)] == ["typed just now"]
    again.close()


def test_a_text_that_is_not_saved_is_a_draft_and_closing_asks_nothing(
    qtbot: QtBot, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from annotator.ui.app.project_acts import ProjectActs

    bad = "grading:\n  keyword: [tuple]\n"
    asked: list[str] = []
    with window_on(qtbot, project) as window:
        page = _page(window, "Criterion", qtbot)
        page.document.show_face(YAML)
        page.own_writing.replace_text(bad)
        subject = page.view.row.id
        with monkeypatch.context() as patch:
            patch.setattr(ProjectActs, "ask_to_leave", lambda *said: bool(asked.extend(map(str, said[1:]))) or True)
            window.acts.close_project()
    assert asked == []
    with window_on(qtbot, project) as window:
        window.draft_notice.show_button.click()
        page = window.pages.page("Criterion")
        qtbot.waitUntil(lambda: page.view is not None and page.view.row.id == subject)
        assert page.own_writing.text() == bad
        page.own_writing.draft_bar.discard()
        qtbot.waitUntil(lambda: _on_disk(window) == ())


def test_a_rationale_stays_with_its_pair_until_that_is_judged(qtbot: QtBot, session: Session, theme: Theme) -> None:
    panel = PairPanel(theme, ActionRegistry(QWidget()), session.drafts)
    qtbot.addWidget(panel)
    panel.draft.show_item("pair")
    panel.rationale.setPlainText("The first names its source.")
    panel.draft.show_item("another pair")
    assert panel.rationale.toPlainText() == ""
    panel.draft.show_item("pair")
    assert panel.rationale.toPlainText() == "The first names its source."
    assert not panel.draft_bar.isHidden()
    panel.draft.finish("pair")
    assert panel.draft_bar.isHidden()
    assert session.drafts.drafts == ()
