"""Proofs are kept, hold for one criterion and one prompt, and gate the release."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from annotator.base.errors import BadInputError
from annotator.construction import sandbox_probe
from annotator.construction.languages import language_calls
from annotator.construction.task_material import Material
from annotator.criteria import load_criterion
from annotator.criteria.metrics.unit_tests import unit_test_job
from annotator.evaluation.answer_scoring import ScoreJob, program_of, sandbox_job
from annotator.jobs.progress import Cancelled, Progress
from annotator.model.changes import Changes
from annotator.model.vocabulary import Verdict
from annotator.sandbox import Job, JobResult, TestCode
from annotator.services.consensus import three_experts
from annotator.services.criterion import proofs, revisions
from annotator.services.project import projects, undo
from annotator.services.prompt import paraphrases
from annotator.services.release import release_gates, versions
from annotator.services.select import triage
from annotator.services.sources import imports
from annotator.store.file.project_file import ProjectFile
from tests.template_projects import project_of_rows

GOOD = "grading:\n  keywords: ['sorted(']\n"
WEAK = "grading:\n  keywords: ['sort']\n"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ProjectFile]:
    rows = (
        {"id": "sort", "prompt": "How do I sort a list?", "reference": "Use sorted(x).", "language": "python"},
        {"id": "bare", "prompt": "How do I sort?", "language": "python"},
    )
    with closing(project_of_rows(tmp_path / "p.annotator", rows, ["sort"], people=("ada",))) as project:
        yield project


def proven(store: ProjectFile, subject: str = "sort") -> bool:
    return triage.load_subject(store, subject).row.proven


def test_an_edited_reference_is_proven_again(store: ProjectFile) -> None:
    revisions.save_criterion(store, "sort", GOOD)
    [first], _ = proofs.prove_subjects(store)
    three_experts.save_artefact_edit(store, "sort", "solution", "Nothing fits here.")
    view = triage.load_subject(store, "sort")
    assert first.outcome == "pass" and view.proof is not None and not view.proof.holds
    assert not proven(store) and projects.stage_counts(store).proven == 0, "lists and counts say the same as the desk"
    assert [gate.ok for gate in release_gates.check_gates(store) if gate.id == "proofs"] == [False]
    undo.undo_last_act(store)
    assert proof_holds(store) and proven(store) and projects.stage_counts(store).proven == 1
    assert [gate.ok for gate in release_gates.check_gates(store) if gate.id == "proofs"] == [True]
    undo.redo_last_act(store)
    assert not proof_holds(store)
    [second], _ = proofs.prove_subjects(store)
    assert second.outcome == "fail", "the criterion does not fit the new reference"
    assert proof_holds(store)
    undo.undo_last_act(store)
    row = triage.load_subject(store, "sort").proof
    assert row is not None and row.holds and row.outcome == "pass", "the first proof is of the original reference"
    assert proven(store) and store.integrity() == ()


@pytest.mark.parametrize(("when", "holds"), [("before", True), ("after", False), ("before, and undone", False)])
def test_an_upgrade_takes_back_what_an_edit_left_proven(store: ProjectFile, when: str, holds: bool) -> None:
    revisions.save_criterion(store, "sort", GOOD)
    if when != "after":
        three_experts.save_artefact_edit(store, "sort", "solution", "Use sorted(x), which copies.")
    proofs.prove_subjects(store)
    if when == "after":
        three_experts.save_artefact_edit(store, "sort", "solution", "Nothing fits here.")
    elif when != "before":
        undo.undo_last_act(store)
    store.close()
    path = store.path
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        # Version 20 did not know with which edits a proof was made, and an edit left the item proven.
        connection.execute("ALTER TABLE proof DROP COLUMN edits")
        connection.execute("DROP TABLE block_digest")
        connection.execute("UPDATE subject SET proven = 1 WHERE verdict = 'accept'")
        connection.execute("PRAGMA user_version = 20")
    with closing(projects.open_project(path)) as upgraded:
        assert proven(upgraded) == holds == proof_holds(upgraded)
        assert projects.stage_counts(upgraded).proven == int(holds) and upgraded.integrity() == ()


def proof_holds(store: ProjectFile) -> bool:
    proof = triage.load_subject(store, "sort").proof
    return proof is not None and proof.holds


def test_a_proof_holds_while_criterion_and_prompt_do(store: ProjectFile) -> None:
    revisions.save_criterion(store, "sort", GOOD)
    [row], changes = proofs.prove_subjects(store)
    assert (row.outcome, row.reason) == ("pass", "") and row.subject_id in changes.subjects
    assert proven(store)
    view = triage.load_subject(store, "sort")
    assert view.proof is not None and view.proof.holds and view.proof.checks[0]["name"] == "reference"
    assert projects.stage_counts(store).proven == 1
    assert proofs.prove_subjects(store) == ((), Changes())

    revisions.save_criterion(store, "sort", WEAK)
    assert not proven(store)
    found = triage.load_subject(store, "sort").proof
    assert found is not None and not found.holds
    revisions.save_criterion(store, "sort", GOOD)
    assert proven(store), "the same criterion again is the one that was proven"
    paraphrases.save_prompt(store, "sort", "Please order this list.")
    assert not proven(store)


def test_what_an_answer_takes_over_from_the_code_beside_the_prompt_is_not_asked_for(
    store: ProjectFile, tmp_path: Path
) -> None:
    code = "function area(shape) {\n  if (____) {\n    return Math.PI * shape.radius ** 2;\n  }\n}"
    answer = '```js\nif (shape.kind === "circle") {\n  return Math.PI * shape.radius ** 2;\n}\n```'
    row = {"id": "area", "prompt": "Fill in ____.", "context": code, "reference": answer, "language": "javascript"}
    (tmp_path / "area.jsonl").write_text(json.dumps(row))
    imports.import_paths(store, "jsonl", [tmp_path / "area.jsonl"])
    revisions.save_criterion(store, "area", "grading:\n  keywords: ['shape.kind === \"circle\"']\n")
    [row_of_area], _ = proofs.prove_subjects(store, ["area"])
    assert (row_of_area.outcome, row_of_area.weakness) == ("pass", "")


def test_undo_brings_the_proof_back(store: ProjectFile) -> None:
    revisions.save_criterion(store, "sort", GOOD)
    proofs.prove_subjects(store)
    revisions.save_criterion(store, "sort", WEAK)
    undo.undo_last_act(store)
    assert proven(store)
    undo.redo_last_act(store)
    assert not proven(store)


def test_a_later_failure_outweighs_an_earlier_proof(store: ProjectFile, monkeypatch: pytest.MonkeyPatch) -> None:
    revisions.save_criterion(store, "sort", GOOD)
    proofs.prove_subjects(store)
    monkeypatch.setattr(proofs, "prove_view", lambda *_: "The criterion has an error.")
    [row], _ = proofs.prove_subjects(store, ["sort"])
    assert row.outcome == "fail" and not proven(store)


def test_weak_criteria_say_why_and_block_the_release(store: ProjectFile) -> None:
    revisions.save_criterion(store, "sort", WEAK)
    [row], _ = proofs.prove_subjects(store)
    assert row.outcome == "fail" and "the prompt, repeated passes" in row.reason
    gate = next(gate for gate in release_gates.check_gates(store) if gate.name == "Every item is proven")
    assert gate.required and not gate.ok and gate.subject_ids == (row.subject_id,)
    with pytest.raises(BadInputError, match="gates"):
        versions.create_release(store, "0.1")
    revisions.save_criterion(store, "sort", GOOD)
    proofs.prove_subjects(store)
    assert versions.create_release(store, "0.1")[0].item_count == 1


def test_what_failed_unchanged_is_not_tried_again_unless_asked(
    store: ProjectFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    revisions.save_criterion(store, "sort", "grading:\n  keywords: [quicksort]\n")
    [failed], _ = proofs.prove_subjects(store)
    assert failed.outcome == "fail" and not failed.unchanged
    with monkeypatch.context() as patch:
        patch.setattr(proofs, "prove_view", lambda *_: pytest.fail("it was tried again"))
        [stored], changes = proofs.prove_subjects(store)
    assert stored.unchanged and (stored.reason, stored.failed) == (failed.reason, failed.failed)
    assert changes == Changes(), "nothing is added to the history"
    for rows, _ in (proofs.prove_subjects(store, again=True), proofs.prove_subjects(store, [stored.subject_id])):
        assert [(row.outcome, row.unchanged) for row in rows] == [("fail", False)]
    three_experts.save_artefact_edit(store, stored.subject_id, "solution", "Use quick_sort(x).")
    assert [row.unchanged for row in proofs.prove_subjects(store)[0]] == [False], "an edited reference is proven anew"
    revisions.save_criterion(store, "sort", GOOD)
    assert not any(row.unchanged for row in proofs.prove_subjects(store)[0])


def test_without_a_reference_it_is_an_open_question(store: ProjectFile) -> None:
    revisions.save_criterion(store, "bare", GOOD)
    [row], _ = proofs.prove_subjects(store, ["bare"])
    assert row.outcome == "fail" and "examples" in row.reason


def test_what_has_no_criterion_cannot_be_proven(store: ProjectFile) -> None:
    with pytest.raises(BadInputError, match="neither a criterion nor tests"):
        proofs.prove_subjects(store, ["bare"])


def test_what_cannot_be_proven_does_not_keep_others_from_it(store: ProjectFile, tmp_path: Path) -> None:
    rows = tmp_path / "klingon.jsonl"
    row = {"id": "a", "prompt": "Add.", "reference": "add", "language": "klingon", "tests": "add"}
    rows.write_text(json.dumps(row) + "\n")
    imports.import_paths(store, "jsonl", [rows])
    triage.decide_subjects(store, ["a"], Verdict.ACCEPT)
    revisions.save_criterion(store, "sort", GOOD)
    found = {row.key: (row.outcome, row.reason) for row in proofs.prove_subjects(store)[0]}
    assert found["jsonl:sort"] == ("pass", "")
    outcome, reason = found["jsonl:a"]
    assert outcome == "fail" and reason.startswith("There is no language klingon in the sandbox.")


def test_all_are_proven_and_the_history_says_so(store: ProjectFile) -> None:
    triage.decide_subjects(store, ["bare"], Verdict.ACCEPT)
    revisions.save_criterion(store, "sort", GOOD)
    revisions.save_criterion(store, "bare", GOOD)
    progress = Progress()
    rows, changes = proofs.prove_subjects(store, progress=progress)
    assert {row.key: row.outcome for row in rows} == {"jsonl:sort": "pass", "jsonl:bare": "fail"}
    assert (progress.done, progress.total) == (2, 2)
    assert changes.label == "Prove 2 items (1 proven)"
    assert undo.load_acts(store).rows[0].label == changes.label


def test_what_is_proven_when_somebody_cancels_is_kept_and_told(
    store: ProjectFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    triage.decide_subjects(store, ["bare"], Verdict.ACCEPT)
    revisions.save_criterion(store, "sort", GOOD)
    revisions.save_criterion(store, "bare", GOOD)
    prove, proven, progress = proofs.prove_view, list[Any](), Progress()

    def prove_until_cancelled(*arguments: Any) -> Any:
        if proven:
            progress.cancel()
            progress.check()
        proven.append(prove(*arguments))
        return proven[-1]

    monkeypatch.setattr(proofs, "prove_view", prove_until_cancelled)
    [row], changes = proofs.prove_subjects(store, progress=progress)
    assert changes.subjects == {row.subject_id} and changes.label.startswith("Prove ")
    cancelled = Progress()
    cancelled.cancel()
    with pytest.raises(Cancelled):
        proofs.prove_subjects(store, progress=cancelled)
    monkeypatch.setattr(proofs, "prove_view", prove)
    assert len(proofs.prove_subjects(store)[0]) == 1, "one is proven, the other is not yet"


def test_criteria_from_tests(store: ProjectFile, tmp_path: Path) -> None:
    rows = tmp_path / "code.jsonl"
    rows.write_text(
        '{"id": "add", "prompt": "def add(a, b):\\n", "reference": "    return a + b\\n", "entry_point": "add", '
        '"language": "python", "tests": [{"code": "def check(f):\\n    assert f(1, 2) == 3\\n"}]}\n'
    )
    imports.import_paths(store, "jsonl", [rows])
    written, left_out = revisions.criteria_from_tests(store, ["add", "sort"])
    assert written == ["jsonl:add"]
    assert left_out == [("jsonl:sort", "it has no tests")]
    source = triage.load_subject(store, "add").criterion
    assert source is not None and "check(add)" in source.source


def test_tests_that_need_the_code_around_a_function_stay_without_a_criterion(
    store: ProjectFile, tmp_path: Path
) -> None:
    rows = tmp_path / "masked.jsonl"
    row = {
        "id": "far", "prompt": "def far():", "reference": "def far():\n    return ONE", "entry_point": "far",
        "language": "python", "context": "ONE = 1\n\n[MASK]\n", "tests": [{"code": "assert far() == 1\n"}],
    }  # fmt: skip
    rows.write_text(json.dumps(row))
    imports.import_paths(store, "jsonl", [rows])
    why = "its tests need the code around its function, so they are used without a criterion"
    assert revisions.criteria_from_tests(store, ["far"]) == ([], [("jsonl:far", why)])


def test_a_proof_gives_a_test_the_time_that_a_run_will_give_it(tmp_path: Path) -> None:
    test = {"name": "slow", "language": "python", "code": "assert f() == 1\n", "timeout": 27.5}
    row = {"id": "slow", "prompt": "Give one.", "reference": "def f(): return 1", "language": "python", "tests": [test]}
    store = project_of_rows(tmp_path / "slow.annotator", [row], ())
    item = proofs.item_of(triage.load_subject(store, "slow"))
    answer = ScoreJob(item=item, text="def f(): return 1")
    job = sandbox_job(answer, program_of(answer))
    assert [job.limits_of(one).wall_s for one in job.tests] == [27.5]
    store.close()


def test_supervisors_that_score_answers_also_serve_the_probe() -> None:
    """A proof does both in turn: another limit of memory would start containers anew for each item."""
    asked: list[Job] = []

    class Listening:
        def submit(self, job: Job) -> Future[JobResult]:
            asked.append(job)
            return Future()

    sandbox_probe.start_probe(Listening(), {"command": "fingerprints"})
    script = Material(
        key="m",
        language="javascript",
        code="function f(n) { return n; }\n",
        tests=(TestCode("t", "f(1);"),),
        entry_point="f",
    )
    sandbox_probe.start_tests(script, script.code, sandbox_probe.RunOptions(), Listening())
    language_calls.start_tracing_calls(script, language_calls.read_foreign_signature(script), Listening())
    [test] = load_criterion("grading:\n  unit_test:\n    tests: [{content: assert f() == 1}]\n    lang: python\n").tests
    item = {"id": "a", "key": "a", "language": "python", "tests": [{"name": "t", "code": "assert f() == 1"}]}
    answer = ScoreJob(item=item, text="def f(): return 1")
    wanted = {unit_test_job(test, "def f(): return 1").limits.memory_mb}
    assert wanted == {sandbox_job(answer, program_of(answer)).limits.memory_mb}
    assert len(asked) == 3 and wanted == {job.limits.memory_mb for job in asked}


def test_what_waits_for_a_release_is_new_or_was_worked_on_since(store: ProjectFile) -> None:
    def waiting() -> int:
        return projects.stage_counts(store).to_release

    assert waiting() == 0, "an accepted subject waits for its criterion first"
    revisions.save_criterion(store, "sort", GOOD)
    proofs.prove_subjects(store)
    assert waiting() == 1
    versions.create_release(store, "0.1")
    assert waiting() == 0 and projects.stage_counts(store).proven == 1
    revisions.save_criterion(store, "sort", "grading:\n  keywords: ['sorted(x']\n")
    proofs.prove_subjects(store)
    assert waiting() == 1
    versions.create_release(store, "0.2")
    assert waiting() == 0
    triage.decide_subjects(store, ["bare"], Verdict.ACCEPT)
    revisions.save_criterion(store, "bare", "grading:\n  keywords: ['list.sort']\n")
    assert waiting() == 0, "it is not proven"
