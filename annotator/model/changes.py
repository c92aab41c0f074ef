"""What an act changed: the one record that the whole window knows."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Changes:
    """What an act changed; screens refresh what they show of it.

    ``nouns`` are lower-case noun names (``"decision"``, ``"subject"`` ...), ``subjects`` the ids of the subjects
    concerned (empty means: possibly all), ``change_id`` the undo log's entry, None for acts without undo.
    """

    nouns: frozenset[str] = frozenset()
    subjects: frozenset[str] = frozenset()
    label: str = ""
    change_id: str | None = None


def combine_changes(first: Changes, second: Changes) -> Changes:
    """Return two acts as one; the second is what undo takes back first."""
    last = second if second.label else first
    nouns, chosen = first.nouns | second.nouns, first.subjects | second.subjects
    return Changes(nouns, chosen, last.label, last.change_id)
