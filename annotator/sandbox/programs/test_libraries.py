"""Libraries that only a test needs. A missing one is reported before the answer runs, which could fake the message.

In C, C++, Go and Java the compile step checks it if compilation fails; in JavaScript, PHP, R and Ruby the guard does.
Bash, Rust and Mono have no libraries here.
"""

from __future__ import annotations

import re
from itertools import pairwise

from annotator.sandbox.language_imports import SYNTAX_OF
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
_USED_COMPARER = re.compile(r"\bnew\s+CompareLogic\b")
_DECLARED_COMPARER = re.compile(r"\b(?:class|struct|record)\s+CompareLogic\b")
_LIBRARY_OF_ATTRIBUTE = {
    "Fact": "Xunit",
    "Theory": "Xunit",
    "TestCase": "NUnit",
    "Test": "NUnit",
    "TestMethod": "MSTest",
}
_FAILING_COMMAND = 'echo "$1 is not in this sandbox" >&2; exit 1'


def library_check_steps(language: str, code: str, test: str) -> tuple[ProgramStep, ...]:
    """Return the step that fails for a library which the test names, the code does not, and the sandbox lacks."""
    requested = (
        ["bats"] if language == "bash" and _has_bats_cases(test) else _find_lacking_libraries(language, code, test)
    )
    return (ProgramStep("library", ("sh", "-c", _FAILING_COMMAND, "sh", *requested)),) if requested else ()


def _has_bats_cases(test: str) -> bool:
    """Return whether a script has cases for bats, which Bash cannot read, whatever the answer defines."""
    words = (item for statement in read_statements("bash", test) for item in statement if isinstance(item, Word))
    return any(case.text == "@test" and title.text[:1] in "\"'" for case, title in pairwise(words))


def _find_lacking_libraries(language: str, code: str, test: str) -> list[str]:
    """Return the libraries that a test names and the code does not."""
    pattern = _PATTERNS.get(language)
    if pattern is None:
        return []
    libraries = [
        _LIBRARY_OF_ATTRIBUTE.get(word, word) for match in pattern.finditer(test) for word in match.groups() if word
    ]
    if language == "c#" and _compares_with_library(code, test):
        libraries.append("KellermanSoftware.CompareNetObjects")
    # Code that only imports a library, as its test does, does not define it.
    rest = pattern.sub("", code)
    return [word for word in dict.fromkeys(libraries) if _package_of(word) not in rest]


def _compares_with_library(code: str, test: str) -> bool:
    """Return whether a C# test uses the class CompareLogic and neither test nor code declares it."""
    masked = mask_literals(test, "c#")
    return bool(_USED_COMPARER.search(masked)) and not _DECLARED_COMPARER.search(
        f"{mask_literals(code, 'c#')}\n{masked}"
    )


def names_libraries(language: str, code: str, test: str) -> bool:
    """Return whether a test names libraries that the code does not, in a language whose tests need a check for them."""
    name = SYNTAX_OF.get(language, language)
    if name in scripts.LOADED:
        return bool(scripts.libraries_of_test(name, code, test))
    # In JavaScript, tests load their own libraries, whatever the code loads.
    return name == "javascript" or bool(library_check_steps(language, code, test))


def _package_of(name: str) -> str:
    """Return the package of an imported name, which code would mention: the name without its last part."""
    return name.rpartition(".")[0] if re.fullmatch(r"(?:\w+\.)+[\w*]+", name) else name
