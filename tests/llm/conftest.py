"""Clients that retry quickly."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from annotator.llm.answers import Answer
from annotator.llm.client import Client, RetryPolicy
from annotator.llm.requests import ChatMessage, Endpoint, Request
from tests.llm.server import Server, running

QUICK = RetryPolicy(attempts=5, first_s=0.02, most_s=0.1)


def question(text: str = "What is 2 + 2?", **fields: Any) -> Request:
    return Request(endpoint="test", model="m", messages=(ChatMessage("user", text),), **fields)


class MemoryCache:
    """A cache for as long as the test lives; writing and reading one key of a dictionary needs no lock."""

    def __init__(self) -> None:
        self._answers: dict[str, Answer] = {}

    def get(self, request_hash: str) -> Answer | None:
        return self._answers.get(request_hash)

    def store_answer(self, answer: Answer) -> None:
        self._answers[answer.request_hash] = answer


@pytest.fixture
def open_client() -> Iterator[Callable[..., Client]]:
    """Start a server and a client for it; both end with the test."""
    with ExitStack() as stack:

        def make(server: Server, policy: RetryPolicy = QUICK, **fields: Any) -> Client:
            stack.enter_context(running(server))
            endpoint = Endpoint(base_url=server.url, **{"name": "test", "read_s": 1.0, "total_s": 3.0, **fields})
            return stack.enter_context(Client(endpoint, policy=policy))

        yield make
