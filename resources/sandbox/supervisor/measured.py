"""Coverage of a program's own lines, in one form for all languages.

``{"executed": [line], "missing": [line], "branches": [[line, taken, total]], "arms": [[line, [0 or 1 ...], owner]]}``,
lines counted from 1 in the job's code. Arms say which branches were taken, in an order that is the same in every run;
an owner tells apart the instances of a template, which share their lines.
"""

from __future__ import annotations

import glob
import json
import os
import re
from typing import Any

_LIMIT = 32 * 1024 * 1024
_Arms = dict[tuple[int, str], list[int]]


def python(path: str, lines: int) -> dict[str, Any] | None:
    """Read coverage.py's JSON report."""
    report = _load(path)
    files = report.get("files", {}) if isinstance(report, dict) else {}
    for file_report in files.values():
        ways = [(*arc, 1) for arc in file_report.get("executed_branches", [])]
        ways += [(*arc, 0) for arc in file_report.get("missing_branches", [])]
        arms: _Arms = {}
        for start, _, is_taken in sorted(ways):
            arms.setdefault((abs(start), ""), []).append(is_taken)
        return _form(file_report["executed_lines"], file_report["missing_lines"], lines, arms)
    return None


def notes() -> dict[str, bytes]:
    """Return what the compiler wrote for gcov. It is kept from before the program runs, which could write it anew."""
    contents = {}
    for path in glob.glob("*.gcno"):
        with open(path, "rb") as stream:
            contents[path] = stream.read(_LIMIT)
    return contents


def program(kind: str, report: bytes, lines: int, compiler_notes: dict[str, bytes]) -> dict[str, Any] | None:
    """Read what a guard told behind the nonce."""
    if not report:
        return None
    if kind == "v8":
        return {"script": json.loads(report), "lines": lines}
    return gcov(report, compiler_notes, lines) if kind == "gcov" else jacoco(report)


def gcov(counts: bytes, compiler_notes: dict[str, bytes], lines: int) -> dict[str, Any] | None:
    """Ask gcov about the counts of a program."""
    # Loaded here: what the supervisor has loaded is copied by every fork.
    import subprocess
    import tempfile

    if len(compiler_notes) != 1:
        return None
    folder = tempfile.mkdtemp(dir=".")
    ((name, text),) = compiler_notes.items()
    counts_name = name[: -len("gcno")] + "gcda"
    # gcov tells of blocks only beside a source, of which it needs the number of lines.
    source = b"\n" * lines
    for path, data in ((name, text), (counts_name, counts), ("main.c", source), ("main.cpp", source)):
        with open(os.path.join(folder, path), "wb") as stream:
            stream.write(data)

    def ask(*options: str) -> bytes:
        command = ["gcov", "--stdout", "--branch-probabilities", *options, counts_name]
        return subprocess.run(command, cwd=folder, capture_output=True, check=False, timeout=20).stdout[:_LIMIT]

    blocks = _blocks(ask("--all-blocks", "--relative-only").decode("utf-8", "replace"))
    executed: set[int] = set()
    missing: set[int] = set()
    arms: _Arms = {}
    for row in ask("--json-format").splitlines():
        for file_report in json.loads(row).get("files", []):
            if not file_report["file"].startswith("main.c"):
                continue
            for line in file_report["lines"]:
                number = line["line_number"]
                (executed if line["count"] else missing).add(number)
                ways, owner = line.get("branches", []), str(line.get("function_name", ""))
                unknown = [("", False)] * len(ways)
                places = next((item for item in blocks.get(number, []) if len(item) == len(ways)), unknown)
                for branch, (block, hidden) in zip(ways, places, strict=True):
                    if not branch.get("throw") and not hidden:
                        arms.setdefault((number, f"{owner}{block}"), []).append(int(bool(branch["count"])))
    return _form(executed, missing - executed, lines, arms)


_BLOCK = re.compile(r" *([^ :]+): *(\d+)(?::|-block +(\d+)$)")


def _blocks(text: str) -> dict[int, list[list[tuple[str, bool]]]]:
    """Return by line, once for each function that shares it, the block of every arm and whether the arm is hidden.

    It is where only an error reaches its block (``$$$$$``) and none did: there the compiler puts away what was half
    made, in ways that no line of the code shows.
    """
    blocks: dict[int, list[list[tuple[str, bool]]]] = {}
    block, hidden = "", False
    ways: list[tuple[str, bool]] = []
    _, _, own = text.partition(":Source:main.c")
    for row in own.partition(":Source:")[0].splitlines()[1:]:
        if row.startswith("branch"):
            ways.append((block, hidden))
        elif place := _BLOCK.match(row):
            block, hidden = f" {place[3]}" if place[3] else "", place[1] == "$$$$$"
            if not place[3]:
                ways = []
                blocks.setdefault(int(place[2]), []).append(ways)
    return blocks


def jacoco(report: bytes) -> dict[str, Any]:
    """Read what the guard in Java wrote: a line of the code, whether it ran, its arms."""
    executed: set[int] = set()
    missing: set[int] = set()
    arms: _Arms = {}
    for row in report.decode("ascii").splitlines():
        number, ran, ways = row.split(" ")
        (executed if ran == "1" else missing).add(int(number))
        if ways:
            arms[int(number), ""] = [int(way) for way in ways]
    return _form(executed, missing, max(executed | missing, default=0), arms)


def _form(executed: Any, missing: Any, lines: int, arms: _Arms) -> dict[str, Any]:
    branches: dict[int, list[int]] = {}
    own = {place: arm_flags for place, arm_flags in sorted(arms.items()) if 0 < place[0] <= lines}
    for (number, _), arm_flags in own.items():
        both = branches.setdefault(number, [0, 0])
        both[0] += sum(arm_flags)
        both[1] += len(arm_flags)
    return {
        "executed": sorted(number for number in executed if number <= lines),
        "missing": sorted(number for number in missing if number <= lines),
        "branches": [[number, *both] for number, both in branches.items()],
        "arms": [[number, arm_flags, owner] for (number, owner), arm_flags in own.items()],
    }


def _load(path: str) -> Any:
    """Read a small JSON file that a job wrote; an empty object for anything else."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with open(fd, "rb") as stream:
            return json.loads(stream.read(_LIMIT))
    except (OSError, ValueError, RecursionError):
        return {}
