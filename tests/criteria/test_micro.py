"""The grading language against small cases whose expectations come from running the reference (Apache-2.0 data)."""

from __future__ import annotations

import json
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest

from annotator import criteria
from annotator.criteria.metrics.extraction import TIMEOUTS, assemble_program, extract_code
from annotator.sandbox import Job, JobResult, find_language

ROWS = [json.loads(line) for line in (Path(__file__).parent / "vectors" / "micro.jsonl").read_text().splitlines()]
HANDLERS = """
def kw_double(a, t, context):
    return 2 * a, t + 3, [f"n={len(context)}", f"m={context.count('match')}"]
def bf_half(a, t, details):
    return a / 2, t, [item.partition(":")[0] for item in details]
def custom_len(response):
    return len(response), 10, {"len": len(response)}
"""


def _rows(*kinds: str) -> list[Any]:
    return [pytest.param(row, id=row["id"]) for row in ROWS if row["kind"] in kinds]


class Here:
    """Runs the handlers of these tests, which are ours, in this process."""

    def submit(self, job: Job) -> Future[JobResult]:
        import contextlib
        import io
        import sys

        out, before = io.StringIO(), sys.stdin
        sys.stdin = io.StringIO(job.stdin)
        try:
            with contextlib.redirect_stdout(out):
                exec(job.code, {})
        finally:
            sys.stdin = before
        future: Future[JobResult] = Future()
        future.set_result(JobResult(id=job.id, outcome="pass", stdout=out.getvalue()))
        return future


@pytest.mark.parametrize("row", _rows("grade"))
def test_grades(row: dict[str, Any]) -> None:
    source = f"full_score: {row['full_score']}\ngrading: {json.dumps(row['grading'], ensure_ascii=False)}\n"
    checked = criteria.parse_criterion(source, {"micro_handlers.py": HANDLERS})
    if "error" in row["expect"]:
        # Where the reference raises while it grades, the document is refused beforehand, with the place.
        assert checked.document is None
        assert any(problem.severity == "error" and problem.line >= 1 for problem in checked.problems)
        return
    assert checked.document is not None, checked.problems
    result = criteria.score_by_criterion(checked.document, row["response"], sandbox=Here())
    status = row["expect"]["status"]
    assert result.score == row["expect"]["score"], result
    for metric, name in (
        ("keywords", "keywords"),
        ("blank_filling", "blank_filling"),
        ("similarity", "similarity"),
        ("customized", "custom"),
    ):
        if f"{name}_score" in status:
            found = result.metrics[metric]
            assert (found.points, found.total) == (status[f"{name}_score"], status[f"{name}_totscore"])
    if "keywords" in status:
        matched = [rule.matched for rule in result.rules if rule.metric == "keywords"]
        assert matched == [word == "match" for word in status["keywords"]]
    if "blank_filling_detail" in status:
        assert [rule.detail for rule in result.rules if rule.metric == "blank_filling"] == status[
            "blank_filling_detail"
        ]
    for metric, key in (("keywords", "post_handler_detail"), ("blank_filling", "blank_filling_post_handler_detail")):
        if key in status:
            assert result.metrics[metric].extra["handler"] == status[key]


@pytest.mark.parametrize("row", _rows("extract"))
def test_code_is_taken_out_of_responses(row: dict[str, Any]) -> None:
    found = extract_code(row["text"], find_language(row["lang"]).name, only_longest=row["only_longest"])
    assert found == row["expect"]["extracted"]


@pytest.mark.parametrize("row", _rows("assemble"))
def test_programs_are_put_together(row: dict[str, Any]) -> None:
    name = find_language(row["lang"]).name
    code = extract_code(f"{row['prefix']}\n{row['response']}", name)
    assert f"{assemble_program(code, name, row['prefix_file'])}\n{row['test']}" == row["expect"]["program"]
    assert TIMEOUTS[name] == row["expect"]["timeout"]


def test_future_imports_in_brackets_move_whole() -> None:
    code = "x = 1\nfrom __future__ import (\n    annotations,\n    division,\n)\ny = (2)\n"
    program = assemble_program(code, "python")
    compile(program, "program", "exec")
    assert program.startswith("from __future__ import (\n    annotations,\n    division,\n)\n")
    assert program.endswith("x = 1\ny = (2)")
