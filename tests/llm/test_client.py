"""The client against a scripted endpoint and llmock: retries, stops, results, and its connections."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import socket
import ssl
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from annotator.base.errors import MissingEnvironmentError
from annotator.jobs.progress import Cancelled
from annotator.llm.batches import BatchClient
from annotator.llm.client import CachedAsker, Client, RetryPolicy
from annotator.llm.endpoint_errors import EndpointStopError, RequestFailedError, is_final_failure
from annotator.llm.requests import Decoding, Endpoint, Request
from tests.llm.batch_desk import BatchDesk, answer_line
from tests.llm.conftest import QUICK, MemoryCache, question
from tests.llm.server import Server, running, sequence

Make = Callable[..., Client]
RETRIED = [
    "408", "409", "429", "500", "502", "503", "broken", "malformed", "html", "reset", "unfinished", "stall",
    "raw:[]", "raw:{}", 'raw:{"choices": []}', 'raw:{"error": {"message": "overloaded"}}', "raw:null",
]  # fmt: skip


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize("fault", RETRIED)
def test_a_machinery_failure_is_asked_again(open_client: Make, fault: str, stream: bool) -> None:
    server = Server(sequence(fault))
    client = open_client(server, stream=stream, read_s=0.3)
    answer = client.ask(question())
    assert answer.text.startswith("answer to What is 2 + 2?")
    assert (answer.retries, answer.outcome, answer.finish_reason) == (1, "answer", "stop")
    assert server.counts.attempts.total() == 2
    assert client.limiter.in_flight == 0


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize("form", ["chat", "completion"])
def test_everything_worth_keeping_is_kept(open_client: Make, form: str, stream: bool) -> None:
    server = Server()
    client = open_client(server, stream=stream)
    decoding = Decoding(
        temperature=0.2, top_p=0.95, top_k=40, max_tokens=500, stop=("\nclass",), seed=7, extra={"min_p": 0.1}
    )
    asked = question(decoding=decoding, sample=3)
    if form == "completion":
        asked = Request(
            endpoint="test", model="m", form="completion", prompt="def f(", suffix=")", decoding=decoding, sample=3
        )
    answer = client.ask(asked)
    assert answer.model == "served-m"
    assert (answer.prompt_tokens, answer.completion_tokens) == (12, 5)
    assert answer.seed == 10
    assert answer.seconds is not None and 0 < answer.seconds < 10
    assert answer.request_hash == asked.hash
    sent = server.counts.bodies[0]
    assert answer.request.items() <= sent.items()
    expected = {"model": "m", "temperature": 0.2, "top_p": 0.95, "top_k": 40, "max_tokens": 500, "stop": ["\nclass"]}
    assert (expected | {"seed": 10, "min_p": 0.1}).items() <= sent.items()
    assert ("messages" in sent) == (form == "chat")
    if form == "completion":
        assert (sent["prompt"], sent["suffix"]) == ("def f(", ")")


@pytest.mark.parametrize(
    ("status", "words"),
    [("401", "No key was sent"), ("403", "does not allow"), ("404", "/v1"), ("402", "no credit"),
     ("302", "redirection")],
)  # fmt: skip
def test_what_repeating_cannot_mend_stops_with_a_sentence(open_client: Make, status: str, words: str) -> None:
    server = Server(sequence(status))
    client = open_client(server)
    with pytest.raises(EndpointStopError, match=words) as caught:
        client.ask(question())
    assert caught.value.status == int(status)
    assert server.counts.attempts.total() == 1


@pytest.mark.parametrize("status", ["400", "405", "413", "422"])
def test_a_refusal_of_one_request_is_its_own(open_client: Make, status: str) -> None:
    server = Server(sequence(status))
    client = open_client(server)
    with pytest.raises(RequestFailedError, match=f"HTTP {status}: scripted {status}") as caught:
        client.ask(question())
    assert (caught.value.cause, caught.value.attempts) == (f"HTTP {status}", 1)
    assert is_final_failure(caught.value.cause) and client.limiter.in_flight == 0


def test_answers_that_are_paid_for_and_cannot_be_read_are_not_bought_for_ever(open_client: Make) -> None:
    server = Server(lambda key, attempt: "malformed")
    with pytest.raises(RequestFailedError, match="after 3 attempts: the answer is not valid JSON") as caught:
        open_client(server).ask(question())
    assert "answer to What is" in caught.value.message, "what came is told"
    assert server.counts.attempts.total() == 3


def test_an_empty_account_stops_although_its_status_is_429(open_client: Make) -> None:
    server = Server(sequence("429"))
    server.status_body = {"error": {"message": "You exceeded your quota", "code": "insufficient_quota"}}
    with pytest.raises(EndpointStopError, match="no credit left"):
        open_client(server).ask(question())
    assert server.counts.attempts.total() == 1


def test_attempts_run_out(open_client: Make) -> None:
    server = Server(lambda key, attempt: "503")
    with pytest.raises(RequestFailedError, match="no answer after 5 attempts") as caught:
        open_client(server).ask(question())
    assert (caught.value.cause, caught.value.attempts) == ("HTTP 503", 5)
    assert server.counts.attempts.total() == 5


@pytest.mark.parametrize(("fault", "least"), [("429:1", 1.0), ("503:1", 1.0), ("429:date", 1.0)])
def test_retry_after_is_honoured(open_client: Make, fault: str, least: float) -> None:
    server = Server(sequence(fault))
    open_client(server).ask(question())
    (first, second) = next(iter(server.counts.times.values()))
    assert second - first >= least


def test_one_retry_after_holds_every_request_back(open_client: Make) -> None:
    server = Server(lambda key, attempt: "429:1" if server.counts.attempts.total() == 1 else "")
    client = open_client(server)
    threads = [threading.Thread(target=client.ask, args=(question(f"q{n}"),)) for n in range(4)]
    threads[0].start()
    while not server.counts.faults:
        time.sleep(0.005)
    time.sleep(0.05)
    for thread in threads[1:]:
        thread.start()
    for thread in threads:
        thread.join()
    started = sorted(moment for times in server.counts.times.values() for moment in times)
    assert started[1] - started[0] >= 1.0


def test_an_endpoint_that_wants_hours_is_not_waited_for(open_client: Make) -> None:
    server = Server(sequence("429:7200"))
    with pytest.raises(RequestFailedError, match="120 minutes"):
        open_client(server).ask(question())


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize(
    ("finish", "reply", "outcome"),
    [("stop", "x", "answer"), ("stop", " \n", "empty"), ("length", "x", "truncated"),
     ("content_filter", "", "filtered"),
     ("tool_calls", "", "tool call"), ("tool_calls", "x", "answer"), ("length", "<think>hm", "truncated reasoning"),
     ("length", "<think>hm</think>x", "truncated")],
)  # fmt: skip
def test_outcomes(open_client: Make, finish: str, reply: str, outcome: str, stream: bool) -> None:
    server = Server(reply=lambda body, key: reply)
    server.finish_reason = finish
    answer = open_client(server, stream=stream).ask(question())
    assert (answer.outcome, answer.finish_reason) == (outcome, finish)


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize(("finish", "same"), [("eos", "stop"), ("STOP", "stop"), ("model_length", "length")])
def test_ends_that_servers_call_otherwise(open_client: Make, finish: str, same: str, stream: bool) -> None:
    server = Server()
    server.finish_reason = finish
    assert open_client(server, stream=stream).ask(question()).finish_reason == same


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize("finish", ["error", "abort", "load", "p" * 999, "\ud800"])
def test_an_end_that_is_not_the_models_is_no_answer(open_client: Make, finish: str, stream: bool) -> None:
    server = Server()
    server.finish_reason = finish
    with pytest.raises(RequestFailedError, match="broke the answer off") as caught:
        open_client(server, stream=stream).ask(question())
    assert (caught.value.cause, caught.value.attempts) == ("broken off by the provider", 3)
    assert len(caught.value.message) < 700 and caught.value.message.encode()


def test_thoughts_without_an_answer_are_told(open_client: Make) -> None:
    message = '{"content": null, "reasoning_content": "Let me see. It is 4."}'
    raw = f'{{"choices": [{{"finish_reason": "stop", "message": {message}}}]}}'
    assert open_client(Server(sequence(f"raw:{raw}"))).ask(question()).outcome == "only reasoning"


def test_a_refusal_in_its_own_field(open_client: Make) -> None:
    raw = '{"choices": [{"finish_reason": "stop", "message": {"content": null, "refusal": "I will not."}}]}'
    answer = open_client(Server(sequence(f"raw:{raw}"))).ask(question())
    assert (answer.outcome, answer.text, answer.finish_reason) == ("refusal", "I will not.", "refusal")


def test_thoughts_that_fill_the_limit_are_told_from_an_answer_that_is_cut(open_client: Make) -> None:
    message = '{"content": "", "reasoning_content": "Let me see"}'
    raw = f'{{"choices": [{{"finish_reason": "length", "message": {message}}}]}}'
    assert open_client(Server(sequence(f"raw:{raw}"))).ask(question()).outcome == "truncated reasoning"
    counts = '{"completion_tokens_details": {"reasoning_tokens": 9}}'
    raw = f'{{"choices": [{{"finish_reason": "length", "message": {{"content": null}}}}], "usage": {counts}}}'
    assert open_client(Server(sequence(f"raw:{raw}"))).ask(question()).outcome == "truncated reasoning"


def test_hostile_fields_are_bounded(open_client: Make) -> None:
    usage = {"prompt_tokens": -5, "completion_tokens": 10**30, "total_tokens": 7, "n" * 999: 1}
    usage |= {f"x{number}": number for number in range(1000)}
    choice = {"finish_reason": "stop", "message": {"content": "a\0b"}}
    raw = json.dumps({"model": "\ud800" * 999, "choices": [choice], "usage": usage})
    answer = open_client(Server(sequence(f"raw:{raw}"))).ask(question())
    assert (answer.text, answer.prompt_tokens, answer.completion_tokens) == ("a\ufffdb", None, None)
    assert answer.usage["total_tokens"] == 7 and len(answer.usage) < 70
    assert max(len(answer.model), len(answer.finish_reason), *map(len, answer.usage)) <= 200
    assert json.dumps(dict(answer.usage)).encode() and answer.model.encode() and answer.finish_reason.encode()


@pytest.mark.parametrize("said", ["\ud800 no", {"x": "\ud800"}, ["["] * 3, None, "x" * 9999])
def test_what_an_error_says_can_be_kept(open_client: Make, said: object) -> None:
    server = Server(sequence("400"))
    server.status_body = {"error": {"message": said}} if said else {"error": None}
    with pytest.raises(RequestFailedError) as caught:
        open_client(server).ask(question())
    assert len(caught.value.message.encode()) < 2000


def test_half_a_character_pair_cannot_reach_the_store(open_client: Make) -> None:
    raw = '{"choices": [{"finish_reason": "stop", "message": {"content": "a\\ud83d b \\ud83d\\ude00"}}]}'
    answer = open_client(Server(sequence(f"raw:{raw}"))).ask(question())
    assert answer.text.encode() == "a\ufffd b \U0001f600".encode()


def test_a_body_that_drips_for_ever_ends_at_the_time_limit(open_client: Make) -> None:
    server = Server(sequence("slow:20"))
    client = open_client(server, read_s=2.0, total_s=1.5)
    started = time.monotonic()
    assert client.ask(question()).retries == 1
    assert time.monotonic() - started < 18, "the whole body was waited for"


@pytest.mark.parametrize("fault", ["drip-headers", "continue"])
def test_headers_that_never_end_are_given_up(open_client: Make, fault: str) -> None:
    server = Server(sequence(fault))
    client = open_client(server, read_s=2.0, total_s=1.0)
    started = time.monotonic()
    assert client.ask(question()).retries == 1
    assert time.monotonic() - started < 60, "the headers were waited for"
    assert client.limiter.in_flight == 0


def test_a_slow_body_is_waited_for(open_client: Make) -> None:
    answer = open_client(Server(sequence("slow:0.6"))).ask(question())
    assert answer.retries == 0 and answer.seconds is not None and answer.seconds > 0.4


def test_stop_ends_requests_on_the_wire_and_in_waits(open_client: Make) -> None:
    server = Server(lambda key, attempt: "stall" if int(key, 16) % 2 else "503")
    client = open_client(server, RetryPolicy(first_s=60), read_s=60, total_s=60)
    ended: list[BaseException] = []

    def ask(number: int) -> None:
        try:
            client.ask(question(f"q{number}"))
        except Cancelled as error:
            ended.append(error)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    while server.counts.attempts.total() < 4:
        time.sleep(0.01)
    time.sleep(0.1)
    started = time.monotonic()
    client.stop()
    for thread in threads:
        thread.join(50)
    assert len(ended) == 8
    assert time.monotonic() - started < 50, "a request hangs"
    with pytest.raises(Cancelled):
        client.ask(question())


def test_no_more_are_in_flight_than_allowed(open_client: Make) -> None:
    server = Server(delay_s=0.03)
    client = open_client(server, concurrency=4)
    threads = [threading.Thread(target=client.ask, args=(question(f"q{n}"),)) for n in range(24)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert server.counts.peak == 4


def test_too_many_halves_what_is_in_flight(open_client: Make) -> None:
    server = Server(sequence("429"), delay_s=0.01)
    client = open_client(server, concurrency=16)
    client.ask(question())
    assert client.limiter.cuts == 1
    assert client.limiter.limit == 8


def test_the_request_carries_its_hash_so_that_an_endpoint_can_tell_repeats(open_client: Make) -> None:
    server = Server(sequence("503", "500"))
    asked = question()
    open_client(server).ask(asked)
    assert [headers["idempotency-key"] for headers in server.counts.headers] == [asked.hash] * 3


def test_equal_requests_are_paid_once_even_at_the_same_time(open_client: Make) -> None:
    server = Server(delay_s=0.1)
    asker = CachedAsker(open_client(server), MemoryCache())
    answers = []
    threads = [threading.Thread(target=lambda: answers.append(asker.ask(question()))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert server.counts.attempts.total() == 1
    assert sorted(answer.cached for answer in answers) == [False] + [True] * 7
    assert asker.ask(question()).cached
    assert not asker.ask(question(again=1)).cached
    assert server.counts.attempts.total() == 2


def test_a_failure_is_not_cached(open_client: Make) -> None:
    server = Server(lambda key, attempt: "503" if attempt <= 5 else "")
    asker = CachedAsker(open_client(server), MemoryCache())
    with pytest.raises(RequestFailedError):
        asker.ask(question())
    assert not asker.ask(question()).cached


def test_a_connection_that_nobody_takes() -> None:
    endpoint = Endpoint(base_url="http://127.0.0.1:9/v1")
    with (
        Client(endpoint, policy=RetryPolicy(attempts=2, first_s=0.01)) as client,
        pytest.raises(RequestFailedError, match="connection failed") as caught,
    ):
        client.ask(question())
    assert caught.value.cause == "connection"


def test_an_address_where_nobody_takes_a_connection_stops_after_three_attempts() -> None:
    endpoint = Endpoint(base_url="http://127.0.0.1:9/v1")
    with (
        Client(endpoint, policy=RetryPolicy(attempts=50, first_s=0.01)) as client,
        pytest.raises(EndpointStopError, match=r"127\.0\.0\.1:9/v1 cannot be reached .* whether the server runs"),
    ):
        client.ask(question())


# Connections: kept, renewed, encrypted, through a proxy.


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    program = shutil.which("openssl")
    if program is None:
        pytest.skip("openssl is not here to make a certificate")
    folder = tmp_path_factory.mktemp("tls")
    key, made = folder / "key.pem", folder / "certificate.pem"
    argv = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
            "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(key), "-out", str(made)]  # fmt: skip
    subprocess.run([program, *argv], check=True, capture_output=True)
    return key, made


def encrypted(certificate: tuple[Path, Path], *faults: str) -> Server:
    server = Server(sequence(*faults))
    server.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.tls.load_cert_chain(certificate[1], certificate[0])
    return server


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize("fault", ["", "503", "broken", "reset", "stall"])
def test_tls(certificate: tuple[Path, Path], fault: str, stream: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate[1]))
    with running(encrypted(certificate, fault)) as server:
        assert server.url.startswith("https:")
        with Client(Endpoint(base_url=server.url, stream=stream, read_s=0.5), policy=QUICK) as client:
            assert client.ask(question()).retries == bool(fault)
            assert client.ask(question("another")).text


def test_a_certificate_nobody_vouches_for_is_not_taken(
    certificate: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    with running(encrypted(certificate)) as server, Client(Endpoint(base_url=server.url), policy=QUICK) as client:
        with pytest.raises(EndpointStopError, match=r"is not valid: self-signed certificate\. Nothing was sent"):
            client.ask(question())
        assert server.counts.requests == 0


def test_stop_ends_an_encrypted_request(certificate: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate[1]))
    with (
        running(encrypted(certificate, "stall")) as server,
        Client(Endpoint(base_url=server.url), policy=QUICK) as client,
    ):
        threading.Timer(0.5, client.stop).start()
        started = time.monotonic()
        with pytest.raises(Cancelled):
            client.ask(question())
        assert time.monotonic() - started < 30, "the request hangs"


def test_connections_are_kept_and_renewed() -> None:
    with running(Server(sequence(""))) as server, Client(Endpoint(base_url=server.url), policy=QUICK) as client:
        for number in range(20):
            assert client.ask(question(str(number))).retries == 0
        assert len(server.connections) == 1
        # The endpoint closes the idle connection: the next request takes a new one, without a retry.
        server.connections[0].get_extra_info("socket").shutdown(socket.SHUT_RDWR)
        assert client.ask(question("after")).retries == 0
        assert len(server.connections) == 2


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize("status", ["200", "503"])
def test_an_answer_without_end_is_given_up(status: str, stream: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("annotator.llm.transport.ANSWER_LIMIT", 10_000)
    server = Server(sequence(status if status != "200" else ""), reply=lambda body, key: "x" * 20_000)
    server.status_body = {"error": {"message": "x" * 20_000}}
    with (
        running(server),
        Client(Endpoint(base_url=server.url, stream=stream), policy=RetryPolicy(attempts=2, first_s=0.01)) as client,
    ):
        with pytest.raises(RequestFailedError, match="too large"):
            client.ask(question())
        assert client.limiter.in_flight == 0


@pytest.mark.parametrize("fault", ["gzip", "bomb", "headers:1000"])
def test_what_could_grow_without_bound_is_refused_and_asked_again(fault: str) -> None:
    with running(Server(sequence(fault))) as server, Client(Endpoint(base_url=server.url), policy=QUICK) as client:
        assert client.ask(question()).retries == 1
        assert client.limiter.in_flight == 0


def test_only_the_headers_that_an_endpoint_needs_are_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Other: secret\nAuthorization: Bearer secret")
    with running(Server()) as server:
        with Client(Endpoint(base_url=f"{server.url}?api-version=3"), policy=QUICK) as client:
            client.ask(question())
        assert server.counts.lines == {"POST /v1/chat/completions?api-version=3 HTTP/1.1"}
        headers = server.counts.headers[0]
        assert headers.keys() == {
            "host", "accept", "accept-encoding", "connection", "content-type", "content-length", "user-agent",
            "authorization", "idempotency-key",
        }  # fmt: skip
        assert "secret" not in str(headers) and headers["user-agent"].startswith("annotator/")


@pytest.mark.parametrize("address", ["http://who:secret@127.0.0.1:{port}", "127.0.0.1:{port}"])
def test_an_http_proxy_of_the_environment(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("no_proxy", "NO_PROXY", "all_proxy", "ALL_PROXY", "HTTP_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with running(Server()) as server:
        monkeypatch.setenv("http_proxy", address.format(port=server.port))
        with Client(Endpoint(base_url="http://endpoint.invalid:81/v1"), policy=QUICK) as client:
            assert client.ask(question()).text
        assert server.counts.lines == {"POST http://endpoint.invalid:81/v1/chat/completions HTTP/1.1"}
        headers = server.counts.headers[0]
        assert headers["host"] == "endpoint.invalid:81"
        assert headers.get("proxy-authorization") == ("Basic d2hvOnNlY3JldA==" if "secret" in address else None)
        with Client(Endpoint(base_url=server.url), policy=QUICK) as client:
            client.ask(question())
        assert "POST /v1/chat/completions HTTP/1.1" in server.counts.lines, "this machine needs no proxy"


def test_a_proxy_of_another_kind_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("http_proxy", "socks5://secret@host:1")
    with pytest.raises(MissingEnvironmentError, match="HTTP proxies") as caught:
        Client(Endpoint(base_url="http://endpoint.invalid/v1"))
    assert "secret" not in caught.value.message


def test_a_redirection_is_not_followed_with_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_KEY", "abcdefgh12345678")
    with running(Server(sequence("307"))) as server:
        with (
            Client(Endpoint(base_url=server.url, key_name="SOME_KEY"), policy=QUICK) as client,
            pytest.raises(EndpointStopError),
        ):
            client.ask(question())
        assert server.counts.requests == 1


# A second opinion on the client: the llmock server breaks it on demand and grades what it did about it.


@pytest.fixture(scope="module")
def mock() -> Iterator[str]:
    beside = Path(sys.executable).with_name("llmock")
    program = os.environ.get("ANNOTATOR_LLMOCK") or (str(beside) if beside.exists() else shutil.which("llmock"))
    if not program:
        pytest.skip("llmock is not installed")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    # The server takes a stream for read to its end unless it sees us hang up before: so its pieces are far apart.
    argv = [program, "serve", "--port", str(port), "--host", "127.0.0.1", "--stream-chunk-delay-ms", "50"]
    process = subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    url = f"http://127.0.0.1:{port}"
    try:
        deadline = time.monotonic() + 300
        while True:
            with contextlib.suppress(OSError):
                call(f"{url}/_llmock/reset", {})
                break
            assert process.poll() is None and time.monotonic() < deadline, "llmock did not start"
            time.sleep(0.1)
        yield url
    finally:
        process.terminate()
        process.wait(60)


def call(url: str, body: dict[str, Any] | None = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize(
    "behaviour",
    [
        {"type": "fail", "status": 429, "retry_after": 1, "times": 2},
        {"type": "fail", "status": 429, "times": 2},
        {"type": "fail", "status": 500, "times": 1},
        {"type": "fail", "status": 503, "times": 3},
        {"type": "delay", "seconds": 0.5},
        {"type": "stream_fault", "kind": "disconnect", "after_chunks": 2},
        {"type": "stream_fault", "kind": "truncate", "after_chunks": 2},
        {"type": "stream_fault", "kind": "malformed", "after_chunks": 2},
        {"type": "stream_fault", "kind": "stall", "after_chunks": 2, "stall_seconds": 20},
    ],
    ids=lambda behaviour: "-".join(str(value) for value in behaviour.values()),
)
def test_the_verdict_finds_nothing(mock: str, behaviour: dict[str, Any], stream: bool) -> None:
    if behaviour["type"] == "stream_fault" and not stream:
        pytest.skip("a fault of streams")
    call(f"{mock}/_llmock/reset", {})
    call(f"{mock}/_llmock/scenario", {"behaviors": [behaviour]})
    endpoint = Endpoint(base_url=f"{mock}/v1", stream=stream, read_s=1.5, total_s=10)
    with Client(endpoint, policy=RetryPolicy(first_s=0.2, most_s=1)) as client:
        answer = client.ask(question())
    assert answer.text and answer.finish_reason == "stop"
    verdict = call(f"{mock}/_llmock/verdict")
    assert not verdict.get("findings"), verdict


def test_a_batch_lists_its_answers_before_its_failures(open_client: Make) -> None:
    server = Server()
    server.batches = BatchDesk(
        line=lambda row, attempt: "server_error" if "Why?" in str(row["body"]) else answer_line(row, attempt)
    )
    batches = BatchClient(open_client(server))
    requests = (question("Why?"), question("How?"))
    report = batches.fetch_report(batches.create(batches.upload(map(batches.encode, requests)), "chat").id)
    assert [[line.code for line in batches.lines(name)] for name in report.files] == [[""], ["server_error"]]
    assert (report.state, report.done) == ("completed", 2)
