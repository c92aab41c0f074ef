"""Interchange."""
