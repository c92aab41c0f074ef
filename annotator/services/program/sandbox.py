"""Build, describe and open the sandbox for untrusted code."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass

from annotator.base.errors import MissingEnvironmentError
from annotator.jobs.progress import Progress
from annotator.sandbox import (
    GROUPS,
    LANGUAGES,
    Images,
    Place,
    PlaceName,
    Pool,
    find_language,
    open_place,
)
from annotator.sandbox.containers import connect_to_docker


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguageStatus:
    """Whether a language can be run; ``version`` is the first line of its tool's version output."""

    language: str
    title: str
    image: str
    ready: bool
    version: str
    libraries: str


@dataclass(frozen=True, slots=True)
class SandboxStatus:
    """The place that runs code on this machine, and its languages; ``problem`` is the reason if there is none."""

    place: str
    weakness: str
    problem: str
    languages: tuple[LanguageStatus, ...]


def build_images(names: Sequence[str], progress: Progress, mirror: str | None = None) -> tuple[str, ...]:
    """Build the images of some languages (default: all); return the groups that were built.

    Raises `KnownError` for an unknown language, without Docker, or if a build fails.
    """
    groups = [find_language(name).group for name in names] if names else list(GROUPS)
    with closing(connect_to_docker(timeout=1800)) as client:
        return (Images(client, mirror) if mirror else Images(client)).build(groups, progress)


def sandbox_status(*, versions: bool = True) -> SandboxStatus:
    """Return which languages can be run here; with ``versions``, each language's tool is asked for its version."""
    try:
        place = open_place()
    except MissingEnvironmentError as error:
        return SandboxStatus("", "", " ".join((error.message, *error.details)), ())
    try:
        ready = {group: place.has(group) for group in GROUPS}
        answers = _ask_versions(place, ready) if versions else {}
        languages = tuple(
            LanguageStatus(
                language=item.name,
                title=item.title,
                image=item.group,
                ready=ready[item.group] and (not versions or bool(answers.get(item.name))),
                version=answers.get(item.name, ""),
                libraries=item.libraries,
            )
            for item in LANGUAGES
        )
        return SandboxStatus(place.name, place.weakness, "", languages)
    finally:
        place.close()


def _ask_versions(place: Place, ready: dict[str, bool]) -> dict[str, str]:
    answers = {}
    ready_languages = [item for item in LANGUAGES if ready[item.group]]
    with Pool(place) as pool:
        # The command runs in the language's own image, so that the answer comes from the tool that runs code.
        futures = {item.name: pool.submit_command(item.group, item.version) for item in ready_languages}
        for name, future in futures.items():
            result = future.result()
            text = (result.stdout.strip() or result.stderr.strip()).splitlines()
            if result.outcome == "pass" and text:
                answers[name] = text[0]
    return answers


@contextmanager
def open_sandbox(
    *, allow_local: bool = False, only: PlaceName | None = None, size: int | None = None
) -> Iterator[tuple[Pool, Place]]:
    """Open a sandbox pool for the block. Raises `MissingEnvironmentError` if no place can run code."""
    with closing(open_place(allow_local=allow_local, only=only)) as place, Pool(place, size) as pool:
        yield pool, place
