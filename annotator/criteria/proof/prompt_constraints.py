"""What a prompt forbids by name, such as "do not use `any`", and how it wants an answer written, in words."""

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


_WAY = (
    r"recurs(?:ion|ively|ive)|loops?|regular expressions?|regexe?s?|comprehensions?|lambdas?"
    r"|generators?|iterators?|heaps?|deques?|stacks?|queues?"
    r"|decorators?|context managers?|data ?class(?:es)?|globals?|temporary tables?|sub-?quer(?:y|ies)|cursors?"
    r"|joins?|window functions?|common table expressions?|CTEs?|streams?|templates?|bit(?:wise)? operat(?:ors?|ions?)"
    r"|list slicing|one[- ]liners?|if statements?|ternar(?:y|ies)|promises?|async(?: functions?)?|mutex(?:es)?|locks?"
)
_ASKS = re.compile(
    r"\b(?:(?:do|does|must|may|should|can)\s*(?:not|n't)|never|without|avoid|us(?:e|ing)|with(?=\s+an?\s))\b"
    r"(?:\s+(?:us(?:e|ing)|writ(?:e|ing)|import(?:ing)?|any|the|an?|own|for|while|list|dict|set|explicit|extra|single)){0,4}"
    rf"\s+(?:{_WAY})\b",
    re.IGNORECASE,
)


def asked_ways(prompt: str) -> tuple[str, ...]:
    """Return the phrases of a prompt that say how the answer is to be written, such as "use a heap", each once."""
    return tuple(dict.fromkeys(re.sub(r"\s+", " ", match[0]) for match in _ASKS.finditer(prompt)))
