"""A small project with a few days' work in it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from annotator.model.rows import QueueFilter
from annotator.services import importing, projects, selecting
from annotator.store.project_file import ProjectFile

COUNT = 12


def make_project(path: Path, count: int = COUNT) -> ProjectFile:
    rows = path.with_suffix(".rows.jsonl")
    rows.write_text(
        "".join(
            json.dumps({"id": n, "prompt": f"Prompt {n}: sort a list.", "reference": f"x = {n}", "language": "python"})
            + "\n"
            for n in range(count)
        )
    )
    store = projects.create_project(path, "Demo", "Ada")
    importing.import_paths(store, "jsonl", [rows])
    return store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ProjectFile]:
    store = make_project(tmp_path / "p.annotator")
    yield store
    store.close()


@pytest.fixture
def ids(store: ProjectFile) -> list[str]:
    return [row.id for row in selecting.queue_page(store, QueueFilter(), limit=100).rows]
