"""Requests and replies on the wire: what a good endpoint sends is read, what a bad one sends is refused."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.llm.errors import WireError
from annotator.llm.http1 import Incoming, Reader, request


def reader(*pieces: bytes) -> Reader:
    """A connection over which these pieces come, and then the end."""
    left = [piece for piece in pieces if piece]

    def receive(most: int) -> bytes:
        if not left:
            return b""
        piece, rest = left[0][:most], left[0][most:]
        left[:1] = [rest] if rest else []
        return piece

    return Reader(receive)


def body(incoming: Incoming) -> bytes:
    return b"".join(incoming.pieces())


def reply(head: str, content: bytes = b"") -> bytes:
    return head.replace("\n", "\r\n").encode("latin-1") + b"\r\n\r\n" + content


def test_a_request_is_one_piece() -> None:
    made = request("POST", "/v1/x?a=b", [("Host", "here"), ("X", "é")], b"{}")
    assert made == b"POST /v1/x?a=b HTTP/1.1\r\nHost: here\r\nX: \xe9\r\n\r\n{}"


@pytest.mark.parametrize(
    ("target", "field"),
    [
        ("/", ("X", "a\r\nY: b")),
        ("/", ("X", "a\nb")),
        ("/", ("X", "a\rb")),
        ("/", ("X\r\n", "a")),
        ("/ HTTP/1.1\r\nX: y", ("X", "a")),
        ("/a b", ("X", "a")),
        ("/", ("X", "中")),
    ],
)
def test_a_request_cannot_be_broken_up(target: str, field: tuple[str, str]) -> None:
    with pytest.raises(WireError):
        request("POST", target, [field], b"")


def test_a_reply_with_a_length() -> None:
    incoming = Incoming(reader(reply("HTTP/1.1 200 OK\nContent-Type: a/b\nContent-Length: 5", b"hello")))
    assert incoming.status == 200 and incoming.fields == [("Content-Type", "a/b"), ("Content-Length", "5")]
    assert not incoming.reusable, "its body has not been read"
    assert body(incoming) == b"hello" and incoming.reusable


def test_a_reply_in_chunks_with_extensions_and_a_trailer() -> None:
    content = b"5;x=y\r\nhello\r\nB\r\n, the world\r\n0\r\nLater: yes\r\n\r\n"
    incoming = Incoming(reader(reply("HTTP/1.1 200 OK\nTransfer-Encoding: Chunked", content)))
    assert body(incoming) == b"hello, the world" and incoming.reusable


def test_a_reply_up_to_the_end_of_the_connection_is_not_followed_by_another() -> None:
    incoming = Incoming(reader(reply("HTTP/1.0 200 OK\nA: b"), b"all", b" of it"))
    assert body(incoming) == b"all of it" and not incoming.reusable


@pytest.mark.parametrize(
    ("head", "lasts"),
    [
        ("HTTP/1.1 200 OK\nContent-Length: 0", True),
        ("HTTP/1.1 200 OK\nContent-Length: 0\nConnection: upgrade, Close", False),
        ("HTTP/1.0 200 OK\nContent-Length: 0", False),
        ("HTTP/1.0 200 OK\nContent-Length: 0\nConnection: keep-alive", True),
        ("HTTP/1.1 204", True),
        ("HTTP/1.1 304 Not Modified\nContent-Length: 9", True),
        ("HTTP/1.1 200 OK\nContent-Length: 0\ncontent-length: 0", True),
    ],
)
def test_whether_a_connection_is_used_again(head: str, lasts: bool) -> None:
    incoming = Incoming(reader(reply(head)))
    assert body(incoming) == b"" and incoming.reusable is lasts


def test_what_nobody_asked_for_ends_the_connection() -> None:
    twice = reply("HTTP/1.1 200 OK\nContent-Length: 2", b"me") * 2
    incoming = Incoming(reader(twice))
    assert body(incoming) == b"me" and not incoming.reusable


def test_replies_before_the_reply_are_passed_over() -> None:
    early = reply("HTTP/1.1 100 Continue") + reply("HTTP/1.1 103 Early Hints\nLink: x")
    incoming = Incoming(reader(early + reply("HTTP/1.1 200 OK\nContent-Length: 1", b"x")))
    assert incoming.status == 200 and incoming.fields == [("Content-Length", "1")] and body(incoming) == b"x"


def test_old_ways_of_writing_a_head() -> None:
    lines = b"HTTP/1.1 200 \nX:one\n two\nY:\t\xe9 \nContent-Length: 1\n\n!"
    incoming = Incoming(reader(lines))
    assert incoming.fields[:2] == [("X", "one two"), ("Y", "é")] and body(incoming) == b"!"


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"\r\n",
        b"SSH-2.0-x\r\n",
        b"HTTP/2 200\r\n\r\n",
        b"HTTP/1.1 abc OK\r\n\r\n",
        b"HTTP/1.1 200 OK",
        b"HTTP/1.1 200 OK\r\nContent-Length: 1",
        b"HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length : 1\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n folded: first\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: +1\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: \xb2\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n" + b"A: b\r\n" * 300 + b"\r\n",
        b"HTTP/1.1 200 OK\r\nA: b\r\n" + b" more\r\n" * 300 + b"\r\n",
        b"HTTP/1.1 200 OK\r\nA: " + b" " * 200_000 + b"\r\n\r\n",
        b"x" * 200_000,
        b"HTTP/1.1 100 Continue\r\n\r\n" * 50,
    ],
)
def test_a_head_that_is_none(sent: bytes) -> None:
    with pytest.raises(WireError):
        Incoming(reader(sent))


@pytest.mark.parametrize(
    ("head", "content"),
    [
        ("Content-Length: 9", b"short"),
        ("Transfer-Encoding: chunked", b""),
        ("Transfer-Encoding: chunked", b"5\r\nhel"),
        ("Transfer-Encoding: chunked", b"5\r\nhelloo\r\n0\r\n\r\n"),
        ("Transfer-Encoding: chunked", b"0x5\r\nhello\r\n0\r\n\r\n"),
        ("Transfer-Encoding: chunked", b"-5\r\nhello\r\n0\r\n\r\n"),
        ("Transfer-Encoding: chunked", b"1_0\r\nhello\r\n0\r\n\r\n"),
        ("Transfer-Encoding: chunked", b"ffffffffffffffffff\r\nhello\r\n0\r\n\r\n"),
        ("Transfer-Encoding: chunked", b"5\r\nhello\r\n0\r\n"),
    ],
)
def test_a_body_that_breaks_off_is_no_body(head: str, content: bytes) -> None:
    incoming = Incoming(reader(reply(f"HTTP/1.1 200 OK\n{head}", content)))
    with pytest.raises(WireError):
        body(incoming)
    assert not incoming.reusable


@given(st.binary(max_size=300), st.lists(st.integers(1, 40), max_size=60), st.booleans())
def test_however_it_is_cut_up_it_is_the_same(content: bytes, sizes: list[int], chunked: bool) -> None:
    if chunked:
        framed = (b"%x\r\n%s\r\n" % (len(content), content) if content else b"") + b"0\r\n\r\n"
        whole = reply("HTTP/1.1 200 OK\nTransfer-Encoding: chunked", framed)
    else:
        whole = reply(f"HTTP/1.1 200 OK\nContent-Length: {len(content)}", content)

    def cut() -> Iterator[bytes]:
        left = whole
        for size in sizes:
            yield left[:size]
            left = left[size:]
        yield left

    incoming = Incoming(reader(*cut()))
    assert incoming.status == 200 and body(incoming) == content and incoming.reusable


@given(st.binary(max_size=400))
def test_anything_at_all_is_read_or_refused(sent: bytes) -> None:
    with contextlib.suppress(WireError):
        body(Incoming(reader(b"HTTP/1.1 200 OK\r\n" + sent)))
