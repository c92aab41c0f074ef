"""Every dialog: closes by Esc, says what Return does, begins at its first field, goes in order, and knows its help."""

from __future__ import annotations

import gc
import importlib
import pkgutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QPoint, QStandardPaths, Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QAbstractScrollArea,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QDialog,
    QInputDialog,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

import annotator.ui
from annotator.base.paths import data_dir
from annotator.base.settings import Settings
from annotator.model.rows.run_rows import SetupRow
from annotator.services.program import manual
from annotator.ui.app.help.help_actions import PLACES
from annotator.ui.app.help.help_windows import HelpWindow
from annotator.ui.app.main_window import MainWindow
from annotator.ui.app.settings.window_state import WindowState
from annotator.ui.app.theme.look import Theme
from annotator.ui.app.welcome import NewProjectDialog
from annotator.ui.widgets.dialog import Dialog, is_field
from tests.windows import tree_problems

pytestmark = pytest.mark.usefixtures("without_backups")

Make = Callable[[MainWindow], QDialog]


def _all_classes() -> dict[str, type[QDialog]]:
    """Every dialog class of the window's code, by name, but for the file dialog, whose content is Qt's."""
    for module in pkgutil.walk_packages(annotator.ui.__path__, "annotator.ui."):
        importlib.import_module(module.name)
    found: dict[str, type[QDialog]] = {}
    left: list[type[QDialog]] = [QDialog]
    while left:
        for made in left.pop().__subclasses__():
            left.append(made)
            if made.__module__.startswith("annotator.ui"):
                found[made.__name__] = made
    del found["Dialog"], found["FileDialog"]
    return found


# -- one of each ------------------------------------------------------------------------------------------------------


def _new_project(window: MainWindow) -> QDialog:
    return NewProjectDialog(Path.home(), "Ada", window)


def _settings(window: MainWindow) -> QDialog:
    from annotator.ui.app.settings.settings_dialog import SettingsDialog

    return SettingsDialog(window.settings, window.actions_table, window)


def _about(window: MainWindow) -> QDialog:
    from annotator.ui.app.help.help_windows import AboutDialog

    return AboutDialog(window)


def _manual(window: MainWindow) -> QDialog:
    return HelpWindow(manual.load_manual(), window.theme, dict, window)


def _crash(window: MainWindow) -> QDialog:
    from annotator.ui.care.crash_dialog import CrashDialog

    return CrashDialog(window, ValueError("x"), {"page": "none"})


def _backups(window: MainWindow) -> QDialog:
    from annotator.ui.care.backups_and_recovery import BackupsDialog

    return BackupsDialog(window, window.session, Path("nothing.annotator"))


def _history(window: MainWindow) -> QDialog:
    from annotator.ui.care.history_dialog import HistoryDialog

    return HistoryDialog(window, window.session, window.theme)


def _recovery(window: MainWindow) -> QDialog:
    from annotator.ui.care.backups_and_recovery import RecoveryDialog

    return RecoveryDialog(window, window.session, Path("nothing.annotator"), "It is damaged.")


def _ask(window: MainWindow) -> QDialog:
    from annotator.ui.pages.bugs.page import AskDialog

    return AskDialog(
        [SetupRow(kind="endpoint", name="here", version=1, content={}, removed=False, annotator="", created_at="")],
        ["off by one", "wrong sign"],
        window,
    )


def _changes(window: MainWindow) -> QDialog:
    from annotator.ui.pages.release.dialogs import ChangesDialog

    return ChangesDialog(window.theme, ["0.1"], "0.1", window)


def _compare(window: MainWindow) -> QDialog:
    from annotator.ui.pages.select.page import CompareDialog, ComparisonSide

    side = ComparisonSide("A question", "python", [("Prompt", "What?", "markdown")])
    return CompareDialog(window, window.theme, "These are alike.", side, side)


def _audit(window: MainWindow) -> QDialog:
    from annotator.model.rows.audit_rows import OPEN, Audit, AuditEvidence, AuditRow
    from annotator.services.release.audit_points import POINTS
    from annotator.ui.pages.release.dialogs import AuditDialog

    rows = tuple(AuditRow(point, AuditEvidence(OPEN, "")) for point in POINTS)
    return AuditDialog(window.theme, window.session.drafts, Audit("Demo", "", rows), window)


def _datasheet(window: MainWindow) -> QDialog:
    from annotator.ui.pages.release.dialogs import DatasheetDialog

    return DatasheetDialog(window.theme, window.session.drafts, (), {}, window)


def _drafts(window: MainWindow) -> QDialog:
    from annotator.model.rows.queue_rows import SubjectRow
    from annotator.model.rows.view_rows import SubjectView
    from annotator.ui.pages.shared.model_suggestions import SuggestionsDialog

    row = SubjectRow(
        row=1,
        id="1",
        key="jsonl:1",
        title="A question",
        task="generation",
        language="python",
        domain="",
        area="",
        difficulty="",
        verdict="accept",
        has_prompt=False,
        has_criterion=False,
    )
    view = SubjectView(
        row=row,
        prompt="What?",
        reference="",
        context="",
        entry_point="",
        licence="",
        question_type="",
        provenance={},
        dependencies={},
        files={},
        extra={},
        tests=(),
        paraphrase=None,
        criterion=None,
        edits=":",
        proof=None,
        decisions=(),
        responses=(),
    )
    return SuggestionsDialog(window, window.pages.context, view, "paraphrase")


def _gate_rules(window: MainWindow) -> QDialog:
    from annotator.services.release.release_gates import KINDS, GateRules
    from annotator.ui.pages.release.gates import GateRulesDialog

    rules = GateRules({kind.id: kind.rule or "required" for kind in KINDS}, 1)
    return GateRulesDialog(window.theme, rules, window)


def _panel(window: MainWindow) -> QDialog:
    from annotator.ui.pages.consensus.expert_panel import PanelDialog, PanelState

    state = PanelState(
        size=(13, 10), chair="Ada", is_chair=True, people=("Ada",), has_pseudonyms=False, report="The votes are sealed."
    )  # fmt: skip
    return PanelDialog(window.theme, state, window)


def _power(window: MainWindow) -> QDialog:
    from annotator.ui.pages.release.dialogs import PowerDialog

    return PowerDialog(window.theme, window)


def _publish(window: MainWindow) -> QDialog:
    from annotator.ui.pages.release.dialogs import PublishDialog

    return PublishDialog(window.theme, "1.0", window)


def _quota(window: MainWindow) -> QDialog:
    from annotator.ui.pages.select.quota_list import QuotaDialog

    return QuotaDialog(window, [{"language": "python", "wanted": 10}])


def _report(window: MainWindow) -> QDialog:
    from annotator.ui.pages.release.dialogs import ReportDialog

    return ReportDialog(window.theme, "Sources", "Whose work it is.", "# Sources\n", window)


def _rewrite(window: MainWindow) -> QDialog:
    from annotator.ui.pages.prompt.rewrite_dialog import RewriteDialog

    return RewriteDialog(window, window.pages.context, "1")


def _setup(window: MainWindow) -> QDialog:
    from annotator.ui.pages.runs.setup_dialog import SetupDialog

    return SetupDialog(window.session, window.theme, window)


def _study(window: MainWindow) -> QDialog:
    from annotator.ui.pages.judge.study_dialog import StudyDialog

    return StudyDialog((), ("one", "two"), window)


def _draft_comparison(window: MainWindow) -> QDialog:
    from annotator.model.rows.draft_rows import Draft, DraftKey
    from annotator.ui.widgets.draft_field import DraftComparison

    draft = Draft(key=DraftKey("1", "prompt.paraphrase", "1"), text="What?", written_at="2026-11-21T10:42:00.000000Z")
    return DraftComparison(window.theme, "Why?", draft, window)


def _text_question(window: MainWindow) -> QDialog:
    from annotator.ui.widgets.draft_field import TextQuestion

    return TextQuestion(window, window.theme, window.session.drafts, "Unlock", "Why?", name="x.y", item_id="1")


def _unsaved_texts(window: MainWindow) -> QDialog:
    from annotator.ui.care.draft_notice import UnsavedTextsDialog

    return UnsavedTextsDialog(window.session, window.theme, window)


def _conflict(window: MainWindow) -> QDialog:
    from annotator.services.edit_conflicts import EditConflictError
    from annotator.ui.pages.shared.edit_conflict_choice import ConflictDialog

    conflict = EditConflictError("1", "Theirs.", "Ben", "2026-11-21T10:42:00.000000Z")
    return ConflictDialog(window, window.theme, "Sum of a list", conflict, "Mine.")


def _handover(window: MainWindow) -> QDialog:
    from annotator.ui.pages.judge.study_dialog import HandoverDialog

    return HandoverDialog(("Bo", "Cy"), ("Ada", "Bo", "Cy"), window)


def _authors(window: MainWindow) -> QDialog:
    from annotator.services.release.authors import AuthorRow
    from annotator.ui.pages.release.dialogs import AuthorsDialog

    row = AuthorRow(id="1", name="Ada", role="expert", is_named=True, choice="", has_work=True)
    return AuthorsDialog((row,), window)


DIALOGS: dict[str, Make] = {
    "AboutDialog": _about, "AskDialog": _ask, "AuditDialog": _audit, "AuthorsDialog": _authors,
    "BackupsDialog": _backups, "HandoverDialog": _handover,
    "ChangesDialog": _changes,
    "CompareDialog": _compare, "ConflictDialog": _conflict, "CrashDialog": _crash, "DatasheetDialog": _datasheet,
    "DraftComparison": _draft_comparison, "SuggestionsDialog": _drafts,
    "GateRulesDialog": _gate_rules, "HelpWindow": _manual, "HistoryDialog": _history,
    "NewProjectDialog": _new_project, "PanelDialog": _panel, "PowerDialog": _power,
    "PublishDialog": _publish,
    "QuotaDialog": _quota, "RecoveryDialog": _recovery,
    "ReportDialog": _report, "RewriteDialog": _rewrite, "SettingsDialog": _settings, "SetupDialog": _setup,
    "StudyDialog": _study, "TextQuestion": _text_question, "UnsavedTextsDialog": _unsaved_texts,
}  # fmt: skip


@pytest.fixture
def window(qtbot: QtBot, theme: Theme, tmp_path: Path) -> Iterator[MainWindow]:
    """The window without a project."""
    made = MainWindow(theme, Settings(tmp_path / "s.json", {}))
    made.resize(1280, 800)
    made.show()
    made.activateWindow()
    qtbot.waitUntil(made.isActiveWindow)
    yield made
    qtbot.waitUntil(lambda: not made.session.jobs)
    made.close()
    made.deleteLater()


@pytest.fixture
def shown(window: MainWindow, qtbot: QtBot) -> Iterator[Callable[[str], Any]]:
    """Show a dialog by its class, as the window does; it is thrown away before the next one, and afterwards."""
    made: list[QDialog] = []

    def throw_away() -> None:
        while made:
            # One that throws itself away when it is closed is gone already.
            with suppress(RuntimeError):
                dialog = made.pop()
                dialog.close()
                dialog.deleteLater()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)

    def show(name: str) -> QDialog:
        throw_away()
        dialog = DIALOGS[name](window)
        made.append(dialog)
        dialog.show() if name == "HelpWindow" else dialog.open()
        dialog.activateWindow()
        qtbot.waitUntil(lambda: dialog.isActiveWindow() and dialog.focusWidget() is not None)
        return dialog

    yield show
    throw_away()


def test_every_dialog_is_looked_at_here_and_has_its_place_in_the_manual() -> None:
    found = _all_classes()
    assert set(found) == set(DIALOGS)
    assert [name for name in found if name != "HelpWindow" and name not in PLACES] == []
    assert [name for name, made in found.items() if name != "HelpWindow" and not issubclass(made, Dialog)] == []


def test_a_screen_reader_is_told_the_name_and_role_of_every_control(
    shown: Callable[[str], Any], subtests: pytest.Subtests
) -> None:
    for name in DIALOGS:
        with subtests.test(name):
            assert not list(tree_problems(shown(name), name))


def test_esc_closes_wherever_the_cursor_is(
    shown: Callable[[str], Any], qtbot: QtBot, subtests: pytest.Subtests
) -> None:
    for name in DIALOGS:
        with subtests.test(name):
            dialog = shown(name)
            closed: list[int] = []
            dialog.finished.connect(closed.append)
            qtbot.keyClick(dialog.focusWidget(), Qt.Key.Key_Escape)
            assert closed == [QDialog.DialogCode.Rejected]


def test_return_has_one_button_and_the_first_field_has_the_cursor(
    shown: Callable[[str], Any], subtests: pytest.Subtests
) -> None:
    for name in [name for name in DIALOGS if name != "HelpWindow"]:
        with subtests.test(name):
            dialog = shown(name)
            standing = [item.text() for item in dialog.findChildren(QPushButton) if item.isDefault()]
            assert standing == [dialog.return_button().text()]
            fields = [item for item in _chain(dialog) if is_field(item)]
            if fields:
                assert dialog.focusWidget() is fields[0]
            else:
                assert dialog.focusWidget() is dialog.return_button()


def _chain(dialog: QDialog) -> list[QWidget]:
    """The dialog's widgets in the order of Tab."""
    found: list[QWidget] = []
    widget = dialog.nextInFocusChain()
    while widget is not None and widget is not dialog:
        if widget.window() is dialog:
            found.append(widget)
        widget = widget.nextInFocusChain()
    return found


def test_a_dialog_that_nobody_holds_is_not_collected_while_it_is_open(window: MainWindow, qtbot: QtBot) -> None:
    _history(window).open()
    qtbot.waitUntil(lambda: QApplication.activeModalWidget() is not None)
    gc.collect()
    [left] = window.findChildren(QDialog, "history-dialog", Qt.FindChildOption.FindDirectChildrenOnly)
    assert left.isVisible()
    left.close()
    left.deleteLater()


def _stops(dialog: QDialog) -> list[QWidget]:
    """Where Tab stops, in its order; parts of a control count as the control."""
    kinds = (QPushButton, QLineEdit, QComboBox, QAbstractSpinBox, QPlainTextEdit, QAbstractItemView)
    found: list[QWidget] = []
    widget = dialog.nextInFocusChain()
    while widget is not None and widget is not dialog:
        inner = isinstance(widget.parentWidget(), QComboBox | QAbstractSpinBox | QAbstractItemView)
        reached = bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus) and widget.isVisible() and widget.isEnabled()
        if isinstance(widget, kinds) and reached and not inner and widget.window() is dialog:
            found.append(widget)
        widget = widget.nextInFocusChain()
    return found


def _scrolled(widget: QWidget) -> QWidget | None:
    parent = widget.parentWidget()
    while parent is not None and not isinstance(parent, QAbstractScrollArea):
        parent = parent.parentWidget()
    return parent


def test_tab_goes_down_and_to_the_right(shown: Callable[[str], Any], subtests: pytest.Subtests) -> None:
    for name in DIALOGS:
        with subtests.test(name):
            dialog = shown(name)
            stops = _stops(dialog)
            back: list[str] = []
            for one, other in pairwise(stops):
                if _scrolled(one) is not _scrolled(other):
                    continue
                first, second = (item.mapTo(dialog, QPoint(0, 0)) for item in (one, other))
                above = second.y() + other.height() <= first.y()
                left_of = second.x() + other.width() <= first.x() and second.y() < first.y() + one.height()
                if (above and second.x() <= first.x()) or left_of:
                    back.append(f"{_told(one)} → {_told(other)}")
            assert not back


def _told(widget: QWidget) -> str:
    return widget.accessibleName() or str(getattr(widget, "text", str)()) or type(widget).__name__


# -- what Return and F1 do --------------------------------------------------------------------------------------------


def test_return_makes_the_project_whichever_field_it_is_pressed_in(
    shown: Callable[[str], Any], qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[object] = []
    monkeypatch.setattr(NewProjectDialog, "choose_file", lambda *_: asked.append("a file"))
    dialog = shown("NewProjectDialog")
    agreed: list[int] = []
    dialog.finished.connect(agreed.append)
    qtbot.keyClicks(dialog.focusWidget(), "First steps")
    dialog.file.setText(str(tmp_path / "first.annotator"))
    for _ in range(3):  # over the button that chooses a file
        qtbot.keyClick(dialog.focusWidget(), Qt.Key.Key_Tab)
    assert dialog.focusWidget() is dialog.annotator
    qtbot.keyClick(dialog.annotator, Qt.Key.Key_Return)
    assert (agreed, asked) == ([QDialog.DialogCode.Accepted], [])


def test_a_fresh_account_is_offered_a_folder_that_is_there(
    window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[Path, str]] = []

    def answer(dialog: NewProjectDialog) -> int:
        dialog.name.setText("First steps")
        dialog.annotator.setText("Mei")
        seen.append((dialog.path().parent, dialog.problem.text()))
        return QDialog.DialogCode.Rejected

    monkeypatch.setattr(NewProjectDialog, "exec", answer)
    # The sample's folder is the application's, so it is no place for a project.
    monkeypatch.setattr(WindowState, "recent", lambda *_: (data_dir() / "sample" / "starter.annotator",))
    monkeypatch.setattr(QStandardPaths, "writableLocation", lambda *_: str(tmp_path / "Documents"))
    window.acts.new()
    (tmp_path / "Documents").mkdir()
    window.acts.new()
    assert seen == [(Path.home(), ""), (tmp_path / "Documents", "")]


def test_what_is_no_file_is_said_in_a_sentence(shown: Callable[[str], Any], subtests: pytest.Subtests) -> None:
    for typed, said in (
        ("/", "is a folder"),
        ("~nobody-of-this-name/x", "does not exist"),
        ("x" * 300, "can be created"),
        (".", "folder"),
    ):
        with subtests.test(f"{typed} {said}"):
            dialog = shown("NewProjectDialog")
            dialog.name.setText("First steps")
            dialog.file.setText(typed)
            assert said in dialog.problem.text() and not dialog.create_button.isEnabled()


def test_f1_opens_the_manual_over_a_dialog_at_its_place(
    shown: Callable[[str], Any], qtbot: QtBot, subtests: pytest.Subtests
) -> None:
    for name in [name for name in DIALOGS if name != "HelpWindow"]:
        with subtests.test(name):
            dialog = shown(name)
            qtbot.keyClick(dialog.focusWidget(), Qt.Key.Key_F1)
            opened = dialog.findChild(HelpWindow)
            assert opened is not None and opened.isVisible()
            pages = manual.load_manual()
            topic, _, anchor = opened.place.partition("#")
            assert anchor in {"", *(section.anchor for section in pages.topic(topic).sections)}
            wanted = PLACES[name].partition("#")[0]
            assert topic == wanted or any(place.partition("#")[0] == topic for place in PLACES.values())
            qtbot.keyClick(opened, Qt.Key.Key_Escape)
            assert not opened.isVisible() and dialog.isVisible()


def test_f1_works_in_qts_own_dialogs_and_follows_a_changed_key(window: MainWindow, qtbot: QtBot) -> None:
    asked = QInputDialog(window)
    try:
        asked.open()
        asked.activateWindow()
        qtbot.waitUntil(lambda: asked.focusWidget() is not None and asked.isActiveWindow())
        qtbot.keyClick(asked.focusWidget(), Qt.Key.Key_F1)
        opened = asked.findChild(HelpWindow)
        assert opened is not None and opened.place == "getting-started"
        opened.close()
        asked.close()
        window.actions_table.set_shortcuts({"help.manual": ("F2",)})
        asked.open()
        asked.activateWindow()
        qtbot.waitUntil(asked.isActiveWindow)
        QApplication.instance().focusChanged.emit(None, asked.focusWidget())
        qtbot.keyClick(asked.focusWidget(), Qt.Key.Key_F2)
        qtbot.waitUntil(opened.isVisible)
        opened.close()
    finally:
        asked.close()
        asked.deleteLater()


def test_a_window_begins_no_larger_than_the_screen(
    window: MainWindow, theme: Theme, qtbot: QtBot, tmp_path: Path
) -> None:
    made = MainWindow(theme, Settings(tmp_path / "other.json", {}))
    qtbot.addWidget(made)
    room = made.screen().availableGeometry()
    least = made.minimumSizeHint()
    assert made.width() <= max(room.width(), least.width()) and made.height() <= max(room.height(), least.height())


def test_a_long_title_of_a_job_does_not_widen_the_window(window: MainWindow, qtbot: QtBot) -> None:
    from threading import Event

    before = window.minimumSizeHint().width()
    over = Event()
    window.session.start_job("Proving " + "a long title " * 30, lambda _progress: over.wait(60))
    qtbot.waitUntil(window.status.job.isVisible)
    try:
        assert window.minimumSizeHint().width() <= max(before, 1280)
        assert window.status.job.label.full.startswith("Proving a long title")
    finally:
        over.set()
        qtbot.waitUntil(lambda: not window.session.jobs)


def test_a_number_in_a_dialog_has_room_for_its_digits(shown: Callable[[str], Any]) -> None:
    dialog = shown("AskDialog")
    assert dialog.count.lineEdit().width() > 40


def test_a_study_is_asked_for_whole_on_a_small_screen(shown: Callable[[str], Any]) -> None:
    # 1280 x 800 at 175 % are 731 x 457.
    assert shown("StudyDialog").minimumSizeHint().height() <= 457


def test_rows_of_buttons_wrap_at_twice_the_size(shown: Callable[[str], Any], theme: Theme) -> None:
    theme.set_scale(200)
    try:
        for name in ("HistoryDialog", "RecoveryDialog", "RewriteDialog"):
            least = shown(name).minimumSizeHint()
            assert least.width() <= 1280 and least.height() <= 800, f"{name}: {least}"
    finally:
        theme.set_scale(100)


def test_the_buttons_of_a_dialog_look_alike(shown: Callable[[str], Any]) -> None:
    for name in ("GateRulesDialog", "QuotaDialog"):
        assert [item.text() for item in shown(name).findChildren(QPushButton) if not item.icon().isNull()] == []
