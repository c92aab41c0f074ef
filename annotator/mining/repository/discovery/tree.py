"""Read the Python files of a repository that may be hostile: no link is followed, and everything has a limit."""

from __future__ import annotations

import io
import os
import stat
import tarfile
import tempfile
import tokenize
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from annotator.base.errors import BadInputError
from annotator.base.ids import is_hex
from annotator.base.open_files import is_project_name, refuse_project
from annotator.jobs.progress import Progress

MAX_FILE_BYTES = 1024 * 1024
MAX_FILES = 20_000
MAX_TOTAL_BYTES = 256 * 1024 * 1024
MAX_FOLDER_DEPTH = 48
_IGNORED = {"__pycache__", "node_modules", "site-packages", "CVS"}
_LINK_INSIDE = "a symbolic link to another place of the tree"


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A Python file: its path with ``/`` below the root, its text with ``\\n`` line ends."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class SkippedFile:
    """A path that was not read, and the reason."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RepositoryTree:
    """The contents read from a repository; ``others`` are the non-Python files with their sizes.

    ``links`` are the paths of symbolic links to files of the repository, each with the path of its file.
    """

    root: Path
    files: tuple[SourceFile, ...]
    others: tuple[tuple[str, int], ...]
    skipped: tuple[SkippedFile, ...]
    links: tuple[tuple[str, str], ...] = ()


class UnreadableError(ValueError):
    """A file that cannot be read as text, with the reason."""


def read_repository_tree(root: Path, progress: Progress | None = None) -> RepositoryTree:
    """Read every Python file below ``root``, in the order of their paths.

    Symbolic links are not followed (functions would occur twice), hidden folders and virtual environments are left out,
    files that are too large or not text are named in ``skipped``. Raises `BadInputError` if ``root`` is not a folder
    that can be listed.
    """
    if not root.is_dir():
        raise BadInputError(f"There is no folder {root.name}, so nothing was mined.")
    files: list[SourceFile] = []
    others: list[tuple[str, int]] = []
    skipped: list[SkippedFile] = []
    total = 0
    progress = progress or Progress()
    for path, size, problem in _list_files(root):
        progress.check()
        if problem:
            skipped.append(SkippedFile(path, problem))
        elif not path.endswith(".py"):
            others.append((path, size))
        elif len(files) >= MAX_FILES or total + size > MAX_TOTAL_BYTES:
            skipped.append(SkippedFile(path, "the repository has more Python code than is read"))
        else:
            try:
                files.append(SourceFile(path, read_text(root, path)))
                total += size
            except UnreadableError as error:
                skipped.append(SkippedFile(path, str(error)))
    base = root.resolve()
    links = [(item.path, (root / item.path).resolve()) for item in skipped if item.reason == _LINK_INSIDE]
    return RepositoryTree(
        root=root,
        files=tuple(files),
        others=tuple(others),
        skipped=tuple(skipped),
        links=tuple((path, target.relative_to(base).as_posix()) for path, target in links if target.is_file()),
    )


def _list_files(root: Path) -> list[tuple[str, int, str]]:
    """Return (path, size, reason not to read it or ""), sorted by path."""
    file_entries: list[tuple[str, int, str]] = []
    pending = [("", 0)]
    while pending:
        folder, depth = pending.pop()
        try:
            entries = sorted(os.scandir(root / folder), key=lambda entry: entry.name)
        except OSError as error:
            if not folder:
                raise BadInputError(f"The folder {root.name} cannot be listed ({error.strerror}).") from error
            file_entries.append((folder, 0, f"the folder cannot be listed ({error.strerror})"))
            continue
        if folder and any(entry.name == "pyvenv.cfg" for entry in entries):
            continue
        for entry in entries:
            path = f"{folder}/{entry.name}" if folder else entry.name
            if not _is_valid_name(path):
                file_entries.append((ascii(path), 0, "the name is not valid text"))
            elif entry.is_symlink():
                file_entries.append((path, 0, _link_reason(root, path)))
            elif entry.is_dir(follow_symlinks=False):
                if entry.name.startswith(".") or entry.name in _IGNORED:
                    continue
                if depth + 1 >= MAX_FOLDER_DEPTH:
                    file_entries.append((path, 0, f"folders are nested deeper than {MAX_FOLDER_DEPTH}"))
                else:
                    pending.append((path, depth + 1))
            else:
                file_entries.append(_describe_file(entry, path))
            if len(file_entries) > 10 * MAX_FILES:
                raise BadInputError(f"{root.name} has more than {10 * MAX_FILES} files; name a folder inside it.")
    return sorted(file_entries)


def _is_valid_name(path: str) -> bool:
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return "\n" not in path


def _link_reason(root: Path, path: str) -> str:
    try:
        inside = (root / path).resolve().is_relative_to(root.resolve())
    except (OSError, RuntimeError):
        return "a symbolic link that leads nowhere"
    return _LINK_INSIDE if inside else "a symbolic link out of the tree"


def _describe_file(entry: os.DirEntry[str], path: str) -> tuple[str, int, str]:
    try:
        status = entry.stat(follow_symlinks=False)
    except OSError as error:
        return path, 0, f"it cannot be read ({error.strerror})"
    if not stat.S_ISREG(status.st_mode):
        return path, 0, "not a regular file"
    if is_project_name(entry.name):
        return path, status.st_size, "a project of Annotator"
    if path.endswith(".py") and status.st_size > MAX_FILE_BYTES:
        size = status.st_size / 1024 / 1024
        return path, status.st_size, f"{size:.1f} MB of source; at most {MAX_FILE_BYTES // 1024**2} MB is read"
    return path, status.st_size, ""


def read_bytes(root: Path, path: str, limit: int) -> bytes:
    """Read a regular file below ``root`` without following a link at its end. Raises `UnreadableError`."""
    try:
        descriptor = os.open(root / path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise UnreadableError(f"it cannot be read ({error.strerror})") from error
    with os.fdopen(descriptor, "rb") as stream:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise UnreadableError("not a regular file")
        data = stream.read(limit + 1)
    if len(data) > limit:
        raise UnreadableError(f"it is larger than {limit // 1024} KB")
    return data


def read_text(root: Path, path: str, limit: int = MAX_FILE_BYTES) -> str:
    """Read a Python file in the encoding it declares. Raises `UnreadableError` with the reason."""
    data = read_bytes(root, path, limit)
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        raise UnreadableError(f"byte {error.start} is not valid {error.encoding}") from error
    except (SyntaxError, LookupError, ValueError) as error:
        raise UnreadableError(f"its encoding is not known ({error})") from error
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    if "\x00" in text:
        raise UnreadableError("it holds a null character")
    return text


def is_test_path(path: str) -> bool:
    """Return whether a file belongs to the tests by its name or by a folder above it."""
    *folders, name = path.lower().split("/")
    if name in ("conftest.py", "test.py", "tests.py") or name.startswith("test_") or name.endswith("_test.py"):
        return True
    return any(
        folder in ("test", "tests", "testsuite") or folder.startswith("test_") or folder.endswith(("_test", "_tests"))
        for folder in folders
    )


MAX_MEMBERS = 100_000
MAX_UNPACKED_BYTES = 1024 * 1024 * 1024
MAX_MEMBER_DEPTH = 60
_BLOCK_BYTES = 1 << 18
_ARCHIVE_ERRORS = (
    tarfile.TarError,
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    OSError,
)


@contextmanager
def open_repository(path: Path, progress: Progress | None = None) -> Iterator[Path]:
    """Open a repository's folder as a context manager: the folder itself, or an archive's unpacked content.

    Links, devices and names that lead out of the archive are left out. Raises `BadInputError` if
    the path is not a folder or archive, is damaged or exceeds a limit; `Cancelled` if cancelled.
    """
    if not path.is_file():
        yield path
        return
    refuse_project(path)
    with tempfile.TemporaryDirectory(prefix="annotator-repository-") as temporary:
        # If the archive has no single top-level folder, the repository is named after the archive.
        folder = Path(temporary) / _archive_name(path)
        folder.mkdir()
        unpack_archive(path, folder, progress or Progress())
        members = list(folder.iterdir())
        yield members[0] if len(members) == 1 and members[0].is_dir() else folder


def _archive_name(path: Path) -> str:
    name = path.name
    for ending in (".tar.gz", ".tar.bz2", ".tar.xz", ".tgz", ".zip", ".tar", ".whl"):
        name = name.removesuffix(ending)
    return name or "repository"


def unpack_archive(path: Path, folder: Path, progress: Progress) -> None:
    """Write the files of an archive into a folder; devices and paths that lead out of it are left out.

    Of links, those of a tar archive to its own files are kept. They are made last, so nothing is written through them.
    """
    quota = [MAX_UNPACKED_BYTES, MAX_MEMBERS]  # bytes and files left
    try:
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                for item in archive.infolist():
                    # The top 4 bits are the file type if the archive was made on Unix: 8 is a regular file, 10 a link.
                    if not item.is_dir() and (item.external_attr >> 28) in (0, 8):
                        with archive.open(item) as stream:
                            _write_member(folder, item.filename, stream, quota, progress)
        elif tarfile.is_tarfile(path):
            links: list[tuple[str, str]] = []
            with tarfile.open(path) as bundle:
                for member in bundle:
                    content = bundle.extractfile(member) if member.isfile() else None
                    if content is not None:
                        _write_member(folder, member.name, content, quota, progress)
                    elif member.issym() and len(links) < MAX_MEMBERS:
                        links.append((member.name, member.linkname))
            _write_links(folder, links)
        else:
            raise BadInputError(f"{path.name} is neither a folder nor a zip or tar archive, so nothing was mined.")
    except _ARCHIVE_ERRORS as error:
        raise BadInputError(f"{path.name} cannot be unpacked ({error}), so nothing was mined.") from error


def _write_member(folder: Path, name: str, stream: IO[bytes], quota: list[int], progress: Progress) -> None:
    progress.check()
    quota[1] -= 1
    if quota[1] < 0:
        raise BadInputError(f"The archive holds more than {MAX_MEMBERS:,} files, so nothing was mined.")
    target = _member_path(folder, name)
    if target is None:
        return
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        output = target.open("xb")
    except OSError:
        return  # the path exists already, or a file has the name of one of its folders
    with output:
        while block := stream.read(_BLOCK_BYTES):
            quota[0] -= len(block)
            if quota[0] < 0:
                raise BadInputError(
                    f"The archive holds more than {MAX_UNPACKED_BYTES // 1024**2} MB, so nothing was mined."
                )
            output.write(block)


def _member_path(folder: Path, name: str) -> Path | None:
    """Return the path of a member in the folder, None if its name is invalid or leads out of the folder."""
    parts = [part for part in name.replace("\\", "/").split("/") if part not in ("", ".")]
    if not parts or ".." in parts or len(parts) > MAX_MEMBER_DEPTH or name.startswith("/") or "\x00" in name:
        return None
    if not name.isprintable() or any(len(part.encode("utf-8", "surrogatepass")) > 250 for part in parts):
        return None
    return folder.joinpath(*parts)


def _write_links(folder: Path, links: Sequence[tuple[str, str]]) -> None:
    """Make the links to regular files that were written into the folder."""
    for name, target in links:
        path = _member_path(folder, name)
        if path is None or "\x00" in target:
            continue
        file = Path(os.path.normpath(path.parent / target))
        try:
            if file.is_relative_to(folder) and file.is_file() and not file.is_symlink():
                path.parent.mkdir(parents=True, exist_ok=True)
                path.symlink_to(os.path.relpath(file, path.parent))
        except OSError:
            continue  # its path exists already or is too long, or the system has no links


def archive_commit(path: Path) -> str:
    """Return the commit that ``git archive`` (also GitHub) records in an archive, empty if there is none."""
    comment = ""
    try:
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                comment = archive.comment.decode("ascii", "replace")
        elif path.is_file() and tarfile.is_tarfile(path):
            with tarfile.open(path) as bundle:
                bundle.next()
                comment = bundle.pax_headers.get("comment", "")
    except (OSError, EOFError, tarfile.TarError, zipfile.BadZipFile):
        return ""
    return comment if is_hex(comment, range(40, 65)) else ""
