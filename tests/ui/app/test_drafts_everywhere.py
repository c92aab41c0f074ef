"""Every field of the window keeps what is typed: on disk soon, there again after a kill, and each person's own."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QPlainTextEdit
from pytestqt.qtbot import QtBot

from annotator.base.errors import MissingEnvironmentError
from annotator.model.rows.draft_rows import Draft, DraftKey
from annotator.services.consensus import aspect_reviews, three_experts
from annotator.services.project import draft_journal, members, projects
from annotator.services.release import datasheet
from annotator.services.runs import run_setups
from annotator.services.select import triage
from annotator.ui.app.main_window import MainWindow
from annotator.ui.app.session.draft_keeper import DraftKeeper
from annotator.ui.app.session.session import Session
from annotator.ui.app.theme.look import Theme
from annotator.ui.care.draft_notice import UnsavedTextsDialog
from annotator.ui.pages.prompt.rewrite_dialog import RewriteDialog
from annotator.ui.pages.release.dialogs import ChangesDialog, DatasheetDialog
from annotator.ui.pages.runs.setup_dialog import SetupDialog
from annotator.ui.widgets.draft_field import DraftField, TextQuestion
from tests.windows import open_store, window_on

TYPED = "A text that nobody saved."
Find = Callable[[Any], QLineEdit | QPlainTextEdit]


@pytest.fixture
def project(sample_file: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(sample_file, tmp_path))


def _kept(window: MainWindow) -> dict[str, str]:
    store = open_store(window)
    return {draft.key.field: draft.text for draft in draft_journal.load_drafts(store)}


def _leave(project: Path, field: str, item: Callable[[str], str], text: str = TYPED) -> Draft:
    """Leave a draft on disk as a window that was killed does; ``item`` makes its item of a subject."""
    store = projects.open_project(project)
    subject = triage.accepted_subjects(store)[2].id
    written_at = "2026-11-21T10:42:00.000000Z"
    draft = Draft(
        key=DraftKey(store.annotator.id, field, item(subject)),
        text=text,
        subject_id=subject,
        began_from="",
        written_at=written_at,
    )
    draft_journal.save_draft(store, draft)
    store.close()
    return draft


def _shown(window: MainWindow, name: str, qtbot: QtBot, subject: str = "") -> Any:
    window.show_page(name, subject)
    page: Any = window.pages.page(name)
    if subject:
        qtbot.waitUntil(lambda: page.subject_id == subject and page.stack.isEnabled())
        page.details.show_tab("Comments")
        qtbot.waitUntil(lambda: page.details.comments.draft.item_id == subject)
    return page


CONSENSUS: dict[str, tuple[str, Find]] = {
    "consensus.review": ("{}", lambda page: page.review.note),
    "consensus.artefact": ("{} tests", lambda page: page.artefact.code),
    "consensus.note": ("{} solution", lambda page: page.artefact.note),
    "consensus.comment": ("{}", lambda page: page.details.comments.line),
}


@pytest.mark.parametrize("field", CONSENSUS)
def test_a_draft_is_shown_in_its_tab(qtbot: QtBot, project: Path, field: str) -> None:
    item, find = CONSENSUS[field]
    _leave(project, field, item.format)
    with window_on(qtbot, project) as window:
        window.draft_notice.show_button.click()
        page: Any = window.pages.page("Consensus")
        widget = find(page)
        read = widget.text if isinstance(widget, QLineEdit) else widget.toPlainText
        qtbot.waitUntil(lambda: read() == TYPED)
        qtbot.waitUntil(widget.isVisible)
        panel = page.details.comments if field == "consensus.comment" else page.stack.currentWidget()
        assert panel.draft_bar.isVisible()
        panel.draft_bar.discard_button.click()
        assert read() != TYPED
        qtbot.waitUntil(lambda: _kept(window) == {})


def test_what_is_typed_on_consensus_stays_with_its_subject(qtbot: QtBot, project: Path) -> None:
    with window_on(qtbot, project) as window:
        store = open_store(window)
        one, other = (row.id for row in triage.accepted_subjects(store)[:2])
        page = _shown(window, "Consensus", qtbot, one)
        comments = page.details.comments
        comments.line.setText("about one")
        page.review.note.setText("noted")
        page.artefact.code.setPlainText("one()")
        page.artefact.note.setText("why")
        wanted = {
            "consensus.comment": "about one", "consensus.review": "noted",
            "consensus.artefact": "one()", "consensus.note": "why",
        }  # fmt: skip
        qtbot.waitUntil(lambda: _kept(window) == wanted)
        page.show_subject(other)
        lines = (comments.line, page.review.note, page.artefact.note)
        qtbot.waitUntil(lambda: [line.text() for line in lines] == ["", "", ""])
        page.show_subject(one)
        qtbot.waitUntil(lambda: page.artefact.code.toPlainText() == "one()")
        # Each is gone with its own act, and no other.
        qtbot.waitUntil(lambda: comments.line.text() == "about one")
        comments.send_button.click()
        qtbot.waitUntil(lambda: comments.line.text() == "" and len(aspect_reviews.load_comments(store, one)) == 1)
        page.review.marks["correctness"].setCurrentText("4")
        page.review.save_button.click()
        qtbot.waitUntil(lambda: [row.note for row in aspect_reviews.list_reviews(store, one)] == ["noted"])
        qtbot.waitUntil(lambda: _kept(window) == {"consensus.artefact": "one()", "consensus.note": "why"})
        page.artefact.save_button.click()
        qtbot.waitUntil(lambda: three_experts.load_artefact(store, one, "solution").content == "one()")
        qtbot.waitUntil(lambda: _kept(window) == {})
        qtbot.waitUntil(lambda: page.review.note.text() == "noted")


def test_another_person_does_not_see_what_is_typed(qtbot: QtBot, project: Path) -> None:
    with window_on(qtbot, project) as window:
        store = open_store(window)
        me, subject = store.annotator.name, triage.accepted_subjects(store)[0].id
        page = _shown(window, "Consensus", qtbot, subject)
        comments = page.details.comments
        comments.line.setText("mine alone")
        prompt: Any = _shown(window, "Prompt", qtbot)
        qtbot.waitUntil(lambda: prompt.view is not None)
        before = prompt.own_writing.text()
        prompt.own_writing.replace_text("my paraphrase")
        window.session.switch_annotator("Bo")
        qtbot.waitUntil(lambda: comments.line.text() == "" and prompt.own_writing.text() == before)
        prompt.finish_typing()
        assert _kept(window) == {}
        window.session.switch_annotator(me)
        qtbot.waitUntil(lambda: comments.line.text() == "mine alone" and prompt.own_writing.text() == "my paraphrase")
        assert comments.draft_bar.isHidden() is False
        comments.draft_bar.discard()
        prompt.own_writing.draft_bar.discard()


def test_a_release_that_is_being_written_comes_back(qtbot: QtBot, project: Path) -> None:
    with window_on(qtbot, project) as window:
        page = _shown(window, "Release", qtbot)
        qtbot.waitUntil(lambda: page.draft_fields["notes"].item_id != "")
        page.notes.setText("What is new")
        page.reason.setText("Because")
        page.record_errata("One reference was wrong.")
        qtbot.waitUntil(lambda: len(_kept(window)) == 3)
    with window_on(qtbot, project) as window:
        page = _shown(window, "Release", qtbot)
        qtbot.waitUntil(lambda: page.notes.text() == "What is new" and page.reason.text() == "Because")
        assert page.errata == "One reference was wrong."
        assert page.draft_bar.isVisible()
        page.draft_bar.discard_button.click()
        assert (page.notes.text(), page.errata) == ("", None)
        qtbot.waitUntil(lambda: _kept(window) == {})


def test_the_errata_are_shown_where_they_were_written(qtbot: QtBot, project: Path) -> None:
    _leave(project, "release.errata", lambda _: "next")
    with window_on(qtbot, project) as window:
        window.draft_notice.show_button.click()
        page: Any = window.pages.page("Release")
        qtbot.waitUntil(lambda: page.errata == TYPED)
        if page.table.row_count():
            qtbot.waitUntil(lambda: bool(page.findChildren(ChangesDialog)))


def test_an_answer_of_the_datasheet_is_kept_while_somebody_types(qtbot: QtBot, project: Path) -> None:
    _leave(project, "release.datasheet.description", lambda _: "datasheet")
    with window_on(qtbot, project) as window:
        store = open_store(window)
        before = datasheet.load_datasheet_texts(store).get("description", "")
        window.draft_notice.show_button.click()
        page: Any = window.pages.page("Release")
        qtbot.waitUntil(lambda: bool(page.findChildren(DatasheetDialog)))
        [dialog] = page.findChildren(DatasheetDialog)
        assert dialog.fields["description"].toPlainText() == TYPED
        assert dialog.draft_bar.isVisible()
        # Only saving puts it into the project.
        dialog.reject()
        window.session.lanes.submit("store", lambda: None).result()
        assert datasheet.load_datasheet_texts(store).get("description", "") == before
        page.open_datasheet()
        qtbot.waitUntil(lambda: any(item.isVisible() for item in page.findChildren(DatasheetDialog)))
        dialog = next(item for item in page.findChildren(DatasheetDialog) if item.isVisible())
        dialog.fields["description"].setPlainText("Finished.")
        dialog.save()
        qtbot.waitUntil(lambda: datasheet.load_datasheet_texts(store).get("description") == "Finished.")
        qtbot.waitUntil(lambda: _kept(window) == {})
        dialog.accept()


def test_a_setup_that_was_never_saved_comes_back(qtbot: QtBot, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[SetupDialog] = []
    monkeypatch.setattr(SetupDialog, "exec", lambda dialog: shown.append(dialog) or dialog.open())
    monkeypatch.setattr(SetupDialog, "deleteLater", lambda _dialog: None)
    typed = json.dumps({"base_url": "http://localhost:9/v1"})
    _leave(project, "runs.setup", lambda _: "endpoint lab", typed)
    with window_on(qtbot, project) as window:
        store = open_store(window)
        window.draft_notice.show_button.click()
        qtbot.waitUntil(lambda: bool(shown) and shown[0].text.toPlainText() == typed)
        dialog = shown[0]
        assert dialog.draft_bar.isVisible()
        dialog.kinds.choose(2)
        qtbot.waitUntil(lambda: "lab" not in dialog.draft.item_id and dialog.draft.item_id != "")
        assert dialog.text.toPlainText() != typed
        dialog.kinds.choose(0)
        qtbot.waitUntil(dialog.new_button.isEnabled)
        dialog.add_entry("lab")
        # A list takes its first row where the focus comes to it and none is chosen.
        dialog.table.setFocus(Qt.FocusReason.TabFocusReason)
        qtbot.wait(50)
        assert dialog.text.toPlainText() == typed
        dialog.save_text()
        qtbot.waitUntil(lambda: [row.name for row in run_setups.list_own_setups(store, "endpoint")] == ["lab"])
        qtbot.waitUntil(lambda: _kept(window) == {})
        dialog.reject()


def test_a_rewrite_comes_back_however_unfinished(qtbot: QtBot, project: Path) -> None:
    with window_on(qtbot, project) as window:
        page: Any = _shown(window, "Prompt", qtbot)
        qtbot.waitUntil(lambda: page.view is not None)
        dialog = RewriteDialog(page, page.context, page.view.row.id)
        dialog.open_once()
        qtbot.waitUntil(lambda: dialog.view is not None)
        assert _kept(window) == {}
        dialog.panes.editor.setPlainText("Half a requirem")
        dialog.signatures.item(2, 0).setText("no signature (")
        dialog.table.add_row_button.click()
        dialog.table.table.item(0, 1).setText("[1")
        dialog.languages.choose(1)
        dialog.code.setPlainText("function f() {")
        qtbot.waitUntil(lambda: "function f() {" in _kept(window).get("prompt.rewrite", ""))
        dialog.reject()
        dialog.reject()
    with window_on(qtbot, project) as window:
        window.draft_notice.show_button.click()
        page = window.pages.page("Prompt")
        qtbot.waitUntil(lambda: bool(page.findChildren(RewriteDialog)))
        [dialog] = page.findChildren(RewriteDialog)
        qtbot.waitUntil(lambda: dialog.panes.paraphrase() == "Half a requirem")
        assert dialog.signatures.item(2, 0).text() == "no signature ("
        assert dialog.table.cells()[0][1] == "[1"
        dialog.languages.choose(1)
        assert dialog.code.toPlainText() == "function f() {"
        assert dialog.draft_bar.isVisible()
        dialog.draft_bar.discard_button.click()
        assert dialog.panes.paraphrase() != "Half a requirem"
        assert dialog.code.toPlainText() == ""
        qtbot.waitUntil(lambda: _kept(window) == {})
        dialog.reject()
        assert not dialog.isVisible()


def test_a_question_closed_by_esc_offers_the_text_again(qtbot: QtBot, session: Session, theme: Theme) -> None:
    parent = QLineEdit()
    qtbot.addWidget(parent)

    def ask() -> TextQuestion:
        made = TextQuestion(parent, theme, session.drafts, "Unlock", "Why?", name="x.y", item_id="item")
        made.open()
        return made

    first = ask()
    first.line.setText("Because of a new finding")
    qtbot.keyClick(first, Qt.Key.Key_Escape)
    second = ask()
    assert second.line.text() == "Because of a new finding"
    assert second.draft_bar.isVisible()
    second.accept()
    assert session.drafts.drafts == ()
    assert ask().line.text() == ""


def test_nothing_is_kept_of_a_project_that_can_only_be_read(qtbot: QtBot, project: Path) -> None:
    project.chmod(0o444)
    with window_on(qtbot, project) as window:
        store = window.session.store
        assert store is not None and store.read_only
        page = _shown(window, "Consensus", qtbot, triage.accepted_subjects(store)[0].id)
        page.details.comments.line.setText("not kept")
        assert window.session.drafts.drafts == ()
        assert not draft_journal.draft_folder(store.place).exists()


def test_a_very_long_text_is_kept_whole(qtbot: QtBot, session: Session) -> None:
    line = QPlainTextEdit()
    qtbot.addWidget(line)
    field = DraftField.for_text(session.drafts, "x.y", line)
    field.show_item("item")
    # In lines: laying out a single one of a million letters takes seconds.
    long = ("word \U0001f600 " * 20 + "\n") * 10_000
    line.setPlainText(long)
    assert session.drafts.flush()
    store = session.store
    assert store is not None
    assert [draft.text for draft in draft_journal.load_drafts(store)] == [long]
    members.switch_annotator(store, store.annotator.name)


def _texts(session: Session) -> list[str]:
    store = session.store
    assert store is not None
    return sorted(draft.text for draft in draft_journal.load_drafts(store))


def _other_window(session: Session) -> DraftKeeper:
    store = session.store
    assert store is not None
    keeper = DraftKeeper(session)
    keeper.begin(store)
    return keeper


def test_two_windows_that_write_one_text_keep_both(qtbot: QtBot, session: Session) -> None:
    first, second = session.drafts, _other_window(session)
    first.keep("x.y", "item", "from the first")
    second.keep("x.y", "item", "from the second")
    assert first.flush() and second.flush()
    assert _texts(session) == ["from the first", "from the second"]
    first.discard("x.y", "item")
    assert first.flush()
    third = _other_window(session)
    found = third.draft("x.y", "item")
    assert found is not None and found.text == "from the second"
    # What goes on with a draft takes its place.
    third.keep("x.y", "item", "from the second, and more")
    assert third.flush()
    assert _texts(session) == ["from the second, and more"]
    third.discard("x.y", "item")
    assert third.flush() and _texts(session) == []
    second.keep("x.y", "item", "the second goes on")
    fourth = _other_window(session)
    assert second.flush() and fourth.draft("x.y", "item") is None
    assert _texts(session) == ["the second goes on"]


def test_a_draft_that_its_window_goes_on_with_is_not_removed_by_another(qtbot: QtBot, session: Session) -> None:
    first = session.drafts
    first.keep("x.y", "item", "a")
    assert first.flush()
    second = _other_window(session)
    first.keep("x.y", "item", "a, and more of the first")
    assert first.flush()
    second.keep("x.y", "item", "a, and more of the second")
    assert second.flush()
    assert _texts(session) == ["a, and more of the first", "a, and more of the second"]


def test_a_full_disk_leaves_the_draft_that_is_there(
    qtbot: QtBot,
    session: Session,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    session.drafts.keep("x.y", "item", "there")
    assert session.drafts.flush()
    second = _other_window(session)
    with monkeypatch.context() as patch:

        def full(*_: object) -> None:
            raise MissingEnvironmentError("The disk is full.")

        patch.setattr(draft_journal, "save_draft", full)
        second.keep("x.y", "item", "there, and more")
        assert not second.flush()
        assert _texts(session) == ["there"]
    assert second.flush()
    assert _texts(session) == ["there, and more"]


def test_a_text_whose_item_is_gone_can_be_read_and_discarded(qtbot: QtBot, project: Path) -> None:
    _leave(project, "bugs.code", lambda _: "no such bug")
    _leave(project, "consensus.comment", str, "Another text.")
    with window_on(qtbot, project) as window:
        window.draft_notice.see_all_button.click()
        dialog = window.findChild(UnsavedTextsDialog)
        assert isinstance(dialog, UnsavedTextsDialog)
        assert dialog.table.row_count() == 2
        for place in range(2):
            dialog.table.select(place)
            if dialog.text.toPlainText() == TYPED:
                dialog.discard_button.click()
                break
        assert dialog.table.row_count() == 1
        qtbot.waitUntil(lambda: _kept(window) == {"consensus.comment": "Another text."})
        dialog.show_button.click()
        page: Any = window.pages.page("Consensus")
        qtbot.waitUntil(lambda: page.details.comments.line.text() == "Another text.")
        page.details.comments.draft_bar.discard()
        qtbot.waitUntil(lambda: _kept(window) == {})
