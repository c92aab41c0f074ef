"""The dialogs of a release: publishing after a dry run, size and power by group, and the statements of the audit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from annotator.model.rows.audit_rows import MET
from annotator.services.release import audit, power_plan, release_list, versions
from annotator.services.release.audit_points import POINTS
from annotator.services.release.power_plan import PowerQuestion
from annotator.ui.app.main_window import MainWindow
from annotator.ui.pages.release import dialogs
from annotator.ui.pages.release.dialogs import AuditDialog, PowerDialog, PublishDialog
from tests.git_remote import make_remote, run_git
from tests.windows import Wait, open_page, open_store


@pytest.fixture
def remote(tmp_path: Path) -> Path:
    return make_remote(tmp_path)


@pytest.fixture
def dialog(window: MainWindow, wait: Wait) -> Any:
    store = open_store(window)
    if not release_list.list_releases(store):
        versions.create_release(store, "1.0", override_reason="a test")
    page = open_page(window, "Release")
    wait(lambda: page.publish_button.isEnabled())
    page.publish_button.click()
    return page.findChild(PublishDialog)


def test_a_release_is_published_after_a_dry_run(dialog: Any, remote: Path, qtbot: QtBot, wait: Wait) -> None:
    assert not dialog.plan_button.isEnabled() and not dialog.send_button.isEnabled()
    qtbot.keyClicks(dialog.place, str(remote))
    dialog.plan_button.click()
    wait(lambda: dialog.files.row_count() > 5)
    assert "would be sent to" in dialog.status_label.text() and run_git("-C", remote, "for-each-ref") == ""
    # What was not asked about is not sent.
    qtbot.keyClicks(dialog.place, "x")
    assert not dialog.send_button.isEnabled()
    dialog.place.setText(str(remote))
    assert not dialog.send_button.isEnabled()
    dialog.plan_button.click()
    wait(dialog.send_button.isEnabled)
    dialog.send_button.click()
    wait(lambda: "Published " in dialog.status_label.text())
    assert run_git("-C", remote, "tag").startswith("v") and not dialog.send_button.isEnabled()
    dialog.plan_button.click()
    wait(dialog.send_button.isEnabled)
    dialog.send_button.click()
    wait(lambda: "already published there" in dialog.status_label.text())
    dialog.close()


def test_a_place_that_is_none_is_told(dialog: Any, qtbot: QtBot, wait: Wait) -> None:
    qtbot.keyClicks(dialog.place, "nowhere")
    dialog.plan_button.click()
    wait(lambda: "Cannot publish to “nowhere”" in dialog.status_label.text())
    assert not dialog.send_button.isEnabled()
    dialog.close()


def test_a_question_is_answered_by_group(window: MainWindow, wait: Wait) -> None:
    page = open_page(window, "Release")
    page.open_power()
    wait(lambda: page.findChild(PowerDialog) is not None and page.findChild(PowerDialog).table.row_count() > 0)
    dialog = page.findChild(PowerDialog)
    assert window.session.store is not None
    dialog.difference.setValue(20.0)
    dialog.by.setCurrentIndex(dialog.by.findData("language"))
    expected = power_plan.plan_benchmark_size(window.session.store, None, PowerQuestion(difference=0.2, by="language"))
    wait(lambda: dialog.table.shown_payloads() == list(expected.rows))
    assert dialog.notes.text() == "\n".join(expected.notes)
    dialog.close()


def test_a_point_is_stated(window: MainWindow, wait: Wait, monkeypatch: pytest.MonkeyPatch) -> None:
    page = open_page(window, "Release")
    page.open_audit()
    wait(lambda: page.findChild(AuditDialog) is not None)
    dialog = page.findChild(AuditDialog)
    at = [point.id for point in POINTS].index("audience")
    dialog.points.select(at)
    monkeypatch.setattr(dialogs, "ask_text", lambda *_, **__: "Makers of models")
    dialog.ask()
    wait(lambda: "Makers of models" in dialog.detail.text())
    assert window.session.store is not None
    row = next(row for row in audit.load_audit(window.session.store).rows if row.point.id == "audience")
    assert row.state == MET and row.statement is not None
    dialog.close()
