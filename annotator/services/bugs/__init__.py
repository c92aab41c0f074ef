"""Implanted bugs."""
