"""V8's counts of one script, as lines and arms by the rules of c8.

An arm is a range of a function whose blocks were counted, the function's own range first. V8 leaves out ranges that ran
as often as the enclosing one, so ranges differ from run to run: they are kept unchanged, and lines and arms are
recomputed when several runs are joined.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from annotator.sandbox.coverage.source_map import Position, SourceMap

Line = tuple[int, int]
"""Where a line starts and ends, without its line break."""
Range = tuple[int, int, int]
"""Where a range starts and ends, and how often it ran."""
Function = tuple[bool, list[Range]]
"""Whether its blocks were counted, and its ranges, its own first."""


@dataclass(frozen=True, slots=True)
class Ranges:
    """The lines of the code, and its functions with their counted ranges, by offsets of the source."""

    lines: Sequence[Line]
    functions: Sequence[Function]


def line_offsets(text: str) -> list[Line]:
    """Return the lines of a text in UTF-16 units, as JavaScript counts."""
    lines, at = [], 0
    for line in text.rstrip().split("\n"):
        width = _width(line)
        lines.append((at, at + width - line.endswith("\r")))
        at += width + 1
    return lines


def _width(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


_EXPORTS = "module.exports = __toCommonJS("
"""End of the code that the compiler adds to a program with exports; it comes from no line of the source."""


# -- from what Node says ---------------------------------------------------------------------------------------------


def read_script_ranges(script: dict[str, Any], lines: int) -> Ranges:
    """Read the report of Node's guard: functions, the script's text, and its source map, if any.

    Only the first ``lines`` lines of the source belong to the code. Raises `KeyError`, `TypeError`, `ValueError` or
    `IndexError` for anything else.
    """
    functions: list[Function] = [
        (
            bool(item["isBlockCoverage"]),
            [(int(part["startOffset"]), int(part["endOffset"]), int(part["count"])) for part in item["ranges"]],
        )
        for item in script["functions"]
    ]
    text = str(script["text"])
    if script.get("map") is not None:
        return _mapped(functions, text, script["map"], lines)
    table = line_offsets("\n".join(text.split("\n")[:lines]))
    return Ranges(table, _clip(functions, table[-1][1]))


def _clip(functions: list[Function], end: int) -> list[Function]:
    """Return the functions that begin in the code, cut off where the tests begin.

    A range that reaches into the tests ends one after the code, so that the whole script is never taken for a function
    of the same extent.
    """
    clipped: list[Function] = []
    for blocks, ranges in functions:
        inside = [(first, min(last, end + 1), times) for first, last, times in ranges if first < end]
        if inside:
            clipped.append((blocks, inside))
    return clipped


def _mapped(functions: list[Function], text: str, source_map: dict[str, Any], lines: int) -> Ranges:
    source = "\n".join(str(source_map["sourcesContent"][0]).split("\n")[:lines])
    mapping = SourceMap(str(source_map["mappings"]))
    script, table = line_offsets(text), line_offsets(source)
    first, last = mapping.extent(lines)
    if last >= len(script):
        raise ValueError
    header = text.rfind(_EXPORTS, 0, script[last][1])
    begin = script[first][0] if header < 0 else text.index("\n", header)
    functions = [item for item in _clip(functions, script[last][1]) if item[1][0][0] >= begin]
    place = partial(_place, mapping, script, table)
    return Ranges(table, [(blocks, [place(part) for part in ranges]) for blocks, ranges in functions])


def _place(source_map: SourceMap, script: list[Line], table: list[Line], part: Range) -> Range:
    """Return a range of the script as one of the source."""
    end_of_all = script[-1][1]
    first, last = (min(at, end_of_all) for at in part[:2])
    opened = next((number for number, line in enumerate(script) if first - 1 < line[1]), len(script) - 1)
    closed = max((number for number, line in enumerate(script) if last >= line[0]), default=0)
    start = _offset(table, source_map.start(opened, max(0, first - script[opened][0])))
    end = _offset(table, source_map.end(closed, last - script[closed][0]))
    if start == end:
        end = _offset(table, source_map.short_end(closed, last - script[closed][0]))
    return start, end + (part[1] > end_of_all), part[2]


def _offset(table: list[Line], position: Position | None) -> int:
    if position is None or position.line >= len(table):
        return table[-1][1]
    start, end = table[position.line]
    return end if position.column is None else min(start + position.column, end)


# -- several runs ----------------------------------------------------------------------------------------------------


def add_ranges(runs: Sequence[Ranges]) -> Ranges:
    """Return the sum of runs of the same code."""
    by_extent: dict[Line, list[Function]] = {}
    for run in runs:
        for blocks, ranges in run.functions:
            same_extent = by_extent.setdefault((ranges[0][0], ranges[0][1]), [])
            if same_extent and same_extent[0][0] != blocks:
                # Counts of blocks say more than whether the function ran.
                if not blocks:
                    continue
                same_extent.clear()
            same_extent.append((blocks, ranges))
    functions = [(same[0][0], _sum_of([ranges for _, ranges in same])) for same in by_extent.values()]
    functions.sort(key=lambda item: (item[1][0][0], -item[1][0][1]))
    return Ranges(runs[0].lines, functions)


def _sum_of(runs: Sequence[list[Range]]) -> list[Range]:
    """Return every range that a run names, outer before inner, with the sum of its counts in all runs."""
    extents = {(start, end) for ranges in runs for start, end, _ in ranges}
    ordered = sorted(extents, key=lambda item: (item[0], -item[1]))
    return [(start, end, sum(_count_of(ranges, start, end) for ranges in runs)) for start, end in ordered]


def _count_of(ranges: list[Range], start: int, end: int) -> int:
    """Return how often a range ran: V8 leaves out those that ran as often as the range around them."""
    around = [part for part in ranges if part[0] <= start and end <= part[1]]
    return min(around, key=lambda part: part[1] - part[0], default=ranges[0])[2]


def count_lines_and_arms(ranges: Ranges) -> tuple[list[int], list[int], dict[int, list[int]]]:
    """Return the lines that ran, those that did not, and the arms of each line: 1 for one that was taken."""
    counts = [1] * len(ranges.lines)
    arms: dict[int, list[int]] = {}
    for blocks, function_ranges in ranges.functions:
        for start, end, times in function_ranges:
            touched = [number for number, line in enumerate(ranges.lines) if start < line[1] and end >= line[0]]
            if not touched:
                continue
            if blocks:
                arms.setdefault(touched[0] + 1, []).append(int(times > 0))
            for number in touched:
                if start <= ranges.lines[number][0] and end >= ranges.lines[number][1]:
                    counts[number] = times
    executed = [number for number, times in enumerate(counts, start=1) if times]
    missing = [number for number, times in enumerate(counts, start=1) if not times]
    return executed, missing, arms
