"""Tokens, diffs, distances and highlighting: pure functions."""
