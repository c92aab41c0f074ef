"""The theme: colour tokens, palette and stylesheet, following the system's light or dark mode."""

from __future__ import annotations

from PySide6.QtCore import QObject, QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontDatabase,
    QFontInfo,
    QGuiApplication,
    QIcon,
    QIconEngine,
    QPainter,
    QPalette,
    QPixmap,
)
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QApplication, QWidget

from annotator.base.resources import resource_path
from annotator.ui.app.theme.stylesheet import DARK, LIGHT, Tokens, stylesheet

PREFIX = "ph."


def load_icon(name: str, colour: str) -> QIcon:
    """Return an icon (``ph.`` and its name in the set) in a colour. Raises KeyError for an unknown name."""
    file = resource_path("icons", "phosphor") / f"{name.removeprefix(PREFIX)}.svg"
    if not file.is_file():
        raise KeyError(name)
    return QIcon(_SvgIcon(file.read_text(encoding="utf-8"), colour))


class _SvgIcon(QIconEngine):
    """Draws one icon at any size; a disabled icon gets the palette's colour of disabled text."""

    def __init__(self, svg: str, colour: str) -> None:
        super().__init__()
        self._svg = svg
        self._colour = colour

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        del state
        colour = self._colour
        if mode == QIcon.Mode.Disabled:
            colour = QGuiApplication.palette().color(QPalette.ColorGroup.Disabled, QPalette.ColorRole.Text).name()
        QSvgRenderer(self._svg.replace("currentColor", colour).encode()).render(painter, QRectF(rect))

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        picture = QPixmap(size)
        picture.fill(Qt.GlobalColor.transparent)
        painter = QPainter(picture)
        self.paint(painter, QRect(QPoint(0, 0), size), mode, state)
        painter.end()
        return picture

    def clone(self) -> QIconEngine:
        return _SvgIcon(self._svg, self._colour)


STYLE = "Fusion"
STYLED = "styled"
"""A property of an application that was started in our style; asking it for its style would load the class QStyle."""
_FONT_POINTS = 10.0
_CRAMPED_WIDTH = 960
"""The window width, scaled with the text, below which pages leave out optional parts."""
_USUAL_WIDTH = 1280
_CODE_FAMILIES = ("JetBrains Mono", "Cascadia Mono", "SF Mono", "Menlo", "Consolas", "DejaVu Sans Mono")


class Theme(QObject):
    """Applies a look to the application, and notifies self-painting widgets when it changes."""

    changed = Signal()
    _sheet_changed = Signal(str)

    def __init__(self, app: QApplication, mode: str = "system", scale: int = 100) -> None:
        """Apply the look at once; ``scale`` is the text size in percent."""
        super().__init__(app)
        self._app = app
        self._mode = mode
        self._scale = _clamp_scale(scale)
        self._width = _USUAL_WIDTH
        self._code_family: str | None = None
        self.tokens = LIGHT
        if not app.property(STYLED):
            app.setStyle(STYLE)
        app.styleHints().colorSchemeChanged.connect(self._system_changed)
        self._apply()

    def style_window(self, window: QWidget) -> None:
        """Apply the stylesheet to a window and its dialogs, now and on every change.

        An application-wide stylesheet would be re-applied to a widget each time one of its ancestors is reparented:
        seven times per widget, two thirds of the time to build a page. Widgets outside a window have no stylesheet, so
        each is styled once.
        """
        window.setStyleSheet(stylesheet(self.tokens, self._scale))
        self._sheet_changed.connect(window.setStyleSheet)

    @property
    def is_dark(self) -> bool:
        """Whether the dark look is shown."""
        return self.tokens is DARK

    def set_mode(self, mode: str) -> None:
        """Show "light" or "dark", or follow the "system"."""
        self._mode = mode
        self._apply()

    def set_scale(self, percent: int) -> None:
        """Set the size of all text in percent of the default."""
        self._scale = _clamp_scale(percent)
        self._apply()

    @property
    def is_cramped(self) -> bool:
        """Whether the window is too narrow for its text size to show keys and optional actions."""
        return self._width < self.pixels(_CRAMPED_WIDTH)

    @property
    def window_width(self) -> int:
        """The width of the window."""
        return self._width

    def set_width(self, width: int) -> None:
        """Set the width of the window; `changed` is emitted when it becomes cramped or stops being so."""
        was_cramped = self.is_cramped
        self._width = width
        if self.is_cramped != was_cramped:
            self.changed.emit()

    def pixels(self, size: int) -> int:
        """Return a length in pixels, scaled with the text."""
        return round(size * self._scale / 100)

    def code_font(self) -> QFont:
        """Return the code font: monospaced, without ligatures."""
        if self._code_family is None:
            families = set(QFontDatabase.families())
            self._code_family = next((family for family in _CODE_FAMILIES if family in families), "")
        font = (
            QFont(self._code_family)
            if self._code_family
            else QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        )
        font.setPointSizeF(_FONT_POINTS * self._scale / 100)
        font.setStyleHint(QFont.StyleHint.Monospace)
        for tag in ("calt", "liga", "clig"):
            font.setFeature(QFont.Tag(tag), 0)
        return font

    def text_font(self) -> QFont:
        """Return the font of prose: the application's font in its current size."""
        return QFont(self._app.font())

    def icon(self, name: str, colour: str = "") -> QIcon:
        """Return an icon, tinted; an empty name gives an empty icon."""
        return load_icon(name, colour or self.tokens.dim) if name else QIcon()

    def _system_changed(self, _scheme: Qt.ColorScheme) -> None:
        if self._mode == "system":
            self._apply()

    def _apply(self) -> None:
        is_dark = self._mode == "dark"
        if self._mode == "system":
            is_dark = self._app.styleHints().colorScheme() == Qt.ColorScheme.Dark
        self.tokens = DARK if is_dark else LIGHT
        font = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont)
        if QFontInfo(font).family() in ("", "Sans"):
            font.setFamily("Noto Sans")
        font.setPointSizeF(_FONT_POINTS * self._scale / 100)
        self._app.setFont(font)
        self._app.setPalette(_palette(self.tokens))
        self._sheet_changed.emit(stylesheet(self.tokens, self._scale))
        self.changed.emit()


def _clamp_scale(percent: int) -> int:
    return max(50, min(300, percent))


def _palette(tokens: Tokens) -> QPalette:
    palette = QPalette()
    role = QPalette.ColorRole
    colours = {
        role.Window: tokens.ground,
        role.WindowText: tokens.text,
        role.Base: tokens.panel,
        role.AlternateBase: tokens.ground,
        role.Text: tokens.text,
        role.PlaceholderText: tokens.dim,
        role.Button: tokens.panel,
        role.ButtonText: tokens.text,
        role.BrightText: tokens.bad,
        role.Highlight: tokens.selection,
        role.HighlightedText: tokens.text,
        role.ToolTipBase: tokens.panel,
        role.ToolTipText: tokens.text,
        role.Link: tokens.accent,
        role.LinkVisited: tokens.accent,
        role.Light: tokens.panel,
        role.Mid: tokens.line,
        role.Dark: tokens.line,
        role.Shadow: tokens.line,
    }
    for name, colour in colours.items():
        palette.setColor(name, QColor(colour))
    for name in (role.Text, role.WindowText, role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, name, QColor(tokens.dim))
    return palette
