"""The main window, which assembles menus, sidebar, pages, error bar and status bar."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import cached_property, partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, QTimer
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QPaintEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QInputDialog, QMainWindow, QStackedWidget, QWidget

from annotator.base.addresses import Place
from annotator.base.paths import PROJECT_SUFFIX, data_dir
from annotator.base.settings import Settings
from annotator.model.changes import Changes
from annotator.model.rows.draft_rows import Draft
from annotator.ui.app.action_registry import ActionRegistry
from annotator.ui.app.base_page import Destination, PageContext
from annotator.ui.app.help.help_actions import HelpActs
from annotator.ui.app.page_stack import PageStack
from annotator.ui.app.project_acts import ProjectActs
from annotator.ui.app.session.session import Session
from annotator.ui.app.session.session_notices import ProjectFacts, WorkFailure
from annotator.ui.app.settings.settings_actions import SettingsActs
from annotator.ui.app.settings.window_state import WindowState
from annotator.ui.app.sidebar import Sidebar
from annotator.ui.app.status_bar import StatusBar
from annotator.ui.app.theme.look import Theme
from annotator.ui.app.translation import mark_for_translation, tr, tr_message
from annotator.ui.care.care_controller import CareController
from annotator.ui.loading import LateModule
from annotator.ui.pages.page_registry import PAGES, load_page, load_pages
from annotator.ui.widgets.fields import debounce, dropped_files
from annotator.ui.widgets.layouts import fill_column, make_column, make_row

if TYPE_CHECKING:
    from annotator.ui.app import error_bar as error_bars
    from annotator.ui.app import palette as palettes
    from annotator.ui.app import tour as tours
    from annotator.ui.app import welcome as welcome_screen
    from annotator.ui.care import draft_notice as draft_notices
    from annotator.ui.widgets.code import find_bar as find_bars
else:
    error_bars = LateModule("annotator.ui.app.error_bar")
    palettes = LateModule("annotator.ui.app.palette")
    tours = LateModule("annotator.ui.app.tour")
    welcome_screen = LateModule("annotator.ui.app.welcome")
    draft_notices = LateModule("annotator.ui.care.draft_notice")
    find_bars = LateModule("annotator.ui.widgets.code.find_bar")

_NOUNS_BY_PAGE = (
    (mark_for_translation("Select"), ("decision", "allotment", "label", "quotaplan", "quota")),
    (mark_for_translation("Prompt"), ("prompt", "rewriting", "coveragenote")),
    (mark_for_translation("Criterion"), ("criterion",)),
    (mark_for_translation("Bugs"), ("bug", "bug_review")),
    (mark_for_translation("Judge"), ("judgement", "study", "seal", "unblinding")),
    (
        mark_for_translation("Consensus"),
        ("review", "vote", "comment", "revision", "confirmation", "resolution", "lock"),
    ),
    (mark_for_translation("Results"), ("error_label", "settlement", "published_table")),
    (mark_for_translation("Runs"), ("setup",)),
    (mark_for_translation("Release"), ("audit", "audit_answer")),
    (mark_for_translation("Prompt"), ("suggestion_verdict",)),
    (mark_for_translation("Sources"), ("source", "subject")),
)
"""Pages with the nouns edited there; the first match counts, because one act may change several nouns."""


def page_of_changes(nouns: Collection[str]) -> str:
    """Return the page for the changed nouns, or an empty text."""
    # Almost every act changes "subject", so it counts only on its own.
    relevant = set(nouns) - {"subject"} or set(nouns)
    return next((page for page, page_nouns in _NOUNS_BY_PAGE if relevant & set(page_nouns)), "")


_DEFAULT_PAGE = "Select"
# An empty project needs an import first.
_PAGE_OF_EMPTY_PROJECT = mark_for_translation("Sources")
_DEFAULT_SIZE = (1450, 900)
# Room for the window manager's frame, whose size Qt does not know before the window is shown.
_WINDOW_FRAME = (16, 48)
# A window that starts minimised gets no paint event, so the project is opened after this time at the latest.
_UNPAINTED_MS = 500
_BARS = ("error-bar", "past-bar", "draft-notice", "tour")
"""The bars above the pages from top to bottom, by object name."""
# Short, because changes must be on disk within a second.
STATE_INTERVAL_MS = 700
"""The interval at which the window's state is saved."""
_TEXT_SCALES = (80, 90, 100, 110, 125, 150, 175, 200)


class MainWindow(QMainWindow):
    """The main window. It owns the session; closing it saves pending work, closes the project and ends all threads."""

    def __init__(
        self, theme: Theme, settings: Settings, state: WindowState | None = None, place: Place | None = None
    ) -> None:
        """Assemble the window; the project at ``place`` is opened once the window has been painted."""
        super().__init__()
        self.setObjectName("main-window")
        self.setAcceptDrops(True)
        self.theme = theme
        theme.style_window(self)
        self.state = state or WindowState()
        self.session = Session(self)
        self.actions_table = ActionRegistry(self)
        self.settings_acts = SettingsActs(self, theme, self.actions_table, settings, self._show_failure)
        self.pages = PageStack(
            PageContext(session=self.session, theme=theme, actions=self.actions_table, settings=lambda: self.settings),
            self.state,
        )
        self.acts = ProjectActs(self, self.session, self.pages, self.state, lambda: self.settings)
        self.care = CareController(self, self.session, theme, self.acts, lambda: self.pages.current_name, self._add_bar)
        keys = {item.name: self.actions_table.keys(item.action_id) for item in PAGES}
        self.sidebar = Sidebar(theme, keys)
        self.status = StatusBar(self.session)
        self.help = HelpActs(self, theme, self.actions_table, self.pages)
        self._is_closed = False
        self._pending_place = place
        self._is_loading = False
        self._opening_timer = debounce(self, 0, self._load_page)
        self._state_timer = QTimer(self)
        self._state_timer.setInterval(STATE_INTERVAL_MS)
        self._state_timer.timeout.connect(self.save_state)
        self._state_timer.start()
        self._is_tour_pending = False
        self._error_bar: error_bars.ErrorBar | None = None
        self._tour: tours.TourBar | None = None
        central = QWidget(self)
        central.setObjectName("central")
        self.setCentralWidget(central)
        self.stack = QStackedWidget(central)
        self.stack.addWidget(self.pages)
        body = make_row(self.sidebar, (self.stack, 1), spacing=12)
        self._bar_widgets: list[QWidget] = []
        self._bars = make_column(spacing=0)
        fill_column(central, self._bars, (body, 1), self.status, spacing=0)
        self._bind_actions()
        menus = self.actions_table.fill_menus(self.menuBar())
        self.acts.add_recent_menu(menus["File"], self.actions_table.action("file.server"))
        self._connect()
        self._restore()
        if place is not None:
            self.session.expect(place)
        self._show_frame()

    def _bind_actions(self) -> None:
        handlers: dict[str, Callable[[], object]] = {
            "file.new": partial(self.acts.new, ""),
            "file.open": self.acts.choose,
            "file.rename": self.acts.rename,
            "file.server": self.acts.choose_server,
            "file.sample": self.acts.open_sample,
            "file.backup": self.acts.back_up,
            "file.backups": self.care.show_backups,
            "file.close": self.acts.close_project,
            "file.quit": self.close,
            "edit.undo": self.session.undo,
            "edit.redo": self.session.redo,
            "edit.history": self.care.show_history,
            "edit.find": self._find_in_text,
            "palette.open": self.open_palette,
            "view.system": partial(self.set_look, "system"),
            "view.light": partial(self.set_look, "light"),
            "view.dark": partial(self.set_look, "dark"),
            "view.larger": partial(self.step_text, 1),
            "view.smaller": partial(self.step_text, -1),
            "view.normal": partial(self.step_text, 0),
            "view.fullscreen": self._toggle_full_screen,
            "edit.settings": self.settings_acts.open,
            "help.manual": self.help.show_here,
            "help.tour": self.take_tour,
            "help.keys": partial(self.settings_acts.open, show_keys=True),
            "help.about": self.help.show_about,
        }
        handlers.update({item.action_id: partial(self.show_page, item.name) for item in PAGES})
        self.actions_table.bind_all(handlers)
        self.actions_table.action(f"view.{self.settings.get('look')}").setChecked(True)

    def _connect(self) -> None:
        session = self.session
        session.opened.connect(self._project_opened)
        session.closed.connect(self._project_closed)
        session.opening_changed.connect(self._show_frame)
        session.facts_changed.connect(self._show_facts)
        session.failed.connect(self._show_failure)
        session.not_saved.connect(self._show_failure)
        session.drafts.drafts_loaded.connect(self._show_draft_notice)
        session.stepped.connect(self._show_step)
        self.sidebar.page_chosen.connect(self.show_page)
        self.pages.destination_requested.connect(self._go_to)
        self.actions_table.page_requested.connect(self._run_on_page)
        self.status.new_annotator.connect(self._ask_annotator)
        self.actions_table.keys_changed.connect(self._show_keys)

    # -- pages ----------------------------------------------------------------------------------------------------

    def show_page(self, name: str, subject_id: str = "") -> None:
        """Show a page of the open project, with one subject if given; does nothing while no project is open."""
        if self.session.store is None:
            return
        self.sidebar.set_current(name)
        self.pages.show_page(name, subject_id)
        self.state.last_page = name

    def _go_to(self, destination: Destination) -> None:
        self.show_page(destination.page, destination.subject_id)

    def _run_on_page(self, request: tuple[str, str]) -> None:
        action_id, page = request
        self.show_page(page)
        # The page has bound its actions now. If it does not bind this one, it is enough to show the page.
        self.actions_table.trigger_bound(action_id)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Accept files and folders dropped anywhere in the window."""
        if dropped_files(event.mimeData()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Open a dropped project; pass other files to the page Sources for import."""
        paths = dropped_files(event.mimeData())
        project = next((path for path in paths if path.suffix == PROJECT_SUFFIX), None)
        if project is not None:
            self.open_project(project)
        elif self.session.store is None:
            self._show_failure(
                WorkFailure(message=tr("Create or open a project first; then drop the files again to import them."))
            )
        elif paths:
            self.show_page(_PAGE_OF_EMPTY_PROJECT)
            page = self.pages.page(_PAGE_OF_EMPTY_PROJECT)
            if page is not None:
                page.take_paths(paths)

    # -- project --------------------------------------------------------------------------------------------------

    def open_project(self, path: Place) -> None:
        """Open a project, asking first if work in the open one cannot be saved."""
        self._pending_place = None
        self.acts.open(path)

    def _project_opened(self) -> None:
        self.acts.project_opened()
        if self._error_bar is not None:
            self._error_bar.dismiss()
        self.actions_table.set_project_open(True)
        self._show_frame()
        first_act = self.acts.take_first_act()
        self.show_page(self._first_page() if first_act is None else _PAGE_OF_EMPTY_PROJECT)
        # Queued behind the first page's own reads. Only the modules are loaded; pages are built when first shown.
        self.session.run("read", load_pages)
        if first_act:
            # Deferred, because it may open a dialog before other parts of the window have seen the project.
            QTimer.singleShot(0, partial(self.actions_table.trigger_bound, first_act))
        store = self.session.store
        is_sample = store is not None and not store.shared and store.path.parent == data_dir() / "sample"
        if self._is_tour_pending or (is_sample and not self.state.is_tour_seen):
            self._is_tour_pending = False
            self.state.is_tour_seen = True
            self.tour.start()

    def _show_draft_notice(self) -> None:
        """Show the notice of drafts, which is created when it is first needed."""
        if self.session.drafts.drafts:
            self.draft_notice.show_state()

    def _show_step(self, changes: Changes, text: str) -> None:
        """Show the subject of an undo or redo on this page if possible, and offer the page where it was edited."""
        page = self.pages.page(self.pages.current_name)
        if page is not None:
            page.reveal(changes)
        page_name = page_of_changes(changes.nouns)
        if page_name and page_name != self.pages.current_name:
            subject_id = min(changes.subjects, default="")
            self.session.offer(text, tr("Show"), partial(self.show_page, page_name, subject_id))

    def show_draft(self, draft: Draft) -> None:
        """Show a draft in the field where it was typed."""
        self.show_page(draft.key.page)
        page = self.pages.page(draft.key.page)
        if page is not None:
            page.show_draft(draft)

    def _first_page(self) -> str:
        names = {item.name for item in PAGES}
        return self.state.last_page if self.state.last_page in names else _DEFAULT_PAGE

    def _project_closed(self) -> None:
        self.pages.drop_pages()
        self.actions_table.set_project_open(False)
        self.sidebar.set_counts(None)
        self._is_tour_pending = False
        if self._tour is not None:
            self._tour.end()
        self._show_frame()

    def _show_frame(self) -> None:
        """Show the project's frame, or the welcome screen if no project is open or opening."""
        store = self.session.store
        # Opening first closes the previous project; the welcome screen must not flash in between.
        is_opening = self.session.opening is not None or self._pending_place is not None
        in_project = store is not None or is_opening
        self.sidebar.setVisible(in_project)
        self.sidebar.setEnabled(store is not None)
        self.stack.setCurrentWidget(self.pages if in_project else self.welcome)
        if not in_project:
            self.welcome.set_recent(self.state.recent())
        self._show_name("" if store is None else store.project_name)

    def _show_name(self, name: str) -> None:
        self.setWindowTitle(tr("{project_name} · Annotator", project_name=name) if name else "Annotator")

    def _show_facts(self, facts: ProjectFacts) -> None:
        if self.session.store is not None:
            self._show_name(facts.name)
        self.sidebar.set_counts(facts.counts)
        self.actions_table.set_text(
            "edit.undo",
            tr("Undo {act}", act=tr_message(facts.undo_label)) if facts.undo_label else tr("Undo"),
        )
        self.actions_table.set_text(
            "edit.redo",
            tr("Redo {act}", act=tr_message(facts.redo_label)) if facts.redo_label else tr("Redo"),
        )
        self.acts.back_up_if_due()
        if self.session.joined_others:
            self.session.joined_others = False
            self._ask_who_works_here([person.name for person in facts.annotators])

    def _ask_annotator(self) -> None:
        name, has_agreed = QInputDialog.getText(self, tr("Switch annotator"), tr("Name of the person working now"))
        if has_agreed and name.strip():
            self.session.switch_annotator(name.strip())

    def _ask_who_works_here(self, people: list[str]) -> None:
        """Ask who works in this window, because another window has the same file open as the same person."""
        store = self.session.store
        if store is None or store.read_only:
            return
        question = QInputDialog(self)
        question.setObjectName("who-works-here")
        question.setWindowTitle(tr("Who works here?"))
        question.setLabelText(tr("This project is open in another window. Who works in this one?"))
        question.setComboBoxEditable(True)
        question.setComboBoxItems(people)
        question.setTextValue(store.annotator.name)
        question.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        question.textValueSelected.connect(self._switch_person)
        question.show()

    def _switch_person(self, name: str) -> None:
        store = self.session.store
        if store is not None and name.strip() and name.strip() != store.annotator.name:
            self.session.switch_annotator(name.strip())

    # -- parts created on first use, so that the window appears sooner -----------------------------------------------

    @cached_property
    def welcome(self) -> welcome_screen.Welcome:
        """The welcome screen."""
        screen = welcome_screen.Welcome(self.theme, self.actions_table)
        screen.open_recent.connect(self.acts.open)
        screen.started.connect(self.acts.new)
        self.stack.addWidget(screen)
        return screen

    @property
    def error_bar(self) -> error_bars.ErrorBar:
        """The bar that shows failures."""
        if self._error_bar is None:
            self._error_bar = error_bars.ErrorBar()
            self._error_bar.report_requested.connect(self.care.report)
            self._add_bar(self._error_bar)
        return self._error_bar

    @cached_property
    def draft_notice(self) -> draft_notices.DraftNotice:
        """The bar that announces drafts."""
        notice = draft_notices.DraftNotice(self.session, self.theme)
        notice.draft_requested.connect(self.show_draft)
        self._add_bar(notice)
        return notice

    @property
    def tour(self) -> tours.TourBar:
        """The bar of the tour."""
        if self._tour is None:
            self._tour = tours.TourBar(self.show_page)
            self._add_bar(self._tour)
        return self._tour

    @cached_property
    def palette_popup(self) -> palettes.Palette:
        """The command palette."""
        return palettes.Palette(self)

    @cached_property
    def palette_source(self) -> palettes.PaletteSource:
        """The source of the command palette's entries."""
        return palettes.PaletteSource(self.session, self.actions_table, self.state, self.help, self)

    def _add_bar(self, bar: QWidget) -> None:
        """Insert a bar above the pages, in the order of `_BARS`."""
        self._bar_widgets.append(bar)
        self._bar_widgets.sort(key=lambda item: _BARS.index(item.objectName()))
        self._bars.insertWidget(self._bar_widgets.index(bar), bar)

    def _show_failure(self, failure: WorkFailure) -> None:
        self.error_bar.show_failure(failure)

    # -- look -----------------------------------------------------------------------------------------------------

    def set_look(self, mode: str) -> None:
        """Set the look to "system", "light" or "dark", and save it in the settings."""
        self.theme.set_mode(mode)
        self.actions_table.action(f"view.{mode}").setChecked(True)
        self.settings_acts.save_value("look", mode)

    def step_text(self, step: int) -> None:
        """Make all text larger (1) or smaller (-1), or reset its size (0), and save that in the settings."""
        current = int(self.settings.get("text_scale"))
        nearest = min(range(len(_TEXT_SCALES)), key=lambda index: abs(_TEXT_SCALES[index] - current))
        next_index = max(0, min(len(_TEXT_SCALES) - 1, nearest + step))
        scale = _TEXT_SCALES[next_index] if step else 100
        self.theme.set_scale(scale)
        self.settings_acts.save_value("text_scale", scale)
        self.session.say(tr("Text at {scale} %.", scale=scale))

    @property
    def settings(self) -> Settings:
        """The current settings."""
        return self.settings_acts.settings

    def _toggle_full_screen(self) -> None:
        if self.isFullScreen():
            self.showNormal()
        else:
            self.showFullScreen()

    # -- palette and help -----------------------------------------------------------------------------------------

    def open_palette(self) -> None:
        """Open the command palette with the currently available entries."""
        self.palette_popup.open_with(self.palette_entries(), self.palette_source.find)

    def palette_entries(self) -> tuple[palettes.PaletteEntry, ...]:
        """Return the palette's entries before a search."""
        return self.palette_source.entries()

    def _find_in_text(self) -> None:
        find_bars.find_on(self.pages)

    def _show_keys(self, _changed: object) -> None:
        for item in PAGES:
            self.sidebar.button(item.name).set_key(self.actions_table.keys(item.action_id))

    def expect_sample(self) -> None:
        """Start the tour when the first project is opened, unless it was seen before."""
        self._is_tour_pending = not self.state.is_tour_seen

    def take_tour(self) -> None:
        """Start the tour, with the sample if no project is open."""
        self.state.is_tour_seen = True
        if self.session.store is None:
            self._is_tour_pending = True
            self.acts.open_sample()
        else:
            self.tour.start()

    # -- opening and closing --------------------------------------------------------------------------------------

    def _restore(self) -> None:
        max_size = self.screen().availableGeometry().size() - QSize(*_WINDOW_FRAME)
        self.resize(QSize(*_DEFAULT_SIZE).boundedTo(max_size))
        geometry = self.state.geometry
        if geometry is not None:
            self.restoreGeometry(geometry)

    def showEvent(self, event: QShowEvent) -> None:
        """Schedule opening the pending project even if there is no paint event."""
        super().showEvent(event)
        if self._pending_place is not None:
            self._opening_timer.start(_UNPAINTED_MS)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Pass the window's width to the theme."""
        super().resizeEvent(event)
        self.theme.set_width(self.width())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint, and then open the pending project, so that the frame appears before anything is loaded."""
        super().paintEvent(event)
        if self._pending_place is not None:
            self._opening_timer.start(0)

    def _load_page(self) -> None:
        """Load the services and the first page's module in a lane, so that the window stays responsive."""
        if not self._is_loading:
            self._is_loading = True
            self.session.run("read", partial(load_page, self._first_page()), self._open_pending)

    def _open_pending(self, _loaded: object) -> None:
        if self._pending_place is not None and not self._is_closed:
            self.acts.open(self._pending_place)
        self._pending_place = None

    def save_state(self) -> None:
        """Save geometry and page states if they changed, so that they survive even a killed process."""
        geometry = self.saveGeometry()
        has_moved = self.isVisible() and geometry != self.state.geometry
        if has_moved:
            self.state.geometry = geometry
        if self.pages.save_states() or has_moved:
            self.state.sync()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Save pending work, asking if that fails; then close the project and end the threads."""
        if not self._is_closed:
            if not self.acts.leave():
                event.ignore()
                return
            self._is_closed = True
            self._state_timer.stop()
            self.state.geometry = self.saveGeometry()
            self.pages.save_states()
            self.session.close()
            self.state.sync()
        event.accept()
