"""Every field in which people write more than a few words keeps what is typed: found in the real pages, not listed."""

from __future__ import annotations

import pytest
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractSpinBox, QComboBox, QLineEdit, QPlainTextEdit, QWidget
from pytestqt.exceptions import TimeoutError as WaitTimeoutError
from pytestqt.qtbot import QtBot

from annotator.model.rows.judging_rows import CandidatePair
from annotator.services.consensus import aspect_reviews
from annotator.services.judge import blind_judging
from annotator.services.select import triage
from annotator.store.file.project_file import ProjectFile
from annotator.ui.app.main_window import MainWindow
from annotator.ui.pages.page_registry import PAGES
from annotator.ui.pages.prompt.rewrite_dialog import RewriteDialog
from annotator.ui.pages.release.dialogs import DatasheetDialog
from annotator.ui.pages.runs.setup_dialog import SetupDialog
from tests.windows import Wait, blind_study, open_page, open_store, settle

FEW_WORDS = {
    "Search", "Filter", "Columns", "Tag", "Domain", "Model", "Name of the key", "Samples", "Temperature", "Top-p",
    "Token limit", "Parallel requests", "Time limit", "Cost cap", "Price in", "Price out", "Where responses are scored",
}  # fmt: skip
"""What narrows a list, or a name or number of a form, by the beginning of its name."""


def _fields(root: QWidget) -> list[QLineEdit | QPlainTextEdit]:
    found: list[QLineEdit | QPlainTextEdit] = []
    for kind in (QLineEdit, QPlainTextEdit):
        for field in root.findChildren(kind):
            inner = isinstance(field.parentWidget(), QAbstractSpinBox | QComboBox)
            if field.isVisible() and field.isEnabled() and not field.isReadOnly() and not inner:
                found.append(field)
    return [field for field in found if not field.accessibleName().startswith(tuple(FEW_WORDS))]


def _kept(window: MainWindow) -> set[tuple[str, str, str]]:
    return {(draft.key.field, draft.key.item_id, draft.text) for draft in window.session.drafts.drafts}


def _type_in_all(window: MainWindow, qtbot: QtBot, root: QWidget) -> list[str]:
    """Type a digit, which numbers take too, into every field; returns the names of those that kept nothing of it."""
    left = []
    for field in _fields(root):
        before = _kept(window)
        QTest.keyClicks(field, "1")
        try:
            qtbot.waitUntil(lambda before=before: _kept(window) != before, timeout=5000)
        except WaitTimeoutError:
            left.append(field.accessibleName() or type(field).__name__)
    return left


def _make_study(store: ProjectFile) -> None:
    pairs = [
        CandidatePair(
            subject_id=triage.accepted_subjects(store)[0].id,
            text_a="one answer",
            text_b="another",
            facts_a={},
            facts_b={},
        )
    ]
    blind_judging.create_blind_study(store, blind_study(store), pairs)


def _type_on_page(window: MainWindow, qtbot: QtBot, wait: Wait, name: str) -> None:
    store = open_store(window)
    if name == "Judge":
        _make_study(store)
    page = open_page(window, name)
    if name == "Consensus":
        subject = triage.accepted_subjects(store)[0].id
        page.show_subject(subject)
        wait(lambda: page.subject_id == subject and page.stack.isEnabled())
        page.details.show_tab("Comments")
        wait(lambda: page.details.comments.draft.item_id == subject)
    elif name in ("Prompt", "Criterion", "Select"):
        wait(lambda: page.view is not None)
    elif name == "Release":
        wait(lambda: bool(page.draft_fields["notes"].item_id))
    elif name == "Judge":
        wait(lambda: page.panel.pair is not None)
    settle(window, qtbot)
    stacks = range(page.tabs.count()) if name == "Consensus" else range(1)
    left: list[str] = []
    for number in stacks:
        if name == "Consensus":
            page.tabs.choose(number)
        left += _type_in_all(window, qtbot, page)
    assert left == []
    for draft in window.session.drafts.drafts:
        window.session.drafts.discard(draft.key.field, draft.key.item_id)
    if name in ("Prompt", "Criterion"):
        page.own_writing.unsaved_texts.clear()
    assert aspect_reviews.load_comments(store) == ()


def test_every_field_of_a_page_keeps_what_is_typed(
    window: MainWindow, qtbot: QtBot, wait: Wait, subtests: pytest.Subtests
) -> None:
    for name in [item.name for item in PAGES]:
        with subtests.test(name):
            _type_on_page(window, qtbot, wait, name)


def test_every_field_of_a_dialog_keeps_what_is_typed(window: MainWindow, qtbot: QtBot, wait: Wait) -> None:
    release = open_page(window, "Release")
    release.open_datasheet()
    wait(lambda: bool(release.findChildren(DatasheetDialog)))
    [datasheet] = release.findChildren(DatasheetDialog)
    assert len(datasheet.drafts) == len(_fields(datasheet)) == len(datasheet.fields)
    datasheet.accept()
    page = open_page(window, "Prompt")
    wait(lambda: page.view is not None)
    rewrite = RewriteDialog(page, page.context, page.view.row.id)
    rewrite.open()
    wait(lambda: rewrite.view is not None)
    setup = SetupDialog(window.session, window.theme, window)
    for number in range(4):
        rewrite.faces.choose(number)
        assert _type_in_all(window, qtbot, rewrite) == []
    rewrite.draft.discard()
    rewrite.reject()
    setup.open()
    wait(lambda: setup.table.row_count() >= 0)
    setup.add_entry("lab")
    assert _type_in_all(window, qtbot, setup) == []
    setup.draft.discard()
    setup.reject()
    for dialog in (rewrite, setup):
        dialog.deleteLater()
    window.session.drafts.flush()
