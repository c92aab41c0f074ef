"""Scores, ranks, leaderboards and item statistics."""
