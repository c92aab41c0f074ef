"""Coverage equals that of each language's own tools, and no answer can write it."""

from __future__ import annotations

from typing import Any

import pytest

from annotator.sandbox import Job, Pool, TestCode
from annotator.sandbox.coverage import read_report, union
from annotator.sandbox.coverage.source_map import Position, SourceMap
from tests.sandbox.coverage_samples import FORGERIES, LIMITS, SAMPLES, Sample


def _job(sample: Sample) -> Job:
    tests = tuple(TestCode(str(number), code) for number, code in enumerate(sample.tests))
    return Job(
        id=f"{sample.language} {sample.name}",
        language=sample.language,
        code=sample.code,
        tests=tests,
        limits=LIMITS,
        coverage=True,
    )


@pytest.mark.sandbox
def test_lines_and_arms_are_those_of_each_languages_own_tools(languages: Pool) -> None:
    results = {result.id: result for result in languages.run([_job(sample) for sample in SAMPLES])}
    for sample in SAMPLES:
        result = results[f"{sample.language} {sample.name}"]
        assert result.outcome == "pass" and result.coverage is not None, result
        lines = len(result.coverage["executed"]) + len(result.coverage["missing"])
        assert (lines, tuple(result.coverage["missing"])) == (sample.lines, sample.missing), result.id
        assert tuple(map(tuple, result.coverage["branches"])) == sample.arms, result.id


_UNREACHED = {"python": 4, "c": 5, "javascript": 5, "java": 5}


@pytest.mark.sandbox
def test_a_file_that_an_answer_writes_is_no_coverage(languages: Pool) -> None:
    results = {result.id: result for result in languages.run(FORGERIES)}
    for job in FORGERIES:
        result = results[job.id]
        assert result.outcome == "pass", result
        if result.coverage is None:
            assert job.id == "garbage and folders"
            continue
        assert _UNREACHED[job.language] in result.coverage["missing"], result
        assert sum(row[1] for row in result.coverage["branches"]) < sum(row[2] for row in result.coverage["branches"])


def test_arms_of_different_owners_are_kept_apart() -> None:
    one = {"executed": [1], "missing": [], "branches": [[1, 1, 2]], "arms": [[1, [1, 0], "larger<int>"]]}
    two = {"executed": [1], "missing": [], "branches": [[1, 1, 2]], "arms": [[1, [0, 1], "larger<double>"]]}
    both = union([one, two])
    assert both is not None and both["branches"] == [[1, 2, 4]]
    same = union([one, {**two, "arms": [[1, [0, 1], "larger<int>"]]}])
    assert same is not None and same["branches"] == [[1, 2, 2]]


def test_code_that_is_one_function_is_not_taken_for_the_whole_script() -> None:
    text = "function f(x) {\n  if (x) {\n    return 1;\n  }\n  return 2;\n}"
    functions = [
        {"isBlockCoverage": True, "ranges": [{"startOffset": 0, "endOffset": 70, "count": 1}]},
        {
            "isBlockCoverage": True,
            "ranges": [
                {"startOffset": 0, "endOffset": 58, "count": 1},
                {"startOffset": 44, "endOffset": 57, "count": 0},
            ],
        },
    ]
    found = read_report({"script": {"functions": functions, "text": f"{text}\n;\nf(1)", "map": None}, "lines": 6})
    assert found is not None and (found["missing"], found["branches"]) == ([5], [[1, 2, 2], [5, 0, 1]])
    joined = union([found, found])
    assert joined is not None and joined["branches"] == found["branches"]


@pytest.mark.parametrize(
    "arms", [[[1, [1, 2], ""]], [[1, [-1], ""]], [[1, [1] * 10**5, ""]], [["1", [1], ""]], [[1, [1]]]]
)
def test_arms_that_cannot_be_are_no_report(arms: list[object]) -> None:
    assert read_report({"executed": [1], "missing": [], "arms": arms}) is None
    assert read_report({"executed": [1], "missing": []}) is None


def _script(*ranges: tuple[int, int, int]) -> dict[str, Any]:
    """Return a report of V8 on a script of one function with these counted ranges."""
    text = "function f(x) {\n  if (x) {\n    return 1;\n  } else {\n    return 2;\n  }\n}"
    counted = [{"startOffset": start, "endOffset": end, "count": count} for start, end, count in ranges]
    functions = [{"isBlockCoverage": True, "ranges": counted}]
    return {"script": {"functions": functions, "text": f"{text}\n;\nf(1)", "map": None}, "lines": 7}


def test_an_arm_is_taken_if_any_run_took_it() -> None:
    # V8 leaves out the arm that ran as often as the function.
    then, other = read_report(_script((0, 68, 1), (47, 66, 0))), read_report(_script((0, 68, 1), (25, 46, 0)))
    assert then is not None and then["branches"] == [[1, 1, 1], [4, 0, 1]] and then["missing"] == [5]
    assert other is not None and other["branches"] == [[1, 1, 1], [2, 0, 1]] and other["missing"] == [3]
    both = union([then, other])
    assert both is not None and both["branches"] == [[1, 1, 1], [2, 1, 1], [4, 1, 1]] and both["missing"] == []
    # Ranges of two runs that overlap are two arms.
    overlapping = read_report(_script((0, 68, 1), (25, 60, 0)))
    both = union([then, overlapping]) if overlapping is not None else None
    assert both is not None and [row[1:] for row in both["branches"]] == [[1, 1], [1, 1], [1, 1]]


def test_a_source_map_tells_where_compiled_code_comes_from() -> None:
    # Column 0 and 4 of the first line come from 0:2 and 0:6, column 0 of the third from 1:0.
    found = SourceMap("AAAE,IAAI;;AACN")
    assert found.start(0, 3) == Position(0, 2) and found.start(0, 9) == Position(0, 6)
    assert found.start(1, 0) is None and found.start(2, 5) == Position(1, 0)
    assert found.end(0, 4) == Position(0, 6) and found.end(0, 9) == Position(0, None)
    assert found.extent(1) == (0, 0) and found.extent(2) == (0, 2)
