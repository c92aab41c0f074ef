"""Comparison of models and benchmarks: intervals, paired tests, correlations, signs of leakage."""
