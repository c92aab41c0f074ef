"""The lower half of the Bugs page: the proof with its times, the tests before and after, and the reviewer's form."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QCheckBox, QComboBox, QMenu, QPushButton, QVBoxLayout, QWidget

from annotator.construction.bugs.notes import note_message
from annotator.construction.bugs.taxonomy import KEYS
from annotator.model.rows.bugs import ASPECTS, LABELS, REASONS, BugReviewRow, BugView
from annotator.text.diff import changed_parts
from annotator.ui.app.session.draft_keeper import DraftKeeper
from annotator.ui.app.theme.look import Theme
from annotator.ui.app.translation import tr, tr_count, tr_message, translate_word
from annotator.ui.pages.bugs.timing_plot import TimingPlot
from annotator.ui.pages.bugs.words import kind_word, label_word, origin_words, without_underscores
from annotator.ui.widgets.card import Card
from annotator.ui.widgets.code.code_view import CodeView
from annotator.ui.widgets.draft_field import DraftBar, DraftDot, DraftField
from annotator.ui.widgets.fields import choice_box, let_type, value_of
from annotator.ui.widgets.flow_layout import FlowLayout
from annotator.ui.widgets.labels import Segments, join_list, label, say
from annotator.ui.widgets.layouts import arrange, make_scroll, make_stack
from annotator.ui.widgets.table import Cell, DataTable
from annotator.ui.widgets.timers import debounce

_REASON_LETTERS = 12
_LABEL_OF_FAMILY: dict[str, str] = {str(family): key for family, key in KEYS.items()}
"""The label of a bug in review items; several bugs have none, as they may have any."""


class AspectBox(QCheckBox):
    """One aspect of a bug, with what is said of it in words: it holds, it does not, or nobody has judged it."""

    def __init__(self, name: str) -> None:
        """Say that it is not judged."""
        super().__init__()
        self._name = translate_word(name.capitalize())
        self.setTristate(True)
        self.stateChanged.connect(self._say)
        self.setCheckState(Qt.CheckState.PartiallyChecked)
        self._say()

    def nextCheckState(self) -> None:  # noqa: N802 - Qt's own name
        """Go from not judged to yes, no, and back."""
        following = {
            Qt.CheckState.PartiallyChecked: Qt.CheckState.Checked,
            Qt.CheckState.Checked: Qt.CheckState.Unchecked,
        }
        self.setCheckState(following.get(self.checkState(), Qt.CheckState.PartiallyChecked))

    def _say(self, _state: int = 0) -> None:
        words = {
            Qt.CheckState.Checked: tr("{aspect}: yes", aspect=self._name),
            Qt.CheckState.Unchecked: tr("{aspect}: no", aspect=self._name),
        }
        self.setText(words.get(self.checkState(), tr("{aspect}: not judged", aspect=self._name)))


class BugProof(QWidget):
    """Shows the proof of a bug, and asks what the reviewer thinks of it."""

    rejected = Signal()
    """Return was pressed on a reason to reject."""

    def __init__(self, theme: Theme, drafts: DraftKeeper) -> None:
        """Build the card with proof and tests, and the card with the form; the page puts them in their places."""
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
        self.tabs = Segments(tr("What proves it"), (tr("Proof"), tr("Tests")))
        stack = make_stack(make_scroll(column), self.matrix)
        self.tabs.chosen.connect(stack.setCurrentIndex)
        self.proof_card.head.insertWidget(0, self.tabs)
        arrange(self.proof_card.body, (stack, 1))

    def _build_form(self, review: Card, theme: Theme, drafts: DraftKeeper) -> None:
        self.aspects = {name: AspectBox(name) for name in ASPECTS}
        self.reason = choice_box(tr("Reason to reject"), ((translate_word(word), word) for word in ("", *REASONS)))
        let_type(self.reason, tr("Reason to reject"))
        # As wide as the card lets it: the longest reason would make the form scroll sideways.
        self.reason.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.reason.setMinimumContentsLength(_REASON_LETTERS)
        line = self.reason.lineEdit()
        if line is not None:
            # A box that can be typed in tells of Return twice: the key goes from its line to the box, and back.
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
            self.rejected.emit()

    def say(self, text: str) -> None:
        """Say what is wrong with the review, or nothing."""
        say(self.problem, text)

    @property
    def aspects_given(self) -> dict[str, bool]:
        """Which aspects the reviewer says hold, and which do not."""
        return {
            name: box.checkState() == Qt.CheckState.Checked
            for name, box in self.aspects.items()
            if box.checkState() != Qt.CheckState.PartiallyChecked
        }

    def show_bug(self, view: BugView, *, fresh: bool, reviewer: str = "") -> None:
        """Show a bug's proof; ``fresh`` empties the form, but for the labels that the reviewer accepted before."""
        # What fails is what a reviewer looks for, so it comes first.
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
        if fresh:
            for box in self.aspects.values():
                box.setCheckState(Qt.CheckState.PartiallyChecked)
            self.draft.show_item(view.row.id, subject_id=view.row.subject_id)
            ticked = [name for item in view.reviews if item.annotator == reviewer for name in item.labels]
            self.labels.offer(_LABEL_OF_FAMILY.get(view.row.family, ""), ticked)
            self.say("")

    def reason_given(self) -> str:
        """Return the reason, a usual one in the words that are kept, whatever language shows it."""
        return value_of(self.reason)


def mark_change(reference: CodeView, code: CodeView, view: BugView) -> None:
    """Mark the letters that differ in both programs, and go to the first change."""
    old, new = [], []
    for part in changed_parts(view.reference, view.code):
        if part.kind == "removed":
            old.append((part.a_start, part.a_start + len(part.text), "bad"))
        else:
            new.append((part.b_start, part.b_start + len(part.text), "attention"))
    reference.set_marks(old)
    code.set_marks(new)
    if view.lines:
        code.go_to_line(view.lines[0])


class LabelMenu(QPushButton):
    """Labels of review items to tick; the button says which are."""

    def __init__(self) -> None:
        """Offer all labels, none ticked."""
        super().__init__()
        self.setToolTip(tr("Labels that an answer may name beside the bug's own, without loss."))
        menu = QMenu(self)
        self.boxes: dict[str, QAction] = {}
        for name in LABELS:
            box = menu.addAction(translate_word(without_underscores(name).capitalize()))
            box.setCheckable(True)
            box.toggled.connect(self._say)
            self.boxes[name] = box
        self.setMenu(menu)
        self._say()

    @property
    def chosen(self) -> tuple[str, ...]:
        """The labels that are ticked."""
        return tuple(name for name, box in self.boxes.items() if box.isVisible() and box.isChecked())

    def offer(self, own: str, ticked: Collection[str]) -> None:
        """Offer all labels but a bug's own, with these ticked."""
        for name, box in self.boxes.items():
            box.setVisible(name != own)
            box.setChecked(name in ticked)
        self._say()

    def _say(self, _ticked: bool = False) -> None:
        words = list(map(label_word, self.chosen))
        count = tr_count("{count} label", "{count} labels", len(words)) if words else tr("none")
        self.setText(tr("Also accepted: {count}", count=count))
        self.setAccessibleName(tr("Also accepted: {list}", list=", ".join(words) or tr("none")))


def _describe_proof(view: BugView) -> str:
    """Return the proof of a bug and what was said of it, a line each."""
    kind, note = kind_word(view.row.kind), tr_message(note_message(view.explanation))
    lines = [tr("{name}: {value}", name=kind, value=note) if note else kind, origin_words(view.row)]
    if view.problem:
        lines.append(tr("Not proven: {problem}", problem=view.problem))
    fired: dict[str, list[str]] = {}
    for hit in view.proof.get("rules", ()):
        fired.setdefault(f"{hit['rule']}: {hit['message']}", []).append(str(hit["line"]))
    lines += [tr("{rule} (line {list})", rule=rule, list=", ".join(where)) for rule, where in fired.items()]
    timing = view.proof.get("timing")
    if timing:
        lines.append(tr("{ratio} times slower at size {sizes}", ratio=timing["ratio"], sizes=timing["sizes"][-1]))
    if view.proof.get("message") and not view.proof.get("rules"):
        lines.append(tr("First failure: {message}", message=view.proof["message"][:200].rstrip(": ")))
    lines += [_describe_review(item) for item in view.reviews]
    return "\n".join(lines)


def _describe_review(review: BugReviewRow) -> str:
    text = f"{review.annotator}: {translate_word(review.verdict)} {translate_word(review.reason)}".rstrip()
    also = join_list(map(label_word, review.labels))
    return tr("{text}; also accepted: {also}", text=text, also=also) if also else text
