"""A released project of small questions, and a server to ask."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from annotator.evaluation.presets import Pass, Protocol, find_protocol_preset
from annotator.llm.requests import Decoding, Endpoint
from annotator.model.changes import Changes
from annotator.model.rows.queue_rows import RunRow
from annotator.services.project import projects
from annotator.services.runs import run_control, run_list
from annotator.services.runs.run_plan import RunSpec, plan_run
from annotator.store.file.project_file import ProjectFile
from tests.llm.server import Server, running
from tests.template_projects import project_of_rows

CRITERION = "grading:\n  keywords:\n    - content: answer\n      why: it answers\n"


def build_project(path: Path, items: int, criterion: str = CRITERION) -> None:
    """Make a project with a release 0.1 of so many questions, and the file they came from beside it."""
    rows = (
        {
            "id": f"q{number:04d}",
            "title": f"Question {number}",
            "prompt": f"question {number}",
            "reference": "answer",
            "language": "python",
            "task": "question",
            "criterion": criterion,
            "licence": "CC0-1.0",
            "provenance": {"source": "test"},
        }
        for number in range(items)
    )
    project_of_rows(path, rows, release="0.1").close()


def sampled(samples: int, **fields: Any) -> Protocol:
    """The plain protocol with so many samples."""
    return replace(
        find_protocol_preset("plain"), passes=(Pass(Decoding(temperature=0.2, max_tokens=50, **fields), samples),)
    )


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ProjectFile]:
    path = tmp_path / "p.annotator"
    build_project(path, 10)
    opened = projects.open_project(path)
    yield opened
    opened.close()


@pytest.fixture
def serve() -> Iterator[Callable[..., Server]]:
    """Start servers that end with the test."""
    with ExitStack() as stack:

        def start(server: Server) -> Server:
            return stack.enter_context(running(server))

        yield start


def spec(server: Server, samples: int = 3, **fields: Any) -> RunSpec:
    """A run of the model "m" against a server."""
    # Long enough for a machine that does much else, or a good answer would be asked for twice.
    endpoint = Endpoint(base_url=server.url, name="test", read_s=15.0, total_s=40.0, concurrency=8)
    return RunSpec(**{"model": "m", "protocol": sampled(samples), "endpoint": endpoint, **fields})


def start_run(store: ProjectFile, spec: RunSpec, *carried: Any, **more: Any) -> tuple[RunRow, Changes]:
    """Plan a run and carry it out at once."""
    return run_control.resume_execution(store, plan_run(store, spec)[0], *carried, **more)


def resume_only_run(path: Path) -> RunRow:
    """Carry on with the only run of a project, in this process."""
    with closing(projects.open_project(path)) as store:
        [row] = run_list.list_runs(store)
        return run_control.resume_execution(store, row.id)[0]


def outcomes(store: ProjectFile, run_id: str) -> dict[tuple[str, int], str]:
    """The outcome of each response of a run, by key and sample."""
    from annotator.services.results import responses

    return {
        (row.key, row.sample): row.outcome
        for row in responses.responses_of_run(store, responses.load_run_data(store, run_id), run_id)
    }
