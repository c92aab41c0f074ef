"""The rules of scoring as they are written down, slow, for the program's own way to be compared with."""

from __future__ import annotations

import re
from typing import Any

from annotator.criteria.metrics.blank_filling import Alignment


def matches(node: Any, text: str, lower: bool, regex: bool) -> bool:
    """Tell whether a content tree matches, as part B, section 4 of the criteria specification says."""
    if isinstance(node, dict):
        regex = node.get("regex", regex)
        for kind, together in (("or", any), ("and", all)):
            if kind in node:
                return together([matches(child, text, lower, regex) for child in node[kind]])
        return matches(node["content"], text, lower, regex)
    wanted, held = (node.lower(), text.lower()) if lower else (node, text)
    return re.search(wanted, held) is not None if regex else wanted in held


def aligned(template: str, response: str) -> Alignment:
    """Fill both tables cell by cell, as part B, section 5 of the criteria specification says."""
    rows, columns = len(template), len(response)
    length = [[0] * columns for _ in range(rows)]
    column = [[0] * columns for _ in range(rows)]
    for i in range(rows):
        for j in range(columns):
            if template[i] == response[j]:
                length[i][j] = 1 if i == 0 or j == 0 else length[i - 1][j - 1] + 1
                column[i][j] = j
            elif i and j:
                left, up = (length[i][j - 1], column[i][j - 1]), (length[i - 1][j], column[i - 1][j])
                if left[0] == up[0]:
                    length[i][j], column[i][j] = left[0], max(left[1], up[1])
                else:
                    length[i][j], column[i][j] = max(left, up)
    place = column[-1][-1]
    positions = [0] * rows
    for i in range(rows - 1, -1, -1):
        if template[i] == response[place]:
            positions[i] = place
            if i:
                place = column[i - 1][place - 1]
        else:
            positions[i] = place + 1
    return Alignment(length[-1][-1], tuple(positions))
