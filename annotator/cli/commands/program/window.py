"""Open the window, with a project or with the last one."""

import importlib.util
import signal
import sys
from typing import Annotated

from annotator.base.addresses import Place
from annotator.base.collecting import without_garbage_collection
from annotator.base.errors import BadInputError, MissingEnvironmentError
from annotator.cli.command import PROJECT_HELP, Annotator, Argument, command
from annotator.services.program.window_reasons import installation_advice, missing_packages
from annotator.services.project import projects
from annotator.store.file.project_file import ProjectFile

_Project = Annotated[
    Place | None, Argument("PROJECT", f"{PROJECT_HELP}; without it, the last project or the welcome page")
]


@command("open", "annotator open p.annotator", json=False, window=True)
def open_window(*, project: _Project = None, annotator: Annotator = None) -> int:
    """Open a project in the window."""
    if project is None:
        if annotator is not None:
            raise BadInputError(f"Name the project in which {annotator} works.")
        return show_window(None)
    with without_garbage_collection():
        if sys.__stderr__ is None and annotator is None:
            # Without a terminal nobody would see an error message, so the window opens the project and shows it.
            return show_window(None, project)
        # Opened before the window, so that errors go to the terminal; the window then owns the open project.
        return show_window(projects.open_project(project, annotator=annotator))


def show_window(store: ProjectFile | None, project_place: Place | None = None, *, sample: bool = False) -> int:
    """Show the window with an open project, which it closes, one that it opens itself, the last one, or a welcome.

    Returns the exit status of the application. ``sample`` marks the sample project, which begins with a tour.
    """
    try:
        from annotator.ui.app.application import run_app  # PySide6 may be missing: commands work without it.
    except ImportError as error:
        if store is not None:
            store.close()
        raise MissingEnvironmentError(_describe_missing_toolkit(error)) from error
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # a KeyboardInterrupt would not end Qt's loop
    if sample:
        return run_app(store, sample=True)
    return run_app(store) if project_place is None else run_app(place=project_place)


def refuse_without_window() -> None:
    """Raise `MissingEnvironmentError` if no window can be shown, before work that is useful only in a window."""
    try:
        from annotator.ui.app.application import check_platform  # PySide6 may be missing.
    except ImportError as error:
        raise MissingEnvironmentError(_describe_missing_toolkit(error)) from error
    check_platform()


def describe_window() -> dict[str, object]:
    """Return facts about the window toolkit, or the problem with it; the doctor calls this in a subprocess."""
    try:
        from annotator.ui.app.application import window_facts  # PySide6 may be missing.

        return window_facts()
    except ImportError as error:
        return {"problem": _describe_missing_toolkit(error)}
    except MissingEnvironmentError as error:
        return {"problem": error.message}


def _describe_missing_toolkit(error: ImportError) -> str:
    packages = missing_packages() if importlib.util.find_spec("PySide6") else ()
    advice = installation_advice(packages) or "Install it with: pip install 'benchmark-annotator[app]'"
    return f"The window cannot be shown here: {error}. The commands work without it: annotator --help. {advice}"
