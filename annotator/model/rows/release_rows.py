"""Rows of releases and their gates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_MAX_OVERRIDES_SHOWN = 3
"""Maximum number of overrides listed next to a score."""


@dataclass(frozen=True, slots=True)
class GateItem:
    """An item that fails a gate, and why; ``subject_id`` is empty if the failure is not that of a released item."""

    subject_id: str
    key: str
    title: str
    why: str


@dataclass(frozen=True, slots=True)
class PromptOverride:
    """A person's override of a paraphrase that fails its checks."""

    reason: str
    person: str
    created_at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OverriddenItem:
    """An item that passes a gate only by a person's override: its problem, and the override."""

    subject_id: str
    key: str
    title: str
    why: str
    override: PromptOverride


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """One condition of a release; ``items`` are those that fail it, ``required`` is False for a gate that only warns.

    ``overridden`` are items that would fail it, each with a person's override.
    """

    id: str
    name: str
    ok: bool
    reason: str
    items: tuple[GateItem, ...]
    required: bool
    overridden: tuple[OverriddenItem, ...] = ()

    @property
    def subject_ids(self) -> tuple[str, ...]:
        """The subjects that fail it."""
        return tuple(item.subject_id for item in self.items if item.subject_id)


def summarize_overrides(overrides: Sequence[str]) -> str:
    """Return overrides as a short note next to a score: the first few, and the number of the rest."""
    remainder = [f"and {len(overrides) - _MAX_OVERRIDES_SHOWN} more"] if len(overrides) > _MAX_OVERRIDES_SHOWN else []
    return "; ".join([*(text.rstrip(".") for text in overrides[:_MAX_OVERRIDES_SHOWN]), *remainder])


@dataclass(frozen=True, slots=True)
class ItemChange:
    """An item that differs between two versions, and its changed fields; ``void`` if its earlier scores are invalid."""

    key: str
    title: str
    fields: tuple[str, ...]
    void: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEffect:
    """The number of responses of a run that a newer version invalidates.

    The scores of ``void`` of the ``responses`` are invalid: ``ask_again`` of these need a new request because their
    question changed, the others only need rescoring. ``dropped`` counts responses to removed items.
    """

    run_id: str
    model: str
    responses: int
    void: int
    ask_again: int
    dropped: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseDiff:
    """The differences between two versions; ``new`` is empty for the current state of the project.

    ``comparable`` holds the keys of the items on which results of both can be compared, ``same`` counts unchanged
    items, and ``errata`` drafts a notice for users of the old version. ``suggested`` is the next version number,
    empty if nothing has changed.
    """

    old: str
    new: str
    added: tuple[ItemChange, ...]
    removed: tuple[ItemChange, ...]
    changed: tuple[ItemChange, ...]
    same: int
    comparable: tuple[str, ...]
    errata: tuple[str, ...]
    suggested: str
    runs: tuple[RunEffect, ...] = ()
