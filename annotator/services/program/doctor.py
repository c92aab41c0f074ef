"""Check this machine: programs, window and fonts, sandbox, keys, file locks, backups and endpoints."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import platform
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import annotator
from annotator.base.addresses import Place, ServerAddress
from annotator.base.clock import ago
from annotator.base.errors import KnownError
from annotator.base.other_package import other_package
from annotator.base.paths import data_dir, log_dir
from annotator.base.programs import find_program
from annotator.base.resources import resource
from annotator.base.secrets import find_key
from annotator.services.program import sandbox
from annotator.services.project import backups as backing_up
from annotator.services.project import projects
from annotator.services.runs import run_setups

_WINDOW_S = 60
_PROGRAM_S = 20
_CONNECT_S = 3.0


@dataclass(frozen=True, slots=True)
class Finding:
    """The outcome of one check; without the ``needed`` ones the program does not work at all."""

    name: str
    ok: bool
    detail: str
    needed: bool = False


def window() -> tuple[Finding, ...]:
    """Check the display and the fonts by starting Qt in a process of its own."""
    command = [
        sys.executable,
        *([] if getattr(sys, "frozen", False) else ["-m", "annotator"]),
        "doctor",
        "--window-only",
    ]
    try:
        done = subprocess.run(  # noqa: S603 - this program itself, with arguments of our own
            command, capture_output=True, text=True, timeout=_WINDOW_S, check=False
        )
        facts = json.loads(done.stdout)
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return (Finding("Window", False, "its toolkit does not start here; commands work without it"),)
    if "problem" in facts:
        return (Finding("Window", False, facts["problem"]),)
    fonts = f"{facts['families']} families, {facts['fixed']} for code" + (", Chinese" if facts["chinese"] else "")
    if not facts["families"]:
        fonts = "none are installed"
    elif facts["language"].startswith("zh") and not facts["chinese"]:
        fonts += "; none has Chinese, the language of the window (Debian: fonts-wqy-zenhei or fonts-noto-cjk)"
    readable = facts["families"] and (facts["chinese"] or not facts["language"].startswith("zh"))
    return (Finding("Window", True, f"it can be shown ({facts['platform']})"), Finding("Fonts", bool(readable), fonts))


def program(name: str, purpose: str) -> Finding:
    """Check whether a program is installed and starts."""
    path = find_program(name)
    if path is None:
        return Finding(name, False, f"not installed ({purpose})")
    try:
        done = subprocess.run(  # noqa: S603 - a program by its path, with an argument of our own
            [path, "--version"], capture_output=True, text=True, timeout=_PROGRAM_S, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return Finding(name, False, f"does not start ({purpose})")
    return Finding(name, True, done.stdout.strip().removeprefix(name).removeprefix(" version").strip())


def logs() -> Finding:
    """Check whether the log can be written."""
    folder = log_dir()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            size = sum(item.stat().st_size for item in folder.glob("annotator.log*"))
    except OSError as error:
        return Finding("Log", False, f"cannot be written ({error.strerror})")
    return Finding("Log", True, f"{size / 1e6:.1f} MB in {len(list(folder.glob('annotator.log*')))} files")


def locks(folder: Path) -> Finding:
    """Check whether file locks work in a folder; on some network file systems they do not."""
    name = "File locks"
    while not folder.exists():
        folder = folder.parent
    try:
        with tempfile.TemporaryDirectory(dir=folder, prefix=".annotator-doctor-") as place:
            works = _locks_work(Path(place) / "locks")
    except (OSError, sqlite3.Error) as error:
        return Finding(name, False, f"{folder.name or folder} cannot be written ({error})")
    return Finding(name, works, "work" if works else f"do not work in {folder.name}; keep projects on a local disk")


def _locks_work(path: Path) -> bool:
    with closing(sqlite3.connect(path, isolation_level=None)) as one:
        one.execute("PRAGMA journal_mode = WAL")
        one.execute("CREATE TABLE t (a)")
        with closing(sqlite3.connect(path, isolation_level=None, timeout=0)) as two:
            one.execute("BEGIN IMMEDIATE")
            try:
                two.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError:
                return True
    return False


def room(project: Path) -> Finding:
    """Check whether a project's disk has room for two more copies, since a backup is a full copy."""
    try:
        free, size = shutil.disk_usage(project.parent).free, project.stat().st_size
    except OSError as error:
        return Finding("Room for backups", False, f"cannot be told ({error.strerror})")
    return Finding(
        "Room for backups", free > 2 * size + 1e8, f"{free / 1e9:.1f} GB free, {size / 1e6:.1f} MB needed each"
    )


def backups(project: Path) -> Finding:
    """Check a project's newest backup."""
    all_backups = backing_up.listing(project)
    if not all_backups:
        return Finding("Backups", False, "none yet; annotator backup makes one")
    newest = backing_up.verify(project, (all_backups[0].path.name,))[0]
    if newest.problems:
        return Finding("Backups", False, f"the newest is damaged ({newest.problems[0]})")
    return Finding("Backups", True, f"{len(all_backups)}, the newest made {ago(newest.made_at)} and checked now")


def endpoints(project: Place) -> tuple[Finding, ...]:
    """Check for each endpoint of a project whether its key exists and its host accepts connections.

    No request is sent.
    """
    try:
        store = projects.open_project(project, read_only=True)
    except KnownError as error:
        return (Finding("Project", False, error.message),)
    try:
        rows = [run_setups.parse_endpoint(row.content) for row in run_setups.current(store, "endpoint")]
    except KnownError as error:
        return (Finding("Endpoints", False, error.message),)
    finally:
        store.close()
    return tuple(_check_endpoint(row.name, row.base_url, row.key_name) for row in rows) or (
        Finding("Endpoints", True, "none set up"),
    )


def _check_endpoint(name: str, base_url: str, key_name: str) -> Finding:
    parts = urlsplit(base_url)
    missing = bool(key_name) and not find_key(key_name)
    key = f"its key {key_name} is missing" if missing else "key found" if key_name else "no key needed"
    title = f"Endpoint {name}"
    try:
        port = parts.port or (443 if parts.scheme == "https" else 80)
        with socket.create_connection((parts.hostname or "", port), timeout=_CONNECT_S):
            return Finding(title, not missing, f"{parts.hostname} answers, {key}")
    except (OSError, ValueError) as error:
        return Finding(title, False, f"{parts.hostname} does not answer ({error}), {key}")


def examine(project: Place | None = None) -> tuple[Finding, ...]:
    """Run all checks; with a project also whether it opens, and its folder, backups and endpoints."""
    findings = (
        Finding("Python", True, platform.python_version(), needed=True),
        _check_sqlite(),
        _check_resources(),
        _check_own_name(),
        _check_package("PySide6-Essentials", "PySide6", "the window; install benchmark-annotator[app]"),
        *window(),
        _check_package("openai", "openai", "asking models"),
        _check_package("psycopg", "psycopg", "projects on a server; install benchmark-annotator[postgres]"),
        program("uv", "fetching the libraries of mined repositories"),
        program("git", "fetching repositories to mine, their revisions and dates"),
        *_check_sandbox(),
        _check_keyring(),
        _check_disk(),
    )
    if project is None:
        return (*findings, locks(data_dir()), logs())
    if isinstance(project, ServerAddress):
        return (*findings, logs(), _check_project(project), *endpoints(project))
    return (
        *findings,
        logs(),
        locks(project.parent),
        room(project),
        backups(project),
        _check_project(project),
        *endpoints(project),
    )


def _check_project(place: Place) -> Finding:
    try:
        if isinstance(place, ServerAddress):
            from annotator.store.server.project import facts

            return Finding("Project", True, facts(place), needed=True)
        store = projects.open_project(place, read_only=True)
        store.close()
    except KnownError as error:
        return Finding("Project", False, error.message, needed=True)
    return Finding("Project", True, f"{store.project_name} can be opened", needed=True)


def _check_sqlite() -> Finding:
    connection = sqlite3.connect(":memory:")
    try:
        connection.execute("CREATE VIRTUAL TABLE t USING fts5(a)")
    except sqlite3.OperationalError:
        return Finding("SQLite", False, f"{sqlite3.sqlite_version} without full-text search (FTS5)", needed=True)
    finally:
        connection.close()
    return Finding("SQLite", True, f"{sqlite3.sqlite_version} with full-text search", needed=True)


def _check_resources() -> Finding:
    try:
        resource("samples", "starter", "subjects.jsonl")
    except KnownError as error:
        return Finding("Sample project", False, error.message, needed=True)
    return Finding("Sample project", True, "found", needed=True)


def _check_own_name() -> Finding:
    advice = other_package(Path(annotator.__file__).parents[1])
    return Finding("Package", not advice, advice or f"benchmark-annotator {annotator.__version__}", needed=True)


def _check_package(distribution: str, module: str, purpose: str) -> Finding:
    if importlib.util.find_spec(module) is None:
        return Finding(distribution, False, f"not installed ({purpose})")
    return Finding(distribution, True, importlib.metadata.version(distribution))


def _check_sandbox() -> tuple[Finding, ...]:
    status = sandbox.status(versions=False)
    if not status.place:
        return (Finding("Sandbox", False, f"{status.problem} Without it, everything but running code works."),)
    ready = [item.title for item in status.languages if item.ready]
    missing = [item.language for item in status.languages if not item.ready]
    detail = f"code runs in {status.place}" + (f" ({status.weakness})" if status.weakness else "")
    languages = f"ready: {', '.join(ready) or 'none'}"
    if missing:
        languages += f"; to get the rest: annotator sandbox build --languages {','.join(missing)}"
    return Finding("Sandbox", True, detail), Finding("Sandbox languages", not missing, languages)


def _check_keyring() -> Finding:
    if importlib.util.find_spec("keyring") is None:
        return Finding("Keyring", False, "not installed; keys are read from the environment")
    import keyring

    backend = keyring.get_keyring()
    usable = float(backend.priority) > 0
    return Finding("Keyring", usable, type(backend).__name__ if usable else "none; keys are read from the environment")


def _check_disk() -> Finding:
    folder = data_dir()
    while not folder.exists():
        folder = folder.parent
    free = shutil.disk_usage(folder).free / 1e9
    return Finding("Disk", free > 0.5, f"{free:.1f} GB free", needed=True)
