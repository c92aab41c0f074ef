"""The Python interface: read-only, numbers as numbers, and the manual's examples as they stand."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from annotator import notebook
from annotator.base.errors import BadInputError
from annotator.base.resources import resource
from annotator.model.vocabulary import Verdict
from annotator.services.criterion import revisions
from annotator.services.project import members
from annotator.services.release import versions
from annotator.services.runs import run_control
from annotator.services.select import triage
from annotator.store.file.project_file import ProjectFile

pytest.importorskip("pyarrow", reason="Arrow tables need pyarrow")
pytestmark = pytest.mark.file_only("a notebook opens files")


@pytest.fixture
def path(store: ProjectFile, tmp_path: Path) -> Path:
    """A project with release 0.1 and a run of two answers an item, one of which is right."""
    for name in ("0", "1"):
        triage.decide(store, [name], Verdict.ACCEPT)
        revisions.save_criterion(store, name, "grading:\n  keywords: [merge_them]\n")
    versions.create_release(store, "0.1", override_reason="a test")
    answers = tmp_path / "answers.jsonl"
    rows = [
        {"subject": name, "sample": n, "model": "m", "response": ("no", "merge_them")[n]}
        for name in "01"
        for n in (0, 1)
    ]
    answers.write_text("".join(json.dumps(row) + "\n" for row in rows))
    run_control.start_replay(store, "0.1", answers)
    assert isinstance(store.place, Path)
    return store.place


def test_scores_are_numbers(path: Path) -> None:
    with notebook.open_project(path) as project:
        scores = project.scores()
    assert sorted(scores["score"].to_pylist()) == [0.0, 0.0, 1.0, 1.0]
    assert str(scores.schema.field("score").type) == "double" and str(scores.schema.field("sample").type) == "int64"
    assert set(scores["version"].to_pylist()) == {"0.1"} and set(scores["model"].to_pylist()) == {"m"}


def test_results_are_those_of_the_leaderboard(path: Path) -> None:
    with notebook.open_project(path) as project:
        (row,) = project.results().to_pylist()
    assert (row["version"], row["model"], row["score"], row["items"], row["samples"]) == ("0.1", "m", 0.5, 2, 4)
    assert 0 <= row["low"] <= 0.5 <= row["high"] <= 1


def test_a_release_shows_its_items_alone(path: Path) -> None:
    with notebook.open_project(path) as project, notebook.open_release(path) as release:
        assert project.subjects().num_rows > release.subjects().num_rows == 2
        assert release.version == "0.1" and all(release.subjects()["prompt"].to_pylist())
        assert release.responses().num_rows == 4
    with pytest.raises(BadInputError, match=r"0\.9"):
        notebook.open_release(path, "0.9")


def test_nothing_is_there_without_a_run(store: ProjectFile) -> None:
    assert isinstance(store.place, Path)
    with notebook.open_project(store.place) as project:
        assert (project.scores().num_rows, project.results().num_rows) == (0, 0)
        assert "proven" in project.subjects().column_names
        with pytest.raises(BadInputError):
            project.judgements()


def test_the_notebook_shows_names_as_text(store: ProjectFile, path: Path) -> None:
    members.rename_project(store, "<script>")
    with notebook.open_project(path) as project:
        assert "&lt;script&gt;" in project._repr_html_() and "0.1" in project._repr_html_()


def test_the_examples_of_the_manual_run(path: Path, tmp_path: Path) -> None:
    pytest.importorskip("pandas", reason="an example uses pandas")
    text = resource("help", "notebook.md").read_text(encoding="utf-8")
    code = "\n".join(re.findall(r"```python\n(.*?)```", text, re.DOTALL)).replace("p.annotator", str(path))
    root = str(Path(notebook.__file__).parents[2])
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env={**os.environ, "PYTHONPATH": root},
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
