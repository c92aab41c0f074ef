"""Connections: kept, renewed, encrypted, through a proxy."""

from __future__ import annotations

import shutil
import socket
import ssl
import subprocess
import threading
import time
from pathlib import Path

import pytest

from annotator.base.errors import MissingEnvironmentError
from annotator.jobs.progress import Cancelled
from annotator.llm.client import Client, RetryPolicy
from annotator.llm.endpoint_errors import EndpointStopError, RequestFailedError
from annotator.llm.requests import Endpoint
from tests.llm.conftest import QUICK, question
from tests.llm.server import Server, running, sequence


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
