"""The bar that shows errors: the message, details without secrets, and buttons to retry, report and dismiss."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAccessible, QAccessibleEvent, QGuiApplication
from PySide6.QtWidgets import QFrame, QLabel, QPlainTextEdit, QPushButton, QWidget

from annotator.base.errors import KnownError
from annotator.base.secrets import redact
from annotator.ui.app.session.session_notices import WorkFailure
from annotator.ui.app.translation import tr, tr_count
from annotator.ui.widgets.layouts import fill_column, make_row

_MAX_CAUSES = 3


def details_text(failure: WorkFailure) -> str:
    """Return the details and stack trace of a failure, with secrets removed."""
    parts = ["\n".join(failure.details), failure.traceback]
    return redact("\n\n".join(part for part in parts if part.strip()))


def failure_text(failure: WorkFailure) -> str:
    """Return the text to show at once: the message and, for a known error, its first causes."""
    lines = [failure.message]
    if isinstance(failure.error, KnownError):
        lines.extend(failure.details[:_MAX_CAUSES])
        more = len(failure.details) - _MAX_CAUSES
        if more > 0:
            lines.append(tr("and {more} more (see the details)", more=f"{more:,}"))
    return redact("\n".join(lines))


def _is_unexpected(failure: WorkFailure) -> bool:
    return failure.error is not None and not isinstance(failure.error, KnownError)


class ErrorBar(QFrame):
    """A bar that appears on a failure, stays until dismissed, and counts later failures.

    A failed save can be retried, and its text copied.
    """

    report_requested = Signal(object)
    """The `WorkFailure` of a bug that the user wants to report."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("error-bar")
        self.setAccessibleName(tr("Error"))
        self._failures: list[WorkFailure] = []
        self.message = QLabel()
        self.message.setObjectName("error-message")
        self.message.setWordWrap(True)
        self.message.setTextFormat(Qt.TextFormat.PlainText)
        self.message.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.details_button = self._make_button("details", tr("Show details"), self._toggle_details)
        self.copy_button = self._make_button("copy", tr("Copy details"), self._copy_details)
        self.retry_button = self._make_button("retry", tr("Save again"), self.retry)
        self.text_button = self._make_button("text", tr("Copy your text"), self._copy_text)
        self.report_button = self._make_button("report", tr("Report…"), self._report)
        self.dismiss_button = self._make_button("dismiss", tr("Dismiss"), self.dismiss)
        self.details = QPlainTextEdit()
        self.details.setObjectName("error-details")
        self.details.setAccessibleName(tr("Error details"))
        self.details.setReadOnly(True)
        self.details.setMaximumHeight(200)
        buttons = ((button, Qt.AlignmentFlag.AlignTop) for button in self.buttons())
        row = make_row((self.message, 1), *buttons)
        fill_column(self, row, self.details, margin=(12, 8, 12, 8))
        self._show_details(False)
        self.hide()

    def _make_button(self, name: str, text: str, clicked: Callable[[], object]) -> QPushButton:
        button = QPushButton(text)
        button.setObjectName(f"error-{name}-button")
        button.clicked.connect(clicked)
        return button

    def buttons(self) -> tuple[QPushButton, ...]:
        """The bar's buttons, in order."""
        return (
            self.retry_button, self.text_button, self.report_button, self.details_button, self.copy_button,
            self.dismiss_button,
        )  # fmt: skip

    @property
    def failures(self) -> tuple[WorkFailure, ...]:
        """The failures since the bar was last dismissed, oldest first."""
        return tuple(self._failures)

    def show_failure(self, failure: WorkFailure) -> None:
        """Show a failure; earlier ones stay in the details, and the same error is shown only once."""
        if failure.error is not None and any(earlier.error is failure.error for earlier in self._failures):
            return
        self._failures.append(failure)
        earlier_count = len(self._failures) - 1
        note = ""
        if earlier_count:
            note = "\n" + tr_count(
                "{count} earlier error is in the details.", "{count} earlier errors are in the details.", earlier_count
            )
        prefix = tr("Not saved. ") if failure.retry is not None else ""
        self.message.setText(f"⚠ {prefix}{failure_text(failure)}{note}")
        self.retry_button.setVisible(any(item.retry is not None for item in self._failures))
        self.text_button.setVisible(any(item.text for item in self._failures))
        self.report_button.setVisible(_is_unexpected(failure))
        newest_first = reversed(self._failures)
        self.details.setPlainText(
            "\n\n".join(f"{redact(item.message)}\n\n{details_text(item)}" for item in newest_first)
        )
        self.show()
        QAccessible.updateAccessibility(QAccessibleEvent(self.message, QAccessible.Event.Alert))

    def dismiss(self) -> None:
        """Hide the bar and clear its failures."""
        self._failures.clear()
        self._show_details(False)
        self.details.clear()
        self.hide()

    def retry(self) -> None:
        """Retry the failed saves, oldest first; those that fail again are shown again."""
        retries = [item.retry for item in self._failures if item.retry is not None]
        self.dismiss()
        for retry in retries:
            retry()

    def _copy_text(self) -> None:
        texts = [item.text for item in self._failures if item.text]
        QGuiApplication.clipboard().setText("\n\n".join(texts))

    def _report(self) -> None:
        for failure in reversed(self._failures):
            if _is_unexpected(failure):
                self.report_requested.emit(failure)
                return

    def _toggle_details(self) -> None:
        self._show_details(not self.details.isVisibleTo(self))

    def _show_details(self, is_shown: bool) -> None:
        self.details.setVisible(is_shown)
        self.copy_button.setVisible(is_shown)
        self.details_button.setText(tr("Hide details") if is_shown else tr("Show details"))

    def _copy_details(self) -> None:
        QGuiApplication.clipboard().setText(self.details.toPlainText())
