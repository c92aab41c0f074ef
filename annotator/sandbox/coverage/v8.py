"""V8's counts of one script, as lines and arms by the rules of c8.

An arm is a range of a function whose blocks were counted, the function's own range first. V8 leaves out ranges that ran
as often as the enclosing one, so ranges differ from run to run: they are kept unchanged, and lines and arms are
recomputed when several runs are joined.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from annotator.sandbox.coverage.range_tree import Range, add_trees, build_range_tree
from annotator.sandbox.coverage.source_map import Position, SourceMap

Line = tuple[int, int]
"""The start and end offset of a line, without its line break."""
Function = tuple[bool, list[Range]]
"""Whether the function's blocks were counted, and its ranges, beginning with the function's own."""


@dataclass(frozen=True, slots=True)
class SourceOffsets:
    """The source offsets of an offset in the script: as a start, as an end, and as the end of an empty range."""

    start: int
    end: int
    short_end: int


@dataclass(frozen=True, slots=True)
class Ranges:
    """The counted ranges by offsets of the script, and these offsets in the source.

    Runs with the same ``digest`` are of the same script, as far as it comes from the code.
    """

    lines: list[Line]
    functions: list[Function]
    places: dict[int, SourceOffsets]
    digest: str


def line_offsets(text: str) -> list[Line]:
    """Return the lines of a text in UTF-16 units, as JavaScript counts."""
    lines, at = [], 0
    for line in text.rstrip().split("\n"):
        width = len(line.encode("utf-16-le", "surrogatepass")) // 2
        lines.append((at, at + width - line.endswith("\r")))
        at += width + 1
    return lines


_EXPORTS = "module.exports = __toCommonJS("
"""End of the code that the compiler adds to a program with exports; it comes from no line of the source."""


# -- from Node's report ----------------------------------------------------------------------------------------------


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
    if script.get("map") is None:
        source = "\n".join(text.split("\n")[:lines])
        table = line_offsets(source)
        end = table[-1][1]
        clipped = _clip(functions, end)
        inside = {at: min(at, end) for _, ranges in clipped for part in ranges for at in part[:2]}
        places = {at: SourceOffsets(place, place, place) for at, place in inside.items()}
        return Ranges(table, clipped, places, _digest(source))
    return _mapped(functions, text, script["map"], lines)


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
    offsets = {at for _, ranges in functions for part in ranges for at in part[:2]}
    places = {at: _place(mapping, script, table, at) for at in offsets}
    # The digest holds ``begin``, as text that another test puts before the code moves all offsets.
    return Ranges(table, functions, places, _digest(f"{begin} {text[begin : script[last][1]]}"))


def _place(source_map: SourceMap, script: list[Line], table: list[Line], at: int) -> SourceOffsets:
    end_of_all = script[-1][1]
    at = min(at, end_of_all)
    first = next((number for number, line in enumerate(script) if at - 1 < line[1]), len(script) - 1)
    last = max((number for number, line in enumerate(script) if at >= line[0]), default=0)
    start = source_map.start(first, max(0, at - script[first][0]))
    end = source_map.end(last, at - script[last][0])
    short = source_map.short_end(last, at - script[last][0])
    return SourceOffsets(_offset(table, start), _offset(table, end), _offset(table, short))


def _offset(table: list[Line], position: Position | None) -> int:
    if position is None or position.line >= len(table):
        return table[-1][1]
    start, end = table[position.line]
    return end if position.column is None else min(start + position.column, end)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


# -- several runs ----------------------------------------------------------------------------------------------------


def add_ranges(runs: Sequence[Ranges]) -> Ranges:
    """Return the sum of runs of the same script."""
    by_extent: dict[Line, list[Function]] = {}
    for run in runs:
        for blocks, ranges in run.functions:
            same_extent = by_extent.setdefault(ranges[0][:2], [])
            if same_extent and same_extent[0][0] != blocks:
                # Prefer counts of blocks, which are finer than whether the function ran.
                if not blocks:
                    continue
                same_extent.clear()
            same_extent.append((blocks, ranges))
    functions: list[Function] = []
    for same in by_extent.values():
        tree = add_trees([build_range_tree(ranges) for _, ranges in same])
        tree.normalize()
        ranges = list(tree.ranges())
        blocks = same[0][0] if len(runs) == 1 else not (len(ranges) == 1 and ranges[0][2] == 0)
        functions.append((blocks, ranges))
    functions.sort(key=lambda item: (item[1][0][0], -item[1][0][1]))
    places = {at: place for run in runs for at, place in run.places.items()}
    return Ranges(runs[0].lines, functions, places, runs[0].digest)


def count_lines_and_arms(ranges: Ranges) -> tuple[list[int], list[int], dict[int, list[int]]]:
    """Return the lines that ran, those that did not, and the arms of each line: 1 for one that was taken."""
    counts = [1] * len(ranges.lines)
    arms: dict[int, list[int]] = {}
    for blocks, function_ranges in ranges.functions:
        for first, last, times in function_ranges:
            start, end = ranges.places[first].start, ranges.places[last].end
            if start == end:
                end = ranges.places[last].short_end
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


# -- as JSON -----------------------------------------------------------------------------------------------------------


def ranges_as_json(ranges: Ranges) -> dict[str, Any]:
    """Return ranges as a JSON object."""
    places = [[at, place.start, place.end, place.short_end] for at, place in sorted(ranges.places.items())]
    functions = [[blocks, [list(part) for part in function_ranges]] for blocks, function_ranges in ranges.functions]
    return {"lines": [list(line) for line in ranges.lines], "functions": functions, "places": places,
            "digest": ranges.digest}  # fmt: skip


def ranges_from_json(record: dict[str, Any]) -> Ranges:
    """Read what `ranges_as_json` returned."""
    return Ranges(
        [(start, end) for start, end in record["lines"]],
        [(blocks, [(start, end, times) for start, end, times in ranges]) for blocks, ranges in record["functions"]],
        {at: SourceOffsets(*places) for at, *places in record["places"]},
        record["digest"],
    )
