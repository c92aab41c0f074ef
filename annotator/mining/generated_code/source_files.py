"""Read the source files in folders, archives or single files; none is executed, no link is followed."""

from __future__ import annotations

import configparser
import csv
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from annotator.base.errors import BadInputError, MissingEnvironmentError
from annotator.base.ids import is_hex
from annotator.base.open_files import refuse_project
from annotator.mining import licences
from annotator.mining.generated_code.code_languages import language_of
from annotator.mining.repository.discovery.tree import archive_commit

MAX_FILE_BYTES = 2 * 1024 * 1024
_COMMIT_LENGTHS = (40, 64)


@dataclass(frozen=True, slots=True)
class CodeTree:
    """One clone, archive or file: its name, origin and commit ("" if unknown)."""

    name: str
    origin: str
    commit: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeFile:
    """A file in a supported language: its path in the tree, its bytes, and the licence that applies to it."""

    tree: CodeTree
    path: str
    language: str
    data: bytes
    licence: str


@dataclass(frozen=True, slots=True)
class SkippedCodeFile:
    """A file that was not read, and why."""

    path: str
    reason: str


_Member = tuple[str, int, Callable[[], bytes]]


def source_files(path: Path) -> Iterator[CodeFile | SkippedCodeFile]:
    """Yield the source files of a folder, a zip or tar archive, or a single file.

    Raises `BadInputError` for a missing path or a damaged archive.
    """
    if not path.exists():
        raise BadInputError(f"There is no file or folder {path.name}.")
    refuse_project(path)
    try:
        tree = CodeTree(path.name, *_origin_and_commit(path))
        licences_by_path = _licences_by_path(path)
        for name, size, read in _members(path):
            language = language_of(name)
            if not language:
                continue
            if size > MAX_FILE_BYTES:
                yield SkippedCodeFile(name, f"larger than {MAX_FILE_BYTES >> 20} MB")
                continue
            yield CodeFile(
                tree=tree, path=name, language=language, data=read(), licence=_nearest_licence(name, licences_by_path)
            )
    except (tarfile.TarError, zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise BadInputError(f"{path.name} is damaged ({error}).") from error
    except OSError as error:
        if error.errno is None:
            raise BadInputError(f"{path.name} is damaged ({error}).") from error
        raise MissingEnvironmentError(f"{path.name} cannot be read ({error.strerror}).") from error


def _members(path: Path) -> Iterator[_Member]:
    if path.is_dir():
        yield from _folder_members(path)
    elif zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            for info in archive.infolist():
                if not info.is_dir():
                    yield info.filename, info.file_size, lambda info=info: _read_bounded(archive.open(info))  # type: ignore[misc]
    elif tarfile.is_tarfile(path):
        with tarfile.open(path) as bundle:
            for item in bundle:
                if item.isreg():
                    yield item.name, item.size, lambda item=item: _read_bounded(bundle.extractfile(item))  # type: ignore[misc]
    else:
        yield path.name, path.stat().st_size, path.read_bytes


def _read_bounded(stream: object) -> bytes:
    with stream as inner:  # type: ignore[attr-defined]  # what archives open
        data: bytes = inner.read(MAX_FILE_BYTES + 1)
    return data[:MAX_FILE_BYTES]


def _folder_members(path: Path) -> Iterator[_Member]:
    pending = [path]
    while pending:
        items = sorted(item for item in pending.pop().iterdir() if not item.is_symlink() and item.name != ".git")
        pending.extend(item for item in reversed(items) if item.is_dir())
        for item in items:
            if item.is_file():
                yield item.relative_to(path).as_posix(), item.stat().st_size, item.read_bytes


def _licences_by_path(path: Path) -> dict[str, str]:
    """Return licences by the path of the folder or file they apply to; licence files override package metadata.

    A wheel's licence is in NAME.dist-info, next to its code; RECORD in that folder lists the files it applies to.
    """
    licences_by_path: dict[str, str] = {}
    stated: dict[str, str] = {}
    records: dict[str, tuple[str, ...]] = {}
    for name, size, read in _members(path):
        pure = PurePosixPath(name)
        if size > MAX_FILE_BYTES or language_of(name):
            continue
        if licences.is_licence_file(pure.name):
            folder = str(_dist_info(pure) or pure.parent)
            licence = licences.recognise_licence(_text(read))
            if licence or folder not in licences_by_path:
                licences_by_path[folder] = licence
        elif pure.name == "package.json":
            stated[str(pure.parent)] = licences.licence_of_package_json(_text(read))
        elif pure.name == "PKG-INFO" or (pure.name == "METADATA" and _dist_info(pure)):
            stated[str(pure.parent)] = licences.licence_of_metadata(_text(read))
        elif pure.name == "RECORD" and pure.parent.name.endswith(_DIST_INFO):
            records[str(pure.parent)] = _record_files(pure.parent.parent, _text(read))
    licences_by_path.update(
        {folder: licence for folder, licence in stated.items() if licence and not licences_by_path.get(folder)}
    )
    _add_wheel_licences(licences_by_path, records)
    return licences_by_path


def _add_wheel_licences(licences_by_path: dict[str, str], records: dict[str, tuple[str, ...]]) -> None:
    """Add the licences of the files that wheels list; a single wheel without a list applies to the whole folder."""
    infos = [PurePosixPath(folder) for folder in licences_by_path if folder.endswith(_DIST_INFO)]
    for info in infos:
        licence, names = licences_by_path[str(info)], records.get(str(info))
        if names is not None:
            licences_by_path.update(dict.fromkeys(names, licence))
        elif sum(other.parent == info.parent for other in infos) == 1:
            licences_by_path.setdefault(str(info.parent), licence)


_DIST_INFO = ".dist-info"


def _text(read: Callable[[], bytes]) -> str:
    return read().decode("utf-8", "replace")


def _dist_info(name: PurePosixPath) -> PurePosixPath | None:
    return next((folder for folder in name.parents if folder.name.endswith(_DIST_INFO)), None)


def _record_files(root: PurePosixPath, text: str) -> tuple[str, ...]:
    return tuple(str(root / row[0]) for row in csv.reader(text.splitlines()) if row and language_of(row[0]))


def _nearest_licence(name: str, licences_by_path: dict[str, str]) -> str:
    pure = PurePosixPath(name)
    return next(
        (licences_by_path[str(folder)] for folder in (pure, *pure.parents) if str(folder) in licences_by_path), ""
    )


def _origin_and_commit(path: Path) -> tuple[str, str]:
    """Return the origin and commit of a clone or archive."""
    if path.is_dir():
        return _origin(path / ".git" / "config"), _commit(path / ".git")
    return "", archive_commit(path)


def _commit(git: Path) -> str:
    try:
        head = (git / "HEAD").read_text(encoding="utf-8").strip()
        if not head.startswith("ref: "):
            return head if is_hex(head, _COMMIT_LENGTHS) else ""
        name = head.removeprefix("ref: ")
        if ".." in name.split("/") or name.startswith("/"):
            return ""
        loose = git / name
        if loose.is_file():
            text = loose.read_text(encoding="utf-8").strip()
            return text if is_hex(text, _COMMIT_LENGTHS) else ""
        for line in (git / "packed-refs").read_text(encoding="utf-8").splitlines():
            digest, _, ref = line.partition(" ")
            if ref == name and is_hex(digest, _COMMIT_LENGTHS):
                return digest
    except (OSError, UnicodeDecodeError):
        return ""
    return ""


def _origin(config: Path) -> str:
    """Return the address of a clone's origin, without user and password."""
    parser = configparser.RawConfigParser(strict=False)
    try:
        parser.read_string(config.read_text(encoding="utf-8"))
        scheme, mark, rest = parser.get('remote "origin"', "url", fallback="").partition("://")
        host, slash, path = rest.partition("/")
        return f"{scheme}{mark}{host.rpartition('@')[2]}{slash}{path}"
    except (OSError, UnicodeDecodeError, configparser.Error):
        return ""
