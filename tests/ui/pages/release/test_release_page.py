"""The Release page: gates with their items, rules, changes between versions, reports, dialogs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from shiboken6 import delete

from annotator.model.rows.audit_rows import MET
from annotator.model.rows.queue_rows import QueueFilter
from annotator.model.rows.release_rows import Gate, GateItem
from annotator.model.vocabulary import Verdict
from annotator.services.project import members
from annotator.services.prompt import paraphrases
from annotator.services.release import audit, power_plan, release_gates, release_list, suggested_version, versions
from annotator.services.release.audit_points import POINTS
from annotator.services.release.power_plan import PowerQuestion
from annotator.services.select import triage
from annotator.store.file.project_file import ProjectFile
from annotator.store.runs import stored_releases
from annotator.ui.app.main_window import MainWindow
from annotator.ui.pages.release import dialogs
from annotator.ui.pages.release.dialogs import AuditDialog, ChangesDialog, PowerDialog, PublishDialog, ReportDialog
from annotator.ui.pages.release.gates import GateRulesDialog
from annotator.ui.widgets.labels import ElidedLabel
from tests.git_remote import make_remote, run_git
from tests.windows import Wait, open_page, open_store


@pytest.fixture
def page(window: MainWindow, wait: Wait) -> Any:
    found = open_page(window, "Release")
    wait(lambda: found.gates.row_count() > 0 and found.table.row_count() == 1)
    return found


def texts(table: Any, column: int) -> list[str]:
    model = table.model()
    return [model.index(row, column).data() for row in range(model.rowCount())]


def test_a_gate_names_its_items_and_leads_to_them(page: Any, window: MainWindow, wait: Wait) -> None:
    store = page.session.store
    row = triage.queue_page(store, QueueFilter(verdicts=("accept",))).rows[0]
    me = store.annotator.name
    members.switch_annotator(store, "Bo")
    triage.decide_subjects(store, [row.id], Verdict.REJECT)
    members.switch_annotator(store, me)
    window.session.act(lambda: triage.decide_subjects(store, [row.id], Verdict.ACCEPT))
    wait(lambda: "✗ blocks" in texts(page.gates, 0))
    page.gates.select(texts(page.gates, 1).index("No open disagreements"))
    wait(lambda: texts(page.failing_items, 0) == [row.title])
    assert texts(page.failing_items, 1) == ["selection"] and page.reason.isVisible()
    page.failing_items.row_activated.emit(page.failing_items.payload_at(page.failing_items.model().index(0, 0)))
    wait(lambda: window.pages.current_name == "Consensus")
    wait(lambda: window.pages.page("Consensus").subject_id == row.id)  # type: ignore[attr-defined]


def test_nothing_is_released_before_the_gates_are_looked_at(window: MainWindow, wait: Wait) -> None:
    page = open_page(window, "Release")
    assert not page.create_button.isEnabled() and page.gates.row_count() == 0
    wait(page.create_button.isEnabled)
    assert page.gates.row_count() > 0


def test_releases_are_listed_and_short_work_goes_on_while_gates_are_looked_at(
    window: MainWindow, wait: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on, done = Event(), []
    gates = release_gates.check_gates

    def slow_gates(store: ProjectFile) -> tuple[Gate, ...]:
        go_on.wait(60)
        return gates(store)

    monkeypatch.setattr(release_gates, "check_gates", slow_gates)
    page = open_page(window, "Release")
    try:
        wait(lambda: page.table.row_count() == 1)
        window.session.run("cpu", int, done.append)
        wait(lambda: bool(done))
        assert page.gates.row_count() == 0 and page.export_button.isEnabled()
    finally:
        go_on.set()
    wait(lambda: page.gates.row_count() > 0)


def test_once_the_chosen_gate_is_met_the_one_that_blocks_is_shown(page: Any) -> None:
    proven = Gate(id="proven", name="Every item is proven", ok=False, reason="1 item", items=(), required=True)
    kept = replace(proven, id="kept", name="Every paraphrase keeps what it must keep")
    page.gate_card.show_gates((proven, kept))
    page.gates.select(1)
    page.gate_card.show_gates((proven, kept))
    assert page.gates.currentIndex().row() == 1
    page.gate_card.show_gates((proven, replace(kept, ok=True)))
    assert page.gates.currentIndex().row() == 0


def test_open_gates_that_block_nothing_are_told_as_such(page: Any) -> None:
    gate = Gate(id="proven", name="Every item is proven", ok=False, reason="1 item", items=(), required=False)

    def told() -> set[str]:
        return {found.full for found in page.gate_card.findChildren(ElidedLabel)}

    page.gate_card.show_gates((gate,))
    assert "ready to release; unmet gates are not required" in told()
    page.gate_card.show_gates((replace(gate, ok=True),))
    assert "ready to release" in told()


def test_rules_are_set_in_a_dialog(page: Any, wait: Wait) -> None:
    before = page.gates.row_count()
    page.open_rules()
    wait(lambda: page.findChild(GateRulesDialog) is not None)
    dialog = page.findChild(GateRulesDialog)
    assert dialog.changed_rules == {} and dialog.changed_numbers == {}
    dialog.boxes["reviews"].setCurrentText("Required")
    dialog.numbers["reviews"].setValue(2)
    dialog.accept()
    wait(lambda: page.gates.row_count() == before + 1)
    rules = release_gates.load_gate_rules(page.session.store)
    assert (rules.rules["reviews"], rules.reviews) == ("required", 2)
    page.gates.select(texts(page.gates, 1).index("Every item is reviewed"))
    wait(lambda: page.failing_items.isVisible() and texts(page.failing_items, 1)[0] == "0 of 2 reviews")


def test_changes_and_errata_go_into_the_next_release(page: Any, wait: Wait) -> None:
    store = page.session.store
    row = triage.queue_page(store, QueueFilter(verdicts=("accept",))).rows[0]
    page.session.act(lambda: paraphrases.save_prompt(store, row.id, "Another question?"))
    wait(lambda: "1 changed" in page.changes_label.text())
    assert page.version.placeholderText() == suggested_version.suggest_version(store)
    page.open_changes()
    wait(lambda: page.findChild(ChangesDialog) is not None)
    dialog = page.findChild(ChangesDialog)
    wait(lambda: dialog.items.row_count() == 1)
    assert texts(dialog.items, 2) == ["prompt"] and texts(dialog.items, 3) == ["no longer valid"]
    assert dialog.runs.row_count() >= 1 and "earlier scores are no longer valid" in dialog.errata.toPlainText()
    dialog.errata.setPlainText("The question was unclear.\n\n")
    dialog.accept()
    page.open_changes()
    wait(lambda: page.findChild(ChangesDialog) is not None)
    page.reason.setText("a test")
    page.version.setText("9.0")
    job_labels = set[str]()
    page.session.jobs_changed.connect(lambda: job_labels.update(job.label for job in page.session.jobs))
    page.create_release()
    assert not page.create_button.isEnabled(), "a second click makes no second release"
    wait(lambda: page.table.row_count() == 2)
    assert job_labels == {"Creating release 9.0"} and page.create_button.isEnabled()
    assert "Created release" in page.status_label.text() and "on the Runs page" in page.status_label.text(), (
        "it says what comes next"
    )
    with store.read() as db:
        manifest = stored_releases.fetch_release(db, "9.0").manifest
    assert manifest["facts"]["errata"] == ["The question was unclear."] and manifest["overridden"]
    assert page.errata is None


def test_changes_that_come_after_the_dialog_is_closed_are_nobodys(
    page: Any, wait: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    page.open_changes()
    wait(lambda: page.findChild(ChangesDialog) is not None)
    dialog = page.findChild(ChangesDialog)
    wait(lambda: dialog.summary.text() != "")
    compare, done = suggested_version.diff_versions, list[object]()
    monkeypatch.setattr(suggested_version, "diff_versions", lambda *asked: done.append(compare(*asked)) or done[0])
    dialog.ask()
    delete(dialog)
    wait(lambda: bool(done))
    page.session.lanes.finish("read")
    QApplication.processEvents()


def test_two_frozen_versions_are_compared_without_writing(page: Any, wait: Wait) -> None:
    store = page.session.store
    page.session.act(lambda: versions.create_release(store, "9.0", override_reason="a test"))
    wait(lambda: page.table.row_count() == 2)
    page.open_changes()
    wait(lambda: page.findChild(ChangesDialog) is not None)
    dialog = page.findChild(ChangesDialog)
    old = release_list.list_releases(store)[1].version
    dialog.old.setCurrentText(old)
    dialog.new.setCurrentIndex(1)
    wait(lambda: dialog.summary.text().startswith(f"Since {old}: 0 added"))
    assert dialog.errata.isReadOnly()


def test_reports_can_be_read_before_a_release(page: Any, wait: Wait, tmp_path: Path) -> None:
    store = page.session.store
    row = triage.queue_page(store, QueueFilter(verdicts=("accept",))).rows[0]
    page.session.act(lambda: paraphrases.save_prompt(store, row.id, "Ask jane.doe@uni-kassel.de about it."))
    wait(lambda: "1 item with such findings" in texts(page.gates, 2))
    page.open_privacy()
    wait(lambda: page.findChild(ReportDialog) is not None)
    text = page.findChild(ReportDialog).view.toPlainText()
    assert "e-mail address" in text and "jane.doe" not in text
    page.findChild(ReportDialog).accept()
    wait(lambda: page.findChild(ReportDialog) is None)
    page.open_sources()
    wait(lambda: page.findChild(ReportDialog) is not None)
    assert "Sources of" in page.findChild(ReportDialog).view.toPlainText()
    newest = release_list.list_releases(store)[0].version
    page.export_to(tmp_path / "out", newest)
    wait(lambda: (tmp_path / "out" / "manifest.json").exists())
    assert (tmp_path / "out" / "PERSONAL-DATA.md").exists() and (tmp_path / "out" / "ATTRIBUTION.md").exists()


def test_a_licence_that_is_not_known_leads_to_where_it_is_chosen(page: Any, window: MainWindow, wait: Wait) -> None:
    subject = triage.queue_page(page.store, QueueFilter(verdicts=("accept",))).rows[3]
    items = (GateItem(subject.id, subject.key, subject.title, "not known"),)
    gate = Gate(
        id="licence-known", name="Every licence is known", ok=False, reason="1 item", items=items, required=False
    )
    page.gate_card.show_gates((gate,))
    page.gate_card.failing_items.row_activated.emit(items[0])
    wait(lambda: window.pages.current_name == "Select")
    found: Any = window.pages.page("Select")
    wait(lambda: found.view is not None and found.view.row.id == subject.id)


# The dialogs of a release: publishing after a dry run, size and power by group, and the statements of the audit.


@pytest.fixture
def remote(tmp_path: Path) -> Path:
    return make_remote(tmp_path)


@pytest.fixture
def release_dialog(window: MainWindow, wait: Wait) -> Any:
    store = open_store(window)
    if not release_list.list_releases(store):
        versions.create_release(store, "1.0", override_reason="a test")
    page = open_page(window, "Release")
    wait(lambda: page.publish_button.isEnabled())
    page.publish_button.click()
    return page.findChild(PublishDialog)


def test_a_release_is_published_after_a_dry_run(release_dialog: Any, remote: Path, qtbot: QtBot, wait: Wait) -> None:
    assert not release_dialog.plan_button.isEnabled() and not release_dialog.send_button.isEnabled()
    qtbot.keyClicks(release_dialog.place, str(remote))
    release_dialog.plan_button.click()
    wait(lambda: release_dialog.files.row_count() > 5)
    assert "would be sent to" in release_dialog.status_label.text() and run_git("-C", remote, "for-each-ref") == ""
    # What was not asked about is not sent.
    qtbot.keyClicks(release_dialog.place, "x")
    assert not release_dialog.send_button.isEnabled()
    release_dialog.place.setText(str(remote))
    assert not release_dialog.send_button.isEnabled()
    release_dialog.plan_button.click()
    wait(release_dialog.send_button.isEnabled)
    release_dialog.send_button.click()
    wait(lambda: "Published " in release_dialog.status_label.text())
    assert run_git("-C", remote, "tag").startswith("v") and not release_dialog.send_button.isEnabled()
    release_dialog.plan_button.click()
    wait(release_dialog.send_button.isEnabled)
    release_dialog.send_button.click()
    wait(lambda: "already published there" in release_dialog.status_label.text())
    release_dialog.close()


def test_a_place_that_is_none_is_told(release_dialog: Any, qtbot: QtBot, wait: Wait) -> None:
    qtbot.keyClicks(release_dialog.place, "nowhere")
    release_dialog.plan_button.click()
    wait(lambda: "Cannot publish to “nowhere”" in release_dialog.status_label.text())
    assert not release_dialog.send_button.isEnabled()
    release_dialog.close()


def test_a_question_is_answered_by_group(window: MainWindow, wait: Wait) -> None:
    page = open_page(window, "Release")
    page.open_power()
    wait(lambda: page.findChild(PowerDialog) is not None and page.findChild(PowerDialog).table.row_count() > 0)
    release_dialog = page.findChild(PowerDialog)
    assert window.session.store is not None
    release_dialog.difference.setValue(20.0)
    release_dialog.by.setCurrentIndex(release_dialog.by.findData("language"))
    expected = power_plan.plan_benchmark_size(window.session.store, None, PowerQuestion(difference=0.2, by="language"))
    wait(lambda: release_dialog.table.view_payloads() == list(expected.rows))
    assert release_dialog.notes.text() == "\n".join(expected.notes)
    release_dialog.close()


def test_a_point_is_stated(window: MainWindow, wait: Wait, monkeypatch: pytest.MonkeyPatch) -> None:
    page = open_page(window, "Release")
    page.open_audit()
    wait(lambda: page.findChild(AuditDialog) is not None)
    release_dialog = page.findChild(AuditDialog)
    at = [point.id for point in POINTS].index("audience")
    release_dialog.points.select(at)
    monkeypatch.setattr(dialogs, "ask_text", lambda *_, **__: "Makers of models")
    release_dialog.ask()
    wait(lambda: "Makers of models" in release_dialog.detail.text())
    assert window.session.store is not None
    row = next(row for row in audit.load_audit(window.session.store).rows if row.point.id == "audience")
    assert row.state == MET and row.statement is not None
    release_dialog.close()
