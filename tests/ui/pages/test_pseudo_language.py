"""In a disguised language every text that is shown is in brackets, or it is data: what is not translated shows."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAccessible, QAction
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QDialog,
    QHeaderView,
    QInputDialog,
    QLabel,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QTabBar,
    QTextEdit,
    QWidget,
)
from pytestqt.qtbot import QtBot

from annotator.base.errors import KnownError
from annotator.services.program import manual
from annotator.ui.app.help.help_windows import HelpWindow
from annotator.ui.app.main_window import MainWindow
from annotator.ui.app.session.session_notices import failure_of
from annotator.ui.care.backups_and_recovery import RecoveryDialog
from annotator.ui.care.crash_dialog import CrashDialog
from annotator.ui.pages.page_registry import PAGES
from annotator.ui.widgets.labels import ElidedLabel, Segments
from tests.ui.pseudo_language import PseudoCatalogue
from tests.windows import open_store, settle

Shown = tuple[str, str]
"""Where a text stands, and the text."""

DATA = (ElidedLabel,)
"""Widgets that show nothing but names and values of a subject."""
DATA_LABELS = frozenset({"datasheet-facts", "error-sentence", "error-labels", "request-facts", "licence"})
"""By object name: what a service says of the data at hand, errors, labels people made, facts of a request, licences."""
NAMES = frozenset(
    """Annotator YAML JSON CSV LaTeX Markdown SVG PDF PNG HTML Stack Exchange GitHub Qt Python English 简体中文 Ctrl Alt
    Shift Return Up Down Left Right Del Esc Space Tab Home End PgUp PgDown Jaccard Levenshtein rougeLsum rougeL rouge1
    rouge2 replay local anthropic google openai USD MB Spearman SE std""".split()  # noqa: SIM905 - a row of words
)
_BRACKETED = re.compile(r"\[[^\[\]]*·+\]")
_WORD = re.compile(r"[^\W\d_]{2,}")
_BETWEEN = re.compile(r" · |, |: |; |\n|  +|[()&/▸✓✗☐☑…]")


@pytest.fixture(autouse=True)
def disguised(qapp: QApplication) -> Iterator[None]:
    """The disguised language, from before the window is made."""
    catalogue = PseudoCatalogue()
    qapp.installTranslator(catalogue)
    yield
    qapp.removeTranslator(catalogue)


def _data(window: MainWindow) -> set[str]:
    """Every value of the project's narrow columns: names of subjects, people, models, files, versions."""
    found: set[str] = set()
    store = open_store(window)
    with sqlite3.connect(store.path) as db:
        tables = [row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for table in tables:
            if table.endswith(("_fts", "_text", "_data", "_idx", "_content", "_docsize", "_config")):
                continue
            for row in db.execute(f'SELECT * FROM "{table}" LIMIT 400'):
                found.update(value for value in row if isinstance(value, str) and len(value) < 300)
    return found


def _texts_of(item: QObject) -> Iterator[str]:
    """Every text an object shows or tells a screen reader."""
    if isinstance(item, QAction):
        yield from (item.text().partition("\t")[0], item.toolTip())
        return
    if not isinstance(item, QWidget):
        return
    yield from (item.toolTip(), item.accessibleName(), item.accessibleDescription())
    if isinstance(item, QComboBox) and item.objectName() == "fileTypeCombo":
        # Qt cuts the one text of all name filters at these signs.
        yield ";;".join(item.itemText(at) for at in range(item.count()))
        return
    if (isinstance(item, QLabel) and item.textFormat() is not Qt.TextFormat.RichText) or isinstance(
        item, QAbstractButton
    ):
        yield item.text()
    elif isinstance(item, QComboBox):
        yield from (item.itemText(at) for at in range(item.count()))
    elif isinstance(item, QTabBar):
        yield from (item.tabText(at) for at in range(item.count()))
    elif isinstance(item, (QLineEdit, QPlainTextEdit, QTextEdit)):
        yield item.placeholderText()
    elif isinstance(item, QMenu):
        yield item.title()
    elif isinstance(item, QHeaderView) and item.model() is not None and item.orientation() is Qt.Orientation.Horizontal:
        yield from (str(item.model().headerData(at, item.orientation()) or "") for at in range(item.count()))
    elif item.isWindow():
        yield item.windowTitle()
    interface = QAccessible.queryAccessibleInterface(item)
    if interface is not None:
        yield interface.text(QAccessible.Text.Name)
        yield interface.text(QAccessible.Text.Description)


def _is_data(item: QObject) -> bool:
    above: QObject | None = item
    while above is not None:
        if isinstance(above, DATA) or above.objectName() in DATA_LABELS:
            return True
        above = above.parent()
    return bool(item.property("data"))


def _left(text: str, data: set[str]) -> str:
    """What of a text is neither in brackets nor data."""
    while _BRACKETED.search(text):
        text = _BRACKETED.sub("", text)
    if text in data or not _WORD.search(text) or _is_name(text):
        return ""
    pieces = [piece.strip(" .“”'\"|!?⚠◷") for piece in _BETWEEN.split(text)]
    odd = [piece for piece in pieces if _WORD.search(piece) and piece not in data and not _is_name(piece)]
    return " | ".join(odd)


def _is_name(piece: str) -> bool:
    return all(word in NAMES for word in _WORD.findall(piece)) or bool(
        re.fullmatch(r"\S*[/._\\]\S*|[0-9a-f-]{7,}…?|\S+://\S+|model:\S+", piece)
    )


def bare(root: QWidget, data: set[str]) -> list[Shown]:
    """What of everything below a widget is shown and not translated."""
    found: dict[Shown, None] = {}
    for item in (root, *root.findChildren(QObject)):
        if _is_data(item) or item.objectName().startswith("qt_"):
            continue
        for text in _texts_of(item):
            left = _left(text, data)
            if left:
                parent = item.parent()
                where = f"{type(item).__name__} {item.objectName()} in {type(parent).__name__}"
                found[where, text] = None
    return list(found)


def _is_enabled(window: MainWindow, action: str) -> bool:
    return action in window.actions_table.enabled_ids()


def _has_caught_more(caught: Caught, before: int) -> bool:
    return caught.count > before


def _show(window: MainWindow, qtbot: QtBot, name: str) -> None:
    window.show_page(name)
    qtbot.waitUntil(lambda: window.pages.current_name == name and window.pages.page(name) is not None)
    settle(window, qtbot)


def _none(left: list[Shown]) -> None:
    assert not left, "not translated:\n" + "\n".join(f"{where}: {text!r}" for where, text in dict.fromkeys(left))


class Caught:
    """Catches every dialog and question, looks at what it shows, and turns it down."""

    def __init__(self, patch: pytest.MonkeyPatch, qtbot: QtBot, window: MainWindow, data: set[str]) -> None:
        self.left: list[Shown] = []
        self.count = 0
        self._qtbot = qtbot
        self._window = window
        self._data = data

        def look(dialog: QDialog) -> int:
            return self._look(dialog)

        # Functions, so that they are bound to the dialog.
        patch.setattr(QDialog, "exec", look)
        patch.setattr(QDialog, "open", look)
        for name in ("getText", "getItem"):
            patch.setattr(QInputDialog, name, self._asked)

    def _look(self, dialog: QDialog) -> int:
        dialog.show()
        settle(self._window, self._qtbot)
        self.left += bare(dialog, self._data)
        dialog.close()
        self.count += 1
        return 0

    def _asked(self, _parent: object, *told: object, **_more: object) -> object:
        offered = [word for item in told if isinstance(item, list) for word in item]
        for text in (*told, *offered):
            # A folder or file to begin with is a path.
            if isinstance(text, str) and "/" not in text[:1] and _left(text, self._data):
                self.left.append(("question", text))
        self.count += 1
        return "", False


ASKING = {
    "Sources": (
        "edit.history", "file.backups", "edit.settings", "help.keys", "help.about", "file.new", "file.open",
        "file.server",
    ),
    "Select": ("select.reject_why", "select.quotas", "select.compare", "select.give"),
    "Prompt": ("subject.drafts", "prompt.rewrite"),
    "Criterion": ("subject.drafts",),
    "Judge": ("judge.new",),
    "Consensus": ("consensus.panel", "packet.export", "packet.import"),
    "Release": (
        "release.changes", "release.gates", "release.datasheet", "release.privacy", "release.sources", "release.export",
    ),
    "Runs": ("runs.setup", "runs.replay"),
}  # fmt: skip
"""By page: the actions that open a dialog or ask a question there, or anywhere."""


def _look_at_page(window: MainWindow, qtbot: QtBot, caught: Caught, data: set[str], name: str) -> None:
    _show(window, qtbot, name)
    page = window.pages.page(name)
    assert page is not None
    left = [text for part in (page, window.menuBar(), window.sidebar, window.status) for text in bare(part, data)]
    caught.left.clear()
    for action in ASKING.get(name, ()):
        qtbot.waitUntil(partial(_is_enabled, window, action))
        before = caught.count
        window.actions_table.trigger(action)
        qtbot.waitUntil(partial(_has_caught_more, caught, before))
        settle(window, qtbot)
    # Panels are built when they are first looked at, so there are more faces after a round.
    seen: set[Segments] = set()
    while faces := [face for face in page.findChildren(Segments) if face not in seen]:
        for face in faces:
            seen.add(face)
            for number in range(len(face.findChildren(QAbstractButton))):
                face.choose(number)
                settle(window, qtbot)
                left += bare(page, data)
    _none(left + caught.left)


# A file dialog takes the dots of the disguise for a part of a name filter.
@pytest.mark.qt_log_ignore("invalid QRegularExpression", "This plugin does not support", extend=True)
def test_every_text_of_a_page_and_its_dialogs_is_translated(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests
) -> None:
    data = _data(window)
    caught = Caught(monkeypatch, qtbot, window, data)
    for item in PAGES:
        with subtests.test(item.name):
            _look_at_page(window, qtbot, caught, data, item.name)


def test_every_text_of_the_frame_is_translated(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    _show(window, qtbot, "Sources")
    data = _data(window)
    window.tour.start()
    window.error_bar.show_failure(failure_of(KnownError("[···]")))
    window.error_bar.show_failure(failure_of(KnownError("[·····]")))
    window.open_palette()
    left = bare(window, data)
    window.palette_popup.hide()
    for dialog in (
        CrashDialog(window, ValueError("[···]"), {}),
        RecoveryDialog(window, window.session, tmp_path / "gone.annotator", "[···]"),
        HelpWindow(manual.load_manual(), window.theme, dict, window),
    ):
        dialog.show()
        settle(window, qtbot)
        left += [item for item in bare(dialog, data) if not isinstance(dialog, HelpWindow) or "Window" in item[0]]
        dialog.close()
        dialog.deleteLater()
    _none(left)


def test_nothing_without_brackets_passes() -> None:
    assert _left("Save it", set()) and _left("[Šåvé···] and more", set()) and _left("Save", {"name"})
    assert (
        not _left("[Šåvé···]  Ctrl+S", set())
        and not _left("[{a [ïñ···]··] · name", {"name"})
        and not _left("12 %", set())
    )
