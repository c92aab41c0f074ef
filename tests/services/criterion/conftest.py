"""What proofs of items need."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from annotator.criteria.proof import checks
from annotator.sandbox import Pool
from annotator.sandbox.places import DockerPlace
from annotator.services.program import sandbox


@pytest.fixture
def lent_sandbox(engine: Pool, place: DockerPlace, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let services and commands run code in the worker's containers, instead of starting their own each time.

    Verdicts are repeated three times, and not eight: tests/criteria looks for those that change.
    """

    @contextmanager
    def lend(**_: object) -> Iterator[tuple[Pool, DockerPlace]]:
        yield engine, place

    monkeypatch.setattr(sandbox, "sandbox", lend)
    monkeypatch.setattr(checks, "REPETITIONS", 3)
    monkeypatch.setattr(checks, "COMPILED_REPETITIONS", 3)
