"""Results: scores, answers, tables, figures and reports of finished runs."""
