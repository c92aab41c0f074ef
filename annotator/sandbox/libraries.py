"""Sets of libraries that code needs in addition to those of the image, named by a digest of their requirements.

A set is a list of exact requirements, of Python (``rsa==4.9``) or of npm (``npm:lodash==4.17.21``). Its digest travels
with the item (``extra.libraries``) and with every job; if the set is not built, a job's outcome is ``machinery``, never
a verdict.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, replace
from typing import Any, overload

from annotator.base.errors import BadInputError, MissingEnvironmentError
from annotator.sandbox.sandbox_jobs import Job, JobResult, Runner

REPOSITORY = "annotator-sandbox"
PYTHON = "3.11"
PLATFORM = "x86_64-manylinux_2_28"
LIBRARIES = "/annotator/libraries"
"""The folder of the libraries in the sandbox."""
IMAGE_MODULES = frozenset(
    ("certifi", "chardet", "coverage", "dateutil", "hypothesis", "idna", "lxml", "numpy", "openpyxl", "packaging",
     "pandas", "pluggy", "pytest", "pytz", "requests", "six", "urllib3", "xlsxwriter", "yolk")
)  # fmt: skip
"""Third-party modules in the Python image (``images/python.Dockerfile``)."""
NPM = "npm:"
"""Prefix of requirements of JavaScript and TypeScript."""
_EXACT = re.compile(
    r"(?:npm:(?:@[a-z0-9][a-z0-9._-]{0,99}/)?)?[A-Za-z0-9][A-Za-z0-9._-]{0,99}==[A-Za-z0-9][A-Za-z0-9._+!-]{0,59}"
)
_MAX_REQUIREMENTS = 200


@dataclass(frozen=True, slots=True)
class LibrarySet:
    """Exact requirements (``name==version``), sorted: wheels for one Python and platform, or packages of npm."""

    requirements: tuple[str, ...]

    @property
    def group(self) -> str:
        """The image that the set is put on."""
        return "javascript" if any(item.startswith(NPM) for item in self.requirements) else "python"

    @property
    def digest(self) -> str:
        """The digest that names the set."""
        target = (PYTHON, PLATFORM) if self.group == "python" else (self.group,)
        text = "\n".join((*target, *self.requirements))
        return hashlib.sha256(text.encode()).hexdigest()[:24]

    def to_extra(self) -> dict[str, Any]:
        """Return the set as an item stores it."""
        return {"digest": self.digest, "requirements": list(self.requirements)}


def library_set(requirements: Iterable[str]) -> LibrarySet:
    """Return the set of some requirements. Raises `BadInputError` for one that is not a name with its exact version."""
    pins = list(requirements)
    for item in pins:
        if not isinstance(item, str) or not _EXACT.fullmatch(item):
            raise BadInputError(f"{item!r:.100} does not name a library with its exact version.")
    if len({item.startswith(NPM) for item in pins}) > 1:
        raise BadInputError("An item's libraries are of Python or of npm, not of both.")
    if len(pins) > _MAX_REQUIREMENTS:
        raise BadInputError(f"An item names {len(pins)} libraries; at most {_MAX_REQUIREMENTS} are allowed.")
    return LibrarySet(tuple(sorted(set(pins))))


def find_library_set(extra: object) -> LibrarySet | None:
    """Return the set that an item's ``extra`` names; None if it needs none.

    Raises `BadInputError` if the entry is not a set, or its digest does not match.
    """
    record = extra.get("libraries") if isinstance(extra, Mapping) else None
    # Older imports of BigCodeBench stored bare module names here, without versions.
    if not record or (isinstance(record, list) and all(isinstance(item, str) for item in record)):
        return None
    listed = record.get("requirements") if isinstance(record, Mapping) else None
    if not isinstance(listed, (list, tuple)):
        raise BadInputError("An item's libraries have no list of requirements.")
    libraries = library_set(listed)
    if record.get("digest") != libraries.digest:
        raise BadInputError("An item's libraries were changed: they do not match its digest.")
    return libraries


def libraries_digest(extra: object) -> str:
    """Return the digest of the set that an item's ``extra`` names; empty if it needs none."""
    record = extra.get("libraries") if isinstance(extra, Mapping) else None
    digest = record.get("digest") if isinstance(record, Mapping) else None
    return digest if isinstance(digest, str) else ""


@dataclass(frozen=True)
class _LibraryRunner:
    """A runner whose jobs can import a set of libraries."""

    runner: Runner
    digest: str

    def submit(self, job: Job) -> Future[JobResult]:
        return self.runner.submit(replace(job, libraries=self.digest))


@overload
def runner_with_libraries(runner: Runner, extra: object) -> Runner: ...
@overload
def runner_with_libraries(runner: Runner | None, extra: object) -> Runner | None: ...
def runner_with_libraries(runner: Runner | None, extra: object) -> Runner | None:
    """Return a runner whose jobs can import the libraries that an item's ``extra`` names; the same runner if none."""
    digest = libraries_digest(extra)
    return _LibraryRunner(runner, digest) if runner is not None and digest else runner


# -- names of their images --------------------------------------------------------------------------------------------


def with_libraries(group: str, digest: str) -> str:
    """Return the name of a group of languages combined with a set of libraries."""
    return f"{group}+{digest}"


def split_group(group: str) -> tuple[str, str]:
    """Split the result of `with_libraries` into group and digest; the digest of a plain group is empty."""
    name, _, digest = group.partition("+")
    return name, digest


def libraries_image(base: str, digest: str) -> str:
    """Return the name of the image that has a set of libraries on top of a group's image."""
    return f"{REPOSITORY}:libraries-{digest}-{base.rpartition('-')[2]}"


def not_built_message(digest: str) -> str:
    """Return the message about a set that is not built, and how to build it."""
    return (
        f"The libraries that this item's code needs (set {digest[:8]}) are not built here. Run: annotator sandbox "
        "libraries PROJECT --build"
    )


def refuse_libraries(group: str) -> None:
    """Raise `MissingEnvironmentError` if a set is requested, which only Docker can provide."""
    if split_group(group)[1]:
        raise MissingEnvironmentError(
            "This item's code needs libraries of its own, which only Docker can provide. Start Docker and run: "
            "annotator sandbox libraries PROJECT --build"
        )
