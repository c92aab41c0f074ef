"""Blank filling: align the template with the response and compare what stands in each blank (specification, part B, 5).

The alignment is not a textbook longest common subsequence: its borders do not propagate, a match always takes the
diagonal, and ties go to the larger column. All of that decides what is captured, so all of it is kept.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from annotator.criteria import conditions
from annotator.criteria.document import Alternative, BlankFilling, BlankTarget
from annotator.criteria.results import NotScoredError, RuleResult, found, search

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MATCH_RATE = 0.8
CELL_LIMIT = 30_000_000
_SHIFT = 32
_MASK = (1 << _SHIFT) - 1


def score_blanks(rule: BlankFilling, response: str) -> list[RuleResult]:
    """Score every blank. Raises `NotScoredError` where the reference would raise, or for texts too long to align."""
    text = rule.prefix + response or " "
    places = blank_places(rule.template, rule.blank_str)
    if len(places) != len(rule.targets):
        raise NotScoredError(f"the template has {len(places)} blanks, but there are {len(rule.targets)} targets")
    fixed = len(rule.template) - len(places) * len(rule.blank_str)
    if len(rule.template) * len(text) > CELL_LIMIT:
        raise NotScoredError(f"template and response are too long to align ({len(rule.template)} by {len(text)})")
    if fixed == 0:
        raise NotScoredError("the template is nothing but blanks")
    length, positions = align(rule.template, text)
    rate = length / fixed
    if rate < MATCH_RATE:
        detail = f"unmatched: match rate too low - {rate}"
        return [_result(target, False, detail, ()) for target in rule.targets]
    results = []
    for number, (place, target) in enumerate(zip(places, rule.targets, strict=True)):
        end = place + len(rule.blank_str)
        if end >= len(positions):
            raise NotScoredError("the template ends in a blank, so its end is not known")
        start = positions[place - 1] + 1 if place else positions[0]
        captured = text[start : positions[end]]
        stripped = captured.strip(rule.escape)
        matched, detail = _compare(target, stripped, number)
        offset = start + captured.find(stripped) - len(rule.prefix) if stripped else 0
        spans = ((offset, offset + len(stripped)),) if stripped and offset >= 0 else ()
        results.append(_result(target, matched, detail, spans))
    return results


def _result(target: BlankTarget, matched: bool, detail: str, spans: tuple[tuple[int, int], ...]) -> RuleResult:
    points = target.weight if matched else 0.0
    return RuleResult(
        "blank_filling",
        target.label,
        matched,
        points,
        target.weight,
        spans if matched else (),
        target.why,
        detail,
        target.line,
    )


def _compare(target: BlankTarget, captured: str, number: int) -> tuple[bool, str]:
    """Try the alternatives in order; the detail names the last one tried."""
    matched, shown, answer = False, captured, ""
    for order, alternative in enumerate(target.alternatives):
        # The reference lowers in place: from the second alternative on its report shows the lowered text.
        shown = captured.lower() if target.to_lower and order else captured
        answer = alternative.text
        matched = _fits(target, alternative, captured, number)
        if matched:
            break
    return matched, f"{'matched' if matched else 'unmatched'}: response string: {shown}, ans: {answer}"


def _fits(target: BlankTarget, alternative: Alternative, captured: str, number: int) -> bool:
    text, wanted = captured, alternative.text
    if target.to_lower:
        text, wanted = text.lower(), wanted.lower()
    if alternative.regex:
        matched = search(wanted, text, whole=not target.substr_match)
    else:
        matched = wanted in text if target.substr_match else wanted == text
    if matched and alternative.cond:
        names: dict[str, Any] = {
            "response_str": text, "ans_str": wanted, "ans_re": alternative.regex, "no": number, "response": text,
            "ans": wanted, "context": [],
        }  # fmt: skip
        return conditions.holds(conditions.parse(alternative.cond), names)
    return matched


def blank_places(template: str, blank: str) -> list[int]:
    """Return where blanks begin. Raises `NotScoredError` if occurrences overlap (which blank is meant is not known)."""
    places = found(blank, template)
    overlapping = sum(template.startswith(blank, at) for at in range(len(template))) if blank else 0
    if not blank or overlapping != len(places):
        raise NotScoredError("the blanks of the template overlap")
    return places


def align(template: str, response: str) -> tuple[int, list[int]]:
    """Return the alignment's length and, for every character of the template, its column in the response.

    Time and memory are len(template) by len(response). Lengths and columns travel together in one integer, so that the
    larger of two cells is the longer one, and among equals the one with the larger column.
    """
    import numpy as np

    codes = np.frombuffer(response.encode("utf-32-le"), dtype=np.uint32)
    columns = np.arange(len(codes), dtype=np.int64)
    table = np.empty((len(template), len(codes)), dtype=np.int64)
    matches: dict[str, NDArray[np.int64]] = {}
    for row, letter in enumerate(template):
        if letter not in matches:
            matches[letter] = np.flatnonzero(codes == ord(letter)).astype(np.int64)
        where = matches[letter]
        if row == 0:
            table[0] = 0
            table[0, where] = (1 << _SHIFT) + where
        else:
            _next_row(table[row - 1], table[row], where)
    return _trace(template, response, table, columns)


def _next_row(above: NDArray[np.int64], row: NDArray[np.int64], where: NDArray[np.int64]) -> None:
    """Fill one row of the table from the one above it."""
    import numpy as np

    row[:] = above
    # The border column stands for itself: it takes nothing from above.
    row[0] = 0
    inner = where[1:] if len(where) and where[0] == 0 else where
    fresh = (((above[inner - 1] >> _SHIFT) + 1) << _SHIFT) + inner
    row[inner] = fresh
    if len(inner) != len(where):
        row[0] = 1 << _SHIFT
    np.maximum.accumulate(row, out=row)
    if not (row[inner] == fresh).all():
        _with_resets(above, row, inner, fresh, has_border=len(inner) != len(where))


def _with_resets(
    above: NDArray[np.int64],
    row: NDArray[np.int64],
    inner: NDArray[np.int64],
    fresh: NDArray[np.int64],
    *,
    has_border: bool,
) -> None:
    """Fill a row in which a match is shorter than what stands left of it: what follows starts from the match."""
    import numpy as np

    row[:] = above
    row[0] = (1 << _SHIFT) if has_border else 0
    row[inner] = fresh
    edges = [0, *inner.tolist(), len(row)]
    for start, end in pairwise(edges):
        if end > start:
            np.maximum.accumulate(row[start:end], out=row[start:end])


def _trace(template: str, response: str, table: NDArray[np.int64], columns: NDArray[np.int64]) -> tuple[int, list[int]]:
    last = len(columns) - 1
    place = int(table[-1, last]) & _MASK
    positions = [0] * len(template)
    for row in range(len(template) - 1, -1, -1):
        if template[row] == response[place]:
            positions[row] = place
            if row:
                # Column -1 is the last one, as in the reference.
                place = int(table[row - 1, place - 1]) & _MASK
        else:
            positions[row] = place + 1
    return int(table[-1, last]) >> _SHIFT, positions
