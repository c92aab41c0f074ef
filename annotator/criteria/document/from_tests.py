"""Write a criterion from existing tests, so that published test suites can be scored like any other subject."""

from __future__ import annotations

import ast
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.scalarstring import LiteralScalarString

from annotator.text.python_tree import tree_or_empty

_CHECK_DEFINITION = re.compile(r"^def check\(\w+\)\s*(?:->\s*\w+\s*)?:", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class CriterionTest:
    """A test of a subject; ``code`` runs after the answer's code and fails by raising an exception."""

    name: str
    code: str
    weight: float = 1.0
    timeout: float | None = None


def criterion_from_tests(language: str, entry_point: str, tests: Sequence[CriterionTest]) -> str:
    """Return a document of unit tests; a test's ``check(candidate)`` is called with the entry point.

    Raises `ValueError` with the reason if no document can be made.
    """
    if not tests:
        raise ValueError("it has no tests")
    empty = [test.name for test in tests if not test.code.strip()]
    if empty:
        raise ValueError(f"the test {empty[0]} has no code")
    if not language:
        raise ValueError("its language is not set")

    entries: list[dict[str, Any]] = []
    for test in tests:
        code = _normalize_test_code(language, test.code, entry_point)
        entry: dict[str, Any] = {"name": test.name, "content": LiteralScalarString(code)}
        if test.weight != 1.0:
            entry["weight"] = test.weight
        if test.timeout is not None:
            entry["timeout"] = test.timeout
        entries.append(entry)
    out = io.StringIO()
    writer = YAML()
    writer.width = 4096
    writer.indent(mapping=2, sequence=4, offset=2)
    writer.dump({"lang": language, "grading": {"unit_test": {"tests": entries}}}, out)
    return out.getvalue()


def with_check_called(code: str, entry_point: str) -> str:
    """Add a call of ``check(candidate)`` to test code that defines it and never calls it."""
    if not entry_point or not _CHECK_DEFINITION.search(code) or "\ncheck(" in f"\n{code}":
        return code
    return f"{code.rstrip()}\n\ncheck({entry_point})\n"


def _normalize_test_code(language: str, code: str, entry_point: str) -> str:
    """Return code with its check called, without tabs and trailing spaces, so that YAML can write it as a block."""
    text = "\n".join(line.rstrip() for line in code.expandtabs(4).strip("\n").splitlines())
    if language == "python" and ast.dump(tree_or_empty(text)) != ast.dump(tree_or_empty(code)):
        # The normalisation has changed a string literal, so use the code unchanged.
        text = code.strip("\n")
    if not entry_point and _CHECK_DEFINITION.search(text) and "\ncheck(" not in f"\n{text}":
        raise ValueError("its tests define check, but the function to pass to it is not set")
    return f"{with_check_called(text, entry_point).rstrip()}\n"
