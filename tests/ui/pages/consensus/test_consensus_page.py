"""The Consensus page: what differs is settled, experts review, vote and confirm, comments reach people."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from annotator.model.changes import Changes
from annotator.model.rows.queue_rows import QueueFilter
from annotator.model.vocabulary import Verdict
from annotator.services.consensus import aspect_reviews, disagreements, panel_votes, three_experts
from annotator.services.project import members, packets, projects, undo
from annotator.services.select import triage
from annotator.ui.app.main_window import MainWindow
from annotator.ui.pages.consensus.expert_panel import CHOICES, PanelDialog
from annotator.ui.pages.consensus.packet_acts import EVERYTHING, PacketActs
from annotator.ui.pages.consensus.page import CONFLICTS, MENTIONS, OPEN, SETTLED, SUBJECTS
from annotator.ui.pages.desk.steps import DeskStep
from tests.windows import Wait, open_page, open_store


@pytest.fixture
def page(window: MainWindow, wait: Wait) -> Any:
    store = open_store(window)
    me = store.annotator.name
    row = triage.queue_page(store, QueueFilter(verdicts=("accept",))).rows[0]
    members.switch_annotator(store, "Bo")
    triage.decide_subjects(store, [row.id], Verdict.REJECT, "too simple")
    aspect_reviews.add_comment(store, row.id, f"@{me} look at this")
    members.switch_annotator(store, me)
    triage.decide_subjects(store, [row.id], Verdict.ACCEPT, "often asked")
    found = open_page(window, "Consensus")
    wait(lambda: found.subject_id == row.id and found.stack.isEnabled())
    return found


def test_a_disagreement_is_settled_and_moves_to_the_settled(page: Any, wait: Wait) -> None:
    assert page.table.row_count() == 1 and page.settle_panel.opinions.row_count() == 2
    assert page.settle_panel.reason.text() == "too simple", "the whole reason of the chosen opinion"
    page.settle_panel.settle_button.click()
    wait(lambda: page.problem.isVisible())
    assert page.problem.text() == "The outcome must be one of accept, reject.", "no outcome is chosen beforehand"
    page.settle_panel.outcome.setCurrentText("reject")
    page.settle_panel.settle_button.click()
    wait(lambda: "rationale" in page.problem.text())
    page.settle_panel.rationale.setText("we agreed on the phone")
    said: list[object] = []
    page.session.message_posted.connect(said.append)
    page.settle_panel.settle_button.click()
    wait(lambda: page.right.currentWidget() is page.empty)
    assert not page.problem.isVisible()
    wait(lambda: "Settled: reject." in said)
    page.faces.choose(SETTLED)
    wait(lambda: page.right.currentWidget() is page.frame and page.table.row_count() == 1)
    assert (
        "Settled by discussion" in page.settle_panel.remark.text() and not page.settle_panel.settle_button.isEnabled()
    )
    page.faces.choose(OPEN)
    wait(lambda: page.right.currentWidget() is page.empty)


def test_review_vote_edit_confirm_comment_and_lock(page: Any, wait: Wait) -> None:
    store, subject = page.session.store, page.subject_id
    wait(lambda: page.review.state.text() != "")
    page.review.marks["correctness"].setCurrentText("4")
    page.review.save_button.click()
    wait(lambda: len(aspect_reviews.list_reviews(store, subject)) == 1)
    assert not page.review.cast_button.isEnabled()
    page.review.answers["realistic"].choose(CHOICES.index("no"))
    assert not page.review.cast_button.isEnabled()
    page.review.answers["uses_llm"].choose(CHOICES.index("yes"))
    page.review.cast_button.click()
    wait(lambda: "1 of 13 votes" in page.review.state.text())
    assert "Votes stay sealed" in page.review.state.text()
    wait(lambda: page.artefact.code.toPlainText() != "")
    page.artefact.code.setPlainText("np.where(a > 0.25)[0]")
    page.artefact.save_button.click()
    wait(lambda: "You have voted" in page.problem.text())
    undo.undo_last_act(store)
    page.artefact.save_button.click()
    wait(lambda: three_experts.load_artefact(store, subject, "solution").state == "edited")
    wait(lambda: not page.artefact.confirm_button.isEnabled())
    page.details.show_tab("Comments")
    comments = page.details.comments
    wait(comments.isEnabled)
    comments.line.setText("done")
    comments.send_button.click()
    wait(lambda: comments.table.row_count() == 2)
    assert comments.line.text() == ""
    page.lock.click()
    wait(lambda: "(locked)" in page.title.text())
    page.review.save_button.click()
    wait(lambda: "locked" in page.problem.text())
    page.details.show_tab("History")
    wait(lambda: page.details.table_of("History").row_count() >= 8)


def test_every_list_says_what_belongs_there(page: Any, wait: Wait) -> None:
    page.faces.choose(MENTIONS)
    wait(lambda: page.table.row_count() == 1 and page.right.currentWidget() is page.frame)
    page.faces.choose(SUBJECTS)
    wait(lambda: page.table.row_count() > 10)
    page.faces.choose(4)
    wait(lambda: page.right.currentWidget() is page.empty)
    assert disagreements.load_conflicts(page.session.store) == ()


def test_settlements_that_contradict_each_other_are_both_shown(page: Any, wait: Wait, tmp_path: Path) -> None:
    store, other = page.session.store, tmp_path / "other.annotator"
    row = next(item for item in disagreements.load_disagreements(store) if item.about == "decision")
    store.copy_to(other)
    away = projects.open_project(other)
    disagreements.resolve_disagreement(away, row.subject_id, row.about, "discussion", "reject", "too easy for us")
    away.close()
    disagreements.resolve_disagreement(store, row.subject_id, row.about, "discussion", "accept", "hard enough here")
    page.packets.merge(other, "")
    wait(lambda: len(disagreements.load_conflicts(store)) == 1)
    page.faces.choose(CONFLICTS)
    wait(lambda: page.table.row_count() == 1 and page.title.text() == "Conflict in resolution")
    earlier, later = page.settle_panel.left.toPlainText(), page.settle_panel.right.toPlainText()
    assert "outcome: reject" in earlier and "rationale: too easy for us" in earlier
    assert "outcome: accept" in later and "rationale: hard enough here" in later
    assert page.settle_panel.pair.isVisibleTo(page) and not page.settle_panel.form.isVisibleTo(page)
    page.faces.choose(SETTLED)
    wait(lambda: page.table.row_count() > 0 and page.settle_panel.form.isVisibleTo(page))
    assert "hard enough here" in page.settle_panel.remark.text(), "ours holds"


def test_what_is_read_of_a_subject_comes_too_late_for_the_next_list(page: Any, wait: Wait, qtbot: Any) -> None:
    wait(lambda: bool(page.title.full) and page.tabs.isEnabled())
    title = page.title.full
    for _ in range(3):
        page.show_subject(page.subject_id)
        page.faces.choose(CONFLICTS)
        qtbot.wait(200)
        assert page.title.full == "" and not page.tabs.isEnabled()
        page.faces.choose(OPEN)
        wait(lambda: page.title.full == title and page.tabs.isEnabled())


def test_a_packet_goes_out_and_is_merged(page: Any, wait: Wait, tmp_path: Path) -> None:
    store = page.session.store
    path, other = tmp_path / "work.packet", tmp_path / "other.annotator"
    page.packets.export_to(path, "", "a long passphrase")
    wait(lambda: path.exists() and not page.session.jobs)
    store.copy_to(other)
    away = projects.open_project(other)
    members.switch_annotator(away, "Bo")
    aspect_reviews.add_review(away, page.subject_id, {"difficulty": 3})
    away.close()
    page.packets.merge(other, "")
    wait(lambda: len(aspect_reviews.list_reviews(store, page.subject_id)) == 1)
    wait(lambda: page.review.table.row_count() == 1)
    page.packets.merge(path, "a long passphrase")
    wait(lambda: not page.session.jobs)


def test_a_mention_is_answered_by_a_reply(page: Any, wait: Wait) -> None:
    page.faces.choose(MENTIONS)
    comments = page.details.comments
    wait(lambda: page.table.row_count() == 1 and page.stack.isEnabled() and comments.table.row_count() == 1)
    assert comments.isVisible() and not comments.reply_button.isEnabled()
    comments.table.select(0)
    comments.line.setText("Looked at it.")
    comments.reply_button.click()
    wait(lambda: page.table.row_count() == 0)
    [asked, said] = aspect_reviews.load_comments(page.session.store)
    assert said.reply_to == asked.id


def test_the_panel_votes_k_of_n_sealed_until_all_are_in(page: Any, wait: Wait) -> None:
    store = page.session.store
    me = store.annotator.name
    yes = dict.fromkeys(panel_votes.QUESTIONS, "yes")
    members.switch_annotator(store, "Bo")
    panel_votes.cast_vote(store, page.subject_id, yes)
    members.switch_annotator(store, me)
    page.faces.choose(SUBJECTS)
    wait(lambda: page.table.row_count() > 10)
    wait(lambda: _panel_of(page) == ("1 of 13 votes", "sealed") and page.stack.isEnabled())
    page.review.panel_button.click()
    wait(lambda: page.findChild(PanelDialog) is not None)
    dialog = page.findChild(PanelDialog)
    assert "The votes on 1 subject are sealed" in dialog.summary.text() and dialog.table.isHidden()
    dialog.voters.setValue(2)
    assert dialog.needed.value() == 2
    dialog.chair.setCurrentIndex(dialog.chair.findData("Bo"))
    dialog.pseudonyms_box.setChecked(True)
    dialog.accept()
    wait(lambda: panel_votes.panel_size(store) == (2, 2))
    wait(lambda: panel_votes.chair_name(store) == "Bo")
    wait(lambda: panel_votes.voter_names(store) == panel_votes.PSEUDONYMS)
    voted = page.subject_id
    for answer in page.review.answers.values():
        answer.choose(CHOICES.index("yes"))
    page.review.cast_button.click()
    wait(lambda: panel_votes.vote_state(store, voted).kept is True)
    wait(lambda: _panel_of(page) == ("2 of 2 votes", "kept"))
    wait(lambda: page.subject_id != voted)
    page.queue.step(-1)
    wait(lambda: page.subject_id == voted and "Realistic scenario: 2 yes" in page.review.state.text())
    wait(lambda: not page.review.cast_button.isEnabled())


def test_a_panel_larger_than_the_project_says_what_to_do(page: Any, wait: Wait) -> None:
    page.faces.choose(SUBJECTS)
    wait(lambda: page.table.row_count() > 10 and page.stack.isEnabled())
    count = len(members.list_annotators(page.session.store))
    said = "You work alone so far" if count == 1 else f"{count} people work here so far"
    wait(lambda: said in page.review.state.text() and "Panel…" in page.review.state.text())


def test_a_vote_takes_three_keys_and_leads_to_the_next_subject(page: Any, wait: Wait, qtbot: QtBot) -> None:
    store = page.session.store
    page.faces.choose(SUBJECTS)
    wait(lambda: page.table.row_count() > 10 and page.stack.isEnabled())
    for answers in (("yes", "no"), ("abstain", "yes")):
        voted = page.subject_id
        wait(page.review.save_button.isEnabled)
        assert all(answer.current < 0 for answer in page.review.answers.values())
        page.queue.focus_list()
        keys = {"yes": Qt.Key.Key_Y, "no": Qt.Key.Key_N, "abstain": Qt.Key.Key_0}
        for answer in answers:
            qtbot.keyClick(page.table, keys[answer])
        qtbot.keyClick(page.table, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
        wait(lambda voted=voted: page.subject_id != voted and page.stack.isEnabled())
        wait(lambda voted=voted, answers=answers: (
            panel_votes.vote_state(store, voted).mine == dict(zip(panel_votes.QUESTIONS, answers, strict=True))
        ))  # fmt: skip


def test_a_choice_that_is_being_changed_stays_while_the_page_reloads(page: Any, wait: Wait) -> None:
    store = page.session.store
    panel_votes.cast_vote(store, page.subject_id, dict.fromkeys(panel_votes.QUESTIONS, "yes"))
    page.faces.choose(SUBJECTS)
    wait(lambda: page.review.answers["realistic"].current == CHOICES.index("yes"))
    page.review.answers["realistic"].choose(CHOICES.index("no"))
    aspect_reviews.add_comment(store, page.subject_id, "a remark")
    page.refresh(Changes(frozenset({"comment"}), frozenset({page.subject_id})))
    wait(lambda: "Comments 2" in [page.details.tabs.tab_text(place) for place in range(page.details.tabs.count())])
    assert page.review.answers["realistic"].current == CHOICES.index("no")


def test_nothing_chosen_for_a_subject_is_taken_for_the_next(page: Any, wait: Wait) -> None:
    page.faces.choose(SUBJECTS)
    wait(lambda: page.table.row_count() > 10 and page.stack.isEnabled())
    first = page.subject_id
    page.review.marks["correctness"].setCurrentText("5")
    page.review.answers["realistic"].choose(CHOICES.index("no"))
    page.queue.step(1)
    wait(lambda: page.subject_id != first)
    wait(lambda: page.review.answers["realistic"].current < 0 and page.review.marks["correctness"].currentIndex() == 0)


def test_the_chair_closes_a_vote(page: Any, wait: Wait, monkeypatch: pytest.MonkeyPatch) -> None:
    store = page.session.store
    panel_votes.set_chair(store, store.annotator.name)
    page.faces.choose(SUBJECTS)
    wait(lambda: page.table.row_count() > 10 and page.stack.isEnabled())
    voted = page.subject_id
    for answer in page.review.answers.values():
        answer.choose(CHOICES.index("yes"))
    page.review.cast_button.click()
    wait(lambda: page.subject_id != voted)
    page.queue.step(-1)
    wait(lambda: page.subject_id == voted and page.review.close_vote_button.isEnabled())

    def answer_after_the_list_has_moved_on(*_: Any, **__: Any) -> str:
        page.queue.step(1)
        wait(lambda: page.subject_id != voted)
        return "two are away"

    monkeypatch.setattr("annotator.ui.pages.consensus.page.ask_on_page", answer_after_the_list_has_moved_on)
    page.review.close_vote_button.click()
    wait(lambda: panel_votes.vote_state(store, voted).kept is False)
    page.queue.step(-1)
    wait(lambda: page.subject_id == voted)
    wait(lambda: not page.review.close_vote_button.isEnabled() and not page.review.cast_button.isEnabled())


def _panel_of(page: Any) -> tuple[str, str]:
    """The votes and the result of the only subject that was voted on, as the list shows them."""
    lines = [page.table.line(row) for row in range(page.table.row_count())]
    return next((line.facts, line.chip[0]) for line in lines if not line.facts.startswith("0 of"))


def test_a_packet_that_contradicts_shows_both_sides(page: Any, wait: Wait, tmp_path: Path) -> None:
    store = page.session.store
    other = tmp_path / "other.annotator"
    store.copy_to(other)
    with contextlib.closing(sqlite3.connect(other)) as connection:
        connection.execute("UPDATE comment SET text = 'Another text.'")
        connection.commit()
    page.faces.choose(CONFLICTS)
    wait(lambda: page.right.currentWidget() is page.empty)
    page.packets.merge(other, "")
    wait(lambda: page.right.currentWidget() is page.frame and page.table.row_count() == 1)
    wait(lambda: page.settle_panel.right.toPlainText().startswith("text: Another text."))
    assert page.settle_panel.left.toPlainText().startswith("text: @")


def test_a_passphrase_is_typed_twice(page: Any, wait: Wait, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    typed = iter([("a long passphrase", True), ("a long pasphrase", True)])
    monkeypatch.setattr(PacketActs, "ask_for_passphrase", lambda *_: next(typed))
    monkeypatch.setattr("annotator.ui.pages.consensus.packet_acts.QInputDialog.getItem", lambda *_: (EVERYTHING, True))
    path = tmp_path / "sealed.packet"
    monkeypatch.setattr("annotator.ui.app.file_dialogs.choose_new_file", lambda *_: path)
    told: list[str] = []
    page.session.failed.connect(lambda failure: told.append(failure.message))
    page.packets.ask_to_export()
    wait(lambda: told == ["The two passphrases differ, so no packet was written."])
    typed_twice = iter([("a long passphrase", True)] * 2)
    monkeypatch.setattr(PacketActs, "ask_for_passphrase", lambda *_: next(typed_twice))
    page.packets.ask_to_export()
    wait(lambda: path.exists() and not page.session.jobs)
    assert b"passphrase" not in path.read_bytes()


def test_the_window_asks_for_a_passphrase_and_about_acts_of_others(
    page: Any, wait: Wait, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, path, other = page.session.store, tmp_path / "sealed.packet", tmp_path / "other.annotator"
    store.copy_to(other)
    with contextlib.closing(projects.open_project(other)) as away:
        members.switch_annotator(away, "Bo")
        aspect_reviews.add_review(away, page.subject_id, {"difficulty": 3})
        members.switch_annotator(away, "Ada")
        packets.export_packet(away, path, passphrase="a long passphrase")
    asked: list[str] = []
    monkeypatch.setattr(PacketActs, "ask_for_passphrase", lambda *_: ("a long passphrase", True))
    monkeypatch.setattr(PacketActs, "ask_about_others", lambda _, text: asked.append(text) or True)
    page.packets.merge(path, "")
    wait(lambda: len(aspect_reviews.list_reviews(store, page.subject_id)) == 1)
    assert len(asked) == 1 and "Bo (1)" in asked[0]


def test_the_window_asks_about_dates_in_the_future(
    page: Any, wait: Wait, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, other = page.session.store, tmp_path / "other.annotator"
    store.copy_to(other)
    with contextlib.closing(projects.open_project(other)) as away:
        aspect_reviews.add_review(away, page.subject_id, {"difficulty": 3})
    with contextlib.closing(sqlite3.connect(other)) as connection, connection:
        connection.execute("UPDATE review SET created_at = '2999-01-01T00:00:00.000000Z'")
    questions: list[str] = []
    monkeypatch.setattr(PacketActs, "ask_about_future", lambda _, text: questions.append(text) or True)
    page.packets.merge(other, "")
    wait(lambda: len(aspect_reviews.list_reviews(store, page.subject_id)) == 1)
    assert len(questions) == 1 and "2999" in questions[0]


def test_the_whole_item_is_on_the_desk(page: Any, wait: Wait) -> None:
    wait(lambda: page.item is not None)
    view = page.item.view
    assert page.panes.original.toPlainText() == view.prompt and page.panes.original.isVisible()
    page.go_to_step(DeskStep.PARAPHRASED)
    assert page.panes.editor.isVisible() and page.panes.editor.isReadOnly()
    page.go_to_step(DeskStep.CRITERION)
    shown = page.details.view_of("Criterion")
    assert shown.isVisible() and shown.toPlainText() == view.criterion.source and shown.hasFocus()
    page.go_to_step(DeskStep.REVIEWED)
    assert page.tabs.current == 1 and page.review.isAncestorOf(QApplication.focusWidget())
    wait(lambda: page.frame.steps.reasons[DeskStep.REVIEWED].full != "")


def test_sealed_votes_stay_sealed_on_the_desk(page: Any, wait: Wait) -> None:
    store, subject = page.session.store, page.subject_id
    me = store.annotator.name
    members.switch_annotator(store, "Bo")
    panel_votes.cast_vote(store, subject, dict.fromkeys(panel_votes.QUESTIONS, "no"))
    members.switch_annotator(store, me)
    page.show_subject(subject)
    page.show_item(subject)
    wait(lambda: page.frame.steps.reasons[DeskStep.REVIEWED].full == "1 of 13 have voted")
    page.details.show_tab("History")
    table = page.details.table_of("History")
    wait(lambda: table.row_count() > 0)
    model = table.model()
    cells = [model.index(row, 3).data() for row in range(model.rowCount())]
    assert not any("approve" in text or "realistic: no" in text for text in cells)


def test_undo_goes_back_to_the_tab_of_the_act(page: Any, wait: Wait) -> None:
    store, subject = page.session.store, page.subject_id
    page.review.marks["correctness"].setCurrentText("4")
    page.review.note.setText("half a note")
    assert page.tabs.tab_text(1).endswith("●") and not page.tabs.tab_text(0).endswith("●")
    page.review.save_button.click()
    wait(lambda: len(aspect_reviews.list_reviews(store, subject)) == 1)
    wait(lambda: not page.tabs.tab_text(1).endswith("●"))
    page.faces.choose(SUBJECTS)
    wait(lambda: page.subject_id != "" and page.table.row_count() > 10)
    page.queue.step(5)
    wait(lambda: page.subject_id != subject)
    page.tabs.choose(2)
    page.session.undo()
    wait(lambda: page.subject_id == subject and aspect_reviews.list_reviews(store, subject) == ())
    assert page.tabs.current == 1


def test_what_waits_comes_before_the_subject_of_another_page(page: Any, wait: Wait) -> None:
    """The page that was left shows an accepted subject on which nobody differs."""
    store = page.session.store
    other = next(
        row
        for row in triage.queue_page(store, QueueFilter(verdicts=("accept",))).rows
        if row.id not in {page.subject_id, *(getattr(item, "subject_id", "") for item in page.queue.payloads)}
    )
    page.faces.choose(OPEN)
    page.follow_subject(other)
    wait(lambda: page.subject_id not in ("", other.id))
    assert page.table.currentIndex().row() == 0
