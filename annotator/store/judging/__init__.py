"""Blind studies, reviews, votes and consensus."""
