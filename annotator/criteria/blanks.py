"""Blank filling: align the template with the response and compare what stands in the blanks (part B, section 5)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from annotator.criteria import conditions
from annotator.criteria.alignment import CELL_LIMIT, Alignment, align, align_all
from annotator.criteria.document import Alternative, BlankFilling, BlankTarget
from annotator.criteria.results import NotScoredError, RuleResult, found, search

MATCH_RATE = 0.8


def align_responses(rule: BlankFilling, responses: Sequence[str]) -> dict[str, Alignment]:
    """Align many responses at once; those that are too long are left out. The keys are the responses."""
    if not rule.template:
        return {}
    texts = {response: _text(rule, response) for response in dict.fromkeys(responses)}
    short = {response: text for response, text in texts.items() if len(rule.template) * len(text) <= CELL_LIMIT}
    return dict(zip(short, align_all(rule.template, list(short.values())), strict=True))


def _text(rule: BlankFilling, response: str) -> str:
    return rule.prefix + response or " "


def score_blanks(rule: BlankFilling, response: str, aligned: Alignment | None = None) -> list[RuleResult]:
    """Score every blank; ``aligned`` is the response's alignment if it is known already.

    Raises `NotScoredError` where the reference would raise, or for texts too long to align.
    """
    text = _text(rule, response)
    places = blank_places(rule.template, rule.blank_str)
    if len(places) != len(rule.targets):
        raise NotScoredError(f"the template has {len(places)} blanks, but there are {len(rule.targets)} targets")
    fixed = len(rule.template) - len(places) * len(rule.blank_str)
    if len(rule.template) * len(text) > CELL_LIMIT:
        raise NotScoredError(f"template and response are too long to align ({len(rule.template)} by {len(text)})")
    if fixed == 0:
        raise NotScoredError("the template is nothing but blanks")
    found_places = aligned or align(rule.template, text)
    positions = found_places.positions
    rate = found_places.length / fixed
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
