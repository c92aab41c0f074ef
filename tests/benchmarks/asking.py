"""Whoever keeps an endpoint busy, and how busy the endpoint says it was kept.

An endpoint to measure against answers ``GET /counts`` with the requests so far, the area under the number of requests
it held, and the moment of both, as `tests.llm.server` does.
"""

from __future__ import annotations

import http.client
import json
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

from annotator.evaluation.executors import LocalExecutor
from annotator.evaluation.planning import plan_requests
from annotator.evaluation.presets import Pass, find_protocol_preset
from annotator.evaluation.request_queue import threads_for
from annotator.evaluation.scoring_queue import Scoring
from annotator.jobs.progress import Progress
from annotator.llm.client import Client
from annotator.llm.requests import Decoding, Endpoint
from tests.evaluation.evaluations import run_evaluation

PROMPT = "Write a function that adds two numbers. " * 12
SWITCH_S = 0.0005
"""As the application sets it: a thread that waits for its turn gets it sooner."""
_SETTLE_S = 1.0
Begin = Callable[[], Callable[[], None]]
"""Starts something and returns what ends it."""


@dataclass(frozen=True, slots=True)
class Busy:
    """The mean of requests held, requests a second, and processors used in this process."""

    in_flight: float
    rate: float
    cores: float


def watched(url: str, seconds: float, begin: Begin) -> Busy:
    """Start something, let it settle, then watch."""
    end = begin()
    time.sleep(_SETTLE_S)
    first, cpu = counts(url), time.process_time()
    time.sleep(seconds)
    last, used = counts(url), time.process_time() - cpu
    end()
    took = last["moment"] - first["moment"]
    return Busy((last["area"] - first["area"]) / took, (last["requests"] - first["requests"]) / took, used / took)


def counts(url: str) -> dict[str, float]:
    """Ask an endpoint what it counted."""
    connection = _connection(url)
    connection.request("GET", "/counts")
    found: dict[str, float] = json.loads(connection.getresponse().read())
    connection.close()
    return found


def _connection(url: str) -> http.client.HTTPConnection:
    return http.client.HTTPConnection(url.removeprefix("http://"), timeout=30)


class _Nothing:
    """A sink that only takes."""

    def answers(self, batch: Sequence[Any]) -> None:
        """Take answers."""

    failures = scores = answers

    def known(self, keys: Any) -> dict[Any, Any]:
        """Know nothing."""
        del keys
        return {}


def engine(url: str, concurrency: int, *, stream: bool = False) -> Begin:
    """Return what starts a whole run: plan, client, scoring and sink."""

    def begin() -> Callable[[], None]:
        endpoint = Endpoint(base_url=f"{url}/v1", concurrency=concurrency, stream=stream)
        protocol = replace(find_protocol_preset("plain"), passes=(Pass(Decoding(temperature=0.2), 5),))
        items = ({"id": f"i{number}", "key": "k", "prompt": f"{number} {PROMPT}"} for number in count())
        client, control = Client(endpoint), Progress()
        thread = threading.Thread(
            target=run_evaluation,
            args=(
                plan_requests(items, protocol, "m", endpoint),
                lambda item: client.ask_once(item.request),
                _Nothing(),
            ),
            kwargs={
                "scoring": Scoring(LocalExecutor(len, 1), lambda finished: finished.answer.text),
                "control": control,
                "workers": threads_for(concurrency),
                "policy": client.policy,
            },
        )
        thread.start()

        def end() -> None:
            control.cancel()
            thread.join()
            client.close()

        return end

    return begin


def threads(concurrency: int, one: Callable[[], Callable[[], object]]) -> Begin:
    """Return what starts plain threads, each asking again and again."""

    def begin() -> Callable[[], None]:
        stopping = threading.Event()

        def work() -> None:
            ask = one()
            while not stopping.is_set():
                ask()

        started = [threading.Thread(target=work) for _ in range(concurrency)]
        for thread in started:
            thread.start()

        def end() -> None:
            stopping.set()
            for thread in started:
                thread.join()

        return end

    return begin


def bare(url: str) -> Callable[[], object]:
    """Return a request without any client package."""
    connection = _connection(url)
    body = json.dumps({"model": "m", "messages": [{"role": "user", "content": PROMPT}]})

    def ask() -> object:
        connection.request("POST", "/v1/chat/completions", body, {"Content-Type": "application/json"})
        return json.loads(connection.getresponse().read())

    return ask
