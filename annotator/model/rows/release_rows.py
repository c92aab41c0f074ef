"""Rows of releases and their gates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_SHOWN = 3
"""How many overrides stand beside a score."""


@dataclass(frozen=True, slots=True)
class GateItem:
    """An item that fails a gate, and why; ``subject_id`` is empty if it is not a subject."""

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
    """One condition of a release; ``items`` are those that fail it. If not required, it only warns.

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


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseRow:
    """A frozen version."""

    id: str
    version: str
    notes: str
    created_at: str
    annotator: str
    item_count: int
    content_hash: str
    overrides: tuple[str, ...] = ()
    """A sentence for each overridden gate or item, with the person and reason."""


def overrides_of(manifest: Mapping[str, Any]) -> tuple[str, ...]:
    """Return a sentence for each override in a release's manifest: whole gates, then single items."""
    reason = manifest.get("override_reason") or ""
    sentences = [f"{gate}: {reason}" for gate in manifest.get("overridden") or ()]
    for item in manifest.get("item_overrides") or ():
        sentences.append(f"{item['key']}: {item['why']} Released by {item['person']}: {item['reason']}")
    return tuple(sentences)


def shown_overrides(overrides: Sequence[str]) -> str:
    """Return overrides as a note beside a score: the first few, and the number of the rest."""
    more = [f"and {len(overrides) - _SHOWN} more"] if len(overrides) > _SHOWN else []
    return "; ".join([*(text.rstrip(".") for text in overrides[:_SHOWN]), *more])


@dataclass(frozen=True, slots=True)
class ItemChange:
    """An item that differs between two versions, and in which parts; ``void``: its earlier scores do not count."""

    key: str
    title: str
    fields: tuple[str, ...]
    void: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEffect:
    """The effect of a newer version on a run of the older one, in responses.

    ``void`` of the ``responses`` no longer count: for ``ask_again`` of them the question changed, the rest
    can be scored again. ``dropped`` belong to items that are gone.
    """

    run_id: str
    model: str
    responses: int
    void: int
    ask_again: int
    dropped: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseDiff:
    """The differences of a version from an older one; ``new`` is empty for the current state.

    ``comparable`` are the keys of the items on which results of both can be compared, ``same`` counts those without
    any difference, ``errata`` is a draft of what to tell the users of the older one. ``suggested`` is the
    next version, empty where nothing has changed.
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
