"""The survey of a Stack Exchange dump beside bare ``iterparse``; each reading is a process with its own memory."""

from __future__ import annotations

import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import date, timedelta
from pathlib import Path
from xml.etree import ElementTree
from xml.sax.saxutils import quoteattr

from annotator.bench import making
from annotator.bench.figures import Figure, at_most, reaching

POSTS = 200_000
_ROUNDS = 3
_FIRST, _AS_OF = date(2009, 1, 1), date(2023, 6, 14)
_TAGS = ("python", "javascript", "java", "c#", "json", "regex", "docker", "android")


def measure(folder: Path, _subjects: int) -> list[Figure]:
    """Measure on a made dump."""
    path = folder / "Posts.xml"
    _write(path, POSTS)
    rounds = [{name: _run(name, path) for name in ("bare", "survey")} for _ in range(_ROUNDS)]
    path.unlink()
    bare, ours = (statistics.median(POSTS / one[name][0] for one in rounds) for name in ("bare", "survey"))
    peak = max(one["survey"][1] for one in rounds)
    floor = max(one["bare"][1] for one in rounds)
    return [
        reaching("dump", f"survey of {POSTS:,} posts", ours, "1/s", 0.6, (bare, "bare iterparse")),
        at_most("dump", "memory of the survey", peak, "MB", 150, (floor, "bare iterparse")),
    ]


def _write(path: Path, posts: int) -> None:
    """Write a made dump: of every four posts one is a question, the others answers to it."""
    chance, pool = random.Random(11), making.words(11, 2000)
    with path.open("w", encoding="utf-8") as stream:
        stream.write('<?xml version="1.0" encoding="utf-8"?>\n<posts>\n')
        for number in range(1, posts + 1):
            question = (number - 1) // 4 * 4 + 1
            made = _FIRST + timedelta(days=question % 5000)
            row = {"Id": number, "CreationDate": f"{made}T08:00:00.000", "Score": chance.randrange(-2, 30),
                   "Body": f"<p>{' '.join(chance.choices(pool, k=110))}</p>"}  # fmt: skip
            if number == question:
                row |= {"PostTypeId": 1, "AcceptedAnswerId": number + 1, "ViewCount": chance.randrange(200_000),
                        "Title": " ".join(chance.choices(pool, k=8)), "AnswerCount": 3,
                        "Tags": f"<{chance.choice(_TAGS)}><{chance.choice(_TAGS)}>"}  # fmt: skip
            else:
                row |= {"PostTypeId": 2, "ParentId": question}
            stream.write(f"  <row {' '.join(f'{name}={quoteattr(str(value))}' for name, value in row.items())} />\n")
        stream.write("</posts>\n")


def _run(name: str, path: Path) -> tuple[float, float]:
    words = [sys.executable, "-m", "annotator.bench.dump", name, str(path)]
    done = subprocess.run(words, check=True, capture_output=True, text=True)  # noqa: S603
    seconds, peak = json.loads(done.stdout)
    return seconds, peak


def bare(path: Path) -> None:
    """Read every element of a dump and throw it away."""
    # Our own file of a moment ago; nothing hostile can stand in it.
    events = ElementTree.iterparse(path, events=("start", "end"))  # noqa: S314
    _, root = next(events)
    for event, _element in events:
        if event == "end":
            root.clear()


def _survey(path: Path) -> None:
    from annotator.mining.stackexchange.survey import SurveyOptions, survey

    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        survey(path, SurveyOptions(_AS_OF), Path(folder))


def _main(name: str, path: Path) -> None:
    """Read once; print the seconds and the peak of memory in megabytes."""
    import resource

    start = time.perf_counter()
    {"bare": bare, "survey": _survey}[name](path)
    seconds = time.perf_counter() - start
    # Linux counts in kilobytes, macOS in bytes.
    unit = 1024 if sys.platform.startswith("linux") else 1024 * 1024
    sys.stdout.write(json.dumps([seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit]) + "\n")


if __name__ == "__main__":
    _main(sys.argv[1], Path(sys.argv[2]))
