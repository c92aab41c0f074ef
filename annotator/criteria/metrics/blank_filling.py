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
"""If a smaller share of the template is found, no blank is matched (part B, section 5)."""


def align_responses(rule: BlankFilling, responses: Sequence[str]) -> dict[str, Alignment]:
    """Align many responses at once; return the alignments by response, without responses that are too long."""
    if not rule.template:
        return {}
    texts = {response: _response_text(rule, response) for response in dict.fromkeys(responses)}
    alignable_texts = {
        response: text for response, text in texts.items() if len(rule.template) * len(text) <= CELL_LIMIT
    }
    return dict(zip(alignable_texts, align_with_template(rule.template, list(alignable_texts.values())), strict=True))


def _response_text(rule: BlankFilling, response: str) -> str:
    return rule.prefix + response or " "


def score_blanks(rule: BlankFilling, response: str, aligned: Alignment | None = None) -> list[RuleResult]:
    """Score every blank; ``aligned`` is the response's alignment, if it has been computed.

    Raises `NotScoredError` where the reference implementation would raise, and for texts that are too long to align.
    """
    text = _response_text(rule, response)
    offsets = blank_offsets(rule.template, rule.blank_str)
    if len(offsets) != len(rule.targets):
        raise NotScoredError(f"the template has {len(offsets)} blanks, but there are {len(rule.targets)} targets")
    fixed_length = len(rule.template) - len(offsets) * len(rule.blank_str)
    if len(rule.template) * len(text) > CELL_LIMIT:
        raise NotScoredError(f"template and response are too long to align ({len(rule.template)} by {len(text)})")
    if fixed_length == 0:
        raise NotScoredError("the template is nothing but blanks")
    alignment = aligned or align_response(rule.template, text)
    positions = alignment.positions
    rate = alignment.length / fixed_length
    if rate < MATCH_RATE:
        detail = f"unmatched: match rate too low - {rate}"
        return [_target_result(target, False, detail, ()) for target in rule.targets]
    results: list[RuleResult] = []
    for number, (offset, target) in enumerate(zip(offsets, rule.targets, strict=True)):
        end = offset + len(rule.blank_str)
        if end >= len(positions):
            raise NotScoredError("the template ends in a blank, so its end is not known")
        start = positions[offset - 1] + 1 if offset else positions[0]
        captured = text[start : positions[end]]
        earlier_details = [result.detail for result in results]
        stripped = captured.strip(rule.escape)
        matched, detail = _try_alternatives(target, stripped, number, earlier_details)
        if not matched and offset == offsets[-1]:
            for reading_start, reading in _line_readings(text, rule, offset, start, results):
                stripped_reading = reading.strip(rule.escape)
                matched, reading_detail = _try_alternatives(target, stripped_reading, number, earlier_details)
                if matched:
                    start, captured, stripped, detail = reading_start, reading, stripped_reading, reading_detail
                    break
        span_start = start + captured.find(stripped) - len(rule.prefix) if stripped else 0
        spans = ((span_start, span_start + len(stripped)),) if stripped and span_start >= 0 else ()
        results.append(_target_result(target, matched, detail, spans))
    return results


def _line_readings(
    text: str, rule: BlankFilling, offset: int, start: int, results: Sequence[RuleResult]
) -> Iterator[tuple[int, str]]:
    """Yield (start, text) of each reading of the last blank, which may end wherever the template's next text follows.

    It starts where the alignment put it, or in the last line that begins like the template's, if the blanks before it
    in that line are right. The second start is needed because the alignment takes the last text that looks like the
    template's, which may be in the blank itself or in a sentence below the code.
    """
    head = rule.template[:offset].rpartition("\n")[2]
    earlier_in_line = results[len(results) - head.count(rule.blank_str) :]
    template_rest = rule.template[offset + len(rule.blank_str) :].rstrip("\n")
    if not template_rest or "\n" in template_rest:
        return
    line_start = r"^[^\S\n]*" + ".*?".join(map(re.escape, head.lstrip().split(rule.blank_str)))
    head_matches = list(re.finditer(line_start, text, re.MULTILINE))
    head_matches = head_matches if head.strip() and all(result.matched for result in earlier_in_line) else []
    for reading_start in (start, *(mark.end() for mark in head_matches[-1:])):
        line = text[reading_start:].partition("\n")[0]
        end = line.find(template_rest)
        while end >= 0:
            yield reading_start, line[:end]
            end = line.find(template_rest, end + 1)


def _target_result(target: BlankTarget, matched: bool, detail: str, spans: tuple[tuple[int, int], ...]) -> RuleResult:
    return rate_rule(target, "blank_filling", target.label, matched, detail, spans=spans if matched else ())


def _try_alternatives(target: BlankTarget, captured: str, number: int, earlier_details: list[str]) -> tuple[bool, str]:
    """Try the alternatives in order; the detail names the last one tried."""
    matched, reported, answer = False, captured, ""
    for position, alternative in enumerate(target.alternatives):
        # The reference lowers the text in place, so from the second alternative on its report shows the lowered text.
        reported = captured.lower() if target.to_lower and position else captured
        answer = alternative.text
        matched = _alternative_matches(target, alternative, captured, number, earlier_details)
        if matched:
            break
    return matched, f"{'matched' if matched else 'unmatched'}: response string: {reported}, ans: {answer}"


def _alternative_matches(
    target: BlankTarget, alternative: Alternative, captured: str, number: int, earlier_details: list[str]
) -> bool:
    text = captured.lower() if target.to_lower else captured
    expected = alternative.text.lower() if target.to_lower else alternative.text
    if alternative.regex:
        matched = search_pattern(expected, text, whole=not target.substr_match)
    else:
        matched = expected in text if target.substr_match else expected == text
    if matched and alternative.cond:
        names: dict[str, Any] = {
            "response_str": text, "ans_str": expected, "ans_re": alternative.regex, "no": number, "response": text,
            "ans": expected, "context": [], "grading_details": earlier_details,
        }  # fmt: skip
        return conditions.condition_holds(conditions.parse_condition(alternative.cond), names)
    return matched


def blank_offsets(template: str, blank: str) -> list[int]:
    """Return the offsets of the blanks. Raises `NotScoredError` if they overlap, which would be ambiguous."""
    offsets = find_offsets(blank, template)
    overlapping = sum(template.startswith(blank, offset) for offset in range(len(template))) if blank else 0
    if not blank or overlapping != len(offsets):
        raise NotScoredError("the blanks of the template overlap")
    return offsets


CELL_LIMIT = 30_000_000
"""The largest table, in cells of 8 bytes: a template's length times a response's."""
_BATCH_CELLS = 4_000_000

# A cell packs three numbers, from the highest bits: the response's number, the length of the common text so far, and
# the response's column of its last match. The maximum of two cells is then the better alignment.
_COLUMN_BITS = 25
_LENGTH_BITS = 18
_LENGTH_UNIT = 1 << _COLUMN_BITS
_COLUMN_MASK = _LENGTH_UNIT - 1
_LENGTH_MASK = (1 << _LENGTH_BITS) - 1
_RESPONSE_UNIT = 1 << (_COLUMN_BITS + _LENGTH_BITS)
# A response's number must fit into the bits above the length.
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
        is_batch_full = (width + len(response)) * len(template) > _BATCH_CELLS or len(batch) == _BATCH_RESPONSES
        if batch and is_batch_full:
            yield from _ResponseBatch(template, batch).alignments()
            batch = []
            width = 0
        batch.append(response)
        width += len(response)
    if batch:
        yield from _ResponseBatch(template, batch).alignments()


class _ResponseBatch:
    """Several responses side by side. A cell's high bits have the response's number, so no maximum crosses a border."""

    def __init__(self, template: str, responses: Sequence[str]) -> None:
        self._template = template
        self._responses = responses
        self._codes = np.frombuffer("".join(responses).encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
        lengths = np.array([len(response) for response in responses], dtype=np.int64)
        self._starts = np.concatenate(([0], np.cumsum(lengths)[:-1])).astype(np.int64)
        self._ends = self._starts + lengths
        self._floors = np.arange(len(responses), dtype=np.int64) * _RESPONSE_UNIT + self._starts
        """The value of a cell without any match: length 0, the response's first column."""
        self._table = np.empty((len(template), len(self._codes)), dtype=np.int64)
        self._is_start = np.zeros(len(self._codes), dtype=bool)
        self._is_start[self._starts] = True

    def alignments(self) -> Iterator[Alignment]:
        """Fill the table and read every response's alignment from it."""
        matches_by_letter: dict[str, NDArray[np.int64]] = {}
        starts_by_letter: dict[str, NDArray[np.bool_]] = {}
        for number, letter in enumerate(self._template):
            if letter not in matches_by_letter:
                columns = np.flatnonzero(self._codes == ord(letter))
                matches_by_letter[letter] = columns[~self._is_start[columns]]
                starts_by_letter[letter] = self._codes[self._starts] == ord(letter)
            row = self._table[number]
            start_values = self._floors + np.where(starts_by_letter[letter], _LENGTH_UNIT, 0)
            if number == 0:
                self._fill_first_row(row, matches_by_letter[letter], start_values)
            else:
                self._fill_next_row(self._table[number - 1], row, matches_by_letter[letter], start_values)
        for index in range(len(self._responses)):
            yield self._trace_alignment(index)

    def _fill_first_row(
        self, row: NDArray[np.int64], matches: NDArray[np.int64], start_values: NDArray[np.int64]
    ) -> None:
        indexes = np.searchsorted(self._starts, matches, side="right") - 1
        row[:] = np.repeat(self._floors, self._ends - self._starts)
        row[matches] = indexes * _RESPONSE_UNIT + _LENGTH_UNIT + matches
        row[self._starts] = start_values

    def _fill_next_row(
        self,
        row_above: NDArray[np.int64],
        row: NDArray[np.int64],
        matches: NDArray[np.int64],
        start_values: NDArray[np.int64],
    ) -> None:
        """Fill one row of the table from the one above it."""

        row[:] = row_above
        # The border column does not take its value from the row above.
        row[self._starts] = start_values
        new_values = (row_above[matches - 1] & ~_COLUMN_MASK) + _LENGTH_UNIT + matches
        row[matches] = new_values
        np.maximum.accumulate(row, out=row)
        shorter_matches = matches[row[matches] != new_values]
        if len(shorter_matches):
            for index in np.unique(np.searchsorted(self._starts, shorter_matches, side="right") - 1).tolist():
                self._fill_with_resets(row_above, row, matches, new_values, index, int(start_values[index]))

    def _fill_with_resets(
        self,
        row_above: NDArray[np.int64],
        row: NDArray[np.int64],
        matches: NDArray[np.int64],
        new_values: NDArray[np.int64],
        index: int,
        start_value: int,
    ) -> None:
        """Fill one response's part of a row in which a match is shorter than the cell to its left.

        The cells after such a match continue from it, not from the longer one before.
        """

        start, end = int(self._starts[index]), int(self._ends[index])
        first, last = np.searchsorted(matches, [start, end]).tolist()
        row[start:end] = row_above[start:end]
        row[start] = start_value
        row[matches[first:last]] = new_values[first:last]
        for begin, stop in pairwise([start, *matches[first:last].tolist(), end]):
            if stop > begin:
                np.maximum.accumulate(row[begin:stop], out=row[begin:stop])

    def _trace_alignment(self, index: int) -> Alignment:
        template = self._template
        response = self._responses[index]
        start = int(self._starts[index])
        table = self._table[:, start : start + len(response)]
        last_cell = int(table[-1, len(response) - 1])
        column = (last_cell & _COLUMN_MASK) - start
        positions = [0] * len(template)
        for row in range(len(template) - 1, -1, -1):
            if template[row] == response[column]:
                positions[row] = column
                if row:
                    # Column -1 is the last one, as in the reference.
                    column = (int(table[row - 1, column - 1]) & _COLUMN_MASK) - start
            else:
                positions[row] = column + 1
        return Alignment((last_cell >> _COLUMN_BITS) & _LENGTH_MASK, tuple(positions))
