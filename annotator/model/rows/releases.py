"""Releases and what keeps one from being made, as screens and commands show them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class GateItem:
    """What does not meet a gate, and why; ``subject_id`` is empty where it is no subject."""

    subject_id: str
    key: str
    title: str
    why: str


@dataclass(frozen=True, slots=True)
class PromptOverride:
    """Who lets a paraphrase pass that its checks hold back, when, and why."""

    reason: str
    person: str
    created_at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OverriddenItem:
    """An item that meets a gate only because a person overrode it: what is wrong, and who said why it may pass."""

    subject_id: str
    key: str
    title: str
    why: str
    override: PromptOverride


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """One condition of a release; ``items`` are those that do not meet it. One that is not required only tells.

    ``overridden`` are items that would not meet it, each with a person's reason to let it pass.
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
        """The subjects that do not meet it."""
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
    """What was released although a gate was not met, a sentence each, with who said why."""


def overrides_of(manifest: Mapping[str, Any]) -> tuple[str, ...]:
    """Return what a release's manifest says was overridden, a sentence each: whole gates, then single items."""
    reason = manifest.get("override_reason") or ""
    found = [f"{gate}: {reason}" for gate in manifest.get("overridden") or ()]
    for item in manifest.get("item_overrides") or ():
        found.append(f"{item['key']}: {item['why']} Released by {item['person']}: {item['reason']}")
    return tuple(found)


def shown_overrides(overrides: Sequence[str], most: int = 3) -> str:
    """Return overrides as what stands beside a score: the first few, and how many more there are."""
    more = [f"and {len(overrides) - most} more"] if len(overrides) > most else []
    return "; ".join([*(text.rstrip(".") for text in overrides[:most]), *more])


@dataclass(frozen=True, slots=True)
class ItemChange:
    """An item that differs between two versions, and in which parts; ``void``: its earlier scores do not count."""

    key: str
    title: str
    fields: tuple[str, ...]
    void: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEffect:
    """What a newer version means for a run of the older one, in responses.

    Of ``responses`` those of ``void`` items no longer count: ``ask_again`` of them were asked something else, the rest
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
    """What one version has that an older one has not; ``new`` is empty for the present state.

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
