"""Semantic hashes of a release, which show whether prompt, criterion, tests, reference or labels of an item changed.

The hashes are in a release's manifest, so two versions can be compared from their folders alone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from annotator.base.ids import content_hash
from annotator.formats.write.export_folder import Item

PARTS: Mapping[str, tuple[str, ...]] = {
    "prompt": ("prompt", "original_prompt", "context", "entry_point", "language", "task", "extra"),
    "criterion": ("criterion", "files"),
    "tests": ("tests", "mode"),
    "reference": ("reference", "dependencies"),
    "labels": ("title", "domain", "area", "difficulty", "question_type", "licence", "provenance", "views"),
}
"""The fields of each part. Every field but an item's names has one. "prompt" covers all that shapes a request."""
# A stored score depends on the question and on the rule that judged it, but not on labels or the reference.
SCORING = ("prompt", "criterion", "tests")
_HASH_LENGTH = 16
_EMPTY_VALUES: tuple[object, ...] = (None, "", {}, [])

Parts = Mapping[str, Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class SemanticDiff:
    """The differences of a version from an older one, by item key in order; ``changed`` maps keys to changed parts."""

    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: Mapping[str, tuple[str, ...]]
    same: tuple[str, ...]

    @property
    def is_empty(self) -> bool:
        """Whether both versions are semantically equal."""
        return not (self.added or self.removed or self.changed)

    @property
    def void(self) -> tuple[str, ...]:
        """Items whose stored scores no longer count, since the question or the rule changed."""
        return tuple(key for key, parts in self.changed.items() if any(part in SCORING for part in parts))

    @property
    def comparable(self) -> tuple[str, ...]:
        """Items on which results of both versions can be compared."""
        void = set(self.void)
        return tuple(sorted({*self.same, *(key for key in self.changed if key not in void)}))


def hash_parts(items: Sequence[Item]) -> dict[str, dict[str, str]]:
    """Return the hash of every part of every item, by key and part."""
    return {item["key"]: {part: _hash_fields(item, names) for part, names in PARTS.items()} for item in items}


def _hash_fields(item: Item, names: Sequence[str]) -> str:
    # Empty fields are left out, so that a new field of the format does not change old hashes.
    values = {name: _scored_value(item, name) for name in names}
    return content_hash({name: value for name, value in values.items() if value not in _EMPTY_VALUES})[:_HASH_LENGTH]


def _scored_value(item: Item, name: str) -> object:
    """Return a field's value as far as scores depend on it: a mode counts only if a proof forced it, since any other
    mode follows from the tests."""
    if name != "mode":
        return item.get(name)
    mode = item.get("mode")
    return mode.get("name") if isinstance(mode, Mapping) and mode.get("forced") else None


def compare_parts(old: Parts, new: Parts) -> SemanticDiff:
    """Compare the parts of two versions."""
    changed = {}
    same = []
    for key in sorted(old.keys() & new.keys()):
        parts = tuple(part for part in PARTS if old[key].get(part) != new[key].get(part))
        if parts:
            changed[key] = parts
        else:
            same.append(key)
    return SemanticDiff(
        tuple(sorted(new.keys() - old.keys())), tuple(sorted(old.keys() - new.keys())), changed, tuple(same)
    )


def suggest_next_version(old: str, diff: SemanticDiff, month: str = "") -> str:
    """Return a version to follow ``old`` in the same scheme, or "" if nothing changed.

    For semantic versions the first number rises if stored scores are void or items were removed, the second with new
    items, the third with labels and references alone; 1.2 is followed by 1.3, 1.2.0 by 1.3.0. A version by month
    (2603 for March 2026) becomes ``month`` (YYMM), with .1, .2 ... within one month. Other names get .1 or the next
    number.
    """
    if diff.is_empty:
        return ""
    if re.fullmatch(r"\d\d(?:0[1-9]|1[0-2])(?:\.\d+)?", old) and month:
        base, _, revision = old.partition(".")
        return f"{base}.{int(revision or 0) + 1}" if base == month else month
    match = re.fullmatch(r"(\d+)\.(\d+)(?:\.(\d+))?", old)
    if match is None:
        name, dot, last = old.rpartition(".")
        return f"{name}.{int(last) + 1}" if dot and last.isdecimal() else f"{old}.1"
    major, minor, patch = int(match[1]), int(match[2]), int(match[3] or 0)
    patch_suffix = ".0" if match[3] is not None else ""
    if diff.void or diff.removed:
        # Before 1.0 everything may change, so only the second number rises.
        return f"{major + 1}.0{patch_suffix}" if major else f"0.{minor + 1}{patch_suffix}"
    if diff.added:
        return f"{major}.{minor + 1}{patch_suffix}"
    return f"{major}.{minor}.{patch + 1}"


def draft_errata(diff: SemanticDiff) -> tuple[str, ...]:
    """Return draft errata for users of the older version, a sentence per item."""
    void = set(diff.void)
    lines = [
        f"{key}: {', '.join(parts)} changed{'; earlier scores are no longer valid' if key in void else ''}"
        for key, parts in diff.changed.items()
    ]
    return (*lines, *(f"{key}: taken out" for key in diff.removed))
