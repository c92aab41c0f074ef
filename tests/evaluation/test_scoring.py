"""From answers to programs, and from programs to scores."""

from __future__ import annotations

import ast
import gzip
import json
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest

from annotator.evaluation.answer_scoring import ItemScorer, ScoreJob, job_of, program_of, score_job, score_test_results
from annotator.evaluation.executors import LocalExecutor
from annotator.evaluation.forgotten_imports import add_forgotten_imports, cut_at_stops
from annotator.evaluation.planning import plan_requests, replay_answers
from annotator.evaluation.presets import Pass, find_protocol_preset
from annotator.evaluation.repository_tests import function_body
from annotator.evaluation.scoring_queue import Scoring
from annotator.llm.requests import Decoding, Endpoint
from annotator.model.vocabulary import Outcome
from annotator.sandbox import Job, JobResult, TestResult
from tests.evaluation.evaluations import run_evaluation
from tests.evaluation.test_engine import Kept
from tests.samples import load_samples

SAMPLES = load_samples(__file__)

DATA = Path(__file__).parents[3] / "shared" / "data" / "infibench-dev"


def test_a_continuation_ends_at_the_first_stop() -> None:
    assert cut_at_stops("  return 1\ndef g():\n# x", ("\n#", "\ndef")) == "  return 1"
    assert cut_at_stops("x", ()) == "x"


@pytest.mark.parametrize(("code", "body"), SAMPLES["bodies"])
def test_the_body_of_a_function(code: str, body: str | None) -> None:
    assert function_body(code, "module.f") == body


def test_forgotten_imports_are_completed_from_the_task_alone() -> None:
    code = '"""Doc."""\nfrom __future__ import annotations\nimport json\n\ndef f(p):\n    return json.loads(os.path.join(p, np.x(), sin(1), gone))'
    made, added = add_forgotten_imports(
        code, ["import os, sys\nfrom math import sin, cos\n[MASK]", "You may import numpy as np."]
    )
    assert added == ("import os", "from math import sin", "import numpy as np")
    assert made.split("\n")[:5] == [
        '"""Doc."""',
        "from __future__ import annotations",
        "import os",
        "from math import sin",
        "import numpy as np",
    ]
    ast.parse(made)
    assert add_forgotten_imports("def f(os): return os", ["import os"]) == ("def f(os): return os", ())
    assert add_forgotten_imports("not python (", ["import os"]) == ("not python (", ())
    assert add_forgotten_imports("print(len)", ["import print, len"])[1] == ()
    several = add_forgotten_imports("b(c)", ["from .a import (\n    b,\n    c,\n)"])
    assert several[1] == ("from .a import b", "from .a import c")


ITEM = {
    "id": "i", "key": "k", "language": "python", "entry_point": "add", "prompt": "def add(a, b):\n    \"\"\"Add.\"\"\"\n",
    "tests": [{"name": "one", "code": "assert add(1, 2) == 3"}, {"name": "two", "code": "assert add(0, 0) == 0"}],
}  # fmt: skip


@pytest.mark.parametrize(
    ("item", "job", "program"),
    [
        (ITEM, {"text": "```python\ndef add(a, b):\n    return a + b\n```"}, "def add(a, b):\n    return a + b"),
        (ITEM, {"text": "    return a + b\nprint(1)", "continued": True, "stops": ("\nprint",)},
         'def add(a, b):\n    """Add."""\n    return a + b'),
        (ITEM, {"text": "return a + b"}, 'def add(a, b):\n    """Add."""\n    return a + b'),
        ({"language": "python", "context": "class A:\n    [MASK]\n\nx = 1"}, {"text": "```\ndef f(self):\n    return 1\n```"},
         "class A:\n    def f(self):\n        return 1\n\nx = 1"),
        ({"language": "python", "context": "import os\n"}, {"text": "y = os.sep", "complete": True}, "import os\ny = os.sep"),
        ({"language": "java"}, {"text": "```java\nclass A {}\n```"}, "class A {}"),
        (ITEM, {"text": "```python\n```"}, ""),
    ],
)  # fmt: skip
def test_the_program_that_is_tested(item: dict[str, Any], job: dict[str, Any], program: str) -> None:
    assert program_of(ScoreJob(item=item, **job)).code == program


class Sandbox:
    def __init__(self, outcome: str = "pass") -> None:
        self.jobs: list[Job] = []
        self.outcome = outcome

    def submit(self, job: Job) -> Future[JobResult]:
        self.jobs.append(job)
        future: Future[JobResult] = Future()
        tests = tuple(TestResult(name=test.name, outcome=self.outcome) for test in job.tests or ())
        future.set_result(JobResult(id=job.id, outcome=self.outcome, tests=tests, message="why"))
        return future


@pytest.mark.parametrize(
    ("outcome", "finish", "expected", "score"),
    [
        ("pass", "stop", Outcome.PASS, 1.0), ("fail", "stop", Outcome.FAIL, 0.0), ("timeout", "stop", Outcome.FAIL, 0.0),
        ("compile_error", "length", Outcome.TRUNCATED, 0.0), ("pass", "length", Outcome.PASS, 1.0),
        ("disputed", "stop", Outcome.DISPUTED, 0.0), ("flaky", "length", Outcome.TRUNCATED, 0.0),
        ("fail", "content_filter", Outcome.FILTERED, 0.0), ("machinery", "stop", Outcome.MACHINERY, None),
    ],
)  # fmt: skip
def test_items_with_tests_are_scored_in_the_sandbox(
    outcome: str, finish: str, expected: Outcome, score: float | None
) -> None:
    sandbox = Sandbox(outcome)
    scored = ItemScorer(sandbox=sandbox)(
        ScoreJob(item=ITEM, text="```\ndef add(a, b): return a + b\n```", finish_reason=finish)
    )
    assert (scored.outcome, scored.score) == (expected, score)
    assert [test.name for test in sandbox.jobs[0].tests or ()] == ["one", "two"]


def test_a_check_that_nobody_calls_is_called_with_the_entry_point() -> None:
    checks = "def check(candidate):\n    assert candidate(1, 2) == 3\n"
    for code, entry, last in (
        (checks, "add", "check(add)"),
        (checks + "check(add)\n", "add", "check(add)"),
        (checks, "", "assert candidate(1, 2) == 3"),
    ):
        sandbox = Sandbox()
        item = {**ITEM, "entry_point": entry, "tests": [{"name": "check", "code": code}]}
        ItemScorer(sandbox=sandbox)(ScoreJob(item=item, text="def add(a, b): return a + b"))
        [test] = sandbox.jobs[0].tests or ()
        assert test.code.rstrip().endswith(last) and test.code.count("check(add)") == last.startswith("check")


def test_what_cannot_be_scored_says_why_and_never_counts_as_0() -> None:
    for item, sandbox, words in (
        ({"key": "k"}, None, "neither"),
        (ITEM, None, "sandbox"),
        ({**ITEM, "criterion": "grading: ["}, Sandbox(), "cannot be read"),
    ):
        scored = ItemScorer(sandbox=sandbox)(ScoreJob(item=item, text="x"))
        assert scored.outcome is Outcome.MACHINERY and scored.score is None and words in scored.detail["reason"]
    assert (
        score_job(
            ScoreJob(item={"criterion": "grading:\n  keywords:\n    - yes\n"}, text="yes", finish_reason="")
        ).outcome
        is Outcome.MACHINERY
    )


def test_nothing_to_run_is_no_answer() -> None:
    sandbox = Sandbox()
    for text in ("", "  \n", "```\n```"):
        assert ItemScorer(sandbox=sandbox)(ScoreJob(item=ITEM, text=text)).outcome is Outcome.EMPTY
    assert sandbox.jobs == []


def test_added_imports_are_logged_with_the_score() -> None:
    item = {**ITEM, "context": "import math\n"}
    scored = ItemScorer(sandbox=Sandbox())(
        ScoreJob(item=item, text="def add(a, b): return math.fsum([a, b])", complete=True)
    )
    assert scored.detail["imports_added"] == ["import math"]
    assert score_test_results(JobResult(id="j", outcome="pass", weaker="shared")).detail["weaker"] == "shared"


@pytest.mark.skipif(not DATA.is_dir(), reason="the published data is not beside the project")
@pytest.mark.parametrize("model", ["gpt-4", "gpt-3.5-turbo"])
def test_a_replay_of_the_published_responses_scores_as_published(model: str) -> None:
    def rows(name: str) -> list[dict[str, Any]]:
        with gzip.open(DATA / name, "rt", encoding="utf-8") as stream:
            return [json.loads(line) for line in stream]

    items = []
    for case in rows("cases.jsonl.gz"):
        criterion = next(text for name, text in case["files"].items() if name.startswith("eval_"))
        prompt = next(text for name, text in case["files"].items() if name.startswith("prompt_"))
        items.append(
            {
                "id": case["case"],
                "key": case["case"],
                "prompt": prompt,
                "criterion": criterion,
                "extra": {"files": case["files"]},
            }
        )
    recorded = {(row["case"], row["idx"]): (row["response"], "stop") for row in rows(f"responses_{model}.jsonl.gz")}
    gold = {(row["case"], row["idx"]): row for row in rows(f"gold_{model}.jsonl.gz")}
    base = find_protocol_preset("infibench")
    protocol = base.__class__(
        **{**{name: getattr(base, name) for name in base.__dataclass_fields__}, "passes": (Pass(Decoding(), 10),)}
    )
    by_id = {item["id"]: item for item in items}
    sink = Kept()
    executor = LocalExecutor(ItemScorer(), 2)
    end = run_evaluation(
        plan_requests(items, protocol, model, Endpoint(base_url="http://localhost/v1")), replay_answers(recorded, model), sink,
        scoring=Scoring(executor, lambda finished: job_of(by_id[finished.planned.item_id], finished, protocol)), workers=4,
    )  # fmt: skip
    executor.close()
    assert end.tally.answered == len(recorded) == end.tally.scored
    compared = 0
    for key, judgement in sink.scored.items():
        if judgement.result.score is not None and gold[key]["unit_test"] is None and gold[key]["custom"] is None:
            assert judgement.result.score == pytest.approx(gold[key]["score"], abs=1e-9), key
            compared += 1
    assert compared > 150


class Lacking:
    """A sandbox without some modules: all that imports one fails, as an answer may claim of others."""

    def __init__(self, *modules: str, claimed: str = "") -> None:
        self.modules = modules
        self.claimed = claimed
        self.asked: list[str] = []

    def submit(self, job: Job) -> Future[JobResult]:
        future: Future[JobResult] = Future()
        if job.tests is None:
            self.asked.append(job.code)
            gone = any(f"find_spec({name!r})" in job.code for name in self.modules)
            future.set_result(JobResult(id=job.id, outcome="fail" if gone else "pass"))
        else:
            said = f"ModuleNotFoundError: No module named '{self.claimed}'"
            future.set_result(
                JobResult(id=job.id, outcome="fail", tests=(TestResult(name="t", outcome="fail", message=said),))
            )
        return future


@pytest.mark.parametrize(
    ("claimed", "outcome"),
    [("rsa", Outcome.MACHINERY), ("numpy", Outcome.FAIL), ("torch", Outcome.FAIL), ("gmpy2", Outcome.FAIL)],
)
def test_a_library_that_the_item_needs_is_no_fault_of_the_answer(claimed: str, outcome: Outcome) -> None:
    item = {"language": "python", "entry_point": "f", "context": "import rsa, numpy as np\n[MASK]\n",
            "tests": [{"name": "t", "code": "assert f() == 1"}]}  # fmt: skip
    sandbox = Lacking("rsa", "torch", claimed=claimed)
    scorer = ItemScorer(sandbox=sandbox)
    found = [scorer(ScoreJob(item=item, text="def f():\n    return 1")) for _ in range(2)]
    assert [one.outcome for one in found] == [outcome] * 2
    assert len(sandbox.asked) == (claimed in ("rsa", "numpy")), "asked once, of what the item imports itself"
    if outcome == Outcome.MACHINERY:
        assert "the library rsa" in found[0].detail["reason"] and found[0].score is None
