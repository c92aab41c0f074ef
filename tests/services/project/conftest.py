"""A small project with a few days' work in it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from annotator.model.rows.queue_rows import QueueFilter
from annotator.services.project import projects
from annotator.services.select import triage
from annotator.services.sources import imports
from annotator.store.file.project_file import ProjectFile
from tests.template_projects import copy_project

COUNT = 12


def make_project(path: Path, count: int = COUNT) -> ProjectFile:
    copy_project(path, ("small", count), partial(_build_project, count=count))
    return projects.open_project(path)


def _build_project(path: Path, count: int) -> None:
    rows = path.with_suffix(".rows.jsonl")
    rows.write_text(
        "".join(
            json.dumps({"id": n, "prompt": f"Prompt {n}: sort a list.", "reference": f"x = {n}", "language": "python"})
            + "\n"
            for n in range(count)
        )
    )
    store = projects.create_project(path, "Demo", "Ada")
    imports.import_paths(store, "jsonl", [rows])
    store.close()


@pytest.fixture
def small_project(tmp_path: Path) -> Iterator[ProjectFile]:
    store = make_project(tmp_path / "p.annotator")
    yield store
    store.close()


@pytest.fixture
def ids(small_project: ProjectFile) -> list[str]:
    return [row.id for row in triage.queue_page(small_project, QueueFilter(), limit=100).rows]
