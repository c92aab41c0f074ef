"""Pools of the sandbox: on the real engine, and in processes of this machine for code of our own.

Without an engine the tests that ask for one skip, unless ANNOTATOR_REQUIRE_SANDBOX says that they must not.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing

import pytest

from annotator.base.errors import MissingEnvironmentError
from annotator.sandbox import GROUPS, Pool
from annotator.sandbox.sandbox_places import DockerPlace, LocalPlace


def _docker_place(groups: tuple[str, ...]) -> DockerPlace:
    """Return a place on the engine where these images are built; without it the test is skipped, or fails."""
    try:
        found = DockerPlace()
        missing = [group for group in groups if not found.images.has_image(group)]
        problem = f"images not built: {', '.join(missing)}" if missing else ""
    except MissingEnvironmentError as error:
        problem = error.message
    if problem:
        if os.environ.get("ANNOTATOR_REQUIRE_SANDBOX"):
            pytest.fail(problem)
        pytest.skip(problem)
    return found


@pytest.fixture(scope="session")
def place() -> Iterator[DockerPlace]:
    with closing(_docker_place(GROUPS)) as place:
        yield place


@pytest.fixture(scope="session")
def pool(place: DockerPlace) -> Iterator[Pool]:
    """One supervisor, so that a job and the next share a container."""
    with Pool(place, 1) as made:
        yield made


@pytest.fixture(scope="session")
def engine() -> Iterator[Pool]:
    """Two supervisors on the engine, for Python alone."""
    with closing(_docker_place(("python",))) as place, Pool(place, 2) as pool:
        yield pool


@pytest.fixture(scope="session")
def languages(place: DockerPlace) -> Iterator[Pool]:
    """Two supervisors on the engine, for all languages: containers are shared by one test and the next."""
    with Pool(place, 2) as made:
        yield made


@pytest.fixture(scope="session")
def local() -> Iterator[Pool]:
    """One supervisor on this machine itself, without a container."""
    with closing(LocalPlace()) as place, Pool(place, 1) as made:
        yield made


@pytest.fixture(scope="session")
def runner() -> Iterator[Pool]:
    """Two supervisors on this machine itself, for small programs of the tests' own."""
    with closing(LocalPlace()) as place, Pool(place, 2) as pool:
        yield pool
