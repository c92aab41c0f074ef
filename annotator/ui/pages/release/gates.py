"""Release gates: every gate with its state and the items that do not meet it, and the form that sets the rules."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QDialogButtonBox, QFormLayout, QScrollArea, QVBoxLayout, QWidget

from annotator.model.rows.releases import Gate, GateItem
from annotator.services.release.release_gates import KINDS, MOST_REVIEWS, GateRules
from annotator.ui.app.base_page import Destination
from annotator.ui.app.theme.look import Theme
from annotator.ui.app.translation import mark_for_translation, tr, tr_count, tr_message, translate_word
from annotator.ui.widgets.card import Card
from annotator.ui.widgets.dialog import Dialog
from annotator.ui.widgets.fields import choice_box, number_box
from annotator.ui.widgets.labels import label
from annotator.ui.widgets.layouts import fill_layout, make_splitter
from annotator.ui.widgets.table import Cell, DataTable

_PAGE_OF = {
    **dict.fromkeys(("reviews", "experts", "votes", "consensus"), "Consensus"),
    **dict.fromkeys(("described", "paraphrases"), mark_for_translation("Prompt")),
    **dict.fromkeys(("licence", "licence-known", "provenance", "duplicates"), mark_for_translation("Select")),
}
"""The page on which what a gate asks for is done, where that is not Criterion."""
_WORDS = (
    ("required", mark_for_translation("Must be met")),
    ("shown", mark_for_translation("Only shown")),
    ("off", mark_for_translation("Off")),
)


class GateCard(Card):
    """Gates on the left, the items of one on the right; ``go_to`` names where an item is worked on."""

    go_to = Signal(object)
    datasheet_requested = Signal()

    def __init__(self) -> None:
        """Show nothing yet."""
        super().__init__(tr("Before a release"))
        self.gates = DataTable(tr("Release gates"), activated=self._go_to_gate, selected=self._show_gate)
        self.failing = DataTable(tr("Items that do not meet the gate"), activated=self._go_to_item)
        self.gates.least_rows = self.failing.least_rows = 2
        self._gate: Gate | None = None
        self.splitter = make_splitter(Qt.Orientation.Horizontal, self.gates, self.failing, sizes=(600, 400))
        self.body.addWidget(self.splitter)
        self.set_trailing(tr("Reading the project…"))

    def show_gates(self, gates: tuple[Gate, ...]) -> None:
        """Show gates, those that block first; the one that was chosen stays chosen until it is met."""
        gates = tuple(sorted(gates, key=lambda gate: 2 if gate.ok else int(not gate.required)))
        rows = [
            (
                Cell(tr("✓ met") if gate.ok else (tr("✗ blocks") if gate.required else tr("! open"))),
                Cell(translate_word(gate.name)),
                Cell(tr_message(gate.reason)),
            )
            for gate in gates
        ]
        before = self._gate
        self.gates.set_rows((tr("state"), tr("gate"), tr("detail")), rows, list(gates), stretch=(1, 2))
        blocked = sum(gate.required and not gate.ok for gate in gates)
        blocks = tr_count("{count} gate blocks", "{count} gates block", blocked)
        is_met = all(gate.ok for gate in gates)
        ready = tr("ready to release") if is_met else tr("ready: open gates do not block")
        self.set_trailing(blocks if blocked else ready)
        same = [
            number
            for number, gate in enumerate(gates)
            if before is not None and gate.id == before.id and gate.ok <= before.ok
        ]
        place = same[0] if same else 0
        self.gates.select(place)
        self._show_gate(gates[place])

    def _show_gate(self, gate: Gate) -> None:
        self._gate = gate
        rows = [(Cell(item.title, item.key), Cell(tr_message(item.why))) for item in gate.items]
        items = list(gate.items)
        for passed in gate.overridden:
            person, reason = passed.override.person, passed.override.reason
            why = tr("Overridden by {person}: {reason}", person=person, reason=reason)
            rows.append((Cell(passed.title, passed.key), Cell(f"{why} ({tr_message(passed.why)})")))
            items.append(GateItem(passed.subject_id, passed.key, passed.title, passed.why))
        self.failing.set_rows((tr("does not meet it"), tr("why")), rows, items, stretch=(0, 1))
        self.failing.setVisible(bool(rows))

    def _go_to_gate(self, gate: Gate) -> None:
        if gate.subject_ids:
            self._go(gate, gate.subject_ids[0])
        elif gate.id == "datasheet":
            self.datasheet_requested.emit()
        elif not gate.ok:
            self.go_to.emit(Destination("Select"))

    def _go_to_item(self, item: GateItem) -> None:
        if self._gate is not None and item.subject_id:
            self._go(self._gate, item.subject_id)
        elif self._gate is not None:
            self._go_to_gate(self._gate)

    def _go(self, gate: Gate, subject_id: str) -> None:
        self.go_to.emit(Destination(_PAGE_OF.get(gate.id, "Criterion"), subject_id))


class GateRulesDialog(Dialog):
    """Every gate with its rule; `chosen` and `reviews` are what was saved."""

    def __init__(self, theme: Theme, now: GateRules, parent: QWidget) -> None:
        """Show the rules in force."""
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
            box = choice_box(translate_word(kind.name), ((translate_word(words), rule) for rule, words in _WORDS))
            box.setCurrentIndex(box.findData(now.rules[kind.id]))
            self.boxes[kind.id] = box
            form.addRow(translate_word(kind.name), box)
            if kind.id == "reviews":
                self.number = number_box(1, MOST_REVIEWS, now.reviews, tr("People who review an item"))
                form.addRow(tr("People who review an item"), self.number)
        self._before = now
        buttons = self.make_buttons(QDialogButtonBox.StandardButton.Save | QDialogButtonBox.StandardButton.Cancel)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setWidget(inner)
        about = tr("What must be met blocks a release until it is, or until somebody gives a reason to override it.")
        fill_layout(QVBoxLayout(self), label(about, "dim", wrap=True), (area, 1), buttons, spacing=12, margin=16)
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
