"""An edit that began from an older revision than the one that stands is refused with the other's version."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from annotator.base.errors import BadInputError
from annotator.model.changes import Changes
from annotator.model.rows.queue_rows import QueueFilter
from annotator.model.vocabulary import Verdict
from annotator.services.consensus import disagreements, three_experts
from annotator.services.criterion import revisions
from annotator.services.edit_conflicts import EditConflictError
from annotator.services.project import undo
from annotator.services.prompt import paraphrases, rewrites
from annotator.services.release import datasheet, release_gates, release_list, versions
from annotator.services.runs import run_setups
from annotator.services.select import triage, turns
from annotator.services.sources import imports
from annotator.store.file.project_file import ProjectFile
from tests.formats.releases import write_rows

SUBJECT = "jsonl:0"
CRITERION = "grading:\n  keywords:\n    - {}\n"


def _prompt(store: ProjectFile) -> str:
    found = triage.load_subject(store, SUBJECT).paraphrase
    return found.id if found else ""


def _criterion(store: ProjectFile) -> str:
    found = triage.load_subject(store, SUBJECT).criterion
    return found.id if found else ""


def _save_prompt(store: ProjectFile, text: str, seen: set[str]) -> Changes:
    return paraphrases.save_prompt(store, SUBJECT, text, seen_ids=seen)


def _save_criterion(store: ProjectFile, text: str, seen: set[str]) -> Changes:
    return revisions.save_criterion(store, SUBJECT, CRITERION.format(text), seen_ids=seen)


def _save_solution(store: ProjectFile, text: str, seen: set[str]) -> Changes:
    return three_experts.save_artefact_edit(store, SUBJECT, "solution", text, seen_ids=seen)


def _save_rewrite(store: ProjectFile, text: str, seen: set[str]) -> Changes:
    work = rewrites.load_rewrite(store, SUBJECT).work
    changed = replace(work, rewrite=replace(work.rewrite, requirement=text))
    return rewrites.save_rewrite(store, SUBJECT, rewrites.rewrite_work_json(changed), seen_ids=seen)


Save = Callable[[ProjectFile, str, set[str]], Changes]
Read = Callable[[ProjectFile], str]
EDITORS = [
    (_save_prompt, _prompt),
    (_save_criterion, _criterion),
    (_save_solution, lambda store: three_experts.load_artefact(store, SUBJECT, "solution").revision),
    (_save_rewrite, lambda store: rewrites.load_rewrite(store, SUBJECT).revision),
]


@pytest.mark.parametrize(("save", "read"), EDITORS, ids=["paraphrase", "criterion", "solution", "rewrite"])
def test_the_second_of_two_is_shown_the_first(store: ProjectFile, other: ProjectFile, save: Save, read: Read) -> None:
    began = read(store)
    save(other, "theirs", {read(other)})
    with pytest.raises(EditConflictError) as refused:
        save(store, "mine", {began})
    conflict = refused.value
    assert conflict.person == "Bo" and "theirs" in conflict.text and conflict.revision == read(store)
    assert "theirs" in conflict.text and "mine" not in conflict.text
    save(store, "mine", {began, conflict.revision})
    assert read(store) != conflict.revision, "mine is on top, theirs stays in the history"
    with pytest.raises(EditConflictError):
        save(other, "theirs again", {conflict.revision})


@pytest.mark.parametrize(("save", "read"), EDITORS, ids=["paraphrase", "criterion", "solution", "rewrite"])
def test_what_is_no_conflict(store: ProjectFile, other: ProjectFile, save: Save, read: Read) -> None:
    save(store, "first", {read(store)})
    own = save(store, "second", {read(store)}).change_id
    assert own is not None
    save(store, "third", {own})
    undo.undo_last_act(store)
    save(store, "fourth", {read(store)})
    began = read(store)
    undo.undo_last_act(store)
    save(store, "what stands after an undo is older", {began})
    save(other, "the same words", {read(other)})
    assert read(store) == read(other)


def test_the_same_words_are_no_conflict(store: ProjectFile, other: ProjectFile) -> None:
    _save_prompt(other, "same", {""})
    _save_prompt(store, "same", {""})


def test_who_has_read_nothing_saves_on_top(store: ProjectFile, other: ProjectFile) -> None:
    paraphrases.save_prompt(other, SUBJECT, "theirs")
    paraphrases.save_prompt(store, SUBJECT, "mine")
    found = triage.load_subject(store, SUBJECT).paraphrase
    assert found is not None and found.text == "mine"


def test_an_answer_of_the_datasheet(store: ProjectFile, other: ProjectFile) -> None:
    datasheet.save_datasheet_text(other, "description", "theirs", seen_text="")
    with pytest.raises(EditConflictError) as refused:
        datasheet.save_datasheet_text(store, "description", "mine", seen_text="")
    assert refused.value.text == "theirs" and refused.value.person == "Bo"
    datasheet.save_datasheet_text(store, "url", "https://example.org", seen_text="")
    datasheet.save_datasheet_text(store, "description", "mine", seen_text="theirs")
    assert datasheet.load_datasheet_texts(other) == {"description": "mine", "url": "https://example.org"}


def test_a_setup_of_runs(store: ProjectFile, other: ProjectFile) -> None:
    endpoint = {"base_url": "http://localhost:8000/v1"}
    run_setups.save_run_setup(other, "endpoint", "lab", endpoint, seen_version=0)
    with pytest.raises(EditConflictError, match="Bo"):
        run_setups.save_run_setup(store, "endpoint", "lab", {"base_url": "http://localhost:9000/v1"}, seen_version=0)
    run_setups.save_run_setup(store, "endpoint", "lab", {"base_url": "http://localhost:9000/v1"}, seen_version=1)
    assert run_setups.list_own_setups(other, "endpoint")[0].version == 2


def test_a_locked_subject_is_said_first(store: ProjectFile, other: ProjectFile) -> None:
    triage.decide_subjects(store, [SUBJECT], Verdict.ACCEPT)
    with pytest.raises(BadInputError, match="empty"):
        paraphrases.save_prompt(store, SUBJECT, " ", seen_ids={""})


Meanwhile = Callable[[Callable[[], object]], None]


@pytest.fixture
def meanwhile(store: ProjectFile, monkeypatch: pytest.MonkeyPatch) -> Meanwhile:
    """Return what lets an act happen at the last moment before the next write to the project."""

    def arrange(act: Callable[[], object]) -> None:
        write = store.write

        @contextmanager
        def write_later(**options: Any) -> Iterator[Any]:
            monkeypatch.setattr(store, "write", write)
            act()
            with write(**options) as db:
                yield db

        monkeypatch.setattr(store, "write", write_later)

    return arrange


def test_filters_of_two_people_are_both_kept(store: ProjectFile, other: ProjectFile, meanwhile: Meanwhile) -> None:
    meanwhile(lambda: triage.save_filter(other, "theirs", QueueFilter(languages=("java",))))
    triage.save_filter(store, "mine", QueueFilter())
    assert set(triage.load_saved_filters(store)) == {"mine", "theirs"}


def test_rules_that_two_people_set_both_hold(store: ProjectFile, other: ProjectFile, meanwhile: Meanwhile) -> None:
    meanwhile(lambda: release_gates.set_gate_rules(other, {"votes": "required"}))
    release_gates.set_gate_rules(store, {}, reviews=3)
    found = release_gates.load_gate_rules(store)
    assert found.is_required("votes") and found.reviews == 3


@pytest.mark.file_only("a server refuses the second decision, so that nobody differs")
def test_what_is_settled_is_not_settled_again(store: ProjectFile, other: ProjectFile, meanwhile: Meanwhile) -> None:
    triage.decide_subjects(store, [SUBJECT], Verdict.ACCEPT)
    triage.decide_subjects(other, [SUBJECT], Verdict.REJECT)
    meanwhile(
        lambda: disagreements.resolve_disagreement(other, SUBJECT, "decision", "discussion", "reject", "too short")
    )
    with pytest.raises(BadInputError, match="no open disagreement"):
        disagreements.resolve_disagreement(store, SUBJECT, "decision", "discussion", "accept", "often asked")
    [row] = disagreements.load_disagreements(store, settled=True)
    assert row.outcome == "reject"


def test_a_release_holds_the_items_its_gates_were_checked_on(
    store: ProjectFile, other: ProjectFile, meanwhile: Meanwhile
) -> None:
    triage.decide_subjects(store, [SUBJECT], Verdict.ACCEPT)
    meanwhile(lambda: triage.decide_subjects(other, ["jsonl:1"], Verdict.ACCEPT))
    with pytest.raises(BadInputError, match="changed while the gates were checked"):
        versions.create_release(store, "0.1", override_reason="a trial")
    assert release_list.list_releases(store) == ()
    row, _ = versions.create_release(store, "0.1", override_reason="a trial")
    assert row.item_count == 2


def test_two_people_who_deal_at_once_deal_each_candidate_once(
    store: ProjectFile, other: ProjectFile, meanwhile: Meanwhile
) -> None:
    meanwhile(lambda: turns.allot_candidates(other, ["Bo"], QueueFilter(), count=3))
    turns.allot_candidates(store, ["Ada"], QueueFilter())
    assert {row.person: row.candidates for row in turns.list_shares(store)} == {"Ada": 1, "Bo": 3, "": 0}
    meanwhile(lambda: triage.decide_subjects(other, [SUBJECT], Verdict.ACCEPT))
    turns.take_back_candidates(store, ["Bo"])
    assert {row.person: row.candidates for row in turns.list_shares(store)} == {"Ada": 1, "Bo": 1, "": 2}


def test_a_confirmation_is_of_the_content_that_was_read(
    store: ProjectFile, other: ProjectFile, meanwhile: Meanwhile
) -> None:
    meanwhile(lambda: three_experts.save_artefact_edit(other, SUBJECT, "solution", "Use another(x)."))
    with pytest.raises(BadInputError, match="changed in the meantime"):
        three_experts.record_confirmation(store, SUBJECT, "solution", "confirm")
    assert three_experts.load_artefact(store, SUBJECT, "solution").confirmed_by == ()


def test_an_added_test_keeps_a_colleagues_edit_of_the_tests(
    store: ProjectFile, other: ProjectFile, meanwhile: Meanwhile
) -> None:
    theirs = json.dumps([{"name": "theirs", "language": "python", "code": "assert 1"}])
    meanwhile(lambda: three_experts.save_artefact_edit(other, SUBJECT, "tests", theirs))
    with pytest.raises(EditConflictError):
        three_experts.add_test(store, SUBJECT, "assert 2")
    assert [test.name for test in triage.load_subject(store, SUBJECT).tests] == ["theirs"]


def test_a_criterion_from_tests_replaces_none_that_a_colleague_wrote(
    store: ProjectFile, other: ProjectFile, meanwhile: Meanwhile, tmp_path: Path
) -> None:
    row = {"id": "add", "prompt": "Add.", "reference": "def add(a, b):\n    return a + b\n", "language": "python",
           "entry_point": "add", "tests": [{"code": "assert add(1, 2) == 3\n"}]}  # fmt: skip
    imports.import_paths(store, "jsonl", [write_rows(tmp_path / "add.jsonl", [row])])
    meanwhile(lambda: revisions.save_criterion(other, "add", "grading:\n  keywords: [a]\n"))
    written, left_out = revisions.criteria_from_tests(store, ["add"])
    assert (written, [key for key, _ in left_out]) == ([], ["jsonl:add"])
    found = triage.load_subject(store, "add").criterion
    assert found is not None and "keywords" in found.source
