"""Evaluation runs: plan, generate, score and summarise."""
