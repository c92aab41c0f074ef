"""What a bug changes in behaviour, in a sentence that running the code has checked."""

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
from annotator.construction.edits import changed_lines, hunks
from annotator.construction.languages.calls import signature_of
from annotator.construction.languages.calls import start_calls as start_foreign
from annotator.construction.languages.values import written
from annotator.construction.material import PYTHON, SQL, ConstructionError, Material
from annotator.construction.named_in_code import bare_name, quoted_texts, raised_names, without_quoted
from annotator.construction.sandbox_probe import BASE_LIMIT_S, Run, start_calls, start_tests
from annotator.construction.understanding.captured_calls import CaptureLimits, Instance, capture
from annotator.sandbox import Runner
from annotator.text.python_tree import tree_or_empty

_LONGEST = 300
_BETWEEN = " | "
_WORD = 3
_UNNAMED, _SIGNAL = "exception", "signal"
"""What C++ says of an exception, which has no name there, and of a crash."""
_LIMITS = CaptureLimits(
    steps=1_000_000, fewest_lines=1, most_lines=10_000, exceptions=True, readable=False, iterators=True, partial=True
)
_EAGER = """

def _annotator_eager(called):
    import functools, itertools

    @functools.wraps(called)
    def eager(*given, **named):
        found = called(*given, **named)
        return iter(list(itertools.islice(found, 10000))) if hasattr(found, "__next__") else found

    return eager


{name} = _annotator_eager({name})
"""
_KNOWN = frozenset({*dir(builtins), "self", "pytest", "unittest"})
"""Names in a check that need no definition."""
_NUMBER = re.compile(r"(?<![\w.])(?:(?<=[\s(,=])-(?=\d))?\d+(?:\.\d+)?(?![\w.])")


def describe_behaviour(material: Material, codes: Sequence[str], runner: Runner) -> list[str]:
    """Return for each changed program a call of the tests for which it does something else than the reference, with
    what it does and what it should do; empty where no such call is known (queries, objects, long values)."""
    if material.language == SQL or not material.entry_point or not codes:
        return [""] * len(codes)
    try:
        calls = capture(material, runner, _LIMITS).instances
    except ConstructionError:
        return [""] * len(codes)
    reads = [_start(replace(material, code=code), calls, runner) for code in codes]
    return [_first_difference(material, calls, read()) for read in reads]


def failing_check(material: Material, failing: Collection[str]) -> str:
    """Return a sentence on the shortest check that fails, where it calls the function itself; empty if none does.

    Of tests that were split, the check is what the others do not have; of test methods in Python, it is the assertions.
    In Python what the check names and the code has not is shown before it; where it cannot be, the check says nothing.
    """
    called = re.compile(rf"(?<![\w$]){re.escape(material.entry_point.rpartition('.')[2])}\s*\(")
    lines = {test.name: [line.strip() for line in test.code.splitlines() if line.strip()] for test in material.tests}
    held = Counter(line for own in lines.values() for line in set(own))
    known = _KNOWN | _bound(tree_or_empty(material.code).body) if material.language == PYTHON else _KNOWN
    checks = [
        _assertions(test.code, held, called, known)
        if material.language == PYTHON
        else " ".join(line for line in lines[test.name] if held[line] == 1)
        for test in material.tests
        if test.name in failing
    ]
    fitting = [text for text in checks if called.search(text) and len(text) <= _LONGEST]
    shortest = min(fitting, key=len, default="")
    one = "One of these checks fails" if _BETWEEN in shortest else "This check fails"
    between = "\n" if "\n" in shortest else " "
    return f"{one}:{between}{shortest}" if shortest else ""


def _assertions(code: str, held: Counter[str], called: re.Pattern[str], known: Collection[str]) -> str:
    """Return the assertions of a test that call the function and begin with a line that no other test has, after what
    they need; nothing where that is more than can be shown."""
    lines, tree = code.splitlines(), tree_or_empty(code)
    found = {
        text: node
        for node in ast.walk(tree)
        if isinstance(node, ast.Assert | ast.Expr) and held[lines[node.lineno - 1].strip()] == 1
        and "assert" in (text := ast.unparse(node)).lower() and called.search(text)
    }  # fmt: skip
    needed = _needed(tree, list(found.values()), known)
    return "" if needed is None else "\n".join([*needed, _BETWEEN.join(found)])


def _needed(tree: ast.Module, checks: Sequence[ast.stmt], known: Collection[str]) -> list[str] | None:
    """Return the statements of a test that give its checks the names they use; None where others play a part."""
    last = max((node.lineno for node in checks), default=0)
    before = [
        node for node in ast.walk(tree) if isinstance(node, ast.stmt) and node.lineno < last and node not in checks
    ]
    needed: dict[int, ast.stmt] = {}
    wanted = set().union(*map(_used, checks)) - set(known)
    shown: set[str] = set()
    while rest := wanted - shown:
        name = min(rest)
        named = [node for node in before if name in _bound([node])]
        if not named or any(name in _used(node) for node in before if isinstance(node, ast.Expr)):
            return None
        needed |= {node.lineno: node for node in named}
        wanted |= set().union(*map(_used, named)) - set(known)
        shown.add(name)
    return [ast.unparse(needed[line]) for line in sorted(needed)]


def _bound(body: Sequence[ast.stmt]) -> set[str]:
    """Return the names that statements define for those after them."""
    found = set()
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            found |= {(name.asname or name.name).partition(".")[0] for name in node.names}
        elif isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
            found |= {item.id for item in ast.walk(node) if isinstance(item, ast.Name) and _is_set(item)}
    return found


def _used(node: ast.AST) -> set[str]:
    """Return the names that a statement takes from elsewhere."""
    names = [item for item in ast.walk(node) if isinstance(item, ast.Name)]
    own = {item.id for item in names if _is_set(item)}
    own |= {item.arg for item in ast.walk(node) if isinstance(item, ast.arg)}
    return {item.id for item in names} - own


def _is_set(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Store)


def find_lazy_tests(material: Material, runner: Runner) -> frozenset[str]:
    """Return the tests that fail once the reference works out all items at once that it gives one by one."""
    if material.language != PYTHON or not material.entry_point.isidentifier():
        return frozenset()
    code = material.code + _EAGER.format(name=material.entry_point)
    return frozenset(start_tests(material, code, Run(limit_s=BASE_LIMIT_S), runner)().failed)


def exception_untold(material: Material, code: str) -> str:
    """Return the exception in what a bug took out or changed, if the description never names it.

    Who reviews the code could not know that it should be raised. Empty where nothing is untold.
    """
    told = re.findall(r"\w+", material.description)
    gone = "\n".join(_changed(material, code))
    return next((name for name in raised_names(gone) if bare_name(name) not in told), "")


def text_untold(material: Material, code: str) -> str:
    """Return a text in what a bug took out that neither the description nor the rest of the code has, or nothing.

    Where whole lines are gone, a number too: nobody could write it again. What an exception says is left out, since no
    caller depends on it.
    """
    lines = [line for line in _changed(material, code) if not raised_names(line)]
    texts = [text for line in lines for text in quoted_texts(line)]
    if all(hunk.lines[1] < hunk.lines[0] for hunk in hunks(material.code, code)):
        known = set(_NUMBER.findall(f"{code}\n{material.description}")) | {"0", "1"}
        bare = map(without_quoted, lines)
        texts += [number for line in bare for number in _NUMBER.findall(line) if number not in known]
    return next((text for text in texts if not _is_told(text, code, material.description)), "")


def _is_told(text: str, code: str, description: str) -> bool:
    # Short texts stand in words by accident.
    return text in description or f"'{text}'" in code or f'"{text}"' in code or (len(text) >= _WORD and text in code)


def _changed(material: Material, code: str) -> list[str]:
    """Return the lines of the reference that a bug took out or changed."""
    lines = material.code.splitlines()
    return [lines[number - 1] for number in sorted(changed_lines(material.code, code)) if number <= len(lines)]


def _start(changed: Material, calls: Sequence[Instance], runner: Runner) -> Callable[[], list[dict[str, Any]]]:
    if changed.language == PYTHON:
        # By name, which fits all parameters but those that have none.
        given: list[tuple[list[Any], dict[str, Any]]] = [([], dict(item.arguments)) for item in calls]
        drawn = any(item.iterates for item in calls)
        return start_calls(changed.code, changed.entry_point, given, runner, drawn=drawn)
    try:
        return start_foreign(changed, signature_of(changed), [item.values for item in calls], BASE_LIMIT_S, runner)
    except ConstructionError:
        return list


def _first_difference(material: Material, calls: Sequence[Instance], answers: Sequence[dict[str, Any]]) -> str:
    """Return the shortest sentence on a call that differs."""
    found = []
    for item, answer in zip(calls, answers, strict=False):
        right = {"raises": item.raises} if item.raises else {"output": item.output}
        if not _same(right, answer) and not answer.get("unmade"):
            given = ", ".join(_argument(name, value, material.language) for name, value in item.arguments)
            does, shall = _does(answer, material.language), _shall(right, material.language)
            call = f"{material.entry_point}({given})"
            if item.iterates and "output" in answer and not isinstance(answer["output"], list):
                shall = shall.replace("return", "return an iterator of", 1)
            elif item.iterates:
                call = f"list({call})"
            found.append(f"{call} {does}. It should {shall}.")
    return min((text for text in found if len(text) <= _LONGEST), key=len, default="")


def _argument(name: str, value: Form, language: str) -> str:
    return f"{name}={_shown(value, language)}" if language == PYTHON else _shown(value, language)


def _shown(value: Form, language: str) -> str:
    return canonical.show(value) if language == PYTHON else written(value)


def _same(right: dict[str, Any], answer: dict[str, Any]) -> bool:
    if "output" in right and "output" in answer:
        return canonical.equal(right["output"], answer["output"], "strict")
    return "raises" in right and right.get("raises") == answer.get("raises")


def _does(answer: dict[str, Any], language: str) -> str:
    if "output" in answer:
        return f"returns {_shown(answer['output'], language)}"
    if answer.get("timeout"):
        return "does not end"
    if "raises" not in answer:
        return "returns something that is no plain value"
    if language == PYTHON:
        return f"raises {answer['raises']}"
    return "crashes" if answer["raises"] == _SIGNAL else f"throws {_thrown(answer['raises'])}"


def _shall(right: dict[str, Any], language: str) -> str:
    if "output" in right:
        return f"return {_shown(right['output'], language)}"
    return f"raise {right['raises']}" if language == PYTHON else f"throw {_thrown(right['raises'])}"


def _thrown(name: str) -> str:
    return "an exception" if name == _UNNAMED else name
