"""What Select, Prompt and Criterion have in common: a queue on the left, one subject on the right."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, replace
from functools import cached_property, partial
from typing import Any, TypeVar

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenu, QSplitter, QStackedWidget, QVBoxLayout, QWidget

from annotator.model.changes import Changes
from annotator.model.rows.queue import LeaseRow, QueueFilter, SeenDecisions, SubjectRow
from annotator.model.rows.views import SubjectView
from annotator.services.select import triage
from annotator.ui.app.base_page import Destination, Page, PageContext
from annotator.ui.app.session.notices import Failure
from annotator.ui.app.translation import mark_for_translation, tr, translate_word
from annotator.ui.pages.shared.item_source import ItemSource
from annotator.ui.pages.shared.next_free import NextFree
from annotator.ui.pages.shared.others_question import CheckedAct, OthersQuestion, until_text
from annotator.ui.pages.shared.read_ahead import ReadAhead
from annotator.ui.pages.shared.typing_place import say_ignored
from annotator.ui.widgets.empty_state import EmptyState
from annotator.ui.widgets.labels import label, say
from annotator.ui.widgets.layouts import arrange, fill_splitter
from annotator.ui.widgets.queue_card import Queue
from annotator.ui.widgets.row_menu import RowMenu
from annotator.ui.widgets.timers import debounce

T = TypeVar("T")
_WORK_PAGES = (mark_for_translation("Select"), mark_for_translation("Prompt"), mark_for_translation("Criterion"))
_READ_AHEAD = 3
_SETTLE_MS = 3_000
_REVEALED = frozenset(
    {"decision", "allotment", "label", "prompt", "criterion", "rewriting", "coveragenote", "suggestion_verdict"}
)
"""Work that concerns a subject as these pages show it."""
_LISTED = {"subject", "decision", "prompt", "criterion", "source", "label", "allotment"}
"""What changes lines of the queue, and the subject on screen."""
_LEASE_ENDS = {"decision", "annotator"}
"""What ends a lease, or makes it another person's."""
_SHOWN = {"proof", "response", "suggestion"}
"""What changes the subject on screen alone."""
_NARROWED = (
    mark_for_translation("Nothing fits the search and the filters"),
    mark_for_translation("Try fewer or other words, or let everything through again."),
    mark_for_translation("Show everything"),
)


class WorkPage(Page):
    """A page with a queue. Subclasses build the subject's side and show subjects in it."""

    queue_title = ""
    base_filter = QueueFilter()
    empty = ("ph.tray", mark_for_translation("Nothing here yet"), "", "")
    empty_page = "Sources"

    def __init__(self, context: PageContext) -> None:
        """Put queue, subject and empty state together."""
        super().__init__(context)
        self.view: SubjectView | None = None
        self.ahead = ReadAhead(self.session, self._show_read, self._retry)
        # Each is put in its place before it is filled: moved afterwards, all there is in it would be styled again.
        self.splitter = QSplitter(Qt.Orientation.Horizontal, self)
        self.queue = Queue(self.session, self.theme, self.queue_title, self.base_filter, self.splitter)
        self.queue.subject_selected.connect(self._selected)
        self.queue.placed.connect(self._settle_if_shown)
        self.queue.not_listed.connect(self._not_listed)
        self.queue.list.row_opened.connect(partial(self.when_settled, self.open_row))
        self.queue.list.letter_ignored.connect(partial(say_ignored, self.session))
        self.source = ItemSource(context, self._view_of_row)
        self.row_menu = RowMenu(self.queue.list, self._fill_row_menu)
        self.next_free = NextFree(self.session, self.store, self.queue, self)
        self.next_free.holder_changed.connect(self._show_holder)
        self.next_free.moved.connect(self._moved)
        self.others = OthersQuestion(self.session, self)
        self._revealing = False
        self._restored: frozenset[str] = frozenset()
        self._followed: frozenset[str] = frozenset()
        self._waiting: list[Callable[[], object]] = []
        self._settle_timer = debounce(self, _SETTLE_MS, self._give_up)
        self.session.steps_ended.connect(self._act_on)
        # Read while the rest of the page is built, so that it is painted once, with its lines.
        self._queue_requested = True
        self.queue.reload()
        self.right = QStackedWidget(self.splitter)
        self.subject_side = QWidget(self.right)
        self.subject_layout = arrange(QVBoxLayout(self.subject_side), spacing=12)
        self.right.addWidget(self.subject_side)
        self.splitter.setObjectName(f"{self.name.lower()}-splitter")
        fill_splitter(self.splitter, self.queue, self.right, sizes=(370, 900))
        self.splitter.setStretchFactor(1, 1)
        arrange(QHBoxLayout(self), self.splitter, margins=(0, 8, 12, 8))
        self.build()
        self.show_view(None)

    @cached_property
    def empty_state(self) -> EmptyState:
        """What stands where the subject would be, made when there is none to show."""
        made = EmptyState(self.theme, *self.empty, parent=self.right)
        made.acted.connect(self._leave_for)
        self.right.addWidget(made)
        return made

    @cached_property
    def holder_line(self) -> QLabel:
        """Where it says who has the subject, above it; made when somebody has."""
        made = label("", "problem", wrap=True)
        self.subject_layout.insertWidget(0, made)
        return made

    def build(self) -> None:
        """Fill ``subject_layout``."""
        raise NotImplementedError

    def show_view(self, view: SubjectView | None) -> None:
        """Show a subject that has arrived, or none."""
        raise NotImplementedError

    def activate(self) -> None:
        """Load the queue, unless that has begun with the page."""
        requested, self._queue_requested = self._queue_requested, False
        if not requested:
            self.queue.reload()
        self.queue.list.setFocus()
        self.next_free.activate()

    def deactivate(self) -> None:
        """Let others have the subject that was shown."""
        self.next_free.deactivate()

    def refresh(self, changes: Changes) -> None:
        """Fetch again what changed: the queue's lines, and the subject on screen if it is concerned."""
        if not changes.nouns & (_LISTED | _SHOWN):
            return
        self.ahead.forget(changes.subjects)
        if changes.nouns & _LISTED:
            if "source" in changes.nouns or not changes.subjects:
                self.queue.reload()
            self.queue.refresh(changes.subjects)
        current = self.queue.current_id()
        if current is not None and (not changes.subjects or current in changes.subjects):
            self._load(current)
            if changes.nouns & _LEASE_ENDS:
                self.next_free.renew()

    def handlers(self) -> dict[str, Callable[[], object]]:
        """Return the queue's own acts; subclasses add theirs."""
        return {
            **self.source.handlers(),
            "queue.search": self.queue.focus_search,
            "queue.next": partial(self.advance, 1),
            "queue.previous": partial(self.advance, -1),
        }

    def show_subject(self, subject_id: str) -> None:
        """Make a subject current."""
        self._restored = self._followed = frozenset()
        self.queue.go_to(subject_id)

    def subject_on_screen(self) -> SubjectRow | None:
        """Return the subject that is current, None while another one is still looked for."""
        return None if self.queue.seeking else self.queue.current_row()

    def follow_subject(self, row: SubjectRow) -> None:
        """Make the subject of another page current; where a search or a filter hides it, say so and stay."""
        listed = not self.base_filter.verdicts or row.verdict in self.base_filter.verdicts
        if listed and row.id != self.queue.current_id():
            self._followed = frozenset({row.id})
            self.queue.go_to(row.id)

    def open_row(self) -> None:
        """Go to where work on the current subject goes on; pages with a place for it go there."""

    def _fill_row_menu(self, menu: QMenu) -> None:
        """Offer what the page can do with the selected rows, and what the current one is known by."""
        self.context.actions.add_page_actions(menu)
        view = self._view_of_row()
        if view is None:
            return
        menu.addSeparator()
        row = view.row
        for page in _WORK_PAGES:
            if page != self.name and (row.verdict == "accept" or page == _WORK_PAGES[0]):
                opening = menu.addAction(tr("Show on {page}", page=translate_word(page)))
                opening.triggered.connect(partial(self._leave_to, Destination(page, row.id)))
        self.source.add_entries(menu)

    def _view_of_row(self) -> SubjectView | None:
        """Return the subject shown, None while another row is current."""
        return self.view if self.view is not None and self.view.row.id == self.queue.shown_id() else None

    def _leave_to(self, place: Destination, _checked: bool = False) -> None:
        self.go_to.emit(place)

    # -- moving on ------------------------------------------------------------------------------------------------

    def advance(self, by: int = 1) -> None:
        """Go to the next subject (-1: the one before), on a server to the nearest that nobody else has."""
        if self.next_free.leases_shown:
            self.when_settled(partial(self.next_free.move, by))
        elif by > 0:
            self.queue.select_next()
        else:
            self.queue.select_previous()

    def seen(self) -> SeenDecisions:
        """Return which decisions are known to who decides here: those of the list, and those of the subject shown."""
        shown = self.view.decisions if self.view is not None else ()
        return SeenDecisions(self.queue.as_of, frozenset(decision.id for decision in shown))

    def decide_and_advance(
        self, act: CheckedAct[T], on_done: Callable[[T], object] | None = None, *, about: str | None = None
    ) -> None:
        """Decide and go on; what others hold or have decided on since is shown (``about``) and asked about first.

        On a file the next subject is shown at once, and the saving follows. On a server moving on waits for it: what
        is shown next is leased, and what was refused stays on screen.
        """
        agreed = partial(self._decided, on_done)
        if self.next_free.leases_shown:
            self.next_free.wait()
            stay = self.next_free.stay
            self.others.act(act, agreed, self._not_decided, on_refused=stay)
        else:
            show = partial(self.queue.go_to, about) if about is not None else None
            self.others.act(act, on_done, on_refused=show, on_agreed=agreed)
            self.queue.select_next()

    def _decided(self, on_done: Callable[[T], object] | None, result: T) -> None:
        if on_done is not None:
            on_done(result)
        if self.next_free.leases_shown:
            self.next_free.move(1)
        else:
            self.queue.select_next()

    def _not_decided(self, failure: Failure) -> None:
        self.next_free.stay()
        self.session.failed.emit(failure)

    def _moved(self, arrived: bool) -> None:
        """Do what waited for the subject shown now; keys for one that could not be shown are forgotten."""
        if not arrived:
            self._waiting.clear()
        self._act_on()

    def _show_holder(self, row: LeaseRow | None) -> None:
        if row is not None or "holder_line" in self.__dict__:
            time = until_text(row.seconds_left) if row is not None else ""
            say(self.holder_line, tr("Held by {person} until {time}.", person=row.annotator, time=time) if row else "")

    # -- undo and redo --------------------------------------------------------------------------------------------

    def reveal(self, changes: Changes) -> bool:
        """Make the subject of an undo or redo current, so that the next key acts on what is shown."""
        if not changes.nouns & _REVEALED:
            return False
        if changes.subjects:
            self._revealing, self._restored = True, frozenset()
            self._settle_timer.start()
            self.queue.go_to(*changes.subjects)
        return True

    def when_settled(self, act: Callable[[], object]) -> None:
        """Act on the subject that is shown; during an undo or redo, once the subject it concerns is shown."""
        if self.settled:
            act()
        else:
            self._waiting.append(act)

    @property
    def settled(self) -> bool:
        """Whether a key acts on what is shown, as no undo, redo or move is about to show another subject."""
        return not (self.session.stepping or self._revealing or self.next_free.moving)

    def _settle_if_shown(self) -> None:
        if not self._revealing or self.queue.seeking or self.view is None:
            return
        if self.view.row.id == self.queue.shown_id():
            self._settle()

    def _settle(self) -> None:
        self._revealing = False
        self._settle_timer.stop()
        self._act_on()

    def _act_on(self) -> None:
        """Do what waited, one after the other: each may begin another undo."""
        while self._waiting and self.settled:
            self._waiting.pop(0)()

    def _give_up(self) -> None:
        """Forget keys that were pressed for a subject that cannot be shown: nobody has seen what they would act on."""
        self._waiting.clear()
        self._settle()

    def _not_listed(self, subject_ids: frozenset[str]) -> None:
        """Show what the filter hides, with a way back to the filter; what is not listed here at all, elsewhere."""
        if subject_ids == self._followed:
            self._followed = frozenset()
            self._say_hidden(min(subject_ids))
            return
        if subject_ids == self._restored:
            # Nobody asked for it: it was current when the window was closed.
            self._restored = frozenset()
            return
        before = self.queue.filter
        if self._narrowed:
            self.widen()
            self.queue.go_to(*subject_ids)
            self.session.offer(
                tr("The search and the filters hid it, so everything is shown."),
                tr("Filter again"),
                partial(self.narrow, before),
            )
            return
        self._give_up()
        if self.base_filter != QueueFilter():
            there = Destination("Select", min(subject_ids))
            self.session.offer(tr("It is not listed on this page."), tr("Show"), partial(self.go_to.emit, there))

    def _say_hidden(self, subject_id: str) -> None:
        """Say that the subject of the page that was left is filtered out here, and stay where this page was."""
        if self._restored:
            self.queue.go_to(*self._restored)
        if self._narrowed:
            text = tr("The search and the filters here hide the item you were on.")
            self.session.offer(text, tr("Show it"), partial(self.show_subject, subject_id))

    def widen(self) -> None:
        """Let everything through, in the same order."""
        self.narrow(replace(self.base_filter, sort=self.queue.filter.sort))

    def narrow(self, wanted: QueueFilter) -> None:
        """Narrow the queue by a filter with its search."""
        self.queue.search.setText(wanted.text)
        self.queue.set_filter(replace(wanted, text=""))

    def state(self) -> dict[str, Any]:
        """Return the current subject, and what the queue is narrowed and sorted by."""
        narrowed = asdict(self.queue.filter)
        # As JSON gives it back, so that what did not change is not written again.
        shown = {name: list(value) if isinstance(value, tuple) else value for name, value in narrowed.items()}
        item = self.queue.current_id() or ""
        return {"item": item, "filter": shown}

    def restore(self, state: dict[str, Any]) -> None:
        """Take back what `state` returned."""
        wanted = read_filter(state.get("filter"))
        if wanted is not None and wanted != self.queue.filter:
            self.narrow(wanted)
        item = state.get("item")
        if isinstance(item, str) and item:
            self._restored = frozenset({item})
            self.queue.go_to(item)

    @property
    def writable(self) -> bool:
        """Whether the project can be changed: a past one, and a file without permission, can only be looked at."""
        return not self.store.read_only

    def _selected(self, subject_id: str | None) -> None:
        if self.view is not None and self.view.row.id != subject_id:
            self.finish_typing()
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
        known = self.ahead.take(subject_id)
        if known is not None:
            self._show_read(known)
        elif not self.ahead.is_reading(subject_id):
            self.read_current()

    def read_current(self) -> None:
        """Read the current subject and show it."""
        current = self.queue.current_id()
        if current is not None:
            work = partial(triage.subject, self.store, current)
            self.session.run("read", work, self._show_read, latest=f"{self.name}-subject")

    def _show_read(self, view: SubjectView) -> bool:
        """Show a subject that was read, if it is still the current one; returns whether it is."""
        if view.row.id != self.queue.current_id():
            return False
        # A refresh that brings nothing new moves no cursor and no scroll bar.
        if view != self.view:
            self.finish_typing()
            self.view = view
            self.show_view(view)
        self._settle_if_shown()
        self.ahead.read(self.store, [row.id for row in self.queue.following(_READ_AHEAD)])
        return True

    def _retry(self, subject_id: str) -> None:
        if subject_id == self.queue.current_id():
            self._load(subject_id)

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


def read_filter(kept: object) -> QueueFilter | None:
    """Return the filter that a page kept, None for what is none; odd fields come from another version."""
    if not isinstance(kept, dict) or kept.keys() != asdict(QueueFilter()).keys():
        return None
    values: dict[str, Any] = {}
    for name, default in asdict(QueueFilter()).items():
        value = kept[name]
        if isinstance(default, str) and isinstance(value, str):
            values[name] = value
        elif isinstance(default, tuple) and isinstance(value, list) and all(isinstance(item, str) for item in value):
            values[name] = tuple(value)
        else:
            return None
    return QueueFilter(**values)
