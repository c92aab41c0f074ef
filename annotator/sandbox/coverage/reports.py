"""One run's coverage, as reported by its language's engine, in one form for all languages.

``{"executed": [line], "missing": [line], "branches": [[line, taken, total]], "arms": [[line, [0 or 1 ...], owner]]}``,
lines counted from 1 in the job's code; the order of arms is the same in every run. The owner tells apart several
instances that share a line, such as those of a template. Reports from V8 also have ``ranges``, from which the other
four are recomputed when runs are joined.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any, TypeGuard

from annotator.sandbox.coverage import v8

Report = dict[str, Any]
Arms = Mapping[tuple[int, str], list[int]]
"""By line and owner, the arms: 1 for one that was taken."""
_MOST = 10_000
"""Arms of one line."""


def read_report(report: object) -> Report | None:
    """Return a report if it is well-formed, else None: the solution may have written it."""
    if isinstance(report, dict) and "script" in report:
        return _read_script(report)
    return build_report(report["executed"], report["missing"], arms_of(report)) if _is_report(report) else None


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
    """Return a report's arms by line and owner."""
    return {(line, owner): ways for line, ways, owner in report["arms"]}


def build_ranges_report(ranges: v8.Ranges) -> Report:
    """Return a report of what V8 counted."""
    executed, missing, arms = v8.count_lines_and_arms(ranges)
    owned = {(line, ""): ways for line, ways in arms.items()}
    return {**build_report(executed, missing, owned), "ranges": asdict(ranges)}


def union(reports: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """Join the reports of tests of the same code; None if there are none.

    A line counts as executed if any test ran it, an arm if any test took it. If arms cannot be told apart, those of the
    report that took most are used, which are never too many.
    """
    if not reports:
        return None
    if all("ranges" in report for report in reports):
        return build_ranges_report(v8.add_ranges([v8.Ranges(**report["ranges"]) for report in reports]))
    executed: set[int] = set()
    seen_lines: set[int] = set()
    arms: dict[tuple[int, str], list[int]] = {}
    for report in reports:
        executed.update(report["executed"])
        seen_lines.update(report["executed"], report["missing"])
        for place, ways in arms_of(report).items():
            known_ways = arms.setdefault(place, ways)
            if len(known_ways) == len(ways):
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
    if not isinstance(report, dict):
        return False
    executed, missing, arms = (report.get(name) for name in ("executed", "missing", "arms"))
    return _all_numbers(executed) and _all_numbers(missing) and isinstance(arms, list) and all(map(_is_arms, arms))


def _is_arms(row: object) -> bool:
    if not isinstance(row, list) or len(row) != 3 or not _all_numbers(row[:1]) or not isinstance(row[2], str):
        return False
    return _all_numbers(row[1]) and len(row[1]) <= _MOST and set(row[1]) <= {0, 1}


def _all_numbers(row: object) -> bool:
    return isinstance(row, list) and all(type(item) is int for item in row)
