"""Runs against an endpoint: everything on disk, nothing paid twice, every end can be gone on from."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from annotator.base.errors import BadInputError, MissingEnvironmentError
from annotator.jobs.progress import Progress
from annotator.llm.prices import Price
from annotator.llm.requests import Endpoint
from annotator.llm.templates import Template
from annotator.services.results import named_tables, responses, result_tables, score_data
from annotator.services.runs import execution, rescoring, run_control, run_list, run_log, run_plan, run_setups
from annotator.services.runs.execution import RunLive
from annotator.services.runs.run_plan import RunSpec
from annotator.store.file.project_file import ProjectFile
from tests.llm.server import Server, in_turn, sequence
from tests.services.runs.conftest import build_project, outcomes, sampled, spec, start_run
from tests.template_projects import project_of_rows

Serve = Callable[[Server], Server]


def test_a_run_is_asked_scored_and_kept_whole(store: ProjectFile, serve: Serve) -> None:
    server = serve(Server())
    seen: list[RunLive] = []
    row, changes = start_run(store, spec(server, price=Price(model="m", input=1.0, output=2.0)), watch=seen.append)
    assert (row.state, row.reason, row.answered, row.done, row.expected) == ("done", "", 30, 30, 30)
    assert row.outcomes == {"pass": 30}
    assert (row.prompt_tokens, row.completion_tokens) == (360, 150)
    assert row.cost == pytest.approx((360 * 1.0 + 150 * 2.0) / 1e6)
    assert changes.nouns == {"run", "response", "score"}
    assert (seen[-1].answered, seen[-1].scored, seen[-1].total) == (30, 30, 30)
    log = run_log.request_log(
        store,
        row.id,
        responses.responses_of_run(store, responses.load_run_data(store, row.id), row.id)[0].subject_id,
        1,
    )
    sent = next(body for body in server.counts.bodies if body == log.request)
    assert sent["messages"] and sent["temperature"] == 0.2 and sent["max_tokens"] == 50
    facts = dict(log.facts)
    assert facts["Served by"] == "served-m" and "completion_tokens 5" in facts["Usage"] and facts["Score"] == "1.0"
    assert run_log.body_text(log.request).startswith("[user]\nquestion 0")


def test_the_same_request_is_never_paid_twice_unless_asked(store: ProjectFile, serve: Serve) -> None:
    server = serve(Server())
    start_run(store, spec(server, price=Price(model="m", input=1.0, output=2.0)))
    again = run_plan.forecast_run(store, spec(server))
    assert (again.known, again.forecast.calls) == (30, 0)
    more = run_plan.forecast_run(store, spec(server, samples=5))
    assert (more.known, more.forecast.calls) == (30, 20)
    assert more.forecast.basis == "30 earlier answers" and more.forecast.completion_tokens == 20 * 5
    row, _ = start_run(store, spec(server, price=Price(model="m", input=1.0, output=2.0)))
    assert (row.answered, row.cached, row.cost, server.counts.requests) == (30, 30, 0.0, 30)
    row, _ = start_run(store, spec(server, again=True))
    assert (row.cached, server.counts.requests) == (0, 60)


def test_a_forecast_learns_from_earlier_runs_of_other_models(store: ProjectFile, serve: Serve) -> None:
    wanted = spec(serve(Server()), samples=1, price=Price(model="*", input=1.0, output=2.0))
    before = run_plan.forecast_run(store, wanted).forecast
    assert before.basis == "typical answer lengths" and before.completion_tokens > 10 * 5
    start_run(store, wanted)
    # A run that waits has no answers to learn from.
    run_plan.plan_run(store, replace(wanted, model="queued"))
    after = run_plan.forecast_run(store, replace(wanted, model="new")).forecast
    assert (after.calls, after.completion_tokens, after.basis) == (10, 10 * 5, "10 answers of other models")
    assert before.cost is not None and after.cost is not None and after.cost < before.cost
    start_run(store, replace(wanted, model="new"))
    again = run_plan.forecast_run(store, replace(wanted, model="new", again=True)).forecast
    assert again.basis == "10 earlier answers" and again.seconds_range[0] < again.seconds < again.seconds_range[1]


def test_items_with_the_same_prompt_share_an_answer(tmp_path: Path, serve: Serve) -> None:
    rows = [
        {"id": name, "title": name, "prompt": "the same", "criterion": "grading:\n  keywords: [answer]\n"}
        for name in ("a", "b")
    ]
    with_two = project_of_rows(tmp_path / "two.annotator", rows, release="0.1")
    server = serve(Server(delay_s=0.05))
    row, _ = start_run(with_two, spec(server, 1))
    assert (row.answered, row.cached, server.counts.requests) == (2, 1, 1)
    with_two.close()


def test_failures_are_grouped_and_retried_alone(store: ProjectFile, serve: Serve) -> None:
    def faults(key: str, attempt: int) -> str:
        return "400" if broken and int(key[:8], 16) % 5 == 0 else ""

    broken = False
    server = serve(Server(faults))
    # A time-out of one second with one attempt would be slow here, so failures come from answers that break off.
    server.faults = lambda key, attempt: "unfinished" if broken and int(key[:2], 16) % 5 == 0 else ""
    broken = True
    quick = replace(spec(server), endpoint=Endpoint(base_url=server.url, name="test", concurrency=2))
    from annotator.llm.client import RetryPolicy

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("annotator.llm.client.RetryPolicy", lambda: RetryPolicy(attempts=2, first_s=0.01))
        row, _ = start_run(store, quick)
        lost = sum(row.failures.values())
        assert row.state == "done" and 0 < lost < 30 and set(row.failures) == {"broken stream"}
        assert "not answered: broken stream" in row.reason and "Retry to complete them" in row.reason
        listed = run_log.list_requests(store, row.id, outcome="failed")
        assert len(listed) == lost and listed[0].cause == "broken stream"
        log = run_log.request_log(store, row.id, listed[0].subject_id, listed[0].sample)
        assert "broke off" in log.problem
        before = server.counts.requests
        broken = False
        row, _ = run_control.retry_failures(store, row.id)
    assert (row.answered, row.failures, row.reason) == (30, {}, "")
    assert server.counts.requests == before + lost
    with pytest.raises(BadInputError, match="nothing to retry"):
        run_control.retry_failures(store, row.id)
    with pytest.raises(BadInputError, match="done"):
        run_control.resume_execution(store, row.id)


def test_a_refusing_endpoint_stops_the_run_with_a_sentence(store: ProjectFile, serve: Serve) -> None:
    server = serve(Server(sequence(*["401"] * 50)))
    row, _ = start_run(store, spec(server))
    assert row.state == "stopped" and "No key was sent" in row.reason
    server.faults = lambda key, attempt: ""
    row, _ = run_control.resume_execution(store, row.id)
    assert (row.state, row.answered) == ("done", 30)


def test_the_cap_pauses_and_a_higher_one_goes_on(store: ProjectFile, serve: Serve) -> None:
    server = serve(Server())
    price = Price(model="m", input=0.0, output=1e6 / 50)
    with pytest.raises(BadInputError, match="no price"):
        start_run(store, spec(server, cap=1.0))
    assert run_list.list_runs(store) == ()
    # An answer costs at most 1 (50 tokens) and really 0.1.
    row, _ = start_run(store, spec(server, price=price, cap=1.5))
    assert row.state == "paused" and "cap" in row.reason and row.cost <= 1.5
    asked = server.counts.requests
    assert row.answered == asked < 30
    run_plan.change_settings(store, row.id, cap=10.0)
    row, _ = run_control.resume_execution(store, row.id)
    assert (row.state, row.answered, server.counts.requests) == ("done", 30, 30)
    assert row.cost == pytest.approx(3.0)


def test_stopping_keeps_what_was_answered(store: ProjectFile, serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    # What is on the wire comes in time, however slow the machine is.
    monkeypatch.setattr(execution, "GRACE_S", 60.0)
    server = serve(Server(delay_s=0.02))
    work = Progress()

    def watch(live: RunLive) -> None:
        if live.answered >= 10:
            work.cancel()

    row, _ = start_run(store, spec(server, samples=20), work, watch)
    assert row.state == "stopped" and 10 <= row.answered < 200
    assert row.answered == server.counts.requests == sum(server.counts.answered.values())
    row, _ = run_control.resume_execution(store, row.id)
    assert (row.state, row.answered, row.done, server.counts.requests) == ("done", 200, 200, 200)


def test_an_endpoint_may_move_and_a_queue_waits(store: ProjectFile, serve: Serve) -> None:
    first, second = serve(Server()), serve(Server())
    wanted = replace(spec(first), endpoint=Endpoint(base_url=first.url, concurrency=4))
    run_id, _ = run_plan.plan_run(store, wanted)
    other, _ = run_plan.plan_run(store, replace(wanted, model="n"))
    assert [row.id for row in run_list.list_queued_runs(store)] == [run_id, other]
    run_plan.change_settings(store, run_id, base_url=second.url, concurrency=2)
    run_control.stop_run(store, other)
    assert [row.id for row in run_list.list_queued_runs(store)] == [run_id]
    row, _ = run_control.resume_execution(store, run_id)
    assert (row.answered, first.counts.requests, second.counts.requests) == (30, 0, 30)
    # The address it was planned with stands for it in the cache.
    again = run_plan.forecast_run(store, wanted)
    assert again.known == 30
    compared = {name: (texts, differs) for name, texts, differs in run_log.compare_settings(store, [run_id, other])}
    assert compared["Endpoint"][1] and not compared["Protocol"][1]


def test_a_run_under_way_elsewhere_is_left_alone(store: ProjectFile, serve: Serve) -> None:
    from annotator.store.runs import run_data
    from annotator.store.runs.run_data import owner_here

    run_id, _ = run_plan.plan_run(store, spec(serve(Server())))
    with store.write() as db:
        run_data.claim_run(db, run_id, owner_here())
    assert run_list.find_run(store, run_id).live
    for act in (
        run_control.resume_execution,
        run_control.retry_failures,
        rescoring.rescore_responses,
        run_control.stop_run,
    ):
        with pytest.raises(BadInputError, match="running"):
            act(store, run_id)  # type: ignore[operator]
    with store.write() as db:
        run_data.claim_run(db, run_id, owner_here().rpartition(":")[0] + ":4194304")
    assert not run_list.find_run(store, run_id).live
    assert run_control.resume_execution(store, run_id)[0].state == "done"


@pytest.mark.parametrize("fault", ["reset", "malformed", "503", "429:0", "html"])
def test_faults_cost_a_retry(store: ProjectFile, serve: Serve, fault: str) -> None:
    server = serve(Server(in_turn([fault], 5)))
    row, _ = start_run(store, spec(server, samples=1))
    assert (row.state, row.answered, row.failures) == ("done", 10, {})
    assert all(count == 1 for count in server.counts.answered.values())


def test_a_key_that_is_missing_keeps_the_run_from_being_made(
    store: ProjectFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("annotator.services.runs.run_plan.find_key", lambda name: None)
    endpoint = Endpoint(base_url="http://localhost:1/v1", key_name="NO_SUCH_KEY")
    with pytest.raises(MissingEnvironmentError, match="NO_SUCH_KEY"):
        run_plan.plan_run(store, run_plan.RunSpec(model="m", protocol=sampled(1), endpoint=endpoint))
    assert run_list.list_runs(store) == ()


def test_scoring_again_keeps_both_scores(store: ProjectFile, serve: Serve) -> None:
    from annotator.services.criterion import revisions

    server = serve(Server(reply=lambda body, key: "answer one" if key[0] < "8" else "answer two"))
    row, _ = start_run(store, spec(server))
    subject = responses.responses_of_run(store, responses.load_run_data(store, row.id), row.id)[0].key
    revisions.save_criterion(store, subject, "grading:\n  keywords:\n    - content: two\n")
    asked = server.counts.requests
    report, _ = rescoring.rescore_responses(store, row.id)
    assert server.counts.requests == asked
    assert (report.responses, report.before) == (30, 1.0)
    [changed_item] = {change.subject_id for change in report.differing}
    assert (
        changed_item == responses.responses_of_run(store, responses.load_run_data(store, row.id), row.id)[0].subject_id
    )
    assert report.flips == len(report.differing) > 0 and report.after is not None and report.after < 1.0
    assert outcomes(store, row.id)[subject, report.differing[0].sample] == "fail"
    released, project = rescoring.list_score_sets(store, row.id)
    assert (released.source, released.current, project.source, project.current) == ("release", False, "project", True)
    assert released.score == 1.0 and project.score == pytest.approx(report.after)
    note = f"Scored again with other criteria than this release's: {row.model}."
    assert note in named_tables.make_table(store, score_data.load_results(store), "leaderboard").notes
    rescoring.use_score_set(store, row.id, released.id)
    assert note not in named_tables.make_table(store, score_data.load_results(store), "leaderboard").notes
    assert set(outcomes(store, row.id).values()) == {"pass"}
    # Nothing is run again for scores that are there already.
    again, _ = rescoring.rescore_responses(store, row.id)
    assert again.executed == 0 and again.set_id == project.id
    with pytest.raises(BadInputError, match="criteria of project"):
        rescoring.rescore_responses(store, row.id, "nonsense")


def test_identical_answers_are_executed_once_and_each_counts(store: ProjectFile, serve: Serve) -> None:
    from annotator.evaluation.answer_scoring import ItemScorer

    calls = []
    original = ItemScorer.__call__

    def counted(self: ItemScorer, job: object) -> object:
        calls.append(job)
        return original(self, job)  # type: ignore[arg-type]

    server = serve(Server(reply=lambda body, key: "the same answer"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ItemScorer, "__call__", counted)
        start_run(store, spec(server, samples=4))
        assert len(calls) == 10
        # Another model says the same: nothing is run.
        row, _ = start_run(store, spec(server, samples=4, model="n"))
    assert len(calls) == 10 and row.outcomes == {"pass": 40}


def test_a_broken_criterion_is_machinery_and_says_so(tmp_path: Path, serve: Serve) -> None:
    from annotator.services.project import projects

    path = tmp_path / "broken.annotator"
    build_project(
        path,
        2,
        criterion="grading:\n  unit_test:\n    tests:\n      - {content: 'assert f() == 1'}\n    lang: python\n",
    )
    opened = projects.open_project(path)
    with pytest.MonkeyPatch.context() as patch:

        def nothing(**_: object) -> None:
            raise MissingEnvironmentError("There is no sandbox here.")

        patch.setattr("annotator.services.program.sandbox.open_place", nothing)
        server = serve(Server(reply=lambda body, key: "```python\ndef f():\n    return 1\n```"))
        row, _ = start_run(opened, spec(server, samples=1))
    assert row.outcomes == {"machinery": 2} and "2 answers not scored" in row.reason
    board = result_tables.load_leaderboard(opened)
    assert board.rows[0].score is None and board.rows[0].machinery == 2
    opened.close()


def test_project_templates_and_protocols_are_versioned(store: ProjectFile, serve: Serve) -> None:
    server = serve(Server())
    run_setups.save_run_setup(store, "template", "plain", {"user": "Please: {{prompt}}"})
    run_setups.save_run_setup(store, "template", "plain", {"user": "Kindly: {{prompt}}"})
    protocol = run_setups.protocol_named(store, "plain")
    assert [template.version for template in protocol.templates] == ["3"]
    row, _ = start_run(store, replace(spec(server), protocol=protocol))
    assert server.counts.bodies[0]["messages"][0]["content"].startswith("Kindly: question")
    assert ("Template plain", "edited, version 3") in run_log.describe_settings(store, row.id)
    run_setups.remove_setup(store, "template", "plain")
    assert run_setups.protocol_named(store, "plain").templates == ()
    assert [item.version for item in run_setups.setup_history(store, "template", "plain")] == [4, 3, 2]
    from annotator.services.project import undo

    undo.undo_last_act(store)
    assert run_setups.protocol_named(store, "plain").templates[0].version == "3"
    run_setups.save_run_setup(store, "protocol", "mine", sampled(7).as_json())
    assert run_setups.protocol_named(store, "mine").samples == 7
    run_setups.save_run_setup(store, "endpoint", "local", {"base_url": server.url})
    assert run_setups.endpoint_named(store, "local").name == "local"
    run_setups.save_run_setup(store, "price", "m*", {"input": 1, "output": 2})
    found = run_setups.price_of(store, "m-large")
    assert found is not None and found.output == 2.0


def test_a_list_price_is_there_until_the_project_has_its_own(store: ProjectFile) -> None:
    listed = run_setups.price_of(store, "gpt-4o-mini-2024-07-18")
    assert listed is not None and (listed.input, listed.output, listed.as_of) == (0.15, 0.6, "2026-11")
    assert run_setups.price_of(store, "my-own-model") is None
    endpoint = Endpoint(base_url="http://localhost:1/v1")
    found = run_plan.forecast_run(
        store, RunSpec(model="gpt-4o-mini", protocol=sampled(3), endpoint=endpoint, price=listed)
    )
    assert found.forecast.cost is not None and found.forecast.cost > 0 and found.forecast.priced == "2026-11"
    # The project's own table comes first, also where its pattern is the shorter one.
    run_setups.save_run_setup(store, "price", "gpt*", {"input": 9, "output": 9})
    own = run_setups.price_of(store, "gpt-4o-mini")
    assert own is not None and own.input == 9.0
    names = [price.model for price in run_setups.list_prices().prices]
    assert len(names) == len(set(names)) > 20


@pytest.mark.parametrize(
    ("kind", "name", "content", "words"),
    [
        ("endpoint", "x", {"base_url": "http://h/v1", "key_name": "sk-abcdefghijklmnopqrst"}, "key"),
        ("endpoint", "x", {}, "base_url"),
        ("endpoint", "x", {"base_url": 3}, "base_url"),
        ("endpoint", "x", {"base_url": "http://h/v1", "colour": "red"}, "colour"),
        ("price", "x", {"input": -1, "output": 1}, "input"),
        ("price", "x", {"input": 1}, "output"),
        ("template", "nonsense", {"user": "{{prompt}}"}, "nonsense"),
        ("template", "plain", {"user": "{{prompt}} {{nothing}}"}, "nothing"),
        ("template", "plain", {}, "user"),
        ("protocol", "x", {"title": "T", "passes": []}, "pass"),
        ("protocol", "x", {"title": "T", "passes": [{"decoding": {"temperature": "hot"}}]}, "temperature"),
        ("nonsense", "x", {}, "kind"),
        ("price", " ", {"input": 1, "output": 1}, "name"),
    ],
)
def test_setups_that_do_not_fit_are_refused(
    store: ProjectFile, kind: str, name: str, content: dict[str, object], words: str
) -> None:
    with pytest.raises(BadInputError, match=words):
        run_setups.save_run_setup(store, kind, name, content)
    for known in run_setups.KINDS:
        assert run_setups.list_own_setups(store, known) == ()


def test_samples_made_elsewhere_become_a_run_that_goes_on_after_a_stop(store: ProjectFile, tmp_path: Path) -> None:
    file = tmp_path / "made.jsonl"
    rows = [
        {"subject": f"q{number:04d}", "model": "other", "sample": sample, "response": "answer"}
        for number in range(10)
        for sample in range(4)
    ]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    work = Progress()
    work.cancel()
    (row,), _ = run_control.start_replay(store, None, file, progress=work)
    assert row.state == "stopped" and row.answered < 40
    with pytest.raises(BadInputError, match=r"made\.jsonl again"):
        run_control.resume_execution(store, row.id)
    wrong = tmp_path / "wrong.jsonl"
    wrong.write_text(json.dumps(rows[0]) + "\n")
    with pytest.raises(BadInputError, match="not the file"):
        run_control.resume_execution(store, row.id, recorded=wrong)
    row, _ = run_control.resume_execution(store, row.id, recorded=file)
    assert (row.state, row.answered, row.done) == ("done", 40, 40)
    (known,), _ = run_control.start_replay(store, None, file, run_control.ReplayOptions(protocol=sampled(2)))
    assert (known.samples, known.answered, known.expected) == (2, 20, 20)
    assert ("Recorded in", "made.jsonl") in run_log.describe_settings(store, known.id)


def _recorded(path: Path, *rows: dict[str, object]) -> Path:
    path.write_text("".join(json.dumps({"model": "other", "response": "answer", **row}) + "\n" for row in rows))
    return path


def test_recorded_answers_to_another_prompt_are_left_out_and_told(store: ProjectFile, tmp_path: Path) -> None:
    file = _recorded(
        tmp_path / "made.jsonl",
        {"subject": "q0000", "prompt": "Answer this:\n question 0 "},
        {"subject": "q0001", "messages": [{"role": "user", "content": "question 1"}]},
        {"subject": "q0002", "prompt": "what was asked before it was mended"},
        {"subject": "q0003"},
    )
    (row,), _ = run_control.start_replay(store, None, file)
    assert (row.state, row.done) == ("done", 3)
    assert "1 responses are for a different prompt" in row.reason
    told = "the same as in this run; not stated for 1 answers; 1 answers to other prompts left out"
    assert ("Recorded prompts", told) in run_log.describe_settings(store, row.id)
    before = len(run_list.list_runs(store))
    file = _recorded(tmp_path / "old.jsonl", {"subject": "q0002", "prompt": "what was asked before"})
    with pytest.raises(BadInputError, match="answer other prompts"):
        run_control.start_replay(store, None, file)
    assert len(run_list.list_runs(store)) == before


def test_recorded_answers_belong_to_what_their_protocol_asks(store: ProjectFile, tmp_path: Path) -> None:
    """The context settings of a protocol ask differently: answers to one are not counted for another."""
    templates = [
        Template(name="plain", version="2", user=f"{words} {{{{prompt}}}}") for words in ("Briefly:", "At length:")
    ]
    brief, long = (replace(sampled(1), name=item.user[:5], templates=(item,)) for item in templates)
    rows = [{"subject": f"q{n:04d}", "prompt": f"Briefly: question {n}"} for n in range(10)]
    file = _recorded(tmp_path / "made.jsonl", *rows)
    (row,), _ = run_control.start_replay(store, None, file, run_control.ReplayOptions(protocol=brief))
    assert (row.done, row.reason) == (10, "")
    with pytest.raises(BadInputError, match="answer other prompts"):
        run_control.start_replay(store, None, file, run_control.ReplayOptions(protocol=long))


def test_a_model_is_named_by_the_file_or_by_a_person(store: ProjectFile, tmp_path: Path) -> None:
    file = tmp_path / "best-model-ever.jsonl"
    file.write_text(json.dumps({"subject": "q0000", "response": "answer"}) + "\n")
    with pytest.raises(BadInputError, match="does not say which model"):
        run_control.start_replay(store, None, file)
    (row,), _ = run_control.start_replay(store, None, file, run_control.ReplayOptions(name="small"))
    assert (row.model, row.done) == ("small", 1)


def test_counts_of_a_run_that_rests_are_kept_until_something_changes(store: ProjectFile, serve: Serve) -> None:
    server = serve(Server(lambda key, attempt: "403" if server.counts.requests > 7 else ""))
    row, _ = start_run(store, spec(server))

    def kept() -> bool:
        with store.reader() as connection:
            return connection.execute("SELECT count(*) FROM run_counts").fetchone()[0] == 1

    listed = run_list.list_runs(store)
    assert kept() and run_list.list_runs(store) == listed
    # Once kept, they are what the list says.
    with store.write() as db:
        db.connection().exec_driver_sql("UPDATE run_counts SET content = json_set(content, '$.answered', 99)")
    assert run_list.find_run(store, row.id).answered == 99
    server.faults = lambda key, attempt: ""
    ended, _ = run_control.resume_execution(store, row.id)
    assert (ended.answered, ended.done) == (30, 30)
    assert run_list.find_run(store, row.id).answered == 30


def test_without_a_score_set_the_newest_score_counts_once(store: ProjectFile, serve: Serve) -> None:
    row, _ = start_run(store, spec(serve(Server()), samples=1))
    with store.write() as db:
        execute = db.connection().exec_driver_sql
        execute("UPDATE run SET score_set_id = NULL")
        # Two more scores of every response, of one moment: one of them counts.
        for name in ("x", "y"):
            execute("INSERT INTO score SELECT response_id, ?, points, total, 0.25, 'partial', detail, '9999' "
                    "FROM score WHERE criterion_hash NOT IN ('x', 'y')", (name,))  # fmt: skip
    assert run_list.find_run(store, row.id).outcomes == {"partial": 10}
    found = responses.responses_of_run(store, responses.load_run_data(store, row.id), row.id)
    assert [(item.outcome, item.score) for item in found] == [("partial", 0.25)] * 10
