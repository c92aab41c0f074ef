"""Measure the program against its performance goals, each figure beside the floor or peer its goal is a ratio of.

    python -m tests.benchmarks [GROUP...] [--subjects N] [--json] [--record]

Each group runs in a process of its own, with nothing imported but what it needs. Figures are compared with others of
the same run, and their ratios with those recorded last (`history.jsonl`, a line per release, which --record writes).
Leave the machine alone meanwhile.
"""

from __future__ import annotations

import argparse
import importlib
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from annotator import __version__
from annotator.cli.output import text_table
from tests.benchmarks import history
from tests.benchmarks.figures import Figure

ROOT = Path(__file__).parents[2]
GROUPS = (
    "start", "store", "window", "text", "criteria", "results", "mining", "dump", "sandbox", "generation",
)  # fmt: skip
"""What is measured unless groups are named."""
MORE = ("metrics", "result_tables", "notebook", "scatter", "runs_window", "published_tests", "proving", "calls")
"""What is measured only when named: it takes long, or needs more than the program itself."""
SUBJECTS, LEAST = 100_000, 1_000


def run(groups: Sequence[str], subjects: int) -> dict[str, Any]:
    """Measure some groups on a project of so many subjects; of a failed group the error's last line is kept."""
    found: list[dict[str, object]] = []
    failed: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as folder:
        for group in groups:
            words = [sys.executable, "-m", "tests.benchmarks", group, "--subjects", str(subjects), "--in", folder]
            done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
            if done.returncode:
                failed[group] = (done.stderr.strip().splitlines() or ["no reason was given"])[-1]
                continue
            found += json.loads(done.stdout.splitlines()[-1])
    return {"subjects": subjects, "figures": found, "failed": failed}


def measure_group(group: str, folder: Path, subjects: int) -> list[dict[str, object]]:
    """Measure one group in this process."""
    module = importlib.import_module(f"tests.benchmarks.{group}")
    figures: list[Figure] = module.measure(folder, subjects)
    return [{**asdict(figure), "ratio": figure.ratio} for figure in figures]


def as_table(found: dict[str, Any]) -> str:
    """Return all figures as one table beside those recorded last, with the groups that failed below."""
    version, before = history.previous_record()
    headers = ("goal of", "what", "measured", "floor or peer", "ratio", version or "before", "goal", "here")
    text = text_table(headers, [_line(figure, before) for figure in found["figures"]], (2, 4, 5))
    return "\n".join([text, *(f"{group} could not be measured: {reason}" for group, reason in found["failed"].items())])


def _line(figure: dict[str, Any], before: history.Record) -> tuple[str, ...]:
    unit = f" {figure['unit']}" if figure["unit"] else ""
    floor = f"{_number(figure['floor'])}{unit}, {figure['floor_name']}" if figure["floor"] else ""
    ratio = f"{figure['ratio']:.2f}" if figure["ratio"] else ""
    here = {True: "met", False: "missed", None: ""}[figure["met"]]
    earlier, is_worse = history.compare_figure(figure, before)
    if is_worse:
        here = f"{here}, worse".removeprefix(", ")
    value = f"{_number(figure['value'])}{unit}"
    return (figure["row"], figure["what"], value, floor, ratio, earlier, figure["goal"], here)


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.2f}"


def main(words: Sequence[str] | None = None) -> int:
    """Measure and print; returns 1 if a group could not be measured."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks")
    parser.add_argument("groups", nargs="*", metavar="GROUP",
                        help=f"of {', '.join(GROUPS)} (default: all of these) and {', '.join(MORE)}")  # fmt: skip
    parser.add_argument("--subjects", type=int, default=SUBJECTS, metavar="N", help="the size of the project measured")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("--record", action="store_true", help=f"write the figures into {history.HISTORY.name}")
    parser.add_argument("--in", dest="folder", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args(words)
    unknown = [name for name in options.groups if name not in (*GROUPS, *MORE)]
    if unknown:
        parser.error(f"there is no group {unknown[0]}; there are: {', '.join([*GROUPS, *MORE])}")
    if options.subjects < LEAST:
        parser.error(f"measure on at least {LEAST:,} subjects")
    if options.folder is not None:
        print(json.dumps(measure_group(options.groups[0], options.folder, options.subjects), ensure_ascii=False))
        return 0
    found = run(options.groups or GROUPS, options.subjects)
    print(json.dumps(found, ensure_ascii=False) if options.json else as_table(found))
    if options.record:
        history.write_record(__version__, options.subjects, found["figures"])
    return 1 if found["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
