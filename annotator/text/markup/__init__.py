"""Detect HTML, and convert it to Markdown."""
