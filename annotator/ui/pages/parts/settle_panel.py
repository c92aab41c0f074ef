"""One disagreement: who says what and why, the texts it is about, and the form that settles it."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLineEdit, QSplitter, QVBoxLayout, QWidget

from annotator.base import clock
from annotator.model.judging_rows import ConflictRow, Disagreement
from annotator.ui.theme import Theme
from annotator.ui.when import ago
from annotator.ui.widgets.card import Card
from annotator.ui.widgets.code_view import CodeView
from annotator.ui.widgets.labels import button, label, shortened
from annotator.ui.widgets.table import Cell, DataTable
from annotator.ui.words import tr, tr_known, tr_later

_METHODS = (
    (tr_later("Discussion"), "discussion"),
    (tr_later("Majority"), "majority"),
    (tr_later("Adjudicator"), "adjudicator"),
)
_PAIR_OUTCOMES = (tr_later("left is better"), tr_later("right is better"), "tie", tr_later("both bad"))


class SettlePanel(QWidget):
    """Shows a disagreement (or a conflict of files) and emits (method, outcome, rationale)."""

    settled = Signal(str, str, str)

    def __init__(self, theme: Theme) -> None:
        """Show nothing yet."""
        super().__init__()
        self.row: Disagreement | None = None
        self.card = Card(tr("Opinions"))
        self.opinions = DataTable(tr("Opinions"))
        self.card.body.addWidget(self.opinions)
        self.left, self.right = CodeView(theme, tr("Left")), CodeView(theme, tr("Right"))
        self.pair = QSplitter(Qt.Orientation.Horizontal)
        self.pair.setHandleWidth(12)
        self.pair.setChildrenCollapsible(False)
        self._titles = []
        for title, view in ((tr("Left"), self.left), (tr("Right"), self.right)):
            view.setLineWrapMode(CodeView.LineWrapMode.WidgetWidth)
            card = Card(title)
            card.body.addWidget(view)
            self._titles.append(card)
            self.pair.addWidget(card)
        self.form = Card()
        self.method, self.outcome, self.rationale = QComboBox(), QComboBox(), QLineEdit()
        for word, value in _METHODS:
            self.method.addItem(tr_known(word), value)
        for field, name in (
            (self.method, tr("Method")),
            (self.outcome, tr("Outcome")),
            (self.rationale, tr("Rationale")),
        ):
            field.setAccessibleName(name)
        self.outcome.setMinimumContentsLength(12)
        self.rationale.setPlaceholderText(tr("Why is it settled so?"))
        self.settle = button(tr("Settle"), primary=True)
        self.settle.clicked.connect(self._settle)
        self.rationale.returnPressed.connect(self._settle)
        self.said = label("", "dim", wrap=True)
        line = QHBoxLayout()
        line.setSpacing(8)
        for widget in (self.method, self.outcome):
            line.addWidget(widget)
        line.addWidget(self.rationale, 1)
        line.addWidget(self.settle)
        self.form.body.addLayout(line)
        self.form.body.addWidget(self.said)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(12)
        layout.addWidget(self.card, 2)
        layout.addWidget(self.pair, 3)
        layout.addWidget(self.form)

    def show_row(self, row: Disagreement | None) -> None:
        """Show a disagreement; its texts follow if it is about a pair."""
        self.row = row
        opinions = row.opinions if row else ()
        lines = [
            (
                Cell(item.annotator),
                Cell(item.said),
                Cell(item.why),
                Cell(ago(clock.parse(item.created_at)) if item.created_at else "", item.created_at),
            )
            for item in opinions
        ]
        self.opinions.set_rows((tr("who"), tr("says"), tr("why"), tr("when")), lines, list(opinions), stretch=2)
        self.card.show()
        self.card.set_title(f"{shortened(row.title)}: {row.what}" if row else tr("Opinions"))
        self.pair.setVisible(False)
        self.form.setVisible(row is not None)
        self.outcome.clear()
        if row is None:
            return
        words = list(dict.fromkeys(item.said for item in opinions))
        words += [row.outcome] if row.outcome and row.outcome not in words else []
        words += [word for word in _PAIR_OUTCOMES if row.about.startswith("pair:") and word not in words]
        for word in words:
            self.outcome.addItem(tr_known(word), word)
        self.outcome.setCurrentIndex(self.outcome.findData(row.outcome or row.majority or words[0]))
        majority = (
            tr("The majority says {majority}.", majority=tr_known(row.majority))
            if row.majority
            else tr("There is no majority.")
        )
        done = (
            tr(
                "Settled by {method}: {outcome}. {rationale}",
                method=tr_known(row.method or ""),
                outcome=tr_known(row.outcome),
                rationale=row.rationale,
            )
            if row.outcome
            else majority
        )
        self.said.setText(done)
        for widget in (self.method, self.outcome, self.rationale, self.settle):
            widget.setEnabled(row.outcome is None)

    def show_texts(self, texts: tuple[str, str, str]) -> None:
        """Show the two texts of a pair."""
        self._show_sides((tr("Left"), texts[1]), (tr("Right"), texts[2]), "markdown")

    def show_conflict(self, row: ConflictRow | None) -> None:
        """Show two contents that claim to be the same row."""
        self.row = None
        self.card.hide()
        self.form.hide()
        if row is not None:
            sides = (
                (tr("Ours, kept"), _fields(row.ours, row.theirs)),
                (tr("Theirs, not taken"), _fields(row.theirs, row.ours)),
            )
            self._show_sides(*sides, "yaml")
        self.pair.setVisible(row is not None)

    def _show_sides(self, left: tuple[str, str], right: tuple[str, str], language: str) -> None:
        for card, view, (title, text) in zip(self._titles, (self.left, self.right), (left, right), strict=True):
            card.set_title(title)
            view.set_code(text, language)
        self.pair.setVisible(True)

    def _settle(self) -> None:
        if self.row is not None:
            self.settled.emit(self.method.currentData(), str(self.outcome.currentData()), self.rationale.text())


def _fields(row: dict[str, object], other: dict[str, object]) -> str:
    """Return a row's fields, those that differ from the other's first."""
    differing = [f"{name}: {value}" for name, value in row.items() if value != other.get(name)]
    alike = [f"{name}: {value}" for name, value in row.items() if value == other.get(name)]
    return "\n".join([*differing, "", "# the same in both", *alike])
