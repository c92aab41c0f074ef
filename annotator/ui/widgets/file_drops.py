"""Fields that leave files to what they are in: a file that is dropped on a text is not meant to be typed."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QMimeData
from PySide6.QtGui import QDragEnterEvent
from PySide6.QtWidgets import QLineEdit, QPlainTextEdit


def dropped_files(data: QMimeData) -> list[Path]:
    """Return the files and folders that are dragged."""
    return [Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile()]


class TextLine(QLineEdit):
    """A line to type in."""

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Take words, and no files."""
        if dropped_files(event.mimeData()):
            event.ignore()
        else:
            super().dragEnterEvent(event)


class TextBox(QPlainTextEdit):
    """A text of several lines to type in."""

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        """Take words, and no files."""
        return not dropped_files(source) and super().canInsertFromMimeData(source)
