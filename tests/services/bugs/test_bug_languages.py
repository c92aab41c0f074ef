"""Bugs in other languages: from subjects as they are imported, over proof by the language's own tools, to items."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from contextlib import closing
from pathlib import Path

import pytest

from annotator.construction.bugs.bug_proofs import Baseline, BugEvidence, prove_syntax
from annotator.construction.bugs.bug_proofs import ProposalVerdict as BugVerdict
from annotator.construction.completion import blanks
from annotator.construction.edits import Proposal, changed_lines
from annotator.construction.task_material import ConstructionError, Material
from annotator.sandbox import Job, JobResult, Runner, TestCode, TestResult
from annotator.services import sandbox_sessions as benches
from annotator.services.bugs import implanted_bugs, proving
from annotator.services.bugs.material import bug_hash, bug_material
from annotator.services.bugs.proving import operator_bugs
from annotator.services.select import triage
from annotator.services.tasks import listing, making
from annotator.services.tasks.grading import start_validation
from annotator.services.tasks.items import bug_candidate, plain_item
from annotator.store.file.project_file import ProjectFile
from tests.samples import load_samples
from tests.template_projects import project_of_rows

PROGRAMS = load_samples(__file__)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ProjectFile]:
    rows = [
        {"id": name, "title": name, "prompt": "Sum some.", "reference": program["code"], "language": name,
         "task": "generation", "entry_point": "" if name == "sql" else "f", "licence": "MIT",
         "tests": [{"name": f"check {n}", "code": test, "language": name} for n, test in enumerate(program["tests"])]}
        for name, program in PROGRAMS.items()
    ]  # fmt: skip
    with closing(project_of_rows(tmp_path / "p.annotator", rows)) as project:
        yield project


@pytest.mark.parametrize("language", PROGRAMS)
def test_material_is_read_and_its_tests_are_cut(store: ProjectFile, language: str) -> None:
    material = bug_material(triage.load_subject(store, language))
    assert material.language == language
    assert len(material.tests) == {"java": 2, "c++": 2}.get(language, 3)
    assert len({test.name for test in material.tests}) == len(material.tests)
    if language == "sql":
        assert material.code.startswith("CREATE VIEW v AS\nSELECT")


@pytest.mark.sandbox
@pytest.mark.parametrize(
    "language",
    ["javascript", "sql", "typescript", "java", "c++"],
)
def test_bugs_are_proven_by_the_language_itself(
    store: ProjectFile, language: str, engine: object, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    monkeypatch.setattr(benches.Workbench, "runner", lambda _self: engine)
    # Compilers are slow, and a few changes of each family show as much as all.
    every = implanted_bugs.operator_bugs
    monkeypatch.setattr(implanted_bugs, "operator_bugs", lambda *given: every(*given)[:3])
    monkeypatch.setattr(blanks, "MAX_BLANKS", 1)
    monkeypatch.setattr(implanted_bugs, "PLAIN_SHARE", 1.0)
    (row,), _ = implanted_bugs.propose_bugs(store, [language], most=2)
    assert row.kept == 2 and not row.reason, row
    listed = implanted_bugs.find_bugs(store)
    assert {item.family for item in listed} == ({"logic"} if language == "sql" else {"logic", "syntax"})
    logic = next(item for item in listed if item.family == "logic")
    view = implanted_bugs.load_bug(store, logic.id)
    after = [outcome for _, _, outcome in view.matrix]
    assert view.language == language and "pass" in after and set(after) != {"pass"}
    item = implanted_bugs.bug_item_of(store, view)
    subject = triage.load_subject(store, language)
    for task in ("modification", "review"):
        made = bug_candidate(subject, item, task, logic.id)
        assert made.language == language and start_validation(plain_item(made), engine)() == ""  # type: ignore[arg-type]  # a pool runs jobs
    edited, _ = implanted_bugs.edit_bug(
        store, logic.id, view.code + ("" if language == "sql" else "\n") + ("-- x\n" if language == "sql" else "// x\n")
    )
    assert implanted_bugs.load_bug(store, edited).row.state == "unproven"
    rows, _ = making.make_task_items(store, [language], ["understanding", "completion"], most=1)
    assert set(rows[0].kept) == ({"understanding"} if language == "sql" else {"understanding", "completion"}), rows
    assert {item.task for item in listing.list_task_items(store)} == set(rows[0].kept)


@pytest.mark.parametrize("language", ["java", "python"])
def test_where_tests_are_programs_bugs_are_tried_until_there_are_enough(
    store: ProjectFile, language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    material = bug_material(triage.load_subject(store, "java"))
    if language == "python":
        test = "import unittest\n\n\nclass Case(unittest.TestCase):\n    def test_f(self):\n        f()\n"
        material = Material(
            key="m",
            language=language,
            code="def f():\n    n = 1\n    return n\n",
            tests=(TestCode("t", test),),
            entry_point="f",
        )
    lines = [material.code.replace("n", f"n{number}", 1) for number in range(20)]
    found = [
        Proposal(kind="logic.number", operator="number", code=code, reference=material.code, explanation="")
        for code in lines
    ]
    tried: list[Proposal] = []

    def prove(_baseline: Baseline, proposals: Sequence[Proposal], _runner: object) -> list[BugVerdict]:
        tried.extend(proposals)
        return [BugVerdict(item, BugEvidence(steps=("P1",))) for item in proposals]

    monkeypatch.setattr(proving, "prove_logic", prove)
    baseline, nobody = Baseline(material=material, slowest_s=1.0, lines=frozenset()), Unused()
    assert len(proving.prove_proposals(baseline, found, "logic", nobody, most=2)) == len(tried) == 4
    assert len(proving.prove_proposals(baseline, found, "logic", nobody)) == 20, "an edit is proven whatever it is"


def test_a_compiler_is_asked_once_about_a_bug_of_syntax(store: ProjectFile) -> None:
    material = bug_material(triage.load_subject(store, "java"))
    ran: list[Job] = []

    class Compiler:
        def submit(self, job: Job) -> Future[JobResult]:
            ran.append(job)
            done: Future[JobResult] = Future()
            done.set_result(JobResult(id=job.id, outcome="compile_error", message="main.java:1: error"))
            return done

    broken = material.code.replace("{", "", 1)
    found = [
        Proposal(kind="syntax.parse", operator="dropped_bracket", code=broken, reference=material.code, explanation="")
    ]
    (verdict,) = prove_syntax(Baseline(material=material, slowest_s=1.0, lines=frozenset()), found, Compiler())
    assert verdict.proven and [len(job.tests or ()) for job in ran] == [1]


def test_a_reference_that_cannot_be_read_says_so(store: ProjectFile, tmp_path: Path) -> None:
    view = triage.load_subject(store, "java")
    from dataclasses import replace

    with pytest.raises(ConstructionError, match="not a program"):
        bug_material(replace(view, reference="class {"))
    with pytest.raises(ConstructionError, match="not a program"):
        bug_material(replace(view, entry_point="elsewhere"))
    code = PROGRAMS["java"]["code"]
    head, start, rest = code.partition("    int n")
    assert bug_material(replace(view, prompt=head, reference=start + rest)).code == code
    with pytest.raises(ConstructionError, match="cannot be read"):
        bug_material(replace(triage.load_subject(store, "sql"), reference="select from where ("))


def test_of_a_program_that_is_compiled_for_each_test_few_bugs_are_tried_spread_over_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    steps = "".join(f"    if (x > {n} && x < {n + 9}) {{\n      n += x * {n};\n    }}\n" for n in range(2, 14))
    code = f"class S {{\n  static int f(int x) {{\n    int n = 0;\n{steps}    return n;\n  }}\n}}\n"
    made = Material(key="k", language="java", code=code, tests=())
    found = operator_bugs(made, "logic", frozenset())
    tried: list[list[Proposal]] = []

    def refuse(_: Baseline, proposals: Sequence[Proposal], __: Runner) -> list[BugVerdict]:
        tried.append(list(proposals))
        return []

    monkeypatch.setattr(proving, "prove_logic", refuse)
    proving.prove_proposals(Baseline(material=made, slowest_s=0.0, lines=frozenset()), found, "logic", Unused(), most=3)
    flat = [item for batch in tried for item in batch]
    lines = {min(changed_lines(made.code, item.code)) for item in flat}
    assert len(flat) == 24 and len(lines) > 20 and len({item.operator for item in flat}) > 3
    assert max(map(len, tried)) == 4
    kept = frozenset(bug_hash(made, item.kind, item.code) for item in flat)
    assert not {item.code for item in operator_bugs(made, "logic", kept)} & {item.code for item in flat}


class Unused:
    """A sandbox that nothing reaches."""

    def submit(self, job: Job) -> Future[JobResult]:
        raise AssertionError(job)


def test_the_items_of_a_program_share_the_runs_of_its_reference(
    store: ProjectFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    material, jobs = bug_material(triage.load_subject(store, "java")), list[Job]()

    class Comparing:
        """Passes the reference and fails everything else."""

        def submit(self, job: Job) -> Future[JobResult]:
            jobs.append(job)
            outcome = "pass" if job.code.split() == material.code.split() else "fail"
            result: Future[JobResult] = Future()
            tests = tuple(TestResult(name=test.name, outcome=outcome) for test in job.tests or ())
            result.set_result(JobResult(id=job.id, outcome=outcome, tests=tests))
            return result

    monkeypatch.setattr(benches.Workbench, "runner", lambda _self: Comparing())
    (row,), _ = making.make_task_items(store, ["java"], ["completion"])
    assert row.kept["completion"] > 2 and not row.reason
    assert [job.runs for job in jobs if job.code.split() == material.code.split()] == [3, 1]
    shown = [job for job in jobs if blanks.BLANK in job.code]
    assert len(shown) == row.kept["completion"] and all(len(job.tests or ()) == 1 for job in shown)
