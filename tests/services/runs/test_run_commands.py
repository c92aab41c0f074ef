"""The run commands through main(): what they answer, and what they refuse."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from annotator.base.errors import BadInputError
from annotator.services.results import responses
from annotator.services.runs import run_log, run_setups
from annotator.services.runs.run_log import preview_request
from annotator.store.file.project_file import ProjectFile
from tests.llm.batch_desk import BatchDesk
from tests.llm.server import Server, running, sequence
from tests.samples import load_samples
from tests.services.runs.conftest import build_project, spec, start_run

SAMPLES = load_samples(__file__)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    path = tmp_path / "p.annotator"
    build_project(path, 5)
    return path


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server(reply=lambda body, key: "answer" if key[0] < "c" else "nothing")
    with running(made):
        yield made


def last(out: str) -> Any:
    """The answer of a command that tells what happens as JSON lines: its last line."""
    return json.loads(out.splitlines()[-1])


def test_a_batch_is_started_and_forecast_at_its_price(command: Any, project: Path, server: Server) -> None:
    server.batches = BatchDesk()
    start = ("run", "start", project, "--base-url", server.url, "--model", "m", "--batch")
    _, err = command(*start, "--forecast", "--price-in", "1", "--price-out", "1")
    assert "24 h at most, in batches" in err and "in batches (0.5 times the price)" in err
    out, _ = command(*start, "--json")
    assert last(out)["runs"][0]["answered"] == 5 and server.counts.requests == 0


def test_the_whole_way(command: Any, project: Path, server: Server) -> None:
    start = ("run", "start", project, "--base-url", server.url, "--model", "m", "--samples", "4")
    out, err = command(*start, "--forecast", "--price-in", "1", "--price-out", "1", "--json")
    assert last(out)["forecasts"][0]["forecast"]["calls"] == 20 and "20 calls" in err and "USD" in err
    assert server.counts.requests == 0
    out, err = command(*start, "--model", "n", "--json")
    assert "20 calls" in err
    first, second = last(out)["runs"]
    assert (first["model"], second["model"], first["done"], second["state"]) == ("m", "n", 20, "done")
    listed = json.loads(command("run", "list", project, "--json")[0])["runs"]
    assert [row["id"] for row in listed] == [second["id"], first["id"]]
    shown = json.loads(command("run", "show", project, first["id"], "--json")[0])
    assert len(shown["items"]) == 5 and shown["settings"]["Form"] == "chat"
    assert "question 2" in command("run", "log", project, first["id"], "--subject", "q0002", "--sample", "3")[0]
    requests = json.loads(command("run", "log", project, first["id"], "--json")[0])["requests"]
    assert len(requests) == 20 and {row["sample"] for row in requests} == {0, 1, 2, 3}
    rows = command("run", "log", project, first["id"])[0].splitlines()[2:]
    assert {row.split()[1] for row in rows} == {"1", "2", "3", "4"}, "people count from 1"
    command("run", "log", project, first["id"], "--subject", "q0002", "--sample", "0", status=2)
    compared = json.loads(command("run", "compare", project, first["id"], second["id"], "--json")[0])["settings"]
    assert not any(row["differs"] for row in compared)
    command("criterion", "set", project, "--subject", "q0000", "--file", _criterion(project), "--anyway")
    report = json.loads(command("run", "rescore", project, first["id"], "--json")[0])
    assert report["responses"] == 20 and {row["after"] for row in report["differing"]} <= {0.0}
    out, _ = command("run", "rescore", project, first["id"], "--sets", "--json")
    sets = json.loads(out)["sets"]
    assert [item["source"] for item in sets] == ["release", "project"]
    command("run", "rescore", project, first["id"], "--use", sets[0]["id"])
    failed = json.loads(command("run", "label", project, first["id"], "--open", "--json")[0])["failed"]
    assert failed
    chosen = ("--response", failed[0]["response_id"], "--label", "Logic  error")
    out, _ = command("run", "label", project, first["id"], *chosen, "--json")
    assert json.loads(out)["counts"]["counts"] == [["logic error", 1]]
    command("undo", project)
    assert "none yet" in command("run", "label", project, first["id"])[0]


def _criterion(project: Path) -> Path:
    path = project.with_suffix(".yaml")
    path.write_text("grading:\n  keywords:\n    - content: no such words\n")
    return path


def test_what_happens_is_told_as_json_lines(command: Any, project: Path, server: Server) -> None:
    server.delay_s = 0.02
    server.faults = lambda key, attempt: "400" if int(key[:8], 16) % 5 == 0 else ""
    out, _ = command(
        "run", "start", project, "--base-url", server.url, "--model", "m", "--samples", "10", "--jobs", "2", "--json"
    )
    events = [json.loads(line) for line in out.splitlines()]
    assert [event["event"] for event in events[:2]] == ["forecast", "start"] and events[-1]["event"] == "end"
    assert {event["event"] for event in events[2:-1]} == {"progress"}
    [row] = events[-1]["runs"]
    assert events[1]["run"] == row["id"] and row["answered"] + row["failures"]["HTTP 400"] == 50
    low, high = events[0]["forecasts"][0]["forecast"]["seconds_range"]
    assert 0 < low < events[0]["forecasts"][0]["forecast"]["seconds"] < high
    shown, _ = command("run", "show", project, row["id"])
    assert "no answer" in shown and "HTTP 400: scripted 400" in shown
    found = json.loads(command("run", "log", project, row["id"], "--search", "SCRIPTED 400", "--json")[0])["requests"]
    assert len(found) == row["failures"]["HTTP 400"] and {item["outcome"] for item in found} == {"failed"}
    found = json.loads(command("run", "log", project, row["id"], "--search", "q0001 no%thing", "--json")[0])["requests"]
    assert found == []
    found = json.loads(command("run", "show", project, row["id"], "--json")[0])["failures"]
    assert (found[0]["kind"], found[0]["cause"]) == ("no answer", "HTTP 400")


def test_an_endpoint_is_tested_with_a_tiny_request(command: Any, project: Path, server: Server) -> None:
    server.models = [{"id": "other", "max_model_len": 4096}]
    out, _ = command("run", "test", project, "--base-url", server.url, "--model", "m")
    assert "served-m answered in" in out and "not among the 1 models" in out and "limit-requests 500" in out
    report = json.loads(command("run", "test", project, "--base-url", server.url, "--model", "m", "--json")[0])
    assert (report["listed"], report["outcome"], server.counts.requests) == (False, "answer", 0)
    server.probe_faults = lambda key, attempt: "401"
    _, err = command("run", "test", project, "--base-url", server.url, "--model", "m", status=4)
    assert "No key was sent" in err


def test_a_cap_ends_with_5_and_resume_goes_on(command: Any, project: Path, server: Server) -> None:
    out, err = command(
        "run", "start", project, "--base-url", server.url, "--model", "m", "--samples", "4", "--max-tokens", "10",
        "--price-in", "0", "--price-out", "100000", "--cap", "5", "--json", status=5,
    )  # fmt: skip
    [row] = last(out)["runs"]
    assert row["state"] == "paused" and row["cost"] <= 5 and "cap" in err
    out, _ = command("run", "resume", project, "--cap", "100", "--jobs", "2", "--json")
    assert last(out)["runs"][0]["state"] == "done"
    command("run", "resume", project, status=3)
    command("run", "retry", project, status=3)


def test_a_queue_and_a_sweep(command: Any, project: Path, server: Server) -> None:
    out, _ = command(
        "run", "start", project, "--base-url", server.url, "--model", "m", "--sweep", "temperature=0,0.5", "--sweep",
        "top_p=0.9", "--queue", "--json",
    )  # fmt: skip
    rows = last(out)["runs"]
    assert [row["state"] for row in rows] == ["planned"] * 3 and server.counts.requests == 0
    out, _ = command("run", "resume", project, "--queued", "--json")
    done = last(out)["runs"]
    assert [row["preset"] for row in done] == [row["preset"] for row in rows]
    assert {body.get("temperature") for body in server.counts.bodies} == {0, 0.5}
    command("run", "resume", project, "--queued", status=3)


def test_setups_are_kept_in_the_project(command: Any, project: Path, server: Server, tmp_path: Path) -> None:
    file = tmp_path / "e.json"
    file.write_text(json.dumps({"base_url": server.url, "concurrency": 2}))
    command("run", "setup", project, "endpoint", "local", "--set", file)
    file.write_text(json.dumps({"input": 2, "output": 4}))
    command("run", "setup", project, "price", "m*", "--set", file)
    protocol = json.loads(command("run", "presets", "--show", "plain")[0]) | {"ks": [1, 3], "name": "mine"}
    file.write_text(json.dumps(protocol))
    command("run", "setup", project, "protocol", "mine", "--set", file)
    assert "mine" in command("run", "presets", "--project", project)[0]
    out, _ = command("run", "start", project, "--endpoint", "local", "--model", "m1", "--preset", "mine", "--json")
    [row] = last(out)["runs"]
    assert (row["preset"], row["currency"], row["settings"]["protocol"]["ks"]) == ("mine", "USD", [1, 3])
    command("run", "setup", project, "endpoint", "local", "--remove")
    command("run", "start", project, "--endpoint", "local", "--model", "m1", status=3)
    history, _ = command("run", "setup", project, "endpoint", "local", "--history", "--json")
    assert len(json.loads(history)["setup"]) == 2


def test_an_endpoint_keeps_its_prices_and_what_was_cached_costs_less(
    command: Any, project: Path, server: Server, tmp_path: Path
) -> None:
    server.usage = {
        "prompt_tokens": 1000, "completion_tokens": 500, "total_tokens": 1500,
        "prompt_tokens_details": {"cached_tokens": 800}, "completion_tokens_details": {"reasoning_tokens": 300},
    }  # fmt: skip
    file = tmp_path / "e.json"
    own = [{"model": "m*", "input": 1000, "cached_input": 100, "output": 2000, "currency": "EUR"}]
    file.write_text(json.dumps({"base_url": server.url, "prices": own}))
    command("run", "setup", project, "endpoint", "near", "--set", file)
    file.write_text(json.dumps({"input": 7, "output": 7}))
    command("run", "setup", project, "price", "m1", "--set", file)
    out, _ = command("run", "start", project, "--endpoint", "near", "--model", "m1", "--json")
    [row] = last(out)["runs"]
    assert (row["currency"], round(row["cost"], 6)) == ("EUR", round(5 * (0.2 + 0.08 + 1.0), 6))
    out, _ = command("run", "show", project, row["id"])
    assert "1000 in, 100 in from its cache, 2000 out EUR" in out and "Cost: 6.4000 EUR" in out
    assert "5,000 prompt tokens (4,000 from the endpoint's cache), 2,500 answer tokens (1,500 of them reasoning)" in out
    # The same model elsewhere costs what the project's table says.
    out, _ = command("run", "start", project, "--base-url", server.url, "--model", "m1", "--again", "--json")
    assert last(out)["runs"][0]["currency"] == "USD"


def test_samples_made_elsewhere_are_imported_as_runs(command: Any, project: Path, tmp_path: Path) -> None:
    file = tmp_path / "s.jsonl"
    rows = [
        {"subject": f"q{n:04d}", "model": "else", "sample": s, "response": "answer"} for n in range(5) for s in (0, 1)
    ]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    [row] = last(command("run", "import", project, file, "--preset", "plain", "--samples", "2", "--json")[0])["runs"]
    assert (row["state"], row["done"], row["preset"], row["samples"]) == ("done", 10, "plain", 2)
    [row] = last(command("run", "start", project, "--replay", file, "--json")[0])["runs"]
    assert (row["preset"], row["done"]) == ("replay", 10)


@pytest.mark.parametrize(("arguments", "status"), SAMPLES["what_does_not_fit_changes_nothing"])
def test_what_does_not_fit_changes_nothing(command: Any, project: Path, arguments: list[str], status: int) -> None:
    given = [str(project) if item == "P" else item for item in arguments]
    command("run", *given, status=status)
    assert json.loads(command("run", "list", project, "--json")[0])["runs"] == []


def test_a_preset_endpoint_is_asked_by_its_name(command: Any, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "not-a-real-one")
    start = ("run", "start", project, "--endpoint", "anthropic", "--model", "m", "--forecast")
    _, err = command(*start, "--seed", "3", "--top-k", "40")
    assert "left out because the endpoint does not support it: seed, top_k" in err
    _, err = command(*start)
    assert "left out" not in err
    for asked, said in (
        (("--temperature", "1.5"), "lowers every temperature to 1"),
        (("--form", "completion"), "no plain completions"),
        (("--batch",), "does not support OpenAI's batches"),
    ):
        _, err = command(*start, *asked, status=3)
        assert said in err
    _, err = command(*start[:4], "nobody", *start[5:], status=3)
    assert "there are: anthropic, google, openai" in err


def test_a_project_may_have_its_own_endpoint_of_a_presets_name(command: Any, project: Path, server: Server) -> None:
    out, _ = command("run", "setup", project, "endpoint")
    assert [line.split()[:2] for line in out.splitlines()[-3:]] == [[n, "0"] for n in ("anthropic", "google", "openai")]
    file = project.with_name("e.json")
    file.write_text(json.dumps({"base_url": server.url, "preset": "google"}))
    out, _ = command("run", "setup", project, "endpoint", "google", "--set", file, "--json")
    kept = next(row for row in json.loads(out)["setup"] if row["name"] == "google")
    assert (kept["version"], kept["content"]["preset"]) == (1, "google")
    out, _ = command("run", "start", project, "--endpoint", "google", "--model", "m", "--seed", "3", "--json")
    assert last(out)["runs"][0]["answered"] == 5
    assert server.counts.bodies and not any("seed" in body for body in server.counts.bodies)


def test_a_model_that_is_refused_does_not_keep_the_others_waiting(command: Any, project: Path, server: Server) -> None:
    server.refuses = lambda body: body["model"] == "b"
    models = ("--model", "a", "--model", "b", "--model", "c")
    out, err = command("run", "start", project, "--base-url", server.url, *models, status=5)
    assert [line.split(",")[0] for line in out.splitlines()] == ["a: done", "b: stopped", "c: done"]
    assert "b: The endpoint at" in err and "refuses even a tiny request (HTTP 400" in err


def test_a_run_that_cannot_begin_does_not_keep_the_others_waiting(command: Any, project: Path, server: Server) -> None:
    start = ("run", "start", project, "--base-url", server.url, "--model")
    command(*start, "a", "--queue", "--executor", "dask://127.0.0.1:9")
    command(*start, "b", "--queue")
    out, err = command("run", "resume", project, "--queued", status=5)
    assert [line.split(",")[0] for line in out.splitlines()] == ["a: queued", "b: done"]
    assert "a: There is no Dask scheduler at 127.0.0.1:9" in err


def test_a_setting_that_an_endpoint_refuses_leaves_the_rest_of_a_sweep(
    command: Any, project: Path, server: Server
) -> None:
    server.refuses = lambda body: body.get("temperature") == 2
    start = ("run", "start", project, "--base-url", server.url, "--model", "m", "--sweep", "temperature=2,0.5")
    lines = command(*start, status=5)[0].splitlines()
    assert [line.rpartition(",")[0] for line in lines] == [
        "m, plain [temperature 2]: stopped", "m, plain [temperature 0.5]: done",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "options",
    [
        ("--temperature", "0.2"),
        ("--samples", "1"),
        ("--preset", "plain", "--sweep", "temperature=0,1"),
        ("--batch",),
        ("--again",),
        ("--cap", "1"),
        ("--stream",),
        ("--jobs", "2"),
    ],
    ids=lambda options: options[0],
)
def test_recorded_answers_refuse_what_would_change_nothing(
    command: Any, project: Path, tmp_path: Path, options: tuple[str, ...]
) -> None:
    file = tmp_path / "s.jsonl"
    file.write_text(json.dumps({"subject": "q0001", "model": "a", "response": "answer"}) + "\n")
    _, err = command("run", "start", project, "--replay", file, *options, status=2)
    assert options[-2 if len(options) > 2 else 0] in err
    assert json.loads(command("run", "list", project, "--json")[0])["runs"] == []


def test_recorded_answers_tell_the_start_of_each_run(command: Any, project: Path, tmp_path: Path) -> None:
    file = tmp_path / "s.jsonl"
    rows = [{"subject": "q0001", "model": model, "response": "answer"} for model in ("a", "b")]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    events = [json.loads(line) for line in command("run", "start", project, "--replay", file, "--json")[0].splitlines()]
    starts = [(event["run"], event["model"]) for event in events if event["event"] == "start"]
    assert starts == [(row["id"], row["model"]) for row in events[-1]["runs"]] and events[0]["event"] == "start"


def test_an_endpoint_that_does_not_answer_is_missing(command: Any, project: Path, server: Server) -> None:
    server.probe_faults = lambda key, attempt: "503"
    asked = ("run", "test", project, "--base-url", server.url, "--model", "m")
    assert "does not answer yet (HTTP 503" in command(*asked, status=4)[0]
    assert json.loads(command(*asked, "--json", status=4)[0])["seconds"] is None


Serve = Callable[[Server], Server]


def test_it_is_what_a_run_sends(store: ProjectFile, serve: Serve) -> None:
    server = serve(Server())
    row, _ = start_run(store, spec(server, 1))
    subject = responses.responses_of_run(store, responses.load_run_data(store, row.id), row.id)[0].subject_id
    sent = run_log.body_text(run_log.request_log(store, row.id, subject, 0).request)
    shown = preview_request(store, subject)
    assert shown.protocol_name == "plain" and not shown.problem
    assert shown.text.partition("[settings]")[0] == sent.partition("[settings]")[0] != ""


def test_the_projects_own_texts_are_in_it(store: ProjectFile) -> None:
    own = next(template for template in run_setups.list_templates(store) if template.name == "plain")
    changed = replace(own, version="2", system="Answer briefly.")
    run_setups.save_run_setup(store, "template", own.name, changed.as_json())
    text = preview_request(store, "q0000").text
    assert text.startswith("[system]\nAnswer briefly.\n\n[user]\nquestion 0")


def test_what_cannot_be_asked_says_why(store: ProjectFile) -> None:
    shown = preview_request(store, "q0000", "evocodebench-none-greedy")
    assert (shown.protocol_name, shown.text) == ("evocodebench-none-greedy", "") and "cannot be asked" in shown.problem
    assert preview_request(store, "q0000", "unheard-of").protocol_name == "plain"
    with pytest.raises(BadInputError):
        preview_request(store, "unheard-of")


@pytest.fixture
def two_items(tmp_path: Path) -> Path:
    path = tmp_path / "p.annotator"
    build_project(path, 2)
    return path


@pytest.fixture
def answering() -> Iterator[Server]:
    with running(Server(reply=lambda body, key: "answer")) as made:
        yield made


def start(command: Any, project: Path, server: Server, status: int = 0) -> tuple[dict[str, Any], str]:
    """Run one model on a project; return the run and what was written to stderr."""
    out, err = command("run", "start", project, "--base-url", server.url, "--model", "m", "--json", status=status)
    [row] = last(out)["runs"]
    return row, err


@pytest.mark.parametrize("word", ["error", "insufficient_system_resource"])
def test_an_answer_that_the_provider_broke_off_is_asked_for_again(
    command: Any, two_items: Path, answering: Server, word: str
) -> None:
    answering.faults = sequence(f"ended:{word}", f"ended:{word}")
    row, _ = start(command, two_items, answering)
    assert (row["outcomes"], row["failures"]) == ({"pass": 2}, {})
    requests = json.loads(command("run", "log", two_items, row["id"], "--json")[0])["requests"]
    assert [item["retries"] for item in requests] == [2, 2]


def test_an_answer_that_is_broken_off_every_time_is_no_answer_of_the_model(
    command: Any, two_items: Path, answering: Server
) -> None:
    answering.faults = lambda key, attempt: "ended:error"
    answering.probe_faults = lambda key, attempt: "ended:error"
    row, err = start(command, two_items, answering)
    assert (row["outcomes"], row["failures"]) == ({}, {"broken off by the provider": 2})
    assert "2 requests not answered: broken off by the provider" in err
    assert "finish reason error" in command("run", "show", two_items, row["id"])[0]


def test_reasoning_without_an_answer_is_told_with_the_result(command: Any, two_items: Path, answering: Server) -> None:
    message = {"content": "", "reasoning_content": "Let me see. It is an answer."}
    raw = json.dumps({"choices": [{"finish_reason": "stop", "message": message}]})
    answering.faults = sequence(f"raw:{raw}")
    row, err = start(command, two_items, answering)
    assert row["outcomes"] == {"empty": 2}
    assert "only reasoning" in command("run", "show", two_items, row["id"])[0]
    assert "2 answers contain only reasoning" in err
    listed = json.loads(command("results", two_items, "--run", row["id"], "--json")[0])["items"]
    assert "reasoning only" in command("results", "answer", two_items, listed[0]["response_id"])[0]


@pytest.mark.parametrize(
    ("row", "outcome"),
    [({}, "pass"), ({"finish_reason": None}, "pass"), ({"finish_reason": "error"}, "machinery"),
     ({"finish_reason": "end_turn"}, "pass")],
)  # fmt: skip
def test_recorded_answers_keep_what_is_known_of_their_end(
    command: Any, two_items: Path, tmp_path: Path, row: dict[str, Any], outcome: str
) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text(json.dumps({"subject": "q0000", "model": "m", "response": "answer", **row}) + "\n")
    out, err = command("run", "start", two_items, "--replay", file, "--json")
    [run] = last(out)["runs"]
    assert run["outcomes"] == {outcome: 1}
    shown = json.loads(command("run", "show", two_items, run["id"], "--json")[0])
    is_unknown = row.get("finish_reason") is None
    assert ("unknown for 1 answer" in shown["settings"].get("Finish reasons", "")) is is_unknown
    assert ("finish reasons unknown for 1 answer" in err) is is_unknown
    assert ("retry" in err) is False


def test_answers_of_the_harness_have_no_known_end(command: Any, two_items: Path, tmp_path: Path) -> None:
    file = tmp_path / "samples_task.jsonl"
    file.write_text(json.dumps({"doc_id": 0, "doc": {"task_id": "q0001"}, "resps": [["answer"]]}) + "\n")
    out, err = command("run", "import", two_items, file, "--model", "m", "--json")
    [run] = last(out)["runs"]
    assert run["outcomes"] == {"pass": 1} and "finish reasons unknown for 1 answer" in err
