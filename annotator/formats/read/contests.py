"""Read contest problems, APPS and CodeContests: a program reads standard input, and its output is compared.

APPS has its tests and solutions as JSON text, and some of its problems call a function. CodeContests has parallel
lists, solutions in four languages, and a time limit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from annotator.base.plain_json import python_text
from annotator.formats.read.import_records import Candidate, CandidateTest, first_line
from annotator.formats.read.lines import parse_json
from annotator.formats.read.typed_columns import (
    ColumnError,
    Row,
    dataset_candidate,
    number_column,
    object_column,
    row_name,
    text_column,
)
from annotator.text.python_tree import readable_tree

_LANGUAGES = {"1": "python 2", "python": "python 2", "2": "c++", "cpp": "c++", "3": "python", "python3": "python",
              "4": "java", "java": "java"}  # fmt: skip
_PREFERRED_LANGUAGES = ("python", "c++", "java")
_KINDS = ("public", "private", "generated")


def apps_candidate(row: Row) -> Candidate:
    """Return a problem of APPS as a candidate."""
    name_column = "problem_id" if "problem_id" in row else "id"
    question = text_column(row, "question", filled=True)
    starter = text_column(row, "starter_code", default="")
    cases = _json_column(row, "input_output", {})
    solutions = _json_column(row, "solutions", [])
    if not isinstance(solutions, list) or not all(isinstance(item, str) for item in solutions):
        raise ColumnError("column solutions must hold a JSON list of texts")
    if not isinstance(cases, dict):
        raise ColumnError("column input_output must hold a JSON object with inputs and outputs")
    function = cases.get("fn_name") or ""
    is_method = "class Solution" in starter
    tests = [
        _function_test(number, function, case_input, case_output, is_method=is_method)
        if function
        else _program_test(f"test {number}", case_input, case_output)
        for number, (case_input, case_output) in enumerate(
            _zip_lists(cases, "inputs", "outputs", "input_output"), start=1
        )
    ]
    origin = {
        "dataset": "APPS", "problem_id": row_name(row, name_column), "url": text_column(row, "url", default=""),
    }  # fmt: skip
    return dataset_candidate(
        row, "APPS", name_column,
        title=first_line(question),
        difficulty=text_column(row, "difficulty", default=""),
        prompt=with_starter(question, starter),
        reference=next((item for item in solutions if readable_tree(item) is not None), ""),
        entry_point=f"Solution.{function}" if function and is_method else str(function),
        provenance={field: value for field, value in origin.items() if value},
        tests=tuple(tests),
    )  # fmt: skip


def with_starter(question: str, starter: str) -> str:
    """Return the prompt of a question whose answer starts from some code, if there is any."""
    return f"{question}\n\nStart from this code:\n\n```python\n{starter.rstrip()}\n```\n" if starter else question


def codecontests_candidate(row: Row) -> Candidate:
    """Return a problem of CodeContests as a candidate."""
    name = text_column(row, "name", filled=True)
    description = text_column(row, "description", filled=True)
    for column in ("input_file", "output_file"):
        if text_column(row, column, default=""):
            raise ColumnError(f"column {column} names a file: a program here reads standard input and prints")
    seconds = _limit_seconds(row.get("time_limit"))
    tests = [
        _program_test(f"{kind} {number}", case_input, case_output, seconds)
        for kind in _KINDS
        for number, (case_input, case_output) in enumerate(_test_pairs(row, f"{kind}_tests"), start=1)
    ]
    language, reference = _find_solution(row)
    return dataset_candidate(
        row, "CodeContests", "name",
        title=name,
        language=language,
        prompt=description,
        reference=reference,
        tests=tuple(tests),
    )  # fmt: skip


def _json_column(row: Row, column: str, empty: Any) -> Any:
    """Return the value of a column that contains JSON, usually as text."""
    value = row.get(column)
    if not isinstance(value, str):
        return empty if value is None else value
    try:
        return parse_json(value) if value.strip() else empty
    except ValueError as problem:
        raise ColumnError(f"column {column}: {problem}") from None


def _zip_lists(cases: Mapping[str, Any], inputs: str, outputs: str, column: str) -> list[tuple[Any, Any]]:
    input_list = cases.get(inputs) or []
    output_list = cases.get(outputs) or []
    if not isinstance(input_list, list) or not isinstance(output_list, list) or len(input_list) != len(output_list):
        raise ColumnError(f"{inputs} and {outputs} of column {column} must be lists of the same length")
    return list(zip(input_list, output_list, strict=True))


def _test_pairs(row: Row, column: str) -> list[tuple[Any, Any]]:
    """Return the tests of a column, which holds two parallel lists or a list of objects."""
    value = row.get(column)
    if isinstance(value, list) and all(isinstance(case, dict) for case in value):
        return [(case.get("input"), case.get("output")) for case in value]
    return _zip_lists(object_column(row, column), "input", "output", column)


def _program_test(name: str, case_input: Any, case_output: Any, seconds: float | None = None) -> CandidateTest:
    stdin = _joined_lines(case_input)
    expected = _joined_lines(case_output)
    if stdin is None or expected is None:
        raise ColumnError(f"{name}: input and output must be texts")
    return CandidateTest(name=name, language="python", inputs={"stdin": stdin}, expected=expected, timeout=seconds)


def _joined_lines(value: Any) -> str | None:
    """Return a text, joining lists of lines, which APPS has in places; None for any other value."""
    if isinstance(value, list) and all(isinstance(line, str) for line in value):
        return "\n".join(value)
    return value if isinstance(value, str) else None


def _function_test(number: int, function: Any, case_input: Any, case_output: Any, *, is_method: bool) -> CandidateTest:
    if not isinstance(function, str) or not function.isidentifier() or not isinstance(case_input, list):
        raise ColumnError(f"test {number} of input_output must call a function by its name with a list of arguments")
    callee = f"Solution().{function}" if is_method else function
    # The published grader also accepts the only element of an expected list, and treats tuples as lists.
    only_element = f", {python_text(case_output[0])}" if isinstance(case_output, list) and len(case_output) == 1 else ""
    code = (
        f"result = {callee}({', '.join(map(python_text, case_input))})\n"
        "result = list(result) if isinstance(result, tuple) else result\n"
        f"assert result in ({python_text(case_output)}{only_element},)\n"
    )
    return CandidateTest(name=f"test {number}", code=code, language="python")


def _limit_seconds(value: Any) -> float | None:
    """Return a time limit in seconds, given as a number or as seconds and nanoseconds."""
    if isinstance(value, dict):
        return number_column(value, "seconds") + number_column(value, "nanos") / 1e9 or None
    return float(value) if isinstance(value, (int, float)) and value > 0 else None


def _find_solution(row: Row) -> tuple[str, str]:
    """Return language and text of the first solution in the preferred language; ("python", "") if there is none."""
    solutions = row.get("solutions") or {}
    if not isinstance(solutions, (dict, list)):
        raise ColumnError("column solutions must be an object with language and solution, or a list of such")
    rows: Sequence[tuple[Any, Any]] = (
        _zip_lists(solutions, "language", "solution", "solutions")
        if isinstance(solutions, dict)
        else [(item.get("language"), item.get("solution")) for item in solutions if isinstance(item, dict)]
    )
    by_language = {
        _LANGUAGES.get(str(name).lower(), ""): code for name, code in reversed(rows) if isinstance(code, str)
    }
    return next(((name, by_language[name]) for name in _PREFERRED_LANGUAGES if name in by_language), ("python", ""))
