"""Rules on the whole answer: equal to a text, a number, a JSON value (specification, part A)."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import Any

from annotator.criteria.document.criterion_document import SimilarityRule, ValueRule
from annotator.criteria.metrics.rule_results import NotScoredError, RuleResult, rate_rule

_FENCE = re.compile(r"```[^\n`]*\n(.*?)```", re.DOTALL)
_LEAD_IN = re.compile(r"^\s*(?:the\s+)?(?:output|answer|result|input)(?:\s+is)?\s*[:=]?\s*", re.IGNORECASE)
_NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d[\d,]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?!\w)")


def score_value(rule: ValueRule, response: str) -> RuleResult:
    """Score a rule on the whole answer, without its fence and lead-in such as "Output:"."""
    answer, start = bare_answer(response)
    matched, detail = {"equals": _compare_text, "number": _compare_number, "json": _compare_json}[rule.metric](
        rule, answer
    )
    spans = ((start, start + len(answer)),) if matched and answer else ()
    return rate_rule(rule, rule.metric, rule.label, matched, detail, spans=spans)


def bare_answer(response: str) -> tuple[str, int]:
    """Return the answer without its only fence and lead-in ("Output:"), and where it starts in the response."""
    fences = list(_FENCE.finditer(response))
    text, start = (fences[0][1], fences[0].start(1)) if len(fences) == 1 else (response, 0)
    lead_in = _LEAD_IN.match(text)
    if lead_in is not None and len(lead_in[0]) < len(text):
        text = text[lead_in.end() :]
        start += lead_in.end()
    stripped = text.strip()
    return stripped, start + (len(text) - len(text.lstrip()) if stripped else 0)


def _compare_text(rule: ValueRule, answer: str) -> tuple[bool, str]:
    expected = str(rule.value)
    if rule.strip:
        expected = expected.strip()
        answer = answer.strip().strip("`")
    if rule.to_lower:
        expected = expected.lower()
        answer = answer.lower()
    return answer == expected, f"answered {answer[:80]!r}"


def _compare_number(rule: ValueRule, answer: str) -> tuple[bool, str]:
    numbers = [float(match[0].replace(",", "")) for match in _NUMBER.finditer(answer)]
    if not numbers:
        return False, "no number in the answer"
    value = numbers[-1]
    return abs(value - float(rule.value)) <= rule.tolerance, f"answered {value:g}"


def _compare_json(rule: ValueRule, answer: str) -> tuple[bool, str]:
    try:
        value = json.loads(answer)
    except (ValueError, RecursionError):
        return False, "the answer is not JSON"
    return _same_json(value, rule.value, rule), "compared as JSON"


def _same_json(value: Any, expected: Any, rule: ValueRule) -> bool:
    """Return whether JSON values are equal by structure: 1 equals 1.0, true is not 1, and keys may be in any order.

    The rule sets the tolerance for numbers and whether case matters in texts; keys are compared exactly.
    """
    if isinstance(value, bool) or isinstance(expected, bool):
        return isinstance(value, bool) and isinstance(expected, bool) and value == expected
    if isinstance(value, dict) and isinstance(expected, dict):
        return value.keys() == expected.keys() and all(_same_json(value[key], expected[key], rule) for key in value)
    if isinstance(value, list) and isinstance(expected, list):
        return len(value) == len(expected) and all(
            _same_json(item, expected_item, rule) for item, expected_item in zip(value, expected, strict=True)
        )
    if isinstance(value, int | float) and isinstance(expected, int | float):
        return value == expected or abs(value - expected) <= rule.tolerance
    if isinstance(value, str) and isinstance(expected, str) and rule.to_lower:
        return value.lower() == expected.lower()
    return bool(value == expected)


CELL_LIMIT = 20_000_000
"""The largest table for a longest common subsequence: words of a reference times words of a response."""


@lru_cache(maxsize=8)
def _load_scorer(metric: str) -> Any:
    from rouge_score import rouge_scorer  # It loads NLTK and SciPy, which takes seconds.

    return rouge_scorer.RougeScorer([metric], use_stemmer=False, split_summaries=False)


def raw_score(metric: str, references: tuple[str, ...], response: str) -> float:
    """Return the best F1 of a ROUGE metric over the references. Raises `NotScoredError` for texts that are too long."""
    if metric in ("rougeL", "rougeLsum"):
        cells = max(len(reference.split()) for reference in references) * len(response.split())
        if cells > CELL_LIMIT:
            raise NotScoredError("the response is too long to compare with the reference")
    return max(float(_load_scorer(metric).score(reference, response)[metric].fmeasure) for reference in references)


def score_similarity(rule: SimilarityRule, response: str) -> RuleResult:
    """Map the raw score from the rule's interval to 0..1 and multiply it by the rule's weight."""
    raw = raw_score(rule.metric, rule.references, response)
    share = min(1.0, max(0.0, (raw - rule.min_score) / (rule.max_score - rule.min_score)))
    detail = f"{rule.metric} {raw:.4f}, which is {share:.4f} between {rule.min_score:g} and {rule.max_score:g}"
    label = f"{rule.metric} to {len(rule.references)} reference{'s' if len(rule.references) > 1 else ''}"
    return rate_rule(rule, "similarity", label, share > 0, detail, share=share)
