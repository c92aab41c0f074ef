"""Two dialogs of the menu Help: the list of keys, and About."""

from __future__ import annotations

import platform
from importlib import metadata

from PySide6.QtCore import Qt, qVersion
from PySide6.QtWidgets import (
    QDialogButtonBox,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from annotator import __version__
from annotator.ui.app.action_registry import ActionRegistry, key_text
from annotator.ui.app.actions import ACTIONS, ActionSpec
from annotator.ui.app.translation import mark_for_translation, tr, translate_word
from annotator.ui.widgets.dialog import Dialog
from annotator.ui.widgets.layouts import fill_layout, make_column

_COLUMNS = 2
_GAP = 32
_EDGES = 64
_ABOUT = (
    mark_for_translation(
        "Turn mined candidates into a proven, released benchmark for code language models, and read the results."
    ),
    mark_for_translation("Everything stays on this machine unless you set up an endpoint to call."),
)
_LIBRARIES = ("PySide6-Essentials", "SQLModel", "SQLAlchemy", "pydantic", "Pygments", "RapidFuzz")


def key_sections(actions: ActionRegistry) -> tuple[tuple[str, tuple[ActionSpec, ...]], ...]:
    """Return the actions with keys, grouped by page, with one group for those that act everywhere."""
    groups: dict[str, list[ActionSpec]] = {}
    for spec in ACTIONS:
        if not actions.shortcuts(spec.id):
            continue
        if spec.id.startswith("go."):
            title = tr("Pages")
        elif spec.pages and not spec.leads:
            title = " · ".join(map(translate_word, spec.pages))
        else:
            title = tr("Everywhere")
        groups.setdefault(title, []).append(spec)
    return tuple((title, tuple(specs)) for title, specs in groups.items())


class KeysDialog(Dialog):
    """The list of all keys by page."""

    def __init__(self, actions: ActionRegistry, parent: QWidget | None = None) -> None:
        super().__init__(parent, tr("Keys"), name="keys-dialog")
        # Created as children of the dialog, because its style determines their widths.
        parts = [(_section(title, specs, actions, self), len(specs) + 2) for title, specs in key_sections(actions)]
        for part, _ in parts:
            for key_label in part.findChildren(QLabel):
                # Apply the style now, not when the label is shown, because it determines the width.
                key_label.ensurePolished()
        # Two columns of sections if the screen has room for them.
        section_width = max(part.sizeHint().width() for part, _ in parts)
        available_width = self.screen().availableSize().width() - _EDGES
        column_count = _COLUMNS if _COLUMNS * section_width + _GAP <= available_width else 1
        stacks = [QVBoxLayout() for _ in range(column_count)]
        heights = [0] * column_count
        for part, lines in parts:
            shortest = heights.index(min(heights))
            stacks[shortest].addWidget(part)
            heights[shortest] += lines
        for stack in stacks:
            stack.setSpacing(16)
            stack.addStretch(1)
        content = QWidget()
        fill_layout(QHBoxLayout(content), *stacks, spacing=_GAP)
        area = QScrollArea()
        area.setObjectName("keys-area")
        area.setAccessibleName(tr("Keys, page by page"))
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setWidget(content)
        note = QLabel(tr("Single-character keys work only while no text field has the focus."))
        note.setProperty("role", "dim")
        note.setWordWrap(True)
        buttons = self.make_buttons(QDialogButtonBox.StandardButton.Close)
        make_column(self, (area, 1), note, buttons, spacing=12, margin=16)
        self.resize(column_count * section_width + (column_count - 1) * _GAP + _EDGES, 620)


def _section(title: str, specs: tuple[ActionSpec, ...], actions: ActionRegistry, dialog: QWidget) -> QWidget:
    box = QWidget(dialog)
    grid = QGridLayout(box)
    grid.setContentsMargins(0, 0, 0, 0)
    grid.setHorizontalSpacing(16)
    grid.setVerticalSpacing(4)
    heading = QLabel(title)
    heading.setProperty("role", "heading")
    grid.addWidget(heading, 0, 0, 1, 2)
    for row, spec in enumerate(specs, start=1):
        name = QLabel(translate_word(spec.text).removesuffix("…"))
        name.setToolTip(translate_word(spec.help))
        keys = QLabel(tr("  or  ").join(key_text(key) for key in actions.shortcuts(spec.id)))
        keys.setProperty("role", "dim")
        grid.addWidget(name, row, 0)
        grid.addWidget(keys, row, 1, Qt.AlignmentFlag.AlignRight)
    grid.setColumnStretch(0, 1)
    return box


class AboutDialog(Dialog):
    """The program's name, version, and main libraries."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, tr("About Annotator"), name="about-dialog")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(24, 24, 24, 16)
        layout.setSpacing(12)
        title = QLabel(f"Annotator {__version__}")
        title.setProperty("role", "title")
        layout.addWidget(title)
        for sentence in _ABOUT:
            layout.addWidget(_wrapped(translate_word(sentence)))
        layout.addWidget(_wrapped(tr("Built on {list}.", list=", ".join(library_versions())), role="dim"))
        layout.addWidget(
            _wrapped(tr("Qt is used under the LGPL 3; Annotator under the Apache licence 2.0."), role="dim")
        )
        layout.addStretch(1)
        layout.addWidget(self.make_buttons(QDialogButtonBox.StandardButton.Close))
        self.setMinimumSize(460, layout.heightForWidth(460))


def library_versions() -> tuple[str, ...]:
    """Return the main libraries with their installed versions."""
    versions = [f"Python {platform.python_version()}", f"Qt {qVersion()}"]
    for name in _LIBRARIES:
        try:
            versions.append(f"{name.removesuffix('-Essentials')} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            continue
    return tuple(versions)


def _wrapped(text: str, role: str = "") -> QLabel:
    label = QLabel(text)
    label.setWordWrap(True)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    if role:
        label.setProperty("role", role)
    return label
