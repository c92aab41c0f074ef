"""Counted ranges of V8 as a tree, and the sum of several trees.

The rules are those of ``@bcoe/v8-coverage``, with which c8 merges the runs of several processes: the arms of a sum are
its ranges, so other rules would yield other arms.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

Range = tuple[int, int, int]
"""The start and end offset of a range, and the number of times it ran."""


@dataclass(slots=True)
class RangeTree:
    """A range; ``delta`` is its count minus that of the enclosing range, ``children`` are the ranges inside it."""

    start: int
    end: int
    delta: int
    children: list[RangeTree] = field(default_factory=list)

    def normalize(self) -> None:
        """Merge neighbours with equal counts, and an only child with the same extent as this range."""
        children: list[RangeTree] = []
        for child in self.children:
            last = children[-1] if children else None
            if last is not None and last.end == child.start and last.delta == child.delta:
                last.end = child.end
                last.children.extend(child.children)
            else:
                children.append(child)
        for child in children:
            child.normalize()
        self.children = children
        if len(children) == 1 and (children[0].start, children[0].end) == (self.start, self.end):
            self.delta += children[0].delta
            self.children = children[0].children

    def split(self, at: int) -> RangeTree:
        """Cut the tree in two; this one keeps the left part. Returns the right part."""
        left_children: list[RangeTree] = []
        right_children: list[RangeTree] = []
        for child in self.children:
            if child.start < at < child.end:
                right_children.append(child.split(at))
                left_children.append(child)
            else:
                (left_children if child.start < at else right_children).append(child)
        right_tree = RangeTree(at, self.end, self.delta, right_children)
        self.end, self.children = at, left_children
        return right_tree

    def ranges(self, outer: int = 0) -> Iterator[Range]:
        """Return the ranges with their counts, outer before inner."""
        count = outer + self.delta
        yield self.start, self.end, count
        for child in self.children:
            yield from child.ranges(count)


def build_range_tree(ranges: Sequence[Range]) -> RangeTree:
    """Return the tree of nested ranges; the first contains all others."""
    start, end, count = ranges[0]
    root = RangeTree(start, end, count)
    around = [(root, count)]
    for start, end, count in sorted(ranges[1:], key=lambda item: (item[0], -item[1])):
        while len(around) > 1 and start >= around[-1][0].end:
            around.pop()
        parent, outer = around[-1]
        node = RangeTree(start, end, count - outer)
        parent.children.append(node)
        around.append((node, count))
    return root


def add_trees(trees: Sequence[RangeTree]) -> RangeTree:
    """Return the sum of trees of one function. The trees are consumed."""
    if len(trees) == 1:
        return trees[0]
    total = sum(tree.delta for tree in trees)
    return RangeTree(trees[0].start, trees[0].end, total, _add_children([tree.children for tree in trees]))


def _add_children(families: Sequence[list[RangeTree]]) -> list[RangeTree]:
    starts: dict[int, list[tuple[int, RangeTree]]] = {}
    for number, children in enumerate(families):
        for child in children:
            starts.setdefault(child.start, []).append((number, child))
    result: list[RangeTree] = []
    inside: dict[int, list[RangeTree]] = {}
    begin = end = -1
    while starts:
        at = min(starts)
        starting = starts.pop(at)
        if inside and end <= at:
            result.append(_add_inside(begin, end, inside))
            inside = {}
        if not inside:
            begin, end = at, max(at + 1, *(child.end for _, child in starting))
        for number, child in starting:
            if child.end > end:
                starts.setdefault(end, []).append((number, child.split(end)))
            inside.setdefault(number, []).append(child)
    if inside:
        result.append(_add_inside(begin, end, inside))
    return result


def _add_inside(start: int, end: int, inside: dict[int, list[RangeTree]]) -> RangeTree:
    """Return the sum of the trees inside one range, grouped by the tree that they come from."""
    return add_trees([
        trees[0] if len(trees) == 1 and (trees[0].start, trees[0].end) == (start, end)
        else RangeTree(start, end, 0, trees)
        for trees in inside.values()
    ])  # fmt: skip
