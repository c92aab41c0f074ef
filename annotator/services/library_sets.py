"""List and build the sets of libraries that a project's items need, downloaded with uv or npm."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from annotator.base.errors import BadInputError, MissingEnvironmentError
from annotator.base.paths import data_dir
from annotator.base.resources import find_program
from annotator.jobs.progress import Progress
from annotator.mining.repository.confirmation.environment import (
    check_requirement,
    exact_environment,
    make_environment,
)
from annotator.sandbox.layers import ensure_libraries
from annotator.sandbox.libraries import NPM, LibrarySet, find_library_set, libraries_image, library_set
from annotator.sandbox.sandbox_places import DockerPlace
from annotator.store.file.project_file import ProjectFile
from annotator.store.queue import stored_subjects

_NPM_NAME = re.compile(r"(?:@[a-z0-9][\w.-]*/)?[A-Za-z0-9][\w.-]*(?:==[A-Za-z0-9][\w.+-]*)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class LibraryStatus:
    """A set of libraries, the number of items that need it, and whether it is built; ``problem`` if that failed."""

    digest: str
    requirements: tuple[str, ...]
    items: int
    ready: bool
    problem: str = ""


def resolve_library_set(requirements: Sequence[str]) -> LibrarySet:
    """Resolve requirements to a set of libraries that includes their dependencies.

    A requirement is a name, with or without a version, or a file with one name per line. Raises `BadInputError` for one
    that cannot be found, `MissingEnvironmentError` without uv or, for JavaScript, npm.
    """
    lines = [line for text in requirements for line in _read_requirements(text)]
    if not lines:
        raise BadInputError("No library is named.")
    if lines[0].startswith(NPM):
        return find_npm_set(lines)
    environment = make_environment(lines, data_dir() / "environments")
    if environment.missing:
        text = environment.missing_text
        raise BadInputError(f"{text[0].upper()}{text[1:]}. Nothing was changed.")
    return environment.libraries


def _read_requirements(text: str) -> list[str]:
    """Return a requirement as a list, or the requirements in a file."""
    path = Path(text)
    if path.suffix != ".txt" and not path.is_file():
        lines = [text]
    else:
        try:
            lines = path.read_text(encoding="utf-8-sig").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise BadInputError(
                f"{path.name} cannot be read as a file of requirements. Nothing was changed."
            ) from error
    return [_check_requirement(line.strip()) for line in lines if line.strip() and not line.lstrip().startswith("#")]


def _check_requirement(line: str) -> str:
    """Return a valid requirement for Python or npm. Raises `BadInputError` for anything else."""
    kind, colon, name = line.partition(":")
    if not colon or "@" in kind:
        return check_requirement(line)
    if kind != NPM[:-1] or not _NPM_NAME.fullmatch(name):
        raise BadInputError(
            f"{line[:100]} is not a library. Write libraries for Python like rsa==4.9, for JavaScript and TypeScript "
            "like npm:lodash==4.17.21. For other languages only the libraries in their image are available."
        )
    return line


def project_library_sets(store: ProjectFile) -> tuple[tuple[LibrarySet, int], ...]:
    """Return the sets that a project's subjects need, with counts. Raises `BadInputError` for an invalid set."""
    with store.read() as db:
        sets = (find_library_set({"libraries": names}) for names in stored_subjects.fetch_extras(db, "libraries"))
        counts = Counter(library_set for library_set in sets if library_set is not None)
    return tuple(sorted(counts.items(), key=lambda item: (-item[1], item[0].digest)))


def library_status(sets: Sequence[tuple[LibrarySet, int]]) -> tuple[LibraryStatus, ...]:
    """Return which sets are built. Raises `MissingEnvironmentError` without Docker."""
    if not sets:
        return ()
    with closing(DockerPlace()) as place:
        return tuple(_check_set(place, library_set, items) for library_set, items in sets)


def build_library_sets(
    sets: Sequence[tuple[LibrarySet, int]], progress: Progress | None = None
) -> tuple[LibraryStatus, ...]:
    """Download the sets that are not built and put them into images; a failure does not stop the rest.

    Raises `MissingEnvironmentError` without Docker and `Cancelled` when cancelled.
    """
    if not sets:
        return ()
    work = progress or Progress()
    statuses = []
    with closing(DockerPlace()) as place:
        for number, (library_set, items) in enumerate(sets):
            work.report(number, len(sets), f"building the libraries of {items} items")
            problem = ""
            try:
                if not _check_set(place, library_set, items).ready:
                    fetch = exact_environment if library_set.group == "python" else npm_environment
                    ensure_libraries(place, library_set, fetch(library_set, data_dir() / "environments"))
            except MissingEnvironmentError as error:
                problem = error.message
            statuses.append(replace(_check_set(place, library_set, items), problem=problem))
    work.report(len(sets), len(sets), "built")
    return tuple(statuses)


def _check_set(place: DockerPlace, library_set: LibrarySet, items: int) -> LibraryStatus:
    ready = place.images.exists(libraries_image(place.images.tag(library_set.group), library_set.digest))
    return LibraryStatus(digest=library_set.digest, requirements=library_set.requirements, items=items, ready=ready)


_NPM_TIMEOUT_S = 600
_NPM_OPTIONS = ("--ignore-scripts", "--no-audit", "--no-fund", "--no-save", "--legacy-peer-deps", "--loglevel=error",
           "--os=linux", "--cpu=x64", "--libc=glibc")  # fmt: skip


def find_npm_set(requirements: Sequence[str]) -> LibrarySet:
    """Resolve requirements (``npm:lodash``, ``npm:lodash==4.17.21``) to a set that includes their dependencies.

    Raises `BadInputError` if npm cannot download one or a library is needed in two versions, and
    `MissingEnvironmentError` without npm.
    """
    with tempfile.TemporaryDirectory(prefix="annotator-npm-") as folder:
        problem = _install_with_npm(requirements, Path(folder))
        if problem:
            raise BadInputError(f"npm did not find {', '.join(requirements)[:300]}: {problem} Nothing was changed.")
        return library_set(_list_installed(Path(folder)))


def npm_environment(libraries: LibrarySet, cache: Path) -> Path:
    """Return a folder with exactly the libraries of a set, downloaded once and then cached.

    Raises `MissingEnvironmentError` without npm or if a version is no longer available.
    """
    folder = cache / f"set-{libraries.digest}"
    if folder.is_dir():
        return folder
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache, prefix="making-") as name:
        temporary_folder = Path(name)
        problem = _install_with_npm(libraries.requirements, temporary_folder)
        if problem or sorted(_list_installed(temporary_folder)) != list(libraries.requirements):
            raise MissingEnvironmentError(
                f"The libraries {', '.join(libraries.requirements)[:300]} could not be fetched. Check the connection, "
                "or whether these versions are still published."
            )
        shutil.rmtree(folder, ignore_errors=True)
        (temporary_folder / "node_modules").rename(folder)
    return folder


def _install_with_npm(requirements: Sequence[str], folder: Path) -> str:
    """Install libraries below a folder; return npm's error message, or an empty string on success."""
    program = find_program("npm")
    if program is None:
        raise MissingEnvironmentError(
            "npm is not installed, so libraries of JavaScript cannot be fetched. Install Node.js with npm."
        )
    (folder / "package.json").write_text("{}", encoding="utf-8")
    names = [item.removeprefix(NPM).replace("==", "@") for item in requirements]
    try:
        process = subprocess.run(  # noqa: S603 - an argument list; checked requirements follow --
            [program, "install", *_NPM_OPTIONS, "--", *names],
            capture_output=True,
            check=False,
            timeout=_NPM_TIMEOUT_S,
            cwd=folder,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"{type(error).__name__}."
    lines = process.stderr.decode("utf-8", "replace").splitlines()
    return (
        "" if process.returncode == 0 else next((line.removeprefix("npm error ") for line in lines[1:]), "it failed.")
    )


def _list_installed(folder: Path) -> list[str]:
    """List what npm installed below a folder. Raises `BadInputError` if a library was installed in two versions."""
    try:
        lock = json.loads((folder / "node_modules" / ".package-lock.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        return []
    requirements = []
    for path, entry in lock["packages"].items():
        _, *names = path.split("node_modules/")
        if len(names) > 1:
            raise BadInputError(f"These libraries need {names[-1]} in two versions, which is not supported yet.")
        if (folder / path).is_dir():
            requirements.append(f"{NPM}{names[0]}=={entry['version']}")
    return requirements
