"""The stack of pages: it builds each page when it is first shown, refreshes it, and saves its state."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QScrollArea, QStackedWidget, QWidget

from annotator.model.changes import Changes
from annotator.model.rows.queue_rows import SubjectRow
from annotator.ui.app.base_page import Page, PageContext
from annotator.ui.app.session.session_notices import failure_of, merge_changes
from annotator.ui.app.settings.window_state import WindowState
from annotator.ui.app.translation import tr
from annotator.ui.loading import LateModule
from annotator.ui.pages.page_registry import make_page
from annotator.ui.widgets.layouts import min_size_at_width, order_tabs

if TYPE_CHECKING:
    from annotator.ui.app.settings import page_layout
else:
    page_layout = LateModule("annotator.ui.app.settings.page_layout")

_LAYOUT = "layout"


class PageStack(QStackedWidget):
    """The pages of the open project; empty while none is open."""

    destination_requested = Signal(object)
    """The `Destination` that a page asks to show."""

    def __init__(self, context: PageContext, state: WindowState) -> None:
        """Start without pages; each page gets ``context``, and ``state`` stores the states of pages."""
        super().__init__()
        self.setObjectName("page-stack")
        self.context = replace(context, holder=self)
        """The context passed to pages and their dialogs."""
        self._state = state
        self._pages: dict[str, Page] = {}
        self._frames: dict[str, QScrollArea] = {}
        """A scroll area around each page, so that any page fits a small window and large text."""
        self._missed_changes: dict[str, Changes] = {}
        self._saved_states: dict[str, dict[str, Any]] = {}
        self._layouts: dict[str, page_layout.PageLayout] = {}
        self._current = ""
        self._last_subject: SubjectRow | None = None
        """The subject shown last on any page."""
        self._blank_page = QWidget()
        self._broken_page = QLabel(tr("This page could not be shown. See the error above."))
        self._broken_page.setObjectName("page-broken")
        self._broken_page.setProperty("role", "dim")
        self._broken_page.setMargin(24)
        self.addWidget(self._blank_page)
        self.addWidget(self._broken_page)
        context.session.changed.connect(self.take_changes)

    @property
    def current_name(self) -> str:
        """The name of the page on screen, or an empty text."""
        return self._current

    def page(self, name: str) -> Page | None:
        """Return a page if it has been shown before."""
        return self._pages.get(name)

    def show_page(self, name: str, subject_id: str = "") -> Page | None:
        """Show a page, building it first if needed; return None and report the error if it cannot be built.

        Without a subject, the page shows the one of the previous page.
        """
        if name == self._current and name in self._pages:
            if subject_id:
                self._pages[name].show_subject(subject_id)
            return self._pages[name]
        previous = self._pages.get(self._current)
        if previous is not None:
            previous.finish_typing()
            self._last_subject = previous.subject_on_screen() or self._last_subject
            previous.deactivate()
        page = self._pages.get(name) or self._build(name)
        self._current = name
        self.context.actions.set_page(name)
        if page is None:
            self.setCurrentWidget(self._broken_page)
            return None
        self.setCurrentWidget(self._frames[name])
        missed = self._missed_changes.pop(name, None)
        if missed is not None:
            page.refresh(missed)
        page.activate()
        if subject_id:
            page.show_subject(subject_id)
        elif self._last_subject is not None:
            page.follow_subject(self._last_subject)
        return page

    def take_changes(self, changes: Changes) -> None:
        """Refresh the current page now, and the others when they are shown again."""
        for name, page in self._pages.items():
            if name == self._current:
                page.refresh(changes)
            else:
                self._missed_changes[name] = merge_changes(self._missed_changes.get(name), changes)

    def finish_typing(self) -> None:
        """Make every page save pending text as drafts."""
        for page in self._pages.values():
            page.finish_typing()

    def save_states(self) -> bool:
        """Save the states of pages that changed; return whether any did."""
        has_changed = False
        for name, page in self._pages.items():
            state = {**page.state(), _LAYOUT: self._layouts[name].state()}
            if self._saved_states.get(name) != state:
                self._saved_states[name] = state
                self._state.set_page_state(name, state, page.store.place)
                has_changed = True
        return has_changed

    def drop_pages(self) -> None:
        """Destroy all pages because their project is closed; their states are saved."""
        current = self._pages.get(self._current)
        if current is not None:
            current.deactivate()
        self.save_states()
        self.setCurrentWidget(self._blank_page)
        for name, frame in self._frames.items():
            self.context.actions.unbind_page(name)
            self.removeWidget(frame)
            frame.deleteLater()
        self._pages.clear()
        self._frames.clear()
        self._missed_changes.clear()
        self._saved_states.clear()
        self._layouts.clear()
        self._current, self._last_subject = "", None
        self.context.actions.set_page("")

    def _build(self, name: str) -> Page | None:
        try:
            page = make_page(name, self.context)
            state = self._state.page_state(name, page.store.place)
            page.restore(state)
            layout = page_layout.PageLayout(page)
            layout.restore(state.get(_LAYOUT))
            page.part_built.connect(layout.arrange)
            page.part_built.connect(order_tabs)
            order_tabs(page)
            handlers = page.handlers()
        except Exception as error:  # noqa: BLE001 - one broken page must not break the whole window
            for unfinished in self.findChildren(Page, options=Qt.FindChildOption.FindDirectChildrenOnly):
                unfinished.deleteLater()
            self.context.session.failed.emit(failure_of(error))
            return None
        self.context.actions.bind_all(handlers, page=name)
        page.go_to.connect(self.destination_requested)
        self._pages[name], self._layouts[name] = page, layout
        self._frames[name] = _make_frame(page)
        self.addWidget(self._frames[name])
        return page


class _Holder(QWidget):
    """Holds a page in its scroll area at its minimum height.

    A scroll area gives wrapping widgets their preferred height, which pushes the main button out of view.
    """

    def __init__(self, page: Page) -> None:
        super().__init__()
        self._page = page
        page.setParent(self)

    def minimumSizeHint(self) -> QSize:
        """Return the size that the page needs at the width of the frame."""
        frame = self.parentWidget()
        return min_size_at_width(
            self._page.minimumSizeHint(), self._page.layout(), frame.width() if frame is not None else 0
        )

    def event(self, event: QEvent) -> bool:
        """Update the geometry when the page requests another size."""
        handled = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return handled

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Resize the page to fill the holder."""
        super().resizeEvent(event)
        self._page.resize(event.size())


def _make_frame(page: Page) -> QScrollArea:
    frame = QScrollArea()
    frame.setWidgetResizable(True)
    frame.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    frame.setWidget(_Holder(page))
    page.show()
    return frame
