"""Items made from code: made with their controls, listed, accepted, proven, released, asked in runs and graded."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from annotator.base.errors import BadInputError, MissingEnvironmentError
from annotator.construction.bugs.bug_items import BugItem
from annotator.construction.completion.blanks import BlankItem
from annotator.construction.task_material import ConstructionError
from annotator.construction.understanding.understanding_items import UnderstandingItem
from annotator.evaluation.answer_scoring import ItemScorer, ScoreJob
from annotator.jobs.progress import Cancelled, Progress
from annotator.model.vocabulary import Outcome, Verdict
from annotator.sandbox import Job, JobResult
from annotator.sandbox.libraries import library_set
from annotator.services import sandbox_sessions as benches
from annotator.services.bugs import combined_bugs, implanted_bugs
from annotator.services.criterion import proofs
from annotator.services.project import members, undo
from annotator.services.release import release_gates, versions
from annotator.services.runs.execution import item_scorer
from annotator.services.runs.run_plan import score_hash
from annotator.services.select import triage
from annotator.services.sources import imports
from annotator.services.tasks import listing, making
from annotator.services.tasks.grading import (
    made_impostors,
    made_item_reference,
    start_validation,
    unchanged_made_answer,
)
from annotator.services.tasks.items import engine_item
from annotator.store.file.project_file import ProjectFile
from tests.template_projects import project_of_rows

TOTAL = """\
def total(numbers, least):
    result = 0
    for number in numbers:
        if number >= least:
            result = result + number * 2
        else:
            result = result - 1
    return result
"""
CHECKS = """\
assert total([1, 2, 3], 2) == 9
assert total([], 1) == 0
assert total([5, 5], 5) == 20
assert total([1], 9) == -1
"""


@pytest.fixture
def store(tmp_path: Path, runner: object, monkeypatch: pytest.MonkeyPatch) -> Iterator[ProjectFile]:
    monkeypatch.setattr(benches.Workbench, "runner", lambda _self: runner)
    row = {
        "id": "t/0", "title": "Total", "prompt": "Add what is at least `least`, twice.", "reference": TOTAL,
        "language": "python", "task": "generation", "entry_point": "total", "licence": "MIT", "domain": "sums",
        "provenance": {"source": "test", "family": "CG"},
        "tests": [{"name": "check", "code": CHECKS, "language": "python"}],
    }  # fmt: skip
    bare = {**row, "id": "t/1", "title": "Bare", "prompt": "Nothing.", "tests": []}
    broken = {**row, "id": "t/2", "title": "Broken", "prompt": "Other.", "reference": TOTAL.replace("* 2", "* 3")}
    with closing(project_of_rows(tmp_path / "p.annotator", (row, bare, broken), ["t/0"])) as project:
        yield project


def _items(store: ProjectFile) -> list[dict[str, Any]]:
    return [proofs.item_of(triage.load_subject(store, row.id)) for row in listing.list_task_items(store)]


def _accepted_bug(store: ProjectFile, most: int = 1, families: tuple[str, ...] = ("logic",)) -> list[str]:
    implanted_bugs.propose_bugs(store, ["t/0"], families, most=most)
    ids = [row.id for row in implanted_bugs.find_bugs(store)]
    for name in ("Ada", "Bo"):
        store.annotator, _ = members.switch_annotator(store, name)
        for bug in ids:
            implanted_bugs.review_bug(store, bug, "accept", labels=["performance_issues"] if name == "Bo" else [])
    return ids


def test_items_are_made_controlled_and_come_once(store: ProjectFile) -> None:
    rows, changes = making.make_task_items(store, families=["understanding", "completion"])
    (row,) = rows
    assert row.kept == {"understanding": 4, "completion": row.kept["completion"]} and row.kept["completion"] >= 4
    assert changes.change_id and not row.reason
    listed = listing.list_task_items(store)
    assert len(listed) == row.count and all(item.fits and item.verdict is None for item in listed)
    assert {item.what for item in listed} >= {"predict the output", "deduce an input", "write the body", "fill 1 blank"}
    assert {type(engine_item(item)) for item in _items(store)} == {UnderstandingItem, BlankItem}
    subject = triage.load_subject(store, listed[0].id)
    assert subject.row.domain == "sums" and subject.licence == "MIT" and "family" not in subject.provenance
    again, _ = making.make_task_items(store, families=["understanding", "completion"])
    assert len(listing.list_task_items(store)) == again[0].count == row.count, "nothing is made twice"
    undo.undo_last_act(store)
    assert listing.list_task_items(store) == ()


def test_controls_of_every_family(store: ProjectFile, runner: object) -> None:
    _accepted_bug(store)
    making.make_task_items(store)
    items = _items(store)
    assert {item["extra"]["grader"] for item in items} == {"understanding", "completion", "modification", "review"}
    scorer = item_scorer(runner)  # type: ignore[arg-type]  # a pool runs jobs
    for item in items:
        right = scorer(ScoreJob(item=item, text=made_item_reference(item)))
        assert (right.outcome, right.score) == (Outcome.PASS, 1.0), (item["key"], right.detail)
        if shown := unchanged_made_answer(item):
            assert scorer(ScoreJob(item=item, text=shown)).score == 0.0, item["key"]
        for cheat in made_impostors(item, ()):
            assert scorer(ScoreJob(item=item, text=cheat.text)).score == 0.0, (item["key"], cheat.label)
        assert scorer(ScoreJob(item=item, text="")).outcome is Outcome.EMPTY
        assert start_validation(item, runner)() == ""  # type: ignore[arg-type]  # see above
        cut = scorer(ScoreJob(item=item, text="```python\nxx", finish_reason="length"))
        assert (cut.outcome, cut.score) == (Outcome.TRUNCATED, 0.0)


def test_an_item_whose_controls_fail_is_dropped(store: ProjectFile, runner: object) -> None:
    making.make_task_items(store, families=["completion"])
    item = next(item for item in _items(store) if item["extra"]["level"] == "sentence")
    wrong = {**item, "reference": TOTAL.replace("* 2", "* 3")}
    assert "reference does not pass" in start_validation(wrong, runner)()  # type: ignore[arg-type]  # see above
    whole = {**item, "context": TOTAL}
    assert "passes unchanged" in start_validation(whole, runner)()  # type: ignore[arg-type]  # see above


def test_other_labels_that_reviewers_accept_cost_nothing(store: ProjectFile, runner: object) -> None:
    _accepted_bug(store)
    making.make_task_items(store, families=["review"])
    (item,) = _items(store)
    made = engine_item(item)
    assert isinstance(made, BugItem) and made.accepted_labels == ("performance_issues",)
    answer = json.loads(made_item_reference(item))
    scorer = item_scorer(runner)  # type: ignore[arg-type]  # see above
    assert scorer(ScoreJob(item=item, text=json.dumps({**answer, "performance_issues": "x"}))).score == 1.0
    false = scorer(ScoreJob(item=item, text=json.dumps({**answer, "security_issues": "x"})))
    assert (false.outcome, false.score) == (Outcome.PARTIAL, 0.0) and 0 < (false.points or 0) < 1
    assert false.detail["predicted"] == ["logical_errors", "security_issues"]
    assert not listing.find_stale_items(store)
    bug = implanted_bugs.find_bugs(store, ("accepted",))[0].id
    implanted_bugs.review_bug(store, bug, "accept", labels=[])
    assert set(listing.find_stale_items(store).values()) == {"other labels are accepted now"}
    making.make_task_items(store, families=["review"])
    first, second = listing.list_task_items(store)
    assert (first.fits, second.fits) == (False, True), "the item is made anew, and the first stays as it was"


def test_machinery_is_never_a_zero(store: ProjectFile) -> None:
    making.make_task_items(store, families=["understanding"])
    forward, reverse = _items(store)[0], _items(store)[-1]
    assert item_scorer(None)(ScoreJob(item=forward, text=made_item_reference(forward))).score == 1.0, (
        "comparison needs no sandbox"
    )
    without = item_scorer(None)(ScoreJob(item=reverse, text=made_item_reference(reverse)))
    assert (without.outcome, without.score) == (Outcome.MACHINERY, None)
    assert ItemScorer(sandbox=None)(ScoreJob(item=forward, text="1")).outcome is Outcome.MACHINERY, (
        "no grader, no score"
    )
    odd = {**forward, "extra": {"grader": "riddle"}}
    assert "no grader riddle" in item_scorer(None)(ScoreJob(item=odd, text="1")).detail["reason"]
    lost = {**forward, "extra": {"grader": "understanding"}}
    with pytest.raises(ConstructionError, match="not a valid item made from code"):
        engine_item(lost)
    from annotator.evaluation.presets import find_protocol_preset

    changed = {**forward, "extra": {**forward["extra"], "direction": "reverse"}}
    assert score_hash(forward, find_protocol_preset("plain")) != score_hash(changed, find_protocol_preset("plain"))


@pytest.mark.slow
def test_made_items_are_proven_released_and_kept_in_step(store: ProjectFile) -> None:
    _accepted_bug(store)
    making.make_task_items(store, most=1)
    ids = [row.id for row in listing.list_task_items(store)]
    triage.decide_subjects(store, ids, Verdict.ACCEPT)
    rows, _ = proofs.prove_subjects(store, ids)
    assert {row.outcome for row in rows} == {"pass"}, [row for row in rows if row.outcome != "pass"]
    proofs.prove_subjects(store, ["t/0"])
    assert not [gate.name for gate in release_gates.check_gates(store) if gate.required and not gate.ok]
    release, _ = versions.create_release(store, "0.1")
    assert release.item_count == len(ids) + 1
    bug = implanted_bugs.find_bugs(store)[0].id
    implanted_bugs.review_bug(store, bug, "reject", "leak")
    stale = listing.find_stale_items(store)
    assert set(stale.values()) == {"its bug is not accepted any more"} and len(stale) == 2
    (gate,) = (gate for gate in release_gates.check_gates(store) if gate.id == "made")
    assert not gate.ok and set(gate.subject_ids) == set(stale)
    view = listing.load_task_item(store, next(iter(stale)))
    assert not view.row.fits and view.parent.endswith("t/0") and dict(view.facts)["tests"] == "4"


def test_a_bug_from_elsewhere_that_does_not_hold_is_not_released(store: ProjectFile, tmp_path: Path) -> None:
    _accepted_bug(store)
    making.make_task_items(store, families=["modification"], most=1)
    (made,) = _items(store)
    names = ("title", "task", "language", "prompt", "entry_point", "licence", "context", "reference", "extra", "tests")
    row = {
        **{name: made[name] for name in names if name in made},
        "prompt": "Correct it.",
        "provenance": {"source": "x"},
    }
    failing = {**row, "id": "failing", "reference": TOTAL.replace("* 2", "* 3")}
    blind = [{"name": "blind", "code": "assert total([], 1) == 0\n", "language": "python"}]
    unnoticed = {**row, "id": "unnoticed", "prompt": "Correct this.", "tests": blind}
    rows = tmp_path / "elsewhere.jsonl"
    rows.write_text("".join(json.dumps(item) + "\n" for item in (failing, unnoticed)))
    imports.import_paths(store, "jsonl", [rows])
    ids = [triage.load_subject(store, name).row.id for name in ("failing", "unnoticed")]
    triage.decide_subjects(store, ids, Verdict.ACCEPT)
    proved, _ = proofs.prove_subjects(store, ids)
    assert [found.outcome for found in proved] == ["fail", "fail"], proved
    (gate,) = (gate for gate in release_gates.check_gates(store) if gate.id == "proofs")
    assert gate.required and set(gate.subject_ids) >= set(ids)


@pytest.mark.slow
def test_several_bugs_in_one_program(store: ProjectFile, runner: object) -> None:
    ids = _accepted_bug(store, most=6, families=("logic", "syntax", "naming"))
    rows, changes = combined_bugs.combine_bugs(store, ["t/0"])
    assert rows[0].kept == 1 and changes.subjects
    (made,) = [row for row in implanted_bugs.find_bugs(store) if row.kind == "several"]
    view = implanted_bugs.load_bug(store, made.id)
    assert len(view.parts) == 2 and set(view.parts) <= set(ids) and made.state == "proven"
    with pytest.raises(BadInputError, match="several bugs"):
        implanted_bugs.edit_bug(store, made.id, TOTAL + "# x\n")
    (proved,), _ = implanted_bugs.prove_bugs(store, [made.id])
    assert proved.outcome == "pass"
    for name in ("Ada", "Bo"):
        store.annotator, _ = members.switch_annotator(store, name)
        implanted_bugs.review_bug(store, made.id, "accept")
    making.make_task_items(store, families=["modification", "review"])
    items = [item for item in _items(store) if item["extra"]["bug"] == made.id]
    assert len(items) == 2 and all(len(item["extra"]["issues"]) == 2 for item in items)
    scorer = item_scorer(runner)  # type: ignore[arg-type]  # see above
    assert all(scorer(ScoreJob(item=item, text=made_item_reference(item))).score == 1.0 for item in items)
    combined_bugs.combine_bugs(store, ["t/0"])
    assert all(
        len(implanted_bugs.load_bug(store, row.id).parts) == 2
        for row in implanted_bugs.find_bugs(store)
        if row.kind == "several"
    )
    with pytest.raises(BadInputError, match="2 to 4"):
        combined_bugs.combine_bugs(store, count=5)
    with pytest.raises(BadInputError, match="single bugs"):
        combined_bugs.combine_bugs(store, bug_ids=[made.id, ids[0]])


def test_what_cannot_be_made_says_why(store: ProjectFile) -> None:
    rows, _ = making.make_task_items(store, ["t/1", "t/2"])
    assert "no tests" in rows[0].reason and "fails" in rows[1].reason
    assert not any(item.task == "completion" for item in listing.list_task_items(store))
    for families, most, match in (
        (["riddles"], 1, "no family riddles"),
        ([], 1, "none is named"),
        (["review"], 0, "at"),
    ):
        with pytest.raises(BadInputError, match=match):
            making.make_task_items(store, families=families, most=most)
    with pytest.raises(BadInputError, match="no subject"):
        making.make_task_items(store, ["nobody"])
    making.make_task_items(store, ["t/0"], ["understanding"])
    with pytest.raises(BadInputError, match="itself made from code"):
        making.make_task_items(store, [listing.list_task_items(store)[0].id])
    with pytest.raises(BadInputError, match="was not made from code"):
        listing.load_task_item(store, "t/0")
    with pytest.raises(BadInputError, match="no family"):
        listing.list_task_items(store, ["riddles"])
    assert listing.list_task_items(store, parent="t/2") == () and listing.list_task_items(store, parent="t/0")


def test_made_items_run_with_the_libraries_of_their_subject(
    store: ProjectFile,
    tmp_path: Path,
    runner: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    needed = library_set(["numpy==1.26.4"]).to_extra()
    seen: set[str] = set()

    class Noting:
        def submit(self, job: Job) -> Future[JobResult]:
            seen.add(job.libraries)
            # The set itself is not there: the program needs nothing of it.
            return runner.submit(replace(job, libraries=""))  # type: ignore[no-any-return]  # a pool runs jobs

    monkeypatch.setattr(benches.Workbench, "runner", lambda _self: Noting())
    row = {"id": "lib", "title": "Lib", "prompt": "Add.", "reference": TOTAL, "language": "python",
           "task": "generation", "entry_point": "total", "extra": {"libraries": needed},
           "tests": [{"name": "check", "code": CHECKS}]}  # fmt: skip
    (tmp_path / "lib.jsonl").write_text(json.dumps(row) + "\n")
    imports.import_paths(store, "jsonl", [tmp_path / "lib.jsonl"])
    making.make_task_items(store, ["lib"], ["understanding", "completion"], most=1)
    made = _items(store)
    assert made and all(item["extra"]["libraries"] == needed for item in made)
    assert seen == {needed["digest"]}
    seen.clear()
    reverse = next(item for item in made if item["extra"].get("direction") == "reverse")
    assert item_scorer(Noting())(ScoreJob(item=reverse, text=made_item_reference(reverse))).score == 1.0
    assert seen == {needed["digest"]}


def test_what_was_made_before_a_cancel_is_kept(store: ProjectFile) -> None:
    class Ends(Progress):
        def report(self, done: int, total: int | None = None, text: str = "") -> None:
            if done == 1:
                raise Cancelled

    triage.decide_subjects(store, ["t/2"], Verdict.ACCEPT)
    with pytest.raises(Cancelled):
        making.make_task_items(store, families=["understanding"], progress=Ends())
    assert listing.list_task_items(store)


def test_what_was_made_before_a_kill_is_kept(store: ProjectFile, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(making, "_SAVE_EVERY_S", -1.0)
    seen = []

    class Looks(Progress):
        def report(self, done: int, total: int | None = None, text: str = "") -> None:
            seen.append(len(listing.list_task_items(store)))

    triage.decide_subjects(store, ["t/2"], Verdict.ACCEPT)
    _, changes = making.make_task_items(store, families=["understanding"], progress=Looks())
    assert seen[0] == 0 and seen[1] > 0, "items of the first subject are there before the second is done"
    assert changes.change_id and "subject" in changes.nouns
    undo.undo_last_act(store)
    assert listing.list_task_items(store) == ()


def test_without_a_sandbox_nothing_is_made(store: ProjectFile, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(benches.Workbench, "runner", lambda _self: None)
    with pytest.raises(MissingEnvironmentError, match="not possible here"):
        making.make_task_items(store)
