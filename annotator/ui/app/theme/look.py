"""The theme: colour tokens, palette and stylesheet, following the system's light or dark mode."""

from __future__ import annotations

from dataclasses import dataclass

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens:
    """Every colour the window uses, named for its meaning."""

    ground: str
    panel: str
    line: str
    text: str
    dim: str
    accent: str
    on_accent: str
    selection: str
    good: str
    good_ground: str
    attention: str
    attention_ground: str
    bad: str
    bad_ground: str
    code_keyword: str
    code_string: str
    code_number: str
    code_comment: str
    code_name: str


LIGHT = Tokens(
    ground="#f6f7f9", panel="#ffffff", line="#dfe3e8", text="#1c2330", dim="#5b6675", accent="#1f5fd0",
    on_accent="#ffffff", selection="#e3edfd", good="#1d7a3c", good_ground="#e2f4e7", attention="#8a5a00",
    attention_ground="#fbf0d9", bad="#b3261e", bad_ground="#fbe4e2", code_keyword="#0b6e2e", code_string="#9a3412",
    code_number="#6b5b00", code_comment="#4a7080", code_name="#1a3fb0",
)  # fmt: skip
DARK = Tokens(
    ground="#17191d", panel="#1f2227", line="#343a43", text="#e6e9ee", dim="#9aa3af", accent="#6ea8fe",
    on_accent="#0d1526", selection="#22344f", good="#56c271", good_ground="#1d3326", attention="#e5b454",
    attention_ground="#3a3020", bad="#ef7a76", bad_ground="#3c2425", code_keyword="#ff7b72", code_string="#a5d6ff",
    code_number="#79c0ff", code_comment="#8b949e", code_name="#d2a8ff",
)  # fmt: skip


def stylesheet(t: Tokens, scale: int) -> str:
    """Return the stylesheet of a look at a text scale in percent."""
    # long-function: one sheet, read from top to bottom; cutting it up would hide which rule wins
    small, title, heading = (round(size * scale / 100) for size in (12, 15, 20))
    name = "chevron-dark.svg" if t is DARK else "chevron-light.svg"
    arrow = resource_path("icons", name).as_posix()
    tick = resource_path("icons", "check-dark.svg" if t is DARK else "check-light.svg").as_posix()
    mark = round(13 + 6 * (scale - 100) / 100)
    high = max(20, round(20 * scale / 100))
    return f"""
QWidget {{ color: {t.text}; }}
QMainWindow, QDialog, QWidget#central {{ background: {t.ground}; }}
QToolTip {{ background: {t.panel}; color: {t.text}; border: 1px solid {t.line}; padding: 4px; }}
QMenuBar {{ background: {t.ground}; }}
QMenuBar::item {{ padding: 4px 8px; background: transparent; border-radius: 4px; }}
QMenuBar::item:selected, QMenu::item:selected {{ background: {t.selection}; color: {t.text}; }}
QMenu {{ background: {t.panel}; border: 1px solid {t.line}; padding: 4px; }}
QMenu::item {{ padding: 5px 24px 5px 20px; border-radius: 4px; }}
QMenu::item:disabled {{ color: {t.dim}; }}
QMenu::separator {{ height: 1px; background: {t.line}; margin: 4px 8px; }}
* {{ placeholder-text-color: {t.dim}; }}
*[role="dim"] {{ color: {t.dim}; }}
*[role="title"] {{ font-size: {title}px; font-weight: 600; }}
*[role="section"] {{ font-weight: 600; }}
*[role="heading"] {{ font-size: {heading}px; font-weight: 600; }}
*[role="problem"] {{ color: {t.bad}; }}
*[role="draft"] {{ color: {t.attention}; }}
*[role="card"] {{ background: {t.panel}; border: 1px solid {t.line}; border-radius: 8px; }}
QPushButton, QToolButton[role="plain"] {{
    background: {t.panel}; border: 1px solid {t.line}; border-radius: 6px; padding: 5px 14px; min-height: {high}px;
}}
QPushButton:hover {{ border-color: {t.dim}; }}
QPushButton:pressed, QPushButton:checked {{ background: {t.selection}; }}
QPushButton:focus {{ border: 1px solid {t.accent}; }}
QPushButton:disabled {{ color: {t.dim}; background: {t.ground}; }}
QPushButton[role="primary"] {{
    background: {t.accent}; color: {t.on_accent}; border-color: {t.accent}; font-weight: 600;
}}
QPushButton[role="primary"]:disabled {{ background: {t.line}; color: {t.dim}; border-color: {t.line}; }}
QPushButton[role="primary"]:focus {{ border: 2px solid {t.text}; padding: 4px 13px; }}
QPushButton[role="flat"] {{
    border: none; background: transparent; color: {t.dim}; padding: 0 6px; min-height: 0; font-size: {small + 1}px;
}}
QPushButton[role="flat"]:hover, QPushButton[role="flat"]:focus {{ color: {t.accent}; }}
QPushButton[role="segment"] {{
    border: 1px solid transparent; background: transparent; color: {t.dim}; padding: 2px 10px; min-height: 0;
}}
QPushButton[role="choice"] {{ padding: 4px 12px; color: {t.dim}; }}
QPushButton[role="choice"]:checked {{ background: {t.selection}; color: {t.text}; border: 1px solid {t.accent}; }}
QPushButton[role="segment"]:hover {{ color: {t.text}; }}
QPushButton[role="segment"]:checked {{ background: {t.selection}; color: {t.text}; }}
QPushButton[role="segment"]:focus {{ border: 1px solid {t.accent}; }}
QPushButton[role="chip"] {{
    background: {t.ground}; border: 1px solid {t.line}; border-radius: {high // 2 + 1}px; padding: 0 8px; min-height: 0;
}}
QPushButton[role="chip"]:hover {{ border-color: {t.dim}; }}
QPushButton[role="chip"]:focus {{ border: 1px solid {t.accent}; }}
QPushButton[role="chosen-chip"] {{
    background: {t.selection}; border: 1px solid {t.selection}; border-radius: {high // 2 + 1}px; padding: 0 8px;
    min-height: 0;
}}
QPushButton[role="chosen-chip"]:hover, QPushButton[role="chosen-chip"]:focus {{ border: 1px solid {t.accent}; }}
*[role="badge"] {{
    color: {t.dim}; background: {t.ground}; border: 2px solid transparent; border-radius: {high // 2}px;
    padding: 0 9px; min-height: 0;
}}
*[role="badge"][kind="good"] {{ color: {t.good}; background: {t.good_ground}; }}
*[role="badge"][kind="attention"] {{ color: {t.attention}; background: {t.attention_ground}; }}
*[role="badge"][kind="bad"] {{ color: {t.bad}; background: {t.bad_ground}; }}
*[role="badge"]:focus {{ border-color: {t.accent}; }}
QCheckBox::indicator, QListView::indicator {{
    width: {mark}px; height: {mark}px; border: 1px solid {t.dim}; border-radius: 3px; background: {t.panel};
}}
QCheckBox::indicator:checked, QListView::indicator:checked {{
    background: {t.accent}; border-color: {t.accent}; image: url({tick});
}}
QCheckBox::indicator:indeterminate {{ background: {t.line}; }}
QCheckBox::indicator:focus {{ border: 2px solid {t.accent}; }}
QCheckBox::indicator:checked:focus {{ border-color: {t.text}; }}
QCheckBox::indicator:disabled {{ border-color: {t.line}; }}
QCheckBox:disabled {{ color: {t.dim}; }}
QDialogButtonBox {{ dialogbuttonbox-buttons-have-icons: 0; }}
QFrame#palette {{ background: {t.panel}; border: 1px solid {t.dim}; }}
QAbstractScrollArea::corner {{ background: transparent; border: none; }}
QPushButton::menu-indicator, QToolButton::menu-indicator {{ image: none; width: 0; }}
QLineEdit, QComboBox, QAbstractSpinBox {{
    background: {t.panel}; border: 1px solid {t.line}; border-radius: 6px; padding: 5px 10px; min-height: {high}px;
    selection-background-color: {t.selection}; selection-color: {t.text};
}}
QLineEdit:focus, QComboBox:focus, QAbstractSpinBox:focus, QPlainTextEdit:focus {{
    border: 1px solid {t.accent};
}}
QAbstractSpinBox::up-button, QAbstractSpinBox::down-button {{ width: 0; border: none; }}
QComboBox::drop-down {{ border: none; width: 22px; }}
QComboBox[role="tight"] {{ padding: 5px 0 5px 6px; }}
QComboBox[role="tight"]::drop-down {{ width: 16px; }}
QComboBox::down-arrow {{ image: url({arrow}); width: 12px; height: 12px; }}
QComboBox QAbstractItemView {{
    background: {t.panel}; border: 1px solid {t.line}; selection-background-color: {t.selection};
    selection-color: {t.text};
}}
QPlainTextEdit, QTextEdit {{
    background: {t.panel}; border: 1px solid transparent; border-radius: 4px; padding: 2px;
    selection-background-color: {t.selection}; selection-color: {t.text};
}}
QPlainTextEdit[role="field"] {{ border: 1px solid {t.line}; border-radius: 6px; }}
QPlainTextEdit[role="field"]:focus {{ border: 1px solid {t.accent}; }}
QPlainTextEdit[state="wrong"], QLineEdit[state="wrong"], QComboBox[state="wrong"] {{ border: 1px solid {t.bad}; }}
QCheckBox[state="wrong"] {{ color: {t.bad}; }}
QListView, QTableView, QTreeView {{
    background: {t.panel}; border: none; outline: 0; selection-background-color: {t.selection};
    selection-color: {t.text}; gridline-color: {t.line}; alternate-background-color: {t.panel};
}}
QTableView::item {{ padding: 4px 8px; border-bottom: 1px solid {t.line}; }}
QTableView::item:selected {{ background: {t.selection}; color: {t.text}; }}
QHeaderView {{ background: {t.panel}; border: none; }}
QHeaderView::section {{
    background: {t.panel}; color: {t.dim}; border: none; border-bottom: 1px solid {t.line}; padding: 6px 11px;
}}
QPushButton[role="tab"] {{
    background: transparent; color: {t.dim}; padding: 6px 10px; border: none; border-bottom: 2px solid transparent;
    border-radius: 0;
}}
QPushButton[role="tab"]:checked {{ color: {t.text}; border-bottom: 2px solid {t.accent}; }}
QPushButton[role="tab"]:hover {{ color: {t.text}; }}
QPushButton[role="tab"]:focus {{ background: {t.selection}; }}
QTabBar {{ background: transparent; }}
QTabBar::tab {{
    background: transparent; color: {t.dim}; padding: 8px 12px; border: none; border-bottom: 2px solid transparent;
}}
QTabBar::tab:selected {{ color: {t.text}; border-bottom: 2px solid {t.accent}; }}
QTabBar::tab:hover {{ color: {t.text}; }}
QProgressBar {{
    background: {t.line}; border: none; border-radius: 3px; max-height: 6px; min-height: 6px; color: transparent;
}}
QProgressBar::chunk {{ background: {t.accent}; border-radius: 3px; }}
QSplitter::handle {{ background: transparent; }}
QScrollArea {{ border: none; background: transparent; }}
QScrollBar:vertical {{ background: transparent; width: 10px; margin: 0; }}
QScrollBar:horizontal {{ background: transparent; height: 10px; margin: 0; }}
QScrollBar::handle {{ background: {t.line}; border-radius: 4px; min-height: 28px; min-width: 28px; margin: 1px; }}
QScrollBar::handle:hover {{ background: {t.dim}; }}
QScrollBar::add-line, QScrollBar::sub-line {{ width: 0; height: 0; }}
QScrollBar::add-page, QScrollBar::sub-page {{ background: transparent; }}
QWidget#status-bar {{ border-top: 1px solid {t.line}; }}
QToolButton#status-offer {{ color: {t.accent}; font-weight: 600; }}
QWidget#past-bar, QWidget#draft-notice {{
    background: {t.attention_ground}; border-bottom: 1px solid {t.attention};
}}
QFrame#draft-bar {{ background: {t.attention_ground}; border: 1px solid {t.attention}; border-radius: 6px; }}
QFrame#draft-bar QLabel {{ background: transparent; }}
QFrame#draft-bar QPushButton {{ color: {t.text}; }}
QFrame#draft-bar QPushButton:hover, QFrame#draft-bar QPushButton:focus {{ color: {t.accent}; }}
QFrame#tour {{ background: {t.selection}; border-bottom: 1px solid {t.line}; }}
QTabWidget::pane {{ border: none; }}
QListWidget::item {{ padding: 6px 8px; }}
QListWidget::item:selected {{ background: {t.selection}; color: {t.text}; border-radius: 6px; }}
QWidget#error-bar {{ background: {t.bad_ground}; border-bottom: 1px solid {t.bad}; }}
"""


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

    def dress(self, window: QWidget) -> None:
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
        before = self.is_cramped
        self._width = width
        if self.is_cramped != before:
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


def _palette(t: Tokens) -> QPalette:
    palette = QPalette()
    role = QPalette.ColorRole
    colours = {
        role.Window: t.ground,
        role.WindowText: t.text,
        role.Base: t.panel,
        role.AlternateBase: t.ground,
        role.Text: t.text,
        role.PlaceholderText: t.dim,
        role.Button: t.panel,
        role.ButtonText: t.text,
        role.BrightText: t.bad,
        role.Highlight: t.selection,
        role.HighlightedText: t.text,
        role.ToolTipBase: t.panel,
        role.ToolTipText: t.text,
        role.Link: t.accent,
        role.LinkVisited: t.accent,
        role.Light: t.panel,
        role.Mid: t.line,
        role.Dark: t.line,
        role.Shadow: t.line,
    }
    for name, colour in colours.items():
        palette.setColor(name, QColor(colour))
    for name in (role.Text, role.WindowText, role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, name, QColor(t.dim))
    return palette
