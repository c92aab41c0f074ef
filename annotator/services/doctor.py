"""What works on this machine."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import platform
import shutil
import sqlite3
from dataclasses import dataclass
from pathlib import Path

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


def examine() -> tuple[Finding, ...]:
    """Check Python, SQLite with full-text search, the window's toolkit, Docker's client, the keyring and the disk."""
    return (
        Finding("Python", True, platform.python_version(), needed=True),
        _sqlite(),
        _resources(),
        _package("PySide6-Essentials", "PySide6", "the window; commands work without it"),
        _package("openai", "openai", "asking models"),
        _docker(),
        _keyring(),
        _disk(),
    )


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


def _docker() -> Finding:
    places = (Path("/var/run/docker.sock"), Path.home() / ".docker" / "run" / "docker.sock")
    if any(place.exists() for place in places):
        return Finding("Docker engine", True, "a socket is there; this version runs no code in it yet")
    return Finding("Docker engine", False, "no engine found; unit tests cannot be run, everything else can")


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
