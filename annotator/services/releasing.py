"""Releases: what still blocks one, freezing it, comparing and exporting it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from annotator.base.errors import BadInputError
from annotator.base.ids import content_hash
from annotator.formats.writing import Exported
from annotator.model.rows import Changes, ItemChange, ReleaseDiff, ReleaseRow
from annotator.services import datasheet
from annotator.services.gating import gates
from annotator.store import releases as stored
from annotator.store.project_file import ProjectFile

_VERSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,63}")
_COMPARED = {
    "prompt": ("prompt",),
    "criterion": ("criterion", "files"),
    "tests": ("tests",),
    "reference": ("reference", "context", "entry_point"),
    "labels": ("title", "task", "language", "domain", "area", "difficulty", "question_type", "licence"),
}


def freeze_item(item: Mapping[str, Any]) -> dict[str, Any]:
    """Return an item with the hash of its content."""
    content = {name: value for name, value in item.items() if name != "content_hash"}
    return {**content, "content_hash": content_hash(content)}


def _current(store: ProjectFile) -> list[dict[str, Any]]:
    with store.read() as db:
        return [freeze_item(item) for item in stored.current_items(db)]


def suggest_version(store: ProjectFile) -> str:
    """Suggest the next version: 0.1 first; the middle number rises with the items, the last with labels alone."""
    rows = releases(store)
    if not rows:
        return "0.1"
    match = re.fullmatch(r"(\d+)\.(\d+)(?:\.(\d+))?", rows[0].version)
    if match is None:
        return f"{rows[0].version}.1"
    major, minor, patch = int(match[1]), int(match[2]), int(match[3] or 0)
    changed = diff(store, rows[0].version)
    only_labels = all(set(item.fields) <= {"labels"} for item in changed.changed)
    if changed.added or changed.removed or not only_labels:
        return f"{major}.{minor + 1}"
    return f"{major}.{minor}.{patch + 1}"


def create_release(
    store: ProjectFile, version: str, notes: str = "", override_reason: str = ""
) -> tuple[ReleaseRow, Changes]:
    """Freeze the present state as a version that never changes.

    Raises `BadInputError` for a bad or used version, for nothing to release, and for required gates that are not met
    unless ``override_reason`` says why; the reason is recorded with the release.
    """
    from annotator.services.exporting import gather_facts
    from annotator.store import changes

    if not _VERSION.fullmatch(version):
        raise BadInputError(
            f"{version!r} cannot be a version. Use letters, digits, dots, plus and minus signs, such as 0.1 or 2603."
        )
    items = _current(store)
    if not items:
        raise BadInputError("No subject is accepted yet, so there is nothing to release.")
    open_gates = [gate for gate in gates(store) if gate.required and not gate.ok]
    if open_gates and not override_reason.strip():
        raise BadInputError(
            "The release was not made: some required gates are not met. Mend the items, or give a reason to override.",
            details=tuple(f"{gate.name}: {gate.reason}" for gate in open_gates),
        )
    manifest = {
        "languages": _count(items, "language"),
        "tasks": _count(items, "task"),
        "domains": _count(items, "domain"),
        "overridden": [gate.name for gate in open_gates],
        "override_reason": override_reason.strip() if open_gates else "",
        "facts": gather_facts(store, datasheet.written(store)).as_json(),
    }
    digest = content_hash([item["content_hash"] for item in items])
    with store.write() as db:
        release = stored.freeze(db, store.annotator.id, version, notes, items, digest, manifest)
        change = changes.record_event(db, store.annotator.id, f"Release {version}", ["release"])
        row = ReleaseRow(
            release.id, version, notes, release.created_at, store.annotator.name, release.item_count, digest
        )
        return row, Changes(frozenset({"release"}), label=change.label)


def _count(items: Sequence[Mapping[str, Any]], name: str) -> dict[str, int]:
    counts: dict[str, int] = {}
    for item in items:
        counts[item[name]] = counts.get(item[name], 0) + 1
    return dict(sorted(counts.items()))


def releases(store: ProjectFile) -> tuple[ReleaseRow, ...]:
    """Return all releases, newest first."""
    with store.read() as db:
        return stored.listing(db)


def diff(store: ProjectFile, old_version: str, new_version: str | None = None) -> ReleaseDiff:
    """Compare two versions by meaning; without ``new_version`` the present state is the newer one."""
    with store.read() as db:
        old = {item["key"]: item for item in stored.items_of(db, stored.find(db, old_version).id)}
        if new_version is not None:
            new = {item["key"]: item for item in stored.items_of(db, stored.find(db, new_version).id)}
        else:
            new = {item["key"]: freeze_item(item) for item in stored.current_items(db)}
    changed = []
    for key in sorted(old.keys() & new.keys()):
        fields = tuple(
            name for name, parts in _COMPARED.items() if any(old[key].get(part) != new[key].get(part) for part in parts)
        )
        if fields:
            changed.append(ItemChange(key, new[key]["title"], fields))
    return ReleaseDiff(
        added=tuple(ItemChange(key, new[key]["title"], ()) for key in sorted(new.keys() - old.keys())),
        removed=tuple(ItemChange(key, old[key]["title"], ()) for key in sorted(old.keys() - new.keys())),
        changed=tuple(changed),
        same=len(old.keys() & new.keys()) - len(changed),
    )


def export(store: ProjectFile, version: str | None, format_name: str, folder: Path) -> Exported:
    """Write a release into an empty or new folder; says which files, and which items the format could not hold."""
    from annotator.services import exporting

    return exporting.export(store, version, format_name, folder)
