"""Grade programs in models' answers by tests whose results are judged in another process
(specification, task construction, 2.7)."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Literal

from annotator.answers.choice import find_code
from annotator.answers.code import code_spec_for
from annotator.answers.outcome import ExtractedAnswer, NoAnswer
from annotator.answers.source import CodeSpec
from annotator.base.errors import MissingEnvironmentError
from annotator.construction.python_facts import parse_python_code
from annotator.construction.sandbox_probe import judged_job
from annotator.construction.task_material import PYTHON, ConstructionError, Material
from annotator.sandbox import Runner

Status = Literal["pass", "partial", "fail", "no_answer", "disputed", "flaky", "tampered"]
_STATUSES: Mapping[str, Status] = MappingProxyType(
    {"no_code": "no_answer", "disputed": "disputed", "flaky": "flaky", "tampered": "tampered"}
)
"""The status for outcomes of the sandbox that are not plain failures."""
_TEST_MODULES = ("test", "tests", "conftest", "unittest", "pytest")
LIMIT_S = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Graded:
    """The grade of an answer, 0 to 1, with a reason. An unreadable answer counts as 0 (``no_answer``), not as skipped.

    ``flags`` are hints for a person and change no score. ``how`` says how the answer was found in the response,
    ``outcome`` why there is no answer.
    """

    score: float
    status: Status
    detail: str = ""
    flags: tuple[str, ...] = ()
    how: str = ""
    outcome: NoAnswer = ""


def grade_missing(answer: ExtractedAnswer) -> Graded:
    """Return the grade of a response without an answer."""
    return Graded(score=0.0, status="no_answer", detail=answer.how, how=answer.how, outcome=answer.outcome)


def find_program(material: Material, item_code: str, response: str, finish_reason: str = "stop") -> ExtractedAnswer:
    """Return the program in a response to an item, and how it was found."""
    return find_code(response, program_requirements(material, item_code), finish_reason=finish_reason)


def program_requirements(material: Material, item_code: str) -> CodeSpec:
    """Return the names that the program in an answer must define, including those that the tests use."""
    tests = [test.code for test in material.tests]
    return code_spec_for(material.language, material.entry_point, visible_code=(item_code,), tests=tests)


def start_answer_grade(material: Material, answer: ExtractedAnswer, runner: Runner) -> Callable[[], Graded]:
    """Start the material's tests on a program from a response and return a function that waits for the grade."""
    if answer.outcome:
        return lambda: grade_missing(answer)
    tests = start_program_grade(material, answer.text, runner)
    return lambda: replace(tests(), how=answer.how)


def start_program_grade(material: Material, code: str, runner: Runner) -> Callable[[], Graded]:
    """Start the material's tests on a program and return a function that waits for the grade: 1 if all pass.

    A Python program whose entry point takes other arguments, or that imports test modules, gets 0. The returned
    function raises `MissingEnvironmentError` if the sandbox failed.
    """
    if not code.strip():
        no_answer = Graded(score=0.0, status="no_answer", detail="there is no code in the answer")
        return lambda: no_answer
    rejection = find_rejection_reason(material, code)
    if rejection:
        rejected = Graded(score=0.0, status="fail", detail=rejection)
        return lambda: rejected
    flags = special_case_flags(material, code)
    future = runner.submit(judged_job(material.key, material, code, LIMIT_S))

    def read_grade() -> Graded:
        job_result = future.result()
        if job_result.outcome == "machinery":
            raise MissingEnvironmentError(f"The sandbox failed: {job_result.message} Nothing was graded; try again.")
        if job_result.outcome == "pass":
            return Graded(score=1.0, status="pass", detail="", flags=flags)
        return Graded(
            score=0.0,
            status=_STATUSES.get(job_result.outcome, "fail"),
            detail=f"{job_result.outcome.replace('_', ' ')}: {job_result.message}"[:300],
            flags=flags,
        )

    return read_grade


def find_rejection_reason(material: Material, code: str) -> str:
    """Return why a program is rejected without a test run, or "": other arguments, or imported tests (Python only)."""
    if material.language != PYTHON or not material.entry_point:
        return ""
    try:
        tree = parse_python_code(code)
    except ConstructionError:
        return ""
    for node in ast.walk(tree):
        names = [item.name for item in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        for name in names:
            if _is_test_module(name.partition(".")[0]) and name not in material.code:
                return f"the answer imports {name}"
    expected = _argument_names(parse_python_code(material.code), material.entry_point)
    actual = _argument_names(tree, material.entry_point)
    if actual is None:
        return f"the answer does not define {material.entry_point}"
    return "" if expected is None or expected == actual else "the answer changes the function's arguments"


def _is_test_module(name: str) -> bool:
    return name in _TEST_MODULES or name.startswith("test_") or name.endswith(("_test", "_tests"))


def _argument_names(tree: ast.Module, name: str) -> tuple[str, ...] | None:
    """Return the arguments of a function and the number of defaults; empty for a variable, None without either."""
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == name]
    methods = {id(item) for node in ast.walk(tree) if isinstance(node, ast.ClassDef) for item in node.body}
    if not functions:
        is_assigned = any(isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id == name
                    for node in ast.walk(tree))  # fmt: skip
        return () if is_assigned else None
    arguments = functions[-1].args
    names = [item.arg for item in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    if id(functions[-1]) in methods and names[:1] == ["self"]:
        # A method is called on an object, so it matches the function without ``self``.
        names = names[1:]
    return (*names, f"defaults {len(arguments.defaults)}")


def special_case_flags(material: Material, code: str) -> tuple[str, ...]:
    """Return flags for literal test inputs that occur in the answer but not in the task's code."""
    if material.language != PYTHON or not material.entry_point:
        return ()
    try:
        answer_literals = {ast.unparse(node) for node in ast.walk(parse_python_code(code)) if _is_distinctive(node)}
        item_literals = {
            ast.unparse(node) for node in ast.walk(parse_python_code(material.code)) if _is_distinctive(node)
        }
        inputs = {
            ast.unparse(argument)
            for test in material.tests
            for node in ast.walk(parse_python_code(test.code))
            if isinstance(node, ast.Call)
            for argument in node.args
            if _is_distinctive(argument)
        }
    except ConstructionError:
        return ()
    return tuple(
        f"the answer holds the test's input {text[:80]}" for text in sorted((answer_literals & inputs) - item_literals)
    )


def _is_distinctive(node: ast.AST) -> bool:
    """Return whether a literal is too unusual to occur in code by chance."""
    if isinstance(node, ast.Constant):
        if isinstance(node.value, str):
            return len(node.value) >= 4
        return isinstance(node.value, int | float) and not isinstance(node.value, bool) and abs(node.value) >= 20
    return isinstance(node, ast.List | ast.Tuple | ast.Dict | ast.Set) and len(ast.unparse(node)) >= 8
