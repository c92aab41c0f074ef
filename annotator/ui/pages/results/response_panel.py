"""The panel that shows how one response was scored, and compares it with the reference and other answers."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QMenu, QWidget

from annotator.base import clock
from annotator.model.rows.result_rows import ItemScoreRow, ResponseDetail, Usage
from annotator.services.results.answer_list import FAILED, IN_DOUBT, NO_ANSWERS, OUTCOMES, AnswerFilter
from annotator.services.results.error_labels import LabelChoice
from annotator.services.results.response_explanation import AnswerPair, Explanation
from annotator.text.diff import DiffPart
from annotator.ui.app.session.draft_keeper import DraftKeeper
from annotator.ui.app.theme.look import Theme
from annotator.ui.app.translation import mark_for_translation, mark_words, tr, tr_count, tr_message, translate_word
from annotator.ui.pages.shared.credit import rule_detail, scoring_mode_word
from annotator.ui.pages.shared.subject_tabs import history_act_text
from annotator.ui.widgets.card import Card
from annotator.ui.widgets.code.code_view import CodeView
from annotator.ui.widgets.draft_field import DraftBar, DraftField
from annotator.ui.widgets.fields import box_value, choice_box, debounce, line_edit, make_editable, search_line
from annotator.ui.widgets.labels import Segments, ago_text, button, escape_tool_tip, label, shorten_end, shorten_middle
from annotator.ui.widgets.layouts import (
    arrange,
    fill_layout,
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
        self.against = Segments(
            tr("Highlight differences from"), (tr("each other"), tr("the reference")), selected=self._mark_pair
        )
        self.pair: AnswerPair | None = None
        """This answer and the one beside it, with their differences."""
        self.history = DataTable(tr("History of the item"))
        answer_view = make_splitter(Qt.Orientation.Vertical, self.response, self.rules, sizes=(200, 200), handle=8)
        sides = make_splitter(Qt.Orientation.Horizontal, self.left, self.right, handle=8)
        pair_view = QWidget()
        texts = make_splitter(Qt.Orientation.Horizontal, self.other_text, self.own_text, handle=8)
        highlight_choice = make_flow(label(tr("Highlight differences from"), "dim"), self.against)
        make_column(pair_view, highlight_choice, (texts, 1), spacing=8)
        others_view = make_splitter(Qt.Orientation.Horizontal, self.others, pair_view, sizes=(220, 500), handle=8)
        self.how = label("", "dim")
        self.doubt = label("", wrap=True)
        self.doubt.hide()
        self.stack = make_stack(answer_view, self.prompt, self.log, sides, others_view, self._item_face())
        self.faces = Segments(tr("Show"), _FACES, selected=self.stack.setCurrentIndex, wrap=True)
        self.label_row = self._label_row(theme, label_key, drafts)
        fill_layout(self.body, self.faces, self.doubt, self.how, (self.stack, 1), self.draft_bar, self.label_row)
        self.setEnabled(False)

    def _item_face(self) -> QWidget:
        self.send = button(tr("Reopen item"), clicked=self.send_back_requested)
        self.open_item = button(tr("Open the item"), clicked=self.item_opened)
        face = QWidget()
        make_column(face, (self.history, 1), make_row(self.open_item, self.send, None))
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
        self.label_add = button(tr("Label"), key, clicked=self._label)
        self.label_note.returnPressed.connect(self._label)
        self.label_back = button(tr("Remove"), clicked=self._withdraw_label, tip=tr("Remove your label"))
        self.given_labels = label("", "dim")
        row = QWidget()
        choice_row = make_flow(label(tr("Why it failed"), "dim"), self.label_choice)
        buttons = make_flow(self.label_add, self.label_back, self.given_labels)
        arrange(QHBoxLayout(row), choice_row, (self.label_note, 1), buttons)
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
        joined_text = tr(
            "{model} · sample {sample} · {outcome} · {score}",
            model=tr("a model") if blind else shorten_middle(detail.model, 30),
            sample=detail.sample + 1,
            outcome=translate_word(detail.outcome),
            score=score,
        )
        self.set_trailing(
            f"{joined_text} · {scoring_mode_word(detail.mode)}" if detail.mode == "shared" else joined_text
        )
        self.response.set_code(
            detail.text or tr("This project has only the verdict, not the answer itself."), "markdown"
        )
        self.response.set_marks([(start, end, "good") for rule in explanation.rules for start, end in rule.spans])
        self.prompt.set_code(detail.prompt or tr("The prompt is not in this project."), "markdown")
        self.log.set_code(explanation.log or tr("Nothing was run for this response."))
        how = explanation.compared.how
        self.doubt.setText(_describe_doubt(detail))
        self.doubt.setVisible(detail.in_doubt)
        self.how.setText(shorten_end(tr("How the answer was found: {how}", how=how), 120) if how else "")
        self.how.setToolTip(escape_tool_tip(how))
        self.how.setVisible(bool(how))
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
        joined_text = ", ".join(f"{translate_word(row.label)} ({row.annotator})" for row in explanation.labels)
        self.given_labels.setText(shorten_middle(joined_text, 40))
        self.given_labels.setToolTip(escape_tool_tip(joined_text))

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
        if self.against.current == 0:
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
        self.how.setText("")
        self.doubt.hide()
        self.pair = None
        for view in (self.response, self.prompt, self.log, self.left, self.right, self.other_text, self.own_text):
            view.set_code("")
        for table in (self.rules, self.others, self.history):
            table.set_rows((), [], [])

    def _show_rules(self, explanation: Explanation) -> None:
        rows = []
        for rule in explanation.rules:
            word = tr("not judged") if rule.matched is None else (tr("✓ yes") if rule.matched else tr("✗ no"))
            points = (
                f"{rule.points:g}"
                if rule.total is None
                else tr("{points} of {total}", points=f"{rule.points:g}", total=f"{rule.total:g}")
            )
            reason = " · ".join(part for part in (rule.why, rule_detail(rule)) if part)
            rows.append((Cell(word), Cell(rule.label), Cell(points, rule.points), Cell(reason)))
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


_TYPING_MS = 200


class AnswersCard(Card):
    """Lists answers; `filter_changed` asks for other rows, `answer_selected` carries the row of the answer to show."""

    filter_changed = Signal()
    answer_selected = Signal(object)
    save_requested = Signal()
    """Request to write the selected rows, or all listed ones, to a file."""

    def __init__(self) -> None:
        super().__init__(tr("Items"))
        self.outcome = choice_box(tr("Outcome"), [(tr("all outcomes"), "")])
        self.outcome.setMinimumContentsLength(11)
        groups = {
            FAILED: tr("any failure"),
            NO_ANSWERS: tr("any missing answer"),
            IN_DOUBT: tr("any doubtful verdict"),
        }
        for name in OUTCOMES:
            self.outcome.addItem(groups.get(name) or translate_word(name), name)
        self.search_field = search_line(tr("Search answers and logs"))
        self.search_field.setToolTip(tr("Words in the answer, the test log or a failed rule; use quotes for a phrase"))
        self.changed_box = QCheckBox(tr("changed"))
        self.changed_box.setToolTip(tr("Only answers whose outcome differs from the model's previous run"))
        self.save = button(
            tr("Save…"), clicked=self.save_requested, tip=tr("Save the selected answers, or all that are listed")
        )
        self.table = DataTable(tr("Items"), selected=self.answer_selected)
        self.table.least_rows = 2
        row = fill_layout(
            QHBoxLayout(), make_flow(self.outcome, self.changed_box), (self.search_field, 1), spacing=8, margin=0
        )
        self.head.addWidget(self.save)
        fill_layout(self.body, row, (self.table, 1))
        self._typing_timer = debounce(self, _TYPING_MS, self.filter_changed.emit)
        self.search_field.textChanged.connect(self._typing_timer.start)
        self.outcome.currentIndexChanged.connect(self.filter_changed)
        self.changed_box.toggled.connect(self.filter_changed)

    def read_filter(self) -> AnswerFilter:
        """Return the current filter."""
        return AnswerFilter(str(self.outcome.currentData()), self.search_field.text(), self.changed_box.isChecked())

    def clear_filter(self) -> None:
        """Clear the filter without emitting `filter_changed`."""
        with QSignalBlocker(self.outcome), QSignalBlocker(self.search_field), QSignalBlocker(self.changed_box):
            self.outcome.setCurrentIndex(0)
            self.search_field.clear()
            self.changed_box.setChecked(False)

    def show_rows(
        self, title: str, rows: Sequence[ItemScoreRow], *, by_model: bool, current_index: int, run_created_at: str = ""
    ) -> None:
        """List answers, named by model or item, and select one; ``run_created_at`` is empty for several runs."""
        has_shared_mode = any(row.mode == "shared" for row in rows)
        used_columns = [name for name in _USAGE_HEADERS if any(getattr(row.usage, name) is not None for row in rows)]
        cells = [
            (
                *response_cells(row.model if by_model else row.title, row),
                *(_usage_cell(row.usage, name) for name in used_columns),
                *([Cell(scoring_mode_word(row.mode))] if has_shared_mode else []),
            )
            for row in rows
        ]
        headers = (
            "model" if by_model else "item", *mark_words("sample", "outcome", "score %"),
            *(_USAGE_HEADERS[name] for name in used_columns), *(mark_words("mode") if has_shared_mode else ()),
        )  # fmt: skip
        self.table.set_rows(headers, cells, list(rows), spare=(1, *range(_BASE_COLUMN_COUNT, len(headers))))
        self.set_title(shorten_middle(title, 40))
        count = tr_count("{count} response", "{count} responses", len(rows))
        self.set_trailing(
            tr("{count} · run {when}", count=count, when=ago_text(clock.parse_time(run_created_at)))
            if run_created_at
            else count
        )
        if rows:
            self.table.select(current_index)

    def next_failed(self) -> bool:
        """Select the next answer that did not pass, wrapping around; return whether there is one."""
        rows, current_row = self.table.shown_payloads(), self.table.currentIndex().row()
        for step in range(1, len(rows) + 1):
            index = (current_row + step) % len(rows)
            if rows[index].outcome != "pass":
                self.table.select_shown(index)
                return True
        return False

    def rows_to_save(self) -> list[ItemScoreRow]:
        """Return the selected rows if there are several, else all rows, in the order shown."""
        selected = self.table.selected_payloads()
        return selected if len(selected) > 1 else self.table.shown_payloads()


_BASE_COLUMN_COUNT = 4
"""Name, sample, outcome and score; in a narrow table later columns are hidden first, then the sample."""
_USAGE_HEADERS = {
    "prompt_tokens": mark_for_translation("prompt tokens"),
    "completion_tokens": mark_for_translation("completion tokens"),
    "cost": "cost",
    "seconds": "seconds",
}


def _usage_cell(usage: Usage, name: str) -> Cell:
    value = getattr(usage, name)
    if value is None:
        return Cell("n/a", -1.0)
    return Cell(f"{value:.4f}" if name == "cost" else f"{value:.1f}" if name == "seconds" else str(value), value)


def response_cells(name: str, row: ItemScoreRow) -> tuple[Cell, ...]:
    """Return the cells of a response: name, number of the sample, outcome and score."""
    return (
        Cell(name),
        Cell(str(row.sample + 1), row.sample),
        Cell(translate_word(row.outcome)),
        Cell("n/a", -1.0) if row.score is None else Cell(f"{row.score * 100:.2f}", row.score),
    )
