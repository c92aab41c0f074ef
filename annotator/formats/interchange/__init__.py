"""Formats that are both read and written."""
