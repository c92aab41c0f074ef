"""The entries of the palette: available actions and pages, the manual, and subjects and runs of the project."""

from __future__ import annotations

from functools import partial
from typing import Protocol

from annotator.base.errors import KnownError
from annotator.model.rows.queue_rows import QueueFilter, SubjectRow
from annotator.model.rows.view_rows import RunRow
from annotator.store.file.project_file import ProjectFile
from annotator.ui.app.action_registry import ActionRegistry
from annotator.ui.app.actions import PAGE_MENU
from annotator.ui.app.help.help_actions import HelpActs
from annotator.ui.app.page_stack import PageStack
from annotator.ui.app.palette import Deliver, PaletteEntry, fuzzy_score
from annotator.ui.app.project_acts import ProjectActs
from annotator.ui.app.session.session import Session
from annotator.ui.app.settings.window_state import WindowState
from annotator.ui.app.translation import tr, translate_word
from annotator.ui.app.welcome import short_folder
from annotator.ui.loading import run_list, triage

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
            name, open_project = tr("Open {stem}", stem=path.stem), partial(self._window.acts.open, path)
            entries.append(
                PaletteEntry(text=name, kind=tr("Recent project"), run=open_project, key="", words=short_folder(path))
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
