"""The read-only desk of pages on which people judge others' work: a saved item beside the page's own panels."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from annotator.model.changes import Changes
from annotator.model.rows.queue_rows import SubjectRow
from annotator.model.rows.view_rows import SubjectView
from annotator.ui.app.base_page import Destination, Page, PageContext
from annotator.ui.app.translation import tr
from annotator.ui.pages.desk.steps import (
    QUESTION,
    DeskFrame,
    DeskStep,
    SavedItem,
    StepStack,
    read_item,
    saved_step_states,
)
from annotator.ui.pages.shared.item_source import ItemSource
from annotator.ui.pages.shared.subject_page import announce_ignored_key, announce_queue_focus
from annotator.ui.pages.shared.subject_tabs import CRITERION, PARAPHRASE, Details
from annotator.ui.widgets.code.diff_view import DiffPanes
from annotator.ui.widgets.line_queue import LineQueue


class ReviewDesk(Page):
    """A page with a queue and a desk that shows question, paraphrase and criterion read-only."""

    queue: LineQueue

    def __init__(self, context: PageContext) -> None:
        """Start without an item; subclasses build their panels and call `build_frame`."""
        super().__init__(context)
        self.item: SavedItem | None = None
        self._item_id = ""
        self.source = ItemSource(context, self._view_of_item)
        self.panes = DiffPanes(self.theme, self)
        self.panes.editor.setReadOnly(True)
        self.panes.editor.setPlaceholderText(tr("There is no paraphrase."))
        self.details = Details(self.session, self.store, self.theme)
        self.details.put_first(CRITERION)
        self.details.put_first(PARAPHRASE, self.panes.right_card)

    def build_frame(self, acts: tuple[tuple[str, str, bool], ...], body: QWidget) -> DeskFrame:
        """Return the desk with the page's own panels, ``body``, below the steps."""
        frame = DeskFrame(self.context, acts, self.panes.left_card, self.details, StepStack({}), body)
        self.queue.table.menu.add(self.source.add_entries)
        self.queue.table.letter_ignored.connect(partial(announce_ignored_key, self.session))
        frame.steps.step_chosen.connect(self.go_to_step)
        self.frame = frame
        return frame

    def step_handlers(self) -> dict[str, Callable[[], object]]:
        """Return the acts that all review desks share, by action id: the steps, the source and the queue."""
        steps: dict[str, Callable[[], object]] = {
            f"desk.{step.name.lower()}": partial(self.go_to_step, step) for step in DeskStep
        }
        return {
            **steps,
            **self.source.handlers(),
            "queue.search": self.queue.focus_search,
            "queue.next": partial(self.queue.step, 1),
            "queue.previous": partial(self.queue.step, -1),
        }

    # -- the item -------------------------------------------------------------------------------------------------

    def show_item(self, subject_id: str) -> None:
        """Load and show a saved item, or nothing for an empty id."""
        self._item_id = subject_id
        if subject_id:
            work = partial(read_item, self.store, subject_id)
            self.session.run("read", work, self._take_item, latest=f"{self.name}-item")
        else:
            self._show_item(None)

    def subject_on_screen(self) -> SubjectRow | None:
        """Return the subject on screen, None while another one loads."""
        item = self.item
        return item.view.row if item is not None and item.view.row.id == self._item_id else None

    def _view_of_item(self) -> SubjectView | None:
        """Return the view of the subject on screen, None while another one loads."""
        return self.item.view if self.item is not None and self.subject_on_screen() is not None else None

    def reload_item(self, changes: Changes) -> None:
        """Reload the item if it is affected."""
        if self._item_id and (not changes.subjects or self._item_id in changes.subjects):
            self.show_item(self._item_id)

    def _take_item(self, item: SavedItem) -> None:
        if item.view.row.id == self._item_id and item != self.item:
            self._show_item(item)

    def _show_item(self, item: SavedItem | None) -> None:
        self.item = item
        view = item.view if item is not None else None
        self.details.show_subject(view)
        paraphrase = view.paraphrase.text if view is not None and view.paraphrase else ""
        self.panes.set_texts(view.prompt if view is not None else "", paraphrase)
        self.frame.steps.show_states(saved_step_states(item))
        self.show_header(item)

    def show_header(self, item: SavedItem | None) -> None:
        """Show an item in the header."""
        self.frame.header.show_subject(item.view.row if item is not None else None, writable=not self.store.read_only)

    def go_to_step(self, step: DeskStep) -> None:
        """Show the text of a step here; go to Criterion for the proof and to Consensus for reviews."""
        tab = {DeskStep.ACCEPTED: QUESTION, DeskStep.PARAPHRASED: PARAPHRASE, DeskStep.CRITERION: CRITERION}.get(step)
        if tab == QUESTION:
            self.frame.show_tab(tab)
            self.panes.original.setFocus()
        elif tab is not None:
            self.frame.show_tab(tab)
            self.details.focus_tab(tab)
        elif self._item_id and step == DeskStep.PROVEN:
            self.go_to.emit(Destination("Criterion", self._item_id))
        elif self._item_id:
            self.go_to.emit(Destination("Consensus", self._item_id))
        self.frame.show_focus()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move the focus from a field to the queue on Esc."""
        if event.key() == Qt.Key.Key_Escape:
            announce_queue_focus(self.session, self.queue.table)
            self.queue.focus_list()
        else:
            super().keyPressEvent(event)
