"""Read rows of published Python data sets that need little more than other column names."""

from __future__ import annotations

import ast
import builtins
import json
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any

from annotator.base.plain_json import python_text
from annotator.formats.interchange import evalplus
from annotator.formats.interchange.humaneval import docstring_title
from annotator.formats.read import contests
from annotator.formats.read.import_records import Candidate, CandidateTest, first_line
from annotator.formats.read.lines import parse_json
from annotator.formats.read.typed_columns import (
    ColumnError,
    Row,
    dataset_candidate,
    language_name,
    list_column,
    object_column,
    row_licence,
    row_name,
    text_column,
    text_list_column,
)
from annotator.text.highlight import is_known_language
from annotator.text.python_tree import readable_tree, tree_or_empty

_CRUXEVAL_FUNCTION = "f"
_CALL_PROMPT = (
    "Work out what the call below returns.\n\nCode:\n```python\n{code}\n```\n\nCall:\n```python\n{call}\n```\n\n"
    "Answer with the returned value only, written as Python writes it, on the last line, after `Answer:`."
)
_CLASS_PROMPT = "Complete the class {name} below.\n\n```python\n{skeleton}\n```\n"


def bigcodebench_candidate(row: Row) -> Candidate:
    """Return a row of BigCodeBench as a candidate.

    The reference continues ``complete_prompt``, so that is the prompt; the instruction goes into ``extra``.
    """
    prompt = text_column(row, "complete_prompt", filled=True)
    entry_point = text_column(row, "entry_point", filled=True)
    extra = {"instruction": text_column(row, "instruct_prompt", default=""), "libs": _library_names(row.get("libs"))}
    return dataset_candidate(
        row, "BigCodeBench", "task_id",
        title=docstring_title(prompt, entry_point),
        task="completion",
        prompt=prompt,
        reference=text_column(row, "canonical_solution"),
        entry_point=entry_point,
        extra={field: value for field, value in extra.items() if value},
        tests=(CandidateTest(name="test", code=text_column(row, "test", filled=True), language="python"),),
    )  # fmt: skip


def _library_names(value: Any) -> list[str]:
    """Return the names of libraries; the data set has the list as Python source text."""
    if isinstance(value, str):
        with suppress(ValueError, SyntaxError, MemoryError, RecursionError):
            value = ast.literal_eval(value)
    return [name for name in value if isinstance(name, str)] if isinstance(value, list) else []


def classeval_candidate(row: Row) -> Candidate:
    """Return a row of ClassEval as a candidate; the task is to complete a class."""
    name = text_column(row, "class_name", filled=True)
    # The data set runs the tests below the class in one file, so they rely on its imports.
    test = "\n".join([*text_list_column(row, "import_statement"), text_column(row, "test", filled=True)])
    return dataset_candidate(
        row, "ClassEval", "task_id",
        title=f"{name} ({row_name(row, 'task_id')})",
        prompt=_CLASS_PROMPT.format(name=name, skeleton=text_column(row, "skeleton", filled=True).rstrip()),
        reference=text_column(row, "solution_code"),
        entry_point=name,
        tests=(CandidateTest(name="test", code=test, language="python"),),
    )  # fmt: skip


def cruxeval_candidate(row: Row) -> Candidate:
    """Return a row of CRUXEval as a candidate; the task is to predict what a function call returns."""
    code = text_column(row, "code", filled=True).strip("\n")
    arguments = text_column(row, "input")
    output = text_column(row, "output", filled=True)
    call = f"{_CRUXEVAL_FUNCTION}({arguments})"
    if readable_tree(f"{code}\n{call}\n{output}\n") is None:
        raise ColumnError("code, call and output together are not valid Python")
    return dataset_candidate(
        row, "CRUXEval", "id",
        title=f"{row_name(row, 'id')}: {call}"[:100],
        task="understanding",
        prompt=_CALL_PROMPT.format(code=code, call=call),
        reference=output,
        context=code,
        entry_point=_CRUXEVAL_FUNCTION,
        extra={"grader": "understanding", "direction": "forward", "call": {"input": arguments, "value": output}},
        tests=(CandidateTest(name="instance", language="python", inputs={"arguments": arguments, "expected": output}),),
    )  # fmt: skip


def ds1000_candidate(row: Row) -> Candidate:
    """Return a row of DS-1000 as a candidate without tests; the task is to complete a data science program.

    ``code_context`` runs an answer's text inside another program, which no test here can do, so it is left out.
    """
    prompt = text_column(row, "prompt", filled=True)
    metadata = object_column(row, "metadata")
    return dataset_candidate(
        metadata, "DS-1000", "problem_id",
        title=first_line(prompt.removeprefix("Problem:")),
        task="completion",
        domain=text_column(metadata, "library", default=""),
        licence=row_licence(row),
        prompt=prompt,
        reference=text_column(row, "reference_code"),
        provenance={"dataset": "DS-1000", **metadata},
    )  # fmt: skip


def naturalcodebench_candidate(row: Row) -> Candidate:
    """Return a row of NaturalCodeBench as a candidate."""
    number = row_name(row, "_id")
    problem = text_column(row, "problem", filled=True)
    language, reference = _unfence(text_column(row, "reference_solution", default=""))
    language = language or _language_of(text_column(row, "prompt", default=""))
    setup = text_column(row, "setup_code", default="")
    tests = text_column(row, "testcases", filled=True)
    code = f"{setup}\n\n{tests}" if setup.strip() else tests
    if language == "python" and ("pytest." in code or "pytest(" in code) and not _imports_pytest(code):
        code = f"import pytest\n\n{code}"
    return Candidate(
        key=f"naturalcodebench:{language or 'any'}/{number}",
        title=first_line(problem),
        language=language,
        domain=text_column(row, "classification", default=""),
        licence=row_licence(row),
        prompt=text_column(row, "prompt", default="") or problem,
        reference=reference,
        provenance={"dataset": "NaturalCodeBench", "_id": number},
        extra={"problem": problem},
        tests=(CandidateTest(name="testcases", code=code, language=language),),
    )


def _imports_pytest(code: str) -> bool:
    import_lines = (line.split() for line in code.splitlines() if line.lstrip().startswith(("import ", "from ")))
    return any(words[1].rstrip(",;").partition(".")[0] == "pytest" for words in import_lines if len(words) > 1)


def _unfence(reference: str) -> tuple[str, str]:
    """Return language and code of a fenced block; unfenced code has no language."""
    text = reference.strip()
    head, newline, code = text.removeprefix("```").removesuffix("```").partition("\n")
    label = head.rstrip(" \t")
    is_label = not label or (label.isascii() and label.replace("+", "p").replace("#", "s").isalpha())
    if text.startswith("```") and text.endswith("```") and newline and is_label:
        return label.lower(), code.removesuffix("\n") + "\n"
    if "```" in reference:
        raise ColumnError("reference_solution must be one fenced block")
    return "", reference


def _language_of(prompt: str) -> str:
    start = prompt[:200].lower()
    return next((language for language in ("python", "java") if f"generate {language}" in start), "")


_CLASS_LANGUAGES = ("java", "c#")
_WORD = re.compile(r"[A-Za-z_][\w?!.-]*")


def multipl_e_candidate(row: Row) -> Candidate:
    """Return a row of MultiPL-E as a candidate."""
    name = row_name(row, "name")
    prompt = text_column(row, "prompt", filled=True)
    language = language_name(text_column(row, "language", filled=True).lower())
    # Names have the form DATASET_NUMBER_FUNCTION ("HumanEval_0_has_close_elements").
    dataset, _, numbered_function = name.partition("_")
    number, _, function = numbered_function.partition("_")
    has_function = (
        dataset.lower() in ("humaneval", "mbpp") and number.isdecimal() and function.replace("_", "a").isalnum()
    )
    entry_point = _entry_point(prompt, function) if has_function else ""
    stop_tokens = [stop for stop in list_column(row, "stop_tokens") if isinstance(stop, str)]
    return Candidate(
        key=f"multipl-e:{language}/{name}",
        title=f"{entry_point or name} ({language})",
        task="completion",
        language=language,
        licence=row_licence(row),
        prompt=prompt,
        entry_point=entry_point,
        provenance={"dataset": "MultiPL-E", "name": name, "doctests": text_column(row, "doctests", default="")},
        extra={"stop_tokens": stop_tokens} if stop_tokens else {},
        tests=(CandidateTest(name="tests", code=_whole_tests(row, language), language=language),),
    )


def _entry_point(prompt: str, function: str) -> str:
    """Return the function's name as the prompt spells it: the last word that matches the Python name, ignoring case."""
    letters = function.replace("_", "").lower()
    spellings = [word for word in _WORD.findall(prompt) if word.replace("_", "").replace("-", "").lower() == letters]
    return spellings[-1] if spellings else function


def _whole_tests(row: Row, language: str) -> str:
    code = text_column(row, "tests", filled=True)
    # Tests that begin with a brace close the function or class that the prompt opens.
    first, _, tests = code.lstrip().partition("\n")
    if first.rstrip() != "}" or not tests:
        return code
    if language not in _CLASS_LANGUAGES:
        return tests
    # The tests call static methods without their class, so the test class inherits them.
    inherits = "extends" if language == "java" else ":"
    body = tests.rstrip().removesuffix("}") if tests.rstrip().endswith("}") else tests
    return f"class ProblemTests {inherits} Problem {{\n{body}}}\n"


def mbppplus_candidate(row: Row) -> Candidate:
    """Return a task of MBPP+ as a candidate: MBPP's columns with more tests in ``test``, or EvalPlus' own."""
    if "base_input" in row:
        return evalplus.evalplus_candidate(row, "MBPP+")
    base = mbpp_candidate(row, "MBPP+")
    plus_test = CandidateTest(name="plus", code=text_column(row, "test", filled=True), language="python")
    return replace(base, tests=(*base.tests, plus_test))


def mbpp_candidate(row: Row, dataset: str = "MBPP") -> Candidate:
    """Return a task of MBPP as a candidate."""
    name = row_name(row, "task_id")
    prompt = text_column(row, "text" if "text" in row else "prompt", filled=True)
    tests = text_list_column(row, "test_list")
    challenge_tests = text_list_column(row, "challenge_test_list")
    if not tests:
        raise ColumnError(f"column test_list of {name} holds no tests")
    setup_lines = [*text_list_column(row, "test_imports"), text_column(row, "test_setup_code", default="")]
    setup = "\n".join(setup_lines).strip("\n")
    return dataset_candidate(
        row, dataset, "task_id",
        title=first_line(prompt),
        prompt=prompt,
        reference=text_column(row, "code"),
        entry_point=_tested_function(tests[0]),
        tests=tuple(_make_test(code, number, "test", setup) for number, code in enumerate(tests, start=1))
        + tuple(_make_test(code, number, "challenge", setup) for number, code in enumerate(challenge_tests, start=1)),
    )  # fmt: skip


def _make_test(code: str, number: int, kind: str, setup: str) -> CandidateTest:
    return CandidateTest(name=f"{kind} {number}", code=f"{setup}\n{code}" if setup else code, language="python")


def _tested_function(assertion: str) -> str:
    """Return the function an assertion tests: the first one called that is not a built-in."""
    for node in ast.walk(tree_or_empty(assertion.strip())):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not hasattr(builtins, node.func.id):
            return node.func.id
    return ""


def leetcode_candidate(row: Row) -> Candidate:
    """Return a row of LeetCodeDataset as a candidate; reference and tests use the imports and classes in ``prompt``."""
    names = text_column(row, "prompt").rstrip()
    method = text_column(row, "entry_point", filled=True)
    test = f"{names}\n\n{text_column(row, 'test', filled=True).strip()}\n\ncheck({method})\n"
    return dataset_candidate(
        row, "LeetCodeDataset", "task_id",
        title=row_name(row, "task_id"),
        difficulty=text_column(row, "difficulty", default="").lower(),
        prompt=text_column(row, "query", filled=True),
        reference=f"{names}\n\n{text_column(row, 'completion')}",
        entry_point=method.replace("()", ""),
        tests=(CandidateTest(name="check", code=test, language="python"),),
    )  # fmt: skip


def livecodebench_candidate(row: Row) -> Candidate:
    """Return a row of LiveCodeBench as a candidate."""
    name = row_name(row, "question_id")
    content = text_column(row, "question_content", filled=True)
    starter = text_column(row, "starter_code", default="")
    title = text_column(row, "question_title", default="")
    function = _function_under_test(row, starter)
    hidden, is_hidden_packed = _read_cases(row, "private_test_cases")
    public, is_public_packed = _read_cases(row, "public_test_cases")
    if is_public_packed:
        raise ColumnError("column public_test_cases must hold a JSON list")
    origin = {
        "dataset": "LiveCodeBench",
        "question_id": name,
        "platform": text_column(row, "platform", default=""),
        "contest": text_column(row, "contest_id", default=""),
        "date": text_column(row, "contest_date", default=""),
    }
    return dataset_candidate(
        row, "LiveCodeBench", "question_id",
        title=title or name,
        difficulty=text_column(row, "difficulty", default="").lower(),
        prompt=contests.with_starter(content, starter),
        entry_point=f"Solution.{function}" if function and "class Solution" in starter else function,
        provenance={field: value for field, value in origin.items() if value},
        extra={"hidden_tests": "not read"} if is_hidden_packed else {},
        tests=(*_make_tests("public", public, function, starter), *_make_tests("hidden", hidden, function, starter)),
    )  # fmt: skip


def _function_under_test(row: Row, starter: str) -> str:
    try:
        metadata = parse_json(text_column(row, "metadata", default="") or "{}")
    except ValueError:
        metadata = {}
    function_name = metadata.get("func_name") if isinstance(metadata, dict) else None
    lines = (line.strip() for line in starter.splitlines())
    definitions = (line.removeprefix("def ").partition("(") for line in lines if line.startswith("def "))
    methods = (name.strip() for name, _, arguments in definitions if arguments.lstrip().startswith("self"))
    return function_name if isinstance(function_name, str) else next(methods, "")


def _read_cases(row: Row, column: str) -> tuple[list[dict[str, Any]], bool]:
    """Return the test cases of a column, and whether it contains something other than JSON."""
    value = row.get(column)
    if isinstance(value, str) and value.strip():
        try:
            value = parse_json(value)
        except ValueError:
            return [], True
    cases = value if isinstance(value, list) else []
    valid_cases = [case for case in cases if isinstance(case, dict) and isinstance(case.get("input"), str)]
    if len(valid_cases) < len(cases):
        raise ColumnError(f"a test of column {column} has no input")
    return valid_cases, False


def _make_tests(kind: str, cases: list[dict[str, Any]], function: str, starter: str) -> Iterator[CandidateTest]:
    for number, case in enumerate(cases, start=1):
        expected = str(case.get("output", ""))
        if case.get("testtype") == "functional" and function:
            code = _call_assertion(case["input"], expected, function, is_method="class Solution" in starter)
            yield CandidateTest(name=f"{kind} {number}", code=code, language="python")
        else:
            inputs = {"stdin": case["input"]}
            yield CandidateTest(name=f"{kind} {number}", language="python", inputs=inputs, expected=expected)


def _call_assertion(input_text: str, expected: str, function: str, *, is_method: bool) -> str:
    """Return the assertion that a call returns the expected result; both are JSON, with one argument per line."""
    try:
        arguments = [json.loads(line) for line in input_text.splitlines() if line.strip()]
        result = json.loads(expected)
    except ValueError:
        raise ColumnError(f"a test of {function} is not JSON: {input_text[:40]}") from None
    callee = f"Solution().{function}" if is_method else function
    return f"assert {callee}({', '.join(map(python_text, arguments))}) == {python_text(result)}\n"


_EXTRA_COLUMNS = ("declaration", "buggy_solution", "bug_type", "failure_symptoms", "instruction", "example_test")


_CONTROL_STATEMENT = re.compile(r"(?:for|if|else|while|switch|do|try|catch|with|match|loop)\b")
_FUNCTION_DECLARATION = re.compile(r"(?:const|let|var|function)\s+([\w$]+)|(\w+)\s*(?:<[^()]*>)?\s*\(")


def humanevalpack_candidate(row: Row) -> Candidate:
    """Return a task of HumanEvalPack as a candidate."""
    return _humaneval_candidate(
        "HumanEvalPack", row, text_column(row, "prompt", filled=True), text_column(row, "entry_point", filled=True)
    )


def humanevalx_candidate(row: Row) -> Candidate:
    """Return a task of HumanEval-X as a candidate."""
    prompt = text_column(row, "prompt", filled=True)
    declaration = text_column(row, "declaration", filled=True)
    opening, name = _last_function(declaration)
    # Rust prompts contain only the description, without the function's declaration. Go's are spaced in their own way.
    is_declared = "".join(opening.split()) in "".join(prompt.split())
    return _humaneval_candidate("HumanEval-X", row, prompt if is_declared else prompt + declaration, name)


def _humaneval_candidate(dataset: str, row: Row, prompt: str, entry_point: str) -> Candidate:
    name = row_name(row, "task_id")
    language = language_name(name.partition("/")[0])
    if not is_known_language(language):
        raise ColumnError(f"task_id {name} does not begin with a programming language")
    setup = text_column(row, "test_setup", default="").strip("\n")
    code = text_column(row, "test", filled=True)
    description = text_column(row, "docstring", default="") or prompt
    return dataset_candidate(
        row, dataset, "task_id",
        title=first_line(f"{entry_point}: {first_line(description)}"),
        task="completion",
        language=language,
        prompt=prompt,
        reference=text_column(row, "canonical_solution"),
        entry_point=entry_point,
        extra={field: value for field in _EXTRA_COLUMNS if (value := text_column(row, field, default=""))},
        tests=(CandidateTest(name="test", code=f"{setup}\n{code}" if setup else code, language=language),),
    )  # fmt: skip


def _last_function(declaration: str) -> tuple[str, str]:
    """Return the line that opens the last function of a declaration, and its name.

    Raises `ColumnError` if there is no function.
    """
    for line in (line.strip() for line in reversed(declaration.splitlines())):
        match = _FUNCTION_DECLARATION.search(line)
        if match is not None and line.endswith(("{", ":")) and not _CONTROL_STATEMENT.match(line):
            return line, match[1] or match[2]
    raise ColumnError("declaration has no function")
