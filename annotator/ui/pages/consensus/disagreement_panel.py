"""One disagreement: the opinions, the texts it is about, and the form to settle it."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from annotator.model.rows.judging_rows import ConflictRow, Disagreement
from annotator.model.tables.judging_tables import PAIR
from annotator.ui.app.session.draft_keeper import DraftKeeper
from annotator.ui.app.theme.look import Theme
from annotator.ui.app.translation import mark_for_translation, tr, translate_word
from annotator.ui.pages.consensus.expert_panel import draft_item_id
from annotator.ui.widgets.card import Card
from annotator.ui.widgets.code.code_view import CodeView
from annotator.ui.widgets.draft_field import DraftBar, DraftField
from annotator.ui.widgets.fields import choice_box, line_edit
from annotator.ui.widgets.labels import button, label, shorten_middle
from annotator.ui.widgets.layouts import arrange, make_splitter
from annotator.ui.widgets.table import Cell, DataTable, moment_cell

_METHODS = (
    (mark_for_translation("Discussion"), "discussion"),
    (mark_for_translation("Majority"), "majority"),
    (mark_for_translation("Adjudicator"), "adjudicator"),
)
mark_for_translation("selection")
"""The subject matter of a decision, as named by the service; registered for translation."""
_PAIR_OUTCOMES = (
    mark_for_translation("left is better"),
    mark_for_translation("right is better"),
    "tie",
    mark_for_translation("both bad"),
)


class SettlePanel(QWidget):
    """Shows a disagreement (or a conflict of files) and emits (method, outcome, rationale)."""

    settled = Signal(str, str, str)

    def __init__(self, theme: Theme, drafts: DraftKeeper) -> None:
        super().__init__()
        self.row: Disagreement | None = None
        self.opinions = DataTable(tr("Opinions"))
        self.opinions.least_rows = 2
        self.card = Card(tr("Opinions"), self.opinions)
        self.left, self.right = CodeView(theme, tr("Left")), CodeView(theme, tr("Right"))
        self._side_cards = Card(tr("Left"), self.left), Card(tr("Right"), self.right)
        for view in (self.left, self.right):
            view.setLineWrapMode(CodeView.LineWrapMode.WidgetWidth)
        self.pair = make_splitter(Qt.Orientation.Horizontal, *self._side_cards)
        self.method = choice_box(tr("Method"), ((translate_word(word), value) for word, value in _METHODS))
        self.outcome = choice_box(tr("Outcome"))
        self.outcome.setMinimumContentsLength(12)
        self.rationale = line_edit(tr("Rationale"), tr("Why this outcome?"))
        self.draft = DraftField.for_line(drafts, "consensus.settlement", self.rationale)
        self.draft_bar = DraftBar(theme, self.draft)
        self.settle = button(tr("Settle"), primary=True, clicked=self._settle)
        self.rationale.returnPressed.connect(self._settle)
        self.remark = label("", "dim", wrap=True)
        # Two rows, because one is too narrow for the reason when letters are large.
        method_row = arrange(QHBoxLayout(), self.method, (self.outcome, 1))
        rationale_row = arrange(QHBoxLayout(), (self.rationale, 1), self.settle)
        self.form = Card("", self.draft_bar, method_row, rationale_row, self.remark)
        arrange(QVBoxLayout(self), (self.card, 2), (self.pair, 3), self.form, spacing=12)

    def show_row(self, row: Disagreement | None) -> None:
        """Show a disagreement; `show_texts` adds the texts of a pair. The same one keeps its outcome."""
        previous_row, self.row = self.row, row
        is_same_row = (
            row is not None
            and previous_row is not None
            and (row.subject_id, row.about) == (previous_row.subject_id, previous_row.about)
        )
        current_outcome = self.outcome.currentData() if is_same_row else None
        if row is None:
            self.draft.show_item("")
        else:
            self.draft.show_item(draft_item_id(row.subject_id, row.about), subject_id=row.subject_id)
        opinions = row.opinions if row else ()
        lines = [
            (Cell(item.annotator), Cell(translate_word(item.said)), Cell(item.why), moment_cell(item.created_at))
            for item in opinions
        ]
        self.opinions.set_rows((tr("who"), tr("opinion"), tr("why"), tr("when")), lines, list(opinions), stretch=2)
        self.card.show()
        self.card.set_title(f"{shorten_middle(row.title)} · {translate_word(row.what)}" if row else tr("Opinions"))
        self.pair.setVisible(False)
        self.form.setVisible(row is not None)
        self.outcome.clear()
        if row is None:
            return
        outcomes = list(dict.fromkeys(item.said for item in opinions))
        outcomes += [row.outcome] if row.outcome and row.outcome not in outcomes else []
        outcomes += [word for word in _PAIR_OUTCOMES if row.about.startswith(PAIR) and word not in outcomes]
        for word in outcomes:
            self.outcome.addItem(translate_word(word), word)
        default_outcome = current_outcome if current_outcome in outcomes else row.majority or outcomes[0]
        self.outcome.setCurrentIndex(self.outcome.findData(row.outcome or default_outcome))
        majority_text = (
            tr("The majority says {majority}.", majority=translate_word(row.majority))
            if row.majority
            else tr("There is no majority.")
        )
        method, outcome = translate_word(row.method or ""), translate_word(row.outcome or "")
        settled_text = tr(
            "Settled by {method}: {outcome}. {rationale}", method=method, outcome=outcome, rationale=row.rationale
        )
        self.remark.setText(settled_text if row.outcome else majority_text)
        for widget in (self.method, self.outcome, self.rationale, self.settle):
            widget.setEnabled(row.outcome is None)

    def show_texts(self, texts: tuple[str, str, str]) -> None:
        """Show the two texts of a pair."""
        self._show_sides((tr("Left"), texts[1]), (tr("Right"), texts[2]), "markdown")

    def show_conflict(self, row: ConflictRow | None) -> None:
        """Show two conflicting versions of one row."""
        self.row = None
        self.card.hide()
        self.form.hide()
        if row is not None:
            ours, theirs = _fields(row.ours, row.theirs), _fields(row.theirs, row.ours)
            titles = (tr("Ours (kept)"), tr("Theirs (not used)"))
            if not row.is_one_row:
                one, other = (name or "?" for name in row.people)
                titles = (tr("Earlier, by {name}", name=one), tr("Later, by {name}", name=other))
            self._show_sides((titles[0], ours), (titles[1], theirs), "yaml")
        self.pair.setVisible(row is not None)

    def _show_sides(self, left_side: tuple[str, str], right_side: tuple[str, str], language: str) -> None:
        for card, view, (title, text) in zip(
            self._side_cards, (self.left, self.right), (left_side, right_side), strict=True
        ):
            card.set_title(title)
            view.set_code(text, language)
        self.pair.setVisible(True)

    def _settle(self) -> None:
        if self.row is not None:
            self.settled.emit(self.method.currentData(), str(self.outcome.currentData()), self.rationale.text())


def _fields(row: dict[str, object], other: dict[str, object]) -> str:
    """Return a row's fields as text, those that differ from the other row first."""
    differing_fields = [f"{name}: {value}" for name, value in row.items() if value != other.get(name)]
    same_fields = [f"{name}: {value}" for name, value in row.items() if value == other.get(name)]
    return "\n".join([*differing_fields, "", "# the same in both", *same_fields])
