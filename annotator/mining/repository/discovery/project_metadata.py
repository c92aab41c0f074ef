"""Read the metadata files of a Python project without running any of its code."""

from __future__ import annotations

import configparser
import tomllib
from email.message import Message
from email.parser import HeaderParser
from pathlib import Path
from typing import Any

from annotator.mining.repository.discovery.tree import UnreadableError, read_bytes

MAX_FILE_BYTES = 512 * 1024


def read_metadata_file(root: Path, name: str) -> str:
    """Return the text of a file, empty if there is none that can be read."""
    try:
        return read_bytes(root, name, MAX_FILE_BYTES).decode("utf-8", "replace")
    except UnreadableError:
        return ""


def read_pyproject(root: Path) -> dict[str, Any]:
    """Return ``pyproject.toml``, empty if there is none that can be read."""
    try:
        return tomllib.loads(read_metadata_file(root, "pyproject.toml"))
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}


def read_project_table(root: Path) -> dict[str, Any]:
    """Return the ``project`` table of ``pyproject.toml`` (or Poetry's), empty if there is none that can be read."""
    document = read_pyproject(root)
    project = document.get("project")
    if isinstance(project, dict):
        return project
    tool = document.get("tool")
    poetry = tool.get("poetry") if isinstance(tool, dict) else None
    return poetry if isinstance(poetry, dict) else {}


def read_setup_cfg(root: Path) -> configparser.ConfigParser:
    """Return ``setup.cfg``, without sections if there is none that can be read."""
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(read_metadata_file(root, "setup.cfg"))
    except configparser.Error:
        parser.clear()
    return parser


def read_package_metadata(root: Path) -> Message:
    """Return the ``PKG-INFO`` of a source distribution, without fields if there is none."""
    return HeaderParser().parsestr(read_metadata_file(root, "PKG-INFO"))
