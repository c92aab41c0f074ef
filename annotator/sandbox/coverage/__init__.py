"""Coverage of an answer's lines and arms (branch outcomes), as counted by each language's own engine."""

from annotator.sandbox.coverage.reports import read_report, union

__all__ = ["read_report", "union"]
