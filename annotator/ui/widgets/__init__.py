"""Widgets that all pages use."""
