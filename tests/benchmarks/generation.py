"""How busy the engine keeps an endpoint: requests in flight as the server counts them, side by side with its peers.

    python tests/benchmarks/generation.py [--json] [--seconds 5] [--concurrency 64]

The server is a process of its own that answers after 50 ms. Floor: the limit itself. Peers: the same threads around a
bare ``http.client`` connection each, and around the openai package's own ``chat.completions.create``.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from annotator.evaluation.engine import Scoring, run, threads_for  # noqa: E402
from annotator.evaluation.executors import LocalExecutor  # noqa: E402
from annotator.evaluation.planning import plan  # noqa: E402
from annotator.evaluation.presets import Pass, preset  # noqa: E402
from annotator.jobs.progress import Progress  # noqa: E402
from annotator.llm import Client, Decoding, Endpoint  # noqa: E402

PROMPT = "Write a function that adds two numbers. " * 12
SWITCH_S = 0.0005


@contextmanager
def server(delay_s: float) -> Iterator[str]:
    """Run the scripted server as a process; yields its address."""
    argv = [sys.executable, "-m", "tests.llm.server", "0", str(delay_s)]
    process = subprocess.Popen(argv, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield f"http://127.0.0.1:{int(process.stdout.readline())}"
    finally:
        process.kill()
        process.wait()


def measured(url: str, seconds: float, begin: Callable[[], Callable[[], None]]) -> dict[str, float]:
    """Start something, let it settle for a second, then watch; returns the mean in flight, rate and CPU share."""
    end = begin()
    time.sleep(1.0)
    first, cpu, started = seen(url), time.process_time(), time.perf_counter()
    time.sleep(seconds)
    last, used, took = seen(url), time.process_time() - cpu, time.perf_counter() - started
    end()
    in_flight = (last["area"] - first["area"]) / (last["moment"] - first["moment"])
    return {"in_flight": in_flight, "rate": (last["requests"] - first["requests"]) / took, "cores": used / took}


def seen(url: str) -> dict[str, float]:
    """Ask the server what it counted."""
    with urllib.request.urlopen(f"{url}/counts") as answer:
        found: dict[str, float] = json.load(answer)
    return found


class Nothing:
    """A sink that only takes."""

    def answers(self, batch: Sequence[Any]) -> None:
        """Take answers."""

    failures = scores = answers

    def known(self, key: Any) -> Any:
        """Know nothing."""
        return None


def engine(url: str, concurrency: int, *, stream: bool = False) -> Callable[[], Callable[[], None]]:
    """Return what starts a whole run: plan, client, scoring and sink."""

    def begin() -> Callable[[], None]:
        endpoint = Endpoint(f"{url}/v1", concurrency=concurrency, stream=stream)
        protocol = replace(preset("plain"), passes=(Pass(Decoding(temperature=0.2), 5),))
        items = ({"id": f"i{number}", "key": "k", "prompt": f"{number} {PROMPT}"} for number in count())
        client, control = Client(endpoint), Progress()
        thread = threading.Thread(
            target=run,
            args=(plan(items, protocol, "m", endpoint), lambda item: client.ask(item.request), Nothing()),
            kwargs={
                "scoring": Scoring(LocalExecutor(lambda text: len(text), 1), lambda finished: finished.answer.text),
                "control": control,
                "workers": threads_for(concurrency),
            },
        )
        thread.start()

        def end() -> None:
            control.cancel()
            thread.join()
            client.close()

        return end

    return begin


def threads(concurrency: int, one: Callable[[], Callable[[], object]]) -> Callable[[], Callable[[], None]]:
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
    connection = http.client.HTTPConnection(url.removeprefix("http://"))
    body = json.dumps({"model": "m", "messages": [{"role": "user", "content": PROMPT}]})

    def ask() -> object:
        connection.request("POST", "/v1/chat/completions", body, {"Content-Type": "application/json"})
        return json.loads(connection.getresponse().read())

    return ask


def package(url: str) -> Callable[[], Callable[[], object]]:
    """Return the openai package's own request, one client for all threads."""
    import openai

    client = openai.OpenAI(api_key="none", base_url=f"{url}/v1", max_retries=0)

    def one() -> Callable[[], object]:
        return lambda: client.chat.completions.create(model="m", messages=[{"role": "user", "content": PROMPT}])

    return one


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--concurrency", type=int, default=64)
    options = parser.parse_args()
    limit = options.concurrency
    # As the application sets it: a thread that waits for its turn gets it sooner.
    sys.setswitchinterval(SWITCH_S)
    rows: dict[str, dict[str, float]] = {}
    with server(0.05) as url:
        for name, begin in (
            ("bare http.client", threads(limit, lambda: bare(url))),
            ("openai package", threads(limit, package(url))),
            ("engine", engine(url, limit)),
            ("engine, streamed", engine(url, limit, stream=True)),
        ):
            rows[name] = measured(url, options.seconds, begin)
    for row in rows.values():
        row["busy"] = row["in_flight"] / limit
    if options.json:
        print(json.dumps({"limit": limit, "load": os.getloadavg()[0], "rows": rows}, indent=2))
        return
    print(f"{limit} allowed in flight, 50 ms an answer, load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    for name, row in rows.items():
        busy = f"{row['in_flight']:6.1f} in flight {row['busy']:7.1%}"
        print(f"{name:18} {busy} {row['rate']:7.0f}/s {row['cores']:5.2f} cores")


if __name__ == "__main__":
    main()
