"""The folders of the application's own files, and the names of a project's files."""

from __future__ import annotations

from pathlib import Path

from platformdirs import PlatformDirs

PROJECT_SUFFIX = ".annotator"
BACKUPS_SUFFIX = "-backups"
"""The suffix of a project's backup folder, appended to the file's name."""
DRAFTS_SUFFIX = "-drafts"
"""The suffix of a project's folder of drafts."""


def _dirs() -> PlatformDirs:
    return PlatformDirs("annotator", appauthor=False, ensure_exists=False)


def data_dir() -> Path:
    """Return the folder for files the application makes for the user, such as the sample project."""
    return _dirs().user_data_path


def log_dir() -> Path:
    """Return the folder for log files."""
    return _dirs().user_log_path


def config_dir() -> Path:
    """Return the folder for settings files."""
    return _dirs().user_config_path


def project_path(text: str | Path) -> Path:
    """Return the path of a project file, with the ``.annotator`` suffix added to a bare name.

    A text that names no file, such as a root folder or the home of an unknown user, is returned unchanged.
    """
    try:
        path = Path(text).expanduser()
    except RuntimeError:  # There is no user of that name.
        path = Path(text)
    return path if path.suffix or not path.name else path.with_suffix(PROJECT_SUFFIX)
