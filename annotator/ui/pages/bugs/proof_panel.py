"""The lower half of the Bugs page: the tests before and after, the proof with its times, and the reviewer's form."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QCheckBox, QMenu, QPushButton, QSplitter, QVBoxLayout, QWidget

from annotator.construction.bugs.taxonomy import KEYS
from annotator.model.rows.bugs import ASPECTS, LABELS, REASONS, BugReviewRow, BugView
from annotator.text.diff import line_diff
from annotator.ui.app.session.draft_keeper import DraftKeeper
from annotator.ui.app.theme.look import Theme
from annotator.ui.app.translation import tr, tr_count, translate_word
from annotator.ui.pages.bugs.timing_plot import TimingPlot
from annotator.ui.widgets.card import Card
from annotator.ui.widgets.code.code_view import CodeView
from annotator.ui.widgets.draft_field import DraftBar, DraftField
from annotator.ui.widgets.fields import choice_box, let_type
from annotator.ui.widgets.labels import label
from annotator.ui.widgets.layouts import arrange, fill_splitter, make_scroll
from annotator.ui.widgets.table import Cell, DataTable

_LABEL_OF_FAMILY: dict[str, str] = {str(family): key for family, key in KEYS.items()}
"""The label of a bug in review items; several bugs have none, as they may have any."""


class BugProof(QSplitter):
    """Shows the proof of a bug, and asks what the reviewer thinks of it."""

    def __init__(self, theme: Theme, drafts: DraftKeeper) -> None:
        """Put the three cards side by side."""
        super().__init__(Qt.Orientation.Horizontal)
        self.matrix = DataTable(tr("Tests before and after"))
        self.tests_card = Card(tr("Tests"), self.matrix)
        self.proof_card, review = Card(tr("Proof")), Card(tr("Your review"))
        self.tests_card.setMinimumWidth(270)
        self.proof_card.setMinimumWidth(150)
        self._build_proof(theme)
        self._build_form(review, theme, drafts)
        fill_splitter(self, self.tests_card, self.proof_card, review, sizes=(330, 380, 230))

    def _build_proof(self, theme: Theme) -> None:
        self.facts = label("", wrap=True)
        self.facts.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.plot = TimingPlot(theme)
        column = QWidget()
        arrange(QVBoxLayout(column), self.plot, self.facts, 1, spacing=6)
        self.proof_card.body.addWidget(make_scroll(column), 1)

    def _build_form(self, review: Card, theme: Theme, drafts: DraftKeeper) -> None:
        self.aspects = {name: QCheckBox(translate_word(name.capitalize())) for name in ASPECTS}
        for box in self.aspects.values():
            box.setTristate(True)
            box.setToolTip(tr("Ticked: it holds. Empty: it does not. In between: not judged."))
            review.body.addWidget(box)
        self.reason = choice_box(tr("Reason to reject"), ((translate_word(word), word) for word in ("", *REASONS)))
        let_type(self.reason, tr("Reason to reject"))
        self.draft = DraftField.for_box(drafts, "bugs.reason", self.reason)
        self.draft_bar = DraftBar(theme, self.draft)
        self.labels = LabelMenu()
        self.problem = label("", "problem", wrap=True)
        arrange(review.body, self.labels, self.draft_bar, self.reason, self.problem, 1)

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
        self.tests_card.set_trailing(
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
            self.problem.setText("")

    def reason_given(self) -> str:
        """Return the reason, a usual one in the words that are kept, whatever language shows it."""
        typed = self.reason.currentText().strip()
        place = self.reason.findText(typed)
        return str(self.reason.itemData(place)) if place > 0 else typed


def mark_change(reference: CodeView, code: CodeView, view: BugView) -> None:
    """Mark the lines that differ in both programs, and go to the first."""
    old, new = [], []
    for part in line_diff(view.reference, view.code):
        if part.kind == "removed":
            old.append((part.a_start, part.a_start + len(part.text), "bad"))
        elif part.kind == "added":
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
            box = menu.addAction(translate_word(_in_words(name).capitalize()))
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
        words = [translate_word(_in_words(name).capitalize()).lower() for name in self.chosen]
        count = tr_count("{count} label", "{count} labels", len(words)) if words else tr("none")
        self.setText(tr("Also accepted: {count}", count=count))
        self.setAccessibleName(tr("Also accepted: {list}", list=", ".join(words) or tr("none")))


def _describe_proof(view: BugView) -> str:
    """Return the proof of a bug and what was said of it, a line each."""
    lines = [
        tr(
            "By {operator} ({origin}). {explanation}",
            operator=view.row.operator,
            origin=view.row.origin,
            explanation=view.explanation,
        ).strip()
    ]
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
    text = f"{review.annotator}: {review.verdict} {review.reason}".rstrip()
    also = ", ".join(map(_in_words, review.labels))
    return tr("{text}; also accepted: {also}", text=text, also=also) if also else text


def _in_words(name: str) -> str:
    return name.replace("_", " ")
