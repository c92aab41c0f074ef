"""Open a mining source as a folder with its files, its history and facts about its origin."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from annotator.base.errors import BadInputError
from annotator.jobs.progress import Progress
from annotator.mining.repository.discovery.function_history import RepositoryHistory, open_history
from annotator.mining.repository.discovery.git_store import GitStore, borrow_objects, find_named_commit, is_bare, is_day
from annotator.mining.repository.discovery.repository_facts import RepositoryOrigin
from annotator.mining.repository.discovery.tree import (
    UnreadableError,
    archive_commit,
    is_test_path,
    open_repository,
    read_bytes,
    read_repository_tree,
    unpack_archive,
)
from annotator.mining.repository.fetching.clones import fetch_commit, list_remote_tags
from annotator.mining.repository.fetching.packages import PackageFile, PackageIndex, repository_address, tag_of
from annotator.mining.repository.fetching.source_names import MiningSource

_METADATA_LIMIT = 1024 * 1024


@dataclass(frozen=True, slots=True)
class OpenedSource:
    """A repository's files, its history if any, and its origin; ``note`` is a message for the user, mostly empty."""

    root: Path
    history: RepositoryHistory | None
    origin: RepositoryOrigin
    note: str = ""


@contextmanager
def open_source(
    source: MiningSource, progress: Progress | None = None, *, history: bool = True
) -> Iterator[OpenedSource]:
    """Open a source as a context manager; temporary files are removed at the end of the block.

    Without ``history`` only the commit itself is fetched from an address. Raises `BadInputError` if
    the source is invalid, unreachable or unreadable; `Cancelled` if cancelled.
    """
    if source.problem:
        raise BadInputError(source.problem)
    reporter = progress or Progress()
    with ExitStack() as stack:
        if source.kind == "address":
            opened = _open_address(source, stack, reporter, history=history)
        elif source.kind == "package":
            opened = _open_package(source, stack, reporter, history=history)
        else:
            opened = _open_path(source, stack, reporter)
        yield _enter_folder(opened, source.subfolder)


def _temporary_folder(stack: ExitStack) -> Path:
    return Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="annotator-source-")))


def _enter_folder(opened: OpenedSource, folder: str) -> OpenedSource:
    if not folder:
        return opened
    root = opened.root / folder
    if not root.is_dir() or not root.resolve().is_relative_to(opened.root.resolve()):
        raise BadInputError(f"There is no folder {folder} in the repository, so nothing was mined.")
    history = opened.history
    if history is not None:
        prefix = f"{history.prefix}/{folder}" if history.prefix else folder
        history = RepositoryHistory(history.store, history.revision, prefix)
    return OpenedSource(root, history, opened.origin, opened.note)


# -- folders and archives ---------------------------------------------------------------------------------------------


def _open_path(source: MiningSource, stack: ExitStack, progress: Progress) -> OpenedSource:
    assert source.path is not None
    path = source.path
    if path.is_dir() and (source.revision or (is_bare(path) and not (path / ".git").exists())):
        return _open_commit(source, path, stack, progress)
    if source.revision:
        raise BadInputError(f"{path.name} is not a git repository, so it has no {source.revision}.")
    root = stack.enter_context(open_repository(path, progress))
    own_history = stack.enter_context(open_history(root)) if path.is_dir() else None
    return OpenedSource(root, own_history, RepositoryOrigin(revision=archive_commit(path)))


def _open_commit(source: MiningSource, path: Path, stack: ExitStack, progress: Progress) -> OpenedSource:
    """Open a commit of a local repository, reading only its git objects."""
    borrowed = stack.enter_context(borrow_objects(path))
    commit = (
        find_named_commit(path, source.revision) if source.revision else (borrowed[1] if borrowed is not None else "")
    )
    if borrowed is not None and not commit and is_day(source.revision):
        commit = borrowed[0].last_of_day(source.revision, borrowed[1])
        if not commit:
            raise BadInputError(f"{path.name} has no commit from {source.revision} or before.")
    if borrowed is None or not commit:
        revision = source.revision or "commit"
        raise BadInputError(
            f"{path.name} has no {revision}, so nothing was mined. Name a commit, tag, branch or date of it."
        )
    name = (path.resolve().name if path.name != ".git" else path.resolve().parent.name).removesuffix(".git")
    root = _check_out(borrowed[0], commit, name, stack, progress)
    return OpenedSource(root, RepositoryHistory(borrowed[0], commit), RepositoryOrigin())


def _check_out(store: GitStore, commit: str, name: str, stack: ExitStack, progress: Progress) -> Path:
    """Write a commit's files into a new folder called ``name``; links and submodules are left out."""
    temporary = _temporary_folder(stack)
    archive, root = temporary / "files.tar", temporary / "files" / (name or "repository")
    root.mkdir(parents=True)
    progress.report(0, 0, f"{name}: checking out {commit[:12]}")
    if not store.write_archive(commit, "", archive):
        raise BadInputError(f"The files of {name} at {commit[:12]} could not be checked out, so nothing was mined.")
    unpack_archive(archive, root, progress)
    archive.unlink()
    return root


# -- addresses --------------------------------------------------------------------------------------------------------


def _open_address(source: MiningSource, stack: ExitStack, progress: Progress, *, history: bool) -> OpenedSource:
    clone = fetch_commit(source.address, source.revision, _temporary_folder(stack), progress, history=history)
    root = _check_out(clone.store, clone.commit, source.folder_name, stack, progress)
    note = "its history was not fetched, so the dates of its functions are unknown" if clone.is_shallow else ""
    return OpenedSource(
        root, RepositoryHistory(clone.store, clone.commit), RepositoryOrigin(address=source.address), note
    )


# -- packages ---------------------------------------------------------------------------------------------------------


def _open_package(source: MiningSource, stack: ExitStack, progress: Progress, *, history: bool) -> OpenedSource:
    """Open a package's sdist; if it has no tests, its repository at the version's tag."""
    index = PackageIndex()
    progress.report(0, 0, f"looking for {source.name}")
    files = index.files(source.package, source.revision)
    file = files[0]
    path = index.download(file, _temporary_folder(stack), progress)
    root = stack.enter_context(open_repository(path, progress))
    origin = RepositoryOrigin(f"{index.address}/{source.package}/", source.revision, file.published)
    if file.is_sdist and _has_tests(root, progress):
        return OpenedSource(root, None, origin)
    return _open_package_repository(source, file, _read_metadata(root), stack, progress, history=history)


def _has_tests(root: Path, progress: Progress) -> bool:
    return any(is_test_path(file.path) and "assert" in file.text for file in read_repository_tree(root, progress).files)


def _read_metadata(root: Path) -> str:
    """Return the metadata of an sdist or a wheel, empty if there is none."""
    names = ["PKG-INFO", *(f"{path.name}/METADATA" for path in sorted(root.glob("*.dist-info")))]
    for name in names:
        try:
            return read_bytes(root, name, _METADATA_LIMIT).decode("utf-8", "replace")
        except UnreadableError:
            continue
    return ""


def _open_package_repository(
    source: MiningSource, file: PackageFile, metadata: str, stack: ExitStack, progress: Progress, *, history: bool
) -> OpenedSource:
    kind = "source distribution" if file.is_sdist else "wheel"
    address = repository_address(metadata)
    if not address:
        raise BadInputError(
            f"The {kind} of {source.name} has no tests, and its metadata names no repository. Name the repository's "
            "address, or a clone of it."
        )
    try:
        tag = tag_of(source.revision, source.package, list_remote_tags(address))
        if not tag:
            raise BadInputError(f"It has no tag for version {source.revision}.")
        clone = MiningSource(text=source.text, kind="address", address=address, revision=tag)
        opened = _open_address(clone, stack, progress, history=history)
    except BadInputError as error:
        raise BadInputError(
            f"The {kind} of {source.name} has no tests, and its repository could not be used: {error.message}"
        ) from error
    note = f"its {kind} has no tests, so its repository was used at {tag}"
    origin = RepositoryOrigin(address, "", file.published)
    return OpenedSource(opened.root, opened.history, origin, "; ".join(filter(None, (note, opened.note))))
