"""What a prompt forbids by name, such as "do not use `any`"."""

from __future__ import annotations

import re

_FORBIDS = re.compile(
    r"\b(?:(?:do|does|must|may|should|can)\s*(?:not|n't)|cannot|never|without|avoid)\s+(?:(?:the|any)\s+)?"
    r"(?:us(?:e|ing)|call(?:ing)?|import(?:ing)?|rely(?:ing)? on)?\s*(?:the\s+|any\s+)?"
    r"`(?P<one>[^`\n]+)`(?:\s*(?:,|or|nor|and)\s*`(?P<two>[^`\n]+)`)?",
    re.IGNORECASE,
)


def forbidden_names(prompt: str) -> tuple[str, ...]:
    """Return the names in backticks that a prompt says are not to be used, each once and without brackets."""
    found = (name.strip("().") for match in _FORBIDS.finditer(prompt) for name in match.groups() if name)
    return tuple(dict.fromkeys(filter(None, found)))
