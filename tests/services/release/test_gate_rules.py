"""Gates and rules of releases, and the audit: its evidence, statements, and what stays open."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from annotator.base.errors import BadInputError
from annotator.formats.documents.croissant import citation_text
from annotator.formats.documents.release_facts import DatasetFacts, collect_facts
from annotator.formats.interchange.release_folder import verify_release_folder
from annotator.jobs.progress import Progress
from annotator.mining.quota_plan import parse_quotas
from annotator.model.rows import gate_numbers
from annotator.model.rows.audit_rows import MET, NOT_MET, OPEN, AuditRow
from annotator.model.rows.release_rows import Gate
from annotator.model.vocabulary import Verdict
from annotator.services.consensus import aspect_reviews, disagreements, panel_votes, three_experts
from annotator.services.criterion import proofs, revisions
from annotator.services.project import members, undo
from annotator.services.prompt import paraphrases
from annotator.services.release import audit, authors, datasheet, exports, release_gates, versions
from annotator.services.release.audit_points import PHASES, POINTS
from annotator.services.release.power_plan import OMEGA2, PowerQuestion, Variances, detectable_difference
from annotator.services.runs import run_control
from annotator.services.select import quotas, triage
from annotator.store.file import people
from annotator.store.file.project_file import ProjectFile
from annotator.store.runs import stored_releases
from annotator.store.work import stored_rewrites
from tests.formats.releases import write_rows


@pytest.fixture
def ready(store: ProjectFile) -> ProjectFile:
    """Two items that meet every required gate; Ada, Bo and Cy work on them."""
    for name in ("0", "1"):
        triage.decide_subjects(store, [name], Verdict.ACCEPT)
        revisions.save_criterion(store, name, "grading:\n  keywords: ['merge_them(']\n")
    proofs.prove_subjects(store)
    for name in ("Bo", "Cy"):
        members.add_annotator(store, name)
    return store


def gate(store: ProjectFile, name: str) -> Gate | None:
    return next((gate for gate in release_gates.check_gates(store) if gate.id == name), None)


def whys(store: ProjectFile, name: str) -> dict[str, str]:
    found = gate(store, name)
    assert found is not None
    return {item.key: item.why for item in found.items}


def act_as(store: ProjectFile, name: str) -> None:
    members.switch_annotator(store, name)


def test_a_sole_expert_can_release(ready: ProjectFile) -> None:
    assert [found.id for found in release_gates.check_gates(ready) if found.required and not found.ok] == []
    assert gate(ready, "reviews") is None and gate(ready, "votes") is None
    steps: list[str] = []
    versions.create_release(ready, "0.1", progress=Progress(lambda work: steps.append(work.text), every_s=0))
    assert "checking the gate: Every item is proven" in steps and "auditing: No two items are nearly identical" in steps


def test_reviews_of_the_present_content_are_counted(ready: ProjectFile) -> None:
    release_gates.set_gate_rules(ready, {"reviews": "required"}, 2)
    assert whys(ready, "reviews") == {"jsonl:0": "0 of 2 reviews", "jsonl:1": "0 of 2 reviews"}
    for name in ("Ada", "Bo", "Cy"):
        if name == "Cy":
            assert whys(ready, "reviews")["jsonl:0"] == "1 of 2 reviews by people who did not write it"
        act_as(ready, name)
        aspect_reviews.add_review(ready, "0", {"correctness": 5})
        aspect_reviews.add_review(ready, "1", {"readability": 2})
    assert gate(ready, "reviews").ok  # type: ignore[union-attr]
    paraphrases.save_prompt(ready, "0", "Another question?")
    assert whys(ready, "reviews") == {"jsonl:0": "0 of 2 reviews, 3 of an earlier version"}
    act_as(ready, "Cy")
    aspect_reviews.add_review(ready, "1", {"correctness": 2})
    assert whys(ready, "reviews")["jsonl:1"] == "Cy rated its correctness 2 of 5"
    with pytest.raises(BadInputError, match="gates") as caught:
        versions.create_release(ready, "0.1")
    assert any("jsonl:1: Cy rated its correctness 2 of 5" in line for line in caught.value.details)


def test_the_reviewed_hash_of_an_item_is_that_of_its_subject(ready: ProjectFile) -> None:
    paraphrases.save_prompt(ready, "0", "Another question?")
    tests = [{"name": "t", "language": "python", "code": "assert 1", "expected": "x"}]
    three_experts.save_artefact_edit(ready, "0", "tests", json.dumps(tests))
    with ready.read() as db:
        items = {item["key"]: item for item in stored_releases.current_items(db)}
    for key, item in items.items():
        assert aspect_reviews.reviewed_item_hash(item) == aspect_reviews.reviewed_hash(triage.load_subject(ready, key))


def test_three_experts_agree_on_solution_and_tests(ready: ProjectFile) -> None:
    release_gates.set_gate_rules(ready, {"experts": "required"})
    assert whys(ready, "experts")["jsonl:0"] == "solution: 3 more confirmations"
    three_experts.save_artefact_edit(ready, "0", "solution", "Use merge_them(a, b), twice.")
    assert whys(ready, "experts")["jsonl:0"] == "solution: 2 more confirmations"
    for name in ("Bo", "Cy"):
        act_as(ready, name)
        three_experts.record_confirmation(ready, "0", "solution", "confirm")
    assert "jsonl:0" not in whys(ready, "experts")
    assert three_experts.load_artefact(ready, "0", "solution").state == "confirmed"
    for name in ("Ada", "Bo", "Cy"):
        act_as(ready, name)
        three_experts.record_confirmation(ready, "1", "solution", "confirm")
    assert gate(ready, "experts").ok  # type: ignore[union-attr]


def test_the_panel_keeps_what_enough_of_it_approve(ready: ProjectFile) -> None:
    panel_votes.set_panel(ready, 3, 2)
    release_gates.set_gate_rules(ready, {"votes": "required"})
    yes, no = dict.fromkeys(panel_votes.QUESTIONS, "yes"), dict.fromkeys(panel_votes.QUESTIONS, "no")
    for name, first, second in (("Ada", yes, no), ("Bo", yes, no)):
        act_as(ready, name)
        panel_votes.cast_vote(ready, "0", first)
        panel_votes.cast_vote(ready, "1", second)
    # How the others voted is not told before all have, nor that it suffices already.
    assert whys(ready, "votes") == {"jsonl:0": "2 of 3 votes", "jsonl:1": "2 of 3 votes"}
    act_as(ready, "Cy")
    panel_votes.cast_vote(ready, "0", no)
    panel_votes.cast_vote(ready, "1", yes)
    assert whys(ready, "votes") == {"jsonl:1": "the panel does not keep it"}
    # What a panel votes on is settled by its rule, not by consensus.
    assert gate(ready, "consensus").ok  # type: ignore[union-attr]


def test_open_disagreements_block_until_they_are_settled(ready: ProjectFile) -> None:
    act_as(ready, "Bo")
    triage.decide_subjects(ready, ["0"], Verdict.REJECT, "too simple", anyway=True)
    aspect_reviews.add_review(ready, "1", {"difficulty": 1})
    act_as(ready, "Ada")
    triage.decide_subjects(ready, ["0"], Verdict.ACCEPT, "often asked", anyway=True)
    aspect_reviews.add_review(ready, "1", {"difficulty": 5})
    assert whys(ready, "consensus") == {"jsonl:0": "selection", "jsonl:1": "review: difficulty"}
    disagreements.resolve_disagreement(ready, "0", "decision", "discussion", "accept", "we talked")
    disagreements.resolve_disagreement(ready, "1", "review:difficulty", "discussion", "5", "we talked")
    assert gate(ready, "consensus").ok  # type: ignore[union-attr]
    act_as(ready, "Bo")
    triage.decide_subjects(ready, ["0"], Verdict.REJECT, "still", anyway=True)
    act_as(ready, "Ada")
    triage.decide_subjects(ready, ["0"], Verdict.ACCEPT, "still", anyway=True)
    assert whys(ready, "consensus") == {"jsonl:0": "selection"}


def test_quotas_are_met_or_waived_with_a_reason(ready: ProjectFile) -> None:
    wanted = parse_quotas([{"language": "python", "wanted": 1}, {"language": "java", "wanted": 3}])
    quotas.save_quotas(ready, wanted)
    found = gate(ready, "quotas")
    assert found is not None and found.required and [item.why for item in found.items] == ["0 of 3 accepted"]
    assert found.subject_ids == () and found.reason == "1 quota is not filled"
    with pytest.raises(BadInputError):
        versions.create_release(ready, "0.1")
    versions.create_release(ready, "0.1", override_reason="Java follows in spring")
    with ready.read() as db:
        manifest = stored_releases.fetch_release(db, "0.1").manifest
    assert manifest["overridden"] == ["The quotas are met"]
    kept = next(found for found in manifest["gates"] if found["id"] == "quotas")
    assert kept == {"id": "quotas", "name": "The quotas are met", "required": True, "met": False, "items": 1}
    assert manifest["gate_numbers"] == {"reviews": 1, "bug_reviewers": 2, "mined_percent": 50}
    release_gates.set_gate_rules(ready, {"quotas": "shown"})
    versions.create_release(ready, "0.2")


def test_a_language_that_nothing_runs_is_named(ready: ProjectFile) -> None:
    tests = json.dumps([{"name": "t", "language": "cobol", "code": "x"}])
    three_experts.save_artefact_edit(ready, "1", "tests", tests)
    assert gate(ready, "sandbox").ok  # type: ignore[union-attr]  # its criterion judges, not its tests
    triage.decide_subjects(ready, ["2"], Verdict.ACCEPT)
    three_experts.save_artefact_edit(ready, "2", "tests", tests)
    assert whys(ready, "sandbox") == {"jsonl:2": "the sandbox does not run cobol"}


def test_rules_that_do_not_exist_change_nothing(ready: ProjectFile) -> None:
    wrong: list[tuple[dict[str, str], int | None]] = [({"weather": "off"}, None), ({"accepted": "off"}, None)]
    for rules, reviews in (*wrong, ({"votes": "maybe"}, None), ({}, 0)):
        with pytest.raises(BadInputError, match="Nothing was changed"):
            release_gates.set_gate_rules(ready, rules, reviews)
    for numbers in ({"bug_reviewers": 0}, {"bug_reviewers": 3}, {"mined_percent": -1}, {"mined_percent": 100}):
        with pytest.raises(BadInputError, match="Nothing was changed"):
            release_gates.set_gate_rules(ready, {}, **numbers)
    before = release_gates.load_gate_rules(ready)
    with ready.write() as db:
        people.set_setting(
            db, gate_numbers.SETTING, {"rules": {"votes": 7, "quotas": "loud"}, "reviews": "many", "bug_reviewers": 7}
        )
    assert release_gates.load_gate_rules(ready) == before


def test_every_gate_has_a_check_and_can_be_turned_off(ready: ProjectFile) -> None:
    kinds = [kind for kind in release_gates.KINDS if kind.rule is not None]
    release_gates.set_gate_rules(ready, {kind.id: "required" for kind in kinds})
    assert [found.id for found in release_gates.check_gates(ready)] == [kind.id for kind in release_gates.KINDS]
    release_gates.set_gate_rules(ready, {kind.id: "off" for kind in kinds})
    assert [found.id for found in release_gates.check_gates(ready)] == ["accepted"]


def test_texts_that_a_release_publishes_are_searched_like_prompts(ready: ProjectFile) -> None:
    triage.decide_subjects(ready, ["2"], Verdict.REJECT, "ask mei.lin@uni-hamburg.de or +49 40 7318 2296")
    why = whys(ready, "private")
    assert list(why) == ["reason of a rejection, 1"]
    assert "e-mail address" in why["reason of a rejection, 1"] and "uni-hamburg" not in str(why)
    work = Progress()
    report = exports.scan_release(ready, progress=work)
    assert (work.done, work.total) == (report.items, report.items) and work.total, "a long search says how far it is"
    assert {one.field for one in report.findings} == {"reason of a rejection, 1"} and "0 findings" not in report.text
    for texts in ({"notes": "ask mei.lin@uni-hamburg.de"}, {"errata": ["mei.lin@uni-hamburg.de found it"]}):
        with pytest.raises(BadInputError, match="personal data"):
            versions.create_release(ready, "0.1", override_reason="a test", **texts)  # type: ignore[arg-type]


def test_works_under_share_alike_block_without_author_or_source(ready: ProjectFile) -> None:
    assert gate(ready, "credit").ok  # type: ignore[union-attr]
    triage.label_rows(ready, [triage.queue_row_of(ready, "0")], "licence", "CC-BY-SA-4.0")
    assert whys(ready, "credit") == {"jsonl:0": "CC BY-SA requires its author"}
    with pytest.raises(BadInputError, match="gates"):
        versions.create_release(ready, "0.1")
    released, _ = versions.create_release(ready, "0.1", override_reason="the author asked not to be named")
    assert released.version == "0.1"


def _facts(store: ProjectFile) -> DatasetFacts:
    manifest = {"facts": exports.gather_facts(store).as_json()}
    head = {"project": "P", "version": "1", "notes": "", "created_at": "2026-01-02", "content_hash": "0" * 64,
            "manifest": manifest}  # fmt: skip
    return collect_facts(head, [])


def test_authors_are_chosen_per_person(store: ProjectFile) -> None:
    for name in ("Bo", "Cy"):
        members.add_annotator(store, name)
    triage.decide_subjects(store, ["0"], Verdict.ACCEPT)
    members.switch_annotator(store, "Bo")
    triage.decide_subjects(store, ["1"], Verdict.ACCEPT)
    assert [person.name for person in _facts(store).authors] == ["Ada", "Bo"]
    authors.choose_authors(store, {"Bo": "left-out", "Cy": "named"})
    assert {row.name: (row.is_named, row.has_work) for row in authors.list_authors(store)} == {
        "Ada": (True, True), "Bo": (False, True), "Cy": (True, False)
    }  # fmt: skip
    facts = _facts(store)
    assert [person.name for person in facts.authors] == ["Ada", "Cy"]
    # The work of a person who is not named counts all the same.
    assert sum(person.decisions for person in facts.contributors) == 2
    assert all("Bo" not in text for text in (citation_text(facts), facts.cite_as, repr(facts.as_json())))
    authors.choose_authors(store, {"Bo": "default", "Cy": "default"})
    assert [person.name for person in _facts(store).authors] == ["Ada", "Bo"]
    with pytest.raises(BadInputError, match="not maybe"):
        authors.choose_authors(store, {"Bo": "maybe"})
    with pytest.raises(BadInputError, match="Eve"):
        authors.choose_authors(store, {"Eve": "named"})


def test_reasons_for_uncovered_code_are_scanned(store: ProjectFile) -> None:
    with store.write() as db:
        subject = db.connection().exec_driver_sql("SELECT id FROM subject ORDER BY id LIMIT 1").scalar_one()
        stored_rewrites.add_exception(
            db, store.annotator.id, subject, "0" * 64, "python", "ask eve.miller@uni-bonn.de", "Excuse"
        )
    findings = exports.scan_release(store).findings
    assert [one.field.partition(",")[0] for one in findings] == ["reason for uncovered code"]


# The release audit: evidence, statements, what stays open; frozen with a release, and told in its folder.


@pytest.fixture
def accepted(store: ProjectFile) -> ProjectFile:
    """Three items of the project's candidates are in."""
    for name in ("0", "1", "2"):
        triage.decide_subjects(store, [name], Verdict.ACCEPT)
        revisions.save_criterion(store, name, "grading:\n  keywords: [merge_them]\n")
    return store


def row_of(store: ProjectFile, point: str, version: str | None = None) -> AuditRow:
    return next(row for row in audit.load_audit(store, version).rows if row.point.id == point)


def test_points_have_ids_of_their_own_and_every_phase_has_some() -> None:
    assert len({point.id for point in POINTS}) == len(POINTS)
    assert tuple(dict.fromkeys(point.phase for point in POINTS)) == PHASES


def test_nothing_is_met_that_was_not_run(accepted: ProjectFile) -> None:
    found = {row.point.id: row for row in audit.load_audit(accepted).rows}
    assert len(found) == len(POINTS)
    nothing = ("reference", "coverage", "mutants", "impostors", "flakes", "limits", "models", "raw", "purpose",
               "reproducible")  # fmt: skip
    for point in nothing:
        assert (found[point].state, found[point].by) == (OPEN, ""), point


def test_an_empty_project_has_nothing_to_audit(store: ProjectFile) -> None:
    with pytest.raises(BadInputError, match="nothing to audit"):
        audit.load_audit(store)


def test_a_statement_answers_and_is_undone(accepted: ProjectFile) -> None:
    audit.save_statement(accepted, "audience", MET, "Makers of code models")
    row = row_of(accepted, "audience")
    assert row.statement is not None and row.statement.person == accepted.annotator.name and row.statement.created_at
    assert (row.state, row.by) == (MET, "statement")
    audit.save_statement(accepted, "audience", OPEN, "")
    assert row_of(accepted, "audience").state == OPEN
    undo.undo_last_act(accepted)
    assert row_of(accepted, "audience").state == MET
    undo.undo_last_act(accepted)
    assert row_of(accepted, "audience").statement is None


def test_a_statement_does_not_overrule_evidence(accepted: ProjectFile) -> None:
    audit.save_statement(accepted, "rewriting", MET, "They read quite otherwise")
    row = row_of(accepted, "rewriting")
    assert (row.state, row.by) == (NOT_MET, "evidence") and row.statement is not None


def test_the_datasheet_speaks_to_a_point_until_somebody_states_it(accepted: ProjectFile) -> None:
    datasheet.save_datasheet_text(accepted, "purpose", "To measure merging")
    row = row_of(accepted, "purpose")
    assert row.statement is not None and row.statement.text == "To measure merging" and row.statement.person
    audit.save_statement(accepted, "purpose", NOT_MET, "No other benchmark is named")
    assert row_of(accepted, "purpose").state == NOT_MET


@pytest.mark.parametrize(("point", "answer", "text"), [("nothing", MET, "x"), ("use", "yes", "x"), ("use", MET, " ")])
def test_what_is_no_statement_changes_nothing(accepted: ProjectFile, point: str, answer: str, text: str) -> None:
    with pytest.raises(BadInputError, match="Nothing was changed"):
        audit.save_statement(accepted, point, answer, text)


def test_a_threshold_may_ask_for_more_and_not_for_less(accepted: ProjectFile) -> None:
    for point, value in (("power", 0.2), ("coverage", 0.5), ("audience", 1.0), ("power", float("nan"))):
        with pytest.raises(BadInputError, match="Nothing was changed"):
            audit.set_audit_threshold(accepted, point, value)
    audit.set_audit_threshold(accepted, "power", 0.05)
    row = row_of(accepted, "power")
    assert row.point.threshold == 0.05 and row.state == NOT_MET


def test_the_detectable_difference_is_that_of_the_sample_size() -> None:
    assumed = Variances(OMEGA2, 0.0, 0)
    assert detectable_difference(969, assumed, PowerQuestion()) == pytest.approx(0.03, abs=1e-4)


def test_a_release_keeps_its_audit_and_its_folder_tells_it(accepted: ProjectFile, tmp_path: Path) -> None:
    audit.save_statement(accepted, "audience", MET, "Makers | of models")
    versions.create_release(accepted, "0.1", override_reason="a test")
    audit.save_statement(accepted, "audience", NOT_MET, "Later words")
    exports.export_release(accepted, "0.1", "annotator", tmp_path / "out")
    kept = json.loads((tmp_path / "out" / "audit.json").read_text())
    assert [row["state"] for row in kept if row["id"] == "audience"] == [MET]
    text = (tmp_path / "out" / "AUDIT.md").read_text()
    assert "Makers \\| of models" in text and f"{accepted.annotator.name}, " in text
    assert verify_release_folder(tmp_path / "out") == ()


def test_versions_are_compared_point_by_point(accepted: ProjectFile) -> None:
    versions.create_release(accepted, "0.1", override_reason="a test")
    triage.decide_subjects(accepted, ["2"], Verdict.REJECT, "too easy")
    old, new = audit.load_audit(accepted, "0.1"), audit.load_audit(accepted)
    assert (old.version, new.version) == ("0.1", "")
    assert "version" in {before.point.id for before, _ in audit.compare_audits(old, new)}


def test_runs_answer_what_they_know(accepted: ProjectFile, tmp_path: Path) -> None:
    versions.create_release(accepted, "0.1", override_reason="a test")
    rows = [{"subject": name, "sample": n, "model": "m", "response": "merge_them"} for name in "012" for n in (0, 1)]
    run_control.start_replay(accepted, "0.1", write_rows(tmp_path / "answers.jsonl", rows))
    assert row_of(accepted, "raw", "0.1").evidence.value == 1.0
    assert row_of(accepted, "machinery", "0.1").state == MET
    models = row_of(accepted, "models", "0.1")
    assert (models.state, models.evidence.value) == (NOT_MET, 1.0)
    assert row_of(accepted, "decoding", "0.1").state == OPEN, "recorded answers do not tell how they were decoded"


def test_the_audit_tells_which_part_of_an_origin_is_lacking(accepted: ProjectFile) -> None:
    """The gate on provenance asks for the source alone, so the audit says of how many that is known."""
    (gate,) = [gate for gate in release_gates.check_gates(accepted) if gate.id == "provenance"]
    row = row_of(accepted, "origin")
    assert f"source {3 - len(gate.items)}, version 0" in str(row.evidence.text)
