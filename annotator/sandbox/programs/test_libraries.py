"""Libraries that only a test needs: whether they are there is told before the answer runs, which could pretend.

In C, C++, Go and Java it is asked if nothing compiles, by the step that compiles; in JavaScript, PHP, R and Ruby the
guard says it. Rust and Mono have no libraries here.
"""

from __future__ import annotations

import re

from annotator.sandbox.language_imports import SAME
from annotator.sandbox.programs import scripts
from annotator.sandbox.programs.program import ProgramStep

_PATTERNS = {
    "rust": re.compile(
        r"\b(?:use|extern\s+crate)\s+(proptest|rstest|quickcheck|approx|mockall|criterion|pretty_assertions)\b"
    ),
    "c#": re.compile(
        r"^\s*using\s+(?:static\s+)?((?:NUnit|Xunit|Microsoft\.VisualStudio|FluentAssertions|Moq)[\w.]*)\s*;"
        r"|^\s*\[(Fact|Theory|TestMethod|TestCase|Test)\b",
        re.MULTILINE,
    ),
}
_CALLED = {"Fact": "Xunit", "Theory": "Xunit", "TestCase": "NUnit", "Test": "NUnit", "TestMethod": "MSTest"}
_NEVER = 'echo "$1 is not in this sandbox" >&2; exit 1'


def library_check_steps(language: str, code: str, test: str) -> tuple[ProgramStep, ...]:
    """Return the step that fails for a library which the test names, the code does not, and the sandbox lacks."""
    pattern = _PATTERNS.get(language)
    if pattern is None:
        return ()
    libraries = [_CALLED.get(word, word) for match in pattern.finditer(test) for word in match.groups() if word]
    # An answer that imports the same as its tests has not brought it along.
    rest = pattern.sub("", code)
    requested = [word for word in dict.fromkeys(libraries) if _package_of(word) not in rest]
    return (ProgramStep("library", ("sh", "-c", _NEVER, "sh", *requested)),) if requested else ()


def names_libraries(language: str, code: str, test: str) -> bool:
    """Tell whether a test names libraries that its language lacks or is asked for, and the code does not have."""
    name = SAME.get(language, language)
    if name in scripts.LOADED:
        return bool(scripts.libraries_of_test(name, code, test))
    # What tests in JavaScript load is their own, whatever the code.
    return name == "javascript" or bool(library_check_steps(language, code, test))


def _package_of(name: str) -> str:
    """Return the package of an imported name, which code would mention: the name without its last part."""
    return name.rpartition(".")[0] if re.fullmatch(r"(?:\w+\.)+[\w*]+", name) else name
