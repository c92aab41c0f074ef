"""The dialog About of the menu Help."""

from __future__ import annotations

import platform
from importlib import metadata

from PySide6.QtCore import Qt, qVersion
from PySide6.QtWidgets import QDialogButtonBox, QVBoxLayout, QWidget

from annotator import __version__
from annotator.ui.app.translation import tr
from annotator.ui.widgets.dialog import Dialog
from annotator.ui.widgets.labels import label

_LIBRARIES = ("PySide6-Essentials", "SQLModel", "SQLAlchemy", "pydantic", "Pygments", "RapidFuzz")


class AboutDialog(Dialog):
    """The program's name, version, and main libraries."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, tr("About Annotator"), name="about-dialog")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(24, 24, 24, 16)
        layout.setSpacing(12)
        for text, role in (
            (f"Annotator {__version__}", "title"),
            (tr("Turn mined candidates into a proven, released benchmark for code language models, and read the "
                "results."), ""),
            (tr("Everything stays on this machine unless you set up an endpoint to call."), ""),
            (tr("Built on {list}.", list=", ".join(library_versions())), "dim"),
            (tr("Qt is used under the LGPL 3; Annotator under the Apache licence 2.0."), "dim"),
        ):  # fmt: skip
            line = label(text, role, wrap=True)
            line.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            layout.addWidget(line)
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
