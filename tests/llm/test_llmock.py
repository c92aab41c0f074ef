"""A second opinion on the client: the llmock server breaks it on demand and grades what it did about it."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from annotator.llm.client import Client, RetryPolicy
from annotator.llm.requests import Endpoint
from tests.llm.conftest import question


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
