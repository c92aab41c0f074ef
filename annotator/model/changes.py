"""The record of what an act changed, shared by services and the window."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Changes:
    """What an act changed, so that screens can refresh.

    ``nouns`` are lower-case noun names (``"decision"``, ``"subject"`` ...), ``subjects`` the ids of the subjects
    concerned (empty: any subject may be), ``change_id`` the undo log's entry, None for acts without undo.
    """

    nouns: frozenset[str] = frozenset()
    subjects: frozenset[str] = frozenset()
    label: str = ""
    change_id: str | None = None


def combine_changes(first: Changes, second: Changes) -> Changes:
    """Return two acts as one; the second is the one that undo reverts first."""
    last = second if second.label else first
    nouns, subjects = first.nouns | second.nouns, first.subjects | second.subjects
    return Changes(nouns, subjects, last.label, last.change_id)
