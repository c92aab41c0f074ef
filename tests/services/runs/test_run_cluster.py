"""A run scored on a real scheduler with two worker processes, one of which is killed."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable

import pytest

from annotator.base.errors import MissingEnvironmentError
from annotator.evaluation.executors import make_executor
from annotator.services.runs import execution, run_control
from annotator.services.runs.execution import RunLive
from annotator.store.file.project_file import ProjectFile
from tests.evaluation.test_executors import cluster  # noqa: F401 - a fixture
from tests.llm.server import Server
from tests.services.runs.conftest import spec, start_run


@pytest.mark.slow
def test_a_run_loses_a_worker_and_no_score(
    store: ProjectFile,
    serve: Callable[[Server], Server],
    cluster: tuple[str, list[subprocess.Popen[bytes]]],  # noqa: F811 - the fixture
) -> None:
    address, workers = cluster
    waiting = make_executor(f"dask://{address}", execution.score_on_cluster)
    deadline = time.monotonic() + 60
    while waiting.ahead < 4:
        assert time.monotonic() < deadline, "the workers did not come"
        time.sleep(0.1)
    waiting.close()

    def watch(live: RunLive) -> None:
        if live.scored >= 20:
            workers[0].kill()

    # Every answer differs, so that nothing is scored for another.
    server = serve(Server(delay_s=0.02))
    row, _ = start_run(store, spec(server, samples=30, executor=f"dask://{address}"), watch=watch)
    assert workers[0].poll() is not None
    assert (row.state, row.reason, row.answered, row.outcomes) == ("done", "", 300, {"pass": 300})


def test_a_cluster_that_is_not_there_leaves_the_run_to_be_resumed(
    store: ProjectFile, serve: Callable[[Server], Server]
) -> None:
    from annotator.services.runs import run_plan

    server = serve(Server())
    with pytest.raises(MissingEnvironmentError, match="no Dask scheduler"):
        start_run(store, spec(server, executor="dask://127.0.0.1:1"))
    [row] = run_control.runs(store)
    assert (row.state, server.counts.requests) == ("planned", 0)
    run_plan.change_settings(store, row.id, executor="local")
    assert run_control.resume(store, row.id)[0].state == "done"
