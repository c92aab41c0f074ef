"""A small project with a few days' work in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from annotator.model.rows.queue_rows import QueueFilter
from annotator.services.select import triage
from annotator.store.file.project_file import ProjectFile
from tests.template_projects import project_of_rows

COUNT = 12


def make_project(path: Path, count: int = COUNT) -> ProjectFile:
    rows = (
        {"id": n, "prompt": f"Prompt {n}: sort a list.", "reference": f"x = {n}", "language": "python"}
        for n in range(count)
    )
    return project_of_rows(path, rows, ())


@pytest.fixture
def small_project(tmp_path: Path) -> Iterator[ProjectFile]:
    store = make_project(tmp_path / "p.annotator")
    yield store
    store.close()


@pytest.fixture
def ids(small_project: ProjectFile) -> list[str]:
    return [row.id for row in triage.queue_page(small_project, QueueFilter(), limit=100).rows]
