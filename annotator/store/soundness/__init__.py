"""Checks of a project's content for damage."""
