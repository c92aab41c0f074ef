"""Accepted bugs as items: modification and review tasks, one JSON object a line."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from annotator.base.errors import BadInputError, MissingEnvironmentError
from annotator.construction.items import BugItem, make_item, review_keys
from annotator.construction.material import ConstructionError
from annotator.model.bug_rows import BugReviewRow, BugView
from annotator.services import bug_combining, bugs
from annotator.services.bug_material import bug_hash, material_of, verdict_from
from annotator.store import bugs as stored
from annotator.store import subjects
from annotator.store.project_file import ProjectFile


def item_of(store: ProjectFile, view: BugView) -> BugItem:
    """Return a proven bug as an item. Raises `ConstructionError` if it is not proven on what the subject is now."""
    with store.read() as db:
        material = material_of(subjects.view(db, view.row.subject_id))
        found = stored.find(db, view.row.id)
        proof = stored.newest_proof(db, found)
    holds = proof is not None and found.content_hash == bug_hash(material, found.kind, found.code)
    if view.parts:
        if not holds:
            raise ConstructionError("The combined bugs are not proven on what the subject is now.")
        item = bug_combining.combined_item(store, material, view.parts)
    else:
        item = make_item(
            material, verdict_from(bugs.proposal_of(view), proof.detail if proof is not None and holds else {})
        )
    return replace(item, accepted_labels=tuple(sorted(accepted_labels(view.reviews) - item.labels)))


def accepted_labels(reviews: Sequence[BugReviewRow]) -> set[str]:
    """Return the keys that those who accept a bug let pass beside its own."""
    return {label for review in reviews if review.verdict == stored.ACCEPT for label in review.labels}


def export(store: ProjectFile, path: Path, states: tuple[str, ...] = ("accepted",), *, full: bool = False) -> int:
    """Write a modification and a review item for each bug in some states; returns how many bugs were written.

    Bugs without a proof are never written. ``full`` adds the corrected program to review items. The file appears whole
    or not at all. Raises `BadInputError` if no bug is in these states and `MissingEnvironmentError` if it cannot be
    written.
    """
    rows = [row for row in bugs.listing(store, states) if row.state != "unproven"]
    if not rows:
        raise BadInputError(f"No bug is {' or '.join(states) or 'proven'}, so there is nothing to export.")
    lines: list[str] = []
    for row in rows:
        item = item_of(store, bugs.bug(store, row.id))
        for made in (item.as_modification(), item.as_review(review_keys(item), full=full)):
            lines.append(json.dumps({**made, "bug": row.id, "state": row.state}, ensure_ascii=False) + "\n")
    write_lines(path, lines)
    return len(rows)


def write_lines(path: Path, lines: Sequence[str]) -> None:
    """Write a file that appears whole or not at all. Raises `MissingEnvironmentError` if it cannot be written."""
    part = path.with_name(f"{path.name}.part")
    try:
        part.write_text("".join(lines), encoding="utf-8", newline="\n")
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise MissingEnvironmentError(f"{path.name} could not be written ({error.strerror}).") from error
