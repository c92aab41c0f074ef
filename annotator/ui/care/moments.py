"""Moments of the project file in words."""

from __future__ import annotations

from annotator.base.clock import parse


def when_text(moment: str) -> str:
    """Return a moment of the project file as people here write it."""
    return parse(moment).astimezone().strftime("%Y-%m-%d %H:%M:%S")
