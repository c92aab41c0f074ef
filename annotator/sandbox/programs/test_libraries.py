"""Libraries that only a test needs: whether they are there is told before the answer runs, which could pretend.

In C, C++, Go and Java it is asked if nothing compiles, by the step that compiles; in JavaScript, PHP, R and Ruby the
guard says it. Bash, Rust and Mono have no libraries here.
"""

from __future__ import annotations

import re
from itertools import pairwise

from annotator.sandbox.language_imports import SAME
from annotator.sandbox.programs import scripts
from annotator.sandbox.programs.program import ProgramStep
from annotator.sandbox.programs.source_text import mask_literals
from annotator.text.trees.word_trees import Word, read_statements

_PATTERNS = {
    "rust": re.compile(
        r"\b(?:use|extern\s+crate)\s+(proptest|rstest|quickcheck|approx|mockall|criterion|pretty_assertions)\b"
    ),
    "c#": re.compile(
        r"^\s*using\s+(?:static\s+)?((?:NUnit|Xunit|Microsoft\.VisualStudio|FluentAssertions|KellermanSoftware|Moq)[\w.]*)\s*;"
        r"|^\s*\[(Fact|Theory|TestMethod|TestCase|Test)\b",
        re.MULTILINE,
    ),
}
_COMPARES = re.compile(r"\bnew\s+CompareLogic\b")
_OWN_COMPARES = re.compile(r"\b(?:class|struct|record)\s+CompareLogic\b")
_CALLED = {"Fact": "Xunit", "Theory": "Xunit", "TestCase": "NUnit", "Test": "NUnit", "TestMethod": "MSTest"}
_NEVER = 'echo "$1 is not in this sandbox" >&2; exit 1'


def library_check_steps(language: str, code: str, test: str) -> tuple[ProgramStep, ...]:
    """Return the step that fails for a library which the test names, the code does not, and the sandbox lacks."""
    requested = ["bats"] if language == "bash" and _has_bats_cases(test) else _lacking(language, code, test)
    return (ProgramStep("library", ("sh", "-c", _NEVER, "sh", *requested)),) if requested else ()


def _has_bats_cases(test: str) -> bool:
    """Return whether a script has cases for bats, which Bash cannot read, whatever the answer defines."""
    words = (item for statement in read_statements("bash", test) for item in statement if isinstance(item, Word))
    return any(case.text == "@test" and title.text[:1] in "\"'" for case, title in pairwise(words))


def _lacking(language: str, code: str, test: str) -> list[str]:
    """Return the libraries that a test names and the code does not."""
    pattern = _PATTERNS.get(language)
    if pattern is None:
        return []
    libraries = [_CALLED.get(word, word) for match in pattern.finditer(test) for word in match.groups() if word]
    if language == "c#" and _compares_with_library(code, test):
        libraries.append("KellermanSoftware.CompareNetObjects")
    # An answer that imports the same as its tests has not brought it along.
    rest = pattern.sub("", code)
    return [word for word in dict.fromkeys(libraries) if _package_of(word) not in rest]


def _compares_with_library(code: str, test: str) -> bool:
    """Return whether a test in C# makes an object of a library that compares, and nothing here declares it."""
    masked = mask_literals(test, "c#")
    return bool(_COMPARES.search(masked)) and not _OWN_COMPARES.search(f"{mask_literals(code, 'c#')}\n{masked}")


def names_libraries(language: str, code: str, test: str) -> bool:
    """Return whether a test names libraries that its language lacks or is asked for, and the code does not have."""
    name = SAME.get(language, language)
    if name in scripts.LOADED:
        return bool(scripts.libraries_of_test(name, code, test))
    # What tests in JavaScript load is their own, whatever the code.
    return name == "javascript" or bool(library_check_steps(language, code, test))


def _package_of(name: str) -> str:
    """Return the package of an imported name, which code would mention: the name without its last part."""
    return name.rpartition(".")[0] if re.fullmatch(r"(?:\w+\.)+[\w*]+", name) else name
