"""What people must have said before a release: reviews, the three experts, the panel, consensus, quotas.

Each function returns why for every accepted item that does not meet the gate, by its identifier.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from annotator.services import quotas, settling
from annotator.services.reviewing import reviewed_item_hash
from annotator.services.three_experts import CONFIRMED, artefact_acts, artefact_state
from annotator.services.voting import approvals_in, panel_of
from annotator.store import agreeing, artefacts
from annotator.store.project_file import ProjectFile

LOWEST_CORRECTNESS = 3
"""A reviewer who gives less says that the item is wrong."""

Item = Mapping[str, Any]


def unreviewed(store: ProjectFile, items: Sequence[Item], wanted: int) -> dict[str, str]:
    """Find items that fewer people than ``wanted`` have reviewed as they are now, or that somebody finds wrong."""
    with store.read() as db:
        rows, names = agreeing.reviews(db), agreeing.names(db)
    by_subject: dict[str, list[Any]] = {}
    for row in rows:
        by_subject.setdefault(row.subject_id, []).append(row)
    found = {}
    for item in items:
        digest = reviewed_item_hash(item)
        given = by_subject.get(item["id"], [])
        current = [row for row in given if row.content_hash == digest]
        wrong = [row for row in current if row.correctness is not None and row.correctness < LOWEST_CORRECTNESS]
        stale = len(given) - len(current)
        if wrong:
            found[item["id"]] = f"{names[wrong[0].annotator_id]} gives its correctness {wrong[0].correctness} of 5"
        elif len(current) < wanted:
            late = f", {stale} of an earlier state" if stale else ""
            found[item["id"]] = f"{len(current)} of {wanted} reviews{late}"
    return found


def unconfirmed(store: ProjectFile, items: Sequence[Item]) -> dict[str, str]:
    """Find items whose solution or tests three experts have not agreed on yet (sampling specification, 4.4)."""
    with store.read() as db:
        rows = agreeing.all_artefact_rows(db)
        touched = {subject for subject, _ in rows}
        original = {subject: artefacts.original_digests(db, subject) for subject in touched}
    found = {}
    for item in items:
        missing = []
        for name, there in ((artefacts.SOLUTION, item["reference"].strip()), (artefacts.TESTS, item["tests"])):
            if not there:
                continue
            digest = original[item["id"]][name] if item["id"] in touched else ""
            state = artefact_state(artefact_acts(rows.get((item["id"], name), ())), digest)
            if state.state != CONFIRMED:
                missing.append(f"{name}: {state.missing} more confirmations")
        if missing:
            found[item["id"]] = "; ".join(missing)
    return found


def not_kept(store: ProjectFile, items: Sequence[Item]) -> dict[str, str]:
    """Find items that the panel has not decided to keep; before all have voted only how many have is told."""
    voters, needed = panel_of(store)
    with store.read() as db:
        votes = agreeing.votes(db)
    found = {}
    for item in items:
        cast = votes.get(item["id"], {})
        if approvals_in(cast) < needed:
            open_votes = len(cast) < voters
            found[item["id"]] = f"{len(cast)} of {voters} votes" if open_votes else "the panel does not keep it"
    return found


def disputed(store: ProjectFile, items: Sequence[Item]) -> dict[str, str]:
    """Find items about whose selection or marks people differ, unsettled."""
    matters = settling.open_matters(store)
    return {item["id"]: ", ".join(matters[item["id"]]) for item in items if item["id"] in matters}


def unfilled(store: ProjectFile) -> dict[str, str]:
    """Find quotas that are not filled, by their label."""
    return {
        row.label: f"{row.filled} of {row.wanted} accepted" for row in quotas.progress(store) if row.filled < row.wanted
    }
