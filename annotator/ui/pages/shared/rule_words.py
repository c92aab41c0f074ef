"""What a rule has to say beside whether it was found."""

from __future__ import annotations

from typing import Protocol

_SAID_ALREADY = frozenset({"found", "not found"})


class RuleScore(Protocol):
    """A rule's part in a score."""

    @property
    def detail(self) -> str:
        """What the engine says of it."""


def detail_of(rule: RuleScore) -> str:
    """Return a rule's detail, nothing where it only repeats the sign beside the rule."""
    return "" if rule.detail in _SAID_ALREADY else rule.detail
