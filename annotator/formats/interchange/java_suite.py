"""Convert Java tests to the form that InfiBench's grader runs: below the answer in Main.java, started as class Main.

Assertions are off there. Imports are not allowed below the answer's classes, so they go before the answer.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from annotator.formats.write.export_folder import CannotHoldError
from annotator.sandbox.programs.source_text import declared_types, mask_literals, replace_visible, top_level

_MAIN = "Main"
_STARTS = re.compile(r"\bpublic\s+static\s+(?:final\s+)?void\s+main\s*\(|\bstatic\s+public\s+void\s+main\s*\(")
_IMPORT = re.compile(r"^[ \t]*import\b[^;]*;[ \t]*\n?", re.MULTILINE)
_PACKAGE = re.compile(r"^[ \t]*package\b[^;]*;", re.MULTILINE)
_ASSERTION = re.compile(r"\bassert\b\s*[^;]")
_PUBLIC_TYPE = re.compile(r"\bpublic\s+(?=(?:(?:abstract|final|sealed|strictfp)\s+)*(?:class|enum|record|interface)\b)")


@dataclass(frozen=True, slots=True)
class JavaTest:
    """A test: the text before the answer, and the code below it."""

    prefix: str
    code: str


def suite_test(code: str, reference: str) -> JavaTest:
    """Return a test as the grader runs it. Raises `CannotHoldError` if the grader would judge it differently."""
    masked = mask_literals(code, "java")
    tops = [item for item in declared_types(masked) if not item.outer]
    starting = [item for item in tops if _STARTS.search(masked, item.start, item.end)]
    if _PACKAGE.search(masked):
        raise CannotHoldError("its test stands in a package, and the suite's grader has one file")
    if not starting:
        raise CannotHoldError("its test has no main, which the suite's grader starts (it has no JUnit)")
    if len(starting) > 1:
        raise CannotHoldError("its test has more than one class with a main, and the suite's grader starts one")
    if _ASSERTION.search(masked):
        raise CannotHoldError("its test uses assert, which the suite's grader does not turn on")
    _refuse_reference(reference)
    other_names = {item.name for item in tops} - {starting[0].name}
    if _MAIN in other_names:
        raise CannotHoldError(f"its test has another class {_MAIN} than the one that starts it")
    imports = [item[0].strip() for item in _IMPORT.finditer(masked)]
    rest = replace_visible(_IMPORT, "", code, "java")
    rest = _without_public(rest)
    name = re.compile(rf"(?<![\w.]){re.escape(starting[0].name)}\b")
    rest = rest if starting[0].name == _MAIN else replace_visible(name, _MAIN, rest, "java")
    return JavaTest("".join(f"{line}\n" for line in imports), rest.lstrip("\n"))


def _refuse_reference(reference: str) -> None:
    """Raise `CannotHoldError` for a solution that cannot be in Main.java beside the class Main."""
    masked = mask_literals(reference, "java")
    if _PUBLIC_TYPE.search(top_level(masked)):
        raise CannotHoldError("its solution has a public class, which cannot stand in the suite's Main.java")
    if any(declared.name == _MAIN and not declared.outer for declared in declared_types(masked)):
        raise CannotHoldError(f"its solution has a class {_MAIN}, which the suite's grader needs for the tests")


def _without_public(code: str) -> str:
    """Return code without public top-level types, since a file may only have one, named like the file."""
    outer = top_level(mask_literals(code, "java"))
    for match in reversed(list(_PUBLIC_TYPE.finditer(outer))):
        code = code[: match.start()] + code[match.end() :]
    return code
