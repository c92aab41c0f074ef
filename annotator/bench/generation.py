"""How busy a run keeps an endpoint: requests held there, as the endpoint counts them, beside bare connections."""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

from annotator.bench.figures import Figure, at_most, reaching
from annotator.evaluation.engine import Scoring, run, threads_for
from annotator.evaluation.executors import LocalExecutor
from annotator.evaluation.planning import plan
from annotator.evaluation.presets import Pass, preset
from annotator.jobs.progress import Progress
from annotator.llm import Client, Decoding, Endpoint

LIMIT = 64
_ANSWER_S, _SETTLE_S, _WATCHED_S = 0.05, 1.0, 5.0
_SWITCH_S = 0.0005
_PROMPT = "Write a function that adds two numbers. " * 12
Stop = Callable[[], None]


def measure(_folder: Path, _subjects: int) -> list[Figure]:
    """Measure against an endpoint that answers after 50 ms, 64 requests at a time."""
    # As the application sets it: a thread that waits for its turn gets it sooner.
    sys.setswitchinterval(_SWITCH_S)
    with _endpoint() as port:
        bare, _ = _watched(port, lambda: _bare(port))
        held, cores = _watched(port, lambda: _engine(port))
    beside = (bare, "bare http.client")
    return [
        reaching("generation", f"requests held of {LIMIT}", held, "", 0.95, (float(LIMIT), "the limit")),
        reaching("generation", "beside as many bare connections", held, "", 0.95, beside),
        at_most("generation", "processors used", cores, "", 1),
    ]


@contextmanager
def _endpoint() -> Iterator[int]:
    words = [sys.executable, "-m", "annotator.bench.endpoint", str(_ANSWER_S)]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)  # noqa: S603
    try:
        if process.stdout is None:
            raise RuntimeError("the endpoint says nothing")
        yield int(process.stdout.readline())
    finally:
        process.kill()
        process.wait()


def _watched(port: int, begin: Callable[[], Stop]) -> tuple[float, float]:
    """Start something, let it settle, then watch; returns the mean of requests held and the processors used here."""
    stop = begin()
    time.sleep(_SETTLE_S)
    first, cpu = _counts(port), time.process_time()
    time.sleep(_WATCHED_S)
    last, used = _counts(port), time.process_time() - cpu
    stop()
    seconds = last["moment"] - first["moment"]
    return (last["area"] - first["area"]) / seconds, used / seconds


def _counts(port: int) -> dict[str, float]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request("GET", "/counts")
    found: dict[str, float] = json.loads(connection.getresponse().read())
    connection.close()
    return found


class _Nothing:
    """A sink that only takes."""

    def answers(self, batch: Sequence[Any]) -> None:
        """Take answers."""

    failures = scores = answers

    def known(self, key: Any) -> Any:
        """Know nothing."""
        del key


def _engine(port: int) -> Stop:
    endpoint = Endpoint(f"http://127.0.0.1:{port}/v1", concurrency=LIMIT)
    protocol = replace(preset("plain"), passes=(Pass(Decoding(temperature=0.2), 5),))
    items = ({"id": f"i{number}", "key": "k", "prompt": f"{number} {_PROMPT}"} for number in count())
    client, control = Client(endpoint), Progress()
    thread = threading.Thread(
        target=run,
        args=(plan(items, protocol, "m", endpoint), lambda item: client.ask(item.request), _Nothing()),
        kwargs={
            "scoring": Scoring(LocalExecutor(len, 1), lambda finished: finished.answer.text),
            "control": control,
            "workers": threads_for(LIMIT),
        },
    )
    thread.start()

    def stop() -> None:
        control.cancel()
        thread.join()
        client.close()

    return stop


def _bare(port: int) -> Stop:
    stopping = threading.Event()
    body = json.dumps({"model": "m", "messages": [{"role": "user", "content": _PROMPT}]})

    def work() -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port)
        while not stopping.is_set():
            connection.request("POST", "/v1/chat/completions", body, {"Content-Type": "application/json"})
            json.loads(connection.getresponse().read())
        connection.close()

    started = [threading.Thread(target=work) for _ in range(LIMIT)]
    for thread in started:
        thread.start()

    def stop() -> None:
        stopping.set()
        for thread in started:
            thread.join()

    return stop
