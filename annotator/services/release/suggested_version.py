"""Suggest the next version from a semantic comparison: changed items, effects on results, comparable items, errata."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from annotator.base import clock
from annotator.base.errors import BadInputError
from annotator.base.messages import Message
from annotator.base.records import record_from
from annotator.formats.documents import semantic_hashes
from annotator.formats.documents.semantic_hashes import Parts, SemanticDiff
from annotator.formats.interchange.release_folder import frozen_parts
from annotator.model.rows.release_rows import ItemChange, ReleaseDiff, RunEffect
from annotator.store.file.project_file import ProjectFile
from annotator.store.runs import stored_releases

FIRST_VERSION = "0.1"
Item = Mapping[str, Any]


def is_verdict_release(version: str) -> bool:
    """Return whether a release contains only verdicts, which its name shows, such as verdicts-1."""
    name, _, number = version.partition("-")
    return name == "verdicts" and number.isdecimal()


def previous_version(store: ProjectFile) -> str | None:
    """Return the newest version, None if there is none; releases that contain only verdicts are skipped."""
    with store.read() as db:
        rows = stored_releases.fetch_release_rows(db)
    return next((row.version for row in rows if not is_verdict_release(row.version)), None)


def suggest_version(store: ProjectFile) -> str:
    """Suggest a name for a release of the current state from what has changed since the last one.

    Raises `BadInputError` if nothing has changed.
    """
    last = previous_version(store)
    if last is None:
        return FIRST_VERSION
    if suggestion := diff_versions(store, last).suggested:
        return suggestion
    raise BadInputError(
        Message(
            "Nothing has changed since {version}. Give a version number to release the same items again.", version=last
        )
    )


def diff_versions(store: ProjectFile, old: str, new: str | None = None) -> ReleaseDiff:
    """Compare two versions semantically; without ``new`` compare ``old`` with the current state.

    Raises `BadInputError` for an unknown version.
    """
    with store.read() as db:
        release = stored_releases.fetch_release(db, old)
        before = stored_releases.items_of(db, release.id)
        after = (
            stored_releases.items_of(db, stored_releases.fetch_release(db, new).id)
            if new
            else stored_releases.current_items(db)
        )
        diff = semantic_hashes.compare_parts(semantic_hashes.hash_parts(before), semantic_hashes.hash_parts(after))
        actions = _find_affected_responses(before, diff)
        responses_by_run = stored_releases.responses_by_item(db, release.id, set(actions))
    return _build_diff(
        release.version, new or "", diff, _collect_titles(before, after), _count_run_effects(responses_by_run, actions)
    )


def compare_with_version(store: ProjectFile, old: str, after: Sequence[Item]) -> ReleaseDiff:
    """Compare the items of the version ``old`` with those of a release candidate, without effects on runs."""
    with store.read() as db:
        before = stored_releases.items_of(db, stored_releases.fetch_release(db, old).id)
    diff = semantic_hashes.compare_parts(semantic_hashes.hash_parts(before), semantic_hashes.hash_parts(after))
    return _build_diff(old, "", diff, _collect_titles(before, after), ())


def compare_release_folders(old: Path, new: Path) -> ReleaseDiff:
    """Compare two exported releases by their manifests. Raises `BadInputError` if a folder is not a release."""
    before = frozen_parts(old)
    after = frozen_parts(new)
    titles = {key: "" for parts in (before.parts, after.parts) for key in parts}
    return _build_diff(
        before.version, after.version, semantic_hashes.compare_parts(before.parts, after.parts), titles, ()
    )


def comparable_subjects(store: ProjectFile, old_release: str, new_release: str) -> frozenset[str]:
    """Return the subjects on which results of two releases (by id) can be compared."""
    with store.read() as db:
        sides: list[tuple[Parts, dict[str, str]]] = []
        for release_id in (old_release, new_release):
            items = stored_releases.items_of(db, release_id)
            sides.append((semantic_hashes.hash_parts(items), {item["key"]: item["id"] for item in items}))
    (old_parts, old_ids), (new_parts, new_ids) = sides
    comparable = semantic_hashes.compare_parts(old_parts, new_parts).comparable
    return frozenset(old_ids[key] for key in comparable if old_ids[key] == new_ids[key])


def diff_summary(diff: ReleaseDiff) -> dict[str, Any]:
    """Return the summary of a difference that the newer release's manifest stores."""
    return {
        "version": diff.old,
        "added": [item.key for item in diff.added],
        "removed": [item.key for item in diff.removed],
        "changed": {item.key: list(item.fields) for item in diff.changed},
        "void": [item.key for item in diff.changed if item.void],
        "comparable": len(diff.comparable),
    }


def _build_diff(
    old: str, new: str, diff: SemanticDiff, titles: Mapping[str, str], runs: Iterable[RunEffect]
) -> ReleaseDiff:
    void = set(diff.void)
    return ReleaseDiff(
        old=old,
        new=new,
        added=tuple(ItemChange(key, titles[key], ()) for key in diff.added),
        removed=tuple(ItemChange(key, titles[key], ()) for key in diff.removed),
        changed=tuple(ItemChange(key, titles[key], parts, key in void) for key, parts in diff.changed.items()),
        same=len(diff.same),
        comparable=diff.comparable,
        errata=semantic_hashes.draft_errata(diff),
        suggested=semantic_hashes.suggest_next_version(old, diff, clock.now().strftime("%y%m")),
        runs=tuple(runs),
    )


def _collect_titles(*sides: Sequence[Item]) -> dict[str, str]:
    return {item["key"]: item["title"] for items in sides for item in items}


def _find_affected_responses(before: Sequence[Item], diff: SemanticDiff) -> dict[str, str]:
    """Return subject id -> what happens to responses to a changed item: "ask" (again), "score" (again) or "drop"."""
    actions = dict.fromkeys(diff.removed, "drop")
    actions |= {key: "ask" if "prompt" in diff.changed[key] else "score" for key in diff.void}
    return {item["id"]: actions[item["key"]] for item in before if item["key"] in actions}


def _count_run_effects(
    responses_by_run: Sequence[stored_releases.ItemResponses], actions: Mapping[str, str]
) -> tuple[RunEffect, ...]:
    effects = []
    for run in responses_by_run:
        counts_by_action = Counter[str]()
        for subject, count in run.by_subject.items():
            counts_by_action[actions[subject]] += count
        effects.append(
            record_from(
                RunEffect,
                run,
                void=counts_by_action["ask"] + counts_by_action["score"],
                ask_again=counts_by_action["ask"],
                dropped=counts_by_action["drop"],
            )
        )
    return tuple(effects)
