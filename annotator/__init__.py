"""Annotator: from mined candidates to a released benchmark for code language models."""

__version__ = "0.2.0"
