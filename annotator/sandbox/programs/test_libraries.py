"""Libraries that only a test needs: whether they are there is asked before the answer runs, which could pretend."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from annotator.sandbox.imports import SAME
from annotator.sandbox.programs import c, go, java, scripts
from annotator.sandbox.programs.junit import JUNIT
from annotator.sandbox.programs.junit_rows import PARAMETERIZED
from annotator.sandbox.programs.program import Step

_NAMED = {
    "c": r"^\s*#\s*include\s*(?:<([\w+.-]+/[^>]+)>|[<\"]((?:gtest|gmock|catch2|doctest|boost/test|criterion)/[^>\"]+"
    r"|doctest\.h|catch\.hpp|unity\.h|check\.h|cmocka\.h)[>\"])",
    "java": r"^\s*import\s+(?:static\s+)?((?:\w+\.)+[\w*]+)\s*;",
    "go": r"^\s*(?:import\s+)?(?:[\w.]+\s+)?\"(\w+\.\w+/[^\"]+)\"",
    "rust": r"\b(?:use|extern\s+crate)\s+(proptest|rstest|quickcheck|approx|mockall|criterion|pretty_assertions)\b",
    "c#": r"^\s*using\s+(?:static\s+)?((?:NUnit|Xunit|Microsoft\.VisualStudio|FluentAssertions|Moq)[\w.]*)\s*;"
    r"|^\s*\[(Fact|Theory|TestMethod|TestCase|Test)\b",
}
_PATTERNS = {name: re.compile(pattern, re.MULTILINE) for name, pattern in _NAMED.items()}
_THERE = {
    "c": re.compile(r"(?:bits|sys|arpa|netinet|boost)/"),
    "java": re.compile(
        r"(?:java|javax|org\.assertj\.core)\.|org\.junit\.(?:jupiter\.api\.)?(?:\*|Assert(?:ions)?\b|function\.Executable$|(?:"
        + "|".join(JUNIT) + r")$|jupiter\.params\.(?:\*|provider\.(?:\*|Arguments\b.*)|"
        + "|".join(map(re.escape, PARAMETERIZED)) + r")$)"
    ),
    "go": re.compile(r"github\.com/stretchr/testify/(?:assert|require)$"),
}  # fmt: skip
_CALLED = {"Fact": "Xunit", "Theory": "Xunit", "TestCase": "NUnit", "Test": "NUnit", "TestMethod": "MSTest"}
_OWN: dict[str, Callable[[str, str], Mapping[str, object]]] = {
    "c": c.own_imports,
    "go": go.own_imports,
    "java": java.own_imports,
}
"""What tests name by a path of their own, though it is the code."""
_MISSING = "is not in this sandbox"
_C = (
    'for name; do echo "#include <$name>" | g++ -E -x c++ - >/dev/null 2>&1 ||'
    f' {{ echo "$name {_MISSING}" >&2; exit 1; }}; done'
)
_NEVER = f'echo "$1 {_MISSING}" >&2; exit 1'
_QUESTIONS: dict[str, Sequence[str]] = {
    "c": ("sh", "-c", _C, "sh"),
}


def ask_for_libraries(language: str, code: str, test: str) -> tuple[Step, ...]:
    """Return the step that fails if a library is missing that the test names and the code does not."""
    name = SAME.get(language, language)
    pattern, there = _PATTERNS.get(name), _THERE.get(name)
    if pattern is None:
        return ()
    named = dict.fromkeys(
        _CALLED.get(word, word) for found in pattern.finditer(test) for word in found.groups() if word
    )
    own = _OWN[name](code, test) if name in _OWN else dict[str, object]()
    # An answer that imports the same as its tests has not brought it along.
    rest = pattern.sub("", code)
    asked = [
        word for word in named if _root(word) not in rest and not (there and there.match(word)) and word not in own
    ]
    if not asked:
        return ()
    return (Step("library", (*_QUESTIONS.get(name, ("sh", "-c", _NEVER, "sh")), *asked)),)


def names_libraries(language: str, code: str, test: str) -> bool:
    """Tell whether a test names libraries that its language lacks or is asked for, and the code does not have."""
    name = SAME.get(language, language)
    if name in scripts.LOADED:
        return bool(scripts.needs_of(name, code, test))
    # What tests in JavaScript load is their own, whatever the code.
    return name == "javascript" or bool(ask_for_libraries(language, code, test))


def _root(name: str) -> str:
    """Return what code would have of a name: a package without what is imported from it."""
    return name.rpartition(".")[0] if re.fullmatch(r"(?:\w+\.)+[\w*]+", name) else name
