"""The key is sent, and is nowhere else; what is known of the addresses of Anthropic and Google."""

from __future__ import annotations

import copy
import gc
import json
import logging
import traceback
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from annotator.base.errors import BadInputError, MissingEnvironmentError
from annotator.base.logs import LOGGER, set_up_logging
from annotator.llm.client import Client, RetryPolicy
from annotator.llm.endpoint_errors import AttemptFailedError, EndpointStopError, RequestFailedError, StatusError
from annotator.llm.probe import plain_question, probe_endpoint
from annotator.llm.requests import ENDPOINT_PRESETS, ChatMessage, Decoding, Endpoint, Request
from tests.llm.conftest import QUICK, question
from tests.llm.server import Server, running, sequence

# One of no known shape: what removes keys by their shape must not be what this rests on.
KEY = "Zq7walrus.opaque+51/credential"
NAME = "SOME_ENDPOINT_KEY"


def parts_of(error: BaseException | None) -> str:
    """Everything an error shows, its causes' attributes too."""
    seen, texts = set(), []
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        texts += [str(error), repr(error), repr(error.args), repr(vars(error)), *traceback.format_exception(error)]
        error = error.__cause__ or error.__context__
    return "\n".join(texts)


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("fault", ["", "401", "400", "503", "reset", "html", "malformed", "stall", f"raw:{KEY}"])
def test_logs_reprs_and_errors(
    fault: str, stream: bool, tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(NAME, KEY)
    caplog.set_level(logging.DEBUG)
    path = set_up_logging(tmp_path, logging.DEBUG)
    server = Server(lambda key, attempt: fault)
    # An endpoint may say the key back to us.
    server.status_body = {"error": {"message": f"bad key {KEY} given", "code": None}}
    shown = []
    with running(server):
        endpoint = Endpoint(base_url=server.url, key_name=NAME, stream=stream, read_s=0.2)
        with Client(endpoint, policy=RetryPolicy(attempts=2, first_s=0.01)) as client:
            shown += [repr(client), str(client), repr(client.limiter), repr(endpoint)]
            try:
                answer = client.ask(question())
                shown += [repr(answer), json.dumps(asdict(answer))]
            except (EndpointStopError, RequestFailedError) as error:
                logging.getLogger(LOGGER).exception("asking failed")
                shown.append(parts_of(error))
                assert error.__cause__ is None and error.__context__ is None
    assert server.counts.headers[0]["authorization"] == f"Bearer {KEY}"
    logged = "\n".join([caplog.text, *(str(record.__dict__) for record in caplog.records)])
    assert path is not None
    for text in (*shown, logged, path.read_text(encoding="utf-8"), json.dumps(server.counts.bodies)):
        assert KEY not in text
    for handler in list(logging.getLogger(LOGGER).handlers):
        if getattr(handler, "baseFilename", "") == str(path):
            logging.getLogger(LOGGER).removeHandler(handler)
            handler.close()


def test_the_key_is_in_no_frozen_record(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(NAME, KEY)
    with running(Server()) as server, Client(Endpoint(base_url=server.url, key_name=NAME), policy=QUICK) as client:
        answer = client.ask(question())
        for record in (client.endpoint, answer, question()):
            assert KEY not in repr(copy.deepcopy(record))
    gc.collect()


def test_without_a_name_no_key_of_the_environment_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
        monkeypatch.setenv(name, KEY)
    with running(Server()) as server, Client(Endpoint(base_url=server.url), policy=QUICK) as client:
        client.ask(question())
    assert KEY not in json.dumps(server.counts.headers)


def test_a_key_that_is_named_must_be_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(NAME, raising=False)
    with pytest.raises(MissingEnvironmentError, match=NAME):
        Client(Endpoint(base_url="http://localhost:1/v1", key_name=NAME), find=lambda name: None)


def test_a_key_from_the_keyring_is_sent() -> None:
    server = Server(sequence("401"))
    with (
        running(server),
        Client(Endpoint(base_url=server.url, key_name=NAME), policy=QUICK, find=lambda name: f"{KEY}\n") as client,
        pytest.raises(EndpointStopError, match=f"stored under {NAME}"),
    ):
        client.ask(question())
    assert server.counts.headers[0]["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize(
    "fields",
    [
        {"base_url": "http://user:secret@host/v1"},
        {"base_url": "https://host/v1?api_key=abcdefghij"},
        {"base_url": "http://localhost/v1", "key_name": "sk-abcdefghijklmnopqrstuv"},
        {"base_url": "http://localhost/v1", "key_name": "two words"},
        {"base_url": "ftp://host/v1"},
        {"base_url": "localhost:8000"},
        {"base_url": "http://"},
        {"base_url": "http://host:99999/v1"},
        {"base_url": ""},
        {"base_url": "http://localhost/v1", "concurrency": 0},
        {"base_url": "http://localhost/v1", "read_s": 0},
        {"base_url": "http://localhost/v1", "token_field": "tokens"},
    ],
)
def test_endpoints_that_cannot_work_or_hold_a_secret_are_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(BadInputError) as caught:
        Endpoint(**fields)
    for secret in ("secret@", "abcdefghij"):
        assert secret not in caught.value.message


# What is known of Anthropic's and Google's addresses, against answers of the shapes that their pages describe.
Make = Callable[..., Client]
EVERYTHING = Decoding(
    temperature=0.8, top_p=0.9, top_k=40, max_tokens=512, stop=("\n\n", "END"), seed=7, frequency_penalty=0.5,
    presence_penalty=0.5, extra={"logprobs": True, "response_format": {"type": "text"}},
)  # fmt: skip


def google_error(code: int, status: str, message: str, **detail: Any) -> list[dict[str, Any]]:
    """An error of Google's address: a list of one."""
    return [{"error": {"code": code, "message": message, "status": status, "details": [detail] if detail else []}}]


def sent(preset: str, decoding: Decoding = EVERYTHING) -> dict[str, Any]:
    found = next(one for one in ENDPOINT_PRESETS if one.name == preset)
    asked = Request(
        endpoint="e", model="m", messages=(ChatMessage("system", "s"), ChatMessage("user", "u")), decoding=decoding
    )
    body = Endpoint(**found.as_json()).body_of(asked)
    assert body.pop("messages") == [{"role": "system", "content": "s"}, {"role": "user", "content": "u"}]
    assert body.pop("model") == "m"
    return body


def test_what_a_service_does_not_take_is_left_out_of_what_is_sent() -> None:
    shared = {"temperature": 0.8, "top_p": 0.9}
    assert sent("anthropic") == {**shared, "max_tokens": 512, "stop": ["END"]}
    known = {"max_tokens": 512, "stop": ["\n\n", "END"], "response_format": {"type": "text"}}
    assert sent("google") == {**shared, **known}
    everything = EVERYTHING.body(0, "max_completion_tokens")
    assert sent("openai") == {name: value for name, value in everything.items() if name != "top_k"}
    assert "stop" not in sent("anthropic", Decoding(stop=("\n",))), "an empty list is no list of stops"


def test_a_plain_completion_has_the_older_token_field() -> None:
    asked = Request(endpoint="e", model="m", form="completion", prompt="p", decoding=Decoding(max_tokens=5))
    openai = next(one for one in ENDPOINT_PRESETS if one.name == "openai")
    assert Endpoint(**openai.as_json()).body_of(asked) == {"model": "m", "prompt": "p", "max_tokens": 5}


@pytest.mark.parametrize("preset", ENDPOINT_PRESETS, ids=lambda preset: preset.name)
def test_the_address_alone_tells_which_service_it_is(preset: Any) -> None:
    assert Endpoint(base_url=preset.base_url + "/").service is preset
    assert Endpoint(base_url="http://127.0.0.1:1/v1", preset=preset.name).service is preset
    assert Endpoint(base_url="http://127.0.0.1:1/v1").service is None
    with pytest.raises(BadInputError, match="anthropic, google, openai"):
        Endpoint(base_url="http://127.0.0.1:1/v1", preset="other")


def test_what_would_be_answered_otherwise_than_asked_is_refused() -> None:
    endpoint = Endpoint(base_url="https://api.anthropic.com/v1")
    assert endpoint.left_out("chat", EVERYTHING)[:2] == ("seed", "top_k")
    assert endpoint.left_out("chat", Decoding(stop=("\n",))) == ("stop of white space",)
    assert endpoint.left_out("chat", Decoding(temperature=1.0)) == ()
    with pytest.raises(BadInputError, match=r"lowers every temperature to 1, and the protocol asks for 1\.2"):
        endpoint.left_out("chat", Decoding(temperature=1.2))
    with pytest.raises(BadInputError, match="no plain completions"):
        endpoint.left_out("completion", Decoding())


def test_the_answer_keeps_what_was_sent_and_no_seed_that_was_not(open_client: Make) -> None:
    server = Server()
    client = open_client(server, preset="google")
    answer = client.ask(question(decoding=Decoding(seed=3, max_tokens=9)))
    assert answer.seed is None and "seed" not in answer.request and answer.request["max_tokens"] == 9
    assert server.counts.bodies[-1] == answer.request


@pytest.mark.parametrize(
    ("choice", "outcome", "finish"),
    [
        ({"finish_reason": "content_filter: PROHIBITED_CONTENT", "message": {"role": "assistant"}},
         "filtered", "content_filter"),
        ({"finish_reason": "content_filter: SAFETY"}, "filtered", "content_filter"),
        ({"finish_reason": "RECITATION", "message": {"content": None}}, "filtered", "content_filter"),
        ({"finish_reason": "MAX_TOKENS", "message": {"content": "def f("}}, "truncated", "length"),
        ({"finish_reason": "refusal", "message": {"content": ""}}, "refusal", "refusal"),
        ({"finish_reason": "model_context_window_exceeded", "message": {"content": "x"}}, "truncated", "length"),
    ],
)  # fmt: skip
def test_finish_reasons_in_words_of_their_own(
    open_client: Make, choice: dict[str, Any], outcome: str, finish: str
) -> None:
    server = Server(sequence("raw:" + json.dumps({"model": "m", "choices": [{"index": 0, **choice}]})))
    answer = open_client(server).ask(question())
    assert (answer.outcome, answer.finish_reason) == (outcome, finish)
    assert server.counts.attempts.total() == 1, "what was withheld is not bought again"


def test_thoughts_that_only_the_total_counts_filled_the_limit(open_client: Make) -> None:
    usage = {"prompt_tokens": 20, "completion_tokens": 0, "total_tokens": 532}
    choice = {"index": 0, "finish_reason": "length", "message": {"role": "assistant"}}
    raw = json.dumps({"choices": [choice], "usage": usage})
    answer = open_client(Server(sequence(f"raw:{raw}"))).ask(question())
    assert (answer.outcome, answer.completion_tokens) == ("truncated reasoning", 512)


def test_what_google_says_of_an_error_is_told(open_client: Make) -> None:
    said = 'Invalid JSON payload received. Unknown name "min_p": Cannot find field.'
    server = Server(sequence("400"))
    server.status_body = google_error(400, "INVALID_ARGUMENT", said)
    with pytest.raises(AttemptFailedError, match='Unknown name "min_p"') as caught:
        open_client(server).ask_once(question())
    assert not caught.value.may_repeat


def test_a_key_that_google_refuses_with_status_400_stops(open_client: Make) -> None:
    server = Server(sequence("400"))
    said = "API key not valid. Please pass a valid API key."
    server.status_body = google_error(400, "INVALID_ARGUMENT", said, reason="API_KEY_INVALID")
    with pytest.raises(EndpointStopError, match="does not accept the key"):
        open_client(server).ask_once(question())


def test_an_account_of_anthropic_without_credit_stops(open_client: Make) -> None:
    server = Server(sequence("400"))
    said = "Your credit balance is too low to access the API. Please go to Plans & Billing."
    server.status_body = {"error": {"code": "invalid_request_error", "message": said, "type": "invalid_request_error"}}
    with pytest.raises(EndpointStopError, match="no credit left"):
        open_client(server).ask_once(question())


def test_anthropics_overload_is_asked_again(open_client: Make) -> None:
    server = Server(sequence("529"))
    server.status_body = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    answer = open_client(server).ask(question())
    assert (answer.outcome, answer.retries) == ("answer", 1)


@pytest.mark.parametrize(
    ("told", "seconds"), [("34s", 34.0), ("0.5s", 0.5), ("34", None), ("-1s", None), (9, None), ("1e9s", None)]
)
def test_the_wait_that_google_asks_for_stands_in_the_body(told: Any, seconds: float | None) -> None:
    kind = {"@type": "type.googleapis.com/google.rpc.RetryInfo"}
    body = google_error(429, "RESOURCE_EXHAUSTED", "Quota exceeded", retryDelay=told, **kind)
    assert StatusError(429, body, {}).retry_delay == seconds


def test_that_wait_is_kept(open_client: Make) -> None:
    server = Server(sequence("429"))
    server.status_body = google_error(429, "RESOURCE_EXHAUSTED", "Quota exceeded", retryDelay="0.4s")
    answer = open_client(server, RetryPolicy(first_s=0.01)).ask(question())
    first, second = next(iter(server.counts.times.values()))
    assert answer.retries == 1 and second - first >= 0.4


@pytest.mark.parametrize("body", [[], [1], [{"error": []}], {"error": {"details": [1, {"retryDelay": None}]}}, None])
def test_errors_of_no_shape_are_read_too(body: Any) -> None:
    error = StatusError(400, body, {})
    assert (error.retry_delay, error.refuses_key, error.lacks_credit, error.code) == (None, False, False, "")
    assert error.explanation


def test_a_model_that_google_lists_with_its_prefix_is_known() -> None:
    server = Server()
    server.models = [{"id": "models/gemini-3.5-flash", "object": "model"}]
    with running(server):
        endpoint = Endpoint(base_url=server.url, preset="google")
        for name, listed in (("gemini-3.5-flash", True), ("models/gemini-3.5-flash", True), ("gemini-1", False)):
            assert probe_endpoint(endpoint, plain_question(endpoint, name)).listed is listed
