"""Coverage equals that of each language's own tools, and no answer can write it."""

from __future__ import annotations

import pytest

from annotator.sandbox import Job, Pool, TestCode
from annotator.sandbox.coverage import read_report, union
from annotator.sandbox.coverage.range_tree import add_trees, build_range_tree
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


def test_counts_without_arms_are_never_added() -> None:
    report = {"executed": [1], "missing": [2], "branches": [[1, 1, 2]]}
    joined = union([report, report])
    assert joined is not None and joined["branches"] == [[1, 1, 2]] and joined["missing"] == [2]


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


@pytest.mark.parametrize("branches", [[[1, 3, 2]], [[1, -1, 2]], [[1, 1, 10**9]]])
def test_counts_that_cannot_be_are_no_report(branches: list[list[int]]) -> None:
    assert read_report({"executed": [1], "missing": [], "branches": branches}) is None


def test_ranges_of_several_runs_are_added() -> None:
    # f(x) { if (x) A; else B; }: V8 leaves out the arm that ran as often as the function.
    then, other = [(0, 30, 1), (15, 20, 0)], [(0, 30, 1), (5, 10, 0)]
    assert list(add_trees([build_range_tree(then), build_range_tree(other)]).ranges()) == [
        (0, 30, 2),
        (5, 10, 1),
        (15, 20, 1),
    ]
    # Ranges that overlap are cut where the first of them ends.
    tree = add_trees([build_range_tree([(0, 30, 1), (5, 15, 3)]), build_range_tree([(0, 30, 1), (10, 20, 0)])])
    assert list(tree.ranges()) == [(0, 30, 2), (5, 15, 4), (10, 15, 3), (15, 20, 1)]


def test_a_source_map_tells_where_compiled_code_comes_from() -> None:
    # Column 0 and 4 of the first line come from 0:2 and 0:6, column 0 of the third from 1:0.
    found = SourceMap("AAAE,IAAI;;AACN")
    assert found.start(0, 3) == Position(0, 2) and found.start(0, 9) == Position(0, 6)
    assert found.start(1, 0) is None and found.start(2, 5) == Position(1, 0)
    assert found.end(0, 4) == Position(0, 6) and found.end(0, 9) == Position(0, None)
    assert found.extent(1) == (0, 0) and found.extent(2) == (0, 2)
