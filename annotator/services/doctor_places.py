"""Checks of places: the window and its fonts, locks and room beside a project, its backups, and its endpoints."""

from __future__ import annotations

import json
import os
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

from annotator.base.addresses import Place
from annotator.base.clock import ago
from annotator.base.errors import KnownError
from annotator.base.paths import log_dir
from annotator.services.doctor import Finding

_WINDOW_S = 60
_CONNECT_S = 3.0


def window() -> tuple[Finding, ...]:
    """Start the window's toolkit in a process of its own, and look at the fonts it has."""
    command = [
        sys.executable,
        *([] if getattr(sys, "frozen", False) else ["-m", "annotator"]),
        "doctor",
        "--window-only",
    ]
    environment = {**os.environ, "QT_QPA_PLATFORM": os.environ.get("QT_QPA_PLATFORM", "offscreen")}
    try:
        done = subprocess.run(  # noqa: S603 - this program itself, with arguments of our own
            command, capture_output=True, text=True, timeout=_WINDOW_S, env=environment, check=False
        )
        facts = json.loads(done.stdout)
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return (Finding("Window", False, "its toolkit does not start here; commands work without it"),)
    fonts = f"{facts['families']} families, {facts['fixed']} for code" + (", Chinese" if facts["chinese"] else "")
    return (
        Finding("Window", True, f"its toolkit starts ({facts['platform']})"),
        Finding("Fonts", facts["families"] > 0, fonts if facts["families"] else "none are installed"),
    )


def logs() -> Finding:
    """Say whether the log can be written."""
    folder = log_dir()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            size = sum(item.stat().st_size for item in folder.glob("annotator.log*"))
    except OSError as error:
        return Finding("Log", False, f"cannot be written ({error.strerror})")
    return Finding("Log", True, f"{size / 1e6:.1f} MB in {len(list(folder.glob('annotator.log*')))} files")


def locks(folder: Path) -> Finding:
    """Say whether two programs keep out of each other's way in a folder: some network file systems do not let them."""
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
    """Say whether the disk of a project has room for it twice: a backup is a whole copy."""
    try:
        free, size = shutil.disk_usage(project.parent).free, project.stat().st_size
    except OSError as error:
        return Finding("Room for backups", False, f"cannot be told ({error.strerror})")
    return Finding(
        "Room for backups", free > 2 * size + 1e8, f"{free / 1e9:.1f} GB free, {size / 1e6:.1f} MB needed each"
    )


def backups(project: Path) -> Finding:
    """Check a project's newest backup."""
    from annotator.services import backing_up

    found = backing_up.listing(project)
    if not found:
        return Finding("Backups", False, "none yet; annotator backup makes one")
    newest = backing_up.verify(project, (found[0].path.name,))[0]
    if newest.problems:
        return Finding("Backups", False, f"the newest is damaged ({newest.problems[0]})")
    return Finding("Backups", True, f"{len(found)}, the newest made {ago(newest.made_at)} and checked now")


def endpoints(project: Place) -> tuple[Finding, ...]:
    """Say of each endpoint of a project whether its key is known and its host answers; nothing is asked of it."""
    from annotator.services import projects, run_setup

    try:
        store = projects.open_project(project, read_only=True)
    except KnownError as error:
        return (Finding("Project", False, error.message),)
    try:
        rows = [run_setup.parse_endpoint(row.content) for row in run_setup.current(store, "endpoint")]
    except KnownError as error:
        return (Finding("Endpoints", False, error.message),)
    finally:
        store.close()
    return tuple(_endpoint(row.name, row.base_url, row.key_name) for row in rows) or (
        Finding("Endpoints", True, "none set up"),
    )


def _endpoint(name: str, base_url: str, key_name: str) -> Finding:
    from annotator.base.secrets import find_key

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
