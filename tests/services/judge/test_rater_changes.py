"""Pairs are skipped with a reason and taken up again, and an absent rater's open pairs go to another rater."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

from annotator.base.errors import BadInputError
from annotator.services.judge import agreement, blind_judging, rater_changes, study_files
from annotator.services.judge.blind_judging import NewStudy
from annotator.services.judge.side_order import ServingPlan
from annotator.services.project import members, packets, projects, undo
from annotator.services.select import triage
from annotator.store.file.project_file import ProjectFile


def _make_study(store: ProjectFile, folder: Path, *raters: str, repeats: float = 0.0, plan: str = "all") -> str:
    for name in (*raters, "Dee"):
        if name not in {row.name for row in members.list_annotators(store)}:
            members.add_annotator(store, name)
    path = folder / "pairs.jsonl"
    lines = [{"subject": str(n % 4), "a": f"text A {n}", "b": f"text B {n}"} for n in range(12)]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    new_study = NewStudy(name="s", kind="domain", name_a="a", name_b="b", raters=raters,
                         plan=ServingPlan(repeats=repeats, plan=plan, raters_per_pair=1))  # fmt: skip
    return blind_judging.create_blind_study(store, new_study, study_files.read_candidate_pairs(store, path))[0]


def _judge(store: ProjectFile, name: str, count: int = 100) -> None:
    members.switch_annotator(store, name)
    for _ in range(count):
        pairs = blind_judging.load_judging_queue(store).pairs
        if not pairs:
            return
        blind_judging.judge_pair(store, pairs[0].assignment_id, "1" if "A" in pairs[0].first else "2", seconds=2.0)


def test_a_skipped_pair_is_no_verdict_and_can_be_taken_up_again(store: ProjectFile, tmp_path: Path) -> None:
    _make_study(store, tmp_path, "Ada", "Bo")
    first, second = blind_judging.load_judging_queue(store).pairs
    with pytest.raises(BadInputError, match="needs a reason"):
        rater_changes.skip_pair(store, first.assignment_id, " ")
    rater_changes.skip_pair(store, first.assignment_id, "I wrote this answer")
    with pytest.raises(BadInputError, match="already"):
        rater_changes.skip_pair(store, first.assignment_id, "again")
    assert blind_judging.load_judging_queue(store).pairs[0].assignment_id == second.assignment_id
    undo.undo_last_act(store)
    assert blind_judging.load_judging_queue(store).pairs[0].assignment_id == first.assignment_id
    undo.redo_last_act(store)
    _judge(store, "Ada")
    [row] = projects.list_studies(store)
    assert (row.mine, row.done, row.skipped, row.judged) == (12, 11, 1, 11)
    assert projects.stage_counts(store).to_judge == 0
    with pytest.raises(BadInputError, match="when your batch is sealed"):
        agreement.study_report(store)
    rater_changes.take_up_skipped(store)
    assert [pair.assignment_id for pair in blind_judging.load_judging_queue(store).pairs] == [first.assignment_id]
    with pytest.raises(BadInputError, match="not skipped any pair"):
        rater_changes.take_up_skipped(store)
    rater_changes.skip_pair(store, first.assignment_id, "cannot tell")
    blind_judging.seal_own_batch(store)
    assert "Skip" not in (undo.undo_label(store) or ""), "a sealed batch's skips are final"
    with pytest.raises(BadInputError, match="sealed"):
        rater_changes.take_up_skipped(store)
    report = agreement.study_report(store)
    assert [(row.rater, row.position, row.reason) for row in report.skipped] == [("Ada", 0, "cannot tell")]
    assert (report.judged_pairs, report.panel.wins, report.panel.ties, report.raters_done) == (11, 11, 0, 1)
    notes = agreement.study_notes(report)
    assert "1 pair was skipped, which is no verdict and counts nowhere else." in notes
    assert "Skipped by Ada, pair 1: cannot tell" in notes
    assert [batch.skipped for batch in report.batches] == [1, 0]


def test_a_verdict_on_a_skipped_pair_takes_it_up(store: ProjectFile, tmp_path: Path) -> None:
    _make_study(store, tmp_path, "Ada")
    [pair, _] = blind_judging.load_judging_queue(store).pairs
    rater_changes.skip_pair(store, pair.assignment_id, "later")
    blind_judging.judge_pair(store, pair.assignment_id, "tie")
    [row] = projects.list_studies(store)
    assert (row.done, row.skipped) == (1, 0)
    with pytest.raises(BadInputError, match="judged this pair"):
        rater_changes.skip_pair(store, pair.assignment_id, "no")


def test_an_absent_raters_pairs_go_to_another(store: ProjectFile, tmp_path: Path) -> None:
    study = _make_study(store, tmp_path, "Bo", "Cy", plan="balanced")
    before = {pair.pair_id: pair.first for pair in _pairs_of(store, "Bo")}
    _judge(store, "Bo", 2)
    members.switch_annotator(store, "Ada")
    for giver, taker, problem in (
        ("Bo", "Bo", "Name two people"),
        ("Bo", "Eve", "Eve"),
        ("Dee", "Bo", "no open pairs"),
    ):
        with pytest.raises(BadInputError, match=problem):
            rater_changes.hand_over_pairs(store, study, giver, taker, "Bo is away")
    with pytest.raises(BadInputError, match="reason"):
        rater_changes.hand_over_pairs(store, study, "Bo", "Dee", "")
    result = rater_changes.hand_over_pairs(store, study, "Bo", "Dee", "Bo is away")
    assert (result.moved, result.shared, result.dropped) == (4, 0, 0)
    assert "Give 4 pairs of Bo to Dee" in (undo.undo_label(store) or "")
    taken = _pairs_of(store, "Dee")
    assert len(taken) == 4 and all(pair.first == before[pair.pair_id] for pair in taken), "the drawn side comes first"
    assert len(_pairs_of(store, "Bo")) == 2 and blind_judging.load_judging_queue(store).pairs == ()
    members.switch_annotator(store, "Ada")
    undo.undo_last_act(store)
    assert len(_pairs_of(store, "Bo")) == 6
    members.switch_annotator(store, "Dee")
    assert blind_judging.load_judging_queue(store).pairs == ()
    with pytest.raises(BadInputError, match="given to another rater"):
        blind_judging.judge_pair(store, taken[0].assignment_id, "1")
    members.switch_annotator(store, "Ada")
    undo.redo_last_act(store)
    for name in ("Cy", "Dee"):
        _judge(store, name)
        blind_judging.seal_own_batch(store)
    members.switch_annotator(store, "Ada")
    report = agreement.study_report(store)
    assert (report.judged_pairs, report.panel.wins, report.raters_done) == (12, 12, 3)
    assert [(row.drawn_for, row.rater, row.pairs, row.reason) for row in report.handovers] == [
        ("Bo", "Dee", 4, "Bo is away")
    ]
    assert any(note.startswith("Ada gave 4 pairs of Bo to Dee on ") for note in agreement.study_notes(report))
    check = blind_judging.verify_study(store)
    assert check.ok, "the committed plan still verifies"


def test_pairs_can_come_back_and_skipped_ones_can_go(store: ProjectFile, tmp_path: Path) -> None:
    study = _make_study(store, tmp_path, "Bo", "Cy", plan="balanced")
    members.switch_annotator(store, "Bo")
    rater_changes.skip_pair(store, blind_judging.load_judging_queue(store).pairs[0].assignment_id, "mine")
    members.switch_annotator(store, "Ada")
    rater_changes.hand_over_pairs(store, study, "Bo", "Dee", "away")
    assert (len(_pairs_of(store, "Dee")), _study_sizes(store)) == (6, {"Cy": 6, "Dee": 6})
    rater_changes.hand_over_pairs(store, study, "Dee", "Bo", "back again")
    assert _study_sizes(store) == {"Cy": 6, "Bo": 6}
    rater_changes.hand_over_pairs(store, study, "Bo", "Dee", "away again")
    rater_changes.hand_over_pairs(store, study, "Dee", "Cy", "Dee is away, too")
    assert _study_sizes(store) == {"Cy": 12}
    _judge(store, "Cy")
    members.switch_annotator(store, "Ada")
    assert agreement.study_report(store).judged_pairs == 12 and blind_judging.verify_study(store).ok


def test_who_may_read_a_studys_results_is_given_no_pairs_of_it(store: ProjectFile, tmp_path: Path) -> None:
    study = _make_study(store, tmp_path, "Bo", "Cy", plan="balanced")
    members.add_annotator(store, "Eve")
    rater_changes.hand_over_pairs(store, study, "Bo", "Dee", "Bo is away")
    for name, reason in (("Dee", "when your batch is sealed"), ("Bo", "every batch"), ("Eve", "every batch")):
        members.switch_annotator(store, name)
        for look in (agreement.study_report, agreement.judgement_rows):
            with pytest.raises(BadInputError, match=reason):
                look(store)
    members.switch_annotator(store, "Dee")
    rater_changes.skip_pair(store, blind_judging.load_judging_queue(store).pairs[0].assignment_id, "mine")
    for name in ("Dee", "Cy"):
        _judge(store, name)
        blind_judging.seal_own_batch(store)
    for name in ("Ada", "Bo", "Eve"):
        members.switch_annotator(store, name)
        assert agreement.study_report(store).judged_pairs == 11
        with pytest.raises(BadInputError, match=f"{name} can already see the results"):
            rater_changes.hand_over_pairs(store, study, "Dee", name, "the skipped pair")


def test_the_maker_of_a_study_watches_it_and_takes_no_pairs(store: ProjectFile, tmp_path: Path) -> None:
    study = _make_study(store, tmp_path, "Bo", "Cy", plan="balanced")
    assert agreement.study_report(store).judged_pairs == 0
    with pytest.raises(BadInputError, match="Ada can already see the results"):
        rater_changes.hand_over_pairs(store, study, "Bo", "Ada", "Bo is away")


def test_the_report_says_for_whom_pairs_were_drawn_that_went_on_twice(store: ProjectFile, tmp_path: Path) -> None:
    study = _make_study(store, tmp_path, "Bo", "Cy", plan="balanced")
    members.switch_annotator(store, "Ada")
    rater_changes.hand_over_pairs(store, study, "Bo", "Cy", "away")
    rater_changes.hand_over_pairs(store, study, "Cy", "Dee", "away, too")
    _judge(store, "Dee")
    members.switch_annotator(store, "Ada")
    rows = agreement.study_report(store).handovers
    assert (rows[0].drawn_for, rows[0].rater, rows[0].pairs) == ("Bo", "Cy", 6)
    assert {(row.drawn_for, row.rater, row.pairs) for row in rows[1:]} == {("Bo", "Dee", 6), ("Cy", "Dee", 6)}
    assert len(rows) == 3


def test_a_subjects_history_tells_a_skipped_pair_from_one_taken_up(store: ProjectFile, tmp_path: Path) -> None:
    _make_study(store, tmp_path, "Ada")
    [pair, _] = blind_judging.load_judging_queue(store).pairs
    rater_changes.skip_pair(store, pair.assignment_id, "I wrote it")
    rater_changes.take_up_skipped(store)
    details = []
    for number in range(4):
        details += [row.detail for row in triage.load_subject_history(store, str(number)) if row.act == "pair to judge"]
    assert details == ["taken up", "skipped: I wrote it"]


def test_a_line_with_a_verdict_and_a_reason_to_skip_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bo.jsonl"
    lines = [{"assignment": "1", "verdict": "tie", "skip": ""}, {"assignment": "2", "verdict": "tie", "skip": "mine"}]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    with pytest.raises(BadInputError, match=r"bo\.jsonl:2: a line has either a verdict or a reason to skip"):
        study_files.read_judgements(path)


def test_nobody_gets_a_pair_twice_and_repeats_of_judged_pairs_end(store: ProjectFile, tmp_path: Path) -> None:
    study = _make_study(store, tmp_path, "Ada", "Bo", repeats=0.5)
    with pytest.raises(BadInputError, match="already has every open pair of Bo"):
        rater_changes.hand_over_pairs(store, study, "Bo", "Ada", "away")
    # So few that in any order pairs are left that were not shown, and second showings of pairs that were judged.
    _judge(store, "Bo", 8)
    open_pairs = Counter(pair.pair_id for pair in blind_judging.my_pairs(store, only_open=True))
    members.switch_annotator(store, "Ada")
    result = rater_changes.hand_over_pairs(store, study, "Bo", "Dee", "away")
    assert result.dropped > 0 and result.moved + result.dropped == open_pairs.total()
    assert _study_sizes(store)["Bo"] == 8
    assert {pair.pair_id for pair in _pairs_of(store, "Dee")} <= set(open_pairs)


@pytest.mark.file_only("copies the file; packets are merged into a server elsewhere")
def test_skips_and_handovers_travel_in_packets(store: ProjectFile, tmp_path: Path) -> None:
    study = _make_study(store, tmp_path, "Bo", "Cy", plan="balanced")
    members.switch_annotator(store, "Ada")
    rater_changes.hand_over_pairs(store, study, "Cy", "Dee", "Cy is away")
    for name, pairs in (("Bo", 6), ("Dee", 6)):
        share, own, back = (tmp_path / f"{name}{end}" for end in (".packet", ".annotator", ".back"))
        packets.export_packet(store, share, person=name)
        with closing(packets.open_packet(share, own)) as other:
            mine = blind_judging.my_pairs(other)
            assert len(mine) == pairs
            rater_changes.skip_pair(other, mine[0].assignment_id, f"{name} knows it")
            _judge(other, name)
            packets.export_packet(other, back)
        report = packets.import_packet(store, back)
        assert (report.conflicts, packets.import_packet(store, back).added) == (0, {})
    members.switch_annotator(store, "Ada")
    found = agreement.study_report(store)
    assert [row.reason for row in found.skipped] == ["Bo knows it", "Dee knows it"]
    assert (found.judged_pairs, [row.rater for row in found.handovers]) == (10, ["Dee"])
    assert blind_judging.verify_study(store).ok


def _pairs_of(store: ProjectFile, name: str) -> tuple[blind_judging.PairView, ...]:
    members.switch_annotator(store, name)
    pairs = blind_judging.my_pairs(store)
    members.switch_annotator(store, "Ada")
    return pairs


def _study_sizes(store: ProjectFile) -> dict[str, int]:
    """Return rater -> pairs; the sidebar counts those that wait as the studies do."""
    for person in members.list_annotators(store):
        members.switch_annotator(store, person.name)
        waiting = sum(row.mine - row.done - row.skipped for row in projects.list_studies(store))
        assert projects.stage_counts(store).to_judge == waiting
    members.switch_annotator(store, "Ada")
    with store.read() as db:
        [row] = projects.list_studies(store)
        return {batch.rater: batch.served for batch in agreement.studies.fetch_rater_batches(db, row.id)}
