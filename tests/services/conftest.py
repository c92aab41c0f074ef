"""A project with a handful of candidates, and the sandbox for services that run code."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from annotator.criteria.proof import proof_checks
from annotator.sandbox import Pool
from annotator.sandbox.sandbox_places import DockerPlace
from annotator.services.program import sandbox
from annotator.services.project import members, projects
from annotator.services.sources import imports
from annotator.store.file.project_file import ProjectFile
from tests.template_projects import copy_project

TITLES = ("Merge two dictionaries", "Greedy match across lines", "Parse ISO dates", "Debounce an input")


@pytest.fixture
def rows_file(tmp_path: Path) -> Path:
    path = tmp_path / "rows.jsonl"
    languages = ("python", "javascript", "java", "javascript")
    rows = [
        {
            "id": str(number),
            "title": title,
            "prompt": f"How do I {title.lower()}?",
            "reference": "Use merge_them(a, b).",
            "language": language,
            "task": "question",
            "domain": "text",
            "licence": "CC-BY-4.0",
            "provenance": {"source": "test"},
        }
        for number, (title, language) in enumerate(zip(TITLES, languages, strict=True))
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def _build_project(path: Path, rows_file: Path) -> None:
    store = projects.create_project(path, "Demo", "Ada")
    imports.import_paths(store, "jsonl", [rows_file])
    store.close()


@pytest.fixture(params=["file", pytest.param("server", marks=pytest.mark.slow)])
def store(request: pytest.FixtureRequest, tmp_path: Path, rows_file: Path) -> Iterator[ProjectFile]:
    """The same project as a file and as a database on a server; ``file_only`` says why a test needs the file."""
    copy = copy_project
    if request.param == "server":
        reason = request.node.get_closest_marker("file_only")
        if reason is not None:
            pytest.skip(reason.args[0])
        copy = request.getfixturevalue("on_server").copy_project
    path = tmp_path / "p.annotator"
    copy(path, "four candidates", partial(_build_project, rows_file=rows_file))
    project = projects.open_project(path)
    yield project
    project.close()


@pytest.fixture
def other(store: ProjectFile) -> Iterator[ProjectFile]:
    """The same project, open once more as somebody else."""
    members.add_annotator(store, "Bo")
    place = replace(store.address, annotator="Bo") if hasattr(store, "address") else store.path
    found = projects.open_project(place, annotator="Bo")
    yield found
    found.close()


@pytest.fixture
def lent_sandbox(engine: Pool, place: DockerPlace, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let services and commands run code in the worker's containers, instead of starting their own each time.

    Verdicts are repeated three times, and not eight: tests/criteria looks for those that change.
    """

    @contextmanager
    def lend(**_: object) -> Iterator[tuple[Pool, DockerPlace]]:
        yield engine, place

    monkeypatch.setattr(sandbox, "open_sandbox", lend)
    monkeypatch.setattr(proof_checks, "REPETITIONS", 3)
    monkeypatch.setattr(proof_checks, "COMPILED_REPETITIONS", 3)
