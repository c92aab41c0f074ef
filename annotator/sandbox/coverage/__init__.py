"""Coverage of an answer's own lines and arms, as each language's own engine counts them."""

from annotator.sandbox.coverage.reports import read_report
from annotator.sandbox.coverage.union import union

__all__ = ["read_report", "union"]
