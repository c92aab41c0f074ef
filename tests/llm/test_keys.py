"""The key is sent, and is nowhere else."""

from __future__ import annotations

import copy
import gc
import json
import logging
import traceback
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from annotator.base.errors import BadInputError, MissingEnvironmentError
from annotator.base.logs import LOGGER, set_up_logging
from annotator.llm.client import Client, RetryPolicy
from annotator.llm.endpoint_errors import EndpointStopError, RequestFailedError
from annotator.llm.requests import Endpoint
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
