"""The command palette (Ctrl+K): find any action, page, subject, run, project or manual page by a few letters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPoint, Qt, QTimer
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QFrame, QLabel, QLineEdit, QWidget

from annotator.base.errors import KnownError
from annotator.model.rows.queue_rows import QueueFilter, RunRow, SubjectRow
from annotator.store.file.project_file import ProjectFile
from annotator.ui.app.action_registry import ActionRegistry
from annotator.ui.app.actions import PAGE_MENU
from annotator.ui.app.help.help_actions import HelpActs
from annotator.ui.app.page_stack import PageStack
from annotator.ui.app.project_acts import ProjectActs
from annotator.ui.app.session.session import Session
from annotator.ui.app.settings.window_state import WindowState
from annotator.ui.app.translation import tr, translate_word
from annotator.ui.app.welcome import short_folder
from annotator.ui.loading import run_list, triage
from annotator.ui.widgets.layouts import fill_column
from annotator.ui.widgets.table import Cell, DataTable

_VISIBLE_ROWS = 10
_WIDTH = 560

Deliver = Callable[[Sequence["PaletteEntry"]], None]
EntrySearch = Callable[[str, Deliver], None]
"""An asynchronous search: called with the typed text and a callback that receives the entries."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PaletteEntry:
    """One entry of the palette. ``kind`` is shown on the right before the ``key``; ``words`` are searched too."""

    text: str
    kind: str
    run: Callable[[], object]
    key: str = ""
    words: str = ""


def fuzzy_score(query: str, text: str) -> int | None:
    """Score how well ``query`` matches ``text``: higher is better, None if its letters do not occur in order.

    Initial letters and consecutive letters count more, so "cr" finds "Create a release" before "Score recorded
    responses". The words of the query may be in any order.
    """
    text = text.lower()
    total = 0
    for word in query.lower().split():
        score = _word_score(word, text)
        if score is None:
            return None
        total += score
    return total


def _word_score(word: str, text: str) -> int | None:
    start = text.find(word)
    if start >= 0:
        starts_word = start == 0 or not text[start - 1].isalnum()
        place_score = 60 if start == 0 else 40 if starts_word else 0
        return 100 + 10 * len(word) + place_score
    score = position = 0
    previous_position = -2
    for letter in word:
        position = text.find(letter, position)
        if position < 0:
            return None
        starts_word = position == 0 or not text[position - 1].isalnum()
        if position == previous_position + 1:
            score += 8
        elif starts_word:
            score += 6
        previous_position = position
        position += 1
    return score


def search_entries(entries: Sequence[PaletteEntry], query: str) -> tuple[PaletteEntry, ...]:
    """Return the matching entries, best first; for an empty query, all in their original order."""
    if not query.strip():
        return tuple(entries)
    scored: list[tuple[int, int, PaletteEntry]] = []
    for index, entry in enumerate(entries):
        scores = []
        text_score = fuzzy_score(query, entry.text)
        if text_score is not None:
            scores.append(text_score)
        full_score = fuzzy_score(query, f"{entry.text} {entry.words} {entry.kind}")
        if full_score is not None:
            # A match outside the text counts half, because the user does not see it.
            scores.append(full_score // 2)
        if scores:
            scored.append((-max(scores), index, entry))
    return tuple(entry for _, _, entry in sorted(scored, key=lambda item: item[:2]))


class Palette(QFrame):
    """A popup with a search field and matches. Enter runs the current entry; Escape or a click elsewhere closes it."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setObjectName("palette")
        self.setAccessibleName(tr("Command palette"))
        self._window = parent
        self._entries: tuple[PaletteEntry, ...] = ()
        self._search_project: EntrySearch | None = None
        self.field = QLineEdit()
        self.field.setObjectName("palette-search")
        self.field.setAccessibleName(tr("Search actions, subjects, runs and the manual"))
        self.field.setPlaceholderText(tr("Search actions, subjects, runs and the manual"))
        self.view = DataTable(tr("Matches"), is_sortable=False)
        self.view.setObjectName("palette-results")
        self.view.horizontalHeader().hide()
        self.view.setSelectionMode(DataTable.SelectionMode.SingleSelection)
        self.view.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.nothing = QLabel(tr("No match. Try fewer letters."))
        self.nothing.setObjectName("palette-nothing")
        self.nothing.setProperty("role", "dim")
        self.nothing.setMargin(12)
        fill_column(self, self.field, self.nothing, self.view, margin=8)
        self.field.textChanged.connect(self._search)
        self.field.installEventFilter(self)
        self.view.clicked.connect(self._run_index)

    def open_with(self, entries: Sequence[PaletteEntry], more: EntrySearch | None = None) -> None:
        """Open near the top of the parent window with these entries and those that ``more`` finds."""
        self._entries = tuple(entries)
        self._search_project = more
        self.field.clear()
        self._search("")
        parent = self._window
        width = min(_WIDTH, max(320, parent.width() - 80))
        self.view.setFixedHeight(self.view.verticalHeader().defaultSectionSize() * _VISIBLE_ROWS)
        self.setFixedWidth(width)
        self.adjustSize()
        corner = parent.mapToGlobal(QPoint((parent.width() - width) // 2, 72))
        self.move(corner)
        self.show()
        self.field.setFocus(Qt.FocusReason.PopupFocusReason)

    def results(self) -> tuple[PaletteEntry, ...]:
        """Return the entries shown, best first."""
        return tuple(self.view.view_payloads())

    def run_current(self) -> None:
        """Close and run the current entry, if there is one."""
        self._run_index(self.view.currentIndex())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Forward Up, Down, Page keys and Enter from the search field to the list."""
        if watched is self.field and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown):
                QApplication.sendEvent(self.view, event)
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self.run_current()
                return True
        return super().eventFilter(watched, event)

    def _search(self, text: str) -> None:
        self._fill(search_entries(self._entries, text))
        if self._search_project is not None and text.strip():
            self._search_project(text, partial(self._add_entries, text))

    def _add_entries(self, text: str, entries: Sequence[PaletteEntry]) -> None:
        """Merge entries of the asynchronous search, unless the search text has changed."""
        if entries and self.isVisible() and self.field.text() == text:
            current = self.view.currentIndex()
            # The first row was selected automatically, so it need not stay selected.
            selected_entry = self.view.payload_at(current) if current.row() > 0 else None
            self._fill(search_entries((*self._entries, *entries), text), selected_entry)

    def _fill(self, entries: Sequence[PaletteEntry], selected_entry: object = None) -> None:
        """Show entries; ``selected_entry`` becomes current, else the first one."""
        cells = [(Cell(entry.text), Cell(entry.kind), Cell(entry.key)) for entry in entries]
        self.view.set_rows(("", "", ""), cells, entries)
        self.view.setVisible(bool(entries))
        self.nothing.setVisible(not entries)
        if entries:
            self.view.select(next((index for index, entry in enumerate(entries) if entry is selected_entry), 0))

    def _run_index(self, index: QModelIndex) -> None:
        self.hide()
        if index.isValid():
            # Deferred, because the popup returns the focus only in the event loop.
            QTimer.singleShot(0, self, self.view.payload_at(index).run)


_MAX_SUBJECTS = 12
_MAX_RUNS = 8
_MIN_QUERY_CHARS = 2


class _Window(Protocol):
    """The part of the main window that the palette uses."""

    pages: PageStack
    acts: ProjectActs

    def show_page(self, name: str, subject_id: str = "") -> None:
        """Show a page, with one subject if given."""


class PaletteSource:
    """Collects the palette's entries; the project is searched in a lane, never in the main thread."""

    def __init__(
        self, session: Session, actions: ActionRegistry, state: WindowState, help_acts: HelpActs, window: _Window
    ) -> None:
        self._session = session
        self._actions = actions
        self._state = state
        self._help = help_acts
        self._window = window

    def entries(self) -> tuple[PaletteEntry, ...]:
        """Return the enabled actions and pages, the recent projects and the sections of the manual."""
        table = self._actions
        entries: list[PaletteEntry] = []
        for action_id in table.enabled_ids():
            if action_id == "palette.open":
                continue
            spec = table.spec(action_id)
            kind = translate_word(
                spec.pages[0] if spec.pages else PAGE_MENU if action_id.startswith("go.") else spec.group
            )
            run = partial(table.trigger, action_id)
            entries.append(
                PaletteEntry(
                    text=table.text(action_id),
                    kind=kind,
                    run=run,
                    key=table.keys(action_id),
                    words=f"{translate_word(spec.help)} {spec.text} {spec.help} {action_id}",
                )
            )
        for path in self._state.recent():
            entries.append(
                PaletteEntry(
                    text=tr("Open {stem}", stem=path.stem),
                    kind=tr("Recent project"),
                    run=partial(self._window.acts.open, path),
                    words=short_folder(path),
                )
            )
        return (*entries, *self._help_entries())

    def _help_entries(self) -> list[PaletteEntry]:
        try:
            manual = self._help.manual()
        except KnownError:
            return []  # Without its manual, an installation still needs a palette; F1 reports the missing manual.
        entries: list[PaletteEntry] = []
        for topic in manual.topics.values():
            for number, section in enumerate(topic.sections):
                place = topic.id if number == 0 else f"{topic.id}#{section.anchor}"
                name = topic.title if number == 0 else f"{topic.title}: {section.title}"
                entries.append(
                    PaletteEntry(
                        text=name, kind=tr("Manual"), run=partial(self._help.show_place, place), key="", words="help"
                    )
                )
        return entries

    def find(self, text: str, deliver: Deliver) -> None:
        """Search subjects and runs of the open project; matches are delivered in the main thread."""
        store = self._session.store
        if store is not None and len(text.strip()) >= _MIN_QUERY_CHARS:
            self._session.run(
                "read",
                partial(_find, store, text),
                partial(self._deliver_entries, text, deliver),
                _ignore_failure,
                latest="palette",
            )

    def _deliver_entries(
        self, text: str, deliver: Deliver, matches: tuple[tuple[SubjectRow, ...], tuple[RunRow, ...]]
    ) -> None:
        subjects, runs = matches
        entries = [
            # The match may be in the key or the prompt, which the entry does not show.
            PaletteEntry(
                text=row.title or row.key,
                kind=tr("Subject"),
                run=partial(self._window.show_page, "Select", row.id),
                key="",
                words=text,
            )
            for row in subjects
        ]
        entries += [
            PaletteEntry(
                text=tr("{model} on {version}", model=run.model, version=run.version),
                kind=tr("Run, {state}", state=translate_word(run.state)),
                run=partial(self._window.show_page, "Runs", run.id),
            )
            for run in runs
        ]
        deliver(entries)


def _ignore_failure(_failure: object) -> None:
    """Ignore a failed search; problems with the project are reported elsewhere."""


def _find(store: ProjectFile, text: str) -> tuple[tuple[SubjectRow, ...], tuple[RunRow, ...]]:
    subjects = triage.queue_page(store, QueueFilter(text=text), limit=_MAX_SUBJECTS).rows
    scored = [(fuzzy_score(text, f"{run.model} {run.version} {run.preset}"), run) for run in run_list.list_runs(store)]
    runs = tuple(run for score, run in scored if score is not None)
    return tuple(subjects), runs[:_MAX_RUNS]
