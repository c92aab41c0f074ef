"""The test of an endpoint before the first request: what it tells, and that it takes seconds whatever is there."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator

import pytest

from annotator.jobs.progress import Cancelled
from annotator.llm import probe as probing
from annotator.llm.answers import Answer
from annotator.llm.client import Client
from annotator.llm.endpoint_errors import EndpointStopError
from annotator.llm.probe import ProbedAsker, ProbeReport, plain_question, probe_endpoint, question_like
from annotator.llm.requests import Decoding, Endpoint, Request
from tests.llm.conftest import QUICK, question
from tests.llm.server import Faults, Server, running, sequence


@pytest.fixture
def server() -> Iterator[Server]:
    with running(Server()) as made:
        yield made


def ask(server: Server, model: str = "m") -> ProbeReport:
    endpoint = Endpoint(base_url=server.url, stream=False)
    return probe_endpoint(endpoint, plain_question(endpoint, model))


def test_what_an_endpoint_tells_of_itself(server: Server) -> None:
    server.models = [{"id": "m", "max_model_len": 4096}, {"id": "n"}, {"no": "name"}]
    report = ask(server)
    assert (report.model, report.outcome, report.note) == ("served-m", "answer", "")
    assert (report.listed, report.models, report.context_tokens) == (True, ("m", "n"), 4096)
    assert report.limits == (("limit-requests", "500"), ("remaining-requests", "499"))
    assert report.seconds is not None
    assert ask(server, "other").listed is False
    assert (server.counts.probes, server.counts.requests) == (2, 0)


def test_a_model_nobody_knows_is_told_with_those_that_are(server: Server) -> None:
    server.models = [{"id": f"model-{number}"} for number in range(20)]
    server.probe_faults = sequence("404")
    with pytest.raises(EndpointStopError, match=r"It lists these models: model-0, .*model-7, …\.") as caught:
        ask(server)
    assert caught.value.status == 404


@pytest.mark.parametrize(
    ("fault", "words"),
    [("401", "No key was sent"), ("403", "does not allow"), ("404", "/v1"), ("400", "token field"),
     ("302", "redirection"), ("html", "not send valid answers"), ("choices", "not send valid answers"),
     ("malformed", "not send valid answers"), ("bomb", "not send valid answers")],
)  # fmt: skip
def test_what_no_run_could_go_on_with_is_told_at_once(server: Server, fault: str, words: str) -> None:
    server.probe_faults = lambda key, attempt: fault
    started = time.monotonic()
    with pytest.raises(EndpointStopError, match=words):
        ask(server)
    assert time.monotonic() - started < 60


@pytest.mark.parametrize(
    "faults", [sequence("malformed", "choices"), sequence("503"), sequence("reset", "unfinished")], ids=["a", "b", "c"]
)
def test_a_bad_moment_is_no_reason_not_to_begin(server: Server, faults: Faults) -> None:
    server.probe_faults = faults
    assert ask(server).seconds is not None


@pytest.mark.parametrize("fault", ["503", "429:0", "stall"])
def test_an_endpoint_that_is_busy_is_noted(server: Server, fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probing, "ANSWER_S", 1.0)
    server.probe_faults = lambda key, attempt: fault
    started = time.monotonic()
    report = ask(server)
    assert report.seconds is None and "not" in report.note
    assert time.monotonic() - started < 25, "the stall was waited for"


def test_a_dead_endpoint_is_told_within_three_seconds() -> None:
    with socket.socket() as listening:
        # One that takes no connection: its queue is full, as behind a firewall that drops everything.
        listening.bind(("127.0.0.1", 0))
        listening.listen(0)
        address = listening.getsockname()
        full = [socket.socket() for _ in range(4)]
        for item in full:
            item.setblocking(False)
            item.connect_ex(address)
        for url in (f"http://127.0.0.1:{address[1]}/v1", "http://127.0.0.1:9/v1"):
            started = time.monotonic()
            with pytest.raises(EndpointStopError, match="cannot be reached"):
                probe_endpoint(Endpoint(base_url=url), plain_question(Endpoint(base_url=url), "m"))
            assert time.monotonic() - started < 20
        for item in full:
            item.close()


def test_a_look_up_of_a_name_that_hangs_does_not_hold_it_up(monkeypatch: pytest.MonkeyPatch) -> None:
    free = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: free.wait(30) and [])
    endpoint = Endpoint(base_url="http://somewhere.invalid/v1")
    started = time.monotonic()
    with pytest.raises(EndpointStopError, match="no connection within"):
        probe_endpoint(endpoint, plain_question(endpoint, "m"))
    assert time.monotonic() - started < 20
    free.set()


def test_a_probe_that_is_stopped_ends_at_once(server: Server) -> None:
    server.probe_faults = lambda key, attempt: "stall"
    endpoint = Endpoint(base_url=server.url)
    started = time.monotonic()
    with pytest.raises(Cancelled):
        probe_endpoint(endpoint, plain_question(endpoint, "m"), stopped=lambda: server.counts.probes > 0)
    assert time.monotonic() - started < probing.ANSWER_S


def test_the_tiny_question_is_asked_as_the_run_asks() -> None:
    wanted = question(decoding=Decoding(temperature=0.2, max_tokens=500, extra={"min_p": 0.1}), sample=3)
    tiny = question_like(wanted)
    assert tiny.body() == {
        "model": "m", "messages": [{"role": "user", "content": probing.QUESTION}], "temperature": 0.2, "max_tokens": 16,
        "min_p": 0.1,
    }  # fmt: skip
    assert "max_tokens" not in question_like(question()).body(), "nothing is sent that the run does not send"
    plain = question_like(Request(endpoint="e", model="m", form="completion", prompt="def f(", suffix=")"))
    assert plain.body() == {"model": "m", "prompt": probing.QUESTION}
    assert json.dumps(plain.body()) and plain.hash != wanted.hash


def test_many_threads_probe_once_and_learn_the_same(server: Server) -> None:
    probed: list[Request] = []

    def look(request: Request) -> None:
        probed.append(request)
        time.sleep(0.1)
        if stop:
            raise EndpointStopError("The key is not accepted.", 401)

    for stop in (False, True):
        probed.clear()
        results: list[object] = []
        with Client(Endpoint(base_url=server.url), policy=QUICK) as client:
            asker = ProbedAsker(client, look)

            def work(
                number: int, asker: ProbedAsker = asker, results: list[Answer | EndpointStopError] = results
            ) -> None:
                try:
                    results.append(asker.ask(question(str(number))))
                except EndpointStopError as error:
                    results.append(error)

            threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        assert len(probed) == 1 and len(results) == 6
        assert {type(result) for result in results} == {EndpointStopError if stop else Answer}
