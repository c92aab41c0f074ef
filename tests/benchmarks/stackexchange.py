"""The survey of a dump, side by side with bare ``iterparse`` over the same file, and the memory each takes.

    python -m tests.benchmarks.stackexchange [--posts 2000000] [--rounds 3] [--json]

Floor: the standard library's ``iterparse`` that throws every element away. Each reading is a process of its own, so
that its peak memory is its own. Figures are ratios; seconds differ between machines.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import date
from pathlib import Path

from annotator.bench.dump import bare
from tests.mining.stackexchange import made_dump

ROOT = Path(__file__).parents[2]


def ours(path: Path) -> None:
    """Survey the dump into a folder."""
    from annotator.mining.stackexchange.survey import SurveyOptions, survey

    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        survey(path, SurveyOptions(date(2023, 6, 14)), Path(folder))


def whole(path: Path) -> None:
    """Survey the dump, count the funnel and make every question's Markdown."""
    from annotator.mining.stackexchange import funnel
    from annotator.mining.stackexchange.kept import Kept
    from annotator.mining.stackexchange.questions import questions
    from annotator.mining.stackexchange.survey import SurveyOptions, survey
    from annotator.mining.stackexchange.tags import default_tree

    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        survey(path, SurveyOptions(date(2023, 6, 14)), Path(folder))
        kept, tree = Kept(Path(folder)), default_tree()
        found = funnel.count(kept, kept.points(), list(kept.heads()), tree)
        assert found["selected"] == sum(1 for _ in questions(kept, tree))


READERS = {"bare": bare, "ours": ours, "whole": whole}


def measure(name: str, path: Path) -> tuple[float, float]:
    """Run a reader in a process of its own; returns seconds and peak megabytes."""
    argv = [sys.executable, "-m", "tests.benchmarks.stackexchange", "--reader", name, str(path)]
    done = subprocess.run(argv, check=True, capture_output=True, text=True, cwd=ROOT)
    seconds, peak = json.loads(done.stdout)
    return seconds, peak


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--posts", type=int, default=2_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--reader", choices=READERS)
    parser.add_argument("path", nargs="?", type=Path)
    options = parser.parse_args()
    if options.reader:
        start = time.perf_counter()
        READERS[options.reader](options.path)
        print(json.dumps([time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024]))
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "Posts.xml"
        truth = made_dump.write(path, options.posts)
        megabytes = path.stat().st_size / 1e6
        rounds = [{name: measure(name, path) for name in READERS} for _ in range(options.rounds)]
    table = {
        name: {
            "posts/s": round(options.posts / statistics.median(one[name][0] for one in rounds)),
            "ratio": round(statistics.median(one["bare"][0] / one[name][0] for one in rounds), 3),
            "peak MB": round(max(one[name][1] for one in rounds), 1),
        }
        for name in READERS
    }
    if options.json:
        print(
            json.dumps({"posts": options.posts, "MB": round(megabytes), "selected": truth.selected, "readers": table})
        )
        return
    print(f"{options.posts} posts, {megabytes:.0f} MB, {truth.selected} selected")
    for name, row in table.items():
        print(f"{name:8s} {row['posts/s']:>9} posts/s  {row['ratio']:.3f}  {row['peak MB']:8.1f} MB")


if __name__ == "__main__":
    main()
