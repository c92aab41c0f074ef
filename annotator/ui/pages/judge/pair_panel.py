"""One blind pair: question, guidelines, the two candidates side by side, rationale and verdict buttons."""

from __future__ import annotations

import time

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication, QHideEvent, QKeyEvent, QShowEvent
from PySide6.QtWidgets import QPushButton, QWidget

from annotator.model.rows.judging_rows import PairView
from annotator.services.judge.blind_judging import PROMPT_KINDS
from annotator.ui.app.action_registry import ActionRegistry
from annotator.ui.app.session.draft_keeper import DraftKeeper
from annotator.ui.app.theme.look import Theme
from annotator.ui.app.translation import mark_for_translation, tr, translate_word
from annotator.ui.widgets.card import Card
from annotator.ui.widgets.code.code_view import CodeView
from annotator.ui.widgets.draft_field import DraftBar, DraftField
from annotator.ui.widgets.fields import text_field
from annotator.ui.widgets.labels import button, label
from annotator.ui.widgets.layouts import FlowRow, fill_column, make_scroll, make_splitter

MIN_LOOK_S = 0.4
"""Seconds before a verdict on a new pair is accepted, so that a key held down does not judge that pair too."""
IDLE_S = 180.0
"""Seconds without a key, a click or scrolling after which the time of a pair no longer counts."""
_ACTIVITY_EVENTS = (QEvent.Type.KeyPress, QEvent.Type.MouseButtonPress, QEvent.Type.Wheel)

_VERDICTS = (
    ("judge.first", mark_for_translation("1 is better"), "1"),
    ("judge.second", mark_for_translation("2 is better"), "2"),
    ("judge.tie", mark_for_translation("Tie"), "tie"),
    ("judge.both_bad", mark_for_translation("Both bad"), "both_bad"),
)


class Stopwatch:
    """Measures how long a person looks at each pair in total.

    Time does not count while the stopwatch is paused, nor later than `IDLE_S` after the person's last activity.
    """

    def __init__(self) -> None:
        self._elapsed_s: dict[str, float] = {}
        self._pair_id = ""
        self._running_since: float | None = None

    def start(self, pair_id: str) -> None:
        """Start measuring a pair; the time of a pair shown before continues."""
        self.pause()
        self._pair_id = pair_id
        self.resume()

    def pause(self) -> None:
        """Stop counting until `resume` is called."""
        self._elapsed_s[self._pair_id] = self.seconds
        self._running_since = None

    def resume(self) -> None:
        """Continue counting, unless it is running already."""
        if self._running_since is None:
            self._running_since = time.monotonic()

    def note_activity(self) -> None:
        """Restart the idle time, because the person has pressed a key, scrolled or clicked."""
        if self._running_since is not None:
            self.pause()
            self.resume()

    @property
    def seconds(self) -> float:
        """The time measured for this pair so far."""
        running_s = time.monotonic() - self._running_since if self._running_since is not None else 0.0
        return self._elapsed_s.get(self._pair_id, 0.0) + min(running_s, IDLE_S)


def show_pair_sides(pair: PairView | None, first: CodeView, second: CodeView) -> None:
    """Show a pair's two texts, or nothing; an answer without a code fence is shown as code, other text as Markdown."""
    for view, text in ((first, pair.first if pair else ""), (second, pair.second if pair else "")):
        is_code = pair is not None and pair.kind == "response" and "```" not in text
        view.set_code(text, pair.language if pair is not None and is_code else "markdown")


class PairPanel(QWidget):
    """Shows a pair, and emits the verdict that is chosen."""

    verdict_chosen = Signal(str)

    def __init__(self, theme: Theme, actions: ActionRegistry, drafts: DraftKeeper) -> None:
        super().__init__()
        # The panel takes the focus for each new pair, so that letters are verdicts and not text of the rationale.
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.pair: PairView | None = None
        self.stopwatch = Stopwatch()
        self.question = CodeView(theme, tr("Question"), language="markdown", wrap=True)
        self.first = CodeView(theme, tr("Candidate 1"), wrap=True)
        self.second = CodeView(theme, tr("Candidate 2"), wrap=True)
        self.guidelines = label("", wrap=True)
        self.guidelines.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.guidelines.setAccessibleName(tr("Guidelines"))
        self.rationale = text_field(tr("Rationale"))
        self.rationale.setPlaceholderText(
            tr(
                "Why? (optional) {keys} moves the cursor here, Esc leaves the field.",
                keys=actions.keys("judge.rationale"),
            )
        )
        self.rationale.setTabChangesFocus(True)
        self.rationale.setFixedHeight(theme.pixels(46))
        self.draft = DraftField.for_text(drafts, "judge.rationale", self.rationale)
        self.draft_bar = DraftBar(theme, self.draft)
        self.buttons: dict[str, QPushButton] = {}
        self._lay_out(actions)
        views = (self.question, self.first, self.second)
        for widget in (self, self.rationale, *views, *(view.viewport() for view in views)):
            widget.installEventFilter(self)
        application = QGuiApplication.instance()
        if isinstance(application, QGuiApplication):
            application.applicationStateChanged.connect(self.follow_focus)
        self.show_pair(None, "")

    def _lay_out(self, actions: ActionRegistry) -> None:
        self.question_card = Card("", self.question)
        guidelines_card = Card(tr("Guidelines"), (make_scroll(self.guidelines), 1))
        first, second = Card("1", self.first), Card("2", self.second)
        splitter = make_splitter(
            Qt.Orientation.Vertical,
            make_splitter(Qt.Orientation.Horizontal, self.question_card, guidelines_card, sizes=(760, 340)),
            make_splitter(Qt.Orientation.Horizontal, first, second),
            sizes=(170, 420),
        )
        # On a small screen the texts scroll, and the verdict buttons stay in view.
        texts = make_scroll(splitter)
        for action_id, word, _ in _VERDICTS:
            verdict_button = button(
                translate_word(word), actions.keys(action_id), clicked=actions.action(action_id).trigger
            )
            self.buttons[action_id] = verdict_button
        self.undo_button = button(
            tr("Undo"), actions.keys("select.undo"), clicked=actions.action("select.undo").trigger
        )
        self.skip_button = button(tr("Skip…"), actions.keys("judge.skip"), clicked=actions.action("judge.skip").trigger)
        verdicts = FlowRow(*self.buttons.values(), self.skip_button, self.undo_button, spacing=6)
        fill_column(self, (texts, 1), self.draft_bar, self.rationale, verdicts, spacing=12)

    def show_pair(self, pair: PairView | None, guidelines: str) -> None:
        """Show a pair and measure its time; showing the same pair again changes nothing."""
        self.guidelines.setText(translate_word(guidelines))
        # Text typed without a pair would be lost when the next pair comes.
        for widget in (*self.buttons.values(), self.skip_button, self.rationale):
            widget.setEnabled(pair is not None)
        if pair is not None and self.pair is not None and pair.assignment_id == self.pair.assignment_id:
            self.pair = pair
            return
        self.pair = pair
        self.draft.show_item(pair.assignment_id if pair is not None else "")
        # For two wordings of a question, the question itself would reveal one of them.
        is_wording = pair is not None and pair.kind in PROMPT_KINDS
        self.question_card.set_title(tr("Reference") if is_wording else tr("Question"))
        self.question.set_code(pair.question if pair else "", "markdown")
        show_pair_sides(pair, self.first, self.second)
        for view in (self.first, self.second):
            view.verticalScrollBar().setValue(0)
        self.stopwatch.start(pair.assignment_id if pair is not None else "")
        self._shown_at = time.monotonic()
        self.setFocus()

    def showEvent(self, event: QShowEvent) -> None:
        """Count the time while the pair is on screen."""
        super().showEvent(event)
        self.stopwatch.resume()

    def hideEvent(self, event: QHideEvent) -> None:
        """Pause the time while the pair is not on screen."""
        super().hideEvent(event)
        self.stopwatch.pause()

    def follow_focus(self, state: Qt.ApplicationState) -> None:
        """Pause the time while another program has the focus."""
        if state == Qt.ApplicationState.ApplicationActive and self.isVisible():
            self.stopwatch.resume()
        else:
            self.stopwatch.pause()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Report the person's activity to the stopwatch."""
        if event.type() in _ACTIVITY_EVENTS:
            self.stopwatch.note_activity()
        return super().eventFilter(watched, event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Leave the rationale on Esc, so that letters are verdicts again."""
        if event.key() == Qt.Key.Key_Escape:
            self.setFocus()
        else:
            super().keyPressEvent(event)

    def choose(self, choice: str) -> None:
        """Emit a verdict on the current pair, unless it has only just appeared."""
        if self.pair is not None and time.monotonic() - self._shown_at >= MIN_LOOK_S:
            self.verdict_chosen.emit(choice)
