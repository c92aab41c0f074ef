"""What a rule has to say beside whether it was found, and where tests ran."""

from __future__ import annotations

from types import MappingProxyType
from typing import Protocol

from annotator.ui.app.translation import mark_for_translation, translate_word

_SAID_ALREADY = frozenset({"found", "not found"})


_MODES = MappingProxyType({"judged": mark_for_translation("judged"), "shared": mark_for_translation("shared")})


class RuleScore(Protocol):
    """A rule's part in a score."""

    @property
    def detail(self) -> str:
        """What the engine says of it."""


def mode_word(mode: str) -> str:
    """Return where tests run as one word, empty where that is not known."""
    return translate_word(_MODES.get(mode, ""))


def detail_of(rule: RuleScore) -> str:
    """Return a rule's detail, nothing where it only repeats the sign beside the rule."""
    return "" if rule.detail in _SAID_ALREADY else rule.detail
