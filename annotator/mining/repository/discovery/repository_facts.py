"""Collect facts about a repository: revision, age, licence, README, popularity (specification, 1)."""

from __future__ import annotations

import ast
import configparser
import json
import re
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from email.message import Message
from email.parser import HeaderParser
from pathlib import Path
from typing import Any

from identify import identify
from packaging.utils import InvalidName, canonicalize_name
from packaging.version import InvalidVersion, Version

from annotator.base.errors import BadInputError
from annotator.base.ids import is_hex
from annotator.base.open_files import refuse_project
from annotator.mining.licences import licence_of_fields, normalise_licence, stated_licence
from annotator.mining.repository.discovery.function_history import RepositoryHistory, open_history
from annotator.mining.repository.discovery.tree import UnreadableError, read_bytes
from annotator.text.python_tree import tree_or_empty

README_LIMIT_BYTES = 64 * 1024
LICENCE_LIMIT_BYTES = 256 * 1024
METADATA_FILE_LIMIT_BYTES = 512 * 1024
METADATA_LIMIT = 4 * 1024 * 1024
_COPYRIGHT = re.compile(
    r"(?:Copyright|COPYRIGHT):?\s+(?!(?i:license|notice|holder|owner)|(?:\([cC]\)|©)?\s*[<\[{])[(©\dA-Z]|©|\([cC]\)\s*\d"
)
"""Matches the beginning of a copyright notice, but not the placeholders and the prose in licence texts."""
_NOTICES = ("notice",)
_LICENCES = ("licence", "license", "unlicence", "unlicense", "copying")
_READMES = ("readme", "readme.md", "readme.rst", "readme.txt", "readme.markdown")


@dataclass(frozen=True, slots=True, kw_only=True)
class RepositoryFacts:
    """Facts about a repository; unknown numbers are None, unknown texts are empty."""

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
    last_commit: str = ""
    published: str = ""
    licence_file: str = ""
    address: str = ""
    copyright: str = ""
    notice: str = ""


@dataclass(frozen=True, slots=True)
class RepositoryOrigin:
    """The origin of a fetched repository: its address, the requested version, and when that was published."""

    address: str = ""
    revision: str = ""
    published: str = ""


def read_facts(
    root: Path,
    metadata: Mapping[str, Any] | None = None,
    history: RepositoryHistory | None = None,
    origin: RepositoryOrigin | None = None,
) -> RepositoryFacts:
    """Return a repository's facts; ``metadata`` has GitHub's field names (`read_metadata`).

    Without a ``history``, the folder's own is read if there is one.
    """
    if history is None:
        with open_history(root) as own_history:
            return _collect_facts(root, dict(metadata or {}), own_history, origin or RepositoryOrigin())
    return _collect_facts(root, dict(metadata or {}), history, origin or RepositoryOrigin())


def _collect_facts(
    root: Path, metadata: dict[str, Any], history: RepositoryHistory | None, origin: RepositoryOrigin
) -> RepositoryFacts:
    licence_field = metadata.get("license")
    licence = (
        str(licence_field.get("spdx_id") or "") if isinstance(licence_field, Mapping) else str(licence_field or "")
    )
    if licence in ("NOASSERTION", "Other", "OTHER"):
        licence = ""
    first = history.first_commit if history is not None else ""
    created = str(metadata.get("created_at") or "")[:10]
    return RepositoryFacts(
        name=str(metadata.get("full_name") or metadata.get("name") or own_name(root)),
        revision=(history.revision if history is not None else "") or str(metadata.get("revision") or origin.revision),
        first_commit=first,
        licence=find_licence(root) or normalise_licence(licence),
        readme=_read_readme(root),
        description=str(metadata.get("description") or ""),
        topics=tuple(str(item) for item in _list_or_empty(metadata.get("topics"))),
        stars=_count_or_none(metadata.get("stargazers_count", metadata.get("stars"))),
        forks=_count_or_none(metadata.get("forks_count", metadata.get("forks"))),
        is_fork=metadata["fork"] if isinstance(metadata.get("fork"), bool) else None,
        created=created or first[:10],
        last_commit=history.last_commit if history is not None else "",
        published=origin.published,
        licence_file=next(iter(_list_licence_files(root)), ""),
        address=str(metadata.get("html_url") or origin.address),
        copyright=find_copyright(root),
        notice="\n".join(_read_text(root, name).strip() for name in _list_files(root, _NOTICES)),
    )


def _list_or_empty(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _count_or_none(value: Any) -> int | None:
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


# -- licence ----------------------------------------------------------------------------------------------------------


def find_licence(root: Path) -> str:
    """Return the SPDX expression of a repository: from its licence files, else from its metadata."""
    licences = []
    for path in _list_licence_files(root):
        identity = _identify_licence(root, path)
        if identity and identity not in licences:
            licences.append(identity)
    if licences:
        return " AND ".join(licences) if len(licences) > 1 else licences[0]
    return _declared_licence(root)


def find_copyright(root: Path) -> str:
    """Return the copyright lines of a repository's licence and NOTICE files, without duplicates."""
    names = [*_list_licence_files(root), *_list_files(root, _NOTICES)]
    lines = (" ".join(line.split()) for name in names for line in _read_text(root, name).splitlines())
    return "\n".join(dict.fromkeys(line for line in lines if _COPYRIGHT.match(line)))


def _read_text(root: Path, name: str) -> str:
    try:
        return read_bytes(root, name, LICENCE_LIMIT_BYTES).decode("utf-8")
    except (UnreadableError, UnicodeDecodeError, OSError):
        return ""


def _list_licence_files(root: Path) -> list[str]:
    return sorted(_list_files(root, _LICENCES))


def _list_names(root: Path) -> list[str]:
    try:
        return [path.name for path in root.iterdir()]
    except OSError:
        return []


def _list_files(root: Path, words: Collection[str]) -> list[str]:
    """Return the files whose name, up to the first dot or hyphen, is one of ``words``."""
    return [name for name in _list_names(root) if name.lower().replace("-", ".").partition(".")[0] in words]


def _identify_licence(root: Path, name: str) -> str:
    try:
        read_bytes(root, name, LICENCE_LIMIT_BYTES).decode("utf-8")
        return identify.license_id(str(root / name)) or ""
    except (UnreadableError, UnicodeDecodeError, OSError):
        return ""


def _declared_licence(root: Path) -> str:
    project = read_project_table(root)
    declared = project.get("license")
    declared = declared.get("text") if isinstance(declared, dict) else declared
    classifiers = [str(item) for item in _list_or_empty(project.get("classifiers"))]
    expressions = [declared] if isinstance(declared, str) else []
    return stated_licence(expressions, classifiers) or licence_of_fields(read_package_metadata(root))


_BRANCHES = ("main", "master", "trunk", "develop")
_HASH_LENGTHS = range(7, 65)


def own_name(root: Path) -> str:
    """Return a repository's name from its metadata, else its folder's name without a version.

    A clone and an archive have the same name, so their functions have the same keys.
    """
    try:
        return str(canonicalize_name(_declared_field(root, "name").replace(" ", "-"), validate=True))
    except InvalidName:
        name = root.resolve().name.removesuffix(".git")
    start = max(name.rfind("-"), name.rfind("_"))
    end = name[start + 1 :]
    major, _, minor = end.removeprefix("v").partition(".")
    is_version = major.isdecimal() and minor[:1].isdecimal()
    is_ending = start > 0 and (is_version or end in _BRANCHES or is_hex(end, _HASH_LENGTHS))
    return name[:start] if is_ending else name


def own_version(root: Path) -> str:
    """Return the version written in a repository's metadata; empty if it is computed."""
    declared = _declared_field(root, "version")
    return declared if _is_version(declared) else ""


def _is_version(text: str) -> bool:
    try:
        return bool(Version(text))
    except InvalidVersion:
        return False


def _declared_field(root: Path, field: str) -> str:
    """Return the ``name`` or ``version`` written in a repository's metadata, empty if there is none."""
    declared = read_project_table(root).get(field)
    if isinstance(declared, str) and declared:
        return declared
    text = read_setup_cfg(root).get("metadata", field, fallback="").strip() or _read_setup_py(root, field)
    return text or (read_package_metadata(root).get(field) or "").strip()


def _read_setup_py(root: Path, field: str) -> str:
    """Return a literal argument of ``setup()`` in ``setup.py``, empty if it is missing or computed."""
    tree = tree_or_empty(read_metadata_file(root, "setup.py"))
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    for call in calls:
        name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
        for keyword in call.keywords if name == "setup" else ():
            if (
                keyword.arg == field
                and isinstance(keyword.value, ast.Constant)
                and isinstance(keyword.value.value, str)
            ):
                return keyword.value.value
    return ""


def _read_readme(root: Path) -> str:
    for name in sorted(name for name in _list_names(root) if name.lower() in _READMES):
        try:
            return read_bytes(root, name, README_LIMIT_BYTES).decode("utf-8", "replace")
        except UnreadableError:
            continue
    return ""


# -- metadata files of Python projects ------------------------------------------------------------


def read_metadata_file(root: Path, name: str) -> str:
    """Return the text of a file, empty if there is none that can be read."""
    try:
        return read_bytes(root, name, METADATA_FILE_LIMIT_BYTES).decode("utf-8", "replace")
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
