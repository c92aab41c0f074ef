"""Read a criterion document and score one response against it."""

from annotator.criteria.document.criterion_document import CheckedDocument, CriterionDocument, CriterionError, Problem
from annotator.criteria.document.loader import load_criterion, parse_criterion
from annotator.criteria.metrics.document_scoring import score_all_by_criterion, score_by_criterion
from annotator.criteria.metrics.rule_results import CriterionScore, MetricScore, RuleResult

__all__ = [
    "CheckedDocument",
    "CriterionDocument",
    "CriterionError",
    "CriterionScore",
    "MetricScore",
    "Problem",
    "RuleResult",
    "load_criterion",
    "parse_criterion",
    "score_all_by_criterion",
    "score_by_criterion",
]
