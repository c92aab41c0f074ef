"""Join the coverage of several tests of the same code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from annotator.sandbox.coverage import v8
from annotator.sandbox.coverage.reports import arms_of, build_ranges_report, build_report


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
