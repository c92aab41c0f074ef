"""How busy a run keeps an endpoint: requests held there, as the endpoint counts them, beside bare connections."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from annotator.bench import asking
from annotator.bench.figures import Figure, at_most, reaching

LIMIT = 64
_ANSWER_S, _WATCHED_S = 0.05, 5.0


def measure(_folder: Path, _subjects: int) -> list[Figure]:
    """Measure against an endpoint that answers after 50 ms, 64 requests at a time."""
    sys.setswitchinterval(asking.SWITCH_S)
    with endpoint() as url:
        floor = asking.watched(url, _WATCHED_S, asking.threads(LIMIT, partial(asking.bare, url)))
        ours = asking.watched(url, _WATCHED_S, asking.engine(url, LIMIT))
    beside = (floor.in_flight, "bare http.client")
    return [
        reaching("generation", f"requests held of {LIMIT}", ours.in_flight, "", 0.95, (float(LIMIT), "the limit")),
        reaching("generation", "beside as many bare connections", ours.in_flight, "", 0.95, beside),
        at_most("generation", "processors used", ours.cores, "", 1),
    ]


@contextmanager
def endpoint() -> Iterator[str]:
    """Run an endpoint as a process of its own; yields its address."""
    words = [sys.executable, "-m", "annotator.bench.endpoint", str(_ANSWER_S)]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)  # noqa: S603
    try:
        if process.stdout is None:
            raise RuntimeError("the endpoint says nothing")
        yield f"http://127.0.0.1:{int(process.stdout.readline())}"
    finally:
        process.kill()
        process.wait()
