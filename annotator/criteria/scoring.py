"""Score one response against one document (criterion specification, part B, sections 1 and 4)."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from annotator.criteria import conditions
from annotator.criteria.document import CriterionDocument, Group, KeywordRule, Leaf, ValueRule

REGEX_SECONDS = 1.0
SPAN_LIMIT = 200
_FENCE = re.compile(r"```[^\n`]*\n(.*?)```", re.DOTALL)
_LEAD_IN = re.compile(r"^\s*(?:the\s+)?(?:output|answer|result|input)(?:\s+is)?\s*[:=]?\s*", re.IGNORECASE)
_NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d[\d,]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?!\w)")


@dataclass(frozen=True, slots=True)
class RuleResult:
    """What one rule gave; ``matched`` is None where it could not be judged, ``spans`` are offsets in the response."""

    metric: str
    label: str
    matched: bool | None
    points: float
    total: float
    spans: tuple[tuple[int, int], ...]
    why: str
    detail: str
    line: int


@dataclass(frozen=True, slots=True)
class Scored:
    """A response's score with every rule's part in it; ``score`` is None unless ``status`` is scored."""

    points: float | None
    total: float | None
    score: float | None
    status: Literal["scored", "not_scored"]
    reason: str
    rules: tuple[RuleResult, ...]


class PatternTimeoutError(Exception):
    """A regular expression used up its time on a response."""


def score(document: CriterionDocument, response: str) -> Scored:
    """Score a response: points are summed over the metrics, clipped, divided by the total, times the full score.

    A document with a metric this version cannot score, a pattern out of time or a condition that cannot be computed
    is not scored, with the reason; the rules that were judged are still reported. Scores below 0 are possible.
    """
    results, reasons = _keywords(document.keywords, response)
    results += [_value_rule(rule, response) for rule in document.values]
    for metric in document.unscored:
        reasons.append(f"{metric.replace('_', ' ')} is not scored in this version")
    if reasons:
        return Scored(None, None, None, "not_scored", "; ".join(reasons), tuple(results))
    points = sum(result.points for result in results)
    total = sum(result.total for result in results)
    if document.max_score is not None:
        total = document.max_score
        points = min(points, total)
    if document.min_score is not None:
        points = max(points, document.min_score)
    if total == 0:
        return Scored(points, total, None, "not_scored", "the weights add up to zero", tuple(results))
    return Scored(points, total, points / total * document.full_score, "scored", "", tuple(results))


def _keywords(rules: Sequence[KeywordRule], response: str) -> tuple[list[RuleResult], list[str]]:
    results: list[RuleResult] = []
    reasons: list[str] = []
    context: list[str] = []
    lowered: str | None = None
    for rule in rules:
        if rule.to_lower and lowered is None:
            lowered = response.lower()
        text = lowered if rule.to_lower and lowered is not None else response
        spans: list[tuple[int, int]] = []
        total = 0.0 if rule.neg else rule.weight
        try:
            matched = _matches(rule.content, text, rule.to_lower, context, spans)
        except (PatternTimeoutError, conditions.ConditionError) as error:
            reasons.append(f"line {rule.line}: {error}")
            context.append("unmatch")
            results.append(RuleResult("keywords", rule.label, None, 0.0, total, (), rule.why, str(error), rule.line))
            continue
        context.append("match" if matched else "unmatch")
        points = (-rule.weight if rule.neg else rule.weight) if matched else 0.0
        # Lowering can change a text's length; offsets into it would then point elsewhere in the response.
        places = tuple(sorted(set(spans))) if matched and len(text) == len(response) else ()
        detail = "found" if matched else "not found"
        results.append(RuleResult("keywords", rule.label, matched, points, total, places, rule.why, detail, rule.line))
    return results, reasons


def _matches(
    node: Leaf | Group, text: str, to_lower: bool, context: Sequence[str], spans: list[tuple[int, int]]
) -> bool:
    if isinstance(node, Leaf):
        wanted = node.text.lower() if to_lower else node.text
        found = _find(wanted, node.regex, text)
        matched = found is not None
        if found:
            spans.extend(found)
        answer = wanted
    else:
        # Every child is looked at, as the reference does, so that the highlights are complete.
        children = [_matches(child, text, to_lower, context, spans) for child in node.children]
        matched = any(children) if node.kind == "or" else all(children)
        answer = ""
    if matched and node.cond:
        names = {"context": list(context), "ans": answer, "response": text}
        return conditions.holds(conditions.parse(node.cond), names)
    return matched


def _find(wanted: str, is_regex: bool, text: str) -> list[tuple[int, int]] | None:
    """Return where a text or pattern occurs (possibly nowhere in particular), None if it does not."""
    if not is_regex:
        if wanted not in text:
            return None
        return [(at, at + len(wanted)) for at in _occurrences(wanted, text)]
    import regex

    try:
        pattern = regex.compile(wanted)
        if pattern.search(text, timeout=REGEX_SECONDS) is None:
            return None
        spans = []
        for match in pattern.finditer(text, timeout=REGEX_SECONDS):
            if match.end() > match.start():
                spans.append(match.span())
            if len(spans) >= SPAN_LIMIT:
                break
    except TimeoutError as error:
        raise PatternTimeoutError(f"the pattern needs more than {REGEX_SECONDS:g} s on this response") from error
    except regex.error as error:
        raise PatternTimeoutError(f"lowered, this is not a regular expression: {error}") from error
    return spans


def _occurrences(wanted: str, text: str) -> list[int]:
    found: list[int] = []
    at = text.find(wanted) if wanted else -1
    while at >= 0 and len(found) < SPAN_LIMIT:
        found.append(at)
        at = text.find(wanted, at + len(wanted))
    return found


def _value_rule(rule: ValueRule, response: str) -> RuleResult:
    answer, start = bare_answer(response)
    matched, detail = {"equals": _equals, "number": _number, "json": _json}[rule.metric](rule, answer)
    spans = ((start, start + len(answer)),) if matched and answer else ()
    points = rule.weight if matched else 0.0
    return RuleResult(rule.metric, rule.label, matched, points, rule.weight, spans, rule.why, detail, rule.line)


def bare_answer(response: str) -> tuple[str, int]:
    """Return the answer without its only fence and lead-in ("Output:"), and where it starts in the response."""
    fences = list(_FENCE.finditer(response))
    text, start = (fences[0][1], fences[0].start(1)) if len(fences) == 1 else (response, 0)
    lead = _LEAD_IN.match(text)
    if lead is not None and len(lead[0]) < len(text):
        text, start = text[lead.end() :], start + lead.end()
    stripped = text.strip()
    return stripped, start + (len(text) - len(text.lstrip()) if stripped else 0)


def _equals(rule: ValueRule, answer: str) -> tuple[bool, str]:
    wanted = str(rule.value)
    if rule.strip:
        wanted, answer = wanted.strip(), answer.strip().strip("`")
    if rule.to_lower:
        wanted, answer = wanted.lower(), answer.lower()
    return answer == wanted, f"answered {answer[:80]!r}"


def _number(rule: ValueRule, answer: str) -> tuple[bool, str]:
    found = [_as_float(match[0]) for match in _NUMBER.finditer(answer)]
    if not found:
        return False, "no number in the answer"
    value = found[-1]
    return abs(value - float(rule.value)) <= rule.tolerance, f"answered {value:g}"


def _as_float(text: str) -> float:
    return float(text.replace(",", ""))


def _json(rule: ValueRule, answer: str) -> tuple[bool, str]:
    try:
        value = json.loads(answer)
    except (ValueError, RecursionError):
        return False, "the answer is not JSON"
    return _same(value, rule.value), "compared as JSON"


def _same(a: Any, b: Any) -> bool:
    """Compare JSON values by structure: 1 equals 1.0, true is no number, the order of keys does not matter."""
    if isinstance(a, bool) or isinstance(b, bool):
        return isinstance(a, bool) and isinstance(b, bool) and a == b
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(_same(a[key], b[key]) for key in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(_same(x, y) for x, y in zip(a, b, strict=True))
    return bool(a == b)
