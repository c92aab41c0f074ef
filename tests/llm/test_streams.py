"""Server-sent events as endpoints send them, and as they are cut up on the way."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.llm import Client, Endpoint, RequestFailedError
from annotator.llm.streams import events
from tests.llm.conftest import QUICK, question
from tests.llm.server import Server, running


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        (b"data: one\n\ndata:two\r\n\r\n", [b"one", b"two"]),
        (b"data: a\rdata: b\r\rdata: c\r\r\n", [b"a\nb", b"c"]),
        (b": comment\n\nevent: x\nid: 1\nretry: 5\ndata:  spaced \n\n", [b" spaced "]),
        (b"data\n\nother: x\n\ndata:\n\n", [b""]),
        (b"data: cut off", []),
        (b"data: no empty line\n", []),
        (b"\n\n\n", []),
        (b"", []),
        (b"data: \x85\x0b\x0c in a line\n\n", [b"\x85\x0b\x0c in a line"]),
    ],
)
def test_events(sent: bytes, expected: list[bytes]) -> None:
    assert list(events([sent] if sent else [])) == expected
    assert list(events(bytes([value]) for value in sent)) == expected


@given(
    st.lists(st.lists(st.binary(max_size=12).map(lambda raw: raw.translate(None, b"\r\n")), min_size=1), max_size=5),
    st.sampled_from([b"\n", b"\r\n"]),
    st.lists(st.integers(1, 9)),
)
def test_events_are_the_same_however_they_are_cut(sent: list[list[bytes]], end: bytes, sizes: list[int]) -> None:
    whole = b"".join(b"".join(b"data: " + line + end for line in lines) + end for lines in sent)
    pieces, at = [], 0
    for size in sizes:
        pieces.append(whole[at : at + size])
        at += size
    found = list(events(piece for piece in [*pieces, whole[at:]] if piece))
    assert found == [b"\n".join(lines) for lines in sent]


def test_a_connection_carries_one_stream_after_the_other() -> None:
    with running(Server()) as server, Client(Endpoint(server.url, stream=True), policy=QUICK) as client:
        for number in range(5):
            assert client.ask(question(str(number))).retries == 0
        # The frame after the end mark may come late, and then a new connection is taken.
        assert len(client._connections._open) <= 1


@pytest.mark.parametrize("error", [{"message": "no more"}, "no more"])
def test_an_error_in_a_stream_is_told(error: object, monkeypatch: pytest.MonkeyPatch) -> None:
    async def answer(server: Server, writer: object, body: object, key: str) -> None:
        await server._stream(writer, body, "x" * 9, 8, json.dumps({"error": error}).encode())  # type: ignore[arg-type]

    monkeypatch.setattr(Server, "_answer", answer)
    with (
        running(Server()) as server,
        Client(Endpoint(server.url, stream=True), policy=QUICK) as client,
        pytest.raises(RequestFailedError, match="no more") as caught,
    ):
        client.ask(question())
    assert caught.value.cause == "error in the stream"
