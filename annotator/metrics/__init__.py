"""Metrics: scores, agreement of raters, comparison of models. Formulas are those of the metrics specification."""
