"""Commands that run code end soon after they are told to, and what was done by then is kept."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import docker
import pytest

from annotator.model.vocabulary import Verdict
from annotator.services.criterion import proofs
from annotator.services.project import projects
from annotator.services.release import versions
from annotator.services.select import triage
from annotator.services.sources import imports
from annotator.store.file.project_file import ProjectFile

ROOT = Path(__file__).parents[2]
SECONDS = 30.0
"""Two on a machine of its own; tests share theirs."""
ENDLESS = "def f(n):\n    while True: pass"
RIGHT = "def f(n): return 2 * n + 5"
SLOW = {"code": "assert f(1) == 7\nassert f(4) == 13", "timeout": 60}

pytestmark = [pytest.mark.sandbox, pytest.mark.slow]


@pytest.fixture
def project(place: object, tmp_path: Path) -> Iterator[ProjectFile]:
    """A project with two accepted items; the second is not proven, and its reference never ends."""
    rows = tmp_path / "rows.jsonl"
    whole = {"language": "python", "entry_point": "f", "tests": [SLOW]}
    items = [("one", RIGHT), ("two", ENDLESS)]
    rows.write_text(
        "".join(json.dumps({**whole, "id": name, "prompt": name, "reference": code}) + "\n" for name, code in items)
    )
    store = projects.create_project(tmp_path / "p.annotator", "p", "ada")
    imports.import_paths(store, "jsonl", [rows])
    triage.decide_subjects(store, ["one", "two"], Verdict.ACCEPT)
    yield store
    store.close()


def _count(path: Path, query: str) -> int:
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as db:
        return int(db.execute(query).fetchone()[0])


def _has_container(pid: int) -> bool:
    """Return whether a process has started a container of the sandbox."""
    with closing(docker.from_env()) as client:
        return bool(client.containers.list(filters={"label": f"org.annotator.pid={pid}"}))


def _interrupt(argv: list[str], begun: Callable[[], bool], number: signal.Signals, folder: Path) -> tuple[int, float]:
    """Start a command, and send it a signal while it runs what never ends; returns its status and how long it took."""
    environment = {**os.environ, "XDG_DATA_HOME": str(folder / "data")}
    with subprocess.Popen(
        argv, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment
    ) as process:
        deadline = time.monotonic() + 120
        while not (begun() and _has_container(process.pid)):
            assert process.poll() is None and time.monotonic() < deadline, process.communicate()[1]
            time.sleep(0.1)
        # The container is there; the code in it mostly begins within this time, and then never ends.
        time.sleep(1.5)
        assert process.poll() is None, process.communicate()[1]
        started = time.monotonic()
        process.send_signal(number)
        _, said = process.communicate(timeout=90)
        took = time.monotonic() - started
        assert "Traceback" not in said, said
    return process.returncode, took


def _annotator(*words: object) -> list[str]:
    return [sys.executable, "-m", "annotator", *map(str, words)]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_proof_ends_and_those_before_it_are_kept(
    project: ProjectFile, number: signal.Signals, tmp_path: Path
) -> None:
    proven = "SELECT count(*) FROM proof"
    argv = _annotator("criterion", "prove", project.path)
    status, took = _interrupt(argv, lambda: _count(project.path, proven) > 0, number, tmp_path)
    assert (status, _count(project.path, proven)) == (5, 1)
    assert took < SECONDS


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_run_and_its_scores_end_and_what_was_scored_is_kept(
    project: ProjectFile, number: signal.Signals, tmp_path: Path
) -> None:
    proofs.prove_subjects(project, ["one"])
    versions.create_release(project, "1.0", override_reason="a test")
    answers = tmp_path / "answers.jsonl"
    lines = [("one", RIGHT), *[("two", f"{ENDLESS}  # {at}") for at in range(8)]]
    answers.write_text(
        "".join(
            json.dumps({"subject": name, "model": "m", "sample": at, "response": f"```python\n{code}\n```"}) + "\n"
            for at, (name, code) in enumerate(lines)
        )
    )
    scored = "SELECT count(*) FROM score WHERE outcome = 'pass'"
    argv = _annotator("run", "start", project.path, "--replay", answers)
    status, took = _interrupt(argv, lambda: _count(project.path, scored) > 0, number, tmp_path)
    assert (status, _count(project.path, "SELECT count(*) FROM score")) == (5, 1)
    assert _count(project.path, "SELECT count(*) FROM response") == len(lines)
    assert took < SECONDS
    for word in ("rescore", "resume"):
        argv = _annotator("run", word, project.path, *(["--replay", answers] if word == "resume" else []))
        status, took = _interrupt(argv, lambda: True, number, tmp_path)
        assert (status, word) == (5, word)
        assert took < SECONDS, word
    assert _count(project.path, "SELECT count(*) FROM score WHERE outcome != 'pass'") == 0


def test_mining_ends_and_what_was_answered_is_kept(place: object, tmp_path: Path) -> None:
    root = tmp_path / "shop"
    (root / "tests").mkdir(parents=True)
    body = "    found = 0\n    for price in prices:\n        found += price\n    return found\n"
    (root / "cart.py").write_text(f"def total(prices):\n{body}")
    (root / "tests" / "test_cart.py").write_text(
        "import time\nfrom cart import total\n\n\ndef test_total():\n    while True:\n        assert total([1]) == 1\n"
    )
    (root / "LICENSE").write_text("MIT License\n")
    # Nothing is fetched: the image has a pytest of its own.
    program = (
        "import sys\nfrom annotator.__main__ import main\n"
        "from annotator.mining.repository.confirmation import environment\n"
        "environment.install_libraries = lambda program, wanted, target: target.mkdir(parents=True) or True\n"
        f"sys.exit(main(['mine', 'repository', {str(root)!r}, '--out', {str(tmp_path / 'rows.jsonl')!r}]))\n"
    )
    argv = [sys.executable, "-c", program]
    journals = tmp_path / "data"
    status, took = _interrupt(argv, lambda: any(journals.rglob("mining/*")), signal.SIGTERM, tmp_path)
    assert status == 5 and took < SECONDS
