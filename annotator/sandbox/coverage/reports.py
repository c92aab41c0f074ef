"""One run's coverage, as reported by its language's engine, in one form for all languages.

``{"executed": [line], "missing": [line], "branches": [[line, taken, total]], "arms": [[line, [0 or 1 ...], owner]]}``,
lines counted from 1 in the job's code; the order of arms is the same in every run. The owner distinguishes several
instances that share a line, such as those of a template. Reports from V8 also have ``ranges``, from which the other
four are recomputed when runs are joined.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeGuard

from annotator.sandbox.coverage import v8

Report = dict[str, Any]
Arms = Mapping[tuple[int, str], list[int]]
"""The arms of each line and owner: 1 if taken, else 0."""
_MAX_ARMS = 10_000
"""Maximum number of arms of one line in a valid report."""


def read_report(report: object) -> Report | None:
    """Return a report if it is well-formed, else None: the answer may have written it."""
    if isinstance(report, dict) and "script" in report:
        return _read_script(report)
    return report if _is_report(report) else None


def build_report(executed: Iterable[int], missing: Iterable[int], arms: Arms) -> Report:
    """Return a report."""
    branches: dict[int, tuple[int, int]] = {}
    for (line, _), ways in arms.items():
        taken_arms, total = branches.get(line, (0, 0))
        branches[line] = taken_arms + sum(ways), total + len(ways)
    return {
        "executed": sorted(executed),
        "missing": sorted(missing),
        "branches": [[line, *counts] for line, counts in sorted(branches.items())],
        "arms": [[line, ways, owner] for (line, owner), ways in sorted(arms.items())],
    }


def arms_of(report: Mapping[str, Any]) -> dict[tuple[int, str], list[int]]:
    """Return a report's arms; if only their number is known, the taken ones come first."""
    arms = {(line, owner[0] if owner else ""): ways for line, ways, *owner in report.get("arms", ())}
    lines_with_arms = {line for line, _ in arms}
    for line, hits, total in report["branches"]:
        if line not in lines_with_arms:
            arms[line, ""] = [1] * hits + [0] * (total - hits)
    return arms


def build_ranges_report(ranges: v8.Ranges) -> Report:
    """Return a report of V8's counts."""
    executed, missing, arms = v8.count_lines_and_arms(ranges)
    owned = {(line, ""): ways for line, ways in arms.items()}
    return {**build_report(executed, missing, owned), "ranges": v8.ranges_as_json(ranges)}


def union(reports: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """Join the reports of tests of the same code; None if there are none.

    A line counts as executed if any test ran it, an arm if any test took it. If arms cannot be told apart, the largest
    count of a line is used, which is never too high.
    """
    if not reports:
        return None
    if all("ranges" in report for report in reports):
        runs = [v8.ranges_from_json(report["ranges"]) for report in reports]
        if len({(run.digest, tuple(run.lines)) for run in runs}) == 1:
            return build_ranges_report(v8.add_ranges(runs))
    executed: set[int] = set()
    seen_lines: set[int] = set()
    arms: dict[tuple[int, str], list[int]] = {}
    for report in reports:
        executed.update(report["executed"])
        seen_lines.update(report["executed"], report["missing"])
        for place, ways in arms_of(report).items():
            known_ways = arms.setdefault(place, ways)
            if len(known_ways) == len(ways) and "ranges" not in report:
                arms[place] = [int(one or other) for one, other in zip(known_ways, ways, strict=True)]
            else:
                arms[place] = max(known_ways, ways, key=sum)
    return build_report(executed, seen_lines - executed, arms)


def _read_script(report: Mapping[str, Any]) -> Report | None:
    try:
        return build_ranges_report(v8.add_ranges([v8.read_script_ranges(report["script"], int(report["lines"]))]))
    except (KeyError, TypeError, ValueError, IndexError, RecursionError):
        return None


def _is_report(report: object) -> TypeGuard[Report]:
    if not isinstance(report, dict) or "ranges" in report:
        return False
    lists = [report.get(name, []) for name in ("executed", "missing", "branches", "arms")]
    if not all(isinstance(item, list) for item in lists) or not {"executed", "missing", "branches"} <= report.keys():
        return False
    executed, missing, branches, arms = lists
    branch_lines = {row[0] for row in branches if isinstance(row, list) and _all_numbers(row, 3)}
    return (
        _all_numbers(executed, len(executed))
        and _all_numbers(missing, len(missing))
        and all(
            isinstance(row, list) and _all_numbers(row, 3) and 0 <= row[1] <= row[2] <= _MAX_ARMS for row in branches
        )
        and all(
            isinstance(row, list) and len(row) in (2, 3) and row[0] in branch_lines and isinstance(row[1], list)
            and len(row[1]) <= _MAX_ARMS and set(map(str, row[1])) <= {"0", "1"} and isinstance(row[-1], (list, str))
            for row in arms
        )
    )  # fmt: skip


def _all_numbers(row: list[object], count: int) -> bool:
    return len(row) == count and all(isinstance(item, int) and not isinstance(item, bool) for item in row)
