"""How busy the engine keeps an endpoint: requests in flight as the server counts them, side by side with its peers.

    python tests/benchmarks/generation.py [--json] [--seconds 5] [--concurrency 64]

The server is a process of its own that answers after 50 ms. Floor: the limit itself. Peers: the same threads around a
bare ``http.client`` connection each, and around the openai package's own ``chat.completions.create``.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from annotator.bench.asking import PROMPT, SWITCH_S, bare, engine, threads, watched  # noqa: E402


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
    sys.setswitchinterval(SWITCH_S)
    rows: dict[str, dict[str, float]] = {}
    with server(0.05) as url:
        for name, begin in (
            ("bare http.client", threads(limit, lambda: bare(url))),
            ("openai package", threads(limit, package(url))),
            ("engine", engine(url, limit)),
            ("engine, streamed", engine(url, limit, stream=True)),
        ):
            busy = watched(url, options.seconds, begin)
            rows[name] = {**asdict(busy), "busy": busy.in_flight / limit}
    if options.json:
        print(json.dumps({"limit": limit, "load": os.getloadavg()[0], "rows": rows}, indent=2))
        return
    print(f"{limit} allowed in flight, 50 ms an answer, load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    for name, row in rows.items():
        busy = f"{row['in_flight']:6.1f} in flight {row['busy']:7.1%}"
        print(f"{name:18} {busy} {row['rate']:7.0f}/s {row['cores']:5.2f} cores")


if __name__ == "__main__":
    main()
