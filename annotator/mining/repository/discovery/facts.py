"""What is known of a repository besides its code: revision, age, licence, README, popularity (specification, 1)."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from identify import identify
from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression

from annotator.base.errors import BadInputError
from annotator.base.open_files import refuse_project
from annotator.mining.repository.discovery.tree import UnreadableError, read_bytes

GIT_SECONDS = 30.0
README_LIMIT = 64 * 1024
LICENCE_LIMIT = 256 * 1024
METADATA_LIMIT = 4 * 1024 * 1024
_LICENCE_FILE = re.compile(r"(?i)^(?:un)?(?:licen[cs]e|copying)(?:[.-].*)?$")
_README_FILE = re.compile(r"(?i)^readme(?:\.(?:md|rst|txt|markdown))?$")
_CLASSIFIERS = {
    "MIT License": "MIT", "Apache Software License": "Apache-2.0", "ISC License (ISCL)": "ISC",
    "BSD License": "BSD-3-Clause", "Python Software Foundation License": "PSF-2.0",
    "The Unlicense (Unlicense)": "Unlicense",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0", "zlib/libpng License": "Zlib",
    "GNU General Public License v3 (GPLv3)": "GPL-3.0-only", "GNU General Public License v2 (GPLv2)": "GPL-2.0-only",
    "GNU General Public License v3 or later (GPLv3+)": "GPL-3.0-or-later",
    "GNU Lesser General Public License v3 or later (LGPLv3+)": "LGPL-3.0-or-later",
    "GNU Lesser General Public License v3 (LGPLv3)": "LGPL-3.0-only",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of a repository; numbers that nobody told are None, texts that are not known are empty."""

    name: str
    revision: str = ""
    first_commit: str = ""
    licence: str = ""
    readme: str = ""
    description: str = ""
    topics: tuple[str, ...] = ()
    stars: int | None = None
    forks: int | None = None
    is_fork: bool | None = None
    created: str = ""


def read_facts(root: Path, metadata: Mapping[str, Any] | None = None) -> Facts:
    """Return a repository's facts; ``metadata`` has GitHub's field names (`read_metadata`)."""
    given = dict(metadata or {})
    told = given.get("license")
    licence = str(told.get("spdx_id") or "") if isinstance(told, Mapping) else str(told or "")
    if licence in ("NOASSERTION", "Other", "OTHER"):
        licence = ""
    revision, first = git_facts(root)
    created = str(given.get("created_at") or "")[:10]
    return Facts(
        name=str(given.get("full_name") or given.get("name") or root.resolve().name),
        revision=revision or str(given.get("revision") or ""),
        first_commit=first,
        licence=find_licence(root) or normal_licence(licence),
        readme=_readme(root),
        description=str(given.get("description") or ""),
        topics=tuple(str(item) for item in _list(given.get("topics"))),
        stars=_number(given.get("stargazers_count", given.get("stars"))),
        forks=_number(given.get("forks_count", given.get("forks"))),
        is_fork=given["fork"] if isinstance(given.get("fork"), bool) else None,
        created=created or first[:10],
    )


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _number(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def read_metadata(path: Path) -> dict[str, Any]:
    """Read a metadata file: a JSON object with GitHub's field names. Raises `BadInputError`."""
    refuse_project(path)
    try:
        value = json.loads(read_bytes(path.parent, path.name, METADATA_LIMIT))
    except (UnreadableError, ValueError, RecursionError) as error:
        raise BadInputError(f"The metadata in {path.name} cannot be read: {error}.") from error
    if not isinstance(value, dict):
        raise BadInputError(f"The metadata in {path.name} is not a JSON object.")
    return value


# -- git --------------------------------------------------------------------------------------------------------------


def git_facts(root: Path) -> tuple[str, str]:
    """Return the revision and the date of the first commit, empty where there is no work tree or no git."""
    if not (root / ".git").exists() or (root / ".git").is_symlink():
        return "", ""
    revision = _git(root, "rev-parse", "--verify", "HEAD").strip()
    if not re.fullmatch(r"[0-9a-f]{40,64}", revision):
        return "", ""
    dates = _git(root, "log", "--max-parents=0", "--format=%cI", revision).split()
    return revision, min((date for date in dates if re.match(r"\d{4}-\d\d-\d\dT", date)), default="")


def _git(root: Path, *arguments: str) -> str:
    """Run git so that nothing the repository says is run: no hooks, no helpers, no programs, no network."""
    program = shutil.which("git")
    if program is None:
        return ""
    settings = {
        "core.fsmonitor": "false", "core.hooksPath": os.devnull, "core.pager": "cat", "core.attributesFile": os.devnull,
        "protocol.allow": "never", "log.showSignature": "false", "gpg.program": "false", "gc.auto": "0",
        "safe.directory": "*", "core.commitGraph": "true",
    }  # fmt: skip
    options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
    environment = {
        "PATH": os.environ.get("PATH", ""), "HOME": os.devnull, "LANG": "C.UTF-8", "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull, "GIT_NO_LAZY_FETCH": "1", "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0", "GIT_CEILING_DIRECTORIES": str(root.resolve().parent),
    }  # fmt: skip
    try:
        done = subprocess.run(  # noqa: S603 - a list of our own arguments
            [program, *options, "-C", str(root), "--no-pager", *arguments],
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            timeout=GIT_SECONDS,
            env=environment,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout if done.returncode == 0 else ""


# -- licence ----------------------------------------------------------------------------------------------------------


def find_licence(root: Path) -> str:
    """Return the SPDX expression of a repository: by its licence's text, else by what its metadata say."""
    found = []
    for path in sorted(_files(root, _LICENCE_FILE)):
        identity = _licence_of(root, path)
        if identity and identity not in found:
            found.append(identity)
    if found:
        return " AND ".join(found) if len(found) > 1 else found[0]
    return _declared_licence(root)


def _files(root: Path, pattern: re.Pattern[str]) -> list[str]:
    try:
        names = [path.name for path in root.iterdir()]
    except OSError:
        return []
    return [name for name in names if pattern.match(name)]


def _licence_of(root: Path, name: str) -> str:

    try:
        read_bytes(root, name, LICENCE_LIMIT).decode("utf-8")
        return identify.license_id(str(root / name)) or ""
    except (UnreadableError, UnicodeDecodeError, OSError):
        return ""


def _declared_licence(root: Path) -> str:
    project = project_table(root)
    told = project.get("license")
    if isinstance(told, dict):
        told = told.get("text")
    if isinstance(told, str) and normal_licence(told):
        return normal_licence(told)
    classifiers = [str(item) for item in _list(project.get("classifiers"))]
    try:
        lines = read_bytes(root, "PKG-INFO", README_LIMIT * 8).decode("utf-8", "replace").splitlines()
    except UnreadableError:
        lines = []
    for line in lines:
        name, _, value = line.partition(": ")
        if name in ("License", "License-Expression") and normal_licence(value):
            return normal_licence(value)
        if name == "Classifier":
            classifiers.append(value)
    for item in classifiers:
        if item.startswith("License ::") and item.rpartition(" :: ")[2] in _CLASSIFIERS:
            return _CLASSIFIERS[item.rpartition(" :: ")[2]]
    return ""


def project_table(root: Path) -> dict[str, Any]:
    """Return the ``project`` table of ``pyproject.toml`` (or Poetry's), empty if there is none that can be read."""
    try:
        document = tomllib.loads(read_bytes(root, "pyproject.toml", README_LIMIT * 8).decode("utf-8"))
    except (UnreadableError, UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError):
        return {}
    project = document.get("project")
    if isinstance(project, dict):
        return project
    tool = document.get("tool")
    poetry = tool.get("poetry") if isinstance(tool, dict) else None
    return poetry if isinstance(poetry, dict) else {}


def normal_licence(text: str) -> str:
    """Return a licence expression in SPDX's own spelling, empty if it is none."""

    try:
        return str(canonicalize_license_expression(text.strip()))
    except (InvalidLicenseExpression, ValueError):
        return ""


def _readme(root: Path) -> str:
    for name in sorted(_files(root, _README_FILE)):
        try:
            return read_bytes(root, name, README_LIMIT).decode("utf-8", "replace")
        except UnreadableError:
            continue
    return ""
