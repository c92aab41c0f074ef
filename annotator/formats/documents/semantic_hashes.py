"""What a release means, part by part: hashes that tell which of prompt, criterion, tests, reference or labels changed.

The hashes stand in a release's manifest, so that two versions are compared from their folders alone.
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
"""The fields of each part; every field of an item but its names is in one. The prompt is all that shapes a request."""
# A stored score stands for the question that was asked and the rule that judged: labels and reference are not in it.
SCORING = ("prompt", "criterion", "tests")
_DIGITS = 16
_NOTHING: tuple[object, ...] = (None, "", {}, [])

Parts = Mapping[str, Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class SemanticDiff:
    """How a version differs from an older one; keys in order, changed ones with the parts that changed."""

    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: Mapping[str, tuple[str, ...]]
    same: tuple[str, ...]

    @property
    def is_empty(self) -> bool:
        """Tell whether both versions mean the same."""
        return not (self.added or self.removed or self.changed)

    @property
    def void(self) -> tuple[str, ...]:
        """Items whose stored scores no longer count, for the question or the rule has changed."""
        return tuple(key for key, parts in self.changed.items() if any(part in SCORING for part in parts))

    @property
    def comparable(self) -> tuple[str, ...]:
        """Items on which results of both versions can be compared."""
        void = set(self.void)
        return tuple(sorted({*self.same, *(key for key in self.changed if key not in void)}))


def parts_of(items: Sequence[Item]) -> dict[str, dict[str, str]]:
    """Return the hash of every part of every item, by key and part."""
    return {item["key"]: {part: _hash(item, names) for part, names in PARTS.items()} for item in items}


def _hash(item: Item, names: Sequence[str]) -> str:
    # A field that an older version did not have is one that is empty now.
    said = {name: _value(item, name) for name in names}
    return content_hash({name: value for name, value in said.items() if value not in _NOTHING})[:_DIGITS]


def _value(item: Item, name: str) -> object:
    """Return a field as far as scores hang on it: only a mode that a proof forced, for the tests tell the others."""
    if name != "mode":
        return item.get(name)
    mode = item.get("mode")
    return mode.get("name") if isinstance(mode, Mapping) and mode.get("forced") else None


def compare(old: Parts, new: Parts) -> SemanticDiff:
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


def suggested_version(old: str, diff: SemanticDiff, month: str = "") -> str:
    """Suggest a version after ``old``, in the habit that ``old`` shows; none, an empty text, where nothing changed.

    Of semantic versions the first number rises where stored scores are void or items are gone, the second with new
    items, the third with labels and references alone; 1.2 is followed by 1.3, 1.2.0 by 1.3.0. A version by month
    (2603 for March 2026) becomes ``month`` (YYMM), with .1, .2 ... within one month. Other names get .1 or the next
    number.
    """
    if diff.is_empty:
        return ""
    if re.fullmatch(r"\d\d(?:0[1-9]|1[0-2])(?:\.\d+)?", old) and month:
        base, _, place = old.partition(".")
        return f"{base}.{int(place or 0) + 1}" if base == month else month
    found = re.fullmatch(r"(\d+)\.(\d+)(?:\.(\d+))?", old)
    if found is None:
        name, dot, last = old.rpartition(".")
        return f"{name}.{int(last) + 1}" if dot and last.isdecimal() else f"{old}.1"
    major, minor, patch = int(found[1]), int(found[2]), int(found[3] or 0)
    rest = ".0" if found[3] is not None else ""
    if diff.void or diff.removed:
        # Before 1.0 everything may still move, so the second number tells it.
        return f"{major + 1}.0{rest}" if major else f"0.{minor + 1}{rest}"
    if diff.added:
        return f"{major}.{minor + 1}{rest}"
    return f"{major}.{minor}.{patch + 1}"


def errata(diff: SemanticDiff) -> tuple[str, ...]:
    """Return a draft of what to tell the users of the older version, a sentence an item."""
    void = set(diff.void)
    lines = [
        f"{key}: {', '.join(parts)} changed{'; earlier scores do not count' if key in void else ''}"
        for key, parts in diff.changed.items()
    ]
    return (*lines, *(f"{key}: taken out" for key in diff.removed))
