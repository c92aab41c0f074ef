"""A run scored on a real scheduler with two worker processes, one of which is killed."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from annotator import __version__
from annotator.base.errors import MissingEnvironmentError
from annotator.evaluation.answer_scoring import ItemScorer
from annotator.evaluation.executors import DaskExecutor, WorkerFacts, make_executor
from annotator.services.runs import execution, run_control, run_list
from annotator.services.runs.execution import RunLive
from annotator.store.file.project_file import ProjectFile
from tests.evaluation.test_executors import cluster  # noqa: F401 - a fixture
from tests.llm.server import Server
from tests.services.runs.conftest import build_project, spec, start_run

ROOT = Path(__file__).parents[3]


@pytest.mark.slow
def test_a_run_loses_a_worker_and_no_score(
    store: ProjectFile,
    serve: Callable[[Server], Server],
    cluster: tuple[str, list[subprocess.Popen[bytes]]],  # noqa: F811 - the fixture
) -> None:
    address, workers = cluster
    waiting = make_executor(f"dask://{address}", execution.score_on_cluster)
    deadline = time.monotonic() + 300
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
    [row] = run_list.list_runs(store)
    assert (row.state, server.counts.requests) == ("planned", 0)
    run_plan.change_settings(store, row.id, executor="local")
    assert run_control.resume_execution(store, row.id)[0].state == "done"


@contextmanager
def _scheduler(folder: Path) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """Run a scheduler on a port that it chooses itself; gives its address, without the scheme, and its process."""
    facts = folder / "scheduler.json"
    argv = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--no-dashboard", "--host", "127.0.0.1"]
    process = subprocess.Popen(
        [*argv, "--port", "0", "--scheduler-file", str(facts)],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield _address_in(facts), process
    finally:
        process.kill()
        process.wait(60)


def _address_in(facts: Path) -> str:
    """Wait for the file in which a scheduler says where it is, and return its address."""
    deadline = time.monotonic() + 120
    while True:
        try:
            return str(json.loads(facts.read_text(encoding="utf-8"))["address"]).removeprefix("tcp://")
        except (FileNotFoundError, json.JSONDecodeError):
            assert time.monotonic() < deadline, "the scheduler did not start"
            time.sleep(0.05)


class Commands:
    """Runs commands of the program in processes of their own, and ends them with the test."""

    def __init__(self) -> None:
        self._started: list[subprocess.Popen[str]] = []

    def start(self, *arguments: str | Path) -> subprocess.Popen[str]:
        argv = [sys.executable, "-m", "annotator", *(str(item) for item in arguments)]
        process = subprocess.Popen(argv, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self._started.append(process)
        return process

    def close(self) -> None:
        for process in reversed(self._started):
            process.terminate()
            process.communicate(timeout=60)


@pytest.fixture
def commands() -> Iterator[Commands]:
    made = Commands()
    yield made
    made.close()


def _write_answers(path: Path, items: int) -> int:
    """Write five answers to each item; returns their number."""
    rows = [
        {"subject": f"q{item:04d}", "model": "m", "sample": sample, "response": f"answer {item} {sample}"}
        for item in range(items)
        for sample in range(5)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return len(rows)


def _wait_for_workers(address: str, count: int) -> None:
    executor = make_executor(f"dask://{address}", execution.score_on_cluster)
    deadline = time.monotonic() + 120
    while bool(executor.obstacle) if count else not executor.obstacle:
        assert time.monotonic() < deadline, "the workers did not come or go"
        time.sleep(0.1)
    executor.close()


@pytest.mark.slow
def test_workers_that_are_all_gone_are_told_and_others_go_on(
    tmp_path: Path, commands: Commands, command: Callable[..., tuple[str, str]]
) -> None:
    """A cluster started by the command, replayed answers scored on it, its workers killed and others joined."""
    project, answers = tmp_path / "p.annotator", tmp_path / "made.jsonl"
    build_project(project, 100)
    rows = _write_answers(answers, 100)
    with _scheduler(tmp_path) as (address, _):
        replay = ("run", "start", project, "--replay", answers, "--executor", f"dask://{address}", "--json")
        first = commands.start("cluster", "join", address, "--workers", "1")
        assert first.stderr is not None and f"dask://{address}" in first.stderr.readline()
        _wait_for_workers(address, 1)
        first.terminate()
        _wait_for_workers(address, 0)
        assert "has no worker" in command(*replay, status=4)[1]
        second = commands.start("cluster", "join", address, "--workers", "1")
        _wait_for_workers(address, 1)
        run = commands.start(*replay)
        assert run.stdout is not None
        events = (json.loads(line) for line in run.stdout)
        next(event for event in events if event.get("scored"))
        second.terminate()
        told = next(event for event in events if event.get("obstacle"))
        assert "has no worker" in told["obstacle"] and told["scored"] < rows
        commands.start("cluster", "join", address, "--workers", "1")
        *_, end = events
        [row] = end["runs"]
        assert (row["state"], row["outcomes"]) == ("done", {"pass": rows})


@pytest.mark.slow
def test_a_scheduler_that_is_gone_is_told_and_ends_the_run(tmp_path: Path, commands: Commands) -> None:
    project, answers = tmp_path / "p.annotator", tmp_path / "made.jsonl"
    build_project(project, 150)
    rows = _write_answers(answers, 150)
    with _scheduler(tmp_path) as (address, _):
        commands.start("cluster", "join", address, "--workers", "1")
        _wait_for_workers(address, 1)
        run = commands.start("run", "start", project, "--replay", answers, "--executor", f"dask://{address}", "--json")
        assert run.stdout is not None
        events = (json.loads(line) for line in run.stdout)
        next(event for event in events if event.get("scored"))
    told = next(event for event in events if event.get("obstacle"))
    assert "does not answer" in told["obstacle"] and told["scored"] < rows
    _, said = run.communicate(timeout=60)
    assert run.returncode == 4 and "is gone" in said and "resume" in said and "Traceback" not in said
    resumed = commands.start("run", "resume", project, "--replay", answers, "--executor", "local", "--json")
    out, said = resumed.communicate(timeout=120)
    assert resumed.returncode == 0, said
    [row] = json.loads(out.splitlines()[-1])["runs"]
    assert (row["state"], row["outcomes"]) == ("done", {"pass": rows})


@pytest.mark.slow
def test_a_cluster_starts_with_a_command_and_ends_with_it(commands: Commands) -> None:
    # The command takes no port 0, and another program may take the port between the look and the start.
    for _ in range(5):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            address = f"127.0.0.1:{probe.getsockname()[1]}"
        process = commands.start("cluster", "start", "--port", address.partition(":")[2], "--workers", "1")
        assert process.stderr is not None
        if any(f"dask://{address}" in line for line in process.stderr):
            break
    _wait_for_workers(address, 1)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    with pytest.raises(MissingEnvironmentError, match="no Dask scheduler"):
        make_executor(f"dask://{address}", execution.score_on_cluster)


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        (WorkerFacts("0.0.1", "", ("python",)), "version 0.0.1"),
        (WorkerFacts(__version__, "Docker is not there.", ()), "Docker is not there"),
        (WorkerFacts(__version__, "", ("go",)), "no image for python"),
        (WorkerFacts(__version__, "", ("python",)), ""),
    ],
)
def test_a_worker_that_is_no_use_is_told(monkeypatch: pytest.MonkeyPatch, facts: WorkerFacts, words: str) -> None:
    """Of answers that are run: a scheduler's worker says what it is."""

    class Cluster(DaskExecutor):
        def __init__(self) -> None:
            self.closed = False

        def check_workers(
            self, describe: Callable[[], WorkerFacts], refuse: Callable[[WorkerFacts], str], wait_s: float = 3.0
        ) -> None:
            if refuse(facts):
                raise MissingEnvironmentError(refuse(facts))

        def close(self) -> None:
            self.closed = True

    made = Cluster()
    monkeypatch.setattr(execution, "make_executor", lambda name, score: made)
    items = [{"language": "Python", "tests": ["assert f()"]}]
    if words:
        with pytest.raises(MissingEnvironmentError, match=words):
            execution.open_scoring_executor("dask://h:1", ItemScorer(), items)
    else:
        assert execution.open_scoring_executor("dask://h:1", ItemScorer(), items) is made
    assert made.closed == bool(words)
    # Answers that are only read need no sandbox.
    if facts.version == __version__:
        assert execution.open_scoring_executor("dask://h:1", ItemScorer(), [{"criterion": "grading: {}"}]) is made
