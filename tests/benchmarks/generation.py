"""How busy a run keeps an endpoint: requests held there, as the endpoint counts them, beside bare connections."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from tests.benchmarks import asking
from tests.benchmarks.figures import Figure, at_most, reaching

LIMIT = 64
ROOT = Path(__file__).parents[2]
_ANSWER_S, _WATCHED_S = 0.5, 5.0


def measure(_folder: Path, _subjects: int) -> list[Figure]:
    """Measure against an endpoint that answers after half a second, 64 requests at a time."""
    sys.setswitchinterval(asking.SWITCH_S)
    with endpoint() as url:
        floor = asking.watched(url, _WATCHED_S, asking.threads(LIMIT, partial(asking.bare, url)))
        peer = asking.watched(url, _WATCHED_S, asking.threads(LIMIT, openai_client(url)))
        ours = asking.watched(url, _WATCHED_S, asking.engine(url, LIMIT))
        streamed = asking.watched(url, _WATCHED_S, asking.engine(url, LIMIT, stream=True))
    beside, limit = (floor.in_flight, "bare http.client"), (float(LIMIT), "the limit")
    return [
        reaching("generation", f"requests held of {LIMIT}", ours.in_flight, "", 0.95, limit),
        reaching("generation", f"requests held of {LIMIT}, streamed", streamed.in_flight, "", 0.95, limit),
        reaching("generation", "beside as many bare connections", ours.in_flight, "", 0.95, beside),
        Figure("generation", "by the openai package", peer.in_flight, "", floor=floor.in_flight, floor_name=beside[1]),
        at_most("generation", "processors used", ours.cores, "", 1),
    ]


def openai_client(url: str) -> Callable[[], Callable[[], object]]:
    """Return the openai package's own request, one client for all threads."""
    import openai

    client = openai.OpenAI(api_key="none", base_url=f"{url}/v1", max_retries=0)

    def one() -> Callable[[], object]:
        return lambda: client.chat.completions.create(model="m", messages=[{"role": "user", "content": asking.PROMPT}])

    return one


@contextmanager
def endpoint() -> Iterator[str]:
    """Run an endpoint as a process of its own; yields its address."""
    words = [sys.executable, "-m", "tests.llm.server", "0", str(_ANSWER_S)]
    process = subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        if process.stdout is None:
            raise RuntimeError("the endpoint says nothing")
        yield f"http://127.0.0.1:{int(process.stdout.readline())}"
    finally:
        process.kill()
        process.wait()
