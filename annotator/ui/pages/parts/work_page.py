"""What Select, Prompt and Criterion have in common: a queue on the left, one subject on the right."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QHBoxLayout, QSplitter, QStackedWidget, QVBoxLayout, QWidget

from annotator.jobs.first_load import loaded
from annotator.model.rows import QueueFilter
from annotator.ui.notices import Failure
from annotator.ui.page import Destination, Page, PageContext
from annotator.ui.widgets.queue import Queue
from annotator.ui.words import tr_later

if TYPE_CHECKING:
    from annotator.model.rows import Changes, StageCounts, SubjectView
    from annotator.ui.widgets.empty_state import EmptyState

_READ_AHEAD = 3
_KEPT_AHEAD = 8
_SOON_MS = 20
_NARROWED = (
    tr_later("Nothing fits the search and the filters"),
    tr_later("Try fewer or other words, or let everything through again."),
    tr_later("Show everything"),
)


class WorkPage(Page):
    """A page with a queue. Subclasses build the subject's side and show subjects in it."""

    queue_title = ""
    base_filter = QueueFilter()
    empty = ("ph.tray", tr_later("Nothing here yet"), "", "")
    empty_page = "Sources"

    def __init__(self, context: PageContext) -> None:
        """Put queue, subject and empty state together."""
        super().__init__(context)
        self.view: SubjectView | None = None
        self._ahead: dict[str, SubjectView] = {}
        self._asked: dict[str, object] = {}
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(_SOON_MS)
        self._soon.timeout.connect(self._read_current)
        # Each is put in its place before it is filled: moved afterwards, all there is in it would be styled again.
        self.splitter = QSplitter(Qt.Orientation.Horizontal, self)
        self.queue = Queue(self.session, self.theme, self.queue_title, self.base_filter, self.splitter)
        self.queue.subject_selected.connect(self._selected)
        # Read while the rest of the page is built, so that it is painted once, with its lines.
        self._asked_already = self.session.store is not None
        self.queue.reload()
        self.right = QStackedWidget(self.splitter)
        self.subject_side = QWidget(self.right)
        self.subject_layout = QVBoxLayout(self.subject_side)
        self.subject_layout.setContentsMargins(0, 0, 0, 0)
        self.subject_layout.setSpacing(12)
        self.right.addWidget(self.subject_side)
        self.splitter.setObjectName(f"{self.name.lower()}-splitter")
        self.splitter.setChildrenCollapsible(False)
        self.splitter.setHandleWidth(12)
        self.splitter.addWidget(self.queue)
        self.splitter.addWidget(self.right)
        self.splitter.setSizes([370, 900])
        self.splitter.setStretchFactor(1, 1)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 8, 12, 8)
        layout.addWidget(self.splitter)
        self.build()
        self.show_view(None)

    @cached_property
    def empty_state(self) -> EmptyState:
        """What stands where the subject would be, made when there is none to show."""
        from annotator.ui.widgets.empty_state import EmptyState

        made = EmptyState(self.theme, *self.empty, parent=self.right)
        made.acted.connect(self._leave_for)
        self.right.addWidget(made)
        return made

    def build(self) -> None:
        """Fill ``subject_layout``."""
        raise NotImplementedError

    def show_view(self, view: SubjectView | None) -> None:
        """Show a subject that has arrived, or none."""
        raise NotImplementedError

    def activate(self) -> None:
        """Load the queue, unless that has begun with the page."""
        asked, self._asked_already = self._asked_already, False
        if not asked:
            self.queue.reload()
        self.queue.list.setFocus()

    def refresh(self, changes: Changes) -> None:
        """Fetch again what changed: the queue's lines, and the subject on screen if it is concerned."""
        if not changes.nouns & {"subject", "decision", "prompt", "criterion", "source", "label", "allotment"}:
            return
        self._forget(changes.subjects)
        if "source" in changes.nouns or not changes.subjects:
            self.queue.reload()
        self.queue.renew(changes.subjects)
        current = self.queue.current_id()
        if current is not None and (not changes.subjects or current in changes.subjects):
            self._load(current)

    def actions(self) -> dict[str, Callable[[], object]]:  # type: ignore[override]  # see Page.actions
        """Return the queue's own acts; subclasses add theirs."""
        return {
            "queue.search": self.queue.focus_search,
            "queue.next": self.queue.select_next,
            "queue.previous": self.queue.select_previous,
        }

    def show_subject(self, subject_id: str) -> None:
        """Make a subject current."""
        self.queue.go_to(subject_id)

    def state(self) -> dict[str, Any]:
        """Return the splitter's sizes."""
        return {"sizes": self.splitter.sizes()}

    def restore(self, state: dict[str, Any]) -> None:
        """Take the splitter's sizes back."""
        sizes = state.get("sizes")
        if isinstance(sizes, list) and len(sizes) == 2 and all(isinstance(size, int) for size in sizes):
            self.splitter.setSizes(sizes)

    @property
    def writable(self) -> bool:
        """Whether the project can be changed: a past one, and a file without permission, can only be looked at."""
        store = self.session.store
        return store is not None and not store.read_only

    def leave_subject(self) -> None:
        """Another subject is about to be shown; pages that edit save here."""

    def _selected(self, subject_id: str | None) -> None:
        if self.view is not None and self.view.row.id != subject_id:
            self.leave_subject()
        if subject_id is None:
            self.view = None
            self._say_why_empty()
            self.right.setCurrentWidget(self.empty_state)
            self.show_view(None)
            return
        self.right.setCurrentWidget(self.subject_side)
        self._load(subject_id)

    def _load(self, subject_id: str) -> None:
        """Show a subject: at once if it was read ahead, and read it if not."""
        store = self.session.store
        if store is None:
            return
        known = self._ahead.pop(subject_id, None)
        if known is not None:
            self._arrived(known)
        elif subject_id not in self._asked:
            # The first subject loads the database libraries: the lines of the queue are on screen before that.
            (self._read_current if loaded() else self._soon.start)()

    def _read_current(self) -> None:
        store, current = self.session.store, self.queue.current_id()
        if store is not None and current is not None:
            self.session.run("read", partial(_subject, store, current), self._arrived, latest=f"{self.name}-subject")

    def _arrived(self, view: SubjectView) -> None:
        if view.row.id != self.queue.current_id():
            return
        self.view = view
        self.show_view(view)
        self._read_ahead()

    def _read_ahead(self) -> None:
        """Read the subjects that come next before they are asked for."""
        store = self.session.store
        if store is None:
            return
        for row in self.queue.following(_READ_AHEAD):
            if row.id not in self._ahead and row.id not in self._asked:
                self._asked[row.id] = mark = object()
                work = partial(_subject, store, row.id)
                self.session.run("read", work, partial(self._take_ahead, mark), partial(self._not_ahead, row.id))

    def _take_ahead(self, mark: object, view: SubjectView) -> None:
        # Without its mark, the subject has changed since it was asked for.
        if self._asked.get(view.row.id) is not mark:
            return
        del self._asked[view.row.id]
        if view.row.id == self.queue.current_id():
            self._arrived(view)
            return
        self._ahead[view.row.id] = view
        while len(self._ahead) > _KEPT_AHEAD:
            del self._ahead[next(iter(self._ahead))]

    def _not_ahead(self, subject_id: str, _failure: Failure) -> None:
        self._asked.pop(subject_id, None)
        if subject_id == self.queue.current_id():
            self._load(subject_id)

    def _forget(self, subjects: frozenset[str]) -> None:
        """Drop what was read ahead of subjects that have changed (none named: of all)."""
        for subject_id in subjects or {*self._ahead, *self._asked}:
            self._ahead.pop(subject_id, None)
            self._asked.pop(subject_id, None)

    @property
    def _narrowed(self) -> bool:
        """Whether a search or a filter may be why the queue is empty."""
        shown = self.queue.filter
        return replace(shown, text=shown.text.strip(), sort="") != replace(self.base_filter, sort="")

    def _say_why_empty(self) -> None:
        _, title, text, word = self.empty
        if self._narrowed:
            title, text, word = _NARROWED
        self.empty_state.set_text(title, text, word)

    def show_everything(self) -> None:
        """Take back what narrows the queue."""
        self.queue.search.clear()
        self.queue.set_filter(self.base_filter)

    def _leave_for(self) -> None:
        if self._narrowed:
            self.show_everything()
            self.queue.list.setFocus()
        else:
            self.go_to.emit(Destination(self.empty_page))


def _subject(store: object, subject_id: str) -> SubjectView:
    from annotator.services import selecting

    return selecting.subject(store, subject_id)  # type: ignore[arg-type]  # the store's type would load it


def counts_of(store: object) -> StageCounts:
    """Count what waits at each stage; called in a worker, so that the store's type is loaded there."""
    from annotator.services import projects

    return projects.stage_counts(store)  # type: ignore[arg-type]  # see above
