"""Read a criterion document and score one response against it."""

from annotator.criteria.document.criterion import Checked, CriterionDocument, CriterionError, Problem
from annotator.criteria.document.loader import check, load
from annotator.criteria.metrics.rule_results import MetricScore, RuleResult, Scored
from annotator.criteria.metrics.scoring import score, score_many

__all__ = [
    "Checked",
    "CriterionDocument",
    "CriterionError",
    "MetricScore",
    "Problem",
    "RuleResult",
    "Scored",
    "check",
    "load",
    "score",
    "score_many",
]
