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
from annotator.base.paths import data_dir, log_dir
from annotator.base.resources import find_program, other_package_advice, resource_path
from annotator.base.secrets import find_key
from annotator.services.program import sandbox
from annotator.services.project import backups as backing_up
from annotator.services.project import projects
from annotator.services.runs import run_setups

_WINDOW_TIMEOUT_S = 60
_PROGRAM_TIMEOUT_S = 20
_CONNECT_TIMEOUT_S = 3.0


@dataclass(frozen=True, slots=True)
class DoctorFinding:
    """The result of one check; if a ``needed`` one fails, the program does not work at all."""

    name: str
    ok: bool
    detail: str
    needed: bool = False


def check_window() -> tuple[DoctorFinding, ...]:
    """Check the display and the fonts by starting Qt in a separate process."""
    command = [
        sys.executable,
        *([] if getattr(sys, "frozen", False) else ["-m", "annotator"]),
        "doctor",
        "--window-only",
    ]
    try:
        process = subprocess.run(  # noqa: S603 - this program itself, with arguments of our own
            command, capture_output=True, text=True, timeout=_WINDOW_TIMEOUT_S, check=False
        )
        facts = json.loads(process.stdout)
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return (DoctorFinding("Window", False, "its toolkit does not start here; commands work without it"),)
    if "problem" in facts:
        return (DoctorFinding("Window", False, facts["problem"]),)
    fonts = f"{facts['families']} families, {facts['fixed']} for code" + (", Chinese" if facts["chinese"] else "")
    if not facts["families"]:
        fonts = "none are installed"
    elif facts["language"].startswith("zh") and not facts["chinese"]:
        fonts += "; none has Chinese, the language of the window (Debian: fonts-wqy-zenhei or fonts-noto-cjk)"
    is_readable = facts["families"] and (facts["chinese"] or not facts["language"].startswith("zh"))
    return (
        DoctorFinding("Window", True, f"it can be shown ({facts['platform']})"),
        DoctorFinding("Fonts", bool(is_readable), fonts),
    )


def check_program(name: str, purpose: str) -> DoctorFinding:
    """Check whether a program is installed and starts."""
    path = find_program(name)
    if path is None:
        return DoctorFinding(name, False, f"not installed ({purpose})")
    try:
        process = subprocess.run(  # noqa: S603 - a program by its path, with an argument of our own
            [path, "--version"], capture_output=True, text=True, timeout=_PROGRAM_TIMEOUT_S, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return DoctorFinding(name, False, f"does not start ({purpose})")
    return DoctorFinding(name, True, process.stdout.strip().removeprefix(name).removeprefix(" version").strip())


def check_logs() -> DoctorFinding:
    """Check whether the log can be written."""
    folder = log_dir()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            size = sum(item.stat().st_size for item in folder.glob("annotator.log*"))
    except OSError as error:
        return DoctorFinding("Log", False, f"cannot be written ({error.strerror})")
    return DoctorFinding("Log", True, f"{size / 1e6:.1f} MB in {len(list(folder.glob('annotator.log*')))} files")


def check_file_locks(folder: Path) -> DoctorFinding:
    """Check whether file locks work in a folder; on some network file systems they do not."""
    name = "File locks"
    while not folder.exists():
        folder = folder.parent
    try:
        with tempfile.TemporaryDirectory(dir=folder, prefix=".annotator-doctor-") as test_folder:
            do_locks_work = _do_locks_work(Path(test_folder) / "locks")
    except (OSError, sqlite3.Error) as error:
        return DoctorFinding(name, False, f"{folder.name or folder} cannot be written ({error})")
    return DoctorFinding(
        name, do_locks_work, "work" if do_locks_work else f"do not work in {folder.name}; keep projects on a local disk"
    )


def _do_locks_work(path: Path) -> bool:
    """Return whether a second connection is refused the write lock that the first one holds."""
    with closing(sqlite3.connect(path, isolation_level=None)) as first:
        first.execute("PRAGMA journal_mode = WAL")
        first.execute("CREATE TABLE t (a)")
        with closing(sqlite3.connect(path, isolation_level=None, timeout=0)) as second:
            first.execute("BEGIN IMMEDIATE")
            try:
                second.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError:
                return True
    return False


def check_disk_room(project: Path) -> DoctorFinding:
    """Check whether a project's disk has room for two more copies, since a backup is a full copy."""
    try:
        free = shutil.disk_usage(project.parent).free
        size = project.stat().st_size
    except OSError as error:
        return DoctorFinding("Room for backups", False, f"cannot be determined ({error.strerror})")
    return DoctorFinding(
        "Room for backups", free > 2 * size + 1e8, f"{free / 1e9:.1f} GB free, {size / 1e6:.1f} MB needed each"
    )


def check_backups(project: Path) -> DoctorFinding:
    """Check a project's newest backup."""
    all_backups = backing_up.list_project_backups(project)
    if not all_backups:
        return DoctorFinding("Backups", False, "none yet; annotator backup makes one")
    newest = backing_up.verify_project_backups(project, (all_backups[0].path.name,))[0]
    if newest.problems:
        return DoctorFinding("Backups", False, f"the newest is damaged ({newest.problems[0]})")
    return DoctorFinding("Backups", True, f"{len(all_backups)}, the newest made {ago(newest.made_at)} and checked now")


def check_endpoints(project: Place) -> tuple[DoctorFinding, ...]:
    """Check for each endpoint of a project whether its key exists and its host accepts connections.

    No request is sent.
    """
    try:
        store = projects.open_project(project, read_only=True)
    except KnownError as error:
        return (DoctorFinding("Project", False, error.message),)
    try:
        rows = [run_setups.parse_endpoint(row.content) for row in run_setups.list_own_setups(store, "endpoint")]
    except KnownError as error:
        return (DoctorFinding("Endpoints", False, error.message),)
    finally:
        store.close()
    return tuple(_check_endpoint(row.name, row.base_url, row.key_name) for row in rows) or (
        DoctorFinding("Endpoints", True, "none set up"),
    )


def _check_endpoint(name: str, base_url: str, key_name: str) -> DoctorFinding:
    parts = urlsplit(base_url)
    is_key_missing = bool(key_name) and not find_key(key_name)
    key_status = "key found" if key_name else "no key needed"
    if is_key_missing:
        key_status = f"its key {key_name} is missing"
    title = f"Endpoint {name}"
    try:
        port = parts.port or (443 if parts.scheme == "https" else 80)
        with socket.create_connection((parts.hostname or "", port), timeout=_CONNECT_TIMEOUT_S):
            return DoctorFinding(title, not is_key_missing, f"{parts.hostname} answers, {key_status}")
    except (OSError, ValueError) as error:
        return DoctorFinding(title, False, f"{parts.hostname} does not answer ({error}), {key_status}")


def run_checks(project: Place | None = None) -> tuple[DoctorFinding, ...]:
    """Run all checks; for a project also check whether it opens, and its folder, backups and endpoints."""
    findings = (
        DoctorFinding("Python", True, platform.python_version(), needed=True),
        _check_sqlite(),
        _check_resources(),
        _check_distribution(),
        _check_package("PySide6-Essentials", "PySide6", "the window; install benchmark-annotator[app]"),
        *check_window(),
        _check_package("openai", "openai", "asking models"),
        _check_package("psycopg", "psycopg", "projects on a server; install benchmark-annotator[postgres]"),
        check_program("uv", "fetching the libraries of mined repositories"),
        check_program("git", "fetching repositories to mine, their revisions and dates"),
        *_check_sandbox(),
        _check_keyring(),
        _check_disk(),
    )
    if project is None:
        return (*findings, check_file_locks(data_dir()), check_logs())
    if isinstance(project, ServerAddress):
        return (*findings, check_logs(), _check_project(project), *check_endpoints(project))
    return (
        *findings,
        check_logs(),
        check_file_locks(project.parent),
        check_disk_room(project),
        check_backups(project),
        _check_project(project),
        *check_endpoints(project),
    )


def _check_project(place: Place) -> DoctorFinding:
    try:
        if isinstance(place, ServerAddress):
            from annotator.store.server.server_project import describe_server_project

            return DoctorFinding("Project", True, describe_server_project(place), needed=True)
        store = projects.open_project(place, read_only=True)
        store.close()
    except KnownError as error:
        return DoctorFinding("Project", False, error.message, needed=True)
    return DoctorFinding("Project", True, f"{store.project_name} can be opened", needed=True)


def _check_sqlite() -> DoctorFinding:
    try:
        with closing(sqlite3.connect(":memory:")) as connection:
            connection.execute("CREATE VIRTUAL TABLE t USING fts5(a)")
    except sqlite3.OperationalError:
        return DoctorFinding("SQLite", False, f"{sqlite3.sqlite_version} without full-text search (FTS5)", needed=True)
    return DoctorFinding("SQLite", True, f"{sqlite3.sqlite_version} with full-text search", needed=True)


def _check_resources() -> DoctorFinding:
    try:
        resource_path("samples", "starter", "subjects.jsonl")
    except KnownError as error:
        return DoctorFinding("Sample project", False, error.message, needed=True)
    return DoctorFinding("Sample project", True, "found", needed=True)


def _check_distribution() -> DoctorFinding:
    """Check that no package named annotator is installed, the name that early versions of this one had."""
    advice = other_package_advice(Path(annotator.__file__).parents[1])
    return DoctorFinding("Package", not advice, advice or f"benchmark-annotator {annotator.__version__}", needed=True)


def _check_package(distribution: str, module: str, purpose: str) -> DoctorFinding:
    if importlib.util.find_spec(module) is None:
        return DoctorFinding(distribution, False, f"not installed ({purpose})")
    return DoctorFinding(distribution, True, importlib.metadata.version(distribution))


def _check_sandbox() -> tuple[DoctorFinding, ...]:
    status = sandbox.sandbox_status(versions=False)
    if not status.place:
        return (DoctorFinding("Sandbox", False, f"{status.problem} Without it, everything but running code works."),)
    ready = [item.title for item in status.languages if item.ready]
    missing = [item.language for item in status.languages if not item.ready]
    detail = f"code runs in {status.place}" + (f" ({status.weakness})" if status.weakness else "")
    languages = f"ready: {', '.join(ready) or 'none'}"
    if missing:
        languages += f"; to get the rest: annotator sandbox build --languages {','.join(missing)}"
    return DoctorFinding("Sandbox", True, detail), DoctorFinding("Sandbox languages", not missing, languages)


def _check_keyring() -> DoctorFinding:
    if importlib.util.find_spec("keyring") is None:
        return DoctorFinding("Keyring", False, "not installed; keys are read from the environment")
    import keyring

    backend = keyring.get_keyring()
    is_usable = float(backend.priority) > 0
    return DoctorFinding(
        "Keyring", is_usable, type(backend).__name__ if is_usable else "none; keys are read from the environment"
    )


def _check_disk() -> DoctorFinding:
    folder = data_dir()
    while not folder.exists():
        folder = folder.parent
    free = shutil.disk_usage(folder).free / 1e9
    return DoctorFinding("Disk", free > 0.5, f"{free:.1f} GB free", needed=True)
