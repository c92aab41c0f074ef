"""Libraries that an item's own texts import: whether an answer failed only because one is not in the sandbox."""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from annotator.base.errors import BadInputError
from annotator.sandbox import LIBRARY_MISSING, Job, JobResult, Runner
from annotator.sandbox.imports import SAME, Import, imports_of, unknown_types
from annotator.sandbox.languages import PYTHON, language
from annotator.sandbox.programs.test_libraries import names_libraries
from annotator.sandbox.work import COMPILE_ERROR, CRASH, FAIL, MACHINERY, Limits, missing_library
from annotator.text.python_tree import modules_meaning

_FAILED = (FAIL, COMPILE_ERROR, CRASH)
_NOT_IN_ANSWER = "the answer lacks what its tests import"


@dataclass(frozen=True, slots=True)
class OwnTexts:
    """What an item's library can be named in: what is asked, what is right, what is tested."""

    asked: Sequence[str]
    reference: str
    tests: Sequence[str]


@dataclass
class OwnLibraries:
    """Asks sandboxes which libraries they have, each once; from any thread."""

    _known: dict[tuple[str, str], bool] = field(default_factory=dict, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def missing(self, texts: OwnTexts, job: Job, result: JobResult, runner: Runner) -> str:
        """Return the library that a failed job did not find, if the item's own texts import it; else nothing.

        What an answer says is not believed: a program that holds the import alone is run.
        """
        if result.outcome not in _FAILED:
            return ""
        said = "\n".join((result.message, result.stderr, *(test.message for test in result.tests)))
        wanted = _suspected(texts, job.language, said)
        return next((item.name.split()[-1] for item in wanted if not self._is_there(item, job, runner)), "")

    def _is_there(self, item: Import, job: Job, runner: Runner) -> bool:
        key = (item.program, job.libraries)
        with self._lock:
            if key in self._known:
                return self._known[key]
        asking = Job(
            id=f"look for {item.name}",
            language=job.language,
            code=item.program,
            # A supervisor serves one limit of memory: with another one it would be replaced, and again for the next.
            limits=Limits(memory_mb=job.limits.memory_mb),
            libraries=job.libraries,
        )
        there = runner.submit(asking).result().outcome not in _FAILED
        with self._lock:
            self._known[key] = there
        return there


def _suspected(texts: OwnTexts, name: str, said: str) -> list[Import]:
    """Return what the item imports and the failure may be for.

    In other languages than Python tests can import the answer itself, by a name that only the reference tells; the
    sandbox asks for the rest of what they import before the answer runs.
    """
    try:
        python = language(name).name == PYTHON
    except BadInputError:
        return []
    before = "\n".join((*texts.asked, texts.reference))
    found = [item for item in imports_of(name, before) if item.is_told_missing(said) and not item.is_declared(before)]
    if python:
        return found + [item for test in texts.tests for item in imports_of(name, test) if item.is_told_missing(said)]
    tests = "\n".join(texts.tests)
    words = frozenset(re.findall(r"\w+", tests)) - frozenset(re.findall(r"\w+", before))
    words -= {part for item in imports_of(name, tests) for part in re.findall(r"\w+", item.name)}
    if unknown_types(said) & words:
        # Only the tests know the type: it is from a namespace that is not here.
        found += imports_of(name, before)
        if texts.reference:
            found += [item for item in imports_of(name, tests) if not item.is_declared(f"{before}\n{tests}")]
    return found


def blame_answer(result: JobResult, job: Job, reference: str) -> JobResult:
    """Return a result in which what tests import is the answer's to have, if the item's reference has it.

    The sandbox knows tests and answer alone: a class of the answer that is not there looks like a library's.
    """
    lacks = result.outcome == MACHINERY and result.message.startswith(LIBRARY_MISSING)
    if not lacks or not reference.strip() or not _has_what_is_missing(reference, job, result.message):
        return result
    tests = tuple(
        replace(test, outcome=FAIL, message=_NOT_IN_ANSWER) if test.outcome == MACHINERY else test
        for test in result.tests
    )
    return replace(result, outcome=FAIL, message=_NOT_IN_ANSWER, tests=tests)


def _has_what_is_missing(reference: str, job: Job, said: str) -> bool:
    """Tell whether a reference has what a job's tests were said to lack."""
    name, tests = language(job.language).name, [test.code for test in job.tests or ()]
    if name == PYTHON:
        meant = {module for test in tests for module in modules_meaning(reference, test)}
        return any(re.search(rf"\b{re.escape(module)}\b", said) for module in meant)
    if SAME.get(name, name) in ("c", "go", "java"):
        # The compiler named what it did not find: the reference has it where it speaks of it.
        missing = re.split(r"[./]", missing_library(said).removesuffix(".h").removesuffix(".hpp"))[-1]
        return re.search(rf"\b{re.escape(missing)}\b", reference) is not None
    return not any(names_libraries(name, reference, test) for test in tests)
