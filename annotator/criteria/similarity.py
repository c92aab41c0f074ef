"""Similarity to reference answers by ROUGE (specification, part B, 7), with scores equal to rouge-score's own."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from annotator.criteria.document import SimilarityRule
from annotator.criteria.results import NotScoredError, RuleResult

METRICS = ("rouge1", "rouge2", "rougeL", "rougeLsum")
CELL_LIMIT = 20_000_000
"""The largest table of a longest common subsequence, in words of a reference times words of a response."""


@lru_cache(maxsize=8)
def _scorer(metric: str) -> Any:
    from rouge_score import rouge_scorer

    return rouge_scorer.RougeScorer([metric], use_stemmer=False, split_summaries=False)


def raw_score(metric: str, references: tuple[str, ...], response: str) -> float:
    """Return the F1 of a ROUGE metric, the best over several references. Raises `NotScoredError` for too long texts."""
    if metric in ("rougeL", "rougeLsum"):
        words = max(len(reference.split()) for reference in references) * len(response.split())
        if words > CELL_LIMIT:
            raise NotScoredError("the response is too long to compare with the reference")
    return max(float(_scorer(metric).score(reference, response)[metric].fmeasure) for reference in references)


def score_similarity(rule: SimilarityRule, response: str) -> RuleResult:
    """Map the raw score from the rule's interval to 0..1 and weigh it."""
    raw = raw_score(rule.metric, rule.references, response)
    share = min(1.0, max(0.0, (raw - rule.low) / (rule.high - rule.low)))
    detail = f"{rule.metric} {raw:.4f}, which is {share:.4f} between {rule.low:g} and {rule.high:g}"
    label = f"{rule.metric} to {len(rule.references)} reference{'s' if len(rule.references) > 1 else ''}"
    points = rule.weight * share
    return RuleResult("similarity", label, share > 0, points, rule.weight, (), rule.why, detail, rule.line)
