"""Code in a fence, as models write it."""

from __future__ import annotations


def fenced(code: str, language: str) -> str:
    """Return code in a fence of its language, which may be empty."""
    return f"```{language}\n{code.rstrip()}\n```"
