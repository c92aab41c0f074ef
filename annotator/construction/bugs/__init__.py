"""Bugs that are implanted in programs, and their proof."""
