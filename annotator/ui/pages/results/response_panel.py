"""The panel that shows how one response was scored, and compares it with the reference and other answers."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from annotator.model.rows.result_rows import ItemScoreRow, ResponseDetail
from annotator.services.results.error_labels import LabelChoice
from annotator.services.results.response_explanation import AnswerPair, Explanation
from annotator.text.diff import DiffPart
from annotator.ui.app.session.draft_keeper import DraftKeeper
from annotator.ui.app.theme.look import Theme
from annotator.ui.app.translation import mark_words, tr, tr_message, translate_word
from annotator.ui.pages.results.answers_card import response_cells
from annotator.ui.pages.shared.fact_texts import rule_detail, scoring_mode_word
from annotator.ui.pages.shared.subject_tabs import history_act_text
from annotator.ui.widgets.card import Card
from annotator.ui.widgets.code.code_view import CodeView
from annotator.ui.widgets.draft_field import DraftBar, DraftField
from annotator.ui.widgets.fields import box_value, choice_box, line_edit, make_editable
from annotator.ui.widgets.labels import Segments, button, escape_tool_tip, label, shorten_end, shorten_middle
from annotator.ui.widgets.layouts import (
    fill_column,
    fill_layout,
    fill_row,
    make_column,
    make_flow,
    make_row,
    make_splitter,
    make_stack,
)
from annotator.ui.widgets.table import Cell, DataTable

ANSWER, PROMPT, LOG, DIFF, OTHERS, ITEM = range(6)
_MAX_DIGIT_KEYS = 9
_FACES = mark_words("Response", "Prompt", "Test log", "Beside the reference", "Other answers", "Item")


class ResponsePanel(Card):
    """Shows one response; the ``other_*`` signals carry the row of another answer to the same item."""

    other_chosen = Signal(object)
    """The answer to show beside this one."""
    other_opened = Signal(object)
    """The answer to show instead of this one."""
    label_requested = Signal(str, str)
    """The error label and a note; an empty label withdraws one's own."""
    send_back_requested = Signal()
    item_opened = Signal()

    def __init__(self, theme: Theme, label_key: str, drafts: DraftKeeper) -> None:
        """``label_key`` is the shortcut that opens the menu of labels."""
        super().__init__(tr("Response"))
        self.explanation: Explanation | None = None
        self._blind = False
        self.response = CodeView(theme, tr("Response with matches"), language="markdown", wrap=True)
        self.prompt = CodeView(theme, tr("Prompt"), language="markdown", wrap=True)
        self.log = CodeView(theme, tr("Test log"), language="", wrap=True)
        self.left = CodeView(theme, tr("Reference"), language="markdown")
        self.right = CodeView(theme, tr("Response beside the reference"), language="markdown")
        self.rules = DataTable(tr("Rules and their points"))
        others_name = tr("Answers of other models and samples")
        self.others = DataTable(others_name, selected=self.other_chosen, activated=self.other_opened)
        self.other_text = CodeView(theme, tr("The other answer"), language="markdown")
        self.own_text = CodeView(theme, tr("This answer"), language="markdown")
        self.diff_base = Segments(
            tr("Highlight differences from"), (tr("each other"), tr("the reference")), selected=self._mark_pair
        )
        self.pair: AnswerPair | None = None
        """This answer and the one beside it, with their differences."""
        self.history = DataTable(tr("History of the item"))
        answer_view = make_splitter(Qt.Orientation.Vertical, self.response, self.rules, sizes=(200, 200), handle=8)
        sides = make_splitter(Qt.Orientation.Horizontal, self.left, self.right, handle=8)
        pair_view = QWidget()
        texts = make_splitter(Qt.Orientation.Horizontal, self.other_text, self.own_text, handle=8)
        highlight_choice = make_flow(label(tr("Highlight differences from"), "dim"), self.diff_base)
        fill_column(pair_view, highlight_choice, (texts, 1))
        others_view = make_splitter(Qt.Orientation.Horizontal, self.others, pair_view, sizes=(220, 500), handle=8)
        self.method_label = label("", "dim")
        self.doubt_label = label("", wrap=True)
        self.doubt_label.hide()
        self.stack = make_stack(answer_view, self.prompt, self.log, sides, others_view, self._item_face())
        self.faces = Segments(tr("Show"), _FACES, selected=self.stack.setCurrentIndex, wrap=True)
        self.label_row = self._label_row(theme, label_key, drafts)
        label_column = make_column(self.draft_bar, self.label_row)
        fill_layout(self.body, self.faces, self.doubt_label, self.method_label, (self.stack, 1), label_column)
        self.setEnabled(False)

    def _item_face(self) -> QWidget:
        self.reopen_button = button(tr("Reopen item"), clicked=self.send_back_requested)
        self.open_item_button = button(tr("Open the item"), clicked=self.item_opened)
        face = QWidget()
        fill_column(face, (self.history, 1), make_row(self.open_item_button, self.reopen_button, None))
        return face

    def _label_row(self, theme: Theme, key: str, drafts: DraftKeeper) -> QWidget:
        self.label_choice = choice_box(tr("Why it failed"))
        self.label_choice.setObjectName("error-labels")
        make_editable(self.label_choice)
        self.label_choice.setToolTip(tr("Choose from the list or type your own ({key} opens the list)", key=key))
        self.label_choice.setMinimumContentsLength(12)
        self.label_note = line_edit(tr("Note on the error"), tr("Note (optional)"))
        self.draft = DraftField.for_line(drafts, "results.note", self.label_note)
        self.draft_bar = DraftBar(theme, self.draft)
        self.add_label_button = button(tr("Label"), key, clicked=self._label)
        self.label_note.returnPressed.connect(self._label)
        self.remove_label_button = button(tr("Remove"), clicked=self._withdraw_label, tip=tr("Remove your label"))
        self.given_labels = label("", "dim")
        row = QWidget()
        choice_row = make_flow(label(tr("Why it failed"), "dim"), self.label_choice)
        buttons = make_flow(self.add_label_button, self.remove_label_button, self.given_labels)
        fill_row(row, choice_row, (self.label_note, 1), buttons)
        return row

    def offer_labels(self, choices: tuple[LabelChoice, ...]) -> None:
        """Fill the list of labels; typed text stays."""
        names = [item.label for item in choices]
        if names == [self.label_choice.itemData(index) for index in range(self.label_choice.count())]:
            return
        typed_text = self.label_choice.currentText()
        self.label_choice.clear()
        for name in names:
            self.label_choice.addItem(translate_word(name), name)
        if typed_text:
            self.label_choice.setEditText(typed_text)

    def label_menu(self) -> QMenu:
        """Return a menu of the labels with digits as keys, and entries to type one and to remove one's own."""
        menu = QMenu(tr("Why it failed"), self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for index in range(self.label_choice.count()):
            name = self.label_choice.itemText(index).replace("&", "&&")
            menu.addAction(f"&{index + 1}  {name}" if index < _MAX_DIGIT_KEYS else name).setData(
                self.label_choice.itemData(index)
            )
        menu.addSeparator()
        menu.addAction(tr("&Other…")).setData(None)
        menu.addAction(tr("&Remove")).setData("")
        menu.triggered.connect(self._choose_label_action)
        return menu

    def _choose_label_action(self, action: QAction) -> None:
        word = action.data()
        if word is None:
            self.label_choice.setFocus(Qt.FocusReason.ShortcutFocusReason)
            line = self.label_choice.lineEdit()
            if line is not None:
                line.selectAll()
        else:
            self.label_requested.emit(word, self.label_note.text())

    def _withdraw_label(self) -> None:
        self.label_requested.emit("", "")

    def show_response(self, explanation: Explanation, *, blind: bool = False) -> None:
        """Show a response in the current view; a note being typed stays a draft of its response.

        ``blind`` hides the name of the model, so that a verdict can be settled.
        """
        if explanation == self.explanation and blind == self._blind:
            return
        self._blind = blind
        detail = explanation.detail
        self.draft.show_item(detail.response_id, subject_id=explanation.subject_id)
        self.explanation = explanation
        self.setEnabled(True)
        self.set_title(shorten_end(detail.title, 48))
        score = tr("not scored") if detail.score is None else f"{detail.score * 100:.2f} %"
        facts_text = tr(
            "{model} · sample {sample} · {outcome} · {score}",
            model=tr("a model") if blind else shorten_middle(detail.model, 30),
            sample=detail.sample + 1,
            outcome=translate_word(detail.outcome),
            score=score,
        )
        self.set_trailing(f"{facts_text} · {scoring_mode_word(detail.mode)}" if detail.mode == "shared" else facts_text)
        self.response.set_code(
            detail.text or tr("This project has only the verdict, not the answer itself."), "markdown"
        )
        self.response.set_marks([(start, end, "good") for rule in explanation.rules for start, end in rule.spans])
        self.prompt.set_code(detail.prompt or tr("The prompt is not in this project."), "markdown")
        self.log.set_code(explanation.log or tr("Nothing was run for this response."))
        method = explanation.compared.how
        self.doubt_label.setText(_describe_doubt(detail))
        self.doubt_label.setVisible(detail.in_doubt)
        self.method_label.setText(shorten_end(tr("How the answer was found: {how}", how=method), 120) if method else "")
        self.method_label.setToolTip(escape_tool_tip(method))
        self.method_label.setVisible(bool(method))
        self._show_diff(explanation)
        self._show_rules(explanation)
        self._show_others(explanation.others)
        rows = [
            (
                Cell(row.created_at[:16].replace("T", " ")),
                Cell(row.annotator),
                Cell(history_act_text(row)),
                Cell(tr_message(row.detail)),
                Cell("" if row.active else tr("undone")),
            )
            for row in explanation.history
        ]
        self.history.set_rows(
            mark_words("when", "who", "what", "detail", ""), rows, list(explanation.history), stretch=3
        )
        # A passed response needs no error label.
        self.label_row.setVisible(detail.outcome != "pass" or bool(explanation.labels))
        labels_text = ", ".join(f"{translate_word(row.label)} ({row.annotator})" for row in explanation.labels)
        self.given_labels.setText(shorten_middle(labels_text, 40))
        self.given_labels.setToolTip(escape_tool_tip(labels_text))

    def show_other(self, pair: AnswerPair) -> None:
        """Show another answer beside this one, with the differences marked."""
        self.pair = pair
        placeholder = tr("This project has only the verdict, not the answer itself.")
        self.other_text.set_code(pair.other or placeholder, "markdown")
        self.own_text.set_code(pair.own or placeholder, "markdown")
        self._mark_pair()

    def _mark_pair(self, _choice: int = 0) -> None:
        pair = self.pair
        if pair is None:
            return
        if self.diff_base.current == 0:
            other_marks = [diff_part_mark(part, "removed") for part in pair.diff if part.kind == "removed"]
            own_marks = [diff_part_mark(part, "added") for part in pair.diff if part.kind == "added"]
        else:
            other_marks = [diff_part_mark(part, "added") for part in pair.other_diff if part.kind == "added"]
            own_marks = [diff_part_mark(part, "added") for part in pair.own_diff if part.kind == "added"]
        self.other_text.set_marks(other_marks if pair.other else [])
        self.own_text.set_marks(own_marks if pair.own else [])

    def clear(self) -> None:
        """Clear the panel."""
        self.explanation = None
        self.draft.show_item("")
        self.setEnabled(False)
        self.set_title(tr("Response"))
        self.set_trailing("")
        self.method_label.setText("")
        self.doubt_label.hide()
        self.pair = None
        for view in (self.response, self.prompt, self.log, self.left, self.right, self.other_text, self.own_text):
            view.set_code("")
        for table in (self.rules, self.others, self.history):
            table.set_rows((), [], [])

    def _show_rules(self, explanation: Explanation) -> None:
        rows = []
        for rule in explanation.rules:
            points = (
                f"{rule.points:g}"
                if rule.total is None
                else tr("{points} of {total}", points=f"{rule.points:g}", total=f"{rule.total:g}")
            )
            reason = " · ".join(part for part in (rule.why, rule_detail(rule)) if part)
            rows.append((Cell(_matched_text(rule.matched)), Cell(rule.label), Cell(points, rule.points), Cell(reason)))
        self.rules.setVisible(bool(rows))
        self.rules.set_rows(mark_words("found", "rule", "points", "why"), rows, list(explanation.rules), stretch=(1, 3))

    def _show_others(self, others: tuple[ItemScoreRow, ...]) -> None:
        rows = [response_cells(row.model, row) for row in others]
        self.others.set_rows(mark_words("model", "sample", "outcome", "score %"), rows, list(others))
        self.pair = None
        self.other_text.set_code("" if others else tr("No other answers to this item."))
        self.own_text.set_code("")
        if others:
            self.others.select(0)

    def _show_diff(self, explanation: Explanation) -> None:
        self.left.set_code(explanation.compared.reference or tr("The item has no reference."), "markdown")
        self.right.set_code(explanation.compared.answer, "markdown")
        self.left.set_marks([diff_part_mark(part, "removed") for part in explanation.diff if part.kind == "removed"])
        self.right.set_marks([diff_part_mark(part, "added") for part in explanation.diff if part.kind == "added"])

    def _label(self) -> None:
        if self.explanation is not None and self.label_choice.currentText().strip():
            self.label_requested.emit(box_value(self.label_choice), self.label_note.text())


def diff_part_mark(part: DiffPart, side: str) -> tuple[int, int, str]:
    """Return start, end and colour of a part of a diff on its side."""
    start = part.a_start if side == "removed" else part.b_start
    return start, start + len(part.text), "bad" if side == "removed" else "good"


def _matched_text(matched: bool | None) -> str:
    if matched is None:
        return tr("not judged")
    return tr("✓ yes") if matched else tr("✗ no")


def _describe_doubt(detail: ResponseDetail) -> str:
    """Return a sentence with the doubtful verdict and its settlement, if any."""
    if not detail.settled:
        return tr(
            "The verdict is {outcome}: a person can decide whether the answer passes or fails.",
            outcome=translate_word(detail.told),
        )
    last = detail.settled[-1]
    return tr(
        "The verdict was {outcome}. {name} settled it: {verdict}. {reason}",
        outcome=translate_word(detail.told),
        name=last.annotator,
        verdict=translate_word(last.verdict),
        reason=last.reason,
    )
