"""Text fields that pass dropped files on to their parent instead of inserting the path."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QMimeData
from PySide6.QtGui import QDragEnterEvent
from PySide6.QtWidgets import QLineEdit, QPlainTextEdit


def dropped_files(data: QMimeData) -> list[Path]:
    """Return the dragged files and folders."""
    return [Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile()]


class TextLine(QLineEdit):
    """A line edit that accepts dropped text but no files."""

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Accept text, but no files."""
        if dropped_files(event.mimeData()):
            event.ignore()
        else:
            super().dragEnterEvent(event)


class TextBox(QPlainTextEdit):
    """A multi-line text edit that accepts dropped text but no files."""

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        """Accept text, but no files."""
        return not dropped_files(source) and super().canInsertFromMimeData(source)
