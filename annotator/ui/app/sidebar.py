"""The sidebar: the list of pages in workflow order, each with the number of items waiting there."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QEnterEvent, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QButtonGroup, QVBoxLayout, QWidget

from annotator.model.rows.queue_rows import StageCounts
from annotator.ui.app.theme.look import Theme
from annotator.ui.app.translation import tr, translate_word
from annotator.ui.pages.page_registry import PAGES, PageEntry

_WIDEST_COUNT = "9,999+"
"""The widest text of a count; the column has this width, so that nothing moves when counts change."""
_MAX_COUNT_SHOWN = 9_999


def waiting_counts(counts: StageCounts) -> dict[str, int]:
    """Return the number of waiting items per page: subjects, bugs, pairs, disagreements, or running runs."""
    return {
        "Select": counts.open,
        "Prompt": counts.without_prompt,
        "Criterion": counts.accepted - counts.proven,
        "Bugs": counts.to_review,
        "Judge": counts.to_judge,
        "Consensus": counts.to_settle,
        "Release": counts.to_release,
        "Runs": counts.running,
    }


def count_text(name: str, count: int) -> str:
    """Return a waiting count as text: empty for 0, with an arrow for runs, and capped."""
    if count <= 0:
        return ""
    if name == "Runs":
        return f"{count} ▸"
    return f"{count:,}" if count <= _MAX_COUNT_SHOWN else f"{_MAX_COUNT_SHOWN:,}+"


class SidebarButton(QAbstractButton):
    """One page's row: its name on the left, and the waiting count on the right in a column of fixed width."""

    def __init__(self, entry: PageEntry, theme: Theme, key: str) -> None:
        """Build the row; ``key`` is the page's shortcut, shown in the tool tip."""
        super().__init__()
        self._theme = theme
        self._name = entry.name
        self._count = 0
        self._is_hovered = False
        self.setText(translate_word(entry.name))
        self.setObjectName(f"sidebar-{entry.name.lower()}")
        self.setCheckable(True)
        self._help = translate_word(entry.help)
        self.set_key(key)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.set_count(0)

    def set_key(self, key: str) -> None:
        """Show the page's key, if it has one, in the tool tip."""
        self.setToolTip(f"{self._help}  {key}" if key else self._help)

    @property
    def page(self) -> str:
        """The untranslated name of the page."""
        return self._name

    @property
    def count(self) -> int:
        """The number of items waiting on the page."""
        return self._count

    def set_count(self, count: int) -> None:
        """Show another count; the row keeps its size."""
        self._count = count
        unit = tr("running") if self._name == "Runs" else tr("waiting")
        self.setAccessibleName(f"{self.text()}, {count:,} {unit}" if count else self.text())
        self.update()

    def sizeHint(self) -> QSize:
        """Return a size for the longest name and count, so that nothing moves when counts change."""
        metrics = QFontMetrics(self.font())
        name_width = max(metrics.horizontalAdvance(translate_word(item.name)) for item in PAGES)
        text_width = name_width + metrics.horizontalAdvance(_WIDEST_COUNT)
        width = text_width + 24 if self._theme.is_cramped else max(160, text_width + 56)
        return QSize(width, max(32, metrics.height() + 14))

    def minimumSizeHint(self) -> QSize:
        """Return `sizeHint`, so that a row is never squeezed."""
        return self.sizeHint()

    def enterEvent(self, event: QEnterEvent) -> None:
        """Turn the hover highlight on."""
        self._is_hovered = True
        self.update()
        super().enterEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        """Turn the hover highlight off."""
        self._is_hovered = False
        self.update()
        super().leaveEvent(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the row from the theme's colours."""
        tokens = self._theme.tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        area = self.rect().adjusted(1, 1, -1, -1)
        if self.isChecked() or self._is_hovered:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(tokens.selection if self.isChecked() else tokens.panel))
            painter.drawRoundedRect(area, 6, 6)
        if self.hasFocus():
            painter.setPen(QColor(tokens.accent))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(area, 6, 6)
        if not self.isEnabled():
            painter.setOpacity(0.5)
        painter.setPen(QColor(tokens.accent if self.isChecked() else tokens.text))
        margin = 7 if self._theme.is_cramped else 14
        inner = QRect(area).adjusted(margin, 0, -margin, 0)
        painter.drawText(inner, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, self.text())
        painter.setPen(QColor(tokens.dim))
        count = count_text(self._name, self._count)
        painter.drawText(inner, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, count)


class Sidebar(QWidget):
    """The rows of all ten pages; Up and Down move between them."""

    page_chosen = Signal(object)
    """The name of the clicked page."""

    def __init__(self, theme: Theme, keys: dict[str, str]) -> None:
        """Build the rows; ``keys`` maps a page's name to its key in the platform's notation."""
        super().__init__()
        self.setObjectName("sidebar")
        self.setAccessibleName(tr("Pages"))
        self._buttons: dict[str, SidebarButton] = {}
        self._group = QButtonGroup(self)
        self._group.setExclusive(True)
        self._theme = theme
        self._rows = layout = QVBoxLayout(self)
        layout.setSpacing(2)
        for item in PAGES:
            button = SidebarButton(item, theme, keys.get(item.name, ""))
            self._buttons[item.name] = button
            self._group.addButton(button)
            layout.addWidget(button)
        layout.addStretch(1)
        self._group.buttonClicked.connect(self._clicked)
        theme.changed.connect(self._fit)
        self._fit()

    def _fit(self) -> None:
        margin = 2 if self._theme.is_cramped else 6
        self._rows.setContentsMargins(margin, 8, margin, 8)
        for button in self._buttons.values():
            button.updateGeometry()
            button.update()

    def set_current(self, name: str) -> None:
        """Check the row of the current page."""
        self._buttons[name].setChecked(True)

    def current(self) -> str:
        """Return the name of the checked row's page, or an empty text."""
        button = self._group.checkedButton()
        return button.page if isinstance(button, SidebarButton) else ""

    def set_counts(self, counts: StageCounts | None) -> None:
        """Show the waiting counts; None clears them."""
        waiting_by_page = waiting_counts(counts) if counts is not None else {}
        for name, button in self._buttons.items():
            button.set_count(waiting_by_page.get(name, 0))

    def button(self, name: str) -> SidebarButton:
        """Return a page's row."""
        return self._buttons[name]

    def _clicked(self, button: QAbstractButton) -> None:
        if isinstance(button, SidebarButton):
            self.page_chosen.emit(button.page)
