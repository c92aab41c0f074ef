"""Verdicts in doubt are settled by people: with a reason, blind, for every run with the same answer, and undone."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from sqlalchemy import update

from annotator.__main__ import main
from annotator.base.errors import BadInputError
from annotator.services.project import members, undo
from annotator.services.results import error_labels, responses, result_tables, score_data
from annotator.store.core_tables import SCORE
from annotator.store.file.project_file import ProjectFile
from tests.llm.server import Server
from tests.services.runs.conftest import spec, start_run


@pytest.fixture
def doubted(store: ProjectFile, serve: Callable[[Server], Server]) -> ProjectFile:
    """A project with a run of which what failed is disputed: two samples of the same text to four items."""
    server = serve(
        Server(reply=lambda body, key: "nothing" if body["messages"][-1]["content"] < "question 4" else "answer")
    )
    start_run(store, spec(server, samples=2))
    with store.write() as db:
        db.connection().execute(update(SCORE).where(SCORE.c.outcome == "fail").values(outcome="disputed", score=0.0))
    return store


def _board(store: ProjectFile) -> tuple[int, dict[str, int]]:
    (row,) = result_tables.load_leaderboard(store).rows
    return row.passed, row.unsettled


def test_a_settlement_counts_for_the_same_answer_everywhere_and_is_undone(doubted: ProjectFile) -> None:
    store = doubted
    passed, before = _board(store)
    assert before == {"disputed": 8}
    rows = responses.doubtful_responses(store, score_data.load_results(store))
    assert len(rows) == 8 and not any(row.model for row in rows)
    first = rows[0].response_id
    detail = responses.response_detail(store, first)
    assert (detail.outcome, detail.in_doubt, detail.settled) == ("disputed", True, ())

    changes = responses.settle_answer(store, first, "pass", "  equal   sets ")
    # Both samples say the same.
    assert changes.nouns == {"score"} and _board(store) == (passed + 2, {"disputed": 6})
    detail = responses.response_detail(store, first)
    assert (detail.outcome, detail.score, detail.told) == ("pass", 1.0, "disputed")
    assert [(row.verdict, row.reason, row.annotator) for row in detail.settled] == [("pass", "equal sets", "Ada")]
    again = responses.doubtful_responses(store, score_data.load_results(store))
    assert [row.outcome for row in again] == ["disputed"] * 6 + ["pass"] * 2, "what is left to settle comes first"

    members.switch_annotator(store, "Ben")
    responses.settle_answer(store, first, "fail", "they are not")
    assert _board(store) == (passed, {"disputed": 6}), "the last word counts"
    undo.undo_last_act(store)
    assert _board(store) == (passed + 2, {"disputed": 6})
    members.switch_annotator(store, "Ada")
    undo.undo_last_act(store)
    assert _board(store) == (passed, {"disputed": 8})
    undo.redo_last_act(store)
    assert _board(store) == (passed + 2, {"disputed": 6})


def test_what_cannot_be_settled(doubted: ProjectFile) -> None:
    data = score_data.load_results(doubted)
    first = responses.doubtful_responses(doubted, data)[0].response_id
    good = next(
        row for row in responses.responses_of_run(doubted, data, data.entries[0].run.id) if row.outcome == "pass"
    )
    for response, verdict, reason, said in (
        (first, "pass", " ", "needs a reason"),
        (first, "perhaps", "so", "not as perhaps"),
        (good.response_id, "fail", "so", "not in doubt"),
        ("nothing", "fail", "so", "no such response"),
    ):
        with pytest.raises(BadInputError, match=said):
            responses.settle_answer(doubted, response, verdict, reason)
    assert _board(doubted)[1] == {"disputed": 8}


def test_the_command_lists_and_settles(doubted: ProjectFile, capfd: pytest.CaptureFixture[str]) -> None:
    path, run = doubted.path, score_data.load_results(doubted).entries[0].run.id
    doubted.close()

    def call(*words: str, status: int = 0) -> str:
        capfd.readouterr()
        assert main(["run", "settle", str(path), run, *words]) == status
        return capfd.readouterr().out

    rows = json.loads(call("--json"))["in_doubt"]
    assert len(rows) == 8 and not any(row["settled"] for row in rows)
    one = rows[0]["response"]["response_id"]
    call("--response", one, status=2)
    assert "Settle an answer: pass" in call("--response", one, "--verdict", "pass", "--reason", "equal sets")
    assert "pass by Ada (equal sets)" in call()
    out = path.with_name("report.html")
    assert main(["results", str(path), "--report", str(out)]) == 0
    assert "pass by Ada (equal sets)" in out.read_text()


def test_labels_are_put_changed_counted_and_undone(store: ProjectFile, serve: Callable[[Server], Server]) -> None:
    server = serve(
        Server(reply=lambda body, key: "nothing" if body["messages"][-1]["content"] < "question 4" else "answer")
    )
    row, _ = start_run(store, spec(server, samples=1))
    failed = error_labels.failed_responses_of_run(store, row.id)
    assert [item.key for item in failed] == [f"jsonl:q000{number}" for number in range(4)]
    ids = [item.response_id for item in failed]
    error_labels.label_failed_responses(store, ids[:2], "logic error")
    error_labels.label_failed_responses(store, [ids[2]], "  Wrong   Library ", "uses another one")
    assert error_labels.count_labels(store, row.id).counts == (("logic error", 2), ("wrong library", 1))
    assert [item.response_id for item in error_labels.failed_responses_of_run(store, row.id, unlabelled=True)] == [
        ids[3]
    ]
    assert [(choice.label, choice.key) for choice in error_labels.list_label_choices(store)] == [
        ("logic error", "1"), ("missing context", "2"), ("vague requirement", "3"), ("wrong library", "4"),
    ]  # fmt: skip
    # One's own later label takes the place of the earlier one, another person's stands beside it.
    error_labels.label_failed_responses(store, [ids[0]], "missing context")
    assert [found.label for found in error_labels.labels_of_response(store, ids[0])] == ["missing context"]
    members.switch_annotator(store, "Ben")
    error_labels.label_failed_responses(store, [ids[0]], "logic error")
    counts = error_labels.count_labels(store, row.id)
    assert (counts.failed, counts.labelled, counts.disputed) == (4, 3, 1)
    undo.undo_last_act(store)
    assert [found.label for found in error_labels.labels_of_response(store, ids[0])] == ["missing context"]
    members.switch_annotator(store, "Ada")
    error_labels.label_failed_responses(store, [ids[0]], "")
    assert error_labels.labels_of_response(store, ids[0]) == ()
    undo.undo_last_act(store)
    assert error_labels.labels_of_response(store, ids[0])[0].annotator == "Ada"


def test_what_cannot_be_labelled(store: ProjectFile) -> None:
    for ids, name in (([], "logic error"), (["nonsense"], "logic error"), (["x"], "y" * 61)):
        with pytest.raises(BadInputError):
            error_labels.label_failed_responses(store, ids, name)
    assert error_labels.list_label_choices(store)[0].label == "logic error"
