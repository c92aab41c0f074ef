"""A connection to a project on another machine is encrypted unless its address says otherwise."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator

import pytest

from annotator.base.addresses import parse_server_address
from annotator.base.errors import MissingEnvironmentError
from annotator.store.server.server_connection import connect_to_server, is_local

pytest.importorskip("psycopg")
_SSL_REQUEST = (8).to_bytes(4, "big") + (80877103).to_bytes(4, "big")


@pytest.fixture
def plain_server() -> Iterator[tuple[int, list[bytes]]]:
    """A server without TLS: its port, and the first eight bytes that each client sent."""
    received: list[bytes] = []
    with socket.create_server(("", 0)) as listening:

        def answer() -> None:
            while True:
                try:
                    client, _ = listening.accept()
                except OSError:
                    return
                with client:
                    received.append(client.recv(8))
                    client.sendall(b"N")

        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        yield int(listening.getsockname()[1]), received
        listening.shutdown(socket.SHUT_RDWR)
        thread.join(5)


@pytest.fixture(autouse=True)
def _no_defaults(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PGSSLMODE", "PGHOST", "PGHOSTADDR"):
        monkeypatch.delenv(name, raising=False)


def test_another_machine_without_tls_is_sent_nothing(plain_server: tuple[int, list[bytes]]) -> None:
    port, received = plain_server
    address = f"postgresql://mei@{socket.gethostname()}:{port}/benchmark"
    with pytest.raises(MissingEnvironmentError, match="does not encrypt"):
        connect_to_server(parse_server_address(address), read_only=True)
    assert set(received) == {_SSL_REQUEST}
    received.clear()
    with pytest.raises(MissingEnvironmentError, match="cannot be reached"):
        connect_to_server(parse_server_address(f"{address}?sslmode=disable"), read_only=True)
    assert _SSL_REQUEST not in received


@pytest.mark.parametrize(
    ("host", "local"),
    [
        ("localhost", True),
        ("127.0.0.1", True),
        ("[::1]", True),
        ("", True),
        ("server.example.org", False),
        ("10.0.0.5", False),
    ],
)
def test_what_is_this_machine(host: str, local: bool) -> None:
    assert is_local(parse_server_address(f"postgresql://mei@{host}/benchmark")) is local


def test_one_host_elsewhere_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    assert is_local(parse_server_address("postgresql:///benchmark?host=/run/postgresql"))
    assert not is_local(parse_server_address("postgresql:///benchmark?host=localhost,server.example.org"))
    monkeypatch.setenv("PGHOSTADDR", "10.0.0.5")
    assert not is_local(parse_server_address("postgresql://mei@localhost/benchmark"))
    monkeypatch.delenv("PGHOSTADDR")
    monkeypatch.setenv("PGSERVICE", "ours")
    assert not is_local(parse_server_address("postgresql:///benchmark"))
    monkeypatch.delenv("PGSERVICE")
    monkeypatch.setenv("PGHOST", "server.example.org")
    assert not is_local(parse_server_address("postgresql:///benchmark"))
