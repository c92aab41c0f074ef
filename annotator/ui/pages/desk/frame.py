"""What every desk has around the panels that a page is there for: header, steps, and the subject's own texts."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QApplication, QBoxLayout, QFrame, QVBoxLayout, QWidget

from annotator.ui.app.base_page import PageContext
from annotator.ui.app.translation import mark_for_translation, tr
from annotator.ui.pages.desk.steps import StepsBar
from annotator.ui.pages.shared.subject_header import SubjectHeader
from annotator.ui.pages.shared.subject_tabs import Details
from annotator.ui.widgets.card import Card
from annotator.ui.widgets.fold import Fold
from annotator.ui.widgets.layouts import arrange, make_scroll, make_splitter
from annotator.ui.widgets.timers import debounce

QUESTION = mark_for_translation("Question")
_WIDE = 870
"""From this width on question and reference have a column of their own."""
_NARROW = 560
"""Below this width panels stand one below the other."""
_LEAST_HEIGHT = 240
"""Of a panel that stands above or below others, which are scrolled then."""
_DOWN, _ACROSS = Qt.Orientation.Vertical, Qt.Orientation.Horizontal
Panel = tuple[str, str, QWidget, QBoxLayout]
"""A panel's name, its title, the widget, and the row in which the button that folds it stands."""


class DeskFrame(QWidget):
    """One subject: header and steps above two rows of panels, beside which its question and details stand.

    Where there is no room beside the panels, question and details are tabs in one of the rows; where letters are large,
    all panels stand one below the other and are scrolled.
    """

    rearranged = Signal(QWidget)
    """Panels have other places than before."""

    def __init__(
        self,
        context: PageContext,
        acts: tuple[tuple[str, str, bool], ...],
        question: Card,
        details: Details,
        upper: Sequence[Panel],
        below: Sequence[Panel] = (),
        *,
        heights: tuple[int, int] = (430, 290),
        details_below: bool = False,
        keyless: Collection[str] = (),
        spare: Collection[str] = (),
    ) -> None:
        """Begin with question and details as tabs in the upper row, or in the lower one (``details_below``).

        ``keyless`` acts show no key; ``spare`` ones are left to the menu where letters are large.
        """
        super().__init__()
        self._theme = context.theme
        self.header = SubjectHeader(context.theme, context.actions, acts, keyless=keyless, spare=spare)
        self.steps = StepsBar()
        self.question_card, self.details = question, details
        self.question = Fold(self._theme, "question", tr("Question"), question, question.head)
        details_fold = ("details", tr("Details"), details, details.tab_row)
        self.details_fold, *folds = (Fold(self._theme, *panel) for panel in (details_fold, *upper, *below))
        self.folds = {fold.name: fold for fold in (self.question, self.details_fold, *folds)}
        self.left = make_splitter(_DOWN, self.details_fold)
        self.upper = make_splitter(_ACROSS, *folds[: len(upper)])
        self.below = make_splitter(_ACROSS, *folds[len(upper) :])
        self.host = self.below if details_below else self.upper
        self.rows = make_splitter(_DOWN, self.upper, self.below, sizes=heights)
        self.columns = make_splitter(_ACROSS, self.rows)
        for name in ("left", "upper", "below", "rows", "columns"):
            getattr(self, name).setObjectName(f"desk-{name}")
        self._put_in_tab()
        # With large letters the panels are scrolled, below header and steps, which stay in view.
        self.area = make_scroll(self.columns)
        self.area.setFrameShape(QFrame.Shape.NoFrame)
        self.area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        arrange(QVBoxLayout(self), self.header, self.steps, (self.area, 1), spacing=12)
        self._settled = debounce(self, 0, self.show_focus)
        self._fit()
        self._theme.changed.connect(self._fit)

    # -- room -----------------------------------------------------------------------------------------------------

    @property
    def is_wide(self) -> bool:
        """Whether question and details have a column of their own."""
        return self.left.parentWidget() is self.columns

    @property
    def is_narrow(self) -> bool:
        """Whether panels stand one below the other."""
        return self.upper.orientation() == _DOWN

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Arrange the panels as there is room."""
        super().resizeEvent(event)
        self._fit_panels()

    def _fit(self) -> None:
        """Leave out of the steps what has no room in a cramped window, and arrange the panels."""
        self.steps.set_narrow(self._theme.is_cramped)
        self._fit_panels()

    def _fit_panels(self) -> None:
        width = self.width()
        wide, narrow = width >= self._theme.pixels(_WIDE), width < self._theme.pixels(_NARROW)
        if wide == self.is_wide and narrow == self.is_narrow:
            return
        for splitter in (self.upper, self.below):
            splitter.setOrientation(_DOWN if narrow else _ACROSS)
        if wide and not self.is_wide:
            self._put_in_column()
        elif not wide and self.is_wide:
            self._put_in_tab()
        least = self._theme.pixels(_LEAST_HEIGHT) if narrow else 0
        for fold in self.folds.values():
            fold.set_least_height(least)
        self.rearranged.emit(self)
        # What is worked on stays in view, once the panels have their new places.
        self._settled.start()

    def _put_in_column(self) -> None:
        self.details.take_first()
        self.left.insertWidget(0, self.question)
        self.question.show()
        self.question.set_foldable(True)
        self.columns.insertWidget(0, self.left)
        self.left.setSizes([300, 300])
        self.columns.setSizes([400, 900])
        self.host.setVisible(self.host.count() > 0)

    def _put_in_tab(self) -> None:
        self.question.set_foldable(False)
        self.details.put_first(QUESTION, self.question)
        self.host.insertWidget(0, self.left)
        self.host.show()
        self.host.setSizes([400, *[480] * (self.host.count() - 1)])

    # -- panels ---------------------------------------------------------------------------------------------------

    def show_tab(self, name: str) -> None:
        """Show one of the subject's own texts."""
        if name != QUESTION:
            self.show_panel(self.details)
            self.details.show_tab(name)
        elif self.is_wide:
            self.show_panel(self.question_card)
        else:
            self.show_panel(self.details)
            self.details.tabs.setCurrentIndex(0)

    def show_panel(self, panel: QWidget) -> None:
        """Unfold the panel that a widget is in, and scroll to it."""
        for fold in self.folds.values():
            if fold.isAncestorOf(panel):
                fold.set_folded(False)
        self.area.ensureWidgetVisible(panel)

    def show_focus(self) -> None:
        """Scroll to what has the focus."""
        focus = QApplication.focusWidget()
        if focus is not None and self.columns.isAncestorOf(focus):
            self.area.ensureWidgetVisible(focus)

    @property
    def folded(self) -> list[str]:
        """The names of the panels that are folded."""
        return sorted(name for name, fold in self.folds.items() if fold.folded)

    def fold(self, names: object) -> None:
        """Fold the panels that `folded` named; names of another version are ignored."""
        for name, fold in self.folds.items():
            if fold is not self.question or self.is_wide:
                fold.set_folded(isinstance(names, list) and name in names)
