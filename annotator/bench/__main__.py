"""Runs the measurements, each group in a process of its own, and prints their figures as one JSON document.

python -m annotator.bench [GROUP...] [--subjects N]
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

from annotator.bench.figures import Figure

GROUPS = (
    "start", "store", "window", "text", "criteria", "results", "mining", "dump", "sandbox", "generation",
)  # fmt: skip
SUBJECTS = 100_000


def run(groups: Sequence[str], subjects: int) -> dict[str, object]:
    """Measure some groups on a project of so many subjects; a group that fails is told with its last line."""
    found: list[dict[str, object]] = []
    failed: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as folder:
        for group in groups:
            words = [sys.executable, "-m", "annotator.bench", group, "--subjects", str(subjects), "--in", folder]
            done = subprocess.run(words, capture_output=True, text=True, check=False)  # noqa: S603
            if done.returncode:
                failed[group] = (done.stderr.strip().splitlines() or ["no reason was given"])[-1]
                continue
            found += json.loads(done.stdout.splitlines()[-1])
    return {"subjects": subjects, "figures": found, "failed": failed}


def measured(group: str, folder: Path, subjects: int) -> list[dict[str, object]]:
    """Measure one group in this process."""
    module = importlib.import_module(f"annotator.bench.{group}")
    figures: list[Figure] = module.measure(folder, subjects)
    return [{**asdict(figure), "ratio": figure.ratio} for figure in figures]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m annotator.bench")
    parser.add_argument("groups", nargs="*", metavar="GROUP", help=f"of {', '.join(GROUPS)}; default: all")
    parser.add_argument("--subjects", type=int, default=SUBJECTS, metavar="N")
    parser.add_argument("--in", dest="folder", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    unknown = [name for name in options.groups if name not in GROUPS]
    if unknown:
        parser.error(f"there is no group {unknown[0]}; there are: {', '.join(GROUPS)}")
    if options.folder is not None:
        answer: object = measured(options.groups[0], options.folder, options.subjects)
    else:
        answer = run(options.groups or GROUPS, options.subjects)
    sys.stdout.write(json.dumps(answer, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
