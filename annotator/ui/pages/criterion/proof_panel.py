"""The table that shows a criterion's proof: each check with its trials, expectations and outcomes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from annotator.criteria.proof.proof_checks import IMPOSTOR_SHARE, STRENGTH
from annotator.model.changes import Changes
from annotator.model.rows.view_rows import ProofRow, ProvedRow
from annotator.services.criterion.proofs import PROGRAMS
from annotator.ui.app.translation import mark_for_translation, mark_words, tr, tr_count, tr_message, translate_word
from annotator.ui.widgets.labels import OptionalLabel, button, label, shorten_end
from annotator.ui.widgets.layouts import fill_column, make_row
from annotator.ui.widgets.table import Cell, CellContent, DataTable

_OUTCOME_WORDS = {
    "pass": mark_for_translation("✓ passed"),
    "fail": mark_for_translation("✗ fails"),
    "open": mark_for_translation("? open"),
    "machinery": mark_for_translation("! not tried"),
}

_CHECK_PIXELS = 160
"""Minimum readable width of a check's name and of its summary; a narrower table leaves the summary out."""

_MAX_LINES = 6


class _CheckTableRow(NamedTuple):
    """A row of the table; ``test`` and ``keyword`` would catch the change that the criterion does not notice."""

    label: str
    answer: str
    facts: dict[str, Any]
    test: str
    keyword: str
    summary: str


class ProofPanel(QWidget):
    """Shows checks and their trials, whose answers can be opened."""

    proof_requested = Signal()
    answer_chosen = Signal(str, str, dict)
    """Label, answer and facts of the selected row."""
    test_requested = Signal(str)
    """Code of a test that would catch a change the tests miss."""
    keyword_requested = Signal(str)
    """A word that no rule requires."""

    def __init__(self) -> None:
        super().__init__()
        self.state = label("", wrap=True)
        self.prove_button = button(tr("Prove"), "Ctrl+P", clicked=self.proof_requested)
        # Not sortable, because each check is followed by its trials.
        name = tr("Checks of the proof and tried answers")
        self.table = DataTable(name, selected=self._choose_row, is_sortable=False)
        self.table.min_rows = 2
        self._test = self._keyword = ""
        tip = tr("Add a test that notices the change chosen here")
        self.add_test_button = button(tr("Add this test"), tip=tip, clicked=self._request_test)
        tip = tr("Add a rule that requires the word chosen here")
        self.add_keyword_button = button(tr("Add this keyword"), tip=tip, clicked=self._request_keyword)
        for proposal_button in (self.add_test_button, self.add_keyword_button):
            proposal_button.hide()
        proposal_buttons = make_row(None, self.add_test_button, self.add_keyword_button, spacing=6)
        # The selected row's summary in full, because its column may be too narrow.
        self.full_summary = OptionalLabel("dim")
        # The button to prove is in the step's row, so that the sentence has the full width.
        fill_column(self, self.state, (self.table, 1), self.full_summary, proposal_buttons, spacing=4)

    def show_saved(self, proof: ProofRow | None, *, edited: bool = False) -> None:
        """Show the saved proof and whether it still holds; it never holds for an ``edited`` document."""
        if proof is None:
            state = tr("Not proven yet.")
        elif edited or not proof.holds:
            state = tr("The proof is of an earlier criterion, prompt, reference or test. Prove it again.")
        else:
            describe = describe_passed_proof if proof.outcome == "pass" else describe_failed_proof
            state = describe(proof.checks)
        self.show_proof(proof.checks if proof else (), state)

    def show_proof(self, checks: Sequence[dict[str, Any]], state: str) -> None:
        """Show the checks of a proof and a sentence with its state."""
        self.state.setText(state)
        self.full_summary.setText("")
        self._fit_sentences()
        rows: list[tuple[str, str, CellContent, str]] = []
        payloads: list[_CheckTableRow] = []
        for check in checks:
            word = translate_word(_OUTCOME_WORDS[check["outcome"]])
            advice_suffix = "" if check["required"] else tr(" (advice)")
            title = f"{translate_word(check['title'])}{advice_suffix}"
            summary = tr_message(check["summary"])
            rows.append((word, title, "", summary))
            payloads.append(_CheckTableRow(check["title"], "", check["facts"], "", "", summary))
            programs = check["facts"].get(PROGRAMS, {})
            for trial in check["trials"]:
                points = trial["score"]
                score = Cell("n/a", -1.0) if points is None else Cell(f"{points:.2f}", points)
                name = f"    {translate_word(trial['label'])}"
                rows.append((_trial_outcome_text(trial), name, score, trial["detail"]))
                program = programs.get(trial["label"])
                payloads.append(
                    _CheckTableRow(
                        label=trial["label"],
                        answer=trial.get("answer", ""),
                        facts={"program": program, "seen": trial["detail"]} if program else {},
                        test=trial.get("test", ""),
                        keyword=trial.get("keyword", ""),
                        summary=trial["detail"],
                    )
                )
        headers = mark_words("outcome", "check", "score", "result")
        self.table.set_rows(headers, rows, payloads, stretch=(1, 3), min_width=_CHECK_PIXELS, spare=(2, 3))
        failed = translate_word(_OUTCOME_WORDS["fail"])
        self.table.scroll_to(next((index for index, row in enumerate(rows) if row[0] == failed), 0))

    def set_busy(self, is_busy: bool) -> None:
        """Show whether a proof is running."""
        self.prove_button.setEnabled(not is_busy)
        if is_busy:
            self.state.setText(tr("Proving…"))
            self._fit_sentences()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Adjust the height of the sentences to the new width."""
        super().resizeEvent(event)
        self._fit_sentences()

    def _fit_sentences(self) -> None:
        """Set the minimum heights of the sentences, because splitters ignore height for width."""
        for sentence in (self.state, self.full_summary):
            max_height = _MAX_LINES * sentence.fontMetrics().lineSpacing()
            # A label never asks for less than its minimum height, which is that of the sentence before.
            sentence.setMinimumHeight(0)
            sentence.setMinimumHeight(min(sentence.heightForWidth(self.width()), max_height) if sentence.text() else 0)

    def _choose_row(self, row: _CheckTableRow) -> None:
        self._test, self._keyword = row.test, row.keyword
        self.full_summary.setText(row.summary)
        self._fit_sentences()
        self.add_test_button.setVisible(bool(self._test))
        self.add_keyword_button.setVisible(bool(self._keyword))
        self.answer_chosen.emit(row.label, row.answer, row.facts)

    def _request_test(self) -> None:
        self.test_requested.emit(self._test)

    def _request_keyword(self) -> None:
        self.keyword_requested.emit(self._keyword)


def _trial_outcome_text(trial: dict[str, Any]) -> str:
    if trial["kind"] in ("mutant", "word") and not trial["ok"]:
        return tr("✗ not noticed") if trial["ok"] is False else tr("? may be equivalent")
    if trial["kind"] == "stuffing" and trial["ok"] and trial["score"] > IMPOSTOR_SHARE:
        # A criterion that only searches for words cannot fail all its words strung together.
        return tr("✓ may pass")
    if trial["ok"] is None:
        sign = tr("! not tried")
    elif trial["ok"]:
        sign = "✓"
    else:
        sign = "✗"
    return tr("{sign} must {expected}", sign=sign, expected=translate_word(trial["expected"]))


def describe_failed_proof(checks: Sequence[dict[str, Any]]) -> str:
    """Return a sentence with the first required check that failed."""
    for check in checks:
        if check["required"] and check["outcome"] != "pass":
            return tr(
                "Not proven. “{check}” failed: {summary}",
                check=translate_word(check["title"]),
                summary=tr_message(check["summary"]),
            )
    return tr("Not proven: see what fails.")


def describe_passed_proof(checks: Sequence[dict[str, Any]]) -> str:
    """Return a sentence that the proof holds, and which weakness it shows, if any."""
    weak = next((item for item in checks if item["name"] in STRENGTH and item["outcome"] == "fail"), None)
    if weak is None:
        return tr("Proven.")
    return tr(
        "Weak. All required checks pass, but “{check}” does not: {summary}",
        check=translate_word(weak["title"]),
        summary=tr_message(weak["summary"]),
    )


def describe_proofs(result: tuple[Sequence[ProvedRow], Changes]) -> str:
    """Return the outcome of a proof job as a sentence."""
    sentences = [
        _describe_proven(row)
        if row.outcome == "pass"
        else tr("Not proven: {title} · {reason}", title=shorten_end(row.title), reason=tr_message(row.reason))
        for row in result[0]
    ]
    return " · ".join(sentences)


def describe_all_proofs(result: tuple[Sequence[ProvedRow], Changes]) -> str:
    """Return the outcome of proving all subjects as a sentence."""
    rows = result[0]
    if not rows:
        return tr("Everything is already proven.")
    proven = [row for row in rows if row.outcome == "pass"]
    text = tr(
        "{count} of {tried} proven, {weak} of them weak.",
        count=len(proven),
        tried=len(rows),
        weak=sum(bool(row.weakness) for row in proven),
    )
    unchanged = sum(row.unchanged for row in rows)
    if unchanged:
        text += " " + tr_count(
            "{count} failed before, has not changed and was not tried again.",
            "{count} failed before, have not changed and were not tried again.",
            unchanged,
        )
    return text


def _describe_proven(row: ProvedRow) -> str:
    if row.weakness:
        return tr("Weak: {title} · {reason}", title=shorten_end(row.title), reason=tr_message(row.weakness))
    return tr("Proven: {title}", title=shorten_end(row.title))
