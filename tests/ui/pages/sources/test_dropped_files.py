"""Files that are dropped on the window, wherever it takes them."""

from __future__ import annotations

import json
import shutil
import tarfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QWidget

from tests.windows import Wait, open_page

if TYPE_CHECKING:
    from annotator.ui.app.main_window import MainWindow


def _drop(target: QWidget, paths: Sequence[Path]) -> bool:
    """Drag files onto a widget and let go; returns whether it, or what it is in, took them."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    place, copy = target.rect().center(), Qt.DropAction.CopyAction
    keys, left = Qt.KeyboardModifier.NoModifier, Qt.MouseButton.LeftButton
    over = QDragEnterEvent(QPoint(place), copy, data, left, keys)
    QApplication.sendEvent(target, over)
    if over.isAccepted():
        QApplication.sendEvent(target, QDropEvent(QPointF(place), copy, data, left, keys))
    return over.isAccepted()


def _rows(folder: Path, name: str = "rows.jsonl") -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(json.dumps({"id": name, "prompt": "What is a set?"}) + "\n")
    return path


def _page(window: MainWindow) -> Any:
    return window.pages.page("Sources")


@pytest.mark.parametrize("name", ["Sources", "Select", "Judge", "Results"])
def test_a_file_dropped_on_any_page_is_shown_before_it_is_imported(
    window: MainWindow, wait: Wait, tmp_path: Path, name: str
) -> None:
    page = open_page(window, name)
    assert _drop(page, [_rows(tmp_path)])
    wait(lambda: window.pages.current_name == "Sources" and _page(window).preview.isVisible())
    _page(window).preview.accepted.emit()
    wait(lambda: "1 added" in _page(window).report.text())


def test_several_files_and_a_folder_are_taken_together(window: MainWindow, wait: Wait, tmp_path: Path) -> None:
    window.show_page("Sources")
    folder = tmp_path / "folder"
    _rows(folder, "three.jsonl")
    assert _drop(_page(window), [_rows(tmp_path, "one.jsonl"), _rows(tmp_path, "two.jsonl"), folder])
    wait(lambda: _page(window).preview.isVisible())
    _page(window).preview.accepted.emit()
    wait(lambda: "3 added" in _page(window).report.text())


def test_what_cannot_be_imported_says_what_it_is(window: MainWindow, wait: Wait, tmp_path: Path) -> None:
    page = open_page(window, "Select")
    picture, archive = tmp_path / "picture.png", tmp_path / "code.tar.gz"
    picture.write_bytes(b"\x89PNG\r\n\x1a\n\x00\xff")
    with tarfile.open(archive, "w:gz") as made:
        made.add(picture, "picture.png")
    assert _drop(page, [picture])
    wait(lambda: "picture.png is of the kind image." in _page(window).report.text())
    assert _drop(_page(window), [archive])
    wait(lambda: "code.tar.gz is an archive." in _page(window).report.text())


def test_without_a_project_files_wait_for_one_and_a_project_is_opened(
    window: MainWindow, wait: Wait, tmp_path: Path
) -> None:
    other = tmp_path / "other.annotator"
    window.acts.close_project()
    wait(window.welcome.isVisible)
    shutil.copy(tmp_path / "starter.annotator", other)
    assert _drop(window.welcome, [_rows(tmp_path)])
    assert "project first" in window.error_bar.message.text()
    assert _drop(window.welcome, [other])
    wait(lambda: window.session.store is not None and window.session.store.path == other)


def test_what_is_no_file_is_not_taken(window: MainWindow) -> None:
    data = QMimeData()
    data.setText("a sentence")
    over = QDragEnterEvent(
        QPoint(5, 5), Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    )
    QApplication.sendEvent(window, over)
    assert not over.isAccepted()


def _field_drop(target: QWidget, path: Path) -> None:
    """Drag a file as file managers do, with its address as text."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    data.setText(path.as_uri())
    place, copy = target.rect().center(), Qt.DropAction.CopyAction
    keys, left = Qt.KeyboardModifier.NoModifier, Qt.MouseButton.LeftButton
    QApplication.sendEvent(target, QDragEnterEvent(QPoint(place), copy, data, left, keys))
    QApplication.sendEvent(target, QDropEvent(QPointF(place), copy, data, left, keys))


def _drop_on_a_field(window: MainWindow, wait: Wait, tmp_path: Path, name: str) -> None:
    page = open_page(window, name)
    field = page.mapping if name == "Sources" else page.panes.editor
    if name == "Prompt":
        wait(lambda: page.view is not None)
    before = field.text() if name == "Sources" else field.toPlainText()
    target = field if name == "Sources" else field.viewport()
    _field_drop(target, _rows(tmp_path))
    assert (field.text() if name == "Sources" else field.toPlainText()) == before
    wait(lambda: window.pages.current_name == "Sources" and _page(window).preview.isVisible())


def test_a_file_dropped_on_a_field_is_not_typed_into_it(
    window: MainWindow, wait: Wait, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    for name in ("Sources", "Prompt"):
        with subtests.test(name):
            _drop_on_a_field(window, wait, tmp_path, name)
