"""The colours of both looks, and the stylesheet built from them; it sets only what Fusion and the palette do not."""

from __future__ import annotations

from dataclasses import dataclass

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
    # Qt draws square corners if a radius is over half the height, here that of a line of text and the border.
    pill = round(8 * scale / 100) + 2
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
    background: {t.ground}; border: 1px solid {t.line}; border-radius: {pill}px; padding: 0 8px; min-height: 0;
}}
QPushButton[role="chip"]:hover {{ border-color: {t.dim}; }}
QPushButton[role="chip"]:focus {{ border: 1px solid {t.accent}; }}
QPushButton[role="chosen-chip"] {{
    background: {t.selection}; border: 1px solid {t.selection}; border-radius: {pill}px; padding: 0 8px;
    min-height: 0;
}}
QPushButton[role="chosen-chip"]:hover, QPushButton[role="chosen-chip"]:focus {{ border: 1px solid {t.accent}; }}
*[role="badge"] {{
    color: {t.dim}; background: {t.ground}; border: 2px solid transparent; border-radius: {pill}px;
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
