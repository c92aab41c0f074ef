"""Soundness."""
