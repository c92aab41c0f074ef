"""Release gates of items made from rewrites: the rewrite's own gates, its experts and its panel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from annotator.base.errors import BadInputError
from annotator.base.messages import Message
from annotator.model.rows.rewrite_rows import is_of_rewrite
from annotator.services.consensus.panel_votes import load_ballots, panel_size
from annotator.services.consensus.three_experts import CONFIRMED, artefact_acts, artefact_state
from annotator.services.prompt import rewrites
from annotator.services.prompt.rewrite_items import candidate_digests, item_digest
from annotator.services.prompt.rewrites import RewriteView
from annotator.store.file.project_file import ProjectFile
from annotator.store.file.writer import Session
from annotator.store.judging import stored_consensus
from annotator.store.queue import stored_subjects
from annotator.store.work import artefacts
from annotator.store.work import stored_rewrites as stored

Item = Mapping[str, Any]
_MAX_LISTED = 3


def rewrite_items(items: Sequence[Item]) -> list[Item]:
    """Return the items that were made from rewrites."""
    return [item for item in items if is_of_rewrite(item["key"])]


def parent_key(item: Item) -> str:
    """Return the key of the subject whose rewrite an item was made from."""
    return str(item["provenance"].get("made_from") or "")


def parent_views(store: ProjectFile, items: Sequence[Item]) -> dict[str, RewriteView]:
    """Return parent key -> rewrite of the items; rewrites that are not in this project are left out."""
    views = {}
    for key in {parent_key(item) for item in rewrite_items(items)}:
        try:
            view = rewrites.load_rewrite(store, key)
        except BadInputError:
            continue
        if view.saved and view.subject.row.key == key:
            views[key] = view
    return views


def find_unmet(store: ProjectFile, items: Sequence[Item]) -> dict[str, str]:
    """Return subject id -> why it must not be released: it does not match its rewrite, or the rewrite fails a gate.

    A subject that has a rewrite must not be released itself.
    """
    with store.read() as db:
        rewritten = stored.rewritten_subjects(db)
    reasons: dict[str, str] = {
        item["id"]: Message("it has a rewrite: make its items and reject this one")
        for item in items
        if item["id"] in rewritten
    }
    views = parent_views(store, items)
    digests = {key: candidate_digests(view) for key, view in views.items()}
    for item in rewrite_items(items):
        view = views.get(parent_key(item))
        if view is None:
            if not _is_as_released(item):
                reasons[item["id"]] = Message("its rewrite is not in this project")
        elif digests[parent_key(item)].get(item["key"]) != item_digest(item):
            reasons[item["id"]] = Message("its rewrite or the item has changed: make the rewrite's items again")
        elif not view.passed:
            lacking = [f"{gate.name}: {gate.detail}" for gate in view.gates if not gate.passed]
            reasons[item["id"]] = "; ".join(lacking[:_MAX_LISTED])
    return reasons


def _is_as_released(item: Item) -> bool:
    """Return whether an item imported from another project's release matches the digest in that release."""
    facts = item["provenance"].get("rewrite")
    return isinstance(facts, Mapping) and facts.get("item") == item_digest(item)


def find_unagreed(store: ProjectFile, items: Sequence[Item]) -> dict[str, str]:
    """Return subject id -> why experts or panel do not keep it (yet), for items made from rewrites."""
    rewritten = rewrite_items(items)
    if not rewritten:
        return {}
    cast = load_ballots(store)
    voters, _ = panel_size(store)
    with store.read() as db:
        rows = stored_consensus.artefact_rows(db)
        parents = dict(zip((item["id"] for item in rewritten), _parents(db, rewritten), strict=True))
        original = {item["id"]: artefacts.original_digests(db, item["id"]) for item in rewritten}
    reasons: dict[str, str] = {}
    for item in rewritten:
        lacking: list[str] = []
        for name in artefacts.ARTEFACTS:
            state = artefact_state(artefact_acts(rows.get((item["id"], name), ())), original[item["id"]][name])
            if state.state != CONFIRMED:
                lacking.append(Message("{name}: {count} more confirmations", name=name, count=state.missing))
        ballot = cast.get(parents[item["id"]])
        if ballot is None or ballot.sealed:
            count = len(ballot.cast) if ballot is not None else 0
            lacking.append(Message("{count} of {voters} votes", count=count, voters=voters))
        elif not ballot.is_kept:
            lacking.append(Message("the panel does not keep it"))
        if lacking and not (parents[item["id"]] == item["id"] and _is_as_released(item)):
            reasons[item["id"]] = "; ".join(lacking)
    return reasons


def _parents(db: Session, items: Sequence[Item]) -> list[str]:
    return [
        parent.id for parent in stored.parents_of(db, [stored_subjects.find_subject(db, item["id"]) for item in items])
    ]
