"""A pool on the real engine; without one these tests skip, unless ANNOTATOR_REQUIRE_SANDBOX says they must not."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from annotator.base.errors import MissingEnvironmentError
from annotator.sandbox import GROUPS, Pool
from annotator.sandbox.places import DockerPlace


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
