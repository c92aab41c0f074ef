"""Blank filling: align the template with the response and compare the texts in the blanks (part B, section 5)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from annotator.criteria.document.criterion_document import Alternative, BlankFilling, BlankTarget
from annotator.criteria.metrics import conditions
from annotator.criteria.metrics.rule_results import (
    NotScoredError,
    RuleResult,
    find_offsets,
    rate_rule,
    search_pattern,
)

MATCH_RATE = 0.8


def align_responses(rule: BlankFilling, responses: Sequence[str]) -> dict[str, Alignment]:
    """Align many responses at once; return the alignments by response, without responses that are too long."""
    if not rule.template:
        return {}
    texts = {response: _text(rule, response) for response in dict.fromkeys(responses)}
    alignable_texts = {
        response: text for response, text in texts.items() if len(rule.template) * len(text) <= CELL_LIMIT
    }
    return dict(zip(alignable_texts, align_with_template(rule.template, list(alignable_texts.values())), strict=True))


def _text(rule: BlankFilling, response: str) -> str:
    return rule.prefix + response or " "


def score_blanks(rule: BlankFilling, response: str, aligned: Alignment | None = None) -> list[RuleResult]:
    """Score every blank; ``aligned`` is the response's alignment, if it has been computed.

    Raises `NotScoredError` where the reference implementation would raise, and for texts that are too long to align.
    """
    text = _text(rule, response)
    places = blank_offsets(rule.template, rule.blank_str)
    if len(places) != len(rule.targets):
        raise NotScoredError(f"the template has {len(places)} blanks, but there are {len(rule.targets)} targets")
    fixed = len(rule.template) - len(places) * len(rule.blank_str)
    if len(rule.template) * len(text) > CELL_LIMIT:
        raise NotScoredError(f"template and response are too long to align ({len(rule.template)} by {len(text)})")
    if fixed == 0:
        raise NotScoredError("the template is nothing but blanks")
    alignment = aligned or align_response(rule.template, text)
    positions = alignment.positions
    rate = alignment.length / fixed
    if rate < MATCH_RATE:
        detail = f"unmatched: match rate too low - {rate}"
        return [_result(target, False, detail, ()) for target in rule.targets]
    results: list[RuleResult] = []
    for number, (place, target) in enumerate(zip(places, rule.targets, strict=True)):
        end = place + len(rule.blank_str)
        if end >= len(positions):
            raise NotScoredError("the template ends in a blank, so its end is not known")
        start = positions[place - 1] + 1 if place else positions[0]
        captured = text[start : positions[end]]
        before = [result.detail for result in results]
        stripped = captured.strip(rule.escape)
        matched, detail = _compare(target, stripped, number, before)
        if not matched and place == places[-1]:
            for begin, shorter in _line_readings(text, rule, place, start, results):
                other = shorter.strip(rule.escape)
                is_match, other_detail = _compare(target, other, number, before)
                if is_match:
                    start, captured, stripped, matched, detail = begin, shorter, other, True, other_detail
                    break
        offset = start + captured.find(stripped) - len(rule.prefix) if stripped else 0
        spans = ((offset, offset + len(stripped)),) if stripped and offset >= 0 else ()
        results.append(_result(target, matched, detail, spans))
    return results


def _line_readings(
    text: str, rule: BlankFilling, place: int, start: int, before: Sequence[RuleResult]
) -> Iterator[tuple[int, str]]:
    """Yield (start, text) of each reading of the last blank: it may end wherever its line goes on as the template does.

    It starts where the alignment put it, or in the last line that begins like the template's, if the blanks before it
    in that line are right. The second start is needed because the alignment takes the last text that looks like the
    template's, which may be in the blank itself or in a sentence below the code.
    """
    head = rule.template[:place].rpartition("\n")[2]
    earlier = before[len(before) - head.count(rule.blank_str) :]
    rest = rule.template[place + len(rule.blank_str) :].rstrip("\n")
    if not rest or "\n" in rest:
        return
    line_start = r"^[^\S\n]*" + ".*?".join(map(re.escape, head.lstrip().split(rule.blank_str)))
    heads = list(re.finditer(line_start, text, re.MULTILINE))
    heads = heads if head.strip() and all(result.matched for result in earlier) else []
    for begin in (start, *(mark.end() for mark in heads[-1:])):
        line = text[begin:].partition("\n")[0]
        at = line.find(rest)
        while at >= 0:
            yield begin, line[:at]
            at = line.find(rest, at + 1)


def _result(target: BlankTarget, matched: bool, detail: str, spans: tuple[tuple[int, int], ...]) -> RuleResult:
    return rate_rule(target, "blank_filling", target.label, matched, detail, spans=spans if matched else ())


def _compare(target: BlankTarget, captured: str, number: int, before: list[str]) -> tuple[bool, str]:
    """Try the alternatives in order; the detail names the last one tried."""
    matched, reported, answer = False, captured, ""
    for order, alternative in enumerate(target.alternatives):
        # The reference lowers the text in place, so from the second alternative on its report shows the lowered text.
        reported = captured.lower() if target.to_lower and order else captured
        answer = alternative.text
        matched = _fits(target, alternative, captured, number, before)
        if matched:
            break
    return matched, f"{'matched' if matched else 'unmatched'}: response string: {reported}, ans: {answer}"


def _fits(target: BlankTarget, alternative: Alternative, captured: str, number: int, before: list[str]) -> bool:
    text, expected = captured, alternative.text
    if target.to_lower:
        text, expected = text.lower(), expected.lower()
    if alternative.regex:
        matched = search_pattern(expected, text, whole=not target.substr_match)
    else:
        matched = expected in text if target.substr_match else expected == text
    if matched and alternative.cond:
        names: dict[str, Any] = {
            "response_str": text, "ans_str": expected, "ans_re": alternative.regex, "no": number, "response": text,
            "ans": expected, "context": [], "grading_details": before,
        }  # fmt: skip
        return conditions.condition_holds(conditions.parse_condition(alternative.cond), names)
    return matched


def blank_offsets(template: str, blank: str) -> list[int]:
    """Return the offsets of the blanks. Raises `NotScoredError` if they overlap, which would be ambiguous."""
    places = find_offsets(blank, template)
    overlapping = sum(template.startswith(blank, at) for at in range(len(template))) if blank else 0
    if not blank or overlapping != len(places):
        raise NotScoredError("the blanks of the template overlap")
    return places


CELL_LIMIT = 30_000_000
"""The largest table, in cells of 8 bytes: a template's length times a response's."""
_BATCH_CELLS = 4_000_000

_COLUMN_BITS = 25
_LENGTH_BITS = 18
_ONE = 1 << _COLUMN_BITS
_COLUMN = _ONE - 1
_LENGTH = (1 << _LENGTH_BITS) - 1
_NEXT = 1 << (_COLUMN_BITS + _LENGTH_BITS)
_BATCH_RESPONSES = 1 << 18


@dataclass(frozen=True, slots=True)
class Alignment:
    """How many characters of the template were found, and the response's column for each character."""

    length: int
    positions: tuple[int, ...]


def align_response(template: str, response: str) -> Alignment:
    """Align one response; both texts must not be empty."""
    return next(align_with_template(template, [response]))


def align_with_template(template: str, responses: Sequence[str]) -> Iterator[Alignment]:
    """Align many responses with one template and yield the alignments in order.

    No text may be empty, and the lengths of template and response multiplied must not exceed `CELL_LIMIT`, which also
    bounds the memory.
    """
    batch: list[str] = []
    width = 0
    for response in responses:
        full = (width + len(response)) * len(template) > _BATCH_CELLS or len(batch) == _BATCH_RESPONSES
        if batch and full:
            yield from _ResponseBatch(template, batch).alignments()
            batch, width = [], 0
        batch.append(response)
        width += len(response)
    if batch:
        yield from _ResponseBatch(template, batch).alignments()


class _ResponseBatch:
    """Several responses side by side. A cell's high bits have the response's number, so no maximum crosses a border."""

    def __init__(self, template: str, responses: Sequence[str]) -> None:

        self._template, self._responses = template, responses
        self._codes = np.frombuffer("".join(responses).encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
        lengths = np.array([len(response) for response in responses], dtype=np.int64)
        self._starts = np.concatenate(([0], np.cumsum(lengths)[:-1])).astype(np.int64)
        self._ends = self._starts + lengths
        self._floors = np.arange(len(responses), dtype=np.int64) * _NEXT + self._starts
        """The value of a cell without any match: length 0, the response's first column."""
        self._table = np.empty((len(template), len(self._codes)), dtype=np.int64)
        self._is_start = np.zeros(len(self._codes), dtype=bool)
        self._is_start[self._starts] = True

    def alignments(self) -> Iterator[Alignment]:
        """Fill the table and read every response's alignment from it."""

        inner: dict[str, NDArray[np.int64]] = {}
        borders: dict[str, NDArray[np.bool_]] = {}
        for number, letter in enumerate(self._template):
            if letter not in inner:
                where = np.flatnonzero(self._codes == ord(letter))
                inner[letter] = where[~self._is_start[where]]
                borders[letter] = self._codes[self._starts] == ord(letter)
            row = self._table[number]
            border = self._floors + np.where(borders[letter], _ONE, 0)
            if number == 0:
                self._first_row(row, inner[letter], border)
            else:
                self._next_row(self._table[number - 1], row, inner[letter], border)
        for index in range(len(self._responses)):
            yield self._trace(index)

    def _first_row(self, row: NDArray[np.int64], inner: NDArray[np.int64], border: NDArray[np.int64]) -> None:

        segments = np.searchsorted(self._starts, inner, side="right") - 1
        row[:] = np.repeat(self._floors, self._ends - self._starts)
        row[inner] = segments * _NEXT + _ONE + inner
        row[self._starts] = border

    def _next_row(
        self, above: NDArray[np.int64], row: NDArray[np.int64], inner: NDArray[np.int64], border: NDArray[np.int64]
    ) -> None:
        """Fill one row of the table from the one above it."""

        row[:] = above
        # The border column does not take its value from the row above.
        row[self._starts] = border
        fresh = (above[inner - 1] & ~_COLUMN) + _ONE + inner
        row[inner] = fresh
        np.maximum.accumulate(row, out=row)
        shorter = inner[row[inner] != fresh]
        if len(shorter):
            for index in np.unique(np.searchsorted(self._starts, shorter, side="right") - 1).tolist():
                self._with_resets(above, row, inner, fresh, index, int(border[index]))

    def _with_resets(
        self,
        above: NDArray[np.int64],
        row: NDArray[np.int64],
        inner: NDArray[np.int64],
        fresh: NDArray[np.int64],
        index: int,
        border: int,
    ) -> None:
        """Fill one response's part of a row in which a match is shorter than the cell to its left.

        The cells after such a match continue from it, not from the longer one before.
        """

        start, end = int(self._starts[index]), int(self._ends[index])
        first, last = np.searchsorted(inner, [start, end]).tolist()
        row[start:end] = above[start:end]
        row[start] = border
        row[inner[first:last]] = fresh[first:last]
        for begin, stop in pairwise([start, *inner[first:last].tolist(), end]):
            if stop > begin:
                np.maximum.accumulate(row[begin:stop], out=row[begin:stop])

    def _trace(self, index: int) -> Alignment:
        template, response = self._template, self._responses[index]
        start, last = int(self._starts[index]), len(response) - 1
        table = self._table[:, start : start + len(response)]
        whole = int(table[-1, last])
        place = (whole & _COLUMN) - start
        positions = [0] * len(template)
        for row in range(len(template) - 1, -1, -1):
            if template[row] == response[place]:
                positions[row] = place
                if row:
                    # Column -1 is the last one, as in the reference.
                    place = (int(table[row - 1, place - 1]) & _COLUMN) - start
            else:
                positions[row] = place + 1
        return Alignment((whole >> _COLUMN_BITS) & _LENGTH, tuple(positions))
