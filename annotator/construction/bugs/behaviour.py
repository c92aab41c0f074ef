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
_UNNAMED, _SIGNAL = "exception", "signal"
"""Names the C++ harness reports for an exception, whose type it cannot name, and for a crash."""
_LIMITS = CaptureLimits(
    steps=1_000_000, min_lines=1, max_lines=10_000, exceptions=True, readable=False, iterators=True, partial=True
)
_EAGER_WRAPPER = """

def _annotator_eager(called):
    import functools, itertools

    @functools.wraps(called)
    def eager(*given, **named):
        found = called(*given, **named)
        return iter(list(itertools.islice(found, 10000))) if hasattr(found, "__next__") else found

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
    reads = [_start(replace(material, code=code), calls, runner) for code in codes]
    return [_first_difference(material, calls, read()) for read in reads]


def describe_failing_check(material: Material, failing: Collection[str]) -> str:
    """Return a sentence with the shortest failing check that calls the function itself; empty if none does.

    The check of a split test consists of the lines that no other test has; the check of a Python test method consists
    of its assertions. In Python, the statements that define the names in the check come first; a check whose names
    cannot be defined this way is left out.
    """
    call_pattern = re.compile(rf"(?<![\w$]){re.escape(material.entry_point.rpartition('.')[2])}\s*\(")
    lines = {test.name: [line.strip() for line in test.code.splitlines() if line.strip()] for test in material.tests}
    line_counts = Counter(line for own in lines.values() for line in set(own))
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
    fitting = [text for text in checks if call_pattern.search(text) and len(text) <= _MAX_SENTENCE_LENGTH]
    shortest = min(fitting, key=len, default="")
    one = "One of these checks fails" if _CHECK_SEPARATOR in shortest else "This check fails"
    between = "\n" if "\n" in shortest else " "
    return f"{one}:{between}{shortest}" if shortest else ""


def _unique_assertions(
    code: str, line_counts: Counter[str], call_pattern: re.Pattern[str], known_names: Collection[str]
) -> str:
    """Return the assertions of a test that call the function and begin with a line that no other test has.

    The statements they need come first; the text is empty if those cannot be worked out.
    """
    lines, tree = code.splitlines(), tree_or_empty(code)
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
    before = [
        node for node in ast.walk(tree) if isinstance(node, ast.stmt) and node.lineno < last and node not in checks
    ]
    needed: dict[int, ast.stmt] = {}
    needed_names = set().union(*map(_used_names, checks)) - set(known_names)
    resolved_names: set[str] = set()
    while rest := needed_names - resolved_names:
        name = min(rest)
        definitions = [node for node in before if name in _defined_names([node])]
        if not definitions or any(name in _used_names(node) for node in before if isinstance(node, ast.Expr)):
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
            names |= {item.id for item in ast.walk(node) if isinstance(item, ast.Name) and _is_stored(item)}
    return names


def _used_names(node: ast.AST) -> set[str]:
    """Return the names that a statement uses without defining them."""
    names = [item for item in ast.walk(node) if isinstance(item, ast.Name)]
    own = {item.id for item in names if _is_stored(item)}
    own |= {item.arg for item in ast.walk(node) if isinstance(item, ast.arg)}
    return {item.id for item in names} - own


def _is_stored(name: ast.Name) -> bool:
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
    gone = "\n".join(_changed_reference_lines(material, code))
    return next((name for name in raised_names(gone) if bare_name(name) not in described_words), "")


def undocumented_text(material: Material, code: str) -> str:
    """Return a string that the bug removed and that neither the description nor the rest of the code contains, or "".

    If whole lines were removed, numbers count too, since nobody could restore them. Messages of exceptions do not
    count, since no caller depends on them.
    """
    lines = [line for line in _changed_reference_lines(material, code) if not raised_names(line)]
    texts = [text for line in lines for text in quoted_texts(line)]
    if all(hunk.lines[1] < hunk.lines[0] for hunk in diff_hunks(material.code, code)):
        known_numbers = set(_NUMBER.findall(f"{code}\n{material.description}")) | {"0", "1"}
        bare = map(without_quoted, lines)
        texts += [number for line in bare for number in _NUMBER.findall(line) if number not in known_numbers]
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


def _start(changed: Material, calls: Sequence[CallInstance], runner: Runner) -> Callable[[], list[dict[str, Any]]]:
    try:
        return start_instances(changed, calls, runner)
    except ConstructionError:
        return list


def _first_difference(material: Material, calls: Sequence[CallInstance], answers: Sequence[dict[str, Any]]) -> str:
    """Return the shortest sentence about a call whose answer differs, or "" if there is none."""
    sentences = []
    for item, answer in zip(calls, answers, strict=False):
        right = {"raises": item.raises} if item.raises else {"output": item.output}
        if not _is_same_answer(right, answer) and not answer.get("unmade"):
            arguments = ", ".join(_argument(name, value, material.language) for name, value in item.arguments)
            actual, expected = _describe_actual(answer, material.language), _describe_expected(right, material.language)
            call = f"{material.entry_point}({arguments})"
            if item.iterates and "output" in answer and not isinstance(answer["output"], list):
                expected = expected.replace("return", "return an iterator of", 1)
            elif item.iterates:
                call = f"list({call})"
            sentences.append(f"{call} {actual}. It should {expected}.")
    return min((text for text in sentences if len(text) <= _MAX_SENTENCE_LENGTH), key=len, default="")


def _argument(name: str, value: Form, language: str) -> str:
    return f"{name}={_format_form(value, language)}" if language == PYTHON else _format_form(value, language)


def _format_form(value: Form, language: str) -> str:
    return canonical.form_text(value) if language == PYTHON else form_json(value)


def _is_same_answer(right: dict[str, Any], answer: dict[str, Any]) -> bool:
    if "output" in right and "output" in answer:
        return canonical.forms_equal(right["output"], answer["output"], "strict")
    return "raises" in right and right.get("raises") == answer.get("raises")


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


def _describe_expected(right: dict[str, Any], language: str) -> str:
    if "output" in right:
        return f"return {_format_form(right['output'], language)}"
    return f"raise {right['raises']}" if language == PYTHON else f"throw {_exception_name(right['raises'])}"


def _exception_name(name: str) -> str:
    return "an exception" if name == _UNNAMED else name
