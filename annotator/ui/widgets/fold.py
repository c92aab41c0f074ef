"""A panel in a splitter that folds to its title bar."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QApplication, QBoxLayout, QSizePolicy, QSplitter, QVBoxLayout, QWidget

from annotator.ui.app.theme.look import Theme
from annotator.ui.app.translation import tr
from annotator.ui.widgets.labels import button
from annotator.ui.widgets.layouts import arrange

_UNBOUNDED = 16_777_215
_PADDING = 12
_LEVELS = 2
_FOLD, _UNFOLD = "▾", "▸"


class TitleBar(QAbstractButton):
    """What is left of a folded panel: its title, written upwards where panels stand side by side."""

    def __init__(self, theme: Theme, title: str) -> None:
        """Show a title; pressing the bar unfolds the panel."""
        super().__init__()
        self._theme = theme
        self.upright = False
        self.setText(f"{_UNFOLD} {title}")
        self.setAccessibleName(tr("Unfold {panel}", panel=title))
        self.setToolTip(self.accessibleName())
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    @property
    def thickness(self) -> int:
        """The pixels that the bar needs across its text."""
        return self.fontMetrics().height() + 2 * _PADDING

    def sizeHint(self) -> QSize:
        """Ask for room for the title."""
        size = QSize(self.fontMetrics().horizontalAdvance(self.text()) + 2 * _PADDING, self.thickness)
        return size.transposed() if self.upright else size

    def minimumSizeHint(self) -> QSize:
        """Ask for room for the bar alone; a title that is too long is cut."""
        return QSize(self.thickness, self.thickness)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw a card with the title in it."""
        tokens = self._theme.tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QColor(tokens.accent if self.hasFocus() or self.underMouse() else tokens.line))
        painter.setBrush(QColor(tokens.panel))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 8, 8)
        painter.setPen(QColor(tokens.text))
        length = self.height() if self.upright else self.width()
        if self.upright:
            painter.translate(self.width(), 0)
            painter.rotate(90)
        room = QRectF(_PADDING, 0, length - 2 * _PADDING, self.thickness)
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, self.text())


class Fold(QWidget):
    """A panel of a splitter and the title bar that takes its place; ``name`` tells it from others when it is kept."""

    folded_changed = Signal()

    def __init__(self, theme: Theme, name: str, title: str, inner: QWidget, head: QBoxLayout) -> None:
        """Show the panel; the button that folds it stands at the end of ``head``, a row of its own."""
        super().__init__()
        self.setObjectName(f"fold-{name}")
        self.name, self.title, self.inner = name, title, inner
        self.folded = False
        self._height = 0
        self._lengths: list[int] = []
        self.bar = TitleBar(theme, title)
        self.bar.clicked.connect(self._unfold)
        self.button = button(_FOLD, tip=tr("Fold {panel}", panel=title), clicked=self._fold)
        self.button.setAccessibleName(tr("Fold {panel}", panel=title))
        self.button.setProperty("role", "flat")
        head.addWidget(self.button)
        self.bar.hide()
        arrange(QVBoxLayout(self), (inner, 1), (self.bar, 1))
        theme.changed.connect(self.fit)

    def set_folded(self, folded: bool) -> None:
        """Fold to the title bar, or show the panel again in the room that it had."""
        if folded == self.folded:
            return
        focus = QApplication.focusWidget()
        had_focus = focus is not None and self.isAncestorOf(focus)
        if folded:
            self._lengths = [_length(part, splitter) for part, splitter in self._places()]
        self.folded = folded
        self.inner.setHidden(folded)
        self.bar.setHidden(not folded)
        splitter = self.parentWidget()
        for fold in folds_in(splitter) if isinstance(splitter, QSplitter) else [self]:
            fold.fit()
        if not folded:
            for (part, around), length in zip(self._places(), self._lengths, strict=False):
                _take_room(part, around, length)
        if had_focus:
            (self.bar if folded else self.button).setFocus()
        self.folded_changed.emit()

    def set_foldable(self, foldable: bool) -> None:
        """Let the panel be folded; where it is a tab among others it cannot be, and is shown."""
        if not foldable:
            self.set_folded(False)
        self.button.setVisible(foldable)

    def set_least_height(self, pixels: int) -> None:
        """Ask for so much room from top to bottom while the panel is shown."""
        self._height = pixels
        self.fit()

    def event(self, event: QEvent) -> bool:
        """Ask again for room when the panel needs more or less of it."""
        done = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest and self._height:
            self.fit()
        return done

    def fit(self) -> None:
        """Take the room that the bar needs in the direction of the splitter, or as much as there is.

        Where all panels of a splitter are folded, their bars lie across, so that the others get the splitter's room.
        """
        splitter = self.parentWidget()
        across = False
        if isinstance(splitter, QSplitter):
            across = splitter.orientation() == Qt.Orientation.Horizontal
            if len(self._places()) > 1 and all(fold.folded for fold in folds_in(splitter)):
                across = not across
        self.bar.upright = across
        thickness = self.bar.thickness
        self.setMaximumSize(
            thickness if self.folded and across else _UNBOUNDED,
            thickness if self.folded and not across else _UNBOUNDED,
        )
        needed = max(self._height, self.inner.minimumSizeHint().height()) if self._height else 0
        self.setMinimumHeight(0 if self.folded else needed)
        self.bar.updateGeometry()

    def _places(self) -> list[tuple[QWidget, QSplitter]]:
        """Return the panel with its splitter, and that with the splitter around it."""
        found: list[tuple[QWidget, QSplitter]] = []
        part: QWidget = self
        while isinstance(around := part.parentWidget(), QSplitter) and len(found) < _LEVELS:
            found.append((part, around))
            part = around
        return found

    def _fold(self, _checked: bool = False) -> None:
        self.set_folded(True)

    def _unfold(self, _checked: bool = False) -> None:
        self.set_folded(False)


def folds_in(splitter: QSplitter) -> list[Fold]:
    """Return the panels that stand in a splitter."""
    return splitter.findChildren(Fold, options=Qt.FindChildOption.FindDirectChildrenOnly)


def _length(part: QWidget, splitter: QSplitter) -> int:
    return part.width() if splitter.orientation() == Qt.Orientation.Horizontal else part.height()


def _take_room(part: QWidget, splitter: QSplitter, length: int) -> None:
    """Give a part of a splitter the length that it had, from the largest of the others."""
    sizes, place = splitter.sizes(), splitter.indexOf(part)
    others = [number for number in range(len(sizes)) if number != place]
    wanted = length - sizes[place]
    if others and wanted > 0:
        largest = max(others, key=sizes.__getitem__)
        sizes[place] += wanted
        sizes[largest] = max(0, sizes[largest] - wanted)
        splitter.setSizes(sizes)
