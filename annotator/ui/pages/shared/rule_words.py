"""Texts about a scored rule: its detail beyond "found" and "not found", and where its tests ran."""

from __future__ import annotations

from types import MappingProxyType
from typing import Protocol

from annotator.ui.app.translation import mark_for_translation, translate_word

_REDUNDANT_DETAILS = frozenset({"found", "not found"})


_MODES = MappingProxyType({"judged": mark_for_translation("judged"), "shared": mark_for_translation("shared")})


class RuleScore(Protocol):
    """A rule's part in a score."""

    @property
    def detail(self) -> str:
        """The engine's explanation of the rule's result."""


def scoring_mode_word(mode: str) -> str:
    """Return where tests ran as one word, empty if unknown."""
    return translate_word(_MODES.get(mode, ""))


def rule_detail(rule: RuleScore) -> str:
    """Return a rule's detail, empty if it only repeats the sign beside the rule."""
    return "" if rule.detail in _REDUNDANT_DETAILS else rule.detail
