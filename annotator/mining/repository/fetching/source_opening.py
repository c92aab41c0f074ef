"""Open a source: a context manager over a folder with its files, with facts about their origin."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from annotator.base.errors import BadInputError
from annotator.jobs.progress import Progress
from annotator.mining.repository.discovery.function_history import RepositoryHistory, open_history
from annotator.mining.repository.discovery.git_store import DAY, GitStore, borrow_objects, is_bare, named_commits
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
from annotator.mining.repository.fetching.clones import fetch_commit, tags_at
from annotator.mining.repository.fetching.packages import PackageFile, PackageIndex, repository_address, tag_of
from annotator.mining.repository.fetching.source_names import MiningSource

_METADATA_LIMIT = 1024 * 1024


@dataclass(frozen=True, slots=True)
class OpenedSource:
    """A repository's files, its history where there is one, and where it came from; ``note`` says what is missing."""

    root: Path
    history: RepositoryHistory | None
    origin: RepositoryOrigin
    note: str = ""


@contextmanager
def open_source(
    source: MiningSource, progress: Progress | None = None, *, history: bool = True
) -> Iterator[OpenedSource]:
    """Open a source as a context manager; temporary files are removed at the end of the block.

    Without ``history`` only the commit itself is fetched from an address. Raises `BadInputError` with a sentence for
    what cannot be meant, reached or read; `Cancelled` when asked to stop.
    """
    if source.problem:
        raise BadInputError(source.problem)
    progress_shown = progress or Progress()
    with ExitStack() as stack:
        if source.kind == "address":
            opened = _open_address(source, stack, progress_shown, history=history)
        elif source.kind == "package":
            opened = _open_package(source, stack, progress_shown, history=history)
        else:
            opened = _open_path(source, stack, progress_shown)
        yield _enter_folder(opened, source.subfolder)


def _temporary_folder(stack: ExitStack) -> Path:
    return Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="annotator-source-")))


def _enter_folder(opened: OpenedSource, folder: str) -> OpenedSource:
    if not folder:
        return opened
    root = opened.root / folder
    if not root.is_dir() or not root.resolve().is_relative_to(opened.root.resolve()):
        raise BadInputError(f"There is no folder {folder} in it, so nothing was mined.")
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
        raise BadInputError(f"{path.name} is no repository, so it has no {source.revision}.")
    root = stack.enter_context(open_repository(path, progress))
    own_history = stack.enter_context(open_history(root)) if path.is_dir() else None
    return OpenedSource(root, own_history, RepositoryOrigin(revision=archive_commit(path)))


def _open_commit(source: MiningSource, path: Path, stack: ExitStack, progress: Progress) -> OpenedSource:
    """Open a commit of a repository of this machine, from its objects alone."""
    borrowed = stack.enter_context(borrow_objects(path))
    commit = named_commits(path, source.revision) if source.revision else (borrowed[1] if borrowed is not None else "")
    if borrowed is not None and not commit and DAY.match(source.revision):
        commit = borrowed[0].last_of_day(source.revision, borrowed[1])
        if not commit:
            raise BadInputError(f"{path.name} has no commit from {source.revision} or before.")
    if borrowed is None or not commit:
        revision = source.revision or "commit"
        raise BadInputError(
            f"{path.name} has no {revision}, so nothing was mined. Name a commit, tag, branch or date of it."
        )
    name = (path.resolve().name if path.name != ".git" else path.resolve().parent.name).removesuffix(".git")
    root = _lay_out(borrowed[0], commit, name, stack, progress)
    return OpenedSource(root, RepositoryHistory(borrowed[0], commit), RepositoryOrigin())


def _lay_out(store: GitStore, commit: str, name: str, stack: ExitStack, progress: Progress) -> Path:
    """Write a commit's files into a folder of that name; links and submodules are left out."""
    place = _temporary_folder(stack)
    bundle, root = place / "files.tar", place / "files" / (name or "repository")
    root.mkdir(parents=True)
    progress.report(0, 0, f"{name}: laying out {commit[:12]}")
    if not store.write_archive(commit, "", bundle):
        raise BadInputError(f"The files of {name} at {commit[:12]} could not be laid out, so nothing was mined.")
    unpack_archive(bundle, root, progress)
    bundle.unlink()
    return root


# -- addresses --------------------------------------------------------------------------------------------------------


def _open_address(source: MiningSource, stack: ExitStack, progress: Progress, *, history: bool) -> OpenedSource:
    clone = fetch_commit(source.address, source.revision, _temporary_folder(stack), progress, history=history)
    root = _lay_out(clone.store, clone.commit, source.folder_name, stack, progress)
    note = "its history was not fetched, so when functions were written is not known" if clone.cut_off else ""
    return OpenedSource(
        root, RepositoryHistory(clone.store, clone.commit), RepositoryOrigin(address=source.address), note
    )


# -- packages ---------------------------------------------------------------------------------------------------------


def _open_package(source: MiningSource, stack: ExitStack, progress: Progress, *, history: bool) -> OpenedSource:
    """Open a package's sdist; if it holds no tests, its repository at the version's tag."""
    index = PackageIndex()
    progress.report(0, 0, f"looking for {source.name}")
    files = index.files(source.package, source.revision)
    file = files[0]
    path = index.download(file, _temporary_folder(stack), progress)
    root = stack.enter_context(open_repository(path, progress))
    origin = RepositoryOrigin(f"{index.address}/{source.package}/", source.revision, file.published)
    if file.is_sdist and _has_tests(root, progress):
        return OpenedSource(root, None, origin)
    return _open_its_repository(source, file, _read_metadata(root), stack, progress, history=history)


def _has_tests(root: Path, progress: Progress) -> bool:
    return any(is_test_path(file.path) and "assert" in file.text for file in read_repository_tree(root, progress).files)


def _read_metadata(root: Path) -> str:
    """Return the metadata of an sdist or of a wheel, empty if there are none."""
    names = ["PKG-INFO", *(f"{path.name}/METADATA" for path in sorted(root.glob("*.dist-info")))]
    for name in names:
        try:
            return read_bytes(root, name, _METADATA_LIMIT).decode("utf-8", "replace")
        except UnreadableError:
            continue
    return ""


def _open_its_repository(
    source: MiningSource, file: PackageFile, metadata: str, stack: ExitStack, progress: Progress, *, history: bool
) -> OpenedSource:
    kind = "source distribution" if file.is_sdist else "wheel"
    address = repository_address(metadata)
    if not address:
        raise BadInputError(
            f"The {kind} of {source.name} holds no tests, and its metadata name no repository. Name the repository's "
            "address, or a clone of it."
        )
    try:
        tag = tag_of(source.revision, source.package, tags_at(address))
        if not tag:
            raise BadInputError(f"It has no tag of version {source.revision}.")
        clone = MiningSource(text=source.text, kind="address", address=address, revision=tag)
        opened = _open_address(clone, stack, progress, history=history)
    except BadInputError as error:
        raise BadInputError(
            f"The {kind} of {source.name} holds no tests, and its repository could not be taken: {error.message}"
        ) from error
    note = f"its {kind} holds no tests, so its repository was taken at {tag}"
    origin = RepositoryOrigin(address, "", file.published)
    return OpenedSource(opened.root, opened.history, origin, "; ".join(filter(None, (note, opened.note))))
