"""Coverage of a program's own lines, in one form for all languages.

``{"executed": [line], "missing": [line], "branches": [[line, taken, total]], "arms": [[line, [0 or 1 ...]]]}``, lines
counted from 1 in the job's code. Arms say which branches were taken, in an order that is the same in every run; they
are there only for tools that tell.
"""

from __future__ import annotations

import glob
import json
import os
from typing import Any

_LIMIT = 32 * 1024 * 1024


def python(path: str, lines: int) -> dict[str, Any] | None:
    """Read coverage.py's JSON report."""
    report = _load(path)
    files = report.get("files", {}) if isinstance(report, dict) else {}
    for found in files.values():
        ways = [(*arc, 1) for arc in found.get("executed_branches", [])]
        ways += [(*arc, 0) for arc in found.get("missing_branches", [])]
        arms: dict[int, list[int]] = {}
        for start, _, taken in sorted(ways):
            arms.setdefault(abs(start), []).append(taken)
        return _form(found["executed_lines"], found["missing_lines"], _counted(arms), lines, arms)
    return None


def v8(folder: str, file: str, lines: int) -> dict[str, Any] | None:
    """Read Node's coverage: character ranges with counts, the inner ones outranking the outer."""
    with open(file, encoding="utf-8") as stream:
        text = stream.read()
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    for path in glob.glob(os.path.join(folder, "*.json")):
        report = _load(path)
        for script in report.get("result", []) if isinstance(report, dict) else []:
            if str(script.get("url", "")).endswith("/" + file):
                return _ranges(script["functions"], text, starts, lines)
    return None


def _ranges(functions: list[Any], text: str, starts: list[int], lines: int) -> dict[str, Any]:
    executed: list[int] = []
    missing: list[int] = []
    branches: dict[int, list[int]] = {}
    ranges = [item for function in functions for item in function["ranges"]]
    for number in range(1, lines + 1):
        first, last = starts[number - 1], starts[number] if number < len(starts) else len(text)
        content = text[first:last]
        if content.strip() in ("", "}", "{", "};", ")", ");") or content.strip().startswith("//"):
            continue
        at = first + len(content) - len(content.lstrip())
        covering = [item for item in ranges if item["startOffset"] <= at < item["endOffset"]]
        count = min(covering, key=_width)["count"] if covering else 1
        (executed if count else missing).append(number)
    for function in functions:
        if function.get("isBlockCoverage"):
            for item in function["ranges"][1:]:
                number = text.count("\n", 0, item["startOffset"]) + 1
                both = branches.setdefault(number, [0, 0])
                both[0] += bool(item["count"])
                both[1] += 1
    return _form(executed, missing, branches, lines)


def _width(item: dict[str, int]) -> int:
    return item["endOffset"] - item["startOffset"]


def gcov(file: str, lines: int) -> dict[str, Any] | None:
    """Ask gcov about the compiled file."""
    # Loaded here: what the supervisor has loaded is copied by every fork.
    import subprocess

    data = glob.glob("*.gcda")
    if not data:
        return None
    done = subprocess.run(
        ["gcov", "--json-format", "--stdout", "--branch-probabilities", data[0]],
        capture_output=True,
        check=False,
        timeout=20,
    )
    executed: set[int] = set()
    missing: set[int] = set()
    arms: dict[int, list[int]] = {}
    for row in done.stdout[:_LIMIT].splitlines():
        try:
            report = json.loads(row)
        except (ValueError, RecursionError):
            continue
        for found in report.get("files", []):
            if found.get("file") != file:
                continue
            for line in found["lines"]:
                number = line["line_number"]
                (executed if line["count"] else missing).add(number)
                for branch in line.get("branches", []):
                    if not branch.get("throw"):
                        arms.setdefault(number, []).append(int(bool(branch["count"])))
    return _form(executed, missing - executed, _counted(arms), lines, arms)


def _counted(arms: dict[int, list[int]]) -> dict[int, list[int]]:
    return {number: [sum(taken), len(taken)] for number, taken in arms.items()}


def jacoco(path: str, before: int, lines: int) -> dict[str, Any] | None:
    """Read what Cover.java wrote: line, instructions executed, branches taken, all; ``before`` lines come first."""
    executed: set[int] = set()
    missing: set[int] = set()
    branches: dict[int, list[int]] = {}
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as stream:
            rows = stream.read(_LIMIT).decode("ascii", "replace").splitlines()
    except OSError:
        return None
    for row in rows:
        numbers = [int(item) for item in row.split() if item.isdigit()]
        if len(numbers) == 4 and numbers[0] > before:
            number, count, taken, total = numbers[0] - before, *numbers[1:]
            (executed if count else missing).add(number)
            if total:
                branches[number] = [taken, total]
    return _form(executed, missing - executed, branches, lines)


def _form(
    executed: Any,
    missing: Any,
    branches: dict[int, list[int]],
    lines: int,
    arms: dict[int, list[int]] | None = None,
) -> dict[str, Any]:
    return {
        "executed": sorted(number for number in executed if number <= lines),
        "missing": sorted(number for number in missing if number <= lines),
        "branches": [[number, *both] for number, both in sorted(branches.items()) if 0 < number <= lines],
        "arms": [[number, taken] for number, taken in sorted((arms or {}).items()) if 0 < number <= lines],
    }


def _load(path: str) -> Any:
    """Read a small JSON file that a job wrote; an empty object for anything else."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with open(fd, "rb") as stream:
            return json.loads(stream.read(_LIMIT))
    except (OSError, ValueError, RecursionError):
        return {}
