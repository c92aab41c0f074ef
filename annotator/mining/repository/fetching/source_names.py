"""Parse the names of mining sources: addresses, packages with versions, folders, archives, and lists of these."""

from __future__ import annotations

import tarfile
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal
from urllib.parse import parse_qs, urlsplit

from packaging.utils import InvalidName, canonicalize_name
from packaging.version import InvalidVersion, Version

from annotator.base.errors import BadInputError
from annotator.mining.repository.discovery.tree import UnreadableError, read_bytes

LIST_LIMIT_BYTES = 1024 * 1024
_SCHEMES = ("https", "ssh")
_COMPARISONS = str.maketrans("<>~![", "=====")
_WEB_DOMAINS = ("com", "org", "net", "io", "dev", "edu")
_HINT = (
    "Name an address (https://host/path.git, optionally followed by @ and a commit, tag or date), a package "
    "(prettytable==3.10.0), a folder, an archive, or a file that lists one of these per line."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class MiningSource:
    """The origin of a repository; ``text`` is the user's input.

    ``revision`` is a commit, branch, tag or date (YYYY-MM-DD), or a package's version; ``subfolder`` is the part of the
    repository to read, empty for all of it. An invalid source has only a ``problem``.
    """

    text: str
    kind: Literal["path", "address", "package"] = "path"
    path: Path | None = None
    address: str = ""
    package: str = ""
    revision: str = ""
    subfolder: str = ""
    problem: str = ""

    @property
    def name(self) -> str:
        """The name to show in lists and messages."""
        if self.path is not None:
            return self.path.name or str(self.path)
        if self.package:
            return f"{self.package} {self.revision}"
        return self.text if self.problem else self.folder_name

    @property
    def folder_name(self) -> str:
        """The last part of its address without ``.git``: the folder name that ``git clone`` would use."""
        last = self.address.rstrip("/").replace(":", "/").rpartition("/")[2]
        return last.removesuffix(".git") or "repository"


def path_source(path: Path) -> MiningSource:
    """Return a folder or an archive as a source."""
    return MiningSource(text=str(path), path=path)


def read_sources(items: Iterable[str | Path]) -> list[MiningSource]:
    """Return the named sources, with list files expanded."""
    return [source for item in items for source in _expand_item(item)]


def _path_exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        return False  # not a valid path, e.g. too long


def _expand_item(item: str | Path) -> Iterator[MiningSource]:
    if isinstance(item, Path) or _path_exists(Path(item)):
        path = Path(item)
        if path.is_file() and not _is_archive(path):
            yield from _read_list(path)
        else:
            yield path_source(path)
        return
    yield parse_source(item)


def _is_archive(path: Path) -> bool:
    try:
        return zipfile.is_zipfile(path) or tarfile.is_tarfile(path)
    except (OSError, EOFError):
        return False


def _read_list(path: Path) -> list[MiningSource]:
    """Return the sources listed in a file, one per line; ``#`` and a space begin a comment."""
    unfit = f"{path.name} is neither a folder nor a zip or tar archive, nor a list of sources"
    try:
        lines = read_bytes(path.parent, path.name, LIST_LIMIT_BYTES).decode("utf-8-sig").splitlines()
    except (UnreadableError, UnicodeDecodeError):
        return [MiningSource(text=str(path), path=path, problem=f"{unfit}, so nothing was mined.")]
    sources: list[MiningSource] = []
    for number, line in enumerate(lines, start=1):
        text = f" {line} ".replace("\t", " ").partition(" # ")[0].strip()
        if not text:
            continue
        beside = path.parent / text
        source = path_source(beside) if _path_exists(beside) else parse_source(text)
        if source.path is not None and not _path_exists(source.path):
            source = MiningSource(text=text, problem=f"There is no folder or file {text[:100]}.")
        if source.problem and not sources:
            return [MiningSource(text=str(path), path=path, problem=f"{unfit} (line {number}), so nothing was mined.")]
        if source.problem:
            source = replace(source, problem=f"Line {number} of {path.name}: {source.problem}")
        sources.append(source)
    return list(dict.fromkeys(sources)) or [
        MiningSource(text=str(path), path=path, problem=f"{unfit}: it lists none. {_HINT}")
    ]


def parse_source(text: str) -> MiningSource:
    """Return the source that a text names; an invalid one has a ``problem``."""
    text = text.strip()
    try:
        return _parse(text)
    except BadInputError as error:
        return MiningSource(text=text, problem=error.message)


def _parse(text: str) -> MiningSource:
    if text.startswith("-") or not text.isprintable():
        raise BadInputError(f"{text!r} is not a source. {_HINT}")
    bare = text.removeprefix("git+")
    if "://" in bare:
        return _parse_address(text, bare)
    user, _, location = bare.partition("@")
    host, _, path = location.partition(":")
    if _is_plain(user) and _is_plain(host) and path:
        return _parse_address(text, f"ssh://{user}@{host}/{path.lstrip('/')}")
    name = text.translate(_COMPARISONS).partition("=")[0].strip()
    _, equals, version = text.partition("==")
    if equals and _is_plain(name) and set(text).isdisjoint("<>~,"):
        return _parse_package(text, name, version.strip())
    if _path_exists(Path(text)):
        return path_source(Path(text))
    local_path, _, revision = text.partition("#")[0].rpartition("@")
    if local_path and _path_exists(Path(local_path)):
        _, _, more = text.partition("#")
        return _with_revision(
            MiningSource(text=text, path=Path(local_path)), f"@{revision}" + (f"#{more}" if more else "")
        )
    if _is_plain(name) and not set(text).isdisjoint("<>~!="):
        raise BadInputError(f"{text} has no exact version. Write the package's name, == and the version.")
    host, slash, _ = text.partition("/")
    if slash and _is_plain(host) and host.rpartition(".")[2] in _WEB_DOMAINS:
        raise BadInputError(f"{text} is not a complete address. Write https:// before it.")
    if _is_plain(text, "_-"):
        raise BadInputError(
            f"There is no folder or file {text}. For a package, add its version, as in prettytable==3.10.0."
        )
    # Opening the source raises an error if the folder does not exist.
    return path_source(Path(text))


def _parse_address(text: str, bare: str) -> MiningSource:
    try:
        parts = urlsplit(bare)
        host = parts.hostname or ""
        _ = parts.port
    except ValueError:
        raise BadInputError(f"{text} is not a complete address. {_HINT}") from None
    if parts.scheme not in _SCHEMES:
        raise BadInputError(
            f"{text}: only https and ssh addresses are fetched, not {parts.scheme}. Use one of these, or clone it "
            "yourself and name the folder."
        )
    if parts.password:
        raise BadInputError("An address must not have a password. Use ssh, or clone it yourself and name the folder.")
    plain = all(_is_plain(part.lstrip("_")) for part in (host, parts.username or "git"))
    if not plain or not parts.path.strip("/"):
        raise BadInputError(f"{text} is not a complete address. {_HINT}")
    if parts.path.endswith((".zip", ".tar.gz", ".tgz", ".whl")):
        raise BadInputError(f"{text} is an archive. Download it and name the file, or name the repository's address.")
    path, revision = parts.path, ""
    repository, _, browsed = path.partition("/tree/")
    # The account may be called "tree".
    if browsed.strip("/") and repository.count("/") > 1:
        path = repository.removesuffix("/-")
        revision, _, folder = browsed.strip("/").partition("/")
        more = f"@{revision}" + (f"#subdirectory={folder}" if folder else "")
    else:
        path, mark, revision = path.partition("@")
        more = (f"@{revision}" if mark else "") + (f"#{parts.fragment}" if parts.fragment else "")
    address = f"{parts.scheme}://{parts.netloc}{path.rstrip('/')}"
    return _with_revision(MiningSource(text=text, kind="address", address=address), more)


def _with_revision(source: MiningSource, rest: str) -> MiningSource:
    """Return a source with the suffix of its address applied: ``@revision`` and ``#subdirectory=folder``."""
    revision, _, fragment = rest.partition("#")
    revision = revision.removeprefix("@")
    if (rest.startswith("@") and not revision) or (revision and not _is_revision(revision)):
        raise BadInputError(f"{source.text}: the text after @ is not a commit, tag, branch or date.")
    subfolder = parse_qs(fragment).get("subdirectory", [""])[0].strip("/") if fragment else ""
    if fragment and (
        not subfolder or any(part in ("", ".", "..") for part in subfolder.split("/")) or ":" in subfolder
    ):
        raise BadInputError(f"{source.text}: write #subdirectory= and a folder inside the repository.")
    return replace(source, revision=revision, subfolder=subfolder)


def _is_revision(text: str) -> bool:
    return _is_plain(text, "_./+-") and ".." not in text and not text.endswith((".lock", "/", "."))


def _is_plain(text: str, marks: str = "_.-") -> bool:
    """Return whether a text begins with a letter or digit and has only these and ``marks``."""
    return text[:1].isalnum() and all(letter.isalnum() or letter in marks for letter in text)


def _parse_package(text: str, name: str, version: str) -> MiningSource:
    try:
        Version(version)
        return MiningSource(text=text, kind="package", package=canonicalize_name(name, validate=True), revision=version)
    except (InvalidName, InvalidVersion):
        raise BadInputError(f"{text} is not a package and a version, such as prettytable==3.10.0.") from None
