"""Which conditions a project sets for its releases, as a form."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import (
    QComboBox,
    QDialogButtonBox,
    QFormLayout,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from annotator.ui.theme import Theme
from annotator.ui.widgets.dialog import Dialog
from annotator.ui.widgets.labels import label, number_box
from annotator.ui.words import tr, tr_known, tr_later

if TYPE_CHECKING:
    from annotator.services.gate_rules import GateRules

_WORDS = (("required", tr_later("Must be met")), ("shown", tr_later("Only shown")), ("off", tr_later("Off")))


class GateRulesDialog(Dialog):
    """Every gate with its rule; `chosen` and `reviews` are what was saved."""

    def __init__(self, theme: Theme, now: GateRules, parent: QWidget) -> None:
        """Show the rules in force."""
        from annotator.services.gate_rules import KINDS, MOST_REVIEWS

        super().__init__(parent)
        self.setWindowTitle(tr("Gates of a release"))
        self.boxes: dict[str, QComboBox] = {}
        inner = QWidget()
        form = QFormLayout(inner)
        form.setContentsMargins(12, 12, 12, 12)
        form.setSpacing(8)
        for kind in KINDS:
            if kind.rule is None:
                continue
            box = QComboBox()
            box.setAccessibleName(tr_known(kind.name))
            for rule, words in _WORDS:
                box.addItem(tr_known(words), rule)
            box.setCurrentIndex(box.findData(now.rules[kind.id]))
            self.boxes[kind.id] = box
            form.addRow(tr_known(kind.name), box)
            if kind.id == "reviews":
                self.number = number_box()
                self.number.setAccessibleName(tr("People who review an item"))
                self.number.setRange(1, MOST_REVIEWS)
                self.number.setValue(now.reviews)
                form.addRow(tr("People who review an item"), self.number)
        self._before = now
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Save | QDialogButtonBox.StandardButton.Cancel)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setWidget(inner)
        about = tr("What must be met blocks a release until it is, or until somebody gives a reason to override it.")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 16, 16, 16)
        layout.setSpacing(12)
        layout.addWidget(label(about, "dim", wrap=True))
        layout.addWidget(area, 1)
        layout.addWidget(buttons)
        self.resize(theme.pixels(560), theme.pixels(680))

    @property
    def chosen(self) -> dict[str, str]:
        """The rules that differ from those in force."""
        now = {gate: str(box.currentData()) for gate, box in self.boxes.items()}
        return {gate: rule for gate, rule in now.items() if rule != self._before.rules[gate]}

    @property
    def reviews(self) -> int | None:
        """How many people review an item, None if that stays as it is."""
        return self.number.value() if self.number.value() != self._before.reviews else None
