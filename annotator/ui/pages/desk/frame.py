"""The layout of every desk: a header, the item's material on the left, and its steps on the right."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QApplication, QFrame, QVBoxLayout, QWidget

from annotator.ui.app.base_page import PageContext
from annotator.ui.app.translation import mark_for_translation, tr
from annotator.ui.pages.desk.steps import DeskStep, StepStack
from annotator.ui.pages.shared.subject_header import SubjectHeader
from annotator.ui.pages.shared.subject_tabs import Details
from annotator.ui.widgets.card import Card
from annotator.ui.widgets.labels import Segments
from annotator.ui.widgets.layouts import arrange, make_scroll, make_splitter

QUESTION = mark_for_translation("Question")
_NARROW = 620
"""Below this width, in pixels, either the material or the steps are shown."""
_MATERIAL, _STEPS = 0, 1
_WRITING_WIDTHS, _REVIEWING_WIDTHS = (4600, 5400), (5800, 4200)
"""Stretch factors of material and steps: who writes needs room for the open step, who reviews for the material."""


class DeskFrame(QWidget):
    """One item: its material in tabs beside the steps, one of them open.

    If there is no room for both, two buttons switch between them.
    """

    def __init__(
        self,
        context: PageContext,
        acts: tuple[tuple[str, str, bool], ...],
        question: Card,
        material: Details,
        steps: StepStack,
        body: QWidget | None = None,
        *,
        keyless: Collection[str] = (),
        spare: Collection[str] = (),
    ) -> None:
        """Insert the question as the first tab; ``body`` is shown below the steps if none of them has a panel.

        ``keyless`` acts show no key; ``spare`` acts have no button in a cramped window, only their menu entry.
        """
        super().__init__()
        self._theme = context.theme
        self.header = SubjectHeader(context.theme, context.actions, acts, keyless=keyless, spare=spare)
        self.material, self.steps = material, steps
        # The question is inside the material's card and must not look like a second card.
        question.setProperty("role", "")
        material.put_first(QUESTION, question)
        self.work = QWidget()
        arrange(QVBoxLayout(self.work), *((steps, (body, 1)) if body is not None else ((steps, 1),)))
        widths = _WRITING_WIDTHS if body is None else _REVIEWING_WIDTHS
        self.columns = make_splitter(Qt.Orientation.Horizontal, material, self.work, sizes=widths)
        self.columns.setObjectName("desk-sides")
        for place, width in enumerate(widths):
            self.columns.setStretchFactor(place, width)
        self.faces = Segments(tr("View of the item"), (tr("Material"), tr("Steps")), selected=self._show_faces)
        self.faces.hide()
        self.faces.choose(_STEPS)
        self.area = make_scroll(self.columns)
        self.area.setFrameShape(QFrame.Shape.NoFrame)
        self.area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        arrange(QVBoxLayout(self), self.header, self.faces, (self.area, 1), spacing=12)
        self._theme.changed.connect(self._fit)
        self._fit()

    @property
    def is_narrow(self) -> bool:
        """Whether there is room for only one of material and steps."""
        return not self.faces.isHidden()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show both columns if there is room."""
        super().resizeEvent(event)
        self._fit()

    def show_tab(self, name: str) -> None:
        """Show a tab of the material."""
        self.material.show_tab(name)
        self._choose_face(_MATERIAL)

    def show_step(self, step: DeskStep) -> None:
        """Open a step."""
        self.steps.show_step(step)
        self.show_work()

    def show_work(self) -> None:
        """Switch to the steps if there is room for only one side."""
        self._choose_face(_STEPS)

    def show_focus(self) -> None:
        """Scroll the focused widget into view."""
        focus = QApplication.focusWidget()
        if focus is not None and self.columns.isAncestorOf(focus):
            self.area.ensureWidgetVisible(focus)

    def _fit(self) -> None:
        narrow = self.width() < self._theme.pixels(_NARROW)
        if narrow != self.is_narrow:
            self.faces.setVisible(narrow)
            self._show_faces(self.faces.current)

    def _choose_face(self, face: int) -> None:
        if face != self.faces.current:
            self.faces.choose(face)

    def _show_faces(self, face: int) -> None:
        for place, column in ((_MATERIAL, self.material), (_STEPS, self.work)):
            column.setVisible(place == face or not self.is_narrow)
