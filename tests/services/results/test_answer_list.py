"""The list of answers: filters by outcome, words and change between runs, what answers took, files, pairs."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from annotator import notebook
from annotator.__main__ import main
from annotator.base.errors import BadInputError
from annotator.model.rows.result_rows import ItemScoreRow, Target, Usage
from annotator.services.judge import blind_judging
from annotator.services.judge.blind_judging import NewStudy
from annotator.services.judge.side_order import ServingPlan
from annotator.services.release import exports
from annotator.services.results import answer_list, named_tables, response_explanation, responses, score_data
from annotator.services.results.answer_list import AnswerFilter
from annotator.services.runs import run_control
from annotator.store.file.project_file import ProjectFile
from tests.formats.releases import write_rows
from tests.services.results.test_result_tables import build

ITEMS, SAMPLES = 4, 2
TEXTS = ("gamma", "alpha", "alpha beta")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ProjectFile]:
    made = build(tmp_path, 1, ITEMS, 1)
    yield made
    made.close()


def _answer(store: ProjectFile, folder: Path, name: str, texts: dict[tuple[int, int], str]) -> str:
    lines = [{"subject": f"i{item}", "model": name, "sample": sample, "response": text}
             for (item, sample), text in texts.items()]  # fmt: skip
    runs, _ = run_control.start_replay(store, None, write_rows(folder / "more.jsonl", lines))
    return runs[0].id


def _texts(shift: int = 0) -> dict[tuple[int, int], str]:
    return {(item, sample): TEXTS[(item + sample + shift) % 3] for item in range(ITEMS) for sample in range(SAMPLES)}


def _read(store: ProjectFile, run: str, wanted: AnswerFilter) -> tuple[ItemScoreRow, ...]:
    return answer_list.read_answers(store, score_data.load_results(store), Target("items", run), wanted)


def test_answers_are_filtered_by_outcome_and_by_words(store: ProjectFile, tmp_path: Path) -> None:
    run = _answer(store, tmp_path, "m", _texts())
    everything = _read(store, run, AnswerFilter())
    assert len(everything) == ITEMS * SAMPLES and {row.model for row in everything} == {"m"}
    failed = _read(store, run, AnswerFilter("failed"))
    assert {row.response_id for row in failed} == {row.response_id for row in everything if row.outcome != "pass"}
    assert {row.outcome for row in _read(store, run, AnswerFilter("partial"))} == {"partial"}
    # "gamma" is an answer's own word; the rule that it fails is named beta.
    gamma = _read(store, run, AnswerFilter(words="GAMMA"))
    assert len(gamma) == sum(text == "gamma" for text in _texts().values())
    assert _read(store, run, AnswerFilter(words='"alpha beta" gamma')) == ()
    both = {row.response_id for row in _read(store, run, AnswerFilter(words="beta"))}
    assert both == {row.response_id for row in everything}
    with pytest.raises(BadInputError, match="no outcome brilliant"):
        _read(store, run, AnswerFilter("brilliant"))


def test_what_changed_since_the_run_before_is_found(store: ProjectFile, tmp_path: Path) -> None:
    first = _answer(store, tmp_path, "m", _texts())
    with pytest.raises(BadInputError, match="no earlier run"):
        _read(store, first, AnswerFilter(changed=True))
    texts = _texts() | {(1, 0): "alpha beta", (2, 1): "alpha beta", (3, 0): "GAMMA or so"}
    second = _answer(store, tmp_path, "m", texts)
    changed = {(row.key, row.sample) for row in _read(store, second, AnswerFilter(changed=True))}
    before = {
        (row.key, row.sample): row.outcome
        for row in responses.responses_of_run(store, responses.load_run_data(store, first), first)
    }
    after = {
        (row.key, row.sample): row.outcome
        for row in responses.responses_of_run(store, responses.load_run_data(store, second), second)
    }
    assert changed == {place for place in after if before[place] != after[place]} and changed


def test_what_answers_took_stands_beside_them_and_on_the_leaderboard(store: ProjectFile, tmp_path: Path) -> None:
    run = _answer(store, tmp_path, "m", _texts())
    assert {row.usage for row in _read(store, run, AnswerFilter())} == {Usage()}
    table = named_tables.make_table(store, score_data.load_results(store), "leaderboard")
    assert "cost" not in table.headers
    with store.write() as db:
        db.connection().exec_driver_sql(
            "UPDATE response SET prompt_tokens = 20, cost = 0.25, seconds = 1.5, usage = '{\"output_tokens\": 7}'"
        )
        db.connection().exec_driver_sql("DELETE FROM run_scores")
    assert {row.usage for row in _read(store, run, AnswerFilter())} == {Usage(20, 7, 0.25, 1.5)}
    table = named_tables.make_table(store, score_data.load_results(store), "leaderboard")
    cells = dict(zip(table.headers, table.rows[0], strict=True))
    assert cells["tokens per answer"].number == 7 and cells["seconds per answer"].number == 1.5
    assert cells["cost"].number == 0.25 * ITEMS * SAMPLES


def test_the_grid_has_each_models_score_of_each_item(store: ProjectFile, tmp_path: Path) -> None:
    runs = {name: _answer(store, tmp_path, name, _texts(shift)) for shift, name in enumerate(("m", "mean"))}
    data = score_data.load_results(store)
    table = named_tables.make_table(store, data, "grid")
    assert table.headers == ("key", "title", "domain", "m", "mean", "model-0-1b", "mean") and len(table.rows) == ITEMS
    for row in table.rows:
        for at, name in enumerate(("m", "mean")):
            target = row[3 + at].target
            assert target is not None and target.run_id == runs[name]
            answers = answer_list.read_answers(store, data, target)
            own = [answer.score for answer in answers if answer.run_id == target.run_id]
            assert row[3 + at].number == pytest.approx(100 * sum(score or 0 for score in own) / SAMPLES)


def test_answers_are_written_with_their_texts_and_read_again(store: ProjectFile, tmp_path: Path) -> None:
    run = _answer(store, tmp_path, "m", _texts())
    rows = _read(store, run, AnswerFilter("failed"))
    path = tmp_path / "failed.jsonl"
    answer_list.write_answers(store, rows, path)
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    assert [line["response"] for line in lines] == [responses.response_detail(store, line["id"]).text for line in lines]
    assert {line["response"] for line in lines} <= {"gamma", "alpha"} and len(lines) == len(rows)
    answer_list.write_answers(store, rows, tmp_path / "failed.csv")
    [*told] = csv.DictReader((tmp_path / "failed.csv").read_text("utf-8").splitlines())
    assert [(one["key"], int(one["sample"])) for one in told] == [(row.key, row.sample + 1) for row in rows]
    assert [line["sample"] for line in lines] == [row.sample for row in rows], "an import reads samples from 0"


def test_two_answers_are_compared_with_each_other_and_the_reference(store: ProjectFile, tmp_path: Path) -> None:
    run = _answer(store, tmp_path, "m", {(0, 0): "alpha\ngamma", (0, 1): "alpha beta\ngamma", (1, 0): "alpha"})
    one, other, elsewhere = _read(store, run, AnswerFilter())
    pair = response_explanation.compare_answers(store, one.response_id, other.response_id)
    assert (pair.own, pair.other) == ("alpha\ngamma", "alpha beta\ngamma")
    assert [part.text.strip() for part in pair.diff if part.kind == "removed"] == ["alpha beta"]
    assert [part.text.strip() for part in pair.other_diff if part.kind == "added"][-1].endswith("gamma")
    with pytest.raises(BadInputError, match="different items"):
        response_explanation.compare_answers(store, one.response_id, elsewhere.response_id)
    assert responses.find_response(store, one.response_id[:20]) == one.response_id
    for start in ("", "zz"):
        with pytest.raises(BadInputError, match="no response"):
            responses.find_response(store, start)


def test_the_command_lists_shows_and_compares_answers(
    store: ProjectFile, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = _answer(store, tmp_path, "m", _texts())
    project = str(store.path)

    def call(*words: str, status: int = 0) -> str:
        capsys.readouterr()
        assert main(["results", *words]) == status
        return "".join(capsys.readouterr())

    found = json.loads(call(project, "--run", run, "--outcome", "fail", "--json"))["items"]
    assert {row["outcome"] for row in found} == {"fail"}
    assert "gamma" in call("answer", project, found[0]["response_id"])
    assert "+++ m" in call("answer", project, found[0]["response_id"], "--beside", _beside(store, found[0]))
    written = tmp_path / "a.jsonl"
    assert "a.jsonl" in call(project, "--run", run, "--search", "gamma", "--answers", str(written))
    assert len(written.read_text("utf-8").splitlines()) == len(found)
    assert "require --run" in call(project, "--table", "grid", "--search", "x", status=2)
    thinking = _read(store, _answer(store, tmp_path, "t", {(0, 0): "<think>It is</think>\nbeta"}), AnswerFilter())[0]
    assert "found: took the response without its reasoning" in call("answer", project, thinking.response_id)
    told = call("--help")
    assert "annotator results site" in told and "annotator results answer" in told


def _beside(store: ProjectFile, row: dict[str, str]) -> str:
    data = score_data.load_results(store)
    others = responses.responses_to_item(store, data, row["subject_id"])
    return next(other.response_id for other in others if other.response_id != row["response_id"])


def test_answers_to_pairs_that_a_rater_judges_blind_are_hidden(store: ProjectFile, tmp_path: Path) -> None:
    run = _answer(store, tmp_path, "m", _texts())
    other = _answer(store, tmp_path, "n", _texts(1))
    rows = _read(store, run, AnswerFilter())
    theirs = [row for row in _read(store, other, AnswerFilter()) if row.subject_id == rows[0].subject_id]
    compared = blind_judging.candidate_pairs(store, "response", "model:m", "model:n", [rows[0].subject_id])
    plan = ServingPlan(repeats=0.0)
    study = NewStudy(name="s", kind="response", name_a="m", name_b="n", raters=(store.annotator.name,), plan=plan)
    scores_before = score_data.load_results(store)
    blind_judging.create_blind_study(store, study, compared)
    mine = [row for row in rows if row.subject_id == rows[0].subject_id]
    looks: list[Callable[[], object]] = [
        lambda: response_explanation.explain_response(store, mine[0].response_id),
        lambda: response_explanation.compare_answers(store, mine[0].response_id, theirs[0].response_id),
        lambda: list(answer_list.read_answer_lines(store, rows)),
        lambda: _read(store, run, AnswerFilter(words="gamma")),
        lambda: _read(store, run, AnswerFilter()),
        lambda: named_tables.make_table(store, scores_before, "grid"),
        lambda: notebook.open_project(store.place).responses(),
        lambda: exports.export_release(store, None, "site", tmp_path / "site"),
    ]
    for look in looks:
        with pytest.raises(BadInputError, match="a rater of the blind study s"):
            look()
    assert not (tmp_path / "site").exists()
    away = [row for row in rows if row.subject_id != rows[0].subject_id]
    assert list(answer_list.read_answer_lines(store, away)), "other items are shown"
    for pair in blind_judging.load_judging_queue(store).pairs:
        blind_judging.judge_pair(store, pair.assignment_id, "1")
    with pytest.raises(BadInputError, match="shown when it is unblinded"):
        looks[0]()
    blind_judging.seal_own_batch(store)
    blind_judging.unblind_sides(store, None, "all is judged")
    assert all(look() is not None for look in looks[:7])
