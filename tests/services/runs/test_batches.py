"""Runs by the batch interface: the same answers and scores, at half the price, whatever ends in between."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from annotator.__main__ import main
from annotator.base.errors import BadInputError
from annotator.evaluation import batch_queue
from annotator.jobs.progress import Progress
from annotator.llm import transport
from annotator.llm.prices import Price
from annotator.llm.requests import Endpoint
from annotator.services.project import projects
from annotator.services.runs import run_control, run_list, run_log, run_plan
from annotator.services.runs.execution import RunLive
from annotator.services.runs.recorder import StoredBatches
from annotator.store.file.project_file import ProjectFile
from annotator.store.runs import run_data
from tests.forked_commands import ForkedCommand
from tests.llm.batch_desk import BatchDesk, answer_line
from tests.llm.server import Server, running
from tests.services.runs.conftest import build_project, outcomes, spec, start_run

Serve = Callable[[Server], Server]
PRICE = Price(model="m", input=1.0, output=2.0)


@pytest.fixture(autouse=True)
def _look_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch_queue, "FIRST_POLL_S", 0.05)


def desk_at(serve: Serve, **fields: Any) -> tuple[Server, BatchDesk]:
    server = serve(Server())
    server.batches = BatchDesk(**fields)
    return server, server.batches


def texts(store: ProjectFile, run_id: str) -> dict[tuple[str, int], str]:
    with store.read() as db:
        places = [(subject, sample) for subject, sample, _ in run_data.fetch_stored_places(db, run_id)]
        return {(row.subject_id, row.sample): row.text for row in run_data.answers_at(db, run_id, places)}


def test_a_batch_costs_half_and_its_answers_are_those_of_single_requests(store: ProjectFile, serve: Serve) -> None:
    server, desk = desk_at(serve, looks=3)
    wanted = spec(server, price=PRICE, batch=True)
    found = run_plan.forecast_run(store, wanted)
    whole = run_plan.forecast_run(store, replace(wanted, batch=False))
    assert found.batch_factor == 0.5 and whole.batch_factor is None
    assert found.forecast.cost == pytest.approx(whole.forecast.cost / 2)
    seen: list[RunLive] = []
    row, _ = start_run(store, wanted, watch=seen.append)
    assert (row.state, row.reason, row.answered, row.done, row.outcomes) == ("done", "", 30, 30, {"pass": 30})
    assert row.cost == pytest.approx((360 * 1.0 + 150 * 2.0) / 2e6)
    assert (server.counts.requests, server.counts.probes, len(desk.batches)) == (0, 1, 1)
    assert any("of 30 requests" in live.note for live in seen) and seen[-1].note == ""
    assert StoredBatches(store, row.id).load() == ()
    assert dict(run_log.describe_settings(store, row.id))["Batch"] == "yes, at 0.5 times the price"
    # A single run finds what a batch brought, under the same keys.
    again, _ = start_run(store, spec(server))
    assert (again.cached, server.counts.requests) == (30, 0)
    assert texts(store, again.id) == texts(store, row.id)
    back, _ = start_run(store, spec(server, batch=True))
    assert (back.cached, len(desk.batches)) == (30, 1)


def test_errors_of_lines_are_those_of_single_requests(store: ProjectFile, serve: Serve) -> None:
    def line(row: Mapping[str, Any], attempt: int) -> tuple[int, Any] | str:
        asked = row["body"]["messages"][-1]["content"]
        if asked.startswith("question 3"):
            return 400, {"error": {"message": "too long", "code": "context_length_exceeded"}}
        if asked.startswith("question 4") and attempt == 1:
            return 500, {"error": {"message": "later"}}
        if asked.startswith("question 5") and attempt == 1:
            return "batch_expired"
        if asked.startswith("question 6"):
            return 200, {"choices": []}
        return answer_line(row, attempt)

    server, desk = desk_at(serve, line=line)
    row, _ = start_run(store, spec(server, 1, batch=True, price=PRICE))
    assert (row.state, row.answered) == ("done", 8)
    assert row.failures == {"HTTP 400": 1, "no choices": 1}
    assert max(desk.asked.values()) == 3, "an answer nobody can read is paid for three times at most"
    assert any("too long" in str(one) for one in run_log.failure_causes(store, row.id))
    before = sum(desk.asked.values())
    with pytest.raises(BadInputError, match="done"):
        run_control.resume_execution(store, row.id)
    run_control.retry_failures(store, row.id)
    assert sum(desk.asked.values()) > before


@pytest.mark.parametrize("end", ["expired", "cancelled"])
def test_what_a_batch_did_not_reach_is_asked_again_and_nothing_else(store: ProjectFile, serve: Serve, end: str) -> None:
    server, desk = desk_at(serve, ends=(end,))
    row, _ = start_run(store, spec(server, batch=True))
    if end == "cancelled":
        assert (row.state, row.answered) == ("stopped", 15) and "was cancelled" in row.reason
        row, _ = run_control.resume_execution(store, row.id)
    assert (row.state, row.answered, row.done) == ("done", 30, 30)
    assert len(desk.batches) == 2 and set(desk.asked.values()) == {1}


def test_a_failed_batch_says_why_and_the_lines_it_names_are_left_out(store: ProjectFile, serve: Serve) -> None:
    problem = {"code": "invalid_request", "line": 2, "message": "This is no request", "param": None}
    server, desk = desk_at(serve, ends=("failed",), problems=(problem,))
    row, _ = start_run(store, spec(server, 1, batch=True))
    assert (row.state, row.answered, row.failures) == ("done", 9, {"HTTP 400": 1})
    assert len(desk.batches) == 2
    other = serve(Server())
    other.batches = BatchDesk(ends=("failed",), problems=({"code": "billing", "line": None, "message": "No credit"},))
    row, _ = start_run(store, replace(spec(other, 1, batch=True), model="n"))
    assert (row.state, row.answered) == ("stopped", 0) and "No credit" in row.reason
    row, _ = run_control.resume_execution(store, row.id)
    assert (row.state, row.answered) == ("done", 10)


def test_large_plans_take_several_files(store: ProjectFile, serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch_queue, "MAX_FILE_REQUESTS", 8)
    monkeypatch.setattr(batch_queue, "MAX_FILE_BYTES", 100_000)
    problem = {"code": "token_limit_exceeded", "line": None, "message": "Enqueued token limit reached"}
    server, desk = desk_at(serve, ends=("completed", "completed", "completed", "failed"), problems=(problem,))
    row, _ = start_run(store, spec(server, batch=True))
    assert (row.state, row.answered) == ("done", 30)
    sizes = [len(desk.files[batch["input_file_id"]].splitlines()) for batch in desk.batches.values()]
    assert sizes[:4] == [8, 8, 8, 6] and sum(sizes) == 36
    assert set(desk.asked.values()) == {1}


def test_a_lost_reply_makes_no_second_batch(store: ProjectFile, serve: Serve) -> None:
    server, desk = desk_at(serve, lost_replies=1)
    row, _ = start_run(store, spec(server, batch=True))
    assert (row.state, row.answered, len(desk.batches)) == ("done", 30, 1)


def test_a_batch_that_the_endpoint_forgot_is_told(store: ProjectFile, serve: Serve) -> None:
    server, desk = desk_at(serve, looks=10**6)
    run_id, _ = run_plan.plan_run(store, spec(server, batch=True))
    stop_when_sent(store, run_id)
    desk.batches.clear()
    row, _ = run_control.resume_execution(store, run_id)
    assert row.state == "stopped" and "no longer knows the batch batch_0" in row.reason and "30 requests" in row.reason
    desk.looks = 1
    row, _ = run_control.resume_execution(store, run_id)
    assert (row.state, row.answered) == ("done", 30)


def stop_when_sent(store: ProjectFile, run_id: str) -> None:
    work = Progress()

    def watch(live: RunLive) -> None:
        if live.note:
            work.cancel()

    run_control.resume_execution(store, run_id, work, watch)


def test_an_endpoint_that_is_gone_ends_a_resume_soon_and_its_batch_is_found_later(store: ProjectFile) -> None:
    server = Server()
    server.batches = desk = BatchDesk(looks=10**6)
    run_id, _ = run_plan.plan_run(store, spec(server, batch=True, endpoint=Endpoint(base_url="http://127.0.0.1:1/v1")))
    with running(server):
        run_plan.change_settings(store, run_id, base_url=server.url)
        stop_when_sent(store, run_id)
    started = time.monotonic()
    row, _ = run_control.resume_execution(store, run_id)
    assert (
        row.state == "stopped" and "does not report the progress of the batch" in row.reason and "resume" in row.reason
    )
    assert time.monotonic() - started < 30
    desk.looks = 1
    again = Server()
    again.batches = desk
    with running(again):
        run_plan.change_settings(store, run_id, base_url=again.url)
        row, _ = run_control.resume_execution(store, run_id)
    assert (row.state, row.answered, set(desk.asked.values())) == ("done", 30, {1})


def test_an_endpoint_that_no_longer_tells_of_its_batch_ends_the_run_after_a_while(
    store: ProjectFile, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch_queue, "_MAX_EMPTY_POLLS", 4)
    monkeypatch.setattr(transport, "RECORD_S", 0.2)
    server, desk = desk_at(serve, looks=10**6)
    run_id, _ = run_plan.plan_run(store, spec(server, batch=True))
    stop_when_sent(store, run_id)
    looked = desk.looked.total()
    desk.silent_s = 30.0
    row, _ = run_control.resume_execution(store, run_id)
    assert row.state == "stopped" and "does not report the progress of the batch" in row.reason
    assert (desk.looked.total() - looked, desk.asked) == (4, {})
    desk.silent_s, desk.looks = 0.0, 1
    row, _ = run_control.resume_execution(store, run_id)
    assert (row.state, row.answered, set(desk.asked.values())) == ("done", 30, {1})


def test_an_endpoint_without_batches_is_told(store: ProjectFile, serve: Serve) -> None:
    server, _ = desk_at(serve, refusal=(404, b'{"error": {"message": "Not Found"}}'))
    row, _ = start_run(store, spec(server, batch=True))
    assert row.state == "stopped" and row.reason.startswith("This endpoint does not support batches")


def test_a_cap_sends_no_more_than_it_allows(store: ProjectFile, serve: Serve) -> None:
    server, desk = desk_at(serve)
    wanted = spec(server, batch=True, price=PRICE)
    row, _ = start_run(store, replace(wanted, cap=0.0002))
    assert row.state == "paused" and 0 < row.answered < 30 and row.cost <= 0.0002
    run_plan.change_settings(store, row.id, cap=1.0)
    row, _ = run_control.resume_execution(store, row.id)
    assert (row.state, row.answered, set(desk.asked.values())) == ("done", 30, {1})


@pytest.mark.slow
def test_batches_survive_kills_at_any_moment(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "p.annotator"
    build_project(path, 40)
    server = Server()
    server.batches = desk = BatchDesk(looks=4)
    with running(server):
        start = ["start", str(path), "--model", "m", "--base-url", server.url, "--samples", "3", "--batch"]
        seen = ("POST files", "POST batches", "GET batches", "GET files")
        for step in seen:
            with ForkedCommand("run", *start) as command:
                deadline = time.monotonic() + 120
                while step not in desk.lines and command.is_running and time.monotonic() < deadline:
                    time.sleep(0.001)
                command.kill()
            start = ["resume", str(path), "--json"]
        capsys.readouterr()
        code = main(["run", *start])
    said = capsys.readouterr().err
    assert code == 0 or "is done" in said or "no run to resume" in said, said
    opened = projects.open_project(path)
    [row] = run_list.list_runs(opened)
    opened.close()
    assert (row.state, row.answered, row.done) == ("done", 120, 120)
    assert set(desk.asked.values()) == {1} and len(desk.batches) == 1


@pytest.mark.slow
@pytest.mark.parametrize("items", [200, 1000])
def test_items_with_errors_score_as_by_single_requests(tmp_path: Path, items: int) -> None:
    path = tmp_path / "p.annotator"
    build_project(path, items)

    def bad(key: str, attempt: int) -> int:
        number = int(key[:8], 16) % 50
        return (400 if number == 0 else 500 if attempt == 1 else 0) if number < 3 else 0

    def line(row: Mapping[str, Any], attempt: int) -> tuple[int, Any]:
        status = bad(row["custom_id"], attempt)
        return (status, {"error": {"message": f"scripted {status}"}}) if status else answer_line(row, attempt)

    store = projects.open_project(path)
    with running(Server(lambda key, attempt: str(bad(key, attempt) or ""))) as single, running(Server()) as other:
        other.batches = BatchDesk(line=line)
        endpoint = Endpoint(base_url=single.url, name="test", concurrency=16)
        one, _ = start_run(store, replace(spec(single, 1), endpoint=endpoint))
        many, _ = start_run(
            store, replace(spec(other, 1, batch=True, again=True), endpoint=replace(endpoint, base_url=other.url))
        )
    assert (many.cached, many.state, one.state) == (0, "done", "done")
    assert many.failures and set(many.failures) == set(one.failures) == {"HTTP 400"}
    both = set(texts(store, one.id)) & set(texts(store, many.id))
    assert len(both) > 0.95 * items
    left, right = outcomes(store, one.id), outcomes(store, many.id)
    assert {key: left[key] for key in left if key in right} == {key: right[key] for key in right if key in left}
    store.close()
