"""Facts that a release publishes about its items: how a rewrite was made, and the experts' and panel's results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from annotator.mining.rewriting import signature_text
from annotator.services.consensus import three_experts
from annotator.services.consensus.panel_votes import Ballot, load_ballots
from annotator.services.prompt.rewrite_items import item_digest
from annotator.services.prompt.rewrites import RewriteView, mined_rows
from annotator.services.release.authors import ReleaseNames
from annotator.services.release.rewrite_gates import parent_key, parent_views, rewrite_items
from annotator.store.file.project_file import ProjectFile
from annotator.store.work import artefacts
from annotator.store.work import stored_rewrites as stored

Facts = dict[str, Any]


def add_rewrite_facts(store: ProjectFile, items: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return items with the facts of their rewrite, if they have one, in their provenance.

    The facts are the change list, signatures, similarity, results of the mined code, coverage, experts and panel.
    Provenance is not part of the question, so a later vote does not void scores.
    """
    views = parent_views(store, items)
    if not views:
        return [dict(item) for item in items]
    names, cast = ReleaseNames(store), load_ballots(store)
    rewritten_ids = {item["id"] for item in rewrite_items(items)}
    frozen = []
    for item in items:
        view = views.get(parent_key(item)) if item["id"] in rewritten_ids else None
        if view is not None:
            facts = _rewrite_facts(store, view, item, names, cast.get(view.subject.row.id))
            item = {**item, "provenance": {**item["provenance"], "rewrite": facts}}
        frozen.append(dict(item))
    return frozen


def _rewrite_facts(
    store: ProjectFile, view: RewriteView, item: Mapping[str, Any], names: ReleaseNames, ballot: Ballot | None
) -> Facts:
    rewrite, language = view.work.rewrite, str(item["language"])
    mined = mined_rows(view.subject, view.work, view.results.get("original", ()))
    return {
        "hash": view.content_hash,
        "item": item_digest(item),
        "before": signature_text(rewrite.before),
        "after": signature_text(rewrite.signatures.get(language, rewrite.after)),
        "changes": [{"kind": change.kind, "detail": change.detail} for change in rewrite.changes],
        "similarity": round(rewrite.similarity, 4),
        "original": dict(Counter(row.outcome for row in mined)),
        "references": {"languages": sorted(view.work.references), "rows": len(view.work.table.rows)},
        "coverage": _coverage_facts(store, view, language, names),
        "gates": {gate.name: gate.passed for gate in view.gates},
        "experts": {name: _expert_facts(store, str(item["id"]), name, names) for name in artefacts.ARTEFACTS},
        "panel": vote_facts(ballot, names) if ballot is not None else {},
    }


def _coverage_facts(store: ProjectFile, view: RewriteView, language: str, names: ReleaseNames) -> Facts:
    shares = view.coverage.get(language)
    facts: Facts = {"lines": shares[0], "branches": shares[1]} if shares else {}
    with store.read() as db:
        excused = stored.coverage_exceptions(db, view.subject.row.id, view.content_hash).get(language)
    if excused is not None and (shares is None or min(shares) < 1):
        reason, by, confirmed = excused
        facts |= {
            "reason": reason,
            "by": names.for_name(by),
            "confirmed_by": [names.for_name(name) for name in confirmed],
        }
    return facts


def _expert_facts(store: ProjectFile, subject_id: str, name: str, names: ReleaseNames) -> Facts:
    row = three_experts.load_artefact(store, subject_id, name)
    facts: Facts = {"state": row.state, "confirmed_by": [names.for_name(person) for person in row.confirmed_by]}
    return {**facts, "edited_by": names.for_name(row.edited_by)} if row.edited_by else facts


def vote_facts(ballot: Ballot, names: ReleaseNames) -> Facts:
    """Return the facts of a vote for a release: the counts, and once it is open the result and the single votes."""
    facts: Facts = {"seats": ballot.voters, "needed": ballot.needed, "cast": len(ballot.cast), "sealed": ballot.sealed}
    if not ballot.sealed:
        cast = sorted((names.for_id(person), answers) for person, answers in ballot.cast.items())
        votes = [{"voter": voter, **answers} for voter, answers in cast]
        facts |= {"approvals": ballot.approvals, "kept": ballot.is_kept, "votes": votes}
    return facts


def panel_facts(store: ProjectFile, items: Sequence[Mapping[str, Any]]) -> dict[str, Facts]:
    """Return item key -> facts of the vote, for the items that were voted on themselves."""
    cast = load_ballots(store)
    voted = [item for item in items if item["id"] in cast]
    if not voted:
        return {}
    names = ReleaseNames(store)
    return {item["key"]: vote_facts(cast[item["id"]], names) for item in voted}
