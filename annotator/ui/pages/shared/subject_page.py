"""The base of Select, Prompt and Criterion: a queue on the left, one subject on the right."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import asdict, replace
from functools import cached_property, partial
from typing import Any, TypeVar

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QLabel, QMenu, QPushButton, QSizePolicy, QStackedWidget, QWidget

from annotator.model.changes import Changes
from annotator.model.rows.queue_rows import LeaseRow, QueueFilter, SeenDecisions, SubjectRow
from annotator.model.rows.view_rows import SubjectView
from annotator.services.select import triage
from annotator.services.select.triage import OthersWorkError
from annotator.store.file.project_file import ProjectFile
from annotator.ui.app.action_registry import ActionRegistry
from annotator.ui.app.base_page import Destination, Page, PageContext
from annotator.ui.app.session.session import Session
from annotator.ui.app.session.session_notices import WorkFailure
from annotator.ui.app.theme.look import Theme
from annotator.ui.app.translation import mark_for_translation, tr, translate_word
from annotator.ui.pages.shared.item_source import ItemSource
from annotator.ui.pages.shared.next_free import NextFree
from annotator.ui.pages.shared.others_question import CheckedAct, OthersQuestion, lease_end_text
from annotator.ui.widgets.card import EmptyState
from annotator.ui.widgets.fields import debounce
from annotator.ui.widgets.labels import ElidedLabel, OneClickButton, OptionalLabel, button, escape_tool_tip
from annotator.ui.widgets.layouts import fill_column, fill_row
from annotator.ui.widgets.line_queue import QueueSplitter
from annotator.ui.widgets.queue_card import Queue
from annotator.ui.widgets.row_menu import RowMenu

_MIN_FACTS_LETTERS = 12
_GAP, _CRAMPED_GAP = 8, 6
"""Pixels between the parts of the header."""


class SubjectHeader(QWidget):
    """Title and facts on the left, the buttons of the page's acts on the right."""

    def __init__(
        self,
        theme: Theme,
        actions: ActionRegistry,
        acts: tuple[tuple[str, str, bool], ...],
        parent: QWidget | None = None,
        *,
        keyless: Collection[str] = (),
        spare: Collection[str] = (),
    ) -> None:
        """``acts`` are (action id, word, primary) of each button.

        ``keyless`` buttons show no shortcut; ``spare`` ones are hidden in a cramped window, which keeps the menu entry.
        """
        super().__init__(parent)
        self._theme, self._actions, self._keyless, self._spare = theme, actions, keyless, spare
        # The title has priority; the facts get the remaining width.
        self.title, self.facts = ElidedLabel("title", QSizePolicy.Policy.Maximum), ElidedLabel("dim")
        self.buttons: dict[str, QPushButton] = {}
        self.facts.set_min_letters(_MIN_FACTS_LETTERS)
        for action_id, word, primary in acts:
            act = actions.action(action_id).trigger
            act_button = button(word, actions.keys(action_id), primary=primary, clicked=act, kind=OneClickButton)
            self.buttons[action_id] = act_button
        self._row = fill_row(self, self.title, (self.facts, 1), *self.buttons.values())
        theme.changed.connect(self.fit)
        self.fit()

    def fit(self) -> None:
        """Hide spare buttons and keys in a cramped window, so that the main button stays in view."""
        is_cramped = self._theme.is_cramped
        self._row.setSpacing(_CRAMPED_GAP if is_cramped else _GAP)
        for action_id, act_button in self.buttons.items():
            key = "" if is_cramped or action_id in self._keyless else self._actions.keys(action_id)
            act_button.setText(f"{act_button.accessibleName()}  {key}".rstrip())
            act_button.setHidden(is_cramped and action_id in self._spare)

    def minimumSizeHint(self) -> QSize:
        """Ask only for the room that a cramped window needs, so that any window can become one in one step."""
        hint = super().minimumSizeHint()
        extra_width = 0
        for action_id, act_button in self.buttons.items():
            if not act_button.isHidden() and action_id in self._spare:
                extra_width += act_button.minimumSizeHint().width() + self._row.spacing()
            elif not act_button.isHidden():
                metrics = act_button.fontMetrics()
                word_width = metrics.horizontalAdvance(act_button.accessibleName())
                extra_width += metrics.horizontalAdvance(act_button.text()) - word_width
        return QSize(hint.width() - extra_width, hint.height())

    def set_word(self, action_id: str, word: str) -> None:
        """Change the word on an act's button."""
        if self.buttons[action_id].accessibleName() != word:
            self.buttons[action_id].setAccessibleName(word)
            self.fit()

    def show_subject(self, row: SubjectRow | None, *, writable: bool = True) -> None:
        """Show a subject's title and facts, or nothing; the buttons are enabled for a writable subject."""
        self.title.set_full(row.title if row else "")
        parts = (row.key.partition(":")[2], row.language, row.domain) if row else ()
        self.facts.set_full(" · ".join(part for part in parts if part))
        # Elided texts can be read in full in the tool tip.
        self.title.setToolTip(escape_tool_tip("\n".join(filter(None, (self.title.full, self.facts.full)))))
        for act_button in self.buttons.values():
            act_button.setEnabled(row is not None and writable)


_MAX_READY = 8


class ReadAhead:
    """A small cache of subjects loaded before they are shown.

    ``on_loaded`` gets each loaded subject and returns whether it was shown at once; ``on_failed`` gets the id of a
    subject that could not be loaded.
    """

    def __init__(
        self, session: Session, on_loaded: Callable[[SubjectView], bool], on_failed: Callable[[str], object]
    ) -> None:
        self._session, self._on_loaded, self._on_failed = session, on_loaded, on_failed
        self._ready_views: dict[str, SubjectView] = {}
        self._requests: dict[str, object] = {}

    def take(self, subject_id: str) -> SubjectView | None:
        """Remove and return a subject loaded ahead; None if it is not ready."""
        return self._ready_views.pop(subject_id, None)

    def is_reading(self, subject_id: str) -> bool:
        """Whether a subject is being read now."""
        return subject_id in self._requests

    def read(self, store: ProjectFile, subject_ids: Iterable[str]) -> None:
        """Load the subjects that are neither ready nor being loaded."""
        for subject_id in subject_ids:
            if subject_id not in self._ready_views and subject_id not in self._requests:
                self._requests[subject_id] = request = object()
                work = partial(triage.load_subject, store, subject_id)
                self._session.run("read", work, partial(self._store_view, request), partial(self._drop, subject_id))

    def forget(self, subject_ids: frozenset[str]) -> None:
        """Drop subjects that have changed; all of them if no ids are given."""
        for subject_id in subject_ids or {*self._ready_views, *self._requests}:
            self._ready_views.pop(subject_id, None)
            self._requests.pop(subject_id, None)

    def _store_view(self, request: object, view: SubjectView) -> None:
        # A request that is no longer listed was dropped because its subject changed.
        if self._requests.get(view.row.id) is not request:
            return
        del self._requests[view.row.id]
        if self._on_loaded(view):
            return
        self._ready_views[view.row.id] = view
        while len(self._ready_views) > _MAX_READY:
            del self._ready_views[next(iter(self._ready_views))]

    def _drop(self, subject_id: str, _failure: WorkFailure) -> None:
        self._requests.pop(subject_id, None)
        self._on_failed(subject_id)


def announce_queue_focus(session: Session, queue: QWidget) -> None:
    """Announce that the queue gets the keys now, unless it has the focus already."""
    if not queue.hasFocus():
        session.say(tr("The keyboard now controls the queue. Press Return to go back to the item."))


def announce_ignored_key(session: Session, letter: str) -> None:
    """Announce that a letter does nothing in the queue, and which keys do."""
    if letter.strip():
        session.say(
            tr("{letter} has no effect in the queue. Press Return for the item, / for the search.", letter=letter)
        )


T = TypeVar("T")
_WORK_PAGES = (mark_for_translation("Select"), mark_for_translation("Prompt"), mark_for_translation("Criterion"))
_READ_AHEAD = 3
_SETTLE_MS = 3_000
_REVEALED_NOUNS = frozenset(
    {"decision", "allotment", "label", "prompt", "criterion", "rewriting", "coveragenote", "suggestion_verdict"}
)
"""Nouns of changes whose subject an undo or redo shows on these pages."""
_QUEUE_NOUNS = {"subject", "decision", "prompt", "criterion", "source", "label", "allotment"}
"""Nouns of changes that affect the queue's rows and the subject on screen."""
_LEASE_NOUNS = {"decision", "annotator"}
"""Nouns of changes that end a lease or pass it to another person."""
_VIEW_NOUNS = {"proof", "response", "suggestion"}
"""Nouns of changes that affect only the subject on screen."""
_NO_MATCH_TEXTS = (
    mark_for_translation("No match for the search and filters"),
    mark_for_translation("Try fewer or other words, or clear the filters."),
    mark_for_translation("Show all"),
)


class WorkPage(Page):
    """A page with a queue. Subclasses build the subject's side and show subjects in it."""

    queue_title = ""
    base_filter = QueueFilter()
    empty = ("ph.tray", mark_for_translation("Nothing here yet"), "", "")
    empty_page = "Sources"
    item_width = 0
    """The width in pixels that the item needs; with less, the queue folds. With 0, it never folds."""

    def __init__(self, context: PageContext) -> None:
        """Build the queue, the subject's side and the splitter between them."""
        super().__init__(context)
        self.view: SubjectView | None = None
        self.ahead = ReadAhead(self.session, self._show_loaded, self._retry_current)
        # Each widget gets its parent before it is filled: reparenting later would restyle all its children.
        self.splitter = QueueSplitter(self.theme, f"{self.name.lower()}-splitter", self.item_width, self)
        self.queue = Queue(self.session, self.theme, self.queue_title, self.base_filter, self.splitter)
        self.queue.subject_selected.connect(self._show_selected)
        self.queue.placed.connect(self._settle_if_shown)
        self.queue.not_listed.connect(self._not_listed)
        self.queue.list.row_opened.connect(partial(self.when_settled, self.open_row))
        self.queue.list.letter_ignored.connect(partial(announce_ignored_key, self.session))
        self.source = ItemSource(context, self._view_of_row)
        self.row_menu = RowMenu(self.queue.list, self._fill_row_menu)
        self.next_free = NextFree(self.session, self.store, self.queue, self)
        self.next_free.holder_changed.connect(self._show_holder)
        self.next_free.moved.connect(self._finish_move)
        self.others = OthersQuestion(self.session, self)
        self._is_revealing = False
        self._restored_ids: frozenset[str] = frozenset()
        self._followed_ids: frozenset[str] = frozenset()
        self._pending_acts: list[Callable[[], object]] = []
        self._settle_timer = debounce(self, _SETTLE_MS, self._drop_pending_acts)
        self.session.steps_ended.connect(self._run_pending_acts)
        # Load the rows while the page is being built, so that its first paint already shows them.
        self._queue_requested = True
        self.queue.reload()
        self.right = QStackedWidget(self.splitter)
        self.subject_side = QWidget(self.right)
        self.subject_layout = fill_column(self.subject_side, spacing=12)
        self.right.addWidget(self.subject_side)
        self.splitter.fill(self.queue, self.right, (370, 900))
        fill_row(self, self.splitter, margin=(0, 8, 12, 8))
        self.build()
        self.show_view(None)

    @cached_property
    def empty_state(self) -> EmptyState:
        """The placeholder for a missing subject, built on first use."""
        empty_state_widget = EmptyState(self.theme, *self.empty, parent=self.right)
        empty_state_widget.acted.connect(self._act_on_empty)
        self.right.addWidget(empty_state_widget)
        return empty_state_widget

    @cached_property
    def holder_line(self) -> QLabel:
        """The label above the subject that names who holds it, built on first use."""
        holder_label = OptionalLabel("problem")
        self.subject_layout.insertWidget(0, holder_label)
        return holder_label

    def build(self) -> None:
        """Fill ``subject_layout``."""
        raise NotImplementedError

    def show_view(self, view: SubjectView | None) -> None:
        """Show a subject that has arrived, or none."""
        raise NotImplementedError

    def activate(self) -> None:
        """Load the queue, unless the constructor has just requested it."""
        was_requested, self._queue_requested = self._queue_requested, False
        if not was_requested:
            self.queue.reload()
        self.queue.list.setFocus()
        self.next_free.activate()

    def deactivate(self) -> None:
        """Release the lease on the current subject."""
        self.next_free.deactivate()

    def refresh(self, changes: Changes) -> None:
        """Reload the changed rows of the queue, and the subject on screen if it is affected."""
        if not changes.nouns & (_QUEUE_NOUNS | _VIEW_NOUNS):
            return
        self.ahead.forget(changes.subjects)
        if changes.nouns & _QUEUE_NOUNS:
            if "source" in changes.nouns or not changes.subjects:
                self.queue.reload()
            self.queue.refresh(changes.subjects)
        current = self.queue.current_id()
        if current is not None and (not changes.subjects or current in changes.subjects):
            self._load(current)
            if changes.nouns & _LEASE_NOUNS:
                self.next_free.renew()

    def handlers(self) -> dict[str, Callable[[], object]]:
        """Return the queue's acts by action id; subclasses add their own."""
        return {
            **self.source.handlers(),
            "queue.search": self.queue.focus_search,
            "queue.next": partial(self.advance, 1),
            "queue.previous": partial(self.advance, -1),
        }

    def show_subject(self, subject_id: str) -> None:
        """Make a subject current."""
        self._restored_ids = self._followed_ids = frozenset()
        self.queue.go_to(subject_id)

    def subject_on_screen(self) -> SubjectRow | None:
        """Return the current subject, None while the queue is still looking up another one."""
        return None if self.queue.is_seeking else self.queue.current_row()

    def follow_subject(self, row: SubjectRow) -> None:
        """Make the subject of another page current; if a search or filter hides it, say so and stay."""
        is_listed = not self.base_filter.verdicts or row.verdict in self.base_filter.verdicts
        if is_listed and row.id != self.queue.current_id():
            self._followed_ids = frozenset({row.id})
            self.queue.go_to(row.id)

    def open_row(self) -> None:
        """Open the current row; subclasses with a place to work on it put the focus there."""

    def _fill_row_menu(self, menu: QMenu) -> None:
        """Fill the menu with the page's acts on the selected rows and the acts on the current item's source."""
        self.context.actions.add_page_actions(menu)
        view = self._view_of_row()
        if view is None:
            return
        menu.addSeparator()
        row = view.row
        for page in _WORK_PAGES:
            if page != self.name and (row.verdict == "accept" or page == _WORK_PAGES[0]):
                action = menu.addAction(tr("Show on {page}", page=translate_word(page)))
                action.triggered.connect(partial(self._go_to_page, Destination(page, row.id)))
        self.source.add_entries(menu)

    def _view_of_row(self) -> SubjectView | None:
        """Return the subject on screen, None while another row is current."""
        return self.view if self.view is not None and self.view.row.id == self.queue.shown_id() else None

    def _go_to_page(self, destination: Destination, _checked: bool = False) -> None:
        self.go_to.emit(destination)

    # -- moving on ------------------------------------------------------------------------------------------------

    def advance(self, by: int = 1) -> None:
        """Go to the next subject (-1: the previous one); on a server, to the nearest one not leased by others."""
        if self.next_free.uses_leases:
            self.when_settled(partial(self.next_free.move, by))
        elif by > 0:
            self.queue.select_next()
        else:
            self.queue.select_previous()

    def seen_decisions(self) -> SeenDecisions:
        """Return the decisions this person has seen: those in the list and those of the current subject."""
        decisions = self.view.decisions if self.view is not None else ()
        return SeenDecisions(self.queue.as_of, frozenset(decision.id for decision in decisions))

    def decide_and_advance(
        self,
        act: CheckedAct[T],
        on_done: Callable[[T], object] | None = None,
        *,
        about: str | None = None,
        anyway: bool = False,
    ) -> None:
        """Decide and go to the next subject.

        If others' work conflicts, subject ``about`` is shown again and the decision needs a confirmation.

        In a file, the next subject appears at once and saving follows. On a server, and with ``anyway``, the page
        moves on after the save: the next subject must be leased first, and a refused one must stay on screen.
        """
        retry = partial(self.decide_and_advance, act, on_done, about=about, anyway=True)
        decide = partial(act, anyway=anyway)
        on_failure = partial(self._fail_decision, about, retry)
        if self.next_free.uses_leases:
            self.next_free.begin_move()
        if self.next_free.uses_leases or anyway:
            self.session.act(decide, partial(self._finish_decision, on_done), on_failure)
        else:
            self.session.act(decide, on_done, on_failure)
            self.queue.select_next()

    def _finish_decision(self, on_done: Callable[[T], object] | None, result: T) -> None:
        if on_done is not None:
            on_done(result)
        if self.next_free.uses_leases:
            self.next_free.move(1)
        else:
            self.queue.select_next()

    def _fail_decision(self, about: str | None, retry: Callable[[], object], failure: WorkFailure) -> None:
        if self.next_free.uses_leases:
            self.next_free.cancel_move()
        if isinstance(failure.error, OthersWorkError):
            if about is not None:
                self.queue.go_to(about)
            self.others.ask(failure.error, retry)
        else:
            self.session.failed.emit(failure)

    def _finish_move(self, succeeded: bool) -> None:
        """Run the acts pending for the subject now on screen; drop them if the move failed."""
        if not succeeded:
            self._pending_acts.clear()
        self._run_pending_acts()

    def _show_holder(self, row: LeaseRow | None) -> None:
        if row is not None:
            time = lease_end_text(row.seconds_left)
            self.holder_line.setText(tr("Reserved by {person} until {time}.", person=row.annotator, time=time))
        elif "holder_line" in self.__dict__:
            self.holder_line.setText("")

    # -- undo and redo --------------------------------------------------------------------------------------------

    def reveal(self, changes: Changes) -> bool:
        """Make the subject of an undo or redo current, so that the next key acts on the visible subject."""
        if not changes.nouns & _REVEALED_NOUNS:
            return False
        if changes.subjects:
            self._is_revealing = True
            self._restored_ids = frozenset()
            self._settle_timer.start()
            self.queue.go_to(*changes.subjects)
        return True

    def when_settled(self, act: Callable[[], object]) -> None:
        """Run an act now, or, during an undo, redo or move, once its subject is on screen."""
        if self.is_settled:
            act()
        else:
            self._pending_acts.append(act)

    @property
    def is_settled(self) -> bool:
        """Whether no undo, redo or move is about to replace the subject on screen."""
        return not (self.session.is_stepping or self._is_revealing or self.next_free.is_moving)

    def _settle_if_shown(self) -> None:
        if not self._is_revealing or self.queue.is_seeking or self.view is None:
            return
        if self.view.row.id == self.queue.shown_id():
            self._settle()

    def _settle(self) -> None:
        self._is_revealing = False
        self._settle_timer.stop()
        self._run_pending_acts()

    def _run_pending_acts(self) -> None:
        """Run the pending acts one by one, as each may start another undo."""
        while self._pending_acts and self.is_settled:
            self._pending_acts.pop(0)()

    def _drop_pending_acts(self) -> None:
        """Drop keys pressed for a subject that cannot be shown, because the user has not seen it."""
        self._pending_acts.clear()
        self._settle()

    def _not_listed(self, subject_ids: frozenset[str]) -> None:
        """Clear the filter that hides a subject and offer to restore it; offer Select if this page never lists it."""
        if subject_ids == self._followed_ids:
            self._followed_ids = frozenset()
            self._say_hidden(min(subject_ids))
            return
        if subject_ids == self._restored_ids:
            # It was only current when the window was closed; the user did not request it.
            self._restored_ids = frozenset()
            return
        previous_filter = self.queue.filter
        if self._is_narrowed:
            self.widen()
            self.queue.go_to(*subject_ids)
            self.session.offer(
                tr("The search and filters hid it, so all items are shown."),
                tr("Restore filter"),
                partial(self.narrow, previous_filter),
            )
            return
        self._drop_pending_acts()
        if self.base_filter != QueueFilter():
            select_page = Destination("Select", min(subject_ids))
            self.session.offer(tr("It is not listed on this page."), tr("Show"), partial(self.go_to.emit, select_page))

    def _say_hidden(self, subject_id: str) -> None:
        """Say that this page's filter hides the previous page's subject, and keep the current one."""
        if self._restored_ids:
            self.queue.go_to(*self._restored_ids)
        if self._is_narrowed:
            text = tr("The search and filters hide the item you were on.")
            self.session.offer(text, tr("Show it"), partial(self.show_subject, subject_id))

    def widen(self) -> None:
        """Remove the filter, keeping the order."""
        self.narrow(replace(self.base_filter, sort=self.queue.filter.sort))

    def narrow(self, queue_filter: QueueFilter) -> None:
        """Apply a filter and its search text to the queue."""
        self.queue.search.setText(queue_filter.text)
        self.queue.set_filter(replace(queue_filter, text=""))

    def state(self) -> dict[str, Any]:
        """Return the current subject and the queue's filter and order."""
        json_filter: dict[str, Any] = {}
        for name, value in asdict(self.queue.filter).items():
            # Lists, as JSON returns them, so that an unchanged state compares equal and is not written again.
            json_filter[name] = list(value) if isinstance(value, tuple) else value
        return {"item": self.queue.current_id() or "", "filter": json_filter}

    def restore(self, state: dict[str, Any]) -> None:
        """Restore what `state` returned."""
        queue_filter = parse_saved_filter(state.get("filter"))
        if queue_filter is not None and queue_filter != self.queue.filter:
            self.narrow(queue_filter)
        item = state.get("item")
        if isinstance(item, str) and item:
            self._restored_ids = frozenset({item})
            self.queue.go_to(item)

    @property
    def writable(self) -> bool:
        """Whether the project can be changed; a past one or a file without write permission cannot."""
        return not self.store.read_only

    def _show_selected(self, subject_id: str | None) -> None:
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
        """Show a subject at once if it was loaded ahead; load it if not."""
        ready_view = self.ahead.take(subject_id)
        if ready_view is not None:
            self._show_loaded(ready_view)
        elif not self.ahead.is_reading(subject_id):
            self.read_current()

    def read_current(self) -> None:
        """Read the current subject and show it."""
        current = self.queue.current_id()
        if current is not None:
            work = partial(triage.load_subject, self.store, current)
            self.session.run("read", work, self._show_loaded, latest=f"{self.name}-subject")

    def _show_loaded(self, view: SubjectView) -> bool:
        """Show a loaded subject if it is still the current one; return whether it is."""
        if view.row.id != self.queue.current_id():
            return False
        # An unchanged subject is not shown again, because that would move cursors and scroll bars.
        if view != self.view:
            self.finish_typing()
            self.view = view
            self.show_view(view)
        self._settle_if_shown()
        self.ahead.read(self.store, [row.id for row in self.queue.following(_READ_AHEAD)])
        return True

    def _retry_current(self, subject_id: str) -> None:
        if subject_id == self.queue.current_id():
            self._load(subject_id)

    @property
    def _is_narrowed(self) -> bool:
        """Whether a search or a filter may be why the queue is empty."""
        queue_filter = self.queue.filter
        return replace(queue_filter, text=queue_filter.text.strip(), sort="") != replace(self.base_filter, sort="")

    def _say_why_empty(self) -> None:
        _, title, text, word = self.empty
        if self._is_narrowed:
            title, text, word = _NO_MATCH_TEXTS
        self.empty_state.set_text(title, text, word)

    def show_everything(self) -> None:
        """Clear the search and the filter."""
        self.queue.search.clear()
        self.queue.set_filter(self.base_filter)

    def _act_on_empty(self) -> None:
        if self._is_narrowed:
            self.show_everything()
            self.queue.list.setFocus()
        else:
            self.go_to.emit(Destination(self.empty_page))


def parse_saved_filter(saved_filter: object) -> QueueFilter | None:
    """Return the filter in a page's saved state; None if it is invalid or written by another version."""
    if not isinstance(saved_filter, dict) or saved_filter.keys() != asdict(QueueFilter()).keys():
        return None
    values: dict[str, Any] = {}
    for name, default in asdict(QueueFilter()).items():
        value = saved_filter[name]
        if isinstance(default, str) and isinstance(value, str):
            values[name] = value
        elif isinstance(default, tuple) and isinstance(value, list) and all(isinstance(item, str) for item in value):
            values[name] = tuple(value)
        else:
            return None
    return QueueFilter(**values)
