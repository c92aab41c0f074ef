"""Pools of the sandbox: on the real engine, and in processes of this machine for code of our own.

Without an engine the tests that ask for one skip, unless ANNOTATOR_REQUIRE_SANDBOX says that they must not.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from annotator.base.errors import MissingEnvironmentError
from annotator.sandbox import GROUPS, Pool
from annotator.sandbox.sandbox_places import DockerPlace, LocalPlace


@pytest.fixture(scope="session")
def place() -> Iterator[DockerPlace]:
    try:
        found = DockerPlace()
        missing = [group for group in GROUPS if not found.images.present(group)]
        problem = f"images not built: {', '.join(missing)}" if missing else ""
    except MissingEnvironmentError as error:
        found, problem = None, error.message
    if found is None or problem:
        if os.environ.get("ANNOTATOR_REQUIRE_SANDBOX"):
            pytest.fail(problem)
        pytest.skip(problem)
    yield found
    found.close()


@pytest.fixture(scope="session")
def pool(place: DockerPlace) -> Iterator[Pool]:
    """One supervisor, so that a job and the next share a container."""
    with Pool(place, 1) as made:
        yield made


@pytest.fixture(scope="module")
def local() -> Iterator[Pool]:
    """One supervisor on this machine itself, without a container."""
    place = LocalPlace()
    with Pool(place, 1) as made:
        yield made
    place.close()


@pytest.fixture(scope="session")
def runner() -> Iterator[Pool]:
    """Two supervisors on this machine itself, for small programs of the tests' own."""
    place = LocalPlace()
    with Pool(place, 2) as pool:
        yield pool
    place.close()


@pytest.fixture(scope="session")
def engine() -> Iterator[Pool]:
    """Two supervisors on the engine, for Python alone."""
    try:
        place = DockerPlace()
        problem = "" if place.images.present("python") else "the image of Python is not built"
    except MissingEnvironmentError as error:
        place, problem = None, error.message
    if place is None or problem:
        if os.environ.get("ANNOTATOR_REQUIRE_SANDBOX"):
            pytest.fail(problem)
        pytest.skip(problem)
    with Pool(place, 2) as pool:
        yield pool
    place.close()
