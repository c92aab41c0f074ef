"""The queue dealt out: shares are alike, nobody's turn is two people's, and undo, packets and history know of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from annotator.base.errors import BadInputError, UsageError
from annotator.model.rows.queue_rows import QueueFilter
from annotator.model.vocabulary import Verdict
from annotator.services.project import members, packets, projects, undo
from annotator.services.select import triage, turns
from annotator.store.file.project_file import ProjectFile
from tests.benchmarks import making

EVERYTHING = QueueFilter()


@pytest.fixture
def store(tmp_path: Path) -> ProjectFile:
    store = ProjectFile.open(making.project(tmp_path / "p.annotator", 20))
    for name in ("Lin", "Ada"):
        members.add_annotator(store, name)
    return store


def of(store: ProjectFile, holder: str) -> list[int]:
    return list(triage.queue_ids(store, QueueFilter(holders=(holder,))))


def test_shares_are_dealt_in_turn_and_nobody_gets_what_another_has(store: ProjectFile) -> None:
    triage.decide_queue_rows(store, [1, 2], Verdict.REJECT)
    _, found = turns.allot_candidates(store, ["Mei", "Lin"], EVERYTHING, count=4)
    assert of(store, "me") == [3, 5, 7, 9]
    assert [(share.person, share.candidates, share.open) for share in found] == [
        ("Mei", 4, 4), ("Lin", 4, 4), ("Ada", 0, 0), ("", 12, 10)
    ]  # fmt: skip
    turns.allot_candidates(store, ["Ada"], EVERYTHING)
    assert of(store, "nobody") == [1, 2]
    with pytest.raises(BadInputError, match="no unassigned open candidates"):
        turns.allot_candidates(store, ["Lin"], EVERYTHING)


def test_who_is_named_twice_gets_one_share(store: ProjectFile) -> None:
    turns.allot_candidates(store, ["Mei", "Mei"], EVERYTHING, count=2)
    assert of(store, "me") == [1, 2]


def test_a_filter_says_what_is_dealt_out(store: ProjectFile) -> None:
    language = triage.queue_facets(store, EVERYTHING).counts["language"][0][0]
    turns.allot_candidates(store, ["Lin"], QueueFilter(languages=(language,)))
    shown = triage.subjects_at_rows(store, triage.queue_ids(store, EVERYTHING))
    lin = {row.language for row in shown if triage.load_subject(store, row.id).holder == "Lin"}
    rest = {row.language for row in shown if triage.load_subject(store, row.id).holder != "Lin"}
    assert lin == {language} and language not in rest


def test_dealing_is_one_act_that_can_be_undone(store: ProjectFile) -> None:
    changes, _ = turns.allot_candidates(store, ["Mei", "Lin"], EVERYTHING, count=3)
    assert changes.label == "Assign 6 candidates to Mei, Lin" and len(changes.subjects) == 6
    triage.decide_queue_rows(store, [1], Verdict.ACCEPT)
    undo.undo_last_act(store)
    undo.undo_last_act(store)
    assert of(store, "nobody") == list(range(1, 21))
    undo.redo_last_act(store)
    assert of(store, "me") == [1, 3, 5]
    acts = [(row.act, row.detail) for row in triage.load_subject_history(store, "made:0")]
    assert ("allotment", "assigned to Mei") in acts


def test_what_is_decided_stays_when_a_share_is_taken_back(store: ProjectFile) -> None:
    turns.allot_candidates(store, ["Lin"], EVERYTHING, count=5)
    triage.decide_queue_rows(store, [2], Verdict.ACCEPT)
    turns.take_back_candidates(store, ["Lin"])
    lin = next(share for share in turns.list_shares(store) if share.person == "Lin")
    assert (lin.candidates, lin.open, lin.decided, lin.later) == (1, 0, 1, 0)
    with pytest.raises(BadInputError, match="nothing to unassign"):
        turns.take_back_candidates(store, [])


def test_bad_requests_change_nothing(store: ProjectFile) -> None:
    with pytest.raises(BadInputError, match="no annotator Zoe"):
        turns.allot_candidates(store, ["Mei", "Zoe"], EVERYTHING)
    with pytest.raises(UsageError):
        turns.allot_candidates(store, [], EVERYTHING)
    with pytest.raises(UsageError):
        turns.allot_candidates(store, ["Mei"], EVERYTHING, count=0)
    with pytest.raises(BadInputError, match="no annotator Zoe"):
        turns.take_back_candidates(store, ["Zoe"])
    assert of(store, "nobody") == list(range(1, 21))


def test_a_share_travels_in_the_packet_and_merges_both_ways(store: ProjectFile, tmp_path: Path) -> None:
    turns.allot_candidates(store, ["Mei", "Lin"], EVERYTHING, count=4)
    packets.export_packet(store, tmp_path / "lin.packet", person="Lin")
    other = packets.open_packet(tmp_path / "lin.packet", tmp_path / "lin.annotator")
    assert projects.stage_counts(other).subjects == 4
    assert [triage.load_subject(other, row.id).holder for row in triage.queue_page(other, EVERYTHING).rows] == [
        "Lin"
    ] * 4
    triage.decide_queue_rows(other, of(other, "me"), Verdict.ACCEPT)
    packets.export_packet(other, tmp_path / "back.packet")
    packets.import_packet(store, tmp_path / "back.packet")
    lin = next(share for share in turns.list_shares(store) if share.person == "Lin")
    assert (lin.candidates, lin.open, lin.decided) == (4, 0, 4)


def test_mine_in_a_kept_filter_means_whoever_looks(store: ProjectFile) -> None:
    turns.allot_candidates(store, ["Mei", "Lin"], EVERYTHING, count=2)
    triage.save_filter(store, "my turn", QueueFilter(holders=("me",)))
    mine = triage.load_saved_filters(store)["my turn"]
    assert list(triage.queue_ids(store, mine)) == [1, 3]
    members.switch_annotator(store, "Lin")
    assert list(triage.queue_ids(store, mine)) == [2, 4]
