"""Starts the application with its window and garbage collector. Imported only for a window, because it loads Qt."""

from __future__ import annotations

import gc
import logging
import os
import sys
import tempfile
import time
from pathlib import Path
from types import TracebackType

from PySide6.QtCore import QEvent, QMessageLogContext, QObject, QTimer, QtMsgType, Signal, qInstallMessageHandler
from PySide6.QtGui import QFileOpenEvent, QFontDatabase, QGuiApplication, QIcon
from PySide6.QtWidgets import QApplication

from annotator.base import logs
from annotator.base.addresses import Place
from annotator.base.errors import BadInputError, KnownError, MissingEnvironmentError
from annotator.base.paths import config_dir, log_dir
from annotator.base.resources import resource_path
from annotator.base.settings import Settings
from annotator.services.program.window_reasons import explain_failure
from annotator.store.file.project_file import ProjectFile
from annotator.ui.app import translation
from annotator.ui.app.main_window import MainWindow
from annotator.ui.app.session.session import Session
from annotator.ui.app.session.session_notices import failure_of
from annotator.ui.app.settings.window_state import WindowState
from annotator.ui.app.theme.look import STYLE, STYLED, Theme
from annotator.ui.app.translation import tr

if sys.platform != "win32":
    import resource

_CHECK_MS = 50
# Python's own thresholds for the youngest and the oldest generation.
_MIN_NEW_OBJECTS, _MIN_OLD_COLLECTIONS = 700, 10
# Examining this many new objects takes a few milliseconds.
_MIN_MIDDLE_OBJECTS = 10_000
_FULL_COLLECTION_S = 20.0
# Objects of a job are new and mostly still in use, so repeated full collections would find little garbage.
_FULL_COLLECTION_IN_JOBS_S = 600.0


class GarbageCollector(QObject):
    """Collects garbage in the thread that creates it, in place of Python's automatic collection, until it is stopped.

    Python would collect in any thread, and Qt objects must not be destroyed outside the main thread.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._was_enabled = gc.isenabled()
        self._last_full_at = time.monotonic()
        self._uncollected_count = 0
        self._session: Session | None = None
        self._in_job = False
        self._timer = QTimer(self)
        self._timer.timeout.connect(self.collect)
        gc.disable()
        # The objects of the loaded modules are in use; examining them would take 20 ms just before the first paint.
        gc.freeze()
        self._timer.start(_CHECK_MS)

    def follow(self, session: Session) -> None:
        """Watch the jobs of a session."""
        self._session = session
        session.jobs_changed.connect(self._follow_jobs)

    def _follow_jobs(self) -> None:
        has_jobs = self._session is not None and bool(self._session.jobs)
        if has_jobs == self._in_job:
            return
        self._in_job = has_jobs
        if has_jobs:
            gc.freeze()
        else:
            gc.unfreeze()

    def collect(self) -> int:
        """Collect the generations that are due; return the oldest one collected, or -1 for none."""
        young, _, old = gc.get_count()
        if young <= _MIN_NEW_OBJECTS:
            return -1
        self._uncollected_count += young
        now = time.monotonic()
        interval_s = _FULL_COLLECTION_IN_JOBS_S if self._in_job else _FULL_COLLECTION_S
        if old > _MIN_OLD_COLLECTIONS and now - self._last_full_at > interval_s:
            self._last_full_at, generation = now, 2
        else:
            generation = 1 if self._uncollected_count > _MIN_MIDDLE_OBJECTS else 0
        if generation:
            self._uncollected_count = 0
        gc.collect(generation)
        return generation

    def stop(self) -> None:
        """Restore Python's automatic collection as it was before."""
        self._timer.stop()
        gc.unfreeze()
        if self._was_enabled:
            gc.enable()


SWITCH_SECONDS = 0.0005
"""The interpreter's thread switch interval, short enough to keep the window's thread responsive."""

_OFFSCREEN_MESSAGE = "does not support propagateSizeHints"

_LEVELS = {
    QtMsgType.QtDebugMsg: logging.DEBUG,
    QtMsgType.QtInfoMsg: logging.INFO,
    QtMsgType.QtWarningMsg: logging.WARNING,
    QtMsgType.QtCriticalMsg: logging.ERROR,
    QtMsgType.QtFatalMsg: logging.CRITICAL,
}


def log_qt_message(kind: QtMsgType, context: QMessageLogContext, text: str) -> None:
    """Write a message of Qt to the application's log, except the one repeated for every offscreen window."""
    if _OFFSCREEN_MESSAGE in text:
        return
    category = getattr(context, "category", None) or "default"
    logging.getLogger("annotator.qt").log(_LEVELS.get(kind, logging.WARNING), "%s: %s", category, text)


class ErrorHook:
    """An excepthook that shows exceptions escaping from slots in the window instead of on the terminal."""

    def __init__(self, window: MainWindow) -> None:
        self._window = window

    def __call__(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        """Log and show the error; a KeyboardInterrupt closes the window."""
        if issubclass(kind, KeyboardInterrupt):
            self._window.close()
            return
        logging.getLogger("annotator.ui").error("unexpected error", exc_info=(kind, error, trace))
        failure = failure_of(error)
        self._window.error_bar.show_failure(failure)
        if not isinstance(error, KnownError):
            self._window.care.show_crash(error)


class Application(QApplication):
    """The application; on macOS, the system sends it an event for each file that is double-clicked."""

    file_requested = Signal(Path)
    """The file that the system asks to open."""

    def event(self, event: QEvent) -> bool:
        """Emit `file_requested` for a file that the system asks to open."""
        if isinstance(event, QFileOpenEvent) and event.file():
            self.file_requested.emit(Path(event.file()))
            return True
        return super().event(event)


def load_settings() -> tuple[Settings, BadInputError | None]:
    """Read the settings; for an unreadable file, return the defaults and the error."""
    path = config_dir() / "settings.json"
    try:
        return Settings.load(path), None
    except BadInputError as error:
        return Settings(path, {}), error


def make_application() -> QApplication:
    """Return the application of this process, created if needed, with its names and icon."""
    existing = QApplication.instance()
    application = existing if isinstance(existing, QApplication) else _new_application()
    application.setApplicationName("annotator")
    application.setApplicationDisplayName("Annotator")
    application.setDesktopFileName("annotator")
    application.setWindowIcon(QIcon(str(resource_path("icons", "annotator.svg"))))
    return application


def _new_application() -> QApplication:
    application = Application([*sys.argv[:1], "-style", STYLE])
    application.setProperty(STYLED, True)
    return application


def check_platform() -> None:
    """Raise `MissingEnvironmentError` with the reason if no window can be shown; must be called before Qt starts.

    Only on Linux can the platform be missing. The test forks, which takes 10 ms; a new process takes half a second.
    """
    if sys.platform != "linux" or QGuiApplication.instance() is not None:
        return
    with tempfile.TemporaryFile() as messages:
        child = os.fork()
        if child == 0:
            _start_and_exit(messages.fileno())
        _, status = os.waitpid(child, 0)
        if os.waitstatus_to_exitcode(status) == 0:
            return
        messages.seek(0)
        output = messages.read().decode(errors="replace")
    raise MissingEnvironmentError(explain_failure(output))


def _start_and_exit(messages: int) -> None:
    """Start Qt in the child and exit at once with `os._exit`, skipping the parent's exit handlers."""
    try:
        os.dup2(messages, 1)
        os.dup2(messages, 2)
        if sys.platform != "win32":
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        QGuiApplication(sys.argv[:1])
    except BaseException:  # noqa: BLE001 - the exit status reports any failure
        os._exit(1)
    os._exit(0)


def window_facts() -> dict[str, object]:
    """Start Qt without a window, and return its platform, fonts and language.

    Raises `MissingEnvironmentError` if no window can be shown.
    """
    check_platform()
    make_application()
    families = QFontDatabase.families()
    fixed = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont).family()
    cjk = QFontDatabase.families(QFontDatabase.WritingSystem.SimplifiedChinese)
    settings, _problem = load_settings()
    return {
        "platform": QGuiApplication.platformName(),
        "families": len(families),
        "fixed": fixed,
        "chinese": len(cjk),
        "language": translation.language_for(settings.get("language")),
    }


def run_app(project: ProjectFile | None = None, place: Place | None = None, *, sample: bool = False) -> int:
    """Show the window with ``project``, else the last project, else the welcome screen; return the exit code.

    ``project`` is closed at the end. ``place`` is opened by the window itself, which shows any errors. Pass ``sample``
    if the project is the sample, so that its tour starts. Raises `MissingEnvironmentError` if no window can be shown.
    """
    try:
        check_platform()
    except MissingEnvironmentError:
        if project is not None:
            project.close()
        raise
    application, window, collector = open_main_window(project, place)
    if sample:
        window.expect_sample()
    code = application.exec()
    collector.stop()
    sys.excepthook = sys.__excepthook__
    qInstallMessageHandler(None)
    return int(code)


def open_main_window(
    project: ProjectFile | None = None, place: Place | None = None
) -> tuple[QApplication, MainWindow, GarbageCollector]:
    """Create and show the window, and return the objects that must live as long as it does."""
    sys.setswitchinterval(SWITCH_SECONDS)
    logs.set_up_logging(log_dir())
    has_crashed = logs.watch_for_crashes(log_dir())
    qInstallMessageHandler(log_qt_message)
    application = make_application()
    collector = GarbageCollector(application)
    settings: Settings
    problem: KnownError | None
    settings, problem = load_settings()
    try:
        translation.install_translation(application, settings.get("language"))
    except MissingEnvironmentError as error:
        problem = problem or error
    theme = Theme(application, settings.get("look"), settings.get("text_scale"))
    state = WindowState()
    last_place = state.last_project if settings.get("open_last") else None
    window = MainWindow(theme, settings, state, project.place if project is not None else place or last_place)
    if isinstance(application, Application):
        application.file_requested.connect(window.open_project)
    if project is not None:
        window.acts.hold(project)
    collector.follow(window.session)
    sys.excepthook = ErrorHook(window)
    if has_crashed:
        window.session.say(
            tr("Annotator closed unexpectedly last time. All saved work is safe; details are in the log.")
        )
    if problem is not None:
        window.error_bar.show_failure(failure_of(problem))
    window.show()
    return application, window, collector
