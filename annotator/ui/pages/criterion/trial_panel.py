"""The live trial of a criterion: the scores it gives to stored responses, and one response with its matches."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from PySide6.QtCore import QModelIndex, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QSplitter, QWidget

from annotator.criteria import CriterionScore, RuleResult
from annotator.criteria.metrics.extraction import fenced_code_of
from annotator.services.criterion.blast_radius import BlastRadius, DraftTrial
from annotator.text.diff import changed_parts
from annotator.ui.app.theme.look import Theme
from annotator.ui.app.translation import mark_words, tr, tr_count, translate_word
from annotator.ui.pages.shared.fact_texts import rule_detail
from annotator.ui.widgets.card import Card
from annotator.ui.widgets.code.code_view import CodeView
from annotator.ui.widgets.labels import Segments, button, escape_tool_tip, join_list
from annotator.ui.widgets.layouts import fill_layout, fill_splitter, make_row, make_stack
from annotator.ui.widgets.table import Cell, CellContent, DataTable

_MARGIN = 14
_RADIUS = 4.0
_GRAB_PIXELS = 8
_KEY_STEP = 0.01
_POINT_ROWS = 5
_SORTS_LAST = -2.0
"""Sort value of a missing score, below every score."""


class IntervalPlot(QWidget):
    """Plots the similarity of responses and the interval that maps it to points; ``name`` is its accessible name."""

    moved = Signal(float, float)
    """The interval (low, high) after a line was released."""

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__()
        self._theme = theme
        self._name = name
        self._points: list[tuple[float, str]] = []
        self._low, self._high = 0.3, 0.51
        self._dragged_line = ""
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self._describe()
        theme.changed.connect(self.update)

    @property
    def interval(self) -> tuple[float, float]:
        """The positions of the two lines, (low, high)."""
        return self._low, self._high

    def show_points(self, points: Sequence[tuple[float, str]], low: float, high: float) -> None:
        """Show (value, label) points and the lines; lines being dragged stay."""
        self._points = list(points)
        if not self._dragged_line:
            self._low, self._high = low, high
        self._describe()
        self.update()

    def sizeHint(self) -> QSize:
        """Return the preferred size of the strip."""
        return QSize(320, self._theme.pixels(130))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the interval, the points and the axis."""
        tokens = self._theme.tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        area = self._area()
        low, high = self.x_of(self._low), self.x_of(self._high)
        painter.fillRect(QRectF(area.left(), area.top(), low - area.left(), area.height()), QColor(tokens.bad_ground))
        painter.fillRect(QRectF(low, area.top(), high - low, area.height()), QColor(tokens.attention_ground))
        painter.fillRect(QRectF(high, area.top(), area.right() - high, area.height()), QColor(tokens.good_ground))
        painter.setPen(Qt.PenStyle.NoPen)
        for number, (value, _) in enumerate(self._points):
            # Points are spread over a few rows, so that equal similarities do not hide each other.
            row = number % _POINT_ROWS
            y = area.top() + area.height() * (0.15 + 0.7 * row / (_POINT_ROWS - 1))
            if value <= self._low:
                colour = tokens.bad
            elif value >= self._high:
                colour = tokens.good
            else:
                colour = tokens.attention
            painter.setBrush(QColor(colour))
            painter.drawEllipse(QPointF(self.x_of(value), y), _RADIUS, _RADIUS)
        for name, x in (("low", low), ("high", high)):
            width = 3 if self._dragged_line == name else 2
            painter.setPen(QPen(QColor(tokens.accent if self.hasFocus() else tokens.text), width))
            painter.drawLine(QPointF(x, area.top() - 4), QPointF(x, area.bottom() + 4))
        painter.setPen(QColor(tokens.dim))
        for tick in range(6):
            value = tick / 5
            box = QRectF(self.x_of(value) - 20, area.bottom() + 4, 40, 18)
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, f"{value:g}")
        painter.setPen(QColor(tokens.text))
        text = tr("no points below {low}, all points above {high}", low=f"{self._low:.2f}", high=f"{self._high:.2f}")
        painter.drawText(QRectF(area.left(), 0, area.width(), area.top() - 4), Qt.AlignmentFlag.AlignLeft, text)
        painter.end()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Grab the nearer line."""
        x = event.position().x()
        distances = {"low": abs(x - self.x_of(self._low)), "high": abs(x - self.x_of(self._high))}
        nearest = min(distances, key=lambda name: distances[name])
        if distances[nearest] <= _GRAB_PIXELS:
            self._dragged_line = nearest
            self.update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Drag the line, or show the labels of points under the pointer."""
        x = event.position().x()
        if self._dragged_line:
            self._move_line(self._dragged_line, self._value_at(x))
            return
        is_near_line = min(abs(x - self.x_of(self._low)), abs(x - self.x_of(self._high))) <= _GRAB_PIXELS
        self.setCursor(Qt.CursorShape.SplitHCursor if is_near_line else Qt.CursorShape.ArrowCursor)
        tips = [f"{label}: {value:.3f}" for value, label in self._points if abs(self.x_of(value) - x) <= _RADIUS]
        self.setToolTip(escape_tool_tip("\n".join(tips[:8])))

    def mouseReleaseEvent(self, _event: QMouseEvent) -> None:
        """Release the line."""
        if self._dragged_line:
            self._dragged_line = ""
            self.update()
            self.moved.emit(*self.interval)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move the lower line with the Left and Right keys, with Shift the upper one."""
        steps = {Qt.Key.Key_Left: -_KEY_STEP, Qt.Key.Key_Right: _KEY_STEP}
        step = steps.get(Qt.Key(event.key()))
        if step is None:
            super().keyPressEvent(event)
            return
        is_upper_line = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if is_upper_line:
            self._move_line("high", self._high + step)
        else:
            self._move_line("low", self._low + step)
        self.moved.emit(*self.interval)

    def _move_line(self, name: str, value: float) -> None:
        value = round(min(1.0, max(0.0, value)), 2)
        if name == "low":
            self._low = min(value, round(self._high - _KEY_STEP, 2))
        else:
            self._high = max(value, round(self._low + _KEY_STEP, 2))
        self._describe()
        self.update()

    def _describe(self) -> None:
        no_points_count = sum(value <= self._low for value, _ in self._points)
        all_points_count = sum(value >= self._high for value, _ in self._points)
        self.setAccessibleName(self._name)
        self.setAccessibleDescription(
            tr(
                "{count} answers: {nothing} get no points (below {low}), {everything} get all points (above {high}). "
                "The left and right keys move the lower line, with Shift the upper one.",
                count=len(self._points),
                nothing=no_points_count,
                low=f"{self._low:.2f}",
                everything=all_points_count,
                high=f"{self._high:.2f}",
            )
        )

    def _area(self) -> QRectF:
        top = self.fontMetrics().height() + 8
        return QRectF(_MARGIN, top, self.width() - 2 * _MARGIN, max(20, self.height() - top - 28))

    def x_of(self, value: float) -> float:
        """Return the x position of a value, in pixels from the left."""
        area = self._area()
        return area.left() + area.width() * min(1.0, max(0.0, value))

    def _value_at(self, x: float) -> float:
        area = self._area()
        return (x - area.left()) / max(1.0, area.width())


TRIAL, SIMILARITY = 0, 1

_MIN_COLUMN_WIDTH = 60
"""Minimum width in pixels of a rule and of its reason; small enough to fit a small screen side by side."""


class TriedAnswers(QSplitter):
    """The reference and the stored responses of an item with their scores, and one of them in full."""

    tests_requested = Signal()
    rule_requested = Signal(str)
    """Selected text that should become a rule."""
    example_requested = Signal(str, str)
    """A response that should become an example, and "pass" or "fail"."""
    line_chosen = Signal(object)
    """The line in the criterion that defines a rule."""
    interval_moved = Signal(float, float)
    """The new interval: no points up to the first similarity, all points from the second."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(Qt.Orientation.Vertical)
        self.trial: DraftTrial | None = None
        """The trial of the current document."""
        self._tried_text: str | None = None
        self.top = Card()
        self.faces = Segments(tr("Tried"), (tr("Tried on"), tr("Similarity")), selected=self._show_face)
        self.run_tests_button = button(tr("Run tests"), "Ctrl+R", clicked=self.tests_requested)
        self.run_tests_button.hide()
        self.top.head.insertWidget(0, self.faces)
        self.top.head.addWidget(self.run_tests_button)
        self.responses = DataTable(tr("Responses and their scores"), selected=self.show_response)
        self.similarity = IntervalPlot(theme, tr("Similarity of the responses"))
        self.similarity.moved.connect(self.interval_moved)
        self.stack = make_stack(self.responses, self.similarity)
        self.faces.set_shown(SIMILARITY, False)
        fill_layout(self.top.body, (self.stack, 1))
        self.card = Card(tr("Response"))
        self.response = CodeView(theme, tr("Response with matches"), language="markdown", wrap=True)
        self.response.selectionChanged.connect(self._selection_changed)
        self.rules = DataTable(tr("Rules and their points"), selected=self._mark_rule, activated=self._choose_rule)
        self.make_rule_button = button(tr("Make a rule"), clicked=self.rule_from_selection)
        self.make_rule_button.setToolTip(tr("Make the selection in the response a keyword rule (Ctrl+E)"))
        self.make_rule_button.setEnabled(False)
        self.must_pass_button = button(tr("Must pass"), clicked=partial(self._make_example, "pass"))
        self.must_fail_button = button(tr("Must fail"), clicked=partial(self._make_example, "fail"))
        answer_buttons = make_row(self.make_rule_button, self.must_pass_button, self.must_fail_button, 1)
        fill_layout(self.card.body, (self.response, 3), answer_buttons, (self.rules, 1))
        fill_splitter(self, self.top, self.card, sizes=(270, 490))

    def rule_from_selection(self) -> None:
        """Request a rule from the text selected in the response."""
        text = self.response.textCursor().selectedText().replace("\u2029", "\n")
        if text.strip():
            self.rule_requested.emit(text.strip())

    def select_when_tried(self, text: str) -> None:
        """Select no answer until the next trial, then the one with a text."""
        self._tried_text = text
        self.responses.setCurrentIndex(QModelIndex())

    def show_trial(self, trial: DraftTrial | None) -> None:
        """Show the scores of the current document, beside those of the saved criterion where they differ."""
        self.trial = trial
        if trial is None:
            self.responses.set_rows((), [], [])
            self.show_response(None)
            return
        document = trial.checked.document
        self.run_tests_button.setVisible(document is not None and document.needs_sandbox)
        self.faces.set_shown(SIMILARITY, bool(trial.similarities))
        if document is not None and trial.similarities:
            rule = document.similarity[0]
            points = list(zip(trial.similarities, trial.names, strict=True))
            self.similarity.show_points(points, rule.min_score, rule.max_score)
        elif self.faces.current == SIMILARITY:
            self.faces.choose(TRIAL)
        selected_row: int | None = self.responses.current_payload()
        if selected_row is None:
            selected_row = trial.texts.index(self._tried_text) if self._tried_text in trial.texts else 0
        changed = [_score_of(old) != _score_of(new) for old, new in zip(trial.before, trial.scores, strict=False)]
        headers = ("response", "outcome", "score", *(mark_words("before") if any(changed) else ()))
        rows = []
        for index, name in enumerate(trial.names):
            scored = trial.scores[index] if trial.scores else None
            row: list[CellContent] = [translate_word(name), _outcome_word(scored), _score_cell(scored)]
            if any(changed):
                row.append(_score_cell(trial.before[index]) if changed[index] else Cell("", _SORTS_LAST))
            rows.append(row)
        self.responses.set_rows(headers, rows, range(len(rows)))
        self.top.set_trailing(_response_count_text(len(rows)) if self.faces.current == TRIAL else "")
        self.responses.select(min(selected_row, len(rows) - 1))

    def show_response(self, index: int | None) -> None:
        """Show one response with its matches."""
        if self.trial is None or index is None:
            self.response.set_code("")
            self.rules.set_rows((), [], [])
            return
        self._allow_examples(True)
        trial = self.trial
        self.card.set_title(translate_word(trial.names[index]))
        self.response.set_code(trial.texts[index], "markdown")
        scored = trial.scores[index] if trial.scores else None
        rules = scored.rules if scored else ()
        matches = [(start, end, "good") for rule in rules for start, end in rule.spans]
        changes = self._changed_places(trial.texts[index]) if trial.texts[index] == self._tried_text else []
        self.response.set_marks(matches + [(start, end, "attention") for start, end in changes])
        if changes:
            self.response.go_to_line(trial.texts[index].count("\n", 0, changes[0][0]) + 1)
        rows = [
            (
                _match_word(rule),
                rule.label,
                Cell(tr("{points} of {total}", points=f"{rule.points:g}", total=f"{rule.total:g}"), rule.points),
                rule.why or rule_detail(rule),
            )
            for rule in rules
        ]
        payloads: list[RuleResult | None] = [*rules]
        if scored is not None and scored.score is None:
            rows.append((tr("not scored"), scored.reason, Cell("", 0.0), ""))
            payloads.append(None)
        self.rules.set_rows(
            mark_words("found", "rule", "points", "why"),
            rows,
            payloads,
            stretch=(1, 3),
            min_width=_MIN_COLUMN_WIDTH,
        )

    def show_facts(self, facts: dict[str, Any]) -> None:
        """Show what a row of a proof says beside its answer.

        ``facts`` are ``missing``, ``executed`` and ``partial`` lines of the reference for its test coverage, or the
        ``program`` with the output ``seen``.
        """
        output_lines: list[str] = []
        if "missing" in facts and self.trial is not None and self.trial.texts:
            self.card.set_title(tr("The reference's code, with the lines that the tests ran"))
            self.response.set_code(fenced_code_of(self.trial.texts[0]).strip("\n"), "python")
            self.response.set_coverage(facts["executed"], facts["missing"], facts["partial"])
        elif "program" in facts:
            self.card.set_title(tr("The program as it ran"))
            self.response.set_code(facts["program"], "python")
            output_lines = [line for line in str(facts["seen"]).splitlines() if line.strip()]
        else:
            return
        # No answer is on screen, so none is selected, and none can become an example.
        self._allow_examples(False)
        self.responses.setCurrentIndex(QModelIndex())
        self.rules.set_rows(mark_words("result"), [(line,) for line in output_lines], [None] * len(output_lines))

    def _changed_places(self, answer: str) -> list[tuple[int, int]]:
        """Return where an answer made from the reference differs from it."""
        reference = self.trial.texts[0] if self.trial is not None and self.trial.texts else ""
        changes = [part for part in changed_parts(reference, answer) if part.text.strip()]
        # An answer not made from the reference shares little with it; marking nearly all of it would not help.
        if sum(len(part.text) for part in changes) > len(answer) // 2:
            return []
        return [(part.b_start, part.b_start + len(part.text) * (part.kind == "added")) for part in changes]

    def _choose_rule(self, rule: RuleResult | None) -> None:
        self.line_chosen.emit(rule.line if rule is not None else 1)

    def _mark_rule(self, rule: RuleResult | None) -> None:
        """Mark what a rule matched, and go to the first place."""
        index: int | None = self.responses.current_payload()
        if rule is None or not rule.spans or self.trial is None or index is None:
            return
        scored = self.trial.scores[index]
        rules = scored.rules if scored else ()
        self.response.set_marks(
            [(start, end, "attention" if other == rule else "good") for other in rules for start, end in other.spans]
        )
        self.response.go_to_line(self.response.toPlainText().count("\n", 0, rule.spans[0][0]) + 1)

    def _allow_examples(self, allowed: bool) -> None:
        self.must_pass_button.setEnabled(allowed)
        self.must_fail_button.setEnabled(allowed)

    def _show_face(self, face: int) -> None:
        self.stack.setCurrentIndex(face)
        count = len(self.trial.names) if self.trial else 0
        self.top.set_trailing(_response_count_text(count) if face == TRIAL and count else "")
        if face == TRIAL and self.responses.currentIndex().isValid():
            self.show_response(self.responses.current_payload())

    def _selection_changed(self) -> None:
        self.make_rule_button.setEnabled(self.response.textCursor().hasSelection())

    def _make_example(self, verdict: str, _checked: bool = False) -> None:
        text = self.response.toPlainText()
        if text.strip():
            self.example_requested.emit(text, verdict)


def _score_of(scored: CriterionScore | None) -> float | None:
    return scored.score if scored else None


def _score_cell(scored: CriterionScore | None) -> Cell:
    value = _score_of(scored)
    return Cell("n/a", _SORTS_LAST) if value is None else Cell(f"{value:.2f}", value)


def _outcome_word(scored: CriterionScore | None) -> str:
    value = _score_of(scored)
    if value is None:
        return tr("not scored")
    if value >= 1:
        return tr("pass ✓")
    return tr("partial") if value > 0 else tr("fail ✗")


def _match_word(rule: RuleResult) -> str:
    if rule.matched is None:
        return tr("not judged")
    return tr("✓ yes") if rule.matched else tr("✗ no")


def _response_count_text(count: int) -> str:
    return tr_count("{count} response", "{count} responses", count)


def describe_blast_radius(radius: BlastRadius | None) -> str:
    """Return the effect of saving on recorded runs as a sentence."""
    if radius is None:
        return ""
    if radius.unscored == radius.responses:
        return tr("Run the tests to see what saving changes in runs of release {version}.", version=radius.version)
    if not radius.changed:
        text = tr(
            "Saving leaves the scores of all {responses} responses in runs of release {version} unchanged.",
            responses=radius.responses,
            version=radius.version,
        )
    else:
        text = tr(
            "Saving changes {changed} of {responses} responses in runs of release {version}; {flips} switch between "
            "passing and failing.",
            changed=radius.changed,
            responses=radius.responses,
            version=radius.version,
            flips=radius.flips,
        )
        moves = [
            tr("{model} {before} to {after}", model=move.model, before=move.before, after=move.after)
            for move in radius.ranks
        ]
        text += tr(" Ranks: {list}.", list=join_list(moves)) if moves else tr(" No rank changes.")
    if radius.unscored:
        text += tr(" {unscored} could not be scored here.", unscored=radius.unscored)
    return text
