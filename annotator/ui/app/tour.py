"""The tour, a bar above the pages that explains each of them. It starts automatically once, with the sample."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtGui import QAccessible, QAccessibleEvent
from PySide6.QtWidgets import QFrame

from annotator.ui.app.translation import mark_for_translation, tr, translate_word
from annotator.ui.widgets.labels import button, label
from annotator.ui.widgets.layouts import fill_row, make_column


@dataclass(frozen=True, slots=True)
class TourStep:
    """The title and text that the bar shows on one page."""

    page: str
    title: str
    text: str


STEPS = (
    TourStep(
        "Sources",
        mark_for_translation("Candidates come from files, dumps and repositories"),
        mark_for_translation("Importing the same file twice adds nothing. The sample was imported from two files."),
    ),
    TourStep(
        "Select",
        mark_for_translation("Accept the good ones"),
        mark_for_translation(
            "A accepts, R rejects, U undoes the last decision. Every decision is saved at once; the status bar "
            "shows it."
        ),
    ),
    TourStep(
        "Prompt",
        mark_for_translation("Write the prompt for models"),
        mark_for_translation(
            "Write the paraphrase beside the original. Annotator checks that names and numbers are kept."
        ),
    ),
    TourStep(
        "Criterion",
        mark_for_translation("Describe a good response"),
        mark_for_translation(
            "Every edit scores the stored responses again. Try it: the criterion of Merge two dictionaries in order "
            "lets a repeated question pass. Require the operator a | b, then prove it."
        ),
    ),
    TourStep(
        mark_for_translation("Bugs"),
        mark_for_translation("Review bugs implanted in good code"),
        mark_for_translation(
            "Each bug is proven: a test that passed before now fails. Try it: read the change, then press A to "
            "accept or R to reject with a reason."
        ),
    ),
    TourStep(
        mark_for_translation("Judge"),
        mark_for_translation("Compare two texts without names"),
        mark_for_translation(
            "The order is random. Try it: press 1 or 2 to choose a side, T for a tie. Names are shown after "
            "everyone has judged."
        ),
    ),
    TourStep(
        mark_for_translation("Consensus"),
        mark_for_translation("Settle disagreements"),
        mark_for_translation(
            "Two people disagree on one subject of the sample. Try it: choose an outcome, write why, and settle it."
        ),
    ),
    TourStep(
        "Release",
        mark_for_translation("Freeze a version"),
        mark_for_translation(
            "A release never changes. This list shows what still blocks it; double-click a row to go there."
        ),
    ),
    TourStep(
        "Runs",
        mark_for_translation("Ask models, or score recorded answers"),
        mark_for_translation("Every answer is saved as it arrives. An interrupted run continues where it stopped."),
    ),
    TourStep(
        "Results",
        mark_for_translation("Read the results"),
        mark_for_translation(
            "Scores come with intervals. Choose a model, then a response, to see which rule gave which point."
        ),
    ),
)


class TourBar(QFrame):
    """The bar of the tour with Back, Next and End; hidden until the tour starts."""

    def __init__(self, show_page: Callable[[str], object]) -> None:
        """Build the hidden bar; ``show_page`` shows a page by its name."""
        super().__init__()
        self.setObjectName("tour")
        self.setAccessibleName(tr("Tour"))
        self._show_page = show_page
        self._index = 0
        self.title = label("", "section")
        self.text = label("", wrap=True)
        self.count = label("", "dim")
        self.back_button = button(tr("Back"), clicked=self.go_back)
        self.next_button = button(tr("Next"), primary=True, clicked=self.go_forward)
        self.end_button = button(tr("End the tour"), clicked=self.end)
        text_column = make_column(self.title, self.text, spacing=2)
        parts = ((text_column, 1), self.count, self.end_button, self.back_button, self.next_button)
        fill_row(self, *parts, margin=(12, 8, 12, 8))
        self.hide()

    @property
    def step(self) -> TourStep:
        """The current or last step."""
        return STEPS[self._index]

    def start(self) -> None:
        """Show the first step."""
        self._index = 0
        self.show()
        self._show()

    def go_forward(self) -> None:
        """Show the next step, or end the tour after the last one."""
        if self._index + 1 == len(STEPS):
            self.end()
            return
        self._index += 1
        self._show()

    def go_back(self) -> None:
        """Show the previous step."""
        self._index = max(0, self._index - 1)
        self._show()

    def end(self) -> None:
        """Hide the bar."""
        self.hide()

    def _show(self) -> None:
        step = self.step
        self._show_page(step.page)
        self.title.setText(translate_word(step.title))
        self.text.setText(translate_word(step.text))
        self.count.setText(tr("{number} of {count}", number=self._index + 1, count=len(STEPS)))
        self.back_button.setEnabled(self._index > 0)
        is_last = self._index + 1 == len(STEPS)
        self.next_button.setText(tr("Done") if is_last else tr("Next"))
        self.next_button.setAccessibleName(self.next_button.text())
        self.end_button.setVisible(not is_last)
        QAccessible.updateAccessibility(QAccessibleEvent(self.title, QAccessible.Event.Alert))
