"""Scoring a file of responses: columns, order, processes, what cannot be scored, bad input."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from annotator.base.errors import BadInputError
from annotator.criteria import CriterionError
from annotator.services.criterion import batch_scoring
from annotator.services.criterion.batch_scoring import BatchOptions, score_suite

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
