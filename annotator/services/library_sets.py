"""The sets of libraries that the items of a project need: which there are, and building them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from annotator.base.errors import BadInputError, MissingEnvironmentError
from annotator.base.paths import data_dir
from annotator.jobs.progress import Progress
from annotator.mining.repository.confirmation.environment import (
    checked_requirement,
    exact_environment,
    make_environment,
)
from annotator.sandbox.layers import ensure_libraries
from annotator.sandbox.libraries import NPM, PYTHON, LibrarySet, libraries_image, set_of
from annotator.sandbox.places import DockerPlace
from annotator.services.npm_libraries import find_npm_set, npm_environment
from annotator.store.file.project_file import ProjectFile
from annotator.store.queue import subjects

_NPM_NAME = re.compile(r"(?:@[a-z0-9][\w.-]*/)?[A-Za-z0-9][\w.-]*(?:==[A-Za-z0-9][\w.+-]*)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class LibraryStatus:
    """A set of libraries, how many items need it, and whether it is built; ``problem`` says why it could not be."""

    digest: str
    requirements: tuple[str, ...]
    items: int
    ready: bool
    problem: str = ""


def find_set(wanted: Sequence[str]) -> LibrarySet:
    """Return the set that some requirements make with all they need: names, with versions or not, or files of such.

    Raises `BadInputError` for one that cannot be had, `MissingEnvironmentError` without uv or, for JavaScript, npm.
    """
    lines = [line for text in wanted for line in _lines(text)]
    if not lines:
        raise BadInputError("No library is named.")
    if lines[0].startswith(NPM):
        return find_npm_set(lines)
    found = make_environment(lines, data_dir() / "environments")
    if found.missing:
        raise BadInputError(
            f"No wheel for Python {PYTHON} was found for: {', '.join(found.missing)}. Nothing was changed."
        )
    return found.libraries


def _lines(text: str) -> list[str]:
    """Return a requirement, or those of a file."""
    path = Path(text)
    if path.suffix != ".txt" and not path.is_file():
        lines = [text]
    else:
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise BadInputError(
                f"{path.name} cannot be read as a file of requirements. Nothing was changed."
            ) from error
    return [_checked(line.strip()) for line in lines if line.strip() and not line.lstrip().startswith("#")]


def _checked(line: str) -> str:
    """Return a requirement of Python or npm. Raises `BadInputError` for what is none."""
    kind, colon, name = line.partition(":")
    if not colon or "@" in kind:
        return checked_requirement(line)
    if kind != NPM[:-1] or not _NPM_NAME.fullmatch(name):
        raise BadInputError(
            f"{line[:100]} names no library. Items in Python name theirs as rsa==4.9, in JavaScript and TypeScript as "
            "npm:lodash==4.17.21. Items in other languages cannot name libraries yet: they have what their image has."
        )
    return line


def of_project(store: ProjectFile) -> tuple[tuple[LibrarySet, int], ...]:
    """Return the sets that a project's subjects need, each with how many. Raises `BadInputError` for what is no set."""
    with store.read() as db:
        return counted({"libraries": told} for told in subjects.extras(db, "libraries"))


def counted(extras: Iterable[object]) -> tuple[tuple[LibrarySet, int], ...]:
    """Return the sets that are named in items' ``extra``, the one most need first."""
    found = Counter(wanted for extra in extras if (wanted := set_of(extra)) is not None)
    return tuple(sorted(found.items(), key=lambda item: (-item[1], item[0].digest)))


def status(sets: Sequence[tuple[LibrarySet, int]]) -> tuple[LibraryStatus, ...]:
    """Say which sets are built. Raises `MissingEnvironmentError` without Docker."""
    if not sets:
        return ()
    place = DockerPlace()
    try:
        return tuple(_status(place, wanted, items) for wanted, items in sets)
    finally:
        place.close()


def build(sets: Sequence[tuple[LibrarySet, int]], progress: Progress | None = None) -> tuple[LibraryStatus, ...]:
    """Fetch the sets that are not built and put them into images; one that fails does not stop the rest.

    Raises `MissingEnvironmentError` without Docker, `Cancelled` when asked to stop.
    """
    if not sets:
        return ()
    work = progress or Progress()
    place = DockerPlace()
    built = []
    try:
        for number, (wanted, items) in enumerate(sets):
            work.report(number, len(sets), f"building the libraries of {items} items")
            problem = ""
            try:
                if not _status(place, wanted, items).ready:
                    fetch = exact_environment if wanted.group == "python" else npm_environment
                    ensure_libraries(place, wanted, fetch(wanted, data_dir() / "environments"))
            except MissingEnvironmentError as error:
                problem = error.message
            found = _status(place, wanted, items)
            built.append(
                LibraryStatus(
                    digest=found.digest,
                    requirements=found.requirements,
                    items=items,
                    ready=found.ready,
                    problem=problem,
                )
            )
    finally:
        place.close()
    work.report(len(sets), len(sets), "built")
    return tuple(built)


def _status(place: DockerPlace, wanted: LibrarySet, items: int) -> LibraryStatus:
    ready = place.images.exists(libraries_image(place.images.tag(wanted.group), wanted.digest))
    return LibraryStatus(digest=wanted.digest, requirements=wanted.requirements, items=items, ready=ready)
