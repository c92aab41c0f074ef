"""What works on this machine."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import platform
import shutil
import sqlite3
from dataclasses import dataclass

from annotator.base.addresses import Place, ServerAddress
from annotator.base.errors import KnownError
from annotator.base.paths import data_dir
from annotator.base.resources import resource


@dataclass(frozen=True, slots=True)
class Finding:
    """One check; ``needed`` ones must work for the program to be of use at all."""

    name: str
    ok: bool
    detail: str
    needed: bool = False


def examine(project: Place | None = None) -> tuple[Finding, ...]:
    """Check what the program needs here; with a project also whether it opens, its folder, backups and endpoints."""
    from annotator.services import doctor_places

    found = _machine()
    if project is None:
        return (*found, doctor_places.locks(data_dir()), doctor_places.logs())
    if isinstance(project, ServerAddress):
        return (*found, doctor_places.logs(), _project(project), *doctor_places.endpoints(project))
    return (
        *found,
        doctor_places.logs(),
        doctor_places.locks(project.parent),
        doctor_places.room(project),
        doctor_places.backups(project),
        _project(project),
        *doctor_places.endpoints(project),
    )


def _machine() -> tuple[Finding, ...]:
    from annotator.services import doctor_places

    return (
        Finding("Python", True, platform.python_version(), needed=True),
        _sqlite(),
        _resources(),
        _package("PySide6-Essentials", "PySide6", "the window; commands work without it"),
        *doctor_places.window(),
        _package("openai", "openai", "asking models"),
        _package("psycopg", "psycopg", "projects on a server; install annotator[postgres]"),
        *_sandbox(),
        _keyring(),
        _disk(),
    )


def _project(place: Place) -> Finding:
    from annotator.services import projects

    try:
        if isinstance(place, ServerAddress):
            from annotator.store.server.project import facts

            return Finding("Project", True, facts(place), needed=True)
        store = projects.open_project(place, read_only=True)
        store.close()
    except KnownError as error:
        return Finding("Project", False, error.message, needed=True)
    return Finding("Project", True, f"{store.project_name} can be opened", needed=True)


def _sqlite() -> Finding:
    connection = sqlite3.connect(":memory:")
    try:
        connection.execute("CREATE VIRTUAL TABLE t USING fts5(a)")
    except sqlite3.OperationalError:
        return Finding("SQLite", False, f"{sqlite3.sqlite_version} without full-text search (FTS5)", needed=True)
    finally:
        connection.close()
    return Finding("SQLite", True, f"{sqlite3.sqlite_version} with full-text search", needed=True)


def _resources() -> Finding:
    try:
        resource("samples", "starter", "subjects.jsonl")
    except KnownError as error:
        return Finding("Sample project", False, error.message, needed=True)
    return Finding("Sample project", True, "found", needed=True)


def _package(distribution: str, module: str, purpose: str) -> Finding:
    if importlib.util.find_spec(module) is None:
        return Finding(distribution, False, f"not installed ({purpose})")
    return Finding(distribution, True, importlib.metadata.version(distribution))


def _sandbox() -> tuple[Finding, ...]:
    from annotator.services import executing

    found = executing.status(versions=False)
    if not found.place:
        return (Finding("Sandbox", False, f"{found.problem} Without it, everything but running code works."),)
    ready = [item.title for item in found.languages if item.ready]
    missing = [item.language for item in found.languages if not item.ready]
    detail = f"code runs in {found.place}" + (f" ({found.weakness})" if found.weakness else "")
    languages = f"ready: {', '.join(ready) or 'none'}"
    if missing:
        languages += f"; to get the rest: annotator sandbox build --languages {','.join(missing)}"
    return Finding("Sandbox", True, detail), Finding("Sandbox languages", not missing, languages)


def _keyring() -> Finding:
    if importlib.util.find_spec("keyring") is None:
        return Finding("Keyring", False, "not installed; keys are read from the environment")
    import keyring

    backend = keyring.get_keyring()
    usable = float(backend.priority) > 0
    return Finding("Keyring", usable, type(backend).__name__ if usable else "none; keys are read from the environment")


def _disk() -> Finding:
    folder = data_dir()
    while not folder.exists():
        folder = folder.parent
    free = shutil.disk_usage(folder).free / 1e9
    return Finding("Disk", free > 0.5, f"{free:.1f} GB free", needed=True)
