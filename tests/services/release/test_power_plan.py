"""Size and power: the vector of the specification, variances that runs tell, by hand, and the command."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import variance

import pytest

from annotator.__main__ import main
from annotator.base.errors import BadInputError
from annotator.services.release import power_plan
from annotator.services.release.power_plan import OMEGA2, PowerQuestion, Variances, detectable_difference, needed_items
from annotator.services.results import score_data
from annotator.services.runs import run_control
from annotator.store.file.project_file import ProjectFile
from tests.formats.releases import write_rows
from tests.services.results.test_result_tables import build

ITEMS = 40


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ProjectFile]:
    made = build(tmp_path, 1, ITEMS, 1)
    yield made
    made.close()


def _run(store: ProjectFile, folder: Path, name: str, text: Callable[[int, int], str], samples: int) -> None:
    lines = [{"subject": f"i{item}", "model": name, "sample": sample, "response": text(item, sample)}
             for item in range(ITEMS) for sample in range(samples)]  # fmt: skip
    run_control.start_replay(store, None, write_rows(folder / f"{name}.jsonl", lines))


def test_the_vector_of_the_specification_and_its_inverse() -> None:
    assumed = Variances(OMEGA2, 0.0, 0)
    assert needed_items(0.03, assumed, PowerQuestion()) == 969
    assert detectable_difference(969, assumed, PowerQuestion()) == pytest.approx(0.03, rel=1e-3)
    # Four samples cut the part of decoding to a quarter, and leave the other.
    noisy = Variances(0.05, 0.2, 1)
    assert needed_items(0.1, noisy, PowerQuestion(samples=4)) == needed_items(
        0.1, Variances(0.15, 0.0, 1), PowerQuestion()
    )


def test_without_runs_the_variance_is_assumed_and_said(store: ProjectFile) -> None:
    table = power_plan.plan_benchmark_size(store)
    assert [row[0].text for row in table.rows] == ["text", "web", "all items"]
    assert [row[1].number for row in table.rows] == [ITEMS / 2, ITEMS / 2, ITEMS]
    whole = table.rows[-1]
    assert whole[3].number == needed_items(0.05, Variances(OMEGA2, 0.0, 0), PowerQuestion())
    assert whole[4].number == whole[3].number - ITEMS
    assert "assumed" in table.notes[1]


def test_runs_tell_the_variances(store: ProjectFile, tmp_path: Path) -> None:
    # Scores 1, 1/2, 0 by how many of two words an answer has; one model wavers between its two samples.
    words = {1.0: "alpha beta", 0.5: "alpha", 0.0: "gamma"}
    steady = [(item % 3) / 2 for item in range(ITEMS)]
    _run(store, tmp_path, "steady", lambda item, _: words[steady[item]], 2)
    _run(store, tmp_path, "wavering", lambda item, sample: words[float((item + sample) % 2)], 2)
    data = score_data.load_results(store)
    data = data.only([data.place(name) for name in ("steady", "wavering")])
    found = power_plan.estimate_variances(data)
    noise = variance([0.0, 1.0])
    gaps = [score - 0.5 for score in steady]
    assert found.pairs == 1
    assert found.sampling == pytest.approx((0.0 + noise) / 2)
    assert found.between == pytest.approx(max(0.0, variance(gaps) - noise / 2))


@pytest.mark.parametrize("asked", [PowerQuestion(difference=0), PowerQuestion(samples=0), PowerQuestion(by="mood"),
                                   PowerQuestion(power=1.0)])  # fmt: skip
def test_impossible_questions_are_refused(store: ProjectFile, asked: PowerQuestion) -> None:
    with pytest.raises(BadInputError):
        power_plan.plan_benchmark_size(store, None, asked)


def test_the_command_answers_in_points(store: ProjectFile, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["release", "power", str(store.path), "--difference", "3", "--by", "language", "--version", "1.0"]
    assert main([*words, "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert rows[-1]["items"] == ITEMS and {row["language"] for row in rows} == {"go", "python", "all items"}
    assert rows[-1]["items needed"] == 969
