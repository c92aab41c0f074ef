"""A library that an item's own code needs and nobody has is no fault of an answer; what an answer alone wants is."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import dataclass

import pytest

from annotator.evaluation.answer_scoring import ItemScorer, ScoreJob
from annotator.evaluation.own_libraries import ItemLibraries, ItemTexts
from annotator.sandbox import Job, JobResult, Limits, Pool
from annotator.sandbox.language_imports import imports_of
from tests.samples import load_samples


@dataclass(frozen=True)
class Case:
    """An item and an answer to it; ``outcome`` is what must come out.

    Those that are long are answered like others in another language.
    """

    name: str
    outcome: str
    language: str
    prompt: str
    reference: str
    test: str
    answer: str
    is_long: bool = False


# In Java, C++ and Go an answer gets the imports of its prompt, so none can be tried where one of those is missing.
CASES = tuple(Case(**row) for row in load_samples(__file__))


@pytest.mark.sandbox
@pytest.mark.parametrize("is_long", [False, True], ids=["few", "more"])
def test_what_the_item_needs_is_machinery_and_what_the_answer_wants_is_not(pool: Pool, is_long: bool) -> None:
    scorer = ItemScorer(sandbox=pool)
    wrong = []
    # One language after the other, for each has containers of its own.
    for case in sorted((case for case in CASES if case.is_long == is_long), key=lambda case: case.language):
        item = {
            "language": case.language,
            "prompt": case.prompt,
            "reference": case.reference,
            "tests": [{"name": "t", "code": case.test}],
        }
        scored = scorer(ScoreJob(item=item, text=f"```\n{case.answer}\n```"))
        if scored.outcome.value != case.outcome:
            wrong.append((case.name, case.outcome, scored.outcome.value, scored.detail))
    assert not wrong, "\n".join(map(repr, wrong))


def test_a_library_is_looked_for_under_the_limit_that_answers_have() -> None:
    asked: list[Job] = []

    class Lacking:
        def submit(self, job: Job) -> Future[JobResult]:
            asked.append(job)
            done: Future[JobResult] = Future()
            done.set_result(JobResult(id=job.id, outcome="fail"))
            return done

    job = Job(id="x", language="python", code="import absent", limits=Limits(memory_mb=1024))
    failed = JobResult(id="x", outcome="fail", message="ModuleNotFoundError: No module named 'absent'")
    texts = ItemTexts(("import absent",), "", ())
    assert ItemLibraries().find_missing(texts, job, failed, Lacking()) == "absent"
    assert [item.limits.memory_mb for item in asked] == [1024], "another one would need other containers"


@pytest.mark.parametrize(
    ("language", "text", "names"),
    [
        ("python", "import a.b, c as d\nfrom e.f import g\nfrom . import h", ["a", "c", "e"]),
        ("csharp", "using A.B;\nusing static A.C;\nusing D = A.E;\nusing (var x = f()) { }", ["A.B", "static A.C"]),
        ("java", "import a.b.C;\nimport static a.D.e;\nimport a.*;", ["a.b.C", "static a.D.e", "a.*"]),
        ("cpp", '#include <a/b.h>\n# include <c>\n#include "own.h"', ["a/b.h", "c"]),
        ("go", 'import (\n\t"a.b/c"\n\td "e"\n)\nimport "f"\nvar g = "h"', ["a.b/c", "e", "f"]),
        ("rust", "use a::b;\npub use crate::c;\nextern crate d;\nuse self::e;\nuse f;", ["a", "d", "f"]),
        ("ts", "import { a } from 'b';\nconst c = require(\"d/e\");\nimport './own';\nimport 'f';", ["b", "d/e", "f"]),
        ("ruby", "require 'a/b'\nrequire './own'\nrequire_relative 'own'", ["a/b"]),
        ("r", "library(a)\nrequire('b.c')", ["a", "b.c"]),
        ("bash", "source a", []),
    ],
)  # fmt: skip
def test_imports_are_read_as_each_language_writes_them(language: str, text: str, names: list[str]) -> None:
    assert [item.name for item in imports_of(language, text)] == names
