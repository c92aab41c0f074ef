"""The proof of a criterion as a truth table: what was tried, what was expected, what came of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from annotator.criteria.proof.checks import STRENGTH
from annotator.model.changes import Changes
from annotator.model.rows.views import ProofRow, ProvedRow
from annotator.services.criterion.failed_trials import PROGRAMS
from annotator.ui.app.translation import mark_for_translation, tr, tr_message, translate_word
from annotator.ui.widgets.labels import button, label, say, shorten_end
from annotator.ui.widgets.layouts import arrange
from annotator.ui.widgets.table import Cell, DataTable

_WORDS = {
    "pass": mark_for_translation("✓ holds"),
    "fail": mark_for_translation("✗ fails"),
    "open": mark_for_translation("? open"),
    "machinery": mark_for_translation("! not tried"),
}

_CHECK_PIXELS = 190
"""What a check is called, and what was seen, can be read in so many pixels; what was seen is left out before."""

_MOST_LINES = 6

_Payload = tuple[str, str, dict[str, Any], str, str, str]
"""Label, answer, facts of the check, the test and the keyword that would notice, and what was seen."""


class ProofPanel(QWidget):
    """Shows checks and their trials; an answer that was tried can be looked at."""

    proof_requested = Signal()
    answer_chosen = Signal(str, str, dict)
    """Label, answer, and facts of the check of the row that was chosen."""
    test_requested = Signal(str)
    """Code of a test that would notice what the tests do not."""
    keyword_requested = Signal(str)
    """A word that no rule asks for."""

    def __init__(self) -> None:
        """Show no proof yet."""
        super().__init__()
        self.state = label("", wrap=True)
        self.prove = button(tr("Prove"), "Ctrl+P", clicked=self.proof_requested)
        self.table = DataTable(tr("Checks of the proof and what was tried"), selected=self._chosen)
        self.table.least_rows = 2
        self._test = self._keyword = ""
        self.add_test = button(tr("Add this test"), tip=tr("Add a test that notices the change chosen here"))
        self.add_test.clicked.connect(self._ask_test)
        self.add_test.hide()
        self.add_keyword = button(tr("Add this keyword"), tip=tr("Add a rule that asks for the word chosen here"))
        self.add_keyword.clicked.connect(self._ask_keyword)
        self.add_keyword.hide()
        acts = arrange(QHBoxLayout(), None, self.add_test, self.add_keyword, spacing=6)
        # Whole, wherever the column for it has no room.
        self.seen = label("", "dim", wrap=True)
        self.seen.hide()
        # The key to prove is in the head of the card: the sentence has the whole width.
        arrange(QVBoxLayout(self), self.state, (self.table, 1), self.seen, acts, spacing=4)

    def show_kept(self, proof: ProofRow | None, *, edited: bool = False) -> None:
        """Show the proof that is kept, and whether it still holds; for an ``edited`` document none does."""
        if proof is None:
            state = tr("Not proven yet.")
        elif edited or not proof.holds:
            state = tr("The proof is of an earlier criterion or prompt. Prove it again.")
        else:
            state = (describe_success if proof.outcome == "pass" else describe_failure)(proof.checks)
        self.show_proof(proof.checks if proof else (), state)

    def show_proof(self, checks: Sequence[dict[str, Any]], state: str) -> None:
        """Show the checks of a proof, and in a sentence whether it holds."""
        self.state.setText(state)
        say(self.seen, "")
        self._keep_whole()
        rows: list[tuple[Cell, ...]] = []
        payloads: list[_Payload] = []
        for check in checks:
            word = translate_word(_WORDS[check["outcome"]])
            need = "" if check["required"] else tr(" (advice)")
            title = f"{translate_word(check['title'])}{need}"
            seen = tr_message(check["summary"])
            rows.append((Cell(word), Cell(title), Cell(""), Cell(seen)))
            payloads.append((check["title"], "", check["facts"], "", "", seen))
            programs = check["facts"].get(PROGRAMS, {})
            for trial in check["trials"]:
                points = trial["score"]
                score = Cell("n/a", -1.0) if points is None else Cell(f"{points:.2f}", points)
                name = f"    {translate_word(trial['label'])}"
                rows.append((Cell(_got(trial)), Cell(name), score, Cell(trial["detail"])))
                notices = trial.get("test", ""), trial.get("keyword", "")
                program = programs.get(trial["label"])
                ran = {"program": program, "seen": trial["detail"]} if program else {}
                payloads.append((trial["label"], trial.get("answer", ""), ran, *notices, trial["detail"]))
        headers = (tr("outcome"), tr("check"), tr("score"), tr("what was seen"))
        self.table.set_rows(headers, rows, payloads, stretch=(1, 3), min_width=_CHECK_PIXELS, spare=(2, 3))
        failed = translate_word(_WORDS["fail"])
        self.table.scroll_to(next((at for at, row in enumerate(rows) if row[0].text == failed), 0))

    def set_busy(self, busy: bool) -> None:
        """Say that a proof is being made."""
        self.prove.setEnabled(not busy)
        if busy:
            self.state.setText(tr("Proving…"))
            self._keep_whole()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Let the sentences have as many lines as they take at this width."""
        super().resizeEvent(event)
        self._keep_whole()

    def _keep_whole(self) -> None:
        """Ask for the height of the sentences: splitters do not ask how high a text is at a width."""
        for told in (self.state, self.seen):
            most = _MOST_LINES * told.fontMetrics().lineSpacing()
            told.setMinimumHeight(min(told.heightForWidth(self.width()), most) if told.text() else 0)

    def _chosen(self, payload: _Payload) -> None:
        label, answer, facts, self._test, self._keyword, seen = payload
        say(self.seen, seen)
        self._keep_whole()
        self.add_test.setVisible(bool(self._test))
        self.add_keyword.setVisible(bool(self._keyword))
        self.answer_chosen.emit(label, answer, facts)

    def _ask_test(self) -> None:
        self.test_requested.emit(self._test)

    def _ask_keyword(self) -> None:
        self.keyword_requested.emit(self._keyword)


def _got(trial: dict[str, Any]) -> str:
    if trial["kind"] in ("mutant", "word") and not trial["ok"]:
        return tr("✗ not noticed") if trial["ok"] is False else tr("? may be the same")
    got = tr("! not tried") if trial["ok"] is None else "✓" if trial["ok"] else "✗"
    return tr("{got} must {expected}", got=got, expected=trial["expected"])


def describe_failure(checks: Sequence[dict[str, Any]]) -> str:
    """Say that a proof failed, and which check that it needs was the first to fail."""
    for check in checks:
        if check["required"] and check["outcome"] != "pass":
            return tr(
                "Not proven. “{check}” does not hold: {summary}",
                check=translate_word(check["title"]),
                summary=tr_message(check["summary"]),
            )
    return tr("Not proven: see what fails.")


def describe_success(checks: Sequence[dict[str, Any]]) -> str:
    """Say that a proof holds, and what is wrong and passes all the same."""
    weak = next((item for item in checks if item["name"] in STRENGTH and item["outcome"] == "fail"), None)
    if weak is None:
        return tr("Proven.")
    return tr(
        "Weak. Everything needed holds, but “{check}” does not: {summary}",
        check=translate_word(weak["title"]),
        summary=tr_message(weak["summary"]),
    )


def describe_proofs(result: tuple[Sequence[ProvedRow], Changes]) -> str:
    """Say what came of a proof when its job has ended."""
    said = [
        _proven(row)
        if row.outcome == "pass"
        else tr("Not proven: {title} · {reason}", title=shorten_end(row.title), reason=tr_message(row.reason))
        for row in result[0]
    ]
    return " · ".join(said)


def describe_all_proofs(result: tuple[Sequence[ProvedRow], Changes]) -> str:
    """Say what came of proving all that was not proven yet."""
    rows = result[0]
    if not rows:
        return tr("Nothing was left to prove.")
    proven = [row for row in rows if row.outcome == "pass"]
    return tr(
        "{count} of {tried} proven, {weak} of them weak.",
        count=len(proven),
        tried=len(rows),
        weak=sum(bool(row.weakness) for row in proven),
    )


def _proven(row: ProvedRow) -> str:
    if row.weakness:
        return tr("Weak: {title} · {reason}", title=shorten_end(row.title), reason=tr_message(row.weakness))
    return tr("Proven: {title}", title=shorten_end(row.title))
