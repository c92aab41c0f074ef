"""Keyword rules (criterion specification, part B, section 4)."""

from __future__ import annotations

from collections.abc import Sequence

from annotator.criteria import conditions
from annotator.criteria.document import Group, KeywordRule, Leaf
from annotator.criteria.results import PatternTimeoutError, RuleResult, found, places_of


def score_keywords(rules: Sequence[KeywordRule], response: str) -> tuple[list[RuleResult], list[str]]:
    """Return the rules' results, and why a rule could not be judged."""
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
        places = _find(wanted, node.regex, text)
        matched = places is not None
        if places:
            spans.extend(places)
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
    if is_regex:
        return places_of(wanted, text)
    if wanted not in text:
        return None
    return [(at, at + len(wanted)) for at in found(wanted, text)]
