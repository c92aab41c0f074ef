"""Models compared over several studies, and a study's intervals, against calculations by hand."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import pytest

from annotator.base.errors import BadInputError
from annotator.metrics.agreement import blind_comparisons
from annotator.metrics.agreement.blind_comparisons import RaterJudgement
from annotator.services.consensus import disagreements
from annotator.services.judge import agreement, blind_judging, model_pairs, study_files
from annotator.services.judge.blind_judging import NewStudy
from annotator.services.judge.side_order import ServingPlan
from annotator.services.project import members, projects, undo
from annotator.services.select import triage
from annotator.store.file.project_file import ProjectFile
from annotator.store.judging import studies as judging
from annotator.store.runs import stored_runs
from tests.services.results.test_result_tables import build


def _create(
    store: ProjectFile, folder: Path, texts: list[tuple[str, str]], *, raters: tuple[str, ...] = ("Ada",),
    name: str = "one", kind: str = "response", sides: tuple[str, str] = ("x", "y"),
) -> str:  # fmt: skip
    """Make a study of pairs of texts, one after another on four subjects."""
    path = folder / f"{name}.jsonl"
    rows = [{"subject": str(at % 4), "a": a, "b": b} for at, (a, b) in enumerate(texts)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    study = NewStudy(name=name, kind=kind, name_a=sides[0], name_b=sides[1], raters=raters,
                     plan=ServingPlan(repeats=0), secret="fixed")  # fmt: skip
    return blind_judging.create_blind_study(store, study, study_files.read_candidate_pairs(store, path))[0]


def _study(
    store: ProjectFile, folder: Path, name: str, sides: tuple[str, str], wins: str, kind: str = "response",
    *, is_sealed: bool = True,
) -> None:  # fmt: skip
    """Make a study and judge it: ``wins`` has a letter a pair, a or b for the side that wins, t for a tie."""
    texts = [(f"left {at}", f"right {at}") for at in range(len(wins))]
    study = _create(store, folder, texts, name=name, kind=kind, sides=sides)
    while waiting := blind_judging.load_judging_queue(store, study).pairs:
        shown = waiting[0]
        won = wins[int(shown.first.split()[1])]
        is_a = shown.first.startswith("left")
        choice = "tie" if won == "t" else "1" if (won == "a") == is_a else "2"
        blind_judging.judge_pair(store, shown.assignment_id, choice)
    if is_sealed:
        blind_judging.seal_own_batch(store, study)


def test_studies_of_models_are_put_together(store: ProjectFile, tmp_path: Path) -> None:
    _study(store, tmp_path, "one", ("model:x", "model:y"), "aaab")
    _study(store, tmp_path, "two", ("model:y", "model:x"), "btb")
    _study(store, tmp_path, "three", ("model:y", "model:z"), "aabt")
    _study(store, tmp_path, "words", ("human", "llm"), "aa", kind="requirement")
    assert model_pairs.compare_models(store).left_out == ("one", "two", "three"), "blind studies tell nothing"
    for name in ("one", "two", "three", "words"):
        blind_judging.unblind_sides(store, name, "done")
    found = model_pairs.compare_models(store)
    assert (found.studies, found.left_out) == (("one", "two", "three"), ())
    assert [(pair.first, pair.second, pair.judgements) for pair in found.pairs] == [("x", "y", 7), ("y", "z", 4)]
    # x: 3 wins and a loss, then 2 wins and a tie. y against z: 2 wins, a loss, a tie.
    assert [(pair.result.wins, pair.result.ties, pair.result.losses) for pair in found.pairs] == [(5, 1, 1), (2, 1, 1)]
    assert [pair.rate.value for pair in found.pairs] == [pytest.approx(5.5 / 7), pytest.approx(2.5 / 4)]
    # A chain of pairs is fitted exactly: the odds are 5.5 to 1.5 and 2.5 to 1.5.
    scores = {row.model: row.score for row in found.scores}
    assert scores["x"] - scores["y"] == pytest.approx(225.709, abs=0.01)
    assert scores["y"] - scores["z"] == pytest.approx(88.739, abs=0.01)
    assert [row.model for row in found.scores] == ["x", "y", "z"] and sum(scores.values()) == pytest.approx(0)
    both = [section.rows for section in model_pairs.model_pair_tables(found)]
    assert both[0][0][:6] == ("x against y", "7", "7", "5", "1", "1") and both[1][0][:2] == ("x", "7")


def test_a_model_that_never_loses_has_no_score(store: ProjectFile, tmp_path: Path) -> None:
    assert "No study" in model_pairs.model_pair_notes(model_pairs.compare_models(store))[0]
    _study(store, tmp_path, "one", ("model:x", "model:y"), "aaaa")
    blind_judging.unblind_sides(store, "one", "done")
    found = model_pairs.compare_models(store)
    assert found.scores == () and "wins or loses every pair" in model_pairs.model_pair_notes(found)[0]
    # All alike: Wilson's interval of 4 in 4.
    assert (found.pairs[0].rate.method, found.pairs[0].rate.low) == ("wilson", pytest.approx(4 / (4 + 1.959964**2)))


def test_a_study_has_a_win_rate_and_intervals(store: ProjectFile, tmp_path: Path) -> None:
    _study(store, tmp_path, "one", ("model:x", "model:y"), "aatb")
    report = agreement.study_report(store)
    assert report.win_rate is not None and report.win_rate.value == pytest.approx(2.5 / 4)
    tables = {str(section.title): section.rows for section in agreement.study_tables(report)}
    assert [row[1] for row in tables["Win rate (a tie is half a win)"]] == ["62.50", "37.50"]
    assert "Agreement of 1 rater" in tables


def test_raters_that_lean_to_a_side_do_not_make_a_winner(store: ProjectFile, tmp_path: Path) -> None:
    _create(store, tmp_path, [(f"left {at}", f"right {at}") for at in range(7)])
    while waiting := blind_judging.load_judging_queue(store).pairs:
        blind_judging.judge_pair(store, waiting[0].assignment_id, "1")
    blind_judging.seal_own_batch(store)
    report = agreement.study_report(store)
    assert report.win_rate is not None and report.win_rate.value in (pytest.approx(3 / 7), pytest.approx(4 / 7))
    assert report.side_adjusted is not None and report.side_adjusted.value == pytest.approx(0.5)
    tables = {str(section.title): section for section in agreement.study_tables(report)}
    table = tables["Win rate (a tie is half a win)"]
    assert table.headers[3] == "side-adjusted %" and [row[3] for row in table.rows] == ["50.00", "50.00"]
    # Nobody's time is known, and seven pairs are few.
    assert tables["Cost"].rows[-1][:2] == ("judging by people", "n/a")
    told = " ".join(agreement.study_notes(report))
    assert "only 7 pairs are judged, too few" in told and "7 judgements have no recorded time" in told


def test_both_bad_is_told_apart_from_a_tie_on_request(store: ProjectFile, tmp_path: Path) -> None:
    members.add_annotator(store, "Bo")
    _create(store, tmp_path, [(f"a{at}", f"b{at}") for at in range(4)], raters=("Ada", "Bo"))
    for name, choices in (("Ada", ("tie", "both_bad", "both_bad", "tie")), ("Bo", ("tie",) * 4)):
        members.switch_annotator(store, name)
        of_pair = {shown.subject_id: shown.assignment_id for shown in blind_judging.my_pairs(store)}
        for at, choice in enumerate(choices):
            blind_judging.judge_pair(store, of_pair[triage.load_subject(store, str(at)).row.id], choice)
        blind_judging.seal_own_batch(store)
    together, apart = agreement.study_report(store), agreement.study_report(store, bad_apart=True)
    assert (together.agreement.raw.value, apart.agreement.raw.value) == (1.0, 0.5)
    [table] = [one for one in agreement.study_tables(apart) if str(one.title).startswith("Confusion")]
    assert table.headers[2:6] == ("win", "tie", "both bad", "lose")
    assert (apart.panel.ties, apart.win_rate) == (4, together.win_rate), "a win rate takes both for half a win"


def test_many_judgements_of_one_pair_do_not_make_it_sure() -> None:
    judged = [
        RaterJudgement(item=f"i{item}", rater=f"r{rater}", choice="1", a_first=item < 5)
        for item in range(10)
        for rater in range(20)
    ]
    rate = blind_comparisons.not_worse_rate(judged)
    once = blind_comparisons.not_worse_rate([item for item in judged if item.rater == "r0"])
    assert rate is not None and once is not None and (rate.n, rate.value) == (10, 0.5)
    ends = (pytest.approx(once.low), pytest.approx(once.high))
    assert (rate.low, rate.high) == ends, "raters that say the same add nothing"


def test_one_pair_is_told_as_one(store: ProjectFile, tmp_path: Path) -> None:
    _create(store, tmp_path, [("left", "right")])
    with pytest.raises(BadInputError, match=r"^1 pair is still"):
        blind_judging.seal_own_batch(store)
    with pytest.raises(BadInputError, match="when your batch is sealed"):
        agreement.study_report(store)


def test_identical_pairs_are_ties_that_nobody_judges(store: ProjectFile, tmp_path: Path) -> None:
    texts = [("x", "y"), ("same\r\n", "same"), ("a\u00a0b ", "a b"), ("x ", "z")]
    _create(store, tmp_path, texts, sides=("model:x", "model:y"))
    [row] = projects.list_studies(store)
    assert (row.pairs, row.identical, row.mine) == (4, 2, 2)
    assert blind_judging.verify_study(store).ok
    for pair in blind_judging.my_pairs(store):
        blind_judging.judge_pair(store, pair.assignment_id, "1" if pair.first.strip() == "x" else "2", seconds=2)
    blind_judging.seal_own_batch(store)
    report = agreement.study_report(store)
    assert (report.judged_pairs, report.identical) == (2, 2)
    assert (report.panel.wins, report.panel.ties, report.panel.losses) == (2, 2, 0)
    assert (report.single.wins, report.single.ties) == (2, 0), "nobody gave a judgement on the others"
    assert report.win_rate is not None and report.win_rate.value == pytest.approx(0.75)
    assert any("2 pairs have the same answer" in note for note in agreement.study_notes(report))
    blind_judging.unblind_sides(store, "one", "done")
    [pair] = model_pairs.compare_models(store).pairs
    assert (pair.judgements, pair.result.wins, pair.result.ties) == (2, 2, 2)


def test_a_study_of_the_same_twice_is_refused(store: ProjectFile, tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="nothing to judge"):
        _create(store, tmp_path, [("same", "same ")], kind="requirement")
    assert projects.list_studies(store) == ()


def test_a_pair_called_identical_that_is_not_does_not_verify(store: ProjectFile, tmp_path: Path) -> None:
    _create(store, tmp_path, [("same", "same"), ("left", "right")])
    with store.reader() as connection:
        ids = [row[0] for row in connection.execute("SELECT id FROM pair ORDER BY id")]
    with store.write() as db:
        study = judging.find_study(db, "one")
        study.plan = {**study.plan, judging.IDENTICAL: ids}
        db.add(study)
    found = blind_judging.verify_study(store)
    assert (found.map_ok, found.ties_ok, found.ok) == (True, False, False)


def test_own_verdicts_are_listed_as_they_were_shown(store: ProjectFile, tmp_path: Path) -> None:
    _study(store, tmp_path, "one", ("model:x", "model:y"), "abt", is_sealed=False)
    mine = blind_judging.my_verdicts(store)
    assert [row.pair.position for row in mine] == [0, 1, 2]
    for row in mine:
        won = "abt"[int(row.pair.first.split()[1])]
        said = "tie" if won == "t" else "1" if (won == "a") == row.pair.first.startswith("left") else "2"
        assert (row.choice, row.again) == (said, False)
    undo.undo_last_act(store)
    assert [row.pair.pair_id for row in blind_judging.my_verdicts(store)] == [row.pair.pair_id for row in mine[:2]]


def test_settling_a_pair_changes_a_row_of_the_table(store: ProjectFile, tmp_path: Path) -> None:
    members.add_annotator(store, "Bo")
    members.add_annotator(store, "Cy")
    _create(store, tmp_path, [(f"left {at}", f"right {at}") for at in range(3)], raters=("Ada", "Bo"))
    for rater, winner in (("Ada", "left"), ("Bo", "right")):
        members.switch_annotator(store, rater)
        for pair in blind_judging.my_pairs(store):
            blind_judging.judge_pair(store, pair.assignment_id, "1" if pair.first.startswith(winner) else "2")
        assert disagreements.load_disagreements(store) == (), "others' verdicts would sway those that can be taken back"
        blind_judging.seal_own_batch(store)
    assert len(disagreements.load_disagreements(store)) == 3
    before = agreement.study_report(store)
    assert before.adjudicated is None and before.panel.ties == 3
    members.switch_annotator(store, "Cy")
    for at, matter in enumerate(disagreements.load_disagreements(store)):
        left = disagreements.pair_texts(store, matter.about.removeprefix("pair:"))[1]
        a_side = "left" if left.startswith("left") else "right"
        outcome = (f"{a_side} is better", "both bad", "")[at]
        if outcome:
            disagreements.resolve_disagreement(
                store, matter.subject_id, matter.about, "adjudicator", outcome, "read twice"
            )
    after = agreement.study_report(store)
    assert after.adjudicated is not None and after.settled == 2
    assert (after.adjudicated.wins, after.adjudicated.ties, after.adjudicated.losses) == (1, 2, 0)
    assert after.panel == before.panel
    table = {row[0]: row[1:4] for row in agreement.study_tables(after)[0].rows}
    assert table["adjudicated (2 settled)"] == ("1", "2", "0")


_ITEM = {
    "language": "python",
    "entry_point": "twice",
    "prompt": "Double x.",
    "reference": "def twice(x):\n    return 2 * x",
}
_CODE = "def twice(x):\n    return x + x\n"


@pytest.mark.parametrize(
    ("other", "same"),
    [
        (_CODE, True),
        (f"Here you go:\n\n```python\n{_CODE}```\nIt adds x to itself.", True),
        (f"<think>2 * x?</think>```py\r\n{_CODE}```", True),
        (f"```python\n{_CODE.replace('x + x', '2 * x')}```", False),
        ("I cannot help with that.", False),
    ],
)
def test_programs_are_compared_as_they_are_scored(
    store: ProjectFile, monkeypatch: pytest.MonkeyPatch, other: str, same: bool
) -> None:
    monkeypatch.setattr(stored_runs, "answered_item", lambda _db, response: _ITEM if response else None)
    one = (f"```python\n{_CODE}```", {"response": "one"})
    with store.read() as db:
        assert blind_judging.are_identical(db, "response", one, (other, {"response": "two"})) is same
        assert not blind_judging.are_identical(db, "response", (one[0], {}), (f"Sure. {one[0]}", {}))


def test_an_item_is_found_by_its_response(tmp_path: Path) -> None:
    with closing(build(tmp_path, 1, 2, 1)) as made, made.read() as db, made.reader() as connection:
        [[first], *_] = connection.execute("SELECT id FROM response").fetchall()
        item = stored_runs.answered_item(db, first)
        assert item is not None and item == stored_runs.fetch_response(db, first)[3]
        assert stored_runs.answered_item(db, "nonsense") is None
