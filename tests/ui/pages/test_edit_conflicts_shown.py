"""A text that somebody else has saved meanwhile: both versions are shown, and the person says which one holds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtWidgets import QWidget

from annotator.model.rows.queue_rows import QueueFilter
from annotator.services.consensus import three_experts
from annotator.services.criterion import revisions
from annotator.services.project import members
from annotator.services.prompt import paraphrases, rewrites
from annotator.services.release import datasheet
from annotator.services.runs import run_setups
from annotator.services.select import triage
from annotator.store.file.project_file import ProjectFile
from annotator.ui.app.main_window import MainWindow
from annotator.ui.app.project_acts import ProjectActs
from annotator.ui.pages.prompt.rewrite_dialog import RewriteDialog
from annotator.ui.pages.release.dialogs import DatasheetDialog
from annotator.ui.pages.runs.setup_dialog import SetupDialog
from annotator.ui.pages.shared.edit_conflict_choice import ConflictDialog
from tests.windows import Wait, open_page

CRITERION = "grading:\n  keywords:\n    - {}\n"


@pytest.fixture
def other(window: MainWindow) -> Iterator[ProjectFile]:
    """Another window on the same file, in which Bo works."""
    assert window.session.store is not None
    store = ProjectFile.open(window.session.store.path)
    me = store.annotator.name
    members.switch_annotator(store, "Bo")
    yield store
    members.switch_annotator(store, me)
    store.close()


def _asked(parent: QWidget, wait: Wait) -> ConflictDialog:
    wait(lambda: parent.findChild(ConflictDialog) is not None)
    found = parent.findChild(ConflictDialog)
    assert found is not None
    assert found.isVisible()
    return found


def _gone(parent: QWidget, wait: Wait) -> None:
    wait(lambda: parent.findChild(ConflictDialog) is None)


@pytest.fixture
def prompt(window: MainWindow, other: ProjectFile, wait: Wait) -> Any:
    """The Prompt page with a text that is being written, of which Bo has saved another version."""
    page = open_page(window, "Prompt")
    wait(lambda: page.view is not None)
    page.panes.editor.setPlainText("mine")
    paraphrases.save_prompt(other, page.view.row.id, "theirs")
    return page


def _texts(store: ProjectFile, subject: str) -> list[str]:
    return [row.detail for row in triage.load_subject_history(store, subject) if "paraphrase" in row.act.lower()]


def test_mine_is_kept_on_top_of_theirs(window: MainWindow, prompt: Any, other: ProjectFile, wait: Wait) -> None:
    subject = prompt.view.row.id
    prompt.save()
    dialog = _asked(window, wait)
    assert dialog.panes.original.toPlainText() == "theirs" and dialog.panes.paraphrase() == "mine"
    assert "Bo" in dialog.panes.left_card.title
    dialog.panes.editor.setPlainText("mine, with a word of theirs")
    dialog.keep.click()
    wait(lambda: prompt.view.paraphrase.text == "mine, with a word of theirs")
    assert (
        prompt.panes.paraphrase() == "mine, with a word of theirs" and subject not in prompt.own_writing.unsaved_texts
    )
    _gone(window, wait)
    prompt.panes.editor.setPlainText("and on")
    prompt.save()
    wait(lambda: prompt.view.paraphrase.text == "and on")
    found = triage.load_subject(other, subject).paraphrase
    assert found is not None and found.text == "and on"


def test_theirs_are_taken(window: MainWindow, prompt: Any, wait: Wait) -> None:
    prompt.save()
    _asked(window, wait).take.click()
    wait(lambda: prompt.panes.paraphrase() == "theirs")
    assert prompt.view.row.id not in prompt.own_writing.unsaved_texts and prompt.view.paraphrase.text == "theirs"


def test_cancelling_goes_on_editing_and_the_next_save_asks_again(window: MainWindow, prompt: Any, wait: Wait) -> None:
    prompt.save()
    _asked(window, wait).stay.click()
    _gone(window, wait)
    assert prompt.panes.paraphrase() == "mine"
    prompt.save()
    _asked(window, wait).take.click()
    _gone(window, wait)


def test_own_saves_in_quick_succession_are_no_conflict(window: MainWindow, wait: Wait) -> None:
    page = open_page(window, "Prompt")
    wait(lambda: page.view is not None)
    for number in range(4):
        page.panes.editor.setPlainText(f"version {number}")
        page.save()
    wait(lambda: page.view.paraphrase is not None and page.view.paraphrase.text == "version 3")
    assert window.findChild(ConflictDialog) is None


def test_closing_says_so_before_anything_is_lost(
    window: MainWindow, prompt: Any, wait: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []

    def stay(_acts: ProjectActs, _title: str, text: str, _proceed: str) -> bool:
        said.append(text)
        return False

    prompt.save()
    with monkeypatch.context() as patch:
        patch.setattr(ProjectActs, "ask_to_leave", stay)
        assert not window.acts.leave()
    assert "Bo has saved another version" in said[0]
    _asked(window, wait).take.click()
    wait(lambda: prompt.panes.paraphrase() == "theirs")


def test_a_criterion(window: MainWindow, other: ProjectFile, wait: Wait) -> None:
    page = open_page(window, "Criterion")
    wait(lambda: page.view is not None)
    subject = page.view.row.id
    page.document.yaml.setPlainText(CRITERION.format("mine"))
    revisions.save_criterion(other, subject, CRITERION.format("theirs"))
    page.save()
    dialog = _asked(window, wait)
    assert dialog.panes.editor.fontInfo().fixedPitch() or dialog.panes.editor.font().family()
    dialog.keep.click()
    wait(lambda: "mine" in page.view.criterion.source)
    assert page.document.source == CRITERION.format("mine")
    page.document.yaml.setPlainText(CRITERION.format("again"))
    revisions.save_criterion(other, subject, CRITERION.format("theirs again"))
    page.save()
    _asked(window, wait).take.click()
    wait(lambda: "theirs again" in page.document.source)


def test_a_solution(window: MainWindow, other: ProjectFile, wait: Wait) -> None:
    subject = triage.queue_page(other, QueueFilter(verdicts=("accept",))).rows[0].id
    window.show_page("Consensus", subject)
    page: Any = window.pages.page("Consensus")
    wait(lambda: page.artefact.code.toPlainText() != "")
    page.artefact.code.setPlainText("mine()")
    three_experts.save_artefact_edit(other, subject, "solution", "theirs()")
    page.artefact.save.click()
    _asked(window, wait).keep.click()
    wait(lambda: three_experts.load_artefact(other, subject, "solution").content == "mine()")
    three_experts.save_artefact_edit(other, subject, "solution", "theirs, once more()")
    wait(lambda: page.artefact.code.toPlainText() == "theirs, once more()")
    page.artefact.code.setPlainText("mine, once more()")
    page.artefact.save.click()
    wait(lambda: three_experts.load_artefact(other, subject, "solution").content == "mine, once more()")
    assert window.findChild(ConflictDialog) is None, "theirs was on screen when the edit began"


def test_a_rewrite(window: MainWindow, other: ProjectFile, wait: Wait) -> None:
    page = open_page(window, "Prompt")
    wait(lambda: page.view is not None)
    subject = page.view.row.id
    dialog = RewriteDialog(page, page.context, subject)
    dialog.open()
    wait(lambda: dialog.view is not None)
    dialog.panes.editor.setPlainText("mine")
    work = rewrites.load_rewrite(other, subject).work
    theirs = replace(work, rewrite=replace(work.rewrite, requirement="theirs"))
    rewrites.save_rewrite(other, subject, rewrites.rewrite_work_json(theirs))
    dialog.save(False)
    asked = _asked(dialog, wait)
    assert asked.panes.editor.isReadOnly() and asked.panes.original.toPlainText().startswith("theirs")
    asked.keep.click()
    wait(lambda: rewrites.load_rewrite(other, subject).work.rewrite.requirement == "mine")
    wait(lambda: dialog.view is not None and dialog.view.work.rewrite.requirement == "mine")
    dialog.reject()
    dialog.deleteLater()


def test_an_answer_of_the_datasheet(window: MainWindow, other: ProjectFile, wait: Wait) -> None:
    page = open_page(window, "Release")
    page.open_datasheet()
    wait(lambda: page.findChild(DatasheetDialog) is not None)
    dialog = page.findChild(DatasheetDialog)
    datasheet.save_datasheet_text(other, "description", "theirs")
    dialog.fields["description"].setPlainText("mine")
    dialog.save()
    asked = _asked(dialog, wait)
    asked.take.click()
    wait(lambda: dialog.fields["description"].toPlainText() == "theirs")
    dialog.fields["description"].setPlainText("mine, after theirs")
    dialog.save()
    wait(lambda: datasheet.load_datasheet_texts(other).get("description") == "mine, after theirs")
    dialog.fields["description"].setPlainText("a draft")
    dialog.accept()
    datasheet.save_datasheet_text(other, "description", "theirs again")
    page.open_datasheet()
    wait(lambda: any(item.isVisible() for item in page.findChildren(DatasheetDialog)))
    dialog = next(item for item in page.findChildren(DatasheetDialog) if item.isVisible())
    dialog.draft_bar.discard()
    dialog.fields["description"].setPlainText("without a question")
    dialog.save()
    wait(lambda: datasheet.load_datasheet_texts(other).get("description") == "without a question")
    dialog.accept()


def test_a_setup_of_runs(window: MainWindow, other: ProjectFile, wait: Wait) -> None:
    dialog = SetupDialog(window.session, window.theme, window)
    dialog.open()
    dialog.begin("lab")
    run_setups.save_run_setup(other, "endpoint", "lab", {"base_url": "http://localhost:9000/v1"})
    dialog.save_text()
    # The list is read again meanwhile, and shows what the other wrote.
    dialog.text.setPlainText('{"base_url": "http://localhost:9000/v1"}')
    _asked(dialog, wait).keep.click()
    wait(lambda: run_setups.list_own_setups(other, "endpoint")[0].content["base_url"] == "http://localhost:8000/v1")
    assert run_setups.list_own_setups(other, "endpoint")[0].version == 2
    dialog.reject()
    dialog.deleteLater()
