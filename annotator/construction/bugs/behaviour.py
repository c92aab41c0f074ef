"""Describe how a bug changes a program's behaviour, in a sentence checked by running the code."""

from __future__ import annotations

import ast
import builtins
import re
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Any

from annotator.construction import canonical
from annotator.construction.canonical import Form
from annotator.construction.edits import changed_lines, diff_hunks
from annotator.construction.languages.language_values import form_json
from annotator.construction.python_facts import bare_name, quoted_texts, raised_names, without_quoted
from annotator.construction.sandbox_probe import BASE_LIMIT_S, RunOptions, start_tests
from annotator.construction.task_material import PYTHON, SQL, ConstructionError, Material
from annotator.construction.understanding.captured_calls import (
    CallInstance,
    CaptureLimits,
    capture_calls,
    start_instances,
)
from annotator.sandbox import Runner
from annotator.text.python_tree import tree_or_empty

_MAX_SENTENCE_LENGTH = 300
_CHECK_SEPARATOR = " | "
_MIN_TEXT_LENGTH = 3
"""Shorter texts occur inside other words by accident."""
_UNNAMED_EXCEPTION = "exception"
"""The C++ harness reports this name for any exception, since it cannot name the type."""
_SIGNAL = "signal"
"""The C++ harness reports this name for a crash."""
_LIMITS = CaptureLimits(
    steps=1_000_000, min_lines=1, max_lines=10_000, exceptions=True, readable=False, iterators=True, partial=True
)
_EAGER_WRAPPER = """

def _annotator_eager(function):
    import functools, itertools

    @functools.wraps(function)
    def eager(*args, **kwargs):
        result = function(*args, **kwargs)
        return iter(list(itertools.islice(result, 10000))) if hasattr(result, "__next__") else result

    return eager


{name} = _annotator_eager({name})
"""
_PREDEFINED = frozenset({*dir(builtins), "self", "pytest", "unittest"})
"""Names in a check that need no definition."""
_NUMBER = re.compile(r"(?<![\w.])(?:(?<=[\s(,=])-(?=\d))?\d+(?:\.\d+)?(?![\w.])")


def describe_behaviour(material: Material, codes: Sequence[str], runner: Runner) -> list[str]:
    """Return for each changed program a sentence with a call that behaves differently from the reference.

    The calls are those of the tests. The sentence is empty if no such call is found (queries, objects, long values).
    """
    if material.language == SQL or not material.entry_point or not codes:
        return [""] * len(codes)
    try:
        calls = capture_calls(material, runner, _LIMITS).instances
    except ConstructionError:
        return [""] * len(codes)
    pending_answers = [_start_calls(replace(material, code=code), calls, runner) for code in codes]
    return [_first_difference(material, calls, read_answers()) for read_answers in pending_answers]


def describe_failing_check(material: Material, failing: Collection[str]) -> str:
    """Return a sentence with the shortest failing check that calls the function itself; empty if none does.

    The check of a split test consists of the lines that no other test has; the check of a Python test method consists
    of its assertions. In Python, the statements that define the names in the check come first; a check whose names
    cannot be defined this way is left out.
    """
    call_pattern = re.compile(rf"(?<![\w$]){re.escape(material.entry_point.rpartition('.')[2])}\s*\(")
    lines = {test.name: [line.strip() for line in test.code.splitlines() if line.strip()] for test in material.tests}
    line_counts = Counter(line for test_lines in lines.values() for line in set(test_lines))
    known_names = (
        _PREDEFINED | _defined_names(tree_or_empty(material.code).body) if material.language == PYTHON else _PREDEFINED
    )
    checks = [
        _unique_assertions(test.code, line_counts, call_pattern, known_names)
        if material.language == PYTHON
        else " ".join(line for line in lines[test.name] if line_counts[line] == 1)
        for test in material.tests
        if test.name in failing
    ]
    fitting_checks = [text for text in checks if call_pattern.search(text) and len(text) <= _MAX_SENTENCE_LENGTH]
    shortest = min(fitting_checks, key=len, default="")
    introduction = "One of these checks fails" if _CHECK_SEPARATOR in shortest else "This check fails"
    separator = "\n" if "\n" in shortest else " "
    return f"{introduction}:{separator}{shortest}" if shortest else ""


def _unique_assertions(
    code: str, line_counts: Counter[str], call_pattern: re.Pattern[str], known_names: Collection[str]
) -> str:
    """Return the assertions of a test that call the function and begin with a line that no other test has.

    The statements they need come first; the text is empty if those cannot be worked out.
    """
    lines = code.splitlines()
    tree = tree_or_empty(code)
    assertions = {
        text: node
        for node in ast.walk(tree)
        if isinstance(node, ast.Assert | ast.Expr) and line_counts[lines[node.lineno - 1].strip()] == 1
        and "assert" in (text := ast.unparse(node)).lower() and call_pattern.search(text)
    }  # fmt: skip
    needed = _needed_statements(tree, list(assertions.values()), known_names)
    return "" if needed is None else "\n".join([*needed, _CHECK_SEPARATOR.join(assertions)])


def _needed_statements(tree: ast.Module, checks: Sequence[ast.stmt], known_names: Collection[str]) -> list[str] | None:
    """Return the statements of a test that define the names in its checks; None if other statements matter too."""
    last = max((node.lineno for node in checks), default=0)
    earlier_statements = [
        node for node in ast.walk(tree) if isinstance(node, ast.stmt) and node.lineno < last and node not in checks
    ]
    needed: dict[int, ast.stmt] = {}
    needed_names = set().union(*map(_used_names, checks)) - set(known_names)
    resolved_names: set[str] = set()
    while unresolved_names := needed_names - resolved_names:
        name = min(unresolved_names)
        definitions = [node for node in earlier_statements if name in _defined_names([node])]
        if not definitions or any(
            name in _used_names(node) for node in earlier_statements if isinstance(node, ast.Expr)
        ):
            return None
        needed |= {node.lineno: node for node in definitions}
        needed_names |= set().union(*map(_used_names, definitions)) - set(known_names)
        resolved_names.add(name)
    return [ast.unparse(needed[line]) for line in sorted(needed)]


def _defined_names(body: Sequence[ast.stmt]) -> set[str]:
    """Return the names that statements define for later statements."""
    names = set()
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names |= {(name.asname or name.name).partition(".")[0] for name in node.names}
        elif isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
            names |= {item.id for item in ast.walk(node) if isinstance(item, ast.Name) and _is_assigned(item)}
    return names


def _used_names(node: ast.AST) -> set[str]:
    """Return the names that a statement uses without defining them."""
    names = [item for item in ast.walk(node) if isinstance(item, ast.Name)]
    assigned_names = {item.id for item in names if _is_assigned(item)}
    assigned_names |= {item.arg for item in ast.walk(node) if isinstance(item, ast.arg)}
    return {item.id for item in names} - assigned_names


def _is_assigned(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Store)


def find_lazy_tests(material: Material, runner: Runner) -> frozenset[str]:
    """Return the tests that fail if the reference computes all items of an iterator before it returns it."""
    if material.language != PYTHON or not material.entry_point.isidentifier():
        return frozenset()
    code = material.code + _EAGER_WRAPPER.format(name=material.entry_point)
    return frozenset(start_tests(material, code, RunOptions(limit_s=BASE_LIMIT_S), runner)().failed)


def undocumented_exception(material: Material, code: str) -> str:
    """Return the exception raised on lines the bug removed or changed, if the description never names it; else "".

    A reviewer could not know that it should be raised.
    """
    described_words = re.findall(r"\w+", material.description)
    removed_code = "\n".join(_changed_reference_lines(material, code))
    return next((name for name in raised_names(removed_code) if bare_name(name) not in described_words), "")


def undocumented_text(material: Material, code: str) -> str:
    """Return a string that the bug removed and that neither the description nor the rest of the code contains, or "".

    If whole lines were removed, numbers count too, since nobody could restore them. Messages of exceptions do not
    count, since no caller depends on them.
    """
    lines = [line for line in _changed_reference_lines(material, code) if not raised_names(line)]
    texts = [text for line in lines for text in quoted_texts(line)]
    if all(hunk.lines[1] < hunk.lines[0] for hunk in diff_hunks(material.code, code)):
        known_numbers = set(_NUMBER.findall(f"{code}\n{material.description}")) | {"0", "1"}
        unquoted_lines = map(without_quoted, lines)
        texts += [number for line in unquoted_lines for number in _NUMBER.findall(line) if number not in known_numbers]
    return next((text for text in texts if not _is_mentioned(text, code, material.description)), "")


def _is_mentioned(text: str, code: str, description: str) -> bool:
    # Short texts occur inside other words by accident.
    return (
        text in description
        or f"'{text}'" in code
        or f'"{text}"' in code
        or (len(text) >= _MIN_TEXT_LENGTH and text in code)
    )


def _changed_reference_lines(material: Material, code: str) -> list[str]:
    """Return the lines of the reference that a bug removed or changed."""
    lines = material.code.splitlines()
    return [lines[number - 1] for number in sorted(changed_lines(material.code, code)) if number <= len(lines)]


def _start_calls(
    changed: Material, calls: Sequence[CallInstance], runner: Runner
) -> Callable[[], list[dict[str, Any]]]:
    try:
        return start_instances(changed, calls, runner)
    except ConstructionError:
        return list


def _first_difference(material: Material, calls: Sequence[CallInstance], answers: Sequence[dict[str, Any]]) -> str:
    """Return the shortest sentence about a call whose answer differs, or "" if there is none."""
    sentences = []
    for call_instance, answer in zip(calls, answers, strict=False):
        expected_answer = {"raises": call_instance.raises} if call_instance.raises else {"output": call_instance.output}
        if not _is_same_answer(expected_answer, answer) and not answer.get("unmade"):
            arguments = ", ".join(
                _format_argument(name, value, material.language) for name, value in call_instance.arguments
            )
            actual = _describe_actual(answer, material.language)
            expected = _describe_expected(expected_answer, material.language)
            call = f"{material.entry_point}({arguments})"
            if call_instance.iterates and "output" in answer and not isinstance(answer["output"], list):
                expected = expected.replace("return", "return an iterator of", 1)
            elif call_instance.iterates:
                call = f"list({call})"
            sentences.append(f"{call} {actual}. It should {expected}.")
    return min((text for text in sentences if len(text) <= _MAX_SENTENCE_LENGTH), key=len, default="")


def _format_argument(name: str, value: Form, language: str) -> str:
    return f"{name}={_format_form(value, language)}" if language == PYTHON else _format_form(value, language)


def _format_form(value: Form, language: str) -> str:
    return canonical.form_text(value) if language == PYTHON else form_json(value)


def _is_same_answer(expected: dict[str, Any], answer: dict[str, Any]) -> bool:
    if "output" in expected and "output" in answer:
        return canonical.forms_equal(expected["output"], answer["output"], "strict")
    return "raises" in expected and expected.get("raises") == answer.get("raises")


def _describe_actual(answer: dict[str, Any], language: str) -> str:
    if "output" in answer:
        return f"returns {_format_form(answer['output'], language)}"
    if answer.get("timeout"):
        return "does not end"
    if "raises" not in answer:
        return "returns something that is no plain value"
    if language == PYTHON:
        return f"raises {answer['raises']}"
    return "crashes" if answer["raises"] == _SIGNAL else f"throws {_exception_name(answer['raises'])}"


def _describe_expected(answer: dict[str, Any], language: str) -> str:
    if "output" in answer:
        return f"return {_format_form(answer['output'], language)}"
    return f"raise {answer['raises']}" if language == PYTHON else f"throw {_exception_name(answer['raises'])}"


def _exception_name(name: str) -> str:
    return "an exception" if name == _UNNAMED_EXCEPTION else name
