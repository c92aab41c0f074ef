"""What exports carry to score answers: it needs nothing of ours, and decides as the program does."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from annotator.base.resources import resource_path
from annotator.evaluation.answer_scoring import ItemScorer, ScoreJob
from annotator.formats.write import own_scorer
from annotator.formats.write.export_folder import write_folder
from annotator.model.vocabulary import Outcome
from annotator.sandbox import Pool
from tests.formats.odd_answers import ALL, ENDLESS, is_right, kind_of, toy_items, written
from tests.formats.releases import human_eval, item_of

SECONDS = 1.0
FEW = ("noise when it is loaded", "exits when it is loaded", "ends when it is called", "loops when it is called",
       "writes that it passed, and ends", "a wrong value")  # fmt: skip
SCORE = """
import json, sys
from concurrent.futures import ThreadPoolExecutor
sys.path.append(sys.argv[1])
import annotator_scoring
def verdict(pair):
    task, response = pair
    program = annotator_scoring.program_of(task, response)
    found = annotator_scoring.verdict_on(task, program)
    return [program.code, program.how, found.outcome, found.message]
with ThreadPoolExecutor(2) as threads:
    json.dump(list(threads.map(verdict, json.load(sys.stdin))), sys.stdout)
"""


def _scored(pairs: list[tuple[dict[str, Any], str]], folder: Path) -> list[list[str]]:
    """Return what the package says of answers to items, in a Python that has no other package."""
    write_folder(folder, dict(own_scorer.scorer_files()))
    asked = [(own_scorer.scoring_of(item), response) for item, response in pairs]
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", SCORE, str(folder)],
        input=json.dumps(asked), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    found: list[list[str]] = json.loads(done.stdout)
    return found


def test_it_names_nothing_of_ours() -> None:
    files = own_scorer.scorer_files()
    assert not [
        name for name, text in files.items() if re.search(r"^\s*(?:from|import) annotator\b", text, re.MULTILINE)
    ]
    assert "class CodeSpec" in files["annotator_scoring/answers/source.py"]


def test_what_its_modules_import_of_ours_is_in_it() -> None:
    ours = {path.stem for path in resource_path("sandbox", "supervisor").iterdir() if path.suffix == ".py"}
    texts = [(resource_path("sandbox", "supervisor") / f"{name}.py").read_text() for name in own_scorer.TESTING]
    imported = {word for text in texts for word in re.findall(r"^\s*(?:from|import) (\w+)", text, re.MULTILINE)}
    assert imported & ours <= set(own_scorer.TESTING)


def _agree(cases: list[tuple[dict[str, Any], str]], running: Pool, folder: Path) -> None:
    """Have kinds of answers to items judged by the package and by the program."""
    pairs = [(item, written(item, name)) for item, name in cases]
    scorer = ItemScorer(sandbox=running)
    for (item, name), (_, response), (code, how, outcome, message) in zip(
        cases, pairs, _scored(pairs, folder), strict=True
    ):
        ours = scorer(ScoreJob(item=item, text=response))
        assert (outcome == "pass") == (ours.outcome is Outcome.PASS) == is_right(name), (name, how, message)
        assert code or ours.outcome in (Outcome.EMPTY, Outcome.REFUSAL), (name, how)


def test_odd_answers_get_the_verdict_of_the_program(tmp_path: Path, pool: Pool) -> None:
    quick, slow = toy_items(SECONDS), toy_items(10.0)
    cases = [((quick if name in ENDLESS else slow)[0], name) for name in ALL]
    cases += [((quick if name in ENDLESS else slow)[at], name) for at in range(1, len(slow)) for name in FEW]
    _agree(cases, pool, tmp_path / "out")


def test_odd_answers_to_human_eval_get_the_verdict_of_the_program(tmp_path: Path, pool: Pool) -> None:
    cases = [(item_of(candidate), kind_of(task, 0)) for task, candidate in enumerate(human_eval()[1:21], start=1)]
    _agree(cases, pool, tmp_path / "out")


def test_an_answer_goes_where_the_mask_stands(tmp_path: Path) -> None:
    item = {**toy_items(10.0)[1], "context": "FACTOR = 2\n\n\n[MASK]\n", "prompt": "Double all numbers of a list."}
    code = "def double_all(xs):\n    return [FACTOR * x for x in xs]"
    (program, _, outcome, message), *_ = _scored([(item, f"```python\n{code}\n```")], tmp_path / "out")
    assert (outcome, message) == ("pass", "") and program.startswith("FACTOR = 2\n")


def test_a_pass_by_a_class_of_its_own_is_told_as_weaker(tmp_path: Path) -> None:
    item = toy_items(10.0)[1]
    tests = [{**item["tests"][0], "code": "assert double_all([1]) == Any(7)\n"}]
    code = (
        "class Any:\n    def __init__(self, x):\n        pass\n    def __eq__(self, other):\n        return True\n\n"
        "def double_all(xs):\n    return Any(1)"
    )
    scored = _scored(
        [({**item, "tests": tests}, f"```python\n{code}\n```"), (toy_items(10.0)[1], item["reference"])],
        tmp_path / "out",
    )
    assert [(outcome, message.partition(":")[0]) for _, _, outcome, message in scored] == [
        ("pass", "weaker"),
        ("pass", ""),
    ]


def test_tests_that_need_a_library_that_is_missing_are_no_verdict(tmp_path: Path) -> None:
    item = toy_items(10.0)[1]
    tests = [{**item["tests"][0], "code": "import no_such_library\nassert double_all([1]) == [2]\n"}]
    (_, _, outcome, message), *_ = _scored([({**item, "tests": tests}, item["reference"])], tmp_path / "out")
    assert outcome == "machinery" and "no_such_library" in message
