"""Two windows, or a window and a command, on one project: what the other did, conflicts, and after closing."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QInputDialog, QMessageBox, QWidget

from annotator.base.settings import Settings
from annotator.model.changes import Changes
from annotator.model.rows.queue_rows import QueueFilter
from annotator.model.vocabulary import Verdict
from annotator.services import sandbox_sessions as benches
from annotator.services.bugs import implanted_bugs
from annotator.services.consensus import aspect_reviews, three_experts
from annotator.services.criterion import revisions
from annotator.services.judge import blind_judging
from annotator.services.judge.blind_judging import NewStudy
from annotator.services.project import members, projects
from annotator.services.prompt import paraphrases, rewrites
from annotator.services.release import datasheet, versions
from annotator.services.runs import run_list, run_setups
from annotator.services.select import triage
from annotator.services.sources import imports
from annotator.store.file.project_file import ProjectFile
from annotator.ui.app.main_window import MainWindow
from annotator.ui.app.project_acts import ProjectActs
from annotator.ui.app.session.session import Session
from annotator.ui.pages.page_registry import PAGES
from annotator.ui.pages.prompt.rewrite_dialog import RewriteDialog
from annotator.ui.pages.release.dialogs import DatasheetDialog
from annotator.ui.pages.runs.setup_dialog import SetupDialog
from annotator.ui.pages.shared.edit_conflict_choice import ConflictDialog
from tests.construction.conftest import KEY_ROW
from tests.processes import run_command
from tests.windows import Wait, open_page, open_store

CRITERION = "grading:\n  keywords:\n    - written elsewhere\n"


@pytest.fixture
def other(window: MainWindow) -> Iterator[ProjectFile]:
    """What another window has open: the same file, in another `ProjectFile`."""
    assert window.session.store is not None
    store = ProjectFile.open(window.session.store.path)
    yield store
    store.close()


def _page(window: MainWindow, name: str, wait: Wait) -> Any:
    found = open_page(window, name)
    if hasattr(found, "queue") and hasattr(found, "view") and name != "Bugs":
        wait(lambda: found.view is not None)
    return found


def _accepted(store: ProjectFile) -> str:
    return triage.queue_page(store, QueueFilter(verdicts=("accept",))).rows[0].id


def test_select_shows_a_decision_made_elsewhere(window: MainWindow, other: ProjectFile, wait: Wait) -> None:
    page = _page(window, "Select", wait)
    subject = page.view.row.id
    triage.decide_subjects(other, [subject], Verdict.FLAG, "looked at elsewhere")
    wait(lambda: page.view.row.verdict == "flag")
    wait(lambda: "looked at elsewhere" in page.prompt_card.remark)


def _question(window: MainWindow) -> QMessageBox | None:
    found = (box for box in window.findChildren(QMessageBox) if box.objectName() == "others-question")
    return next((box for box in found if box.isVisible()), None)


def _answer(window: MainWindow, wait: Wait, role: QMessageBox.ButtonRole) -> str:
    wait(lambda: _question(window) is not None)
    box = _question(window)
    assert box is not None
    text = box.informativeText()
    next(item for item in box.buttons() if box.buttonRole(item) == role).click()
    wait(lambda: _question(window) is None)
    return text


def test_a_decision_made_elsewhere_since_it_was_shown_is_asked_about(
    window: MainWindow, other: ProjectFile, wait: Wait
) -> None:
    page = _page(window, "Select", wait)
    first = page.view.row
    # Nothing of it has reached this window when the key is pressed.
    triage.decide_subjects(other, [first.id], Verdict.FLAG)
    page.decide(Verdict.REJECT)
    said = _answer(window, wait, QMessageBox.ButtonRole.RejectRole)
    assert said == f"{first.key} was flagged in another window or by a command."
    wait(lambda: page.view.row.id == first.id and page.view.row.verdict == "flag")
    page.decide(Verdict.REJECT)
    wait(lambda: triage.load_subject(other, first.id).row.verdict == "reject")
    assert _question(window) is None, "it was shown"
    page.show_subject(first.id)
    wait(lambda: page.view.row.id == first.id and page.view.row.verdict == "reject")
    triage.decide_subjects(other, [first.id], Verdict.SKIP)
    page.decide(Verdict.ACCEPT)
    _answer(window, wait, QMessageBox.ButtonRole.AcceptRole)
    wait(lambda: triage.load_subject(other, first.id).row.verdict == "accept")
    wait(lambda: page.view.row.id != first.id)


def test_ones_own_decisions_are_never_asked_about(window: MainWindow, wait: Wait) -> None:
    page = _page(window, "Select", wait)
    first = page.view.row.id
    for verdict in (Verdict.ACCEPT, Verdict.REJECT, Verdict.SKIP):
        # Faster than anything is shown.
        page.decide(verdict)
        page.queue.select_previous()
    page.session.undo()
    # What is pressed while an undo brings its item back waits for that item, which is then all that is selected.
    wait(lambda: page.is_settled and page.view.row.verdict == "reject")
    page.decide(Verdict.FLAG)
    page.queue.list.selectAll()
    page.decide(Verdict.ACCEPT)
    wait(lambda: triage.load_subject(page.store, first).row.verdict == "accept")
    assert _question(window) is None


def test_what_is_being_typed_is_never_replaced(window: MainWindow, other: ProjectFile, wait: Wait) -> None:
    prompt = _page(window, "Prompt", wait)
    subject = prompt.view.row.id
    prompt.panes.editor.setPlainText("what I am writing")
    paraphrases.save_prompt(other, subject, "what somebody else wrote")
    wait(lambda: prompt.view.paraphrase is not None and prompt.view.paraphrase.text == "what somebody else wrote")
    assert prompt.panes.paraphrase() == "what I am writing"
    prompt.own_writing.unsaved_texts.clear()


def test_an_editor_without_a_draft_shows_the_new_revision(window: MainWindow, other: ProjectFile, wait: Wait) -> None:
    prompt = _page(window, "Prompt", wait)
    paraphrases.save_prompt(other, prompt.view.row.id, "what somebody else wrote")
    wait(lambda: prompt.panes.paraphrase() == "what somebody else wrote")
    criterion = _page(window, "Criterion", wait)
    revisions.save_criterion(other, criterion.view.row.id, CRITERION)
    wait(lambda: criterion.document.source == CRITERION)
    criterion.document.yaml.setPlainText(CRITERION + "    - and mine\n")
    revisions.save_criterion(other, criterion.view.row.id, CRITERION + "    - theirs\n")
    wait(lambda: "theirs" in criterion.view.criterion.source)
    assert "and mine" in criterion.document.source
    criterion.own_writing.unsaved_texts.clear()


def test_consensus_keeps_the_tab_the_outcome_and_the_text(window: MainWindow, other: ProjectFile, wait: Wait) -> None:
    subject = _accepted(other)
    me = other.annotator.name
    members.switch_annotator(other, "Bo")
    triage.decide_subjects(other, [subject], Verdict.REJECT, "too simple")
    page = _page(window, "Consensus", wait)
    assert window.session.store is not None and window.session.store.annotator.name == me
    wait(lambda: page.subject_id == subject and page.stack.isEnabled())
    page.settle_panel.outcome.setCurrentText("reject")
    page.tabs.choose(2)
    wait(lambda: page.artefact.code.toPlainText() != "")
    page.artefact.code.setPlainText("what I am writing")
    three_experts.save_artefact_edit(other, subject, "solution", "what Bo wrote")
    aspect_reviews.add_comment(other, subject, "Look.", None)
    wait(lambda: page.details.comments.table.row_count() == 1)
    wait(lambda: "edited by Bo" in page.artefact.state.text())
    assert page.tabs.current == 2 and page.artefact.code.toPlainText() == "what I am writing"
    assert page.settle_panel.outcome.currentText() == "reject"
    page.artefact.artefact_choice.choose(1)
    wait(lambda: page.artefact.code.toPlainText().startswith("["))
    page.artefact.artefact_choice.choose(0)
    wait(lambda: page.artefact.code.toPlainText() == "what I am writing")


def test_sources_judge_and_release(window: MainWindow, other: ProjectFile, wait: Wait, tmp_path: Path) -> None:
    sources = _page(window, "Sources", wait)
    wait(lambda: sources.table.row_count() > 0)
    count = sources.table.row_count()
    more = tmp_path / "more.jsonl"
    more.write_text('{"id": "more", "title": "T", "prompt": "Do it.", "reference": "x", "language": "python"}\n')
    imports.import_paths(other, "jsonl", [more])
    wait(lambda: sources.table.row_count() == count + 1)
    judge = _page(window, "Judge", wait)
    wait(lambda: judge.judging_queue is not None)
    sides = [f"model:{name}" for name in blind_judging.models_with_responses(other)[:2]]
    pairs = blind_judging.candidate_pairs_of_accepted(other, "response", *sides)
    wanted = NewStudy(name="s", kind="response", name_a=sides[0], name_b=sides[1], raters=(other.annotator.name,))
    blind_judging.create_blind_study(other, wanted, pairs)
    wait(lambda: judge.panel.pair is not None)
    release = _page(window, "Release", wait)
    wait(lambda: release.table.row_count() == 1)
    release.notes.setText("what I am writing")
    versions.create_release(other, "9.0", "made elsewhere", "because")
    wait(lambda: release.table.row_count() == 2)
    assert release.notes.text() == "what I am writing"


def test_runs_and_results_follow_a_command(window: MainWindow, wait: Wait, tmp_path: Path) -> None:
    store = open_store(window)
    runs = _page(window, "Runs", wait)
    wait(lambda: runs.table.row_count() == 3)
    results = _page(window, "Results", wait)
    wait(lambda: results.board.table.row_count() == 3 and results.panel.explanation is not None)
    results.board.table.select(1)
    chosen = results.board.table.currentIndex().siblingAtColumn(1).data()
    wait(lambda: results.items_card.title == chosen)
    results.items.select(1)
    response = results.items.payload_at(results.items.currentIndex()).response_id
    wait(lambda: results.panel.explanation is not None and results.panel.explanation.detail.response_id == response)
    results.panel.label_note.setText("what I am writing")
    recorded = tmp_path / "answers.jsonl"
    keys = [row.key for row in triage.queue_subjects(store, QueueFilter(verdicts=("accept",)))]
    rows = [{"subject": key, "model": "new", "sample": sample, "response": "x"} for key in keys for sample in (0, 1)]
    recorded.write_text("".join(json.dumps(row) + "\n" for row in rows))
    run_command("run", "start", str(store.path), "--replay", str(recorded))
    wait(lambda: results.board.table.row_count() == 4)
    wait(lambda: results.panel.explanation is not None and results.panel.explanation.detail.response_id == response)
    assert results.board.table.currentIndex().siblingAtColumn(1).data() == chosen
    assert results.panel.label_note.text() == "what I am writing"
    _page(window, "Runs", wait)
    wait(lambda: runs.table.row_count() == 4)
    assert len(run_list.list_runs(store)) == 4


def test_bugs_and_their_reviews(
    window: MainWindow,
    other: ProjectFile,
    wait: Wait,
    runner: object,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.setattr(benches.Workbench, "runner", lambda _self: runner)
    (tmp_path / "rows.jsonl").write_text(json.dumps(KEY_ROW) + "\n")
    page = _page(window, "Bugs", wait)
    imports.import_paths(other, "jsonl", [tmp_path / "rows.jsonl"])
    triage.decide_subjects(other, ["keys"], Verdict.ACCEPT)
    implanted_bugs.propose_bugs(other, ["keys"], ["logic"])
    wait(lambda: page.view is not None and page.table.row_count() == 3)
    page.reason.setEditText("what I am writing")
    members.switch_annotator(other, "Bo")
    implanted_bugs.review_bug(other, page.view.row.id, "accept")
    wait(lambda: page.view.row.state == "in_review")
    assert page.reason.currentText() == "what I am writing"


def test_own_acts_refresh_once(window: MainWindow, wait: Wait) -> None:
    page = _page(window, "Select", wait)
    told: list[Changes] = []
    window.session.changed.connect(told.append)
    page.decide(Verdict.FLAG)
    wait(lambda: len(told) == 1)
    began = time.monotonic()
    wait(lambda: time.monotonic() - began > 1.2)
    assert len(told) == 1
    assert window.session.store is not None
    assert projects.stage_counts(window.session.store).flagged >= 1


def test_a_second_window_says_so_until_it_is_closed(window: MainWindow, wait: Wait) -> None:
    assert window.session.store is not None
    path = window.session.store.path
    second = Session()
    second.open(path)
    wait(lambda: second.store is not None)
    shown = window.status.windows
    wait(lambda: shown.isVisible() and shown.full == "This project is also open in another window.")
    wait(lambda: second.other_windows == ("",))
    second.close()
    wait(lambda: not shown.isVisible())
    second.deleteLater()
    window.acts.close_project()
    assert not shown.isVisible()
    assert not list(path.parent.glob(".*.window*"))


def test_a_second_window_asks_who_works_there(window: MainWindow, wait: Wait, tmp_path: Path) -> None:
    assert window.session.store is not None and window.findChild(QInputDialog, "who-works-here") is None
    first, path = window.session.store, window.session.store.path
    members.add_annotator(first, "Zoe")
    second = MainWindow(window.theme, Settings(tmp_path / "second.json", {}))
    second.show()
    # The first window is counted once its listener has locked its file.
    wait(lambda: first.count_windows() == 1)
    second.open_project(path)
    wait(lambda: second.findChild(QInputDialog, "who-works-here") is not None)
    question = second.findChild(QInputDialog, "who-works-here")
    assert {question.comboBoxItems()[n] for n in range(len(question.comboBoxItems()))} >= {"Zoe", first.annotator.name}
    assert question.textValue() == first.annotator.name
    question.setTextValue("Zoe")
    question.accept()
    wait(lambda: second.session.store is not None and second.session.store.annotator.name == "Zoe")
    assert first.annotator.name != "Zoe"
    assert window.findChild(QInputDialog, "who-works-here") is None
    second.close()
    second.deleteLater()


# The look can change once a project is closed: nothing of its pages is left to hear of it.


def test_pages_of_a_closed_project_do_not_hear_of_the_look(
    window: MainWindow, wait: Callable[[Callable[[], bool]], None]
) -> None:
    for page in PAGES:
        window.show_page(page.name)
    wait(lambda: window.pages.current_name == PAGES[-1].name)
    window.acts.close_project()
    wait(lambda: window.session.store is None)
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    window.theme.set_mode("dark")
    window.theme.set_mode("light")


# A text that somebody else has saved meanwhile: both versions are shown, and the person says which one holds.
CONFLICT_CRITERION = "grading:\n  keywords:\n    - {}\n"


@pytest.fixture
def colleague(window: MainWindow) -> Iterator[ProjectFile]:
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
def editing(window: MainWindow, colleague: ProjectFile, wait: Wait) -> Any:
    """The Prompt page with a text that is being written, of which Bo has saved another version."""
    page = open_page(window, "Prompt")
    wait(lambda: page.view is not None)
    page.panes.editor.setPlainText("mine")
    paraphrases.save_prompt(colleague, page.view.row.id, "theirs")
    return page


def _texts(store: ProjectFile, subject: str) -> list[str]:
    return [row.detail for row in triage.load_subject_history(store, subject) if "paraphrase" in row.act.lower()]


def test_mine_is_kept_on_top_of_theirs(window: MainWindow, editing: Any, colleague: ProjectFile, wait: Wait) -> None:
    subject = editing.view.row.id
    editing.save()
    dialog = _asked(window, wait)
    assert dialog.panes.original.toPlainText() == "theirs" and dialog.panes.paraphrase() == "mine"
    assert "Bo" in dialog.panes.left_card.title
    dialog.panes.editor.setPlainText("mine, with a word of theirs")
    dialog.keep_mine_button.click()
    wait(lambda: editing.view.paraphrase.text == "mine, with a word of theirs")
    assert (
        editing.panes.paraphrase() == "mine, with a word of theirs" and subject not in editing.own_writing.unsaved_texts
    )
    _gone(window, wait)
    editing.panes.editor.setPlainText("and on")
    editing.save()
    wait(lambda: editing.view.paraphrase.text == "and on")
    found = triage.load_subject(colleague, subject).paraphrase
    assert found is not None and found.text == "and on"


def test_theirs_are_taken(window: MainWindow, editing: Any, wait: Wait) -> None:
    editing.save()
    _asked(window, wait).take_theirs_button.click()
    wait(lambda: editing.panes.paraphrase() == "theirs")
    assert editing.view.row.id not in editing.own_writing.unsaved_texts and editing.view.paraphrase.text == "theirs"


def test_cancelling_goes_on_editing_and_the_next_save_asks_again(window: MainWindow, editing: Any, wait: Wait) -> None:
    editing.save()
    _asked(window, wait).cancel_button.click()
    _gone(window, wait)
    assert editing.panes.paraphrase() == "mine"
    editing.save()
    _asked(window, wait).take_theirs_button.click()
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
    window: MainWindow, editing: Any, wait: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []

    def stay(_acts: ProjectActs, _title: str, text: str, _proceed: str) -> bool:
        said.append(text)
        return False

    editing.save()
    with monkeypatch.context() as patch:
        patch.setattr(ProjectActs, "ask_to_leave", stay)
        assert not window.acts.leave()
    assert "Bo has saved another version" in said[0]
    _asked(window, wait).take_theirs_button.click()
    wait(lambda: editing.panes.paraphrase() == "theirs")


def test_a_criterion(window: MainWindow, colleague: ProjectFile, wait: Wait) -> None:
    page = open_page(window, "Criterion")
    wait(lambda: page.view is not None)
    subject = page.view.row.id
    page.document.yaml.setPlainText(CONFLICT_CRITERION.format("mine"))
    revisions.save_criterion(colleague, subject, CONFLICT_CRITERION.format("theirs"))
    page.save()
    dialog = _asked(window, wait)
    assert dialog.panes.editor.fontInfo().fixedPitch() or dialog.panes.editor.font().family()
    dialog.keep_mine_button.click()
    wait(lambda: "mine" in page.view.criterion.source)
    assert page.document.source == CONFLICT_CRITERION.format("mine")
    page.document.yaml.setPlainText(CONFLICT_CRITERION.format("again"))
    revisions.save_criterion(colleague, subject, CONFLICT_CRITERION.format("theirs again"))
    page.save()
    _asked(window, wait).take_theirs_button.click()
    wait(lambda: "theirs again" in page.document.source)


def test_a_solution(window: MainWindow, colleague: ProjectFile, wait: Wait) -> None:
    subject = triage.queue_page(colleague, QueueFilter(verdicts=("accept",))).rows[0].id
    window.show_page("Consensus", subject)
    page: Any = window.pages.page("Consensus")
    wait(lambda: page.artefact.code.toPlainText() != "")
    page.artefact.code.setPlainText("mine()")
    three_experts.save_artefact_edit(colleague, subject, "solution", "theirs()")
    page.artefact.save_button.click()
    _asked(window, wait).keep_mine_button.click()
    wait(lambda: three_experts.load_artefact(colleague, subject, "solution").content == "mine()")
    three_experts.save_artefact_edit(colleague, subject, "solution", "theirs, once more()")
    wait(lambda: page.artefact.code.toPlainText() == "theirs, once more()")
    page.artefact.code.setPlainText("mine, once more()")
    page.artefact.save_button.click()
    wait(lambda: three_experts.load_artefact(colleague, subject, "solution").content == "mine, once more()")
    assert window.findChild(ConflictDialog) is None, "theirs was on screen when the edit began"


def test_a_rewrite(window: MainWindow, colleague: ProjectFile, wait: Wait) -> None:
    page = open_page(window, "Prompt")
    wait(lambda: page.view is not None)
    subject = page.view.row.id
    dialog = RewriteDialog(page, page.context, subject)
    dialog.open()
    wait(lambda: dialog.view is not None)
    dialog.panes.editor.setPlainText("mine")
    work = rewrites.load_rewrite(colleague, subject).work
    theirs = replace(work, rewrite=replace(work.rewrite, requirement="theirs"))
    rewrites.save_rewrite(colleague, subject, rewrites.rewrite_work_json(theirs))
    dialog.save(False)
    asked = _asked(dialog, wait)
    assert asked.panes.editor.isReadOnly() and asked.panes.original.toPlainText().startswith("theirs")
    asked.keep_mine_button.click()
    wait(lambda: rewrites.load_rewrite(colleague, subject).work.rewrite.requirement == "mine")
    wait(lambda: dialog.view is not None and dialog.view.work.rewrite.requirement == "mine")
    dialog.reject()
    dialog.deleteLater()


def test_an_answer_of_the_datasheet(window: MainWindow, colleague: ProjectFile, wait: Wait) -> None:
    page = open_page(window, "Release")
    page.open_datasheet()
    wait(lambda: page.findChild(DatasheetDialog) is not None)
    dialog = page.findChild(DatasheetDialog)
    datasheet.save_datasheet_text(colleague, "description", "theirs")
    dialog.fields["description"].setPlainText("mine")
    dialog.save()
    asked = _asked(dialog, wait)
    asked.take_theirs_button.click()
    wait(lambda: dialog.fields["description"].toPlainText() == "theirs")
    dialog.fields["description"].setPlainText("mine, after theirs")
    dialog.save()
    wait(lambda: datasheet.load_datasheet_texts(colleague).get("description") == "mine, after theirs")
    dialog.fields["description"].setPlainText("a draft")
    dialog.accept()
    datasheet.save_datasheet_text(colleague, "description", "theirs again")
    page.open_datasheet()
    wait(lambda: any(item.isVisible() for item in page.findChildren(DatasheetDialog)))
    dialog = next(item for item in page.findChildren(DatasheetDialog) if item.isVisible())
    dialog.draft_bar.discard()
    dialog.fields["description"].setPlainText("without a question")
    dialog.save()
    wait(lambda: datasheet.load_datasheet_texts(colleague).get("description") == "without a question")
    dialog.accept()


def test_a_setup_of_runs(window: MainWindow, colleague: ProjectFile, wait: Wait) -> None:
    dialog = SetupDialog(window.session, window.theme, window)
    dialog.open()
    dialog.add_entry("lab")
    run_setups.save_run_setup(colleague, "endpoint", "lab", {"base_url": "http://localhost:9000/v1"})
    dialog.save_text()
    # The list is read again meanwhile, and shows what the other wrote.
    dialog.text.setPlainText('{"base_url": "http://localhost:9000/v1"}')
    _asked(dialog, wait).keep_mine_button.click()
    wait(lambda: run_setups.list_own_setups(colleague, "endpoint")[0].content["base_url"] == "http://localhost:8000/v1")
    assert run_setups.list_own_setups(colleague, "endpoint")[0].version == 2
    dialog.reject()
    dialog.deleteLater()
