"""Fetch a named source safely, into a folder with the repository's files."""
