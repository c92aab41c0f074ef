"""How two versions differ: items, what becomes of stored results, and a draft of the errata."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QPlainTextEdit, QStackedWidget, QVBoxLayout, QWidget

from annotator.model.release_rows import ReleaseDiff
from annotator.ui.theme import Theme
from annotator.ui.widgets.dialog import Dialog
from annotator.ui.widgets.labels import button, label
from annotator.ui.widgets.segments import Segments
from annotator.ui.widgets.table import Cell, DataTable

PRESENT = "the present state"


class ChangesDialog(Dialog):
    """Compares two versions that are chosen here; the present state is the newest."""

    asked = Signal(str, str)
    """Older and newer version to compare; the newer is empty for the present state."""
    errata_written = Signal(str)
    """What is to be told with the next release, a sentence a line."""

    def __init__(self, theme: Theme, versions: Sequence[str], old: str, parent: QWidget) -> None:
        """Offer ``versions``, newest first; ``old`` is compared with the present state to begin with."""
        super().__init__(parent)
        self.setWindowTitle("Changes between versions")
        self.old, self.new = QComboBox(), QComboBox()
        self.old.addItems(list(versions))
        self.old.setCurrentText(old)
        self.new.addItem(PRESENT, "")
        for version in versions:
            self.new.addItem(version, version)
        for box, name in ((self.old, "Older version"), (self.new, "Newer version")):
            box.setAccessibleName(name)
            box.setMinimumContentsLength(14)
            box.currentIndexChanged.connect(self._ask)
        self.summary = label("", "section", wrap=True)
        self.faces = Segments("Part", ("Items", "Stored results", "Errata"))
        self.items, self.runs = DataTable("Items that differ"), DataTable("Stored results")
        self.errata = QPlainTextEdit()
        self.errata.setProperty("role", "field")
        self.errata.setAccessibleName("Errata")
        self.errata.textChanged.connect(self._write)
        self.about = label("", "dim", wrap=True)
        errata = QWidget()
        column = QVBoxLayout(errata)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.about)
        column.addWidget(self.errata, 1)
        self.stack = QStackedWidget()
        for part in (self.items, self.runs, errata):
            self.stack.addWidget(part)
        self.faces.chosen.connect(self.stack.setCurrentIndex)
        close = button("Close", primary=True)
        close.clicked.connect(self.accept)
        head, foot = QHBoxLayout(), QHBoxLayout()
        head.setSpacing(8)
        for widget in (label("From", "dim"), self.old, label("to", "dim"), self.new):
            head.addWidget(widget)
        head.addStretch(1)
        foot.addStretch(1)
        foot.addWidget(close)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 16, 16, 16)
        layout.setSpacing(12)
        layout.addLayout(head)
        layout.addWidget(self.summary)
        layout.addWidget(self.faces)
        layout.addWidget(self.stack, 1)
        layout.addLayout(foot)
        self.resize(theme.pixels(760), theme.pixels(560))

    def ask(self) -> None:
        """Ask for what is chosen."""
        self._ask(0)

    def _ask(self, _index: int) -> None:
        self.asked.emit(self.old.currentText(), self.new.currentData())

    def show_diff(self, diff: ReleaseDiff, errata: str | None) -> None:
        """Show a comparison; ``errata`` is what somebody wrote for the next release, None shows the draft."""
        self.summary.setText(summary(diff))
        lines = [(Cell("added"), Cell(item.title or item.key), Cell(""), Cell("")) for item in diff.added]
        lines += [(Cell("removed"), Cell(item.title or item.key), Cell(""), Cell("dropped")) for item in diff.removed]
        lines += [
            (Cell("changed"), Cell(item.title or item.key), Cell(", ".join(item.fields)),
             Cell("do not count" if item.void else "count"))
            for item in diff.changed
        ]  # fmt: skip
        self.items.set_rows(("what", "item", "parts", "earlier scores"), lines, lines, stretch=1)
        rows = [
            (Cell(run.model), Cell(f"{run.responses:,}", run.responses),
             *(Cell(f"{count:,}", count) for count in (run.void - run.ask_again, run.ask_again, run.dropped)))
            for run in diff.runs
        ]  # fmt: skip
        headers = ("run of", "responses", "to score again", "to ask again", "dropped")
        self.runs.set_rows(headers, rows, list(diff.runs), stretch=0)
        present = not diff.new
        self.errata.setReadOnly(not present)
        self.about.setText(
            "What the users of the older version are told with the next release. Change it as you like."
            if present
            else "A draft of what to tell the users of the older version."
        )
        self.errata.blockSignals(True)
        self.errata.setPlainText("\n".join(diff.errata) if errata is None or not present else errata)
        self.errata.blockSignals(False)

    def _write(self) -> None:
        if not self.errata.isReadOnly():
            self.errata_written.emit(self.errata.toPlainText())


def summary(diff: ReleaseDiff) -> str:
    """Return a comparison in two sentences."""
    counts = (
        f"{len(diff.added)} added", f"{len(diff.removed)} removed", f"{len(diff.changed)} changed", f"{diff.same} same"
    )  # fmt: skip
    return f"Since {diff.old}: {', '.join(counts)}. Results can be compared on {len(diff.comparable)} items."
