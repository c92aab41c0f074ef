"""Coverage over several tests of the same code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def union(reports: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """Join the reports of tests of the same code; None if there is none.

    A line counts if any test ran it. Where the tool tells which arms of a branch were taken, they are joined; where it
    only counts them, the largest count stands, which is never too high.
    """
    if not reports:
        return None
    executed: set[int] = set()
    seen: set[int] = set()
    branches: dict[int, tuple[int, int]] = {}
    arms: dict[int, list[int]] = {}
    for report in reports:
        executed.update(report["executed"])
        seen.update(report["executed"], report["missing"])
        for line, taken, total in report["branches"]:
            before = branches.get(line, (0, 0))
            branches[line] = max(before[0], taken), max(before[1], total)
        for line, ways in report.get("arms", ()):
            known = arms.get(line)
            same = known is not None and len(known) == len(ways)
            arms[line] = [int(one or other) for one, other in zip(known or (), ways, strict=False)] if same else ways
    for line, ways in arms.items():
        branches[line] = max(branches[line][0], sum(ways)), branches[line][1]
    return {
        "executed": sorted(executed),
        "missing": sorted(seen - executed),
        "branches": [[line, *counts] for line, counts in sorted(branches.items())],
        "arms": [[line, ways] for line, ways in sorted(arms.items())],
    }
