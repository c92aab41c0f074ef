"""Detect answers that failed only because a library that the item itself imports is missing in the sandbox."""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from annotator.base.errors import BadInputError
from annotator.sandbox import LIBRARY_MISSING, Job, JobResult, Runner
from annotator.sandbox.language_imports import SYNTAX_OF, CodeImport, imports_of, unknown_types
from annotator.sandbox.languages import PYTHON, find_language
from annotator.sandbox.programs.test_libraries import names_libraries
from annotator.sandbox.sandbox_jobs import COMPILE_ERROR, CRASH, FAIL, MACHINERY, Limits, missing_library
from annotator.text.python_tree import candidate_code_modules

_FAILED = (FAIL, COMPILE_ERROR, CRASH)
_NOT_IN_ANSWER = "the answer lacks what its tests import"


@dataclass(frozen=True, slots=True)
class ItemTexts:
    """The texts of an item that may import a library: prompts, reference and tests."""

    prompts: Sequence[str]
    reference: str
    tests: Sequence[str]


@dataclass
class ItemLibraries:
    """Asks sandboxes which libraries they have, once per library; thread-safe."""

    _available: dict[tuple[str, str], bool] = field(default_factory=dict, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def find_missing(self, texts: ItemTexts, job: Job, result: JobResult, runner: Runner) -> str:
        """Return the library that a failed job did not find, if the item's own texts import it; else "".

        The answer's error message is not trusted: a program with only the import is run to check.
        """
        if result.outcome not in _FAILED:
            return ""
        output = "\n".join((result.message, result.stderr, *(test.message for test in result.tests)))
        suspects = _suspect_imports(texts, job.language, output)
        return next(
            (
                code_import.name.split()[-1]
                for code_import in suspects
                if not self._is_available(code_import, job, runner)
            ),
            "",
        )

    def _is_available(self, code_import: CodeImport, job: Job, runner: Runner) -> bool:
        key = (code_import.program, job.libraries)
        with self._lock:
            if key in self._available:
                return self._available[key]
        probe = Job(
            id=f"look for {code_import.name}",
            language=job.language,
            code=code_import.program,
            # A supervisor has a fixed memory limit: another limit would restart it now, and once more for the next job.
            limits=Limits(memory_mb=job.limits.memory_mb),
            libraries=job.libraries,
        )
        is_available = runner.submit(probe).result().outcome not in _FAILED
        with self._lock:
            self._available[key] = is_available
        return is_available


def _suspect_imports(texts: ItemTexts, language: str, output: str) -> list[CodeImport]:
    """Return the imports of the item's own texts that may explain the failure.

    In languages other than Python, tests can import the answer itself, by a name that only the reference shows; the
    sandbox checks the other imports of the tests before the answer runs.
    """
    try:
        is_python = find_language(language).name == PYTHON
    except BadInputError:
        return []
    own_text = "\n".join((*texts.prompts, texts.reference))
    imports = [
        code_import
        for code_import in imports_of(language, own_text)
        if code_import.may_be_missing(output) and not code_import.is_declared(own_text)
    ]
    if is_python:
        return imports + [
            code_import
            for test in texts.tests
            for code_import in imports_of(language, test)
            if code_import.may_be_missing(output)
        ]
    tests = "\n".join(texts.tests)
    words = frozenset(re.findall(r"\w+", tests)) - frozenset(re.findall(r"\w+", own_text))
    # The name of an imported library is not an unknown type.
    words -= {part for code_import in imports_of(language, tests) for part in re.findall(r"\w+", code_import.name)}
    if unknown_types(output) & words:
        # Only the tests name the unknown type, so it comes from a library that is missing here.
        imports += imports_of(language, own_text)
        if texts.reference:
            imports += [
                code_import
                for code_import in imports_of(language, tests)
                if not code_import.is_declared(f"{own_text}\n{tests}")
            ]
    return imports


def blame_answer(result: JobResult, job: Job, reference: str) -> JobResult:
    """Blame the answer, not the sandbox, for a missing import of the tests that the reference provides.

    The sandbox sees only tests and answer, so a class missing from the answer looks like a missing library.
    """
    is_library_missing = result.outcome == MACHINERY and result.message.startswith(LIBRARY_MISSING)
    if not is_library_missing or not reference.strip() or not _provides_missing_name(reference, job, result.message):
        return result
    tests = tuple(
        replace(test, outcome=FAIL, message=_NOT_IN_ANSWER) if test.outcome == MACHINERY else test
        for test in result.tests
    )
    return replace(result, outcome=FAIL, message=_NOT_IN_ANSWER, tests=tests)


def _provides_missing_name(reference: str, job: Job, message: str) -> bool:
    """Return whether a reference provides the name that a job's tests lacked, according to the error message."""
    name = find_language(job.language).name
    tests = [test.code for test in job.tests or ()]
    if name == PYTHON:
        modules = {module for test in tests for module in candidate_code_modules(reference, test)}
        return any(re.search(rf"\b{re.escape(module)}\b", message) for module in modules)
    if SYNTAX_OF.get(name, name) in ("c", "go", "java"):
        # The compiler names what it did not find; a reference that mentions the name is taken to provide it.
        missing = re.split(r"[./]", missing_library(message).removesuffix(".h").removesuffix(".hpp"))[-1]
        return re.search(rf"\b{re.escape(missing)}\b", reference) is not None
    return not any(names_libraries(name, reference, test) for test in tests)
