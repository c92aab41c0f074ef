"""The contents of repositories that items are run in: kept on this machine under their digest, outside any project.

An item names the digest of its repository. Mining keeps the files; elsewhere they are taken from a folder or a source
archive of the same version, and what is not the same is refused.
"""

from __future__ import annotations

import hashlib
import re
import tarfile
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from annotator.base.errors import BadInputError, MissingEnvironmentError
from annotator.base.paths import data_dir
from annotator.evaluation.repository_tests import pack_files
from annotator.jobs.progress import Progress
from annotator.mining.repository.confirmation.built_files import files_of_wheel
from annotator.mining.repository.confirmation.confirm import repository_files
from annotator.mining.repository.confirmation.environment import own_metadata, wheel_folder
from annotator.mining.repository.discovery.tree import open_repository, read_tree
from annotator.store.file.project_file import ProjectFile
from annotator.store.queue import subjects

SIZE_LIMIT = 96 * 1024 * 1024
_DIGEST = re.compile(r"[0-9a-f]{24}")


@dataclass(frozen=True, slots=True)
class RepositoryStatus:
    """A repository's content, how many items of a project are run in it, and whether it is kept here."""

    digest: str
    items: int
    ready: bool


def folder() -> Path:
    """Return where contents are kept."""
    return data_dir() / "repositories"


def digest_of(files: Mapping[str, bytes]) -> str:
    """Return what a content is named by: paths and bytes of all files."""
    found = hashlib.sha256()
    for name, data in sorted(files.items()):
        found.update(name.encode("utf-8", "surrogatepass") + b"\0" + hashlib.sha256(data).digest())
    return found.hexdigest()[:24]


def keep(files: Mapping[str, bytes]) -> str:
    """Keep a content, once; returns its digest. Raises `MissingEnvironmentError` if it cannot be written."""
    digest = digest_of(files)
    path = _path(digest)
    if path.is_file():
        return digest
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix="keeping-", delete=False) as stream:
            stream.write(pack_files(files))
        Path(stream.name).replace(path)
    except OSError as error:
        raise MissingEnvironmentError(f"The repository could not be kept ({error.strerror}).") from error
    return digest


def load(digest: str) -> dict[str, bytes]:
    """Return a content's files.

    Raises `MissingEnvironmentError` where it is not kept here, or is not what its name says any more.
    """
    path = _path(digest) if _DIGEST.fullmatch(digest) else None
    if path is None or not path.is_file():
        raise MissingEnvironmentError(not_kept(digest))
    files: dict[str, bytes] = {}
    try:
        with tarfile.open(path, mode="r:xz") as archive:
            total = 0
            for member in archive:
                stream = archive.extractfile(member) if member.isreg() else None
                total += member.size
                if stream is None or total > SIZE_LIMIT:
                    break
                files[member.name] = stream.read()
    except (OSError, tarfile.TarError, EOFError):
        files = {}
    if digest_of(files) != digest:
        raise MissingEnvironmentError(
            f"The files kept of repository {digest[:8]} are damaged. Remove {path.name} from {path.parent.name} in the "
            "data folder, then take the repository again."
        )
    return files


def not_kept(digest: str) -> str:
    """Say how to get a repository that is not here."""
    return (
        f"The repository that this item is run in ({digest[:8]}) is not kept here. Run: annotator sandbox repositories "
        "PROJECT --from FOLDER, with the same version of it"
    )


def of_project(store: ProjectFile) -> tuple[tuple[str, int], ...]:
    """Return the digests that a project's items are run in, each with how many, the most frequent first."""
    with store.read() as db:
        found = Counter(
            str(told["digest"])
            for told in subjects.extras(db, "repositoryplace")
            if isinstance(told, Mapping) and "digest" in told
        )
    return tuple(sorted(found.items(), key=lambda item: (-item[1], item[0])))


def wheels_of(store: ProjectFile) -> tuple[str, ...]:
    """Return the wheels whose files a project's repositories were completed with, as ``name==version``."""
    with store.read() as db:
        told = (each.get("wheel") for each in subjects.extras(db, "repositoryplace") if isinstance(each, Mapping))
        return tuple(sorted({each for each in told if isinstance(each, str) and each}))


def status(wanted: Sequence[tuple[str, int]]) -> tuple[RepositoryStatus, ...]:
    """Say which contents are kept here."""
    return tuple(
        RepositoryStatus(digest, items, bool(_DIGEST.fullmatch(digest)) and _path(digest).is_file())
        for digest, items in wanted
    )


def take(
    paths: Iterable[Path],
    wanted: Sequence[tuple[str, int]],
    progress: Progress | None = None,
    wheels: Iterable[str] = (),
) -> tuple[str, ...]:
    """Keep those contents of folders or source archives that items are run in; returns their digests.

    ``wheels`` are those whose built files items need (`wheels_of`). Raises `BadInputError` naming the first path whose
    content no item is run in: another version, most likely.
    """
    work = progress or Progress()
    digests = {digest for digest, _ in wanted}
    taken: list[str] = []
    for path in paths:
        with open_repository(path, work) as root:
            found = [contents(root, work), *(contents(root, work, wheel) for wheel in wheels)]
        named = {digest_of(files): files for files in found}
        fitting = [files for digest, files in named.items() if digest in digests]
        if not fitting:
            raise BadInputError(
                f"No item is run in {path.name} as it is ({next(iter(named))[:8]}). Take the version that was mined; "
                "nothing of it was kept."
            )
        taken += map(keep, fitting)
    return tuple(taken)


def contents(root: Path, progress: Progress | None = None, wheel: str = "") -> dict[str, bytes]:
    """Return the files of a repository that its tests find, with the metadata that makes it known as installed.

    With a ``wheel`` (``name==version``), its built files are among them. Raises `BadInputError` if the folder cannot be
    read, `MissingEnvironmentError` if the wheel is not to be had.
    """
    tree = read_tree(root, progress)
    built: dict[str, bytes] = {}
    if wheel:
        found = wheel_folder(wheel, "", data_dir() / "environments")
        if found is None:
            raise MissingEnvironmentError(f"The wheel {wheel} could not be fetched. Check the connection.")
        built = files_of_wheel(found[0], tree)
    return {**repository_files(tree, root), **built, **own_metadata(root)}


def _path(digest: str) -> Path:
    return folder() / f"{digest}.tar.xz"
