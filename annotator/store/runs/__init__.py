"""Releases, runs of models, their responses and scores."""
