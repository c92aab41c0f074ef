"""The record of what an act changed, shared by services and the window."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Changes:
    """The data that an act changed, so that screens can refresh.

    ``nouns`` are kinds of data in lower case (``"decision"``, ``"subject"`` ...), ``subjects`` the ids of the changed
    subjects (empty: any may have changed), ``change_id`` the entry in the undo log, None for acts without undo.
    """

    nouns: frozenset[str] = frozenset()
    subjects: frozenset[str] = frozenset()
    label: str = ""
    change_id: str | None = None


def combine_changes(first: Changes, second: Changes) -> Changes:
    """Return the changes of two acts together, with the label and entry of the second, which undo reverts first."""
    last = second if second.label else first
    nouns, subjects = first.nouns | second.nouns, first.subjects | second.subjects
    return Changes(nouns, subjects, last.label, last.change_id)
