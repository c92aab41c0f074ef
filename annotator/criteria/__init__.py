"""Read a criterion document and score one response against it."""

from annotator.criteria.document import Checked, CriterionDocument, CriterionError, Problem
from annotator.criteria.loader import check, load
from annotator.criteria.scoring import RuleResult, Scored, score

__all__ = [
    "Checked",
    "CriterionDocument",
    "CriterionError",
    "Problem",
    "RuleResult",
    "Scored",
    "check",
    "load",
    "score",
]
