"""The list of release gates with their states and failing items, and the dialog that edits their rules."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QDialogButtonBox, QSpinBox, QWidget

from annotator.model.rows.gate_numbers import BUG_REVIEWERS, MINED_PERCENT, REVIEWS, GateNumber
from annotator.model.rows.release_rows import Gate, GateItem
from annotator.services.release.release_gates import KINDS, GateRules
from annotator.ui.app.base_page import Destination
from annotator.ui.app.theme.look import Theme
from annotator.ui.app.translation import mark_for_translation, mark_words, tr, tr_count, tr_message, translate_word
from annotator.ui.widgets.card import Card
from annotator.ui.widgets.dialog import Dialog
from annotator.ui.widgets.fields import choice_box, number_box
from annotator.ui.widgets.labels import label
from annotator.ui.widgets.layouts import fill_column, make_form, make_scroll, make_splitter
from annotator.ui.widgets.table import Cell, DataTable

_NUMBERS_BY_GATE: dict[str, tuple[tuple[GateNumber, str], ...]] = {
    "reviews": (
        (REVIEWS, mark_for_translation("People who review an item")),
        (BUG_REVIEWERS, mark_for_translation("Reviewers who decide about a bug")),
    ),
    "rewrites": ((MINED_PERCENT, mark_for_translation("Tests that mined code may pass, in percent")),),
}
"""The numbers shown below a gate's rule, each with its label."""
_PAGE_BY_GATE = {
    **dict.fromkeys(("reviews", "experts", "votes", "consensus"), "Consensus"),
    **dict.fromkeys(("described", "paraphrases"), mark_for_translation("Prompt")),
    **dict.fromkeys(("licence", "licence-known", "provenance", "duplicates"), mark_for_translation("Select")),
}
"""The page on which to fix the items of a gate; Criterion for the gates not listed here."""
_RULE_WORDS = (
    ("required", mark_for_translation("Required")),
    ("shown", mark_for_translation("Shown only")),
    ("off", mark_for_translation("Off")),
)


class GateCard(Card):
    """Gates on the left, the failing items of one on the right; `go_to` carries the `Destination` to fix an item."""

    go_to = Signal(object)
    datasheet_requested = Signal()

    def __init__(self) -> None:
        super().__init__(tr("Before a release"))
        self.gates = DataTable(tr("Release gates"), activated=self._go_to_gate, selected=self._show_gate)
        self.failing_items = DataTable(tr("Items that fail the gate"), activated=self._go_to_item)
        self.gates.min_rows = self.failing_items.min_rows = 2
        self._gate: Gate | None = None
        self.splitter = make_splitter(Qt.Orientation.Horizontal, self.gates, self.failing_items, sizes=(600, 400))
        self.body.addWidget(self.splitter, 1)
        self.set_trailing(tr("Reading the project…"))

    def show_gates(self, gates: tuple[Gate, ...]) -> None:
        """Show gates, blocking ones first; the selected gate stays selected until it is met."""
        gates = tuple(sorted(gates, key=_gate_order))
        rows = [
            (
                Cell(_gate_state_text(gate)),
                Cell(translate_word(gate.name)),
                Cell(tr_message(gate.reason)),
            )
            for gate in gates
        ]
        previous_gate = self._gate
        self.gates.set_rows(mark_words("state", "gate", "detail"), rows, list(gates), stretch=(1, 2))
        blocking_count = sum(gate.required and not gate.ok for gate in gates)
        blocks = tr_count("{count} gate blocks", "{count} gates block", blocking_count)
        is_met = all(gate.ok for gate in gates)
        ready = tr("ready to release") if is_met else tr("ready to release; unmet gates are not required")
        self.set_trailing(blocks if blocking_count else ready)
        same_gate_rows = [
            number
            for number, gate in enumerate(gates)
            if previous_gate is not None and gate.id == previous_gate.id and gate.ok <= previous_gate.ok
        ]
        index = same_gate_rows[0] if same_gate_rows else 0
        self.gates.select(index)
        self._show_gate(gates[index])

    def _show_gate(self, gate: Gate) -> None:
        self._gate = gate
        rows = [(Cell(item.title, item.key), Cell(translate_word(tr_message(item.why)))) for item in gate.items]
        items = list(gate.items)
        for overridden_item in gate.overridden:
            person, reason = overridden_item.override.person, overridden_item.override.reason
            override_text = tr("Overridden by {person}: {reason}", person=person, reason=reason)
            rows.append(
                (
                    Cell(overridden_item.title, overridden_item.key),
                    Cell(f"{override_text} ({tr_message(overridden_item.why)})"),
                )
            )
            items.append(
                GateItem(overridden_item.subject_id, overridden_item.key, overridden_item.title, overridden_item.why)
            )
        self.failing_items.set_rows(mark_words("Items that fail", "why"), rows, items, stretch=(0, 1))
        self.failing_items.setVisible(bool(rows))

    def _go_to_gate(self, gate: Gate) -> None:
        if gate.subject_ids:
            self._open_item(gate, gate.subject_ids[0])
        elif gate.id == "datasheet":
            self.datasheet_requested.emit()
        elif not gate.ok:
            self.go_to.emit(Destination("Select"))

    def _go_to_item(self, item: GateItem) -> None:
        if self._gate is not None and item.subject_id:
            self._open_item(self._gate, item.subject_id)
        elif self._gate is not None:
            self._go_to_gate(self._gate)

    def _open_item(self, gate: Gate, subject_id: str) -> None:
        self.go_to.emit(Destination(_PAGE_BY_GATE.get(gate.id, "Criterion"), subject_id))


def _gate_order(gate: Gate) -> int:
    """Return a sort key that puts blocking gates first and met ones last."""
    if gate.ok:
        return 2
    return 0 if gate.required else 1


def _gate_state_text(gate: Gate) -> str:
    if gate.ok:
        return tr("✓ met")
    return tr("✗ blocks") if gate.required else tr("! open")


class GateRulesDialog(Dialog):
    """Edits the rules and numbers of the gates; `changed_rules` and `changed_numbers` hold the changes."""

    def __init__(self, theme: Theme, rules: GateRules, parent: QWidget) -> None:
        super().__init__(parent, tr("Gates of a release"), size=(theme.pixels(560), theme.pixels(680)))
        self.boxes: dict[str, QComboBox] = {}
        self.numbers: dict[str, QSpinBox] = {}
        inner = QWidget()
        form = make_form()
        fill_column(inner, form, margin=12)
        for gate in KINDS:
            if gate.rule is None:
                continue
            box = choice_box(translate_word(gate.name), ((translate_word(word), rule) for rule, word in _RULE_WORDS))
            box.setCurrentIndex(box.findData(rules.rules[gate.id]))
            self.boxes[gate.id] = box
            form.addRow(translate_word(gate.name), box)
            for number, word in _NUMBERS_BY_GATE.get(gate.id, ()):
                self.numbers[number.key] = number_box(
                    number.least, number.most, getattr(rules, number.key), translate_word(word)
                )
                form.addRow(translate_word(word), self.numbers[number.key])
        self._previous_rules = rules
        buttons = self.make_buttons(QDialogButtonBox.StandardButton.Save | QDialogButtonBox.StandardButton.Cancel)
        area = make_scroll(inner)
        about = tr("A required gate blocks a release until it is met or overridden with a reason.")
        self.lay_out(label(about, "dim", wrap=True), (area, 1), buttons)

    @property
    def changed_rules(self) -> dict[str, str]:
        """The changed rules by gate."""
        current_rules = {gate: str(box.currentData()) for gate, box in self.boxes.items()}
        return {gate: rule for gate, rule in current_rules.items() if rule != self._previous_rules.rules[gate]}

    @property
    def changed_numbers(self) -> dict[str, int]:
        """The changed numbers by key."""
        values = {key: box.value() for key, box in self.numbers.items()}
        return {key: value for key, value in values.items() if value != getattr(self._previous_rules, key)}
