"""Plan, generate, score: one run."""
