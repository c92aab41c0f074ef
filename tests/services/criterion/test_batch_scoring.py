"""Scoring a file of responses; what a failed proof shows; answers that work for one call only."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from annotator.__main__ import main
from annotator.base.errors import BadInputError
from annotator.criteria import CriterionError
from annotator.criteria.proof.proof_checks import Judge, JudgeVerdict, ProofCheck, ProofReport, Trial
from annotator.sandbox import Job
from annotator.sandbox.sandbox_jobs import TestCode
from annotator.services.criterion import batch_scoring, revisions
from annotator.services.criterion.batch_scoring import BatchOptions, score_suite
from annotator.services.criterion.proofs import PROGRAMS, check_inputs, failed_trials, with_programs
from tests.template_projects import copy_project, project_of_rows

KEYWORDS = "grading:\n  keywords:\n    - content: yes\n      weight: 2.0\n    - sure\n"
BLANKS = 'grading:\n  blank_filling:\n    template: "print([blank]) # done"\n    targets: ["1"]\n'
TESTS = "lang: python\ngrading:\n  unit_test:\n    tests: [assert f() == 1]\n"


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    folder = tmp_path / "suite"
    folder.mkdir()
    for name, text in {"word": KEYWORDS, "blank": BLANKS, "code": TESTS}.items():
        (folder / f"eval_{name}.yaml").write_text(text)
    return folder


def rows(suite: Path, lines: list[Any], options: BatchOptions | None = None) -> list[dict[str, Any]]:
    path = suite.parent / "responses.jsonl"
    path.write_text("".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines))
    return list(score_suite(suite, path, options))


def line(case: str, idx: int, response: str) -> dict[str, Any]:
    return {"case": case, "idx": idx, "response": response}


def test_rows_keep_their_order_and_name_every_metric(suite: Path) -> None:
    found = rows(suite, [line("word", 0, "yes"), line("blank", 3, "print(1) # done"), line("word", 1, "yes, sure")])
    assert [(row["case"], row["idx"], row["score"]) for row in found] == [
        ("word", 0, 2 / 3),
        ("blank", 3, 1.0),
        ("word", 1, 1.0),
    ]
    assert found[0]["keywords"] == [2.0, 3.0]
    assert [found[0][name] for name in ("blank_filling", "unit_test", "similarity", "custom")] == [None] * 4
    assert found[1]["blank_filling"] == [1.0, 1.0]
    assert [item["matched"] for item in found[0]["detail"]] == [True, False]


def test_only_some_metrics(suite: Path) -> None:
    found = rows(suite, [line("word", 0, "yes")], BatchOptions(only=("blank_filling",)))
    assert found[0]["keywords"] is None and found[0]["status"] == "not_scored"


def test_processes_give_the_same_rows(suite: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [line(("word", "blank")[number % 2], number, f"yes print({number % 3}) # done") for number in range(60)]
    here = rows(suite, lines, BatchOptions(jobs=1))
    monkeypatch.setattr(batch_scoring, "WORTH_PROCESSES", 10)
    monkeypatch.setattr(batch_scoring, "TASK_ROWS", 7)
    assert rows(suite, lines, BatchOptions(jobs=2)) == here


def test_many_windows_are_one_stream(suite: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [line("word", number, "yes") for number in range(25)]
    monkeypatch.setattr(batch_scoring, "WINDOW_ROWS", 4)
    assert [row["idx"] for row in rows(suite, lines)] == list(range(25))


def test_without_a_sandbox_code_is_not_scored_but_the_rest_is(suite: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from annotator.base.errors import MissingEnvironmentError

    def none(**_: object) -> None:
        raise MissingEnvironmentError("There is no engine.")

    monkeypatch.setattr("annotator.services.program.sandbox.open_sandbox", none)
    lines = [line("code", 0, "```python\ndef f(): return 1\n```"), line("word", 0, "yes")]
    found = rows(suite, lines)
    assert found[0]["status"] == "not_scored" and "sandbox" in found[0]["detail"] and found[0]["score"] is None
    assert found[1]["status"] == "scored"
    assert [row["case"] for row in rows(suite, lines, BatchOptions(compat=True))] == ["word"]


@pytest.mark.sandbox
def test_code_is_scored_in_the_sandbox(suite: Path, place: object) -> None:
    found = rows(suite, [line("code", 0, "```python\ndef f(): return 1\n```"), line("code", 1, "```\nf = len\n```")])
    assert [row["unit_test"] for row in found] == [[1.0, 1.0], [0.0, 1.0]]


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (['{"case": "word", "idx": 0}'], "response"),
        (["{"], "responses.jsonl:1"),
        ([{"case": "other", "idx": 0, "response": ""}], "a case other"),
        ([{"case": "word", "idx": -1, "response": ""}], "sample"),
    ],
)
def test_bad_rows_are_named(suite: Path, lines: list[Any], said: str) -> None:
    with pytest.raises(BadInputError, match=said):
        rows(suite, lines)


def test_bad_folders_and_documents(suite: Path, tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="no folder"):
        list(score_suite(tmp_path / "none", tmp_path / "r.jsonl"))
    (tmp_path / "empty").mkdir()
    with pytest.raises(BadInputError, match="eval_"):
        list(score_suite(tmp_path / "empty", tmp_path / "r.jsonl"))
    (suite / "deeper").mkdir()
    (suite / "deeper" / "eval_word.yaml").write_text(KEYWORDS)
    with pytest.raises(BadInputError, match="two files for the case word"):
        rows(suite, [line("word", 0, "")])
    (suite / "deeper" / "eval_word.yaml").rename(suite / "deeper" / "eval_bad.yaml")
    (suite / "deeper" / "eval_bad.yaml").write_text("grading: {keyword: []}")
    with pytest.raises(CriterionError, match="keyword"):
        rows(suite, [line("bad", 0, "")])


# An answer that works for one call only is tried where one test, run once, decides.
CODE = "def double(n):\n    return n * 2\n"
ONE = "def test_double():\n    assert double(1) == 2\n"
SETS = (
    "import pytest\n\n@pytest.mark.parametrize(('n', 'twice'), [(1, 2), (3, 6)])\n"
    "def test_double(n, twice):\n    assert double(n) == twice\n"
)
SEVERAL = f"{ONE}\n\ndef test_three():\n    assert double(3) == 6\n"


@pytest.mark.parametrize(("test", "tried"), [(ONE, True), (SETS, False), (SEVERAL, False)])
def test_tests_that_run_one_by_one_are_not_told_to_call_once(test: str, tried: bool) -> None:
    judge: Any = SimpleNamespace(
        sandbox=object(),
        full_score=1.0,
        jobs=lambda answer: [Job(id="j", language="python", code=answer, tests=(TestCode("t", test),))],
        code_lines=lambda answer: (1, answer.count("\n")),
        verdicts=lambda answers, expected: [JudgeVerdict(1.0, "passed") for _ in answers],
    )
    found = check_inputs(judge, CODE, ProofReport(()))
    assert (found is not None) is tried
    assert found is None or found.outcome == "fail"


# A failed proof shows the rule, the program that ran and what came of it.


@dataclass
class OneJob:
    """A judge that runs two tests for every answer."""

    sandbox: object = True

    def jobs(self, answer: str) -> list[Job]:
        tests = (("small", "assert add(1, 1) == 2"), ("large", "assert add(9, 9) == 18"))
        return [
            Job(id=name, language="python", code=f"{answer}\n", tests=(TestCode(name, code),)) for name, code in tests
        ]


def test_the_program_of_the_test_that_failed_is_kept_and_shown() -> None:
    trials = (
        Trial(label="the reference", kind="reference", expected="pass", score=0.5, ok=False,
         detail="large: AssertionError", answer="def add(a, b): ..."),
        Trial(label="the example in line 3", kind="reference", expected="pass", score=1.0, ok=True, detail="",
         answer="def add(a, b): return a + b"),
    )  # fmt: skip
    report = ProofReport(
        (
            ProofCheck(name="reference", title="The reference passes", outcome="fail", required=True, summary="fails",
             trials=trials),
        )
    )  # fmt: skip
    first = with_programs(report, cast(Judge, OneJob())).checks[0]
    assert first.facts[PROGRAMS] == {"the reference": "def add(a, b): ...\n\n\nassert add(9, 9) == 18\n"}
    document: dict[str, Any] = {
        "title": first.title, "outcome": "fail", "required": True, "facts": first.facts,
        "trials": [{"label": "the reference", "detail": "large: AssertionError", "answer": "", "ok": False}],
    }  # fmt: skip
    [found] = failed_trials([document])
    assert found.seen == "large: AssertionError" and found.program == first.facts[PROGRAMS]["the reference"]
    assert with_programs(report, cast(Judge, OneJob(None))) == report, "where no code is run there is no program"


def test_the_command_shows_the_rule_and_the_answer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    row = {"id": "sort", "prompt": "How do I sort a list?", "reference": "Use sorted(x).", "language": "python"}
    store = project_of_rows(tmp_path / "p.annotator", [row])
    revisions.save_criterion(store, "sort", "grading:\n  keywords: [heapq]\n")
    store.close()
    main(["criterion", "prove", str(tmp_path / "p.annotator")])
    said = capsys.readouterr().out
    assert "the reference" in said and "heapq" in said and "    Use sorted(x)." in said


GOOD = "grading:\n  keywords: [yield]\n"
OTHER = "grading:\n  keywords: [generator]\n"


def _build_project(path: Path) -> None:
    item = {"id": "gen", "prompt": "What makes a generator?", "reference": "The keyword yield."}
    answers = [("good", "It is yield."), ("bad", "A generator is one."), ("mute", "No idea.")]
    rows = [{"subject": "gen", "model": model, "response": text} for model, text in answers]
    items, responses, good = (path.with_name(name) for name in ("items.jsonl", "answers.jsonl", "good.yaml"))
    for file, texts in ((items, [item]), (responses, rows)):
        file.write_text("".join(f"{json.dumps(row)}\n" for row in texts))
    good.write_text(GOOD)
    project = str(path)
    for line in (
        ["new", project, "--name", "P", "--annotator", "Ada"],
        ["import", "jsonl", str(items), "--project", project],
        ["select", project, "--subject", "gen", "--verdict", "accept"],
        ["criterion", "set", project, "--subject", "gen", "--file", str(good)],
        ["criterion", "prove", project],
        ["release", "create", project, "--version", "1.0"],
        ["run", "start", project, "--release", "1.0", "--replay", str(responses)],
    ):
        assert main(line) == 0


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    for name, text in (("good.yaml", GOOD), ("other.yaml", OTHER), ("broken.yaml", "grading:\n  keyword: [a]\n")):
        Path(name).write_text(text)
    copy_project(tmp_path / "p.annotator", "a run by a criterion", _build_project)
    return "p.annotator"


def _set(project: str, file: str, *more: str) -> int:
    return main(["criterion", "set", project, "--subject", "gen", "--file", file, *more])


def test_a_criterion_that_its_reference_fails_is_saved_only_anyway(
    project: str, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    assert _set(project, "other.yaml", "--dry-run") == 0
    said = capsys.readouterr().out
    assert "The reference does not earn the full score." in said
    assert "2 answers get a different score (of 3); 2 of them switch between passing and failing" in said
    assert main(["show", project, "--subject", "gen", "--json"]) == 0
    assert "[yield]" in capsys.readouterr().out  # a dry run saves nothing
    assert _set(project, "other.yaml") == 3
    refused = capsys.readouterr().err
    assert "The reference does not earn the full score. Nothing was saved." in refused and "--anyway" in refused
    assert "2 answers get a different score" in refused
    assert main(["show", project, "--subject", "gen", "--json"]) == 0
    assert "[yield]" in capsys.readouterr().out
    assert _set(project, "other.yaml", "--anyway", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["done"].startswith("Criterion of") and found["preview"]["failing"] == ["the reference"]
    assert found["preview"]["radius"]["flips"] == 2
    assert main(["show", project, "--subject", "gen", "--json"]) == 0
    assert "[generator]" in capsys.readouterr().out


def test_what_changes_nothing_is_saved_without_a_word(project: str, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert _set(project, "good.yaml", "--dry-run") == 0
    assert capsys.readouterr().out.strip() == "No existing score would change."


def test_a_document_with_errors_is_refused(project: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert _set(project, "broken.yaml") == 3
    assert "did you mean keywords?" in capsys.readouterr().err
