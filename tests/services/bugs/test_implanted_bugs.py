"""Bugs are kept with their proof, reviewed by two or three people, edited, undone and exported."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from annotator.base.errors import BadInputError, MissingEnvironmentError
from annotator.construction.bugs.behaviour import find_lazy_tests
from annotator.construction.bugs.bug_proofs import ProposalVerdict as BugVerdict
from annotator.construction.bugs.bug_proofs import check_reference, prove_logic
from annotator.construction.edits import Proposal
from annotator.construction.languages.tree_sitter_bugs import tree_bugs
from annotator.construction.task_material import ConstructionError, Material
from annotator.model.rows.bug_rows import BUG_STATES, FamilyCount, ProposedRow, state_of
from annotator.sandbox import Job, JobResult, Pool, TestCode
from annotator.services import sandbox_sessions as benches
from annotator.services.bugs import controls, implanted_bugs, proving
from annotator.services.bugs.material import bug_material, parse_verdict
from annotator.services.bugs.proving import operator_bugs
from annotator.services.project import members, projects, undo
from annotator.services.release import release_gates
from annotator.services.select import triage
from annotator.services.select.triage import load_subject as subject_of
from annotator.store.file.project_file import ProjectFile
from annotator.store.work import stored_bugs
from tests.construction.conftest import KEY_CASES, KEY_CHANGES, KEY_CHECKS
from tests.template_projects import copy_project, project_of_rows

HEAD, _, BODY = KEY_CHANGES.partition("\n")


def _row(name: str, **more: object) -> dict[str, object]:
    return {
        "id": name, "title": name, "prompt": "Count the key changes.", "reference": KEY_CHANGES, "language": "python",
        "task": "generation", "entry_point": "countKeyChanges", "licence": "MIT", "provenance": {"source": "test"},
        "tests": [{"name": "check", "code": KEY_CHECKS, "language": "python"}], **more,
    }  # fmt: skip


def _open_project(path: Path) -> ProjectFile:
    rows = [
        _row("whole"),
        _row("opened", prompt=f"{HEAD}\n", reference=BODY),
        _row("masked", context="x = 1\n[MASK]\n"),
        _row("broken", reference=KEY_CHANGES.replace("count += 1", "count += 2")),
        _row("bare", tests=[]),
        _row("prose", reference="Use a loop."),
        _row("java", language="java"),
        _row("go", language="go"),
    ]
    return project_of_rows(path, rows, ["whole", "broken", "java", "go"])


def _build_with_bug(path: Path) -> None:
    project = _open_project(path)
    (row,), _ = implanted_bugs.propose_bugs(project, ["whole"], ["logic"], most=1)
    assert row.kept == 1
    project.close()


@pytest.fixture
def on_this_machine(runner: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    # The tests' own programs are trusted: they run without an engine.
    monkeypatch.setattr(benches.Workbench, "runner", lambda _self: runner)


@pytest.fixture
def store(tmp_path: Path, on_this_machine: None, request: pytest.FixtureRequest) -> Iterator[ProjectFile]:
    """A project of candidates; with a proven bug of logic for tests that take ``bug``."""
    if "bug" in request.fixturenames:
        copy_project(tmp_path / "p.annotator", "a proven bug", _build_with_bug)
        project = projects.open_project(tmp_path / "p.annotator")
    else:
        project = _open_project(tmp_path / "p.annotator")
    yield project
    project.close()


@pytest.fixture
def bug(store: ProjectFile) -> str:
    (row,) = implanted_bugs.find_bugs(store)
    return row.id


def _as(store: ProjectFile, name: str) -> None:
    store.annotator, _ = members.switch_annotator(store, name)


@pytest.mark.parametrize("name", ["whole", "opened", "masked"])
def test_material_is_a_whole_program_with_single_tests(store: ProjectFile, name: str) -> None:
    material = bug_material(triage.load_subject(store, name))
    scope = ast.parse(material.code).body
    assert isinstance(scope[-1], ast.FunctionDef) and material.code.count("def ") == 1
    assert len({test.name for test in material.tests}) == len(KEY_CASES)


def test_a_prompt_that_opens_the_code_is_described_by_its_docstring(store: ProjectFile) -> None:
    view = triage.load_subject(store, "opened")
    said = HEAD + '\n    """Count the changes."""\n'
    assert bug_material(replace(view, prompt=said)).description == "Count the changes."
    assert bug_material(view).description == view.prompt, "there is no docstring"
    assert bug_material(triage.load_subject(store, "whole")).description == "Count the key changes."


@pytest.mark.parametrize(
    ("name", "why"),
    [("bare", "no tests"), ("prose", "not a Python program"), ("java", "not a program"), ("go", "in no language")],
)
def test_what_cannot_hold_a_bug_says_why(store: ProjectFile, name: str, why: str) -> None:
    with pytest.raises(ConstructionError, match=why):
        bug_material(triage.load_subject(store, name))


def test_the_same_program_is_proposed_once() -> None:
    code = "def f(xs):\n    return list(sorted(reversed(xs)))\n"
    made = Material(key="m", language="python", code=code, tests=(), entry_point="f")
    every = [item.code for item in tree_bugs(code, "python") if item.family == "syntax"]
    once = [item.code for item in operator_bugs(made, "syntax", frozenset())]
    assert len(every) > len(set(every)) and once == list(dict.fromkeys(every))


def test_proposals_are_proven_and_come_once(store: ProjectFile) -> None:
    rows, changes = implanted_bugs.propose_bugs(store, (), ["logic", "naming"])
    by_key = {row.title: row for row in rows}
    assert set(by_key) == {"whole", "broken", "java"}, "accepted subjects in languages with operators"
    assert "not a program" in by_key["java"].reason
    assert by_key["whole"].kept == 3 and by_key["whole"].proven >= 8 and by_key["whole"].refused["survives"]
    assert "fails" in by_key["broken"].reason and by_key["broken"].kept == 0
    assert changes.subjects == {by_key["whole"].subject_id}
    counted = by_key["whole"].families
    assert sum(count.kept for count in counted.values()) == 3 and not by_key["broken"].families
    assert sum(count.proven for count in counted.values()) == by_key["whole"].proven
    first = implanted_bugs.find_bugs(store)
    assert len(first) == 3 and {row.state for row in first} == {"proven"}
    view = implanted_bugs.load_bug(store, next(row.id for row in first if row.family == "logic"))
    after = [outcome for _, _, outcome in view.matrix]
    assert len(after) == len(KEY_CASES) and "pass" in after and set(after) != {"pass"}
    assert {before for _, before, _ in view.matrix} == {"pass"} and view.lines and not view.problem
    (row,), _ = implanted_bugs.propose_bugs(store, ["whole"], ["logic", "naming"])
    assert row.reason == "it already has 3" and not row.tried
    implanted_bugs.propose_bugs(store, ["whole"], ["logic", "naming"], most=6)
    codes = [implanted_bugs.load_bug(store, row.id).code for row in implanted_bugs.find_bugs(store)]
    assert len(set(codes)) == len(codes) == 6
    undo.undo_last_act(store)
    assert implanted_bugs.find_bugs(store) == first
    undo.redo_last_act(store)
    assert len(implanted_bugs.find_bugs(store)) == 6


def test_a_bug_that_a_colleague_saved_in_the_meantime_is_saved_once(store: ProjectFile, bug: str) -> None:
    view = triage.load_subject(store, "whole")
    material = bug_material(view)
    with store.read() as db:
        row = stored_bugs.find_bug(db, bug)
        proof = stored_bugs.newest_proof(db, row)
    assert proof is not None
    verdict = parse_verdict(proving.proposal_of(row, material.code), proof.detail)
    assert proving.save_bugs(store, view.row.id, view.row.title, material, [verdict]) == ()
    assert [found.id for found in implanted_bugs.find_bugs(store)] == [bug]


def test_an_interrupted_run_goes_on_where_it_was(store: ProjectFile, monkeypatch: pytest.MonkeyPatch) -> None:
    proven: list[str] = []
    every = implanted_bugs.run_baseline

    def follow(material: Material, *given: Any) -> Any:
        proven.append(material.key)
        if material.key.endswith("masked") and len(proven) == 3:
            raise KeyboardInterrupt
        return every(material, *given)

    monkeypatch.setattr(implanted_bugs, "run_baseline", follow)
    monkeypatch.setattr(implanted_bugs, "validate_bugs", lambda view, _baseline, verdicts, _runner: [
        item if view.row.title != "opened" else BugVerdict(item.proposal, reason="no good") for item in verdicts
    ])  # fmt: skip
    monkeypatch.setattr(implanted_bugs, "map_in_order", map)
    names = ["whole", "opened", "masked"]
    monkeypatch.setattr(implanted_bugs, "closing", lambda rows: nullcontext(rows))
    with pytest.raises(KeyboardInterrupt):
        implanted_bugs.propose_bugs(store, names, ["logic"])
    rows, _ = implanted_bugs.propose_bugs(store, names, ["logic"])
    assert [key.partition(":")[2] for key in proven] == [*names, "masked"]
    assert [(row.kept, row.reason) for row in rows] == [
        (0, "it already has 3"), (0, "every possible bug was tried before"), (3, "")
    ]  # fmt: skip
    for name in ("Ada", "Bo"):
        _as(store, name)
        for row in implanted_bugs.find_bugs(store, subject="whole"):
            implanted_bugs.review_bug(store, row.id, "reject", "too easy")
    (again,), _ = implanted_bugs.propose_bugs(store, ["whole"], ["logic"], most=1)
    assert again.kept == 1, "one that was rejected leaves room"


def test_the_controls_of_a_bug_run_equal_jobs_once(store: ProjectFile, bug: str, runner: Pool) -> None:
    ran: list[Job] = []

    class Following:
        def submit(self, job: Job) -> Future[JobResult]:
            ran.append(job)
            return runner.submit(job)

    view = implanted_bugs.load_bug(store, bug)
    subject = triage.load_subject(store, "whole")
    with store.read() as db:
        proposal = proving.proposal_of(stored_bugs.any_version(db, bug), view.reference)
    verdict = parse_verdict(proposal, {"proof": view.proof})
    controls.validate_bugs(subject, check_reference(bug_material(subject), runner), [verdict], Following())
    programs = [(job.code.rstrip(), job.tests) for job in ran if job.tests]
    assert len(programs) == len(set(programs)) == 2, "the reference and the bug, once for two items"


def test_what_the_mix_of_families_lacks_is_told(store: ProjectFile) -> None:
    wanted = ["logic", "security", "syntax", "naming"]
    rows, _ = implanted_bugs.propose_bugs(store, ["whole"], wanted)
    told = " ".join(implanted_bugs.describe_mix(store, rows, wanted))
    assert "Bugs in the project: logic 3." in told, "three bugs are too few for one of syntax"
    assert "No security bug: the code has no place for one." in told
    left = sum(count.proven for name, count in rows[0].families.items() if name in ("syntax", "naming"))
    assert left and f"limited to a fifth of a project's bugs: {left} more were proven but not kept." in told
    rows, _ = implanted_bugs.propose_bugs(store, ["whole"], ["syntax"], most=1)
    assert "syntax 1" in implanted_bugs.describe_mix(store, rows, ["syntax"])[0]


def test_families_that_a_language_lacks_are_told_from_code_without_a_place(store: ProjectFile) -> None:
    row = ProposedRow(
        subject_id="s",
        key="s",
        title="In Java",
        tried=1,
        proven=0,
        kept=0,
        reason="",
        refused={},
        families={"logic": FamilyCount(1, 0, 0), "syntax": FamilyCount(0, 0, 0)},
    )
    told = [str(message) for message in implanted_bugs.describe_mix(store, [row], ["logic", "syntax", "security"])]
    assert told[1:] == [
        "No logic bug: none of 1 attempts was proven.",
        "No syntax bug: the code has no place for one.",
        "No security bug: such bugs are not made in the languages of this code.",
    ]
    nothing_run = replace(row, families={}, reason="its tests fail")
    assert len(implanted_bugs.describe_mix(store, [nothing_run], ["logic", "security"])) == 1


def test_two_reviewers_decide_and_a_third_settles(store: ProjectFile, bug: str) -> None:
    implanted_bugs.review_bug(store, bug, "accept", aspects={"correctness": True, "difficulty": False})
    implanted_bugs.review_bug(store, bug, "accept")
    assert (implanted_bugs.find_bugs(store)[0].state, implanted_bugs.find_bugs(store)[0].accepts) == ("in_review", 1), (
        "one person, one voice"
    )
    assert projects.stage_counts(store).to_review == 0, "who has reviewed it waits for the other"
    _as(store, "Bo")
    assert projects.stage_counts(store).to_review == 1
    implanted_bugs.review_bug(store, bug, "reject", "too easy")
    assert implanted_bugs.find_bugs(store, ["disputed"])
    _as(store, "Cy")
    assert projects.stage_counts(store).to_review == 1
    implanted_bugs.review_bug(store, bug, "accept")
    assert implanted_bugs.find_bugs(store)[0].state == "accepted"
    _as(store, "Di")
    assert projects.stage_counts(store).to_review == 0, "two agree"
    _as(store, "Cy")
    said = {row.annotator: (row.verdict, row.reason) for row in implanted_bugs.load_bug(store, bug).reviews}
    assert said == {"Ada": ("accept", ""), "Bo": ("reject", "too easy"), "Cy": ("accept", "")}
    undo.undo_last_act(store)
    assert implanted_bugs.find_bugs(store)[0].state == "disputed"
    implanted_bugs.review_bug(store, bug, "reject", "leak")
    assert implanted_bugs.find_bugs(store)[0].state == "rejected"


def test_states_follow_from_proof_and_voices() -> None:
    found = {state_of(proven, yes, no) for proven in (True, False) for yes in range(4) for no in range(4)}
    assert found == set(BUG_STATES)
    assert state_of(True, 2, 2) == "disputed" and state_of(False, 3, 0) == "unproven"
    assert (state_of(True, 1, 0), state_of(True, 1, 0, reviewers=1)) == ("in_review", "accepted")
    assert state_of(True, 1, 1, reviewers=1) == "disputed" and state_of(True, 1, 2, reviewers=1) == "rejected"


def test_a_project_may_be_content_with_one_reviewer(store: ProjectFile, bug: str) -> None:
    implanted_bugs.review_bug(store, bug, "accept")
    members.switch_annotator(store, "another")
    assert implanted_bugs.load_bug(store, bug).row.state == "in_review"
    assert projects.stage_counts(store).to_review == 1
    changes = release_gates.set_gate_rules(store, {}, bug_reviewers=1)
    assert "bug" in changes.nouns and changes.label == "Release gates: 1 reviewers per bug"
    assert implanted_bugs.load_bug(store, bug).row.state == "accepted"
    assert projects.stage_counts(store).to_review == 0
    release_gates.set_gate_rules(store, {}, bug_reviewers=2)
    assert implanted_bugs.load_bug(store, bug).row.state == "in_review"


def test_an_edit_voids_proof_and_reviews(store: ProjectFile, bug: str) -> None:
    implanted_bugs.review_bug(store, bug, "accept")
    changed = KEY_CHANGES.replace("s[i] !=", "s[i] ==")
    made, _ = implanted_bugs.edit_bug(store, bug, changed)
    (row,) = implanted_bugs.find_bugs(store)
    assert (row.id, row.state, row.replaces, row.accepts) == (made, "unproven", bug, 0)
    with pytest.raises(BadInputError, match="not proven"):
        implanted_bugs.review_bug(store, made, "accept")
    with pytest.raises(BadInputError, match="edited since"):
        implanted_bugs.review_bug(store, bug, "accept")
    (proved,), _ = implanted_bugs.prove_bugs(store)
    assert (proved.outcome, implanted_bugs.find_bugs(store)[0].state) == ("pass", "proven")
    assert sum(after != "pass" for _, _, after in implanted_bugs.load_bug(store, made).matrix) == 3
    assert implanted_bugs.prove_bugs(store)[0] == ()
    harmless, _ = implanted_bugs.edit_bug(store, made, KEY_CHANGES.replace("count = 0\n", "count = 0 + 0\n"))
    (proved,), _ = implanted_bugs.prove_bugs(store)
    assert proved.outcome == "fail" and implanted_bugs.load_bug(store, harmless).problem == proved.reason
    undo.undo_last_act(store)
    assert (implanted_bugs.find_bugs(store)[0].id, implanted_bugs.find_bugs(store)[0].state) == (made, "proven")
    undo.undo_last_act(store)
    assert (implanted_bugs.find_bugs(store)[0].id, implanted_bugs.find_bugs(store)[0].accepts) == (bug, 1)


def test_the_export_can_be_checked_from_itself_alone(store: ProjectFile, tmp_path: Path) -> None:
    implanted_bugs.propose_bugs(store, ["opened"], ["logic"])
    out = tmp_path / "bugs.jsonl"
    with pytest.raises(BadInputError, match="nothing to export"):
        implanted_bugs.export_bugs(store, out)
    for name in ("Ada", "Bo"):
        _as(store, name)
        for row in implanted_bugs.find_bugs(store):
            implanted_bugs.review_bug(store, row.id, "accept")
    assert implanted_bugs.export_bugs(store, out, full=True) == 3 and not list(tmp_path.glob("*.part"))
    items = [json.loads(line) for line in out.read_text().splitlines()]
    assert [item["task"] for item in items] == ["modification", "review"] * 3
    checked = _check(out)
    assert checked.returncode == 0 and "6 of 6 items hold" in checked.stdout
    changes = (("code", KEY_CHANGES, 1, "no test fails"), ("reference", items[0]["code"], 1, "reference does not pass"))
    for name, value, status, why in changes:
        out.write_text(json.dumps({**items[0], name: value}) + "\n")
        checked = _check(out)
        assert checked.returncode == status and why in checked.stdout
    with pytest.raises(MissingEnvironmentError):
        implanted_bugs.export_bugs(store, tmp_path / "none" / "bugs.jsonl")


def _check(path: Path) -> subprocess.CompletedProcess[str]:
    """Let the script that knows the export alone judge a file."""
    script = Path(__file__).parents[2] / "construction" / "check_export.py"
    return subprocess.run([sys.executable, script, path], capture_output=True, text=True, timeout=120, check=False)


def test_bad_input_changes_nothing(store: ProjectFile, bug: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before = implanted_bugs.find_bugs(store)
    for call, why in (
        (lambda: implanted_bugs.propose_bugs(store, (), ["typing"]), "no family"),
        (lambda: implanted_bugs.propose_bugs(store, (), []), "no family"),
        (lambda: implanted_bugs.propose_bugs(store, ["nobody"]), "no subject"),
        (lambda: implanted_bugs.propose_bugs(store, most=0), "at least one"),
        (lambda: implanted_bugs.review_bug(store, bug, "perhaps"), "accepted or rejected"),
        (lambda: implanted_bugs.review_bug(store, bug, "reject", " "), "needs a reason"),
        (lambda: implanted_bugs.review_bug(store, bug, "accept", aspects={"beauty": True}), "not an aspect"),
        (lambda: implanted_bugs.review_bug(store, "%", "accept"), "no bug"),
        (lambda: implanted_bugs.review_bug(store, "", "accept"), "no bug"),
        (lambda: implanted_bugs.edit_bug(store, bug, " "), "no edit"),
        (lambda: implanted_bugs.edit_bug(store, bug, implanted_bugs.load_bug(store, bug).code), "no edit"),
        (lambda: implanted_bugs.edit_bug(store, bug, KEY_CHANGES), "the reference"),
        (lambda: implanted_bugs.edit_bug(store, bug, "def ("), "does not parse"),
        (lambda: implanted_bugs.find_bugs(store, ["odd"]), "no state"),
    ):
        with pytest.raises(BadInputError, match=why):
            call()
    assert implanted_bugs.find_bugs(store) == before
    monkeypatch.setattr(benches.Workbench, "runner", lambda _self: None)
    with pytest.raises(MissingEnvironmentError, match="not possible here"):
        implanted_bugs.propose_bugs(store)


def test_what_its_items_controls_refuse_no_reviewer_sees(store: ProjectFile, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []

    def start(item: dict[str, object], _runner: object) -> Callable[[], str]:
        seen.append(str(item["task"]))
        return lambda: "what is shown passes unchanged" if len(seen) <= 4 and item["task"] == "review" else ""

    every = implanted_bugs.operator_bugs
    monkeypatch.setattr(implanted_bugs, "operator_bugs", lambda *given: every(*given)[:12])
    monkeypatch.setattr(controls, "start_validation", start)
    (row,), _ = implanted_bugs.propose_bugs(store, ["whole"], ["logic"], most=1)
    assert row.kept == 1 and row.refused["the review item is invalid: what is shown passes unchanged"] == 2
    assert seen == ["modification", "review"] * 3, "only what would be kept is controlled"
    monkeypatch.setattr(controls, "start_validation", lambda *_: lambda: "no")
    (row,), _ = implanted_bugs.propose_bugs(store, ["whole"], ["logic"])
    assert row.kept == 0 and len(implanted_bugs.find_bugs(store)) == 1


def test_an_accepted_bug_says_in_its_task_what_it_does(store: ProjectFile, bug: str) -> None:
    item = implanted_bugs.bug_item_of(store, implanted_bugs.load_bug(store, bug))
    told = item.issues[0].proof.behaviour
    assert told.startswith("countKeyChanges(self=None, s=") and " It should return " in told
    assert f"What is wrong: {told}" in item.modification_prompt and told not in item.review_prompt()


def test_a_bug_that_only_works_items_out_at_another_time_is_refused(store: ProjectFile, runner: Pool) -> None:
    code = (
        "def chunks(items, size):\n    rest = iter(items)\n    part = [item for item, _ in zip(rest, range(size))]\n"
        "    while part:\n        yield part\n        part = [item for item, _ in zip(rest, range(size))]\n"
    )
    tests = (
        TestCode("values", "assert list(chunks('abc', 2)) == [['a', 'b']]\n"),
        TestCode("nothing", "assert list(chunks('', 2)) == []\n"),
        TestCode(
            "lazy", "source = iter(range(9))\nassert next(chunks(source, 3)) == [0, 1, 2]\nassert next(source) == 4\n"
        ),
    )
    made = Material(
        key="k",
        language="python",
        code=code,
        tests=tests,
        entry_point="chunks",
        description="Cut into lists of a size.",
    )
    eager = code.replace("iter(items)", "iter(list(items))")
    wrong = code.replace("range(size)", "range(size + 1)")
    assert find_lazy_tests(made, runner) == {"lazy"}
    proposals = [
        Proposal(kind="logic.operation", operator="model", code=changed, reference=code) for changed in (eager, wrong)
    ]
    baseline = check_reference(made, runner)
    verdicts = prove_logic(baseline, proposals, runner)
    view = subject_of(store, "whole")
    one, other = controls.validate_bugs(view, baseline, verdicts, runner)
    assert one.proof is None and one.reason == "the bug changes only when items are evaluated"
    assert other.proof is not None


def test_bugs_that_take_out_what_nobody_could_know_are_refused(store: ProjectFile, runner: Pool) -> None:
    code = (
        "def greet(name):\n    if not name:\n        raise KeyError(name)\n    words = ['hail']\n"
        "    words.append(name)\n    words.append('dear')\n    return ' '.join(words)\n"
    )
    tests = (
        TestCode("empty", "try:\n    greet('')\n    assert False\nexcept KeyError:\n    pass\n"),
        TestCode("named", "assert greet('Al') == 'hail Al dear'\n"),
    )
    changes = (code.replace("KeyError", "IndexError"), code.replace("    words.append('dear')\n", ""),
               code.replace("    words.append(name)\n", ""))  # fmt: skip
    made = Material(
        key="k", language="python", code=code, tests=tests, entry_point="greet", description="Greet somebody."
    )
    proposals = [Proposal(kind="logic.missing", operator="model", code=changed, reference=code) for changed in changes]
    baseline = check_reference(made, runner)
    verdicts = prove_logic(baseline, proposals, runner)
    assert all(verdict.proven for verdict in verdicts)
    found = controls.validate_bugs(subject_of(store, "whole"), baseline, verdicts, runner)
    assert [verdict.reason for verdict in found] == [
        "nothing documents that KeyError should be raised", "the text 'dear' is not documented", "",
    ]  # fmt: skip
