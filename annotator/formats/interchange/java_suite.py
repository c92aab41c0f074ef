"""Tests in Java as InfiBench's grader runs them: below the answer in Main.java, by starting the class Main.

Assertions are off there, and imports cannot stand below the answer's classes, so they go before it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from annotator.formats.write.export_folder import CannotHoldError
from annotator.sandbox.programs.source_text import declared_types, mask, replace_visible, top_level

_MAIN = "Main"
_STARTS = re.compile(r"\bpublic\s+static\s+(?:final\s+)?void\s+main\s*\(|\bstatic\s+public\s+void\s+main\s*\(")
_IMPORT = re.compile(r"^[ \t]*import\b[^;]*;[ \t]*\n?", re.MULTILINE)
_PACKAGE = re.compile(r"^[ \t]*package\b[^;]*;", re.MULTILINE)
_ASSERTION = re.compile(r"\bassert\b\s*[^;]")
_PUBLIC_TYPE = re.compile(r"\bpublic\s+(?=(?:(?:abstract|final|sealed|strictfp)\s+)*(?:class|enum|record|interface)\b)")


@dataclass(frozen=True, slots=True)
class JavaTest:
    """A test: what stands before the answer, and what stands below it."""

    prefix: str
    code: str


def suite_test(code: str, reference: str) -> JavaTest:
    """Return a test as the grader runs it. Raises `CannotHoldError` for one that it would judge otherwise."""
    masked = mask(code, "java")
    tops = [found for found in declared_types(masked) if not found.outer]
    starting = [found for found in tops if _STARTS.search(masked, found.start, found.end)]
    if _PACKAGE.search(masked):
        raise CannotHoldError("its test stands in a package, and the suite's grader has one file")
    if not starting:
        raise CannotHoldError("its test has no main, which the suite's grader starts (it has no JUnit)")
    if len(starting) > 1:
        raise CannotHoldError("its test has more than one class with a main, and the suite's grader starts one")
    if _ASSERTION.search(masked):
        raise CannotHoldError("its test uses assert, which the suite's grader does not turn on")
    _refuse_reference(reference)
    taken = {found.name for found in tops} - {starting[0].name}
    if _MAIN in taken:
        raise CannotHoldError(f"its test has another class {_MAIN} than the one that starts it")
    imports = [found[0].strip() for found in _IMPORT.finditer(masked)]
    rest = replace_visible(_IMPORT, "", code, "java")
    rest = _without_public(rest)
    name = re.compile(rf"(?<![\w.]){re.escape(starting[0].name)}\b")
    rest = rest if starting[0].name == _MAIN else replace_visible(name, _MAIN, rest, "java")
    return JavaTest("".join(f"{line}\n" for line in imports), rest.lstrip("\n"))


def _refuse_reference(reference: str) -> None:
    """Raise `CannotHoldError` for a solution that cannot stand in Main.java beside the class Main."""
    masked = mask(reference, "java")
    if _PUBLIC_TYPE.search(top_level(masked)):
        raise CannotHoldError("its solution has a public class, which cannot stand in the suite's Main.java")
    if any(found.name == _MAIN and not found.outer for found in declared_types(masked)):
        raise CannotHoldError(f"its solution has a class {_MAIN}, which the suite's grader needs for the tests")


def _without_public(code: str) -> str:
    """Return code whose types at the top are not public: a file may have one public type, of its own name."""
    outer = top_level(mask(code, "java"))
    for found in reversed(list(_PUBLIC_TYPE.finditer(outer))):
        code = code[: found.start()] + code[found.end() :]
    return code
