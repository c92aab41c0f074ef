"""The Python interface: read-only, numbers as numbers, and the manual's examples as they stand."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from annotator import notebook
from annotator.base.errors import BadInputError
from annotator.base.resources import resource_path
from annotator.model.vocabulary import Verdict
from annotator.services.criterion import revisions
from annotator.services.project import members, projects
from annotator.services.release import versions
from annotator.services.runs import run_control
from annotator.services.select import triage
from annotator.services.sources import imports
from annotator.store.file.project_file import ProjectFile
from tests.formats.releases import write_rows
from tests.template_projects import copy_project

pytest.importorskip("pyarrow", reason="Arrow tables need pyarrow")
pytestmark = pytest.mark.file_only("a notebook opens files")


@pytest.fixture
def path(tmp_path: Path, rows_file: Path) -> Path:
    """A project with release 0.1 and a run of two answers an item, one of which is right."""
    copy_project(tmp_path / "p.annotator", "a run of two answers", partial(_build_project, rows_file=rows_file))
    return tmp_path / "p.annotator"


def _build_project(path: Path, rows_file: Path) -> None:
    store = projects.create_project(path, "Demo", "Ada")
    imports.import_paths(store, "jsonl", [rows_file])
    for name in ("0", "1"):
        triage.decide_subjects(store, [name], Verdict.ACCEPT)
        revisions.save_criterion(store, name, "grading:\n  keywords: [merge_them]\n")
    versions.create_release(store, "0.1", override_reason="a test")
    rows = [
        {"subject": name, "sample": n, "model": "m", "response": ("no", "merge_them")[n]}
        for name in "01"
        for n in (0, 1)
    ]
    run_control.start_replay(store, "0.1", write_rows(path.with_suffix(".answers.jsonl"), rows))
    store.close()


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


def test_the_notebook_shows_names_as_text(path: Path) -> None:
    with closing(projects.open_project(path)) as store:
        members.rename_project(store, "<script>")
    with notebook.open_project(path) as project:
        assert "&lt;script&gt;" in project._repr_html_() and "0.1" in project._repr_html_()


def test_the_examples_of_the_manual_run(path: Path, tmp_path: Path) -> None:
    pytest.importorskip("pandas", reason="an example uses pandas")
    text = resource_path("help", "notebook.md").read_text(encoding="utf-8")
    code = "\n".join(re.findall(r"```python\n(.*?)```", text, re.DOTALL)).replace("p.annotator", str(path))
    root = str(Path(notebook.__file__).parents[2])
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env={**os.environ, "PYTHONPATH": root},
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def _duckdb_means(project: Any) -> Any:
    scores = project.scores()
    assert len(scores)
    return pytest.importorskip("duckdb").sql("select model, avg(score) from scores group by model").fetchall()


def _pandas(table: Any) -> Any:
    pytest.importorskip("pandas", reason="a data frame of pandas")
    return table.to_pandas()


ONE_LINERS: dict[str, tuple[Callable[[Any], Any], object]] = {
    "what is this": (lambda p: "0.1" in repr(p) and "runs()" in repr(p), True),
    "how many subjects": (lambda p: len(p.subjects()), 4),
    "which columns": (lambda p: p.scores().columns[:2], ["response_id", "run_id"]),
    "the first rows": (lambda p: p.subjects().head(2).num_rows, 2),
    "the table as text": (lambda p: "jsonl:0" in repr(p.subjects()) and "4 rows" in repr(p.subjects()), True),
    "the table in a cell": (lambda p: p.scores()._repr_html_().count("<tr>"), 5),
    "row by row": (lambda p: sorted({row["model"] for row in p.scores()}), ["m"]),
    "one row": (lambda p: p.runs()[0]["state"], "done"),
    "the last rows": (lambda p: len(p.scores()[-2:]), 2),
    "one column": (lambda p: sorted(p.scores()["key"].to_pylist()), ["jsonl:0", "jsonl:0", "jsonl:1", "jsonl:1"]),
    "some columns": (lambda p: p.scores()[["model", "score"]].columns, ["model", "score"]),
    "the runs": (lambda p: p.runs().to_pylist()[0]["answered"], 4),
    "runs of a release": (lambda p: len(p.release("0.1").runs()), 1),
    "the releases": (lambda p: p.releases, ("0.1",)),
    "items with texts": (lambda p: all(row["prompt"] for row in p.release().subjects()), True),
    "keys are the same": (
        lambda p: (
            {"subject_id", "key"} <= set(p.subjects().columns) & set(p.scores().columns) & set(p.responses().columns)
        ),
        True,
    ),
    "an arrow join": (
        lambda p: p.responses().join(p.scores().select(["response_id", "score"]), "response_id").num_rows,
        4,
    ),
    "an arrow group": (lambda p: p.scores().group_by("model").aggregate([("score", "mean")]).num_rows, 1),
    "an arrow table": (lambda p: pytest.importorskip("pyarrow").table(p.scores()).num_rows, 4),
    "means by model": (lambda p: _pandas(p.scores()).groupby("model")["score"].mean().to_dict(), {"m": 0.5}),
    "a merge": (lambda p: len(_pandas(p.scores()).merge(_pandas(p.subjects()), on=["subject_id", "key"])), 4),
    "a query": (lambda p: len(_pandas(p.responses()).query("sample == 0")["text"]), 2),
    "pandas by Arrow": (lambda p: len(pytest.importorskip("pandas").DataFrame.from_arrow(p.scores())), 4),
    "polars by Arrow": (lambda p: pytest.importorskip("polars").DataFrame(p.scores()).height, 4),
    "what Arrow lacks": (lambda p: _pandas(p.scores()) is not None and p.scores().score.mean(), 0.5),
    "duckdb by Arrow": (_duckdb_means, [("m", 0.5)]),
}


@pytest.mark.parametrize("line", ONE_LINERS)
def test_what_a_data_scientist_would_write(path: Path, line: str) -> None:
    make, expected = ONE_LINERS[line]
    with notebook.open_project(path) as project:
        assert make(project) == expected
