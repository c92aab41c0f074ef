"""The proof of a criterion as a truth table: what was tried, what was expected, what came of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from annotator.ui.widgets.labels import begun, button, label
from annotator.ui.widgets.table import Cell, DataTable
from annotator.ui.words import tr, tr_known, tr_later, tr_told

if TYPE_CHECKING:
    from annotator.model.rows import Changes
    from annotator.model.view_rows import ProvedRow

_WORDS = {
    "pass": tr_later("✓ holds"),
    "fail": tr_later("✗ fails"),
    "open": tr_later("? open"),
    "machinery": tr_later("! not tried"),
}


class ProofPanel(QWidget):
    """Shows checks and their trials; an answer that was tried can be looked at."""

    prove_asked = Signal()
    answer_chosen = Signal(object)
    """(label, answer, facts of the check) of the row that was chosen."""
    test_wanted = Signal(object)
    """Code of a test that would notice what the tests do not."""

    def __init__(self) -> None:
        """Show no proof yet."""
        super().__init__()
        self.state = label("", wrap=True)
        self.prove = button(tr("Prove"), "Ctrl+P")
        self.prove.clicked.connect(self.prove_asked)
        self.table = DataTable(tr("Checks of the proof and what was tried"))
        self.table.row_selected.connect(self._chosen)
        self._test = ""
        self.add_test = button(tr("Add this test"))
        self.add_test.setToolTip(tr("Add a test that notices the change chosen here"))
        self.add_test.clicked.connect(self._ask_test)
        self.add_test.hide()
        head = QHBoxLayout()
        head.addWidget(self.state, 1)
        head.addWidget(self.add_test)
        head.addWidget(self.prove)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.addLayout(head)
        layout.addWidget(self.table, 1)

    def show_proof(self, checks: Sequence[dict[str, Any]], state: str) -> None:
        """Show the checks of a proof, and in a sentence whether it holds."""
        self.state.setText(state)
        rows: list[tuple[Cell, ...]] = []
        payloads: list[Any] = []
        for check in checks:
            word = tr_known(_WORDS[check["outcome"]])
            need = "" if check["required"] else tr(" (advice)")
            rows.append(
                (Cell(f"{tr_told(check['title'])}{need}"), Cell(word), Cell(""), Cell(tr_told(check["summary"])))
            )
            payloads.append((check["title"], "", check["facts"], ""))
            for trial in check["trials"]:
                score = "n/a" if trial["score"] is None else f"{trial['score']:.2f}"
                rows.append(
                    (
                        Cell(f"    {tr_told(trial['label'])}"),
                        Cell(_got(trial)),
                        Cell(score, trial["score"] if trial["score"] is not None else -1.0),
                        Cell(trial["detail"]),
                    )
                )
                payloads.append((trial["label"], trial.get("answer", ""), {}, trial.get("test", "")))
        self.table.set_rows((tr("check"), tr("outcome"), tr("score"), tr("what was seen")), rows, payloads, stretch=3)

    def set_busy(self, busy: bool) -> None:
        """Say that a proof is being made."""
        self.prove.setEnabled(not busy)
        if busy:
            self.state.setText(tr("Proving…"))

    def _chosen(self, payload: Any) -> None:
        if payload is not None:
            *shown, self._test = payload
            self.add_test.setVisible(bool(self._test))
            self.answer_chosen.emit(tuple(shown))

    def _ask_test(self) -> None:
        self.test_wanted.emit(self._test)


def _got(trial: dict[str, Any]) -> str:
    if trial["kind"] == "mutant":
        return tr("? may be the same") if trial["ok"] is None else tr("✗ not noticed")
    got = tr("! not tried") if trial["ok"] is None else "✓" if trial["ok"] else "✗"
    return tr("{got} must {expected}", got=got, expected=trial["expected"])


def not_proven(checks: Sequence[dict[str, Any]]) -> str:
    """Say that a proof failed, and which check that it needs was the first to fail."""
    for check in checks:
        if check["required"] and check["outcome"] != "pass":
            return tr(
                "Not proven. “{check}” does not hold: {summary}",
                check=tr_told(check["title"]),
                summary=tr_told(check["summary"]),
            )
    return tr("Not proven: see what fails.")


def proof_words(result: tuple[Sequence[ProvedRow], Changes]) -> str:
    """Say what came of a proof when its job has ended."""
    said = [
        tr("Proven: {title}", title=begun(row.title))
        if row.outcome == "pass"
        else tr("Not proven: {title} · {reason}", title=begun(row.title), reason=tr_told(row.reason))
        for row in result[0]
    ]
    return " · ".join(said)
