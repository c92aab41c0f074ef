"""Reviews, votes, comments, the three-expert rule, settlements, locks."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.base.errors import BadInputError
from annotator.model.rows.view_rows import SubjectView
from annotator.model.tables.judging_tables import Confirmation, Revision
from annotator.model.vocabulary import Verdict
from annotator.services.consensus import aspect_reviews, disagreements, panel_votes, three_experts
from annotator.services.consensus.aspect_reviews import find_mentions
from annotator.services.consensus.panel_votes import approvals_needed
from annotator.services.consensus.three_experts import CONFIRM, REJECT, artefact_state
from annotator.services.criterion import proofs, revisions
from annotator.services.project import members, packets, projects, undo
from annotator.services.release import versions
from annotator.services.select import triage
from annotator.store.file.project_file import ProjectFile

EDIT = "edit"
YES = {"realistic": "yes", "uses_llm": "yes"}


@pytest.fixture
def be(store: ProjectFile) -> Callable[[str], None]:
    def switch(name: str) -> None:
        members.switch_annotator(store, name)

    return switch


def act_of(kind: str, person: str, content: str) -> Revision | Confirmation:
    if kind == EDIT:
        return Revision(annotator_id=person, artefact="solution", content="", content_hash=content)
    return Confirmation(annotator_id=person, artefact="solution", content_hash=content, verdict=kind)


def test_the_three_expert_rule_step_by_step() -> None:
    acts: list[Revision | Confirmation] = []

    def after(kind: str, person: str, content: str) -> tuple[str, int]:
        acts.append(act_of(kind, person, content))
        found = artefact_state(acts, "h0")
        return found.state, found.missing

    assert artefact_state([], "h0").state == "draft" and artefact_state([], "h0").missing == 3
    assert after(CONFIRM, "x", "h0") == ("checking", 2)
    assert after(CONFIRM, "x", "h0") == ("checking", 2)
    assert after(EDIT, "x", "h1") == ("edited", 2)
    assert after(CONFIRM, "x", "h1") == ("edited", 2), "nobody confirms their own edit"
    assert after(CONFIRM, "y", "h0") == ("edited", 2), "only the present content counts"
    assert after(CONFIRM, "y", "h1") == ("edited", 1)
    assert after(REJECT, "z", "h1") == ("draft", 2)
    assert after(CONFIRM, "z", "h1") == ("edited", 1)
    assert after(EDIT, "y", "h2") == ("edited", 2), "a further edit clears confirmations"
    assert after(CONFIRM, "x", "h2") == ("edited", 1)
    assert after(CONFIRM, "z", "h2") == ("confirmed", 0)
    assert artefact_state([act_of(CONFIRM, who, "h0") for who in "xyz"], "h0").state == "confirmed"


@given(
    st.lists(
        st.tuples(st.sampled_from([EDIT, CONFIRM, REJECT]), st.sampled_from("wxyz"), st.sampled_from("ab")), max_size=14
    )
)
def test_whatever_happens_no_editor_confirms_and_three_people_stand_behind(acts: list[tuple[str, str, str]]) -> None:
    found = artefact_state([act_of(*act) for act in acts], "a")
    assert found.edited_by not in found.confirmed_by
    assert len(set(found.confirmed_by)) == len(found.confirmed_by)
    assert (found.state == "confirmed") == (found.missing == 0)
    behind = {*found.confirmed_by, *([found.edited_by] if found.edited_by else [])}
    assert len(behind) + found.missing >= 3


def test_an_edit_goes_into_the_release_once_made(store: ProjectFile, be: Any) -> None:
    for name in ("Bo", "Cy"):
        be(name)
    be("Ada")
    three_experts.save_artefact_edit(store, "0", "solution", "Use {**a, **b}.", "shorter")
    assert triage.load_subject(store, "0").reference == "Use {**a, **b}."
    with pytest.raises(BadInputError, match="own edit"):
        three_experts.record_confirmation(store, "0", "solution", "confirm")
    with pytest.raises(BadInputError, match="unchanged"):
        three_experts.save_artefact_edit(store, "0", "solution", "Use {**a, **b}.")
    for name, missing in (("Bo", 1), ("Cy", 0)):
        be(name)
        three_experts.record_confirmation(store, "0", "solution", "confirm")
        with pytest.raises(BadInputError, match="already"):
            three_experts.record_confirmation(store, "0", "solution", "confirm")
        assert three_experts.load_artefact(store, "0", "solution").missing == missing
    assert three_experts.load_artefact(store, "0", "solution").state == "confirmed"
    triage.decide_subjects(store, ["0"], Verdict.ACCEPT)
    revisions.save_criterion(store, "0", "grading:\n  keywords: [merge]\n")
    versions.create_release(store, "0.1", "", "a test")
    from annotator.store.runs import stored_releases

    with store.read() as db:
        [item] = stored_releases.items_of(db, stored_releases.fetch_release(db, "0.1").id)
    assert item["reference"] == "Use {**a, **b}."
    be("Ada")
    undo.undo_last_act(store)
    assert triage.load_subject(store, "0").reference == "Use merge_them(a, b)."


def test_a_run_that_fails_cannot_be_confirmed(store: ProjectFile, be: Any) -> None:
    revisions.save_criterion(store, "0", "grading:\n  keywords: [absent]\n")
    with pytest.raises(BadInputError, match="did not pass"):
        three_experts.record_confirmation(store, "0", "solution", "confirm")
    with pytest.raises(BadInputError, match="note"):
        three_experts.record_confirmation(store, "0", "solution", "reject")
    three_experts.record_confirmation(store, "0", "solution", "reject", "the word is missing")
    assert three_experts.load_artefact(store, "0", "solution").state == "draft"
    revisions.save_criterion(store, "0", "grading:\n  keywords: [merge_them]\n")
    three_experts.record_confirmation(store, "0", "solution", "confirm")
    found = three_experts.load_artefact(store, "0", "solution")
    assert (found.state, found.run, found.confirmed_by) == ("checking", "pass", ("Ada",))


def test_what_was_proven_is_run_again_only_after_an_edit(
    store: ProjectFile, be: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    revisions.save_criterion(store, "0", "grading:\n  keywords: [merge_them]\n")
    assert three_experts.load_artefact(store, "0", "solution").run == ""
    proofs.prove_subjects(store, ["0"])
    assert three_experts.load_artefact(store, "0", "solution").run == "pass"
    ran: list[str] = []

    def count(view: SubjectView, *rest: Any) -> Any:
        ran.append(view.reference)
        return proofs.prove_view(view, *rest)

    monkeypatch.setattr(three_experts, "prove_view", count)
    for name in ("Bo", "Cy"):
        be(name)
        three_experts.record_confirmation(store, "0", "tests", "confirm")
    assert ran == []
    be("Ada")
    three_experts.save_artefact_edit(store, "0", "solution", "Call merge_them.")
    assert three_experts.load_artefact(store, "0", "solution").run == ""
    be("Bo")
    three_experts.record_confirmation(store, "0", "solution", "confirm")
    assert ran == ["Call merge_them."]


@pytest.mark.parametrize(
    "content",
    ["", "[", "[]", "{}", "[1]", '[{"code": "x"}]', '[{"name": "t", "weight": -1}]', '[{"name": "t", "inputs": 3}]',
     '[{"name": "t", "code": 5}]', "[" * 100_000, '[{"name": "t", "timeout": true}]'],
)  # fmt: skip
def test_bad_tests_are_refused(store: ProjectFile, content: str) -> None:
    with pytest.raises(BadInputError):
        three_experts.save_artefact_edit(store, "0", "tests", content)
    assert three_experts.load_artefact(store, "0", "tests").state == "draft"


def test_edited_tests_are_the_subjects_tests(store: ProjectFile) -> None:
    three_experts.save_artefact_edit(store, "0", "tests", json.dumps([{"name": "empty", "code": "assert f([]) == []"}]))
    [test] = triage.load_subject(store, "0").tests
    assert (test.name, test.code) == ("empty", "assert f([]) == []")
    shown = three_experts.load_artefact(store, "0", "tests")
    with pytest.raises(BadInputError, match="unchanged"):
        three_experts.save_artefact_edit(store, "0", "tests", shown.content)


def test_a_panel_that_the_people_cannot_fill_is_told(store: ProjectFile, be: Any) -> None:
    triage.decide_subjects(store, ["0"], Verdict.ACCEPT)
    count = len(members.list_annotators(store))
    panel_votes.set_panel(store, count + 1)
    assert panel_votes.vote_state(store, "0").lacks_people
    be("Somebody new")
    assert not panel_votes.vote_state(store, "0").lacks_people
    be("Ada")
    panel_votes.set_panel(store, 1)
    panel_votes.cast_vote(store, "0", YES)
    decided = panel_votes.vote_state(store, "0")
    assert decided.kept and not decided.lacks_people


def test_votes_are_sealed_until_all_are_in(store: ProjectFile, be: Any) -> None:
    triage.decide_subjects(store, ["0"], Verdict.ACCEPT)
    panel_votes.set_panel(store, 3)
    abstaining = {"realistic": "yes", "uses_llm": "abstain"}
    for name in ("Bo", "Cy"):
        be(name)
        panel_votes.cast_vote(store, "0", YES)
        panel_votes.cast_vote(store, "0", abstaining if name == "Bo" else YES)
        hidden = panel_votes.vote_state(store, "0")
        assert (hidden.tally, hidden.approvals, hidden.kept, hidden.sealed) == (None, None, None, True)
        assert hidden.may_vote and disagreements.load_disagreements(store) == ()
    [row] = [row for row in panel_votes.panel_rows(store) if row.cast]
    assert (row.cast, row.approvals, row.kept) == (2, None, None)
    with pytest.raises(BadInputError, match="1 subject are sealed"):
        panel_votes.panel_report(store)
    be("Di")
    panel_votes.cast_vote(store, "0", YES)
    be("Ed")
    shown = panel_votes.vote_state(store, "0")
    assert (shown.cast, shown.approvals, shown.needed, shown.kept) == (3, 2, 3, False), "an abstention counts as no"
    assert shown.tally == {"realistic": {"yes": 3}, "uses_llm": {"yes": 2, "abstain": 1}} and not shown.may_vote
    [row] = disagreements.load_disagreements(store)
    assert row.about == "vote:uses_llm"
    trail = triage.load_subject_history(store, "0")
    assert not any("yes" in item.detail or "abstain" in item.detail for item in trail)


def test_a_panel_has_its_seats_and_votes_are_final_once_seen(store: ProjectFile, be: Any) -> None:
    panel_votes.set_panel(store, 13)
    people = [f"P{number}" for number in range(14)]
    for name in people[:13]:
        be(name)
        panel_votes.cast_vote(store, "0", YES)
    be(people[13])
    with pytest.raises(BadInputError, match="All 13 seats have voted"):
        panel_votes.cast_vote(store, "0", YES)
    be(people[0])
    with pytest.raises(BadInputError, match="All 13 seats"):
        panel_votes.cast_vote(store, "0", {"realistic": "no", "uses_llm": "no"})
    with pytest.raises(BadInputError, match="You have voted"):
        three_experts.record_confirmation(store, "0", "solution", "confirm")
    with pytest.raises(BadInputError, match="You have voted"):
        three_experts.save_artefact_edit(store, "0", "solution", "Other.")
    # Undo passes over a vote that others have seen, and a larger panel does not seal it again.
    assert undo.undo_last_act(store) is None
    be("Ada")
    panel_votes.set_panel(store, 20)
    state = panel_votes.vote_state(store, "0")
    assert (state.cast, state.approvals, state.sealed, state.may_vote) == (13, 13, False, False)
    # Nor does a small one show votes that a large one then hides.
    be(people[1])
    panel_votes.cast_vote(store, "1", YES)
    be("Ada")
    panel_votes.set_panel(store, 1)
    panel_votes.set_panel(store, 13)
    be(people[1])
    with pytest.raises(BadInputError, match="The only seat has voted"):
        panel_votes.cast_vote(store, "1", {"realistic": "no", "uses_llm": "no"})


def test_a_later_panel_does_not_rewrite_a_vote(store: ProjectFile, be: Any) -> None:
    panel_votes.set_panel(store, 5, 4)
    for number in range(5):
        be(f"P{number}")
        panel_votes.cast_vote(store, "0", YES if number < 4 else {"realistic": "no", "uses_llm": "no"})
    assert not disagreements.load_disagreements(store), "four of five are as many as are needed"
    panel_votes.cast_vote(store, "1", YES)
    be("Ada")
    panel_votes.set_chair(store, "P4")
    be("P4")
    panel_votes.close_panel_vote(store, "1", "the others are away")
    panel_votes.set_panel(store, 13)
    state = panel_votes.vote_state(store, "0")
    assert (state.approvals, state.needed, state.voters, state.kept) == (4, 4, 5, True)
    state = panel_votes.vote_state(store, "1")
    assert (state.approvals, state.needed, state.voters, state.kept) == (1, 4, 5, False)
    assert panel_votes.panel_report(store).kept == 1
    state = panel_votes.vote_state(store, "2")
    assert (state.needed, state.voters) == (10, 13), "a vote that is not open yet counts by the new panel"


def test_a_vote_is_taken_back_while_it_is_sealed(store: ProjectFile, be: Any) -> None:
    panel_votes.set_panel(store, 2)
    be("Bo")
    panel_votes.cast_vote(store, "0", YES)
    undo.undo_last_act(store)
    assert panel_votes.vote_state(store, "0").cast == 0
    three_experts.record_confirmation(store, "0", "solution", "confirm")
    with pytest.raises(BadInputError, match="cannot vote"):
        panel_votes.cast_vote(store, "0", YES)


def test_the_chair_closes_a_vote(store: ProjectFile, be: Any) -> None:
    with pytest.raises(BadInputError, match="Nobody has voted"):
        panel_votes.close_panel_vote(store, "0", "late")
    be("Bo")
    panel_votes.cast_vote(store, "0", YES)
    with pytest.raises(BadInputError, match="Only the chair of the panel, Ada,"):
        panel_votes.close_panel_vote(store, "0", "I want to see")
    for act in (partial(panel_votes.set_panel, voters=1), partial(panel_votes.set_chair, name="Bo")):
        with pytest.raises(BadInputError, match="Only the chair of the panel, Ada,"):
            act(store)
    assert not panel_votes.vote_state(store, "0").may_close
    be("Ada")
    assert panel_votes.vote_state(store, "0").may_close
    with pytest.raises(BadInputError, match="reason"):
        panel_votes.close_panel_vote(store, "0", " ")
    panel_votes.close_panel_vote(store, "0", "the others are away")
    state = panel_votes.vote_state(store, "0")
    assert (state.cast, state.approvals, state.kept, state.may_vote) == (1, 1, False, False)
    for act in (
        lambda: panel_votes.cast_vote(store, "0", YES),
        lambda: panel_votes.close_panel_vote(store, "0", "again"),
    ):
        with pytest.raises(BadInputError, match=r"closed|open already"):
            act()
    be("Bo")
    assert undo.undo_last_act(store) is None
    assert not any(row.about == "panel" for row in disagreements.load_disagreements(store, settled=True))


def test_an_expert_of_the_subject_does_not_vote(store: ProjectFile) -> None:
    three_experts.record_confirmation(store, "0", "solution", "confirm")
    with pytest.raises(BadInputError, match="cannot vote"):
        panel_votes.cast_vote(store, "0", YES)
    panel_votes.cast_vote(store, "1", YES)
    for bad in ({}, {"realistic": "yes"}, {"realistic": "yes", "uses_llm": "perhaps"}):
        with pytest.raises(BadInputError):
            panel_votes.cast_vote(store, "1", bad)


@pytest.mark.file_only("merges a copy of the file")
def test_votes_of_people_who_became_experts_elsewhere_do_not_count(store: ProjectFile, be: Any, tmp_path: Path) -> None:
    panel_votes.set_panel(store, 13)
    people = [f"P{number}" for number in range(13)]
    for name in people:
        be(name)
    store.copy_to(tmp_path / "away.annotator")
    for number, name in enumerate(people):
        be(name)
        panel_votes.cast_vote(store, "0", YES if number < 10 else {"realistic": "no", "uses_llm": "no"})
    state = panel_votes.vote_state(store, "0")
    assert (state.cast, state.approvals, state.kept) == (13, 10, True)
    # Meanwhile one of those who approve confirms the solution in a copy, and is thereby one of its experts.
    away = projects.open_project(tmp_path / "away.annotator")
    members.switch_annotator(away, people[0])
    three_experts.record_confirmation(away, "0", "solution", "confirm")
    packets.export_packet(away, tmp_path / "away.packet", run_data=True)
    away.close()
    packets.import_packet(store, tmp_path / "away.packet")
    state = panel_votes.vote_state(store, "0")
    assert (state.cast, state.approvals, state.kept) == (12, 9, False)


def test_the_panels_rule() -> None:
    assert [approvals_needed(n) for n in (13, 3, 1, 26, 5)] == [10, 3, 1, 20, 4]


def test_the_panels_distribution_and_agreement(store: ProjectFile, be: Any) -> None:
    panel_votes.set_panel(store, 2)
    no = {"realistic": "no", "uses_llm": "yes"}
    for name, answers in (("Bo", (YES, YES, no)), ("Cy", (YES, no, no))):
        be(name)
        for subject, answer in enumerate(answers):
            panel_votes.cast_vote(store, str(subject), answer)
    found = panel_votes.panel_report(store)
    assert (found.subjects, found.kept, found.distribution) == (3, 1, {0: 1, 1: 1, 2: 1})
    assert found.agreement.raw.value == pytest.approx(2 / 3)
    be("Bo")
    panel_votes.cast_vote(store, "3", YES)
    found = panel_votes.panel_report(store)
    assert (found.subjects, found.sealed) == (3, 1), "what is sealed is not in it"


def test_reviews_disagree_when_marks_are_far_apart(store: ProjectFile, be: Any) -> None:
    with pytest.raises(BadInputError):
        aspect_reviews.add_review(store, "0", {"correctness": None})
    with pytest.raises(BadInputError):
        aspect_reviews.add_review(store, "0", {"beauty": 3})
    with pytest.raises(BadInputError):
        aspect_reviews.add_review(store, "0", {"difficulty": 6})
    aspect_reviews.add_review(store, "0", {"correctness": 5, "difficulty": 2}, "ran it")
    be("Bo")
    aspect_reviews.add_review(store, "0", {"correctness": 4, "difficulty": 4}, "needs care")
    [row] = disagreements.load_disagreements(store)
    assert row.about == "review:difficulty" and [item.said for item in row.opinions] == ["2", "4"]
    assert row.majority is None
    assert not any(item.stale for item in aspect_reviews.list_reviews(store, "0"))
    three_experts.save_artefact_edit(store, "0", "solution", "Other.")
    assert all(item.stale for item in aspect_reviews.list_reviews(store, "0"))


def test_a_settled_selection_becomes_the_decision(store: ProjectFile, be: Any) -> None:
    triage.decide_subjects(store, ["0"], Verdict.ACCEPT, "useful")
    for name in ("Bo", "Cy"):
        be(name)
        triage.decide_subjects(store, ["0"], Verdict.REJECT, "too simple", anyway=True)
    [row] = disagreements.load_disagreements(store)
    assert (row.about, row.majority, len(row.opinions)) == ("decision", "reject", 3)
    with pytest.raises(BadInputError, match="must not be a party"):
        disagreements.resolve_disagreement(store, "0", "decision", "adjudicator", "accept", "because")
    with pytest.raises(BadInputError, match="rationale"):
        disagreements.resolve_disagreement(store, "0", "decision", "discussion", "accept")
    with pytest.raises(BadInputError, match="outcome"):
        disagreements.resolve_disagreement(store, "0", "decision", "discussion", "maybe", "because")
    be("Dee")
    disagreements.resolve_disagreement(store, "0", "decision", "adjudicator", "accept", "it is often asked")
    assert triage.load_subject(store, "0").row.verdict == "accept"
    assert disagreements.load_disagreements(store) == ()
    [done] = disagreements.load_disagreements(store, settled=True)
    assert (done.outcome, done.method) == ("accept", "adjudicator")
    with pytest.raises(BadInputError, match="no open disagreement"):
        disagreements.resolve_disagreement(store, "0", "decision", "majority")
    assert triage.load_subject_history(store, "0")[0].act in ("resolution", "accept")
    be("Bo")
    triage.decide_subjects(store, ["0"], Verdict.REJECT, "I still think so", anyway=True)
    assert [row.about for row in disagreements.load_disagreements(store)] == ["decision"], (
        "a new opinion opens it again"
    )


def test_a_locked_subject_takes_no_work(store: ProjectFile) -> None:
    aspect_reviews.set_locked(store, "0", True, "released")
    for act in (
        lambda: triage.decide_subjects(store, ["0"], Verdict.ACCEPT),
        lambda: revisions.save_criterion(store, "0", "grading:\n  keywords: [a]\n"),
        lambda: panel_votes.cast_vote(store, "0", YES),
        lambda: aspect_reviews.add_review(store, "0", {"correctness": 1}),
        lambda: three_experts.save_artefact_edit(store, "0", "solution", "x"),
        lambda: aspect_reviews.set_locked(store, "0", True),
    ):
        with pytest.raises(BadInputError, match="locked"):
            act()
    aspect_reviews.add_comment(store, "0", "why is this locked?")
    with pytest.raises(BadInputError, match="reason"):
        aspect_reviews.set_locked(store, "0", False)
    aspect_reviews.set_locked(store, "0", False, "a typo")
    triage.decide_subjects(store, ["0"], Verdict.ACCEPT)


def test_comments_mention_people(store: ProjectFile, be: Any) -> None:
    be("Bo Li")
    be("Ada")
    aspect_reviews.add_comment(store, "0", "@bo li, is this right? mail a@bo li")
    assert aspect_reviews.unanswered_mentions(store) == ()
    be("Bo Li")
    [found] = aspect_reviews.unanswered_mentions(store)
    assert found.mentions == ("Bo Li",)
    with pytest.raises(BadInputError, match="not on this subject"):
        aspect_reviews.add_comment(store, "1", "yes", found.id)
    with pytest.raises(BadInputError, match="empty"):
        aspect_reviews.add_comment(store, "1", " ")
    aspect_reviews.add_comment(store, "0", "yes", found.id)
    assert aspect_reviews.unanswered_mentions(store) == ()
    assert [row.text for row in aspect_reviews.load_comments(store, "0")][-1] == "yes"


def test_the_longest_name_is_mentioned() -> None:
    assert find_mentions("@Ada Lovelace and @ada, not x@Ada", ["Ada", "Ada Lovelace"]) == ("Ada Lovelace", "Ada")
    assert find_mentions("@nobody", ["Ada"]) == () and find_mentions("@Ada", []) == ()


def test_what_waits_to_be_settled_is_counted_as_it_is_listed(store: ProjectFile, be: Any) -> None:
    def waiting() -> int:
        counted = projects.stage_counts(store).to_settle
        assert counted == len(disagreements.load_disagreements(store))
        return counted

    assert waiting() == 0
    be("Ada")
    triage.decide_subjects(store, ["0"], Verdict.ACCEPT)
    aspect_reviews.add_review(store, "0", {"correctness": 5, "readability": 4})
    be("Bo")
    triage.decide_subjects(store, ["0"], Verdict.REJECT, anyway=True)
    assert waiting() == 1
    aspect_reviews.add_review(store, "0", {"correctness": 2, "readability": 3})
    assert waiting() == 2, "marks one apart are no disagreement"
    disagreements.resolve_disagreement(store, "0", "decision", "discussion", "accept", "said so")
    assert waiting() == 1
    be("Ada")
    triage.decide_subjects(store, ["0"], Verdict.REJECT, anyway=True)
    assert waiting() == 2, "what is said after a settlement opens the matter again"
    aspect_reviews.add_review(store, "0", {"correctness": 2})
    assert waiting() == 1
