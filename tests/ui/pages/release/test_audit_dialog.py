"""The audit in the window: shares, evidence, and a statement that is stored and shown at once."""

from __future__ import annotations

from typing import Any

import pytest

from annotator.model.rows.audit_rows import MET
from annotator.services.release import audit
from annotator.services.release.audit_points import POINTS
from annotator.ui.app.main_window import MainWindow
from annotator.ui.pages.release import dialogs
from annotator.ui.pages.release.dialogs import AuditDialog
from tests.windows import Wait


def test_a_point_is_stated(window: MainWindow, wait: Wait, monkeypatch: pytest.MonkeyPatch) -> None:
    window.show_page("Release")
    page: Any = window.pages.page("Release")
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
