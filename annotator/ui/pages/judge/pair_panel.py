"""One blind pair: the question, the two candidates side by side, the guidelines, the rationale and the verdicts."""

from __future__ import annotations

import time

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QPushButton, QVBoxLayout, QWidget

from annotator.model.rows.judging import PairView
from annotator.services.judge.blind_judging import WORDINGS
from annotator.ui.app.action_registry import ActionRegistry
from annotator.ui.app.session.draft_keeper import DraftKeeper
from annotator.ui.app.theme.look import Theme
from annotator.ui.app.translation import mark_for_translation, tr, translate_word
from annotator.ui.widgets.card import Card
from annotator.ui.widgets.code.code_view import CodeView
from annotator.ui.widgets.draft_field import DraftBar, DraftField
from annotator.ui.widgets.fields import text_field
from annotator.ui.widgets.flow_layout import FlowRow
from annotator.ui.widgets.labels import button, label
from annotator.ui.widgets.layouts import arrange, make_scroll, make_splitter

SHORTEST_LOOK = 0.4
"""Seconds before a verdict is taken: a key held down must not judge the next pair as well."""

_VERDICTS = (
    ("judge.first", mark_for_translation("1 is better"), "1"),
    ("judge.second", mark_for_translation("2 is better"), "2"),
    ("judge.tie", mark_for_translation("Tie"), "tie"),
    ("judge.both_bad", mark_for_translation("Both bad"), "both_bad"),
)


class Stopwatch:
    """Counts the time a pair is on screen; stops while the page is hidden."""

    def __init__(self) -> None:
        """Stand at zero, stopped."""
        self._kept = 0.0
        self._since: float | None = None

    def restart(self) -> None:
        """Start again from zero."""
        self._kept, self._since = 0.0, time.monotonic()

    def pause(self) -> None:
        """Stop counting."""
        self._kept, self._since = self.seconds, None

    def go_on(self) -> None:
        """Count on."""
        if self._since is None:
            self._since = time.monotonic()

    @property
    def seconds(self) -> float:
        """What was counted so far."""
        return self._kept + (time.monotonic() - self._since if self._since is not None else 0.0)


def show_sides(pair: PairView | None, first: CodeView, second: CodeView) -> None:
    """Show a pair's two texts, or nothing: an answer without a fence is code, anything else Markdown."""
    for view, text in ((first, pair.first if pair else ""), (second, pair.second if pair else "")):
        is_code = pair is not None and pair.kind == "response" and "```" not in text
        view.set_code(text, pair.language if pair is not None and is_code else "markdown")


class PairPanel(QWidget):
    """Shows a pair and says which verdict was chosen."""

    judged = Signal(str)

    def __init__(self, theme: Theme, actions: ActionRegistry, drafts: DraftKeeper) -> None:
        """Show nothing yet."""
        super().__init__()
        # Keys belong to the panel, not to the rationale, whenever a pair appears.
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.pair: PairView | None = None
        self.watch = Stopwatch()
        self.question = CodeView(theme, tr("Question"), language="markdown")
        self.first, self.second = CodeView(theme, tr("Candidate 1")), CodeView(theme, tr("Candidate 2"))
        for view in (self.question, self.first, self.second):
            view.setLineWrapMode(CodeView.LineWrapMode.WidgetWidth)
        self.guidelines = label("", wrap=True)
        self.guidelines.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.guidelines.setAccessibleName(tr("Guidelines"))
        self.rationale = text_field(tr("Rationale"))
        self.rationale.setPlaceholderText(
            tr("Why? Optional. {keys} puts the cursor here, Esc leaves it.", keys=actions.keys("judge.rationale"))
        )
        self.rationale.setTabChangesFocus(True)
        self.rationale.setFixedHeight(theme.pixels(46))
        self.draft = DraftField.for_text(drafts, "judge.rationale", self.rationale)
        self.draft_bar = DraftBar(theme, self.draft)
        self.buttons: dict[str, QPushButton] = {}
        self._lay_out(actions)
        self.show_pair(None, "")

    def _lay_out(self, actions: ActionRegistry) -> None:
        self.question_card, guide = Card("", self.question), Card(tr("Guidelines"), (self.guidelines, 1))
        first, second = Card("1", self.first), Card("2", self.second)
        down = make_splitter(
            Qt.Orientation.Vertical,
            make_splitter(Qt.Orientation.Horizontal, self.question_card, guide, sizes=(760, 340)),
            make_splitter(Qt.Orientation.Horizontal, first, second),
            sizes=(170, 420),
        )
        # Where there is little room the texts are scrolled, above the verdicts, which stay in view.
        texts = make_scroll(down)
        texts.setFrameShape(QFrame.Shape.NoFrame)
        texts.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        for action_id, word, _ in _VERDICTS:
            made = button(translate_word(word), actions.keys(action_id), clicked=actions.action(action_id).trigger)
            self.buttons[action_id] = made
        self.undo = button(tr("Undo"), actions.keys("select.undo"), clicked=actions.action("select.undo").trigger)
        verdicts = FlowRow(*self.buttons.values(), self.undo, spacing=6)
        arrange(QVBoxLayout(self), (texts, 1), self.draft_bar, self.rationale, verdicts, spacing=12)

    def show_pair(self, pair: PairView | None, guidelines: str) -> None:
        """Show a pair and start its time; showing the same one again changes nothing."""
        self.guidelines.setText(translate_word(guidelines))
        # What is typed while there is no pair would belong to none and be lost when one comes.
        for made in (*self.buttons.values(), self.rationale):
            made.setEnabled(pair is not None)
        if pair is not None and self.pair is not None and pair.assignment_id == self.pair.assignment_id:
            self.pair = pair
            return
        self.pair = pair
        self.draft.show_item(pair.assignment_id if pair is not None else "")
        # Of two wordings of a question, the question itself would be one.
        is_answer = pair is not None and pair.kind in WORDINGS
        self.question_card.set_title(tr("Reference") if is_answer else tr("Question"))
        self.question.set_code(pair.question if pair else "", "markdown")
        show_sides(pair, self.first, self.second)
        for view in (self.first, self.second):
            view.verticalScrollBar().setValue(0)
        self.watch.restart()
        self.setFocus()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Esc leaves the rationale: letters are verdicts again."""
        if event.key() == Qt.Key.Key_Escape:
            self.setFocus()
        else:
            super().keyPressEvent(event)

    def choose(self, choice: str) -> None:
        """Give a verdict on the pair shown; too soon after it appeared, nothing happens."""
        if self.pair is not None and self.watch.seconds >= SHORTEST_LOOK:
            self.judged.emit(choice)
