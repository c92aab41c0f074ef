"""The lower half of the Bugs page: a bug's proof with timing and test results, and the review form."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QAction, QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QCheckBox, QComboBox, QMenu, QPushButton, QSizePolicy, QWidget

from annotator.construction.bugs.taxonomy import KEY_BY_FAMILY, note_message
from annotator.model.rows.bug_rows import ASPECTS, LABELS, REASONS, SEVERAL, BugReviewRow, BugRow, BugView
from annotator.text.diff import changed_parts
from annotator.ui.app.session.draft_keeper import DraftKeeper
from annotator.ui.app.theme.look import Theme
from annotator.ui.app.translation import mark_for_translation, mark_words, tr, tr_count, tr_message, translate_word
from annotator.ui.widgets.card import Card
from annotator.ui.widgets.code.code_view import CodeView
from annotator.ui.widgets.draft_field import DraftBar, DraftDot, DraftField
from annotator.ui.widgets.fields import box_value, choice_box, debounce, make_editable
from annotator.ui.widgets.labels import Kind, OptionalLabel, Segments, escape_tool_tip, join_list, label
from annotator.ui.widgets.layouts import FlowLayout, fill_column, fill_layout, make_column, make_scroll, make_stack
from annotator.ui.widgets.line_queue import QueueLine
from annotator.ui.widgets.table import DataTable

KIND_WORDS: dict[str, str] = {
    "logic.condition": mark_for_translation("Wrong condition"),
    "logic.operation": mark_for_translation("Wrong operation"),
    "logic.offbyone": mark_for_translation("Off by one"),
    "logic.control": mark_for_translation("Wrong control flow"),
    "logic.missing": mark_for_translation("Missing step"),
    "logic.variable": mark_for_translation("Wrong variable"),
    "logic.index": mark_for_translation("Wrong index"),
    "performance.complexity": mark_for_translation("Unnecessary complexity"),
    "performance.invariant": mark_for_translation("Work repeated in a loop"),
    "performance.datastructure": mark_for_translation("Slow data structure"),
    "performance.memo": mark_for_translation("Results not kept"),
    "performance.io": mark_for_translation("Slow input or output"),
    "security.injection": mark_for_translation("Injection"),
    "security.deserialisation": mark_for_translation("Unsafe deserialisation"),
    "security.crypto": mark_for_translation("Weak cryptography"),
    "security.secrets": mark_for_translation("Secret in the code"),
    "security.transport": mark_for_translation("Unsafe transport"),
    "security.filesystem": mark_for_translation("Unsafe use of files"),
    "security.config": mark_for_translation("Unsafe configuration"),
    "syntax.parse": mark_for_translation("Syntax error"),
    "syntax.name": mark_for_translation("Name that does not exist"),
    "naming.case": mark_for_translation("Name in the wrong case"),
    "naming.misleading": mark_for_translation("Misleading name"),
    SEVERAL: mark_for_translation("Several bugs"),
}
_STATES: dict[str, tuple[str, Kind]] = {
    "unproven": (mark_for_translation("unproven"), "attention"),
    "proven": (mark_for_translation("proven"), "neutral"),
    "in_review": (mark_for_translation("in review"), "neutral"),
    "disputed": (mark_for_translation("disputed"), "attention"),
    "accepted": (mark_for_translation("accepted"), "good"),
    "rejected": (mark_for_translation("rejected"), "bad"),
}


def bug_kind_word(kind: str) -> str:
    """Return the word for a kind of bug; an unknown kind is shown by its name."""
    return translate_word(KIND_WORDS.get(kind, without_underscores(kind)))


def bug_state_chip(state: str) -> tuple[str, Kind]:
    """Return the word for a bug's state and the kind of its chip."""
    return _STATES.get(state, (state, "neutral"))


def bug_origin_text(row: BugRow) -> str:
    """Return a sentence on a bug's origin, and whether it was edited since."""
    origin = row.origin.removesuffix(", edited")
    origin_text = _describe_origin(row, origin)
    return origin_text if origin == row.origin else tr("{origin} Edited since then.", origin=origin_text)


def _describe_origin(row: BugRow, origin: str) -> str:
    if origin == "operator":
        return tr("Made by the rule “{rule}”.", rule=translate_word(without_underscores(row.operator)))
    if origin == "combination":
        return tr("Combined from several proven bugs.")
    return tr("Proposed by {name}.", name=origin)


def bug_line(row: BugRow) -> QueueLine:
    """Return a bug's row in the queue; its kind comes first to tell the bugs of one subject apart."""
    return QueueLine(f"{bug_kind_word(row.kind)} · {row.title}", _review_counts_text(row), bug_state_chip(row.state))


def _review_counts_text(row: BugRow) -> str:
    if not row.accepts and not row.rejects:
        return tr("not reviewed yet")
    counts_text = tr("{accepts} accept, {rejects} reject", accepts=row.accepts, rejects=row.rejects)
    is_waiting = row.state in ("in_review", "disputed")
    return tr("{counts}; one more review is needed", counts=counts_text) if is_waiting else counts_text


def review_label_word(key: str) -> str:
    """Return the word for a label of review items, for use inside a sentence."""
    return translate_word(without_underscores(key).capitalize()).lower()


def without_underscores(name: str) -> str:
    """Return a name with spaces in place of underscores."""
    return name.replace("_", " ")


_LEFT_MARGIN, _RIGHT_MARGIN = 62, 16
_DOT_RADIUS = 4.0
_LABEL_WIDTH = 56


class TimingPlot(QWidget):
    """Plots the run times of the reference and the changed program by input size; both axes are logarithmic."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._sizes: tuple[float, ...] = ()
        self._times: tuple[tuple[float, ...], tuple[float, ...]] = ((), ())
        self.setAccessibleName(tr("Times of the reference and of the code with the bug"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    def show_times(self, sizes: Sequence[float], reference: Sequence[float], changed: Sequence[float]) -> None:
        """Show the times of both programs in seconds, one for each size; without sizes, the plot is empty."""
        self._sizes = tuple(sizes)
        self._times = tuple(reference), tuple(changed)
        lines = [
            tr(
                "size {size}: {reference} and {changed}",
                size=f"{size:g}",
                reference=_format_seconds(reference_s),
                changed=_format_seconds(changed_s),
            )
            for size, reference_s, changed_s in zip(self._sizes, *self._times, strict=True)
        ]
        self.setAccessibleDescription(
            tr("Reference and bug at ") + "; ".join(lines) if lines else tr("No times were measured.")
        )
        self.setToolTip(escape_tool_tip("\n".join(lines)))
        self.update()

    def sizeHint(self) -> QSize:
        """Return the size of a small figure."""
        return QSize(240, self._theme.pixels(150))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the axes, and a line and name for each program."""
        if not self._sizes:
            return
        tokens = self._theme.tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        area = self._area()
        painter.setPen(QPen(QColor(tokens.line), 1))
        painter.drawLine(area.bottomLeft(), area.bottomRight())
        painter.drawLine(area.bottomLeft(), area.topLeft())
        low, high = self._range()
        painter.setPen(QColor(tokens.dim))
        height = self.fontMetrics().height()
        for value in (low, high):
            box = QRectF(0, self._y(value) - height / 2, area.left() - 8, height)
            painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, _format_seconds(value))
        # A narrow plot labels only the first and the last size.
        step = 1 if area.width() >= _LABEL_WIDTH * len(self._sizes) else len(self._sizes) - 1
        for size in self._sizes[:: max(1, step)]:
            box = QRectF(self._x(size) - 40, area.bottom() + 4, 80, height)
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, f"{size:,.0f}")
        x = 0.0
        reference, changed = self._times
        for times, colour, name in ((reference, tokens.good, tr("Reference")), (changed, tokens.bad, tr("Bug"))):
            self._draw_line(painter, times, colour, is_round=times is reference)
            x = self._draw_legend_entry(painter, x, colour, name, is_round=times is reference)
        painter.end()

    def _draw_line(self, painter: QPainter, times: Sequence[float], colour: str, *, is_round: bool) -> None:
        points = [QPointF(self._x(size), self._y(time)) for size, time in zip(self._sizes, times, strict=True)]
        painter.setPen(QPen(QColor(colour), 2))
        painter.drawPolyline(points)
        for point in points:
            _draw_mark(painter, point, colour, is_round=is_round)

    def _draw_legend_entry(self, painter: QPainter, x: float, colour: str, name: str, *, is_round: bool) -> float:
        """Draw a program's mark and name above the plot; return the x position of the next entry."""
        height, width = self.fontMetrics().height(), self.fontMetrics().horizontalAdvance(name)
        _draw_mark(painter, QPointF(x + _DOT_RADIUS + 1, height / 2), colour, is_round=is_round)
        painter.setPen(QColor(self._theme.tokens.text))
        painter.drawText(QRectF(x + 16, 0, width + 4, height), Qt.AlignmentFlag.AlignLeft, name)
        return x + width + 36

    def _area(self) -> QRectF:
        height = self.fontMetrics().height()
        top = height + 14
        return QRectF(
            _LEFT_MARGIN,
            top,
            self.width() - _LEFT_MARGIN - _RIGHT_MARGIN - 20,
            max(20, self.height() - top - height - 6),
        )

    def _range(self) -> tuple[float, float]:
        seconds = [max(time, 1e-9) for times in self._times for time in times]
        return min(seconds), max(max(seconds), min(seconds) * 1.01)

    def _x(self, size: float) -> float:
        area, first, last = self._area(), self._sizes[0], self._sizes[-1]
        fraction = math.log(size / first) / math.log(last / first) if last > first > 0 else 0.5
        return area.left() + 12 + (area.width() - 12) * fraction

    def _y(self, time: float) -> float:
        area, (low, high) = self._area(), self._range()
        return area.bottom() - area.height() * math.log(max(time, 1e-9) / low) / math.log(high / low)


def _draw_mark(painter: QPainter, point: QPointF, colour: str, *, is_round: bool) -> None:
    """Draw a circle or a square, so that colour is not the only difference between the programs."""
    box = QRectF(point.x() - _DOT_RADIUS, point.y() - _DOT_RADIUS, 2 * _DOT_RADIUS, 2 * _DOT_RADIUS)
    painter.setPen(QPen(QColor(colour), 1))
    painter.setBrush(QColor(colour))
    painter.drawEllipse(box) if is_round else painter.drawRect(box)
    painter.setBrush(Qt.BrushStyle.NoBrush)


def _format_seconds(value: float) -> str:
    if value >= 1:
        return tr("{value} s", value=f"{value:.1f}")
    if value >= 1e-3:
        return tr("{value} ms", value=f"{value * 1e3:.3g}")
    return tr("{value} µs", value=f"{value * 1e6:.3g}")


_MIN_REASON_CHARS = 12
_LABEL_OF_FAMILY: dict[str, str] = {str(family): key for family, key in KEY_BY_FAMILY.items()}
"""The label of a family of bugs in review items; combined bugs have no single label."""


class AspectBox(QCheckBox):
    """A three-state box for one aspect of a bug; a click goes from not judged to yes, and from yes to no."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name = translate_word(name.capitalize())
        self.setTristate(True)
        self.stateChanged.connect(self._update_text)
        self.setCheckState(Qt.CheckState.PartiallyChecked)
        self._update_text()

    def _update_text(self, _state: int = 0) -> None:
        texts = {
            Qt.CheckState.Checked: tr("{aspect}: yes", aspect=self._name),
            Qt.CheckState.Unchecked: tr("{aspect}: no", aspect=self._name),
        }
        self.setText(texts.get(self.checkState(), tr("{aspect}: not judged", aspect=self._name)))


class BugProof(QWidget):
    """Shows the proof of a bug, and the form to review it."""

    rejection_entered = Signal()
    """Return was pressed in the field of the rejection reason."""

    def __init__(self, theme: Theme, drafts: DraftKeeper) -> None:
        """Build the proof card and the review card; the page lays them out."""
        super().__init__()
        self.matrix = DataTable(tr("Tests before and after"))
        self.proof_card, self.review_card = Card(), Card(tr("Your review"))
        self._build_proof(theme)
        self._build_form(self.review_card, theme, drafts)

    def _build_proof(self, theme: Theme) -> None:
        self.facts = label("", wrap=True)
        self.facts.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.plot = TimingPlot(theme)
        column = QWidget()
        fill_column(column, self.plot, self.facts, 1, spacing=6)
        self.tabs = Segments(tr("Proof"), (tr("Proof"), tr("Tests")))
        stack = make_stack(make_scroll(column), self.matrix)
        self.tabs.picked.connect(stack.setCurrentIndex)
        self.proof_card.head.insertWidget(0, self.tabs)
        fill_layout(self.proof_card.body, (stack, 1))

    def _build_form(self, review: Card, theme: Theme, drafts: DraftKeeper) -> None:
        self.aspects = {name: AspectBox(name) for name in ASPECTS}
        self.reason = choice_box(tr("Reason to reject"), ((translate_word(word), word) for word in ("", *REASONS)))
        make_editable(self.reason, tr("Reason to reject"))
        # Without a fixed minimum, the longest reason would make the form scroll sideways.
        self.reason.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.reason.setMinimumContentsLength(_MIN_REASON_CHARS)
        line = self.reason.lineEdit()
        if line is not None:
            # An editable combo box reports Return twice, from its line edit and from the box, hence the debounce.
            line.returnPressed.connect(debounce(self, 0, self._reason_entered).start)
        self.draft = DraftField.for_box(drafts, "bugs.reason", self.reason)
        self.draft_bar = DraftBar(theme, self.draft)
        review.mark(DraftDot(self.draft))
        self.labels = LabelMenu()
        self.problem = OptionalLabel("problem")
        boxes = FlowLayout(12, 4)
        for box in self.aspects.values():
            boxes.addWidget(box)
        column = QWidget()
        fill_column(column, boxes, self.draft_bar, make_column(self.reason, self.problem), self.labels, 1)
        fill_layout(review.body, (make_scroll(column), 1))

    def _reason_entered(self) -> None:
        if self.reason.currentText().strip():
            self.rejection_entered.emit()

    def say(self, text: str) -> None:
        """Show a problem of the review, or clear it."""
        self.problem.setText(text)

    @property
    def judged_aspects(self) -> dict[str, bool]:
        """The judged aspects and whether each holds."""
        return {
            name: box.checkState() == Qt.CheckState.Checked
            for name, box in self.aspects.items()
            if box.checkState() != Qt.CheckState.PartiallyChecked
        }

    def show_bug(self, view: BugView, *, is_new_bug: bool, reviewer: str = "") -> None:
        """Show a bug's proof; ``is_new_bug`` resets the form to the reviewer's earlier labels."""
        # Reviewers look for failing tests, so they come first.
        failing_first = sorted(view.matrix, key=lambda test: test[2] == "pass")
        cells = [(name, before, after) for name, before, after in failing_first]
        self.matrix.set_rows(mark_words("test", "before", "after"), cells, failing_first, 0)
        failing_count = sum(after != "pass" for _, _, after in view.matrix)
        self.proof_card.set_trailing(
            tr("{failing} of {count} fail", failing=failing_count, count=len(view.matrix))
            if view.matrix
            else tr("not run")
        )
        timing = view.proof.get("timing")
        self.plot.setVisible(bool(timing))
        if timing:
            self.plot.show_times(timing["sizes"], timing["reference_s"], timing["changed_s"])
        self.facts.setText(_describe_proof(view))
        if is_new_bug:
            for box in self.aspects.values():
                box.setCheckState(Qt.CheckState.PartiallyChecked)
            self.draft.show_item(view.row.id, subject_id=view.row.subject_id)
            ticked_labels = [name for item in view.reviews if item.annotator == reviewer for name in item.labels]
            self.labels.offer(_LABEL_OF_FAMILY.get(view.row.family, ""), ticked_labels)
            self.say("")

    def reason_text(self) -> str:
        """Return the rejection reason; a predefined one in its stored wording, not translated."""
        return box_value(self.reason)


def mark_differences(reference: CodeView, code: CodeView, view: BugView) -> None:
    """Mark the differences in both programs, and scroll to the first change."""
    removed_marks, added_marks = [], []
    for part in changed_parts(view.reference, view.code):
        if part.kind == "removed":
            removed_marks.append((part.a_start, part.a_start + len(part.text), "bad"))
        else:
            added_marks.append((part.b_start, part.b_start + len(part.text), "attention"))
    reference.set_marks(removed_marks)
    code.set_marks(added_marks)
    if view.lines:
        code.go_to_line(view.lines[0])


class LabelMenu(QPushButton):
    """A button with a menu of labels to tick; its text counts the ticked ones."""

    def __init__(self) -> None:
        """Build the menu of all labels, none ticked."""
        super().__init__()
        self.setToolTip(tr("Labels that an answer may name in addition to the bug's own, without losing points."))
        menu = QMenu(self)
        self.boxes: dict[str, QAction] = {}
        for name in LABELS:
            box = menu.addAction(translate_word(without_underscores(name).capitalize()))
            box.setCheckable(True)
            box.toggled.connect(self._update_text)
            self.boxes[name] = box
        self.setMenu(menu)
        self._update_text()

    @property
    def ticked_labels(self) -> tuple[str, ...]:
        """The ticked labels."""
        return tuple(name for name, box in self.boxes.items() if box.isVisible() and box.isChecked())

    def offer(self, own_label: str, ticked_labels: Collection[str]) -> None:
        """Offer all labels except the bug's own, with the given ones ticked."""
        for name, box in self.boxes.items():
            box.setVisible(name != own_label)
            box.setChecked(name in ticked_labels)
        self._update_text()

    def _update_text(self, _ticked: bool = False) -> None:
        label_words = list(map(review_label_word, self.ticked_labels))
        count = tr_count("{count} label", "{count} labels", len(label_words)) if label_words else tr("none")
        self.setText(tr("Also accepted: {count}", count=count))
        self.setAccessibleName(tr("Also accepted: {list}", list=", ".join(label_words) or tr("none")))


def _describe_proof(view: BugView) -> str:
    """Return the facts of a bug's proof and its reviews, one per line."""
    kind, note = bug_kind_word(view.row.kind), tr_message(note_message(view.explanation))
    lines = [tr("{name}: {value}", name=kind, value=note) if note else kind, bug_origin_text(view.row)]
    if view.problem:
        lines.append(tr("Not proven: {problem}", problem=view.problem))
    lines_by_rule: dict[str, list[str]] = {}
    for hit in view.proof.get("rules", ()):
        lines_by_rule.setdefault(f"{hit['rule']}: {hit['message']}", []).append(str(hit["line"]))
    lines += [
        tr("{rule} (line {list})", rule=rule, list=", ".join(line_numbers))
        for rule, line_numbers in lines_by_rule.items()
    ]
    timing = view.proof.get("timing")
    if timing:
        lines.append(tr("{ratio} times slower at size {sizes}", ratio=timing["ratio"], sizes=timing["sizes"][-1]))
    if view.proof.get("message") and not view.proof.get("rules"):
        lines.append(tr("First failure: {message}", message=view.proof["message"][:200].rstrip(": ")))
    lines += [_describe_review(item) for item in view.reviews]
    return "\n".join(lines)


def _describe_review(review: BugReviewRow) -> str:
    text = f"{review.annotator}: {translate_word(review.verdict)} {translate_word(review.reason)}".rstrip()
    accepted_labels = join_list(map(review_label_word, review.labels))
    return tr("{text}; also accepted: {also}", text=text, also=accepted_labels) if accepted_labels else text
