"""What a release must meet: every gate with its state, and the items that do not meet the one that is chosen."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QSplitter

from annotator.model.release_rows import Gate, GateItem
from annotator.ui.page import Destination
from annotator.ui.widgets.card import Card
from annotator.ui.widgets.table import Cell, DataTable
from annotator.ui.words import tr, tr_count, tr_known, tr_told

_TEAM = {"reviews", "experts", "votes", "consensus"}


class GateCard(Card):
    """Gates on the left, the items of one on the right; ``go_to`` names where an item is worked on."""

    go_to = Signal(object)
    datasheet_wanted = Signal()

    def __init__(self) -> None:
        """Show nothing yet."""
        super().__init__(tr("Before a release"))
        self.gates = DataTable(tr("Release gates"))
        self.failing = DataTable(tr("Items that do not meet the gate"))
        self.gates.row_selected.connect(self._show_gate)
        self.gates.row_activated.connect(self._go_to_gate)
        self.failing.row_activated.connect(self._go_to_item)
        self._gate: Gate | None = None
        self.splitter = QSplitter(Qt.Orientation.Horizontal)
        self.splitter.setChildrenCollapsible(False)
        self.splitter.setHandleWidth(12)
        self.splitter.addWidget(self.gates)
        self.splitter.addWidget(self.failing)
        self.splitter.setSizes([600, 400])
        self.body.addWidget(self.splitter)

    def show_gates(self, gates: tuple[Gate, ...]) -> None:
        """Show gates, those that block first; the one that was chosen stays chosen."""
        gates = tuple(sorted(gates, key=_urgency))
        rows = [
            (
                Cell(tr("✓ met") if gate.ok else (tr("✗ blocks") if gate.required else tr("! open"))),
                Cell(tr_known(gate.name)),
                Cell(tr_told(gate.reason)),
            )
            for gate in gates
        ]
        before = self._gate
        self.gates.set_rows((tr("state"), tr("gate"), tr("detail")), rows, list(gates), stretch=2)
        blocked = sum(gate.required and not gate.ok for gate in gates)
        blocks = tr_count("{count} gate blocks", "{count} gates block", blocked)
        self.set_trailing(blocks if blocked else tr("ready to release"))
        same = [number for number, gate in enumerate(gates) if before is not None and gate.id == before.id]
        place = same[0] if same else 0
        self.gates.select(place)
        self._show_gate(gates[place])

    def _show_gate(self, gate: Gate) -> None:
        self._gate = gate
        rows = [(Cell(item.title, item.key), Cell(tr_told(item.why))) for item in gate.items]
        self.failing.set_rows((tr("does not meet it"), tr("why")), rows, list(gate.items), stretch=(0, 1))
        self.failing.setVisible(bool(rows))

    def _go_to_gate(self, gate: Gate) -> None:
        if gate.subject_ids:
            self._go(gate, gate.subject_ids[0])
        elif gate.id == "datasheet":
            self.datasheet_wanted.emit()
        elif not gate.ok:
            self.go_to.emit(Destination("Select"))

    def _go_to_item(self, item: GateItem) -> None:
        if self._gate is not None and item.subject_id:
            self._go(self._gate, item.subject_id)
        elif self._gate is not None:
            self._go_to_gate(self._gate)

    def _go(self, gate: Gate, subject_id: str) -> None:
        self.go_to.emit(Destination("Consensus" if gate.id in _TEAM else "Criterion", subject_id))


def _urgency(gate: Gate) -> int:
    return 2 if gate.ok else (0 if gate.required else 1)
