"""Scoring in processes and on a cluster: a worker that dies costs a retry, not a result."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from annotator.base.errors import BadInputError, MissingEnvironmentError
from annotator.criteria import load_criterion
from annotator.evaluation.answer_scoring import ItemScorer, ScoreJob, score_job
from annotator.evaluation.executors import DaskExecutor, LocalExecutor, SplitExecutor, WorkerLostError, make_executor
from annotator.evaluation.planning import PlannedRequest
from annotator.evaluation.scoring_queue import Scoring
from annotator.llm.answers import Answer
from tests.evaluation import scorers
from tests.evaluation.evaluations import run_evaluation
from tests.evaluation.test_engine import Kept, answered, requests

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", ["remote", "dask://", "dask://host", "http://host:1", "dask://host:no", ""])
def test_executors_that_do_not_exist(name: str) -> None:
    with pytest.raises(BadInputError, match="no executor"):
        make_executor(name, len)


def test_local_threads_and_what_scoring_raises() -> None:
    executor = LocalExecutor(scorers.length, 3)
    assert executor.ahead >= 2 * 3
    assert [executor.submit("x" * size).result(60) for size in range(5)] == [0, 1, 2, 3, 4]
    executor.close()
    broken = LocalExecutor(scorers.raises, 1)
    with pytest.raises(ValueError, match="cannot score 7"):
        broken.submit(7).result(60)
    broken.close()


def test_closing_threads_waits_for_what_has_begun_and_drops_the_rest() -> None:
    begun, go_on = threading.Event(), threading.Event()

    def score(job: int) -> int:
        begun.set()
        assert go_on.wait(60)
        return job

    executor = LocalExecutor(score, 1)
    first, second = executor.submit(1), executor.submit(2)
    assert begun.wait(60)
    closing = threading.Thread(target=executor.close)
    closing.start()
    while True:
        # Closed for new jobs at once, and over only when what has begun is.
        try:
            executor.submit(3)
            time.sleep(0.01)
        except RuntimeError:
            break
    go_on.set()
    closing.join(60)
    assert first.result(0) == 1
    with pytest.raises(WorkerLostError):
        second.result(0)
    executor.close()


@pytest.mark.slow
def test_a_scoring_process_that_dies_costs_a_retry(tmp_path: Path) -> None:
    sink = Kept()
    with closing(LocalExecutor(scorers.dies_once, 2, processes=True)) as executor:
        end = run_evaluation(
            requests(20), lambda item: answered(item, f"{'deadly' if item.item_id == 'i7' else 'mild'} {item.item_id}"),
            sink, scoring=Scoring(executor, lambda finished: (finished.answer.text, str(tmp_path))),
        )  # fmt: skip
    assert (end.tally.scored, end.reason) == (20, "")
    assert sink.scored["i7", 0].result == "deadly i7 scored"


class LosingExecutor(LocalExecutor):
    """Loses the worker of every job."""

    submitted = 0

    def submit(self, job: Any) -> Future[Any]:
        self.submitted += 1
        future = Future[Any]()
        future.set_exception(WorkerLostError(f"lost with {job}"))
        return future


def test_a_job_that_always_loses_its_worker_is_tried_three_times_and_ends_as_machinery() -> None:
    sink = Kept()
    with closing(LosingExecutor(len, 1)) as executor:
        end = run_evaluation(
            requests(1), answered, sink, scoring=Scoring(executor, lambda finished: finished.answer.text)
        )
    assert (executor.submitted, end.tally.unscored) == (3, 1)
    assert "WorkerLostError" in sink.scored["i0", 0].problem


def test_what_is_heavy_is_scored_in_other_processes_and_the_rest_here() -> None:
    with closing(SplitExecutor(scorers.with_process, _is_large, scorers.with_process, 2)) as executor:
        light = [executor.submit(number) for number in range(5)]
        assert [future.result(60) for future in light] == [(number, os.getpid()) for number in range(5)]
        heavy = [executor.submit(number) for number in range(100, 104)]
        found = [future.result(120) for future in heavy]
        assert [number for number, _ in found] == list(range(100, 104))
        assert os.getpid() not in {process for _, process in found}


def _is_large(job: object) -> bool:
    return isinstance(job, int) and job >= 100


def test_similarity_alone_is_heavy_and_scored_the_same_elsewhere() -> None:
    rule = '{metric: rougeL, references: ["a b c"]}'
    alone = {"id": "1", "criterion": f"grading:\n  similarity:\n    - {rule}\n"}
    tests = "  unit_test:\n    tests:\n      - content: assert f()\n"
    tested = {"id": "2", "criterion": f"lang: python\n{alone['criterion']}{tests}"}
    assert load_criterion(tested["criterion"]).similarity
    words = {"id": "3", "criterion": "grading:\n  keywords:\n    - similarity\n"}
    scorer = ItemScorer()
    assert scorer.is_heavy(ScoreJob(item=alone, text="a b"))
    assert not any(scorer.is_heavy(ScoreJob(item=item, text="a b")) for item in (tested, words, {"id": "4"}))
    assert score_job(ScoreJob(item=alone, text="a b")) == scorer(ScoreJob(item=alone, text="a b"))


def test_a_cluster_that_is_not_there() -> None:
    pytest.importorskip("distributed")
    with pytest.raises(MissingEnvironmentError, match="no Dask scheduler at"):
        DaskExecutor(scorers.length, "127.0.0.1:9", connect_s=1)


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """A scheduler and two worker processes of one thread each, as somebody would start them by hand."""
    pytest.importorskip("distributed")
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "3"}
    address = tmp_path / "scheduler.json"
    common: Any = {"cwd": ROOT, "env": environment, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    scheduler_argv = ["distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard",
                      "--scheduler-file", str(address)]  # fmt: skip
    worker_argv = ["distributed.cli.dask_worker", "--scheduler-file", str(address), "--nthreads", "1", "--nworkers",
                   "1", "--no-nanny", "--no-dashboard", "--local-directory", str(tmp_path)]  # fmt: skip
    started = [subprocess.Popen([sys.executable, "-m", *scheduler_argv], **common)]
    try:
        started += [subprocess.Popen([sys.executable, "-m", *worker_argv], **common) for _ in range(2)]
        deadline = time.monotonic() + 300
        while not address.exists() or not address.read_text():
            assert time.monotonic() < deadline, "the scheduler did not start"
            time.sleep(0.1)
        import json

        yield json.loads(address.read_text())["address"].removeprefix("tcp://"), started[1:]
    finally:
        for process in reversed(started):
            process.kill()
            process.wait(60)


@pytest.mark.slow
def test_a_cluster_loses_a_worker_and_no_result(
    cluster: tuple[str, list[subprocess.Popen[bytes]]], tmp_path: Path
) -> None:
    address, workers = cluster
    marks = tmp_path / "marks"
    marks.mkdir()
    executor = make_executor(f"dask://{address}", scorers.slow)
    deadline = time.monotonic() + 300
    while executor.ahead < 4:
        assert time.monotonic() < deadline, "the workers did not come"
        time.sleep(0.1)
    victim = workers[0].pid
    killed: list[float] = []

    def ask(item: PlannedRequest) -> Answer:
        if item.item_id == "i60":
            # It has begun something: a job that the victim runs now is lost with it.
            while not any(mark.name.startswith(f"{victim}-") for mark in marks.iterdir()):
                time.sleep(0.01)
            os.kill(victim, signal.SIGKILL)
            killed.append(time.monotonic())
        return answered(item, item.item_id)

    sink = Kept()
    try:
        end = run_evaluation(
            requests(120), ask, sink, scoring=Scoring(executor, lambda finished: (finished.answer.text, str(marks)))
        )
    finally:
        executor.close()
    assert killed and (end.tally.scored, end.reason) == (120, "")
    assert all(judged.result[0] == key[0] for key, judged in sink.scored.items())
    processes = {judged.result[1] for judged in sink.scored.values()}
    assert workers[1].pid in processes
    runs = [mark.name.partition("-")[2] for mark in marks.iterdir()]
    assert len(set(runs)) == 120 and len(runs) > 120, "a job that died with its worker was run again on the other"


@pytest.mark.slow
def test_a_worker_that_dies_in_the_first_check_is_told(cluster: tuple[str, list[subprocess.Popen[bytes]]]) -> None:
    with closing(DaskExecutor(scorers.length, cluster[0])) as executor:
        with pytest.raises(MissingEnvironmentError, match="ended while it was asked") as caught:
            executor.check_workers(scorers.end_worker, lambda facts: "", wait_s=60.0)
        assert "version" not in caught.value.message


@pytest.mark.slow
def test_a_cluster_passes_on_what_scoring_raises(cluster: tuple[str, list[subprocess.Popen[bytes]]]) -> None:
    with (
        closing(DaskExecutor(scorers.raises, cluster[0])) as executor,
        pytest.raises(ValueError, match="cannot score 3"),
    ):
        executor.submit(3).result(60)


@pytest.mark.slow
def test_a_job_that_kills_every_worker_is_told_from_one_that_fails(
    cluster: tuple[str, list[subprocess.Popen[bytes]]],
) -> None:
    address, workers = cluster
    with closing(DaskExecutor(scorers.always_dies, address)) as executor:
        future = executor.submit(1)
        for worker in workers:
            worker.wait(60)
        executor.close()
        with pytest.raises(WorkerLostError):
            future.result(30)
