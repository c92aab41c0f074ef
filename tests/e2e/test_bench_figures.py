"""The measurements of the performance goals: what is printed, and what is refused. No figure is a test here."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest

from annotator.criteria import load_criterion, score_all_by_criterion
from annotator.mining.stackexchange.survey import SurveyOptions, survey_posts
from tests.benchmarks import __main__ as program
from tests.benchmarks import asking, criteria, dump, generation, made_results, mining, results, sandbox, written_rules
from tests.benchmarks.figures import at_most, quantile, reaching, within
from tests.mining.stackexchange import made_dump


def test_every_group_is_a_module_that_measures() -> None:
    folder = Path(program.__file__).parent
    for name in (*program.GROUPS, *program.MORE):
        assert "\ndef measure(" in (folder / f"{name}.py").read_text("utf-8"), name


def test_the_texts_are_measured_beside_their_peers(capsys: pytest.CaptureFixture[str]) -> None:
    assert program.main(["text", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["failed"] == {} and {row["row"] for row in found["figures"]} == {"diff"}
    assert all(row["value"] > 0 and row["floor"] > 0 and row["ratio"] > 0 for row in found["figures"])
    table = program.as_table({**found, "failed": {"store": "no space"}}).splitlines()
    assert table[0].split()[:2] == ["goal", "of"] and table[-1] == "store could not be measured: no space"
    assert len(table) == len(found["figures"]) + 3


@pytest.mark.parametrize("words", [["nothing"], ["--subjects", "10"], ["--subjects", "x"]])
def test_bad_requests(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        program.main(words)
    assert "Traceback" not in capsys.readouterr().err


def test_goals_hold_or_not() -> None:
    assert at_most("a", "b", 3, "ms", 3).met and not at_most("a", "b", 3.1, "ms", 3).met
    assert within("a", "b", 6, "ms", 2, (3, "f")).met and not within("a", "b", 7, "ms", 2, (3, "f")).met
    assert reaching("a", "b", 6, "1/s", 2, (3, "f")).met and not reaching("a", "b", 5, "1/s", 2, (3, "f")).met
    assert within("a", "b", 6, "ms", 2, (3, "f")).ratio == 2 and at_most("a", "b", 3, "ms", 3).ratio is None
    assert quantile([3, 1, 2], 0.5) == 2 and quantile([1], 1.0) == 1
    with pytest.raises(ValueError, match="no values"):
        quantile([], 0.5)


def test_a_made_dump_is_one_that_the_survey_reads(tmp_path: Path) -> None:
    path = tmp_path / "Posts.xml"
    truth = made_dump.write(path, 400)
    seconds, peak = dump.run("survey", path)
    assert seconds > 0 and peak > 1
    counts = survey_posts(path, SurveyOptions(made_dump.AS_OF), tmp_path / "kept")
    assert (counts.rows, counts.questions, counts.bad) == (400, truth.questions, {})


def test_the_made_endpoint_counts_what_it_holds() -> None:
    with generation.endpoint() as url:
        stop = asking.threads(generation.LIMIT, partial(asking.bare, url))()
        deadline = time.monotonic() + 300
        while asking.counts(url)["requests"] < 200 and time.monotonic() < deadline:
            time.sleep(0.05)
        found = asking.counts(url)
        stop()
    assert found["requests"] >= 200
    # A client has one request out at a time, so no more are held than there are clients.
    assert 1 <= found["held"] <= generation.LIMIT and found["area"] > 0


def test_the_made_tests_pass_and_can_fail() -> None:
    for code, test in sandbox.made_cases(20):
        program = subprocess.run([sys.executable, "-I", "-c", f"{code}\n{test}"], capture_output=True, check=False)
        assert program.returncode == 0, program.stderr
        broken = code.replace("sorted(sum(part)", "reversed([sum(part)").replace(".values())", ".values()])")
        assert subprocess.run([sys.executable, "-I", "-c", f"{broken}\n{test}"], capture_output=True).returncode


def test_the_written_rules_say_what_criteria_say() -> None:
    texts = [*criteria.answers(40, 120), "Alpha gamma index sum(", "b1a gamma", ""]
    rules = [
        ({"or": ["alpha", {"content": "b\\w+a", "regex": True}]}, True),
        ("gamma", False),
        ({"and": ["index", {"content": "sum\\(", "regex": True}]}, False),
    ]
    document = load_criterion(criteria.KEYWORDS)
    wanted = [[written_rules.matches(rule, text, lower, False) for rule, lower in rules] for text in texts]
    found = [[rule.matched for rule in result.rules] for result in score_all_by_criterion(document, texts)]
    assert found == wanted
    assert any(all(row) for row in wanted) and any(not any(row) for row in wanted)


def test_scoring_is_measured_beside_its_peers(monkeypatch: pytest.MonkeyPatch) -> None:
    small = {
        "KEYWORD_TEXTS": 50,
        "BLANK_TEXTS": 10,
        "SIMILARITY_TEXTS": 5,
        "PROCESS_TEXTS": 4,
        "_PEER_TEXTS": 2,
        "_ROUNDS": 1,
    }
    for name, value in small.items():
        monkeypatch.setattr(criteria, name, value)
    found = criteria.measure(Path(), 0)
    names = ["keywords", "blanks", "similarity", "blanks one by one", "similarity beside one metric"]
    names += ["similarity over two processes"]
    assert [figure.what.split(",")[0] for figure in found] == names
    assert all(figure.value > 0 and figure.ratio for figure in found)


@pytest.mark.parametrize("answered", [0, 2, 3])
def test_kept_columns_read_as_what_answers_are_gathered_into(tmp_path: Path, answered: int) -> None:
    store = made_results.build(tmp_path / "a.annotator", (3, 40, 4), answered)
    data = results.from_disk(store)
    store.close()
    whole = made_results.build(tmp_path / "b.annotator", (3, 40, 4), 3)
    wanted = results.from_disk(whole)
    whole.close()
    assert data.cube.values.tolist() == wanted.cube.values.tolist() and data.cube.values.shape == (3, 40, 4)
    assert [data.outcomes(at) for at in range(3)] == [wanted.outcomes(at) for at in range(3)]
    assert [part.totals["responses"] for part in data.columns] == [160] * 3


def test_results_are_measured_from_disk_and_on_screen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"MODELS": 4, "ITEMS": 60, "SAMPLES": 2, "SIDE": 12, "_ROUNDS": 1, "_PAINTS": 2}.items():
        monkeypatch.setattr(results, name, value)
    store = made_results.build(tmp_path / "results.annotator", (4, 60, 2), 1)
    found = results.tables_of(store)
    store.close()
    assert all(figure.value >= 0 for figure in found) and len({figure.what for figure in found}) == len(found)


def test_the_made_repository_passes_its_tests_and_all_is_found(tmp_path: Path) -> None:
    functions = mining.write(tmp_path / "repository", 3)
    assert mining.mined(tmp_path / "repository") == functions == 24
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"]
    done = subprocess.run(words, cwd=tmp_path / "repository", capture_output=True, text=True, check=False,
                          env={**os.environ, "PYTHONPATH": str(tmp_path / "repository")})  # fmt: skip
    assert done.returncode == 0, done.stdout


def test_mining_is_measured_on_two_sizes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mining, "FILES", 4)
    monkeypatch.setattr(mining, "_ROUNDS", 1)
    found = {figure.unit: figure for figure in mining.measure(tmp_path, 0)}
    assert found["%"].value == 100 and found["%"].met and found["times"].value > 0
    assert not list(tmp_path.iterdir())
