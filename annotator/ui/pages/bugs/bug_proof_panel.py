"""The lower half of the Bugs page: the proof with its timing, the tests before and after, and the review form."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QCheckBox, QComboBox, QMenu, QPushButton, QVBoxLayout, QWidget

from annotator.construction.bugs.notes import note_message
from annotator.construction.bugs.taxonomy import KEYS
from annotator.model.rows.bug_rows import ASPECTS, LABELS, REASONS, BugReviewRow, BugView
from annotator.text.diff import changed_parts
from annotator.ui.app.session.draft_keeper import DraftKeeper
from annotator.ui.app.theme.look import Theme
from annotator.ui.app.translation import tr, tr_count, tr_message, translate_word
from annotator.ui.pages.bugs.bug_words import bug_kind_word, bug_origin_text, review_label_word, without_underscores
from annotator.ui.pages.bugs.timing_plot import TimingPlot
from annotator.ui.widgets.card import Card
from annotator.ui.widgets.code.code_view import CodeView
from annotator.ui.widgets.draft_field import DraftBar, DraftDot, DraftField
from annotator.ui.widgets.fields import box_value, choice_box, make_editable
from annotator.ui.widgets.flow_layout import FlowLayout
from annotator.ui.widgets.labels import Segments, join_list, label, set_label_text
from annotator.ui.widgets.layouts import arrange, make_scroll, make_stack
from annotator.ui.widgets.table import Cell, DataTable
from annotator.ui.widgets.timers import debounce

_REASON_LETTERS = 12
_LABEL_OF_FAMILY: dict[str, str] = {str(family): key for family, key in KEYS.items()}
"""The label of a family of bugs in review items; combined bugs have no single label."""


class AspectBox(QCheckBox):
    """A three-state box for one aspect of a bug: yes, no or not judged."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name = translate_word(name.capitalize())
        self.setTristate(True)
        self.stateChanged.connect(self._update_text)
        self.setCheckState(Qt.CheckState.PartiallyChecked)
        self._update_text()

    def nextCheckState(self) -> None:  # noqa: N802 - Qt's own name
        """Cycle through not judged, yes and no."""
        following = {
            Qt.CheckState.PartiallyChecked: Qt.CheckState.Checked,
            Qt.CheckState.Checked: Qt.CheckState.Unchecked,
        }
        self.setCheckState(following.get(self.checkState(), Qt.CheckState.PartiallyChecked))

    def _update_text(self, _state: int = 0) -> None:
        words = {
            Qt.CheckState.Checked: tr("{aspect}: yes", aspect=self._name),
            Qt.CheckState.Unchecked: tr("{aspect}: no", aspect=self._name),
        }
        self.setText(words.get(self.checkState(), tr("{aspect}: not judged", aspect=self._name)))


class BugProof(QWidget):
    """Shows the proof of a bug, and the form to review it."""

    rejection_entered = Signal()
    """Return was pressed in the reason to reject."""

    def __init__(self, theme: Theme, drafts: DraftKeeper) -> None:
        """Build the card of the proof and the card of the form, which the page lays out."""
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
        arrange(QVBoxLayout(column), self.plot, self.facts, 1, spacing=6)
        self.tabs = Segments(tr("Proof"), (tr("Proof"), tr("Tests")))
        stack = make_stack(make_scroll(column), self.matrix)
        self.tabs.chosen.connect(stack.setCurrentIndex)
        self.proof_card.head.insertWidget(0, self.tabs)
        arrange(self.proof_card.body, (stack, 1))

    def _build_form(self, review: Card, theme: Theme, drafts: DraftKeeper) -> None:
        self.aspects = {name: AspectBox(name) for name in ASPECTS}
        self.reason = choice_box(tr("Reason to reject"), ((translate_word(word), word) for word in ("", *REASONS)))
        make_editable(self.reason, tr("Reason to reject"))
        # Without a fixed minimum, the longest reason would make the form scroll sideways.
        self.reason.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.reason.setMinimumContentsLength(_REASON_LETTERS)
        line = self.reason.lineEdit()
        if line is not None:
            # An editable combo box reports Return twice, from its line edit and from the box, hence the debounce.
            line.returnPressed.connect(debounce(self, 0, self._reason_entered).start)
        self.draft = DraftField.for_box(drafts, "bugs.reason", self.reason)
        self.draft_bar = DraftBar(theme, self.draft)
        review.mark(DraftDot(self.draft))
        self.labels = LabelMenu()
        self.problem = label("", "problem", wrap=True)
        self.problem.hide()
        boxes = FlowLayout(12, 4)
        for box in self.aspects.values():
            boxes.addWidget(box)
        column = QWidget()
        arrange(QVBoxLayout(column), boxes, self.draft_bar, self.reason, self.problem, self.labels, 1, spacing=8)
        arrange(review.body, (make_scroll(column), 1))

    def _reason_entered(self) -> None:
        if self.reason.currentText().strip():
            self.rejection_entered.emit()

    def say(self, text: str) -> None:
        """Show a problem of the review, or clear it."""
        set_label_text(self.problem, text)

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
        ordered = sorted(view.matrix, key=lambda test: test[2] == "pass")
        cells = [(Cell(name), Cell(before), Cell(after)) for name, before, after in ordered]
        self.matrix.set_rows((tr("test"), tr("before"), tr("after")), cells, ordered, 0)
        failing = sum(after != "pass" for _, _, after in view.matrix)
        self.proof_card.set_trailing(
            tr("{failing} of {count} fail", failing=failing, count=len(view.matrix)) if view.matrix else tr("not run")
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
        """Return the reason; predefined ones as their stored words, independent of the language."""
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
        words = list(map(review_label_word, self.ticked_labels))
        count = tr_count("{count} label", "{count} labels", len(words)) if words else tr("none")
        self.setText(tr("Also accepted: {count}", count=count))
        self.setAccessibleName(tr("Also accepted: {list}", list=", ".join(words) or tr("none")))


def _describe_proof(view: BugView) -> str:
    """Return the facts of a bug's proof and its reviews, a line each."""
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
