"""The survey of a Stack Exchange dump beside bare ``iterparse``; each reading is a process with its own memory."""

from __future__ import annotations

import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from xml.etree import ElementTree

from annotator.mining.stackexchange import funnel
from annotator.mining.stackexchange.questions import selected_questions
from annotator.mining.stackexchange.survey import SurveyOptions, survey_posts
from annotator.mining.stackexchange.survey_result import SurveyResult
from annotator.mining.stackexchange.tags import default_tag_tree
from tests.benchmarks.figures import Figure, at_most, reaching
from tests.mining.stackexchange import made_dump

ROOT = Path(__file__).parents[2]
POSTS = 200_000
_ROUNDS = 3
_BARE = "bare iterparse"


def measure(folder: Path, _subjects: int) -> list[Figure]:
    """Measure on a made dump."""
    path = folder / "Posts.xml"
    made_dump.write(path, POSTS)
    rounds = [{name: run(name, path) for name in READERS} for _ in range(_ROUNDS)]
    path.unlink()
    rate = {name: statistics.median(POSTS / one[name][0] for one in rounds) for name in READERS}
    peak = {name: max(one[name][1] for one in rounds) for name in READERS}
    beside = (rate["bare"], _BARE)
    return [
        reaching("dump", f"survey of {POSTS:,} posts", rate["survey"], "1/s", 0.6, beside),
        Figure("dump", "with the funnel and every question's Markdown", rate["whole"], "1/s", floor=rate["bare"],
               floor_name=_BARE),
        at_most("dump", "memory of the survey", peak["survey"], "MB", 150, (peak["bare"], _BARE)),
        at_most("dump", "memory with all questions", peak["whole"], "MB", 150, (peak["bare"], _BARE)),
    ]  # fmt: skip


def run(name: str, path: Path) -> tuple[float, float]:
    """Read a dump in a process of its own; returns the seconds and the peak of memory in megabytes."""
    words = [sys.executable, "-m", "tests.benchmarks.dump", name, str(path)]
    done = subprocess.run(words, cwd=ROOT, check=True, capture_output=True, text=True)
    seconds, peak = json.loads(done.stdout)
    return seconds, peak


def read_bare(path: Path) -> None:
    """Read every element of a dump and throw it away."""
    events = ElementTree.iterparse(path, events=("start", "end"))
    _, root = next(events)
    for event, _element in events:
        if event == "end":
            root.clear()


def read_survey(path: Path) -> None:
    """Survey the dump into a folder."""
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        survey_posts(path, SurveyOptions(made_dump.AS_OF), Path(folder))


def read_whole(path: Path) -> None:
    """Survey the dump, count the funnel and make every question's Markdown."""
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        survey_posts(path, SurveyOptions(made_dump.AS_OF), Path(folder))
        kept, tree = SurveyResult(Path(folder)), default_tag_tree()
        counter = funnel.FunnelCounter(kept, kept.points(), list(kept.heads()), tree)
        found = counter.count(kept.options.line).funnel
        assert found["selected"] == sum(1 for _ in selected_questions(kept, tree))


READERS = {"bare": read_bare, "survey": read_survey, "whole": read_whole}


def main(name: str, path: Path) -> None:
    """Read once; print the seconds and the peak of memory in megabytes."""
    start = time.perf_counter()
    READERS[name](path)
    seconds = time.perf_counter() - start
    # Linux counts in kilobytes, macOS in bytes.
    unit = 1024 if sys.platform.startswith("linux") else 1024 * 1024
    print(json.dumps([seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit]))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
