"""Snapshots of the repositories that items run in, stored on this machine by digest and outside any project.

An item contains the digest of its repository. Mining stores the snapshot; on another machine it is made from a folder
or source archive of the same version, and rejected if the digest differs.
"""

from __future__ import annotations

import hashlib
import tarfile
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from annotator.base.errors import BadInputError, MissingEnvironmentError
from annotator.base.ids import is_hex
from annotator.base.paths import data_dir
from annotator.evaluation.answer_scoring import ScoredResponse, ScoreJob, score_no_answer, unscorable, with_how
from annotator.evaluation.proof import ScoredJudge
from annotator.evaluation.repository_tests import (
    body_of_answer,
    make_job,
    pack_files,
    read_repository_place,
    score_result,
)
from annotator.jobs.progress import Progress
from annotator.mining.repository.confirmation.built_files import files_of_wheel
from annotator.mining.repository.confirmation.confirm import repository_files
from annotator.mining.repository.confirmation.environment import own_metadata, wheel_folder
from annotator.mining.repository.discovery.tree import open_repository, read_repository_tree
from annotator.sandbox import Job, Runner
from annotator.store.file.project_file import ProjectFile
from annotator.store.queue import stored_subjects

MAX_SNAPSHOT_BYTES = 96 * 1024 * 1024
_DIGEST_LENGTHS = (24,)


@dataclass(frozen=True, slots=True)
class RepositoryStatus:
    """A repository's digest, the number of items that run in it, and whether its snapshot is on this machine."""

    digest: str
    items: int
    ready: bool


def snapshots_folder() -> Path:
    """Return the folder of the snapshots."""
    return data_dir() / "repositories"


def snapshot_digest(files: Mapping[str, bytes]) -> str:
    """Return the digest of a snapshot: the first 24 hex digits of a SHA-256 over paths and contents of all files."""
    digest = hashlib.sha256()
    for name, data in sorted(files.items()):
        digest.update(name.encode("utf-8", "surrogatepass") + b"\0" + hashlib.sha256(data).digest())
    return digest.hexdigest()[:24]


def save_snapshot(files: Mapping[str, bytes]) -> str:
    """Store a snapshot unless it exists; return its digest. Raises `MissingEnvironmentError` if writing fails."""
    digest = snapshot_digest(files)
    path = _find_snapshot_path(digest)
    if path.is_file():
        return digest
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix="keeping-", delete=False) as stream:
            stream.write(pack_files(files))
        Path(stream.name).replace(path)
    except OSError as error:
        raise MissingEnvironmentError(
            f"The snapshot of the repository could not be saved ({error.strerror})."
        ) from error
    return digest


def load_snapshot(digest: str) -> dict[str, bytes]:
    """Return the files of a snapshot by path.

    Raises `MissingEnvironmentError` if it is not on this machine or no longer matches its digest.
    """
    path = _find_snapshot_path(digest) if is_hex(digest, _DIGEST_LENGTHS) else None
    if path is None or not path.is_file():
        raise MissingEnvironmentError(missing_snapshot_message(digest))
    files: dict[str, bytes] = {}
    try:
        with tarfile.open(path, mode="r:xz") as archive:
            total = 0
            for member in archive:
                stream = archive.extractfile(member) if member.isreg() else None
                total += member.size
                if stream is None or total > MAX_SNAPSHOT_BYTES:
                    break
                files[member.name] = stream.read()
    except (OSError, tarfile.TarError, EOFError):
        files = {}
    if snapshot_digest(files) != digest:
        raise MissingEnvironmentError(
            f"The snapshot of repository {digest[:8]} is damaged. Delete {path.name} in the folder {path.parent.name} "
            "of the data folder, then add the repository again."
        )
    return files


def missing_snapshot_message(digest: str) -> str:
    """Return the message about a missing snapshot, with the command that fetches it."""
    return (
        f"There is no snapshot of the repository that this item is run in ({digest[:8]}). Run: annotator sandbox "
        "repositories PROJECT --from FOLDER, with the same version of it"
    )


def count_items_by_repository(store: ProjectFile) -> tuple[tuple[str, int], ...]:
    """Count a project's items by the digest of their repository, the most frequent first."""
    with store.read() as db:
        counts = Counter(
            str(place["digest"])
            for place in stored_subjects.fetch_extras(db, "repositoryplace")
            if isinstance(place, Mapping) and "digest" in place
        )
    return tuple(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def wheels_of(store: ProjectFile) -> tuple[str, ...]:
    """Return the wheels that supplied built files to a project's repositories, as ``name==version``."""
    with store.read() as db:
        wheels = (
            place.get("wheel")
            for place in stored_subjects.fetch_extras(db, "repositoryplace")
            if isinstance(place, Mapping)
        )
        return tuple(sorted({place for place in wheels if isinstance(place, str) and place}))


def snapshot_status(digest_counts: Sequence[tuple[str, int]]) -> tuple[RepositoryStatus, ...]:
    """Return which snapshots are on this machine."""
    return tuple(
        RepositoryStatus(digest, items, is_hex(digest, _DIGEST_LENGTHS) and _find_snapshot_path(digest).is_file())
        for digest, items in digest_counts
    )


def take_snapshots(
    paths: Iterable[Path],
    digest_counts: Sequence[tuple[str, int]],
    progress: Progress | None = None,
    wheels: Iterable[str] = (),
) -> tuple[str, ...]:
    """Store the snapshots that items need from folders or source archives; return their digests.

    ``wheels`` supply built files that items need (`wheels_of`). Raises `BadInputError` for the first path in which
    no item runs, which is probably another version.
    """
    work = progress or Progress()
    digests = {digest for digest, _ in digest_counts}
    saved_digests: list[str] = []
    for path in paths:
        with open_repository(path, work) as root:
            candidates = [
                read_snapshot_files(root, work),
                *(read_snapshot_files(root, work, wheel) for wheel in wheels),
            ]
        by_digest = {snapshot_digest(files): files for files in candidates}
        needed_snapshots = [files for digest, files in by_digest.items() if digest in digests]
        if not needed_snapshots:
            raise BadInputError(
                f"No item runs in this version of {path.name} ({next(iter(by_digest))[:8]}), so it was not saved. Give "
                "the version that was mined."
            )
        saved_digests += map(save_snapshot, needed_snapshots)
    return tuple(saved_digests)


def read_snapshot_files(root: Path, progress: Progress | None = None, wheel: str = "") -> dict[str, bytes]:
    """Return the files of a repository that its tests need, with the metadata of an installed package.

    With a ``wheel`` (``name==version``), its built files are included. Raises `BadInputError` if the folder cannot be
    read, `MissingEnvironmentError` if the wheel is not available.
    """
    tree = read_repository_tree(root, progress)
    built_files: dict[str, bytes] = {}
    if wheel:
        unpacked = wheel_folder(wheel, "", data_dir() / "environments")
        if unpacked is None:
            raise MissingEnvironmentError(f"The wheel {wheel} could not be fetched. Check the connection.")
        built_files = files_of_wheel(unpacked[0], tree)
    return {**repository_files(tree, root), **built_files, **own_metadata(root)}


def _find_snapshot_path(digest: str) -> Path:
    return snapshots_folder() / f"{digest}.tar.xz"


def grade_in_place(job: ScoreJob, sandbox: Runner | None) -> ScoredResponse:
    """Score an answer by its repository's own tests. Without a snapshot or sandbox it stays unscored."""
    try:
        place = read_repository_place(job.item)
        body = body_of_answer(job, place)
        if not body.code.strip():
            return score_no_answer(body.outcome or "empty", body.how)
        if sandbox is None:
            return unscorable("The item's tests need the sandbox, which is not available; see annotator doctor.")
        question = make_job(job.item, place, load_snapshot(place.digest), body.code)
        result = sandbox.submit(question.job).result()
        return with_how(score_result(question, place, result, job.finish_reason, body.added), body.how)
    except (BadInputError, MissingEnvironmentError) as error:
        return unscorable(error.message)


class InPlaceJudge(ScoredJudge):
    """Judges answers by the repository's own tests."""

    def scorer(self) -> Callable[[ScoreJob], ScoredResponse]:
        """Return the function that scores one answer."""
        return partial(grade_in_place, sandbox=self.sandbox)

    def jobs(self, answer: str) -> list[Job]:
        """Return no jobs: mining has already run the tests three times and measured which of them cover the body."""
        del answer
        return []

    def code_lines(self, answer: str) -> tuple[int, int]:
        """Return the first and last line of the answer."""
        return 1, max(1, answer.count("\n"))
