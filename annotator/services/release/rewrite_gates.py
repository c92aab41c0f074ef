"""Items made from rewrites in a release: their gates, and the facts that are published about them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from annotator.base.errors import BadInputError
from annotator.base.messages import Message
from annotator.mining.rewriting import signature_text
from annotator.model.rows.task_rows import is_of_rewrite
from annotator.services.consensus import three_experts
from annotator.services.consensus.panel_votes import Ballot, load_ballots, panel_size, why_not_kept
from annotator.services.consensus.three_experts import CONFIRMED, artefact_state
from annotator.services.prompt import rewrites
from annotator.services.prompt.rewrite_items import candidate_digests, item_digest
from annotator.services.prompt.rewrites import RewriteView, build_mined_rows
from annotator.services.release.authors import ReleaseNames
from annotator.store.file.project_file import ProjectFile
from annotator.store.judging import stored_consensus
from annotator.store.queue import stored_subjects
from annotator.store.work import artefacts, stored_rewrites

Item = Mapping[str, Any]
_MAX_LISTED = 3


def rewrite_items(items: Sequence[Item]) -> list[Item]:
    """Return the items that were made from rewrites."""
    return [item for item in items if is_of_rewrite(item["key"])]


def parent_key(item: Item) -> str:
    """Return the key of the subject whose rewrite an item was made from."""
    return str(item["provenance"].get("made_from") or "")


def load_parent_views(store: ProjectFile, items: Sequence[Item]) -> dict[str, RewriteView]:
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


def find_rewrite_problems(store: ProjectFile, items: Sequence[Item]) -> dict[str, str]:
    """Return subject id -> why it must not be released: it does not match its rewrite, or the rewrite fails a gate.

    A subject that has a rewrite must not be released itself.
    """
    with store.read() as db:
        rewritten = stored_rewrites.list_rewritten_subjects(db)
    reasons: dict[str, str] = {
        item["id"]: Message("it has a rewrite: make its items and reject this one")
        for item in items
        if item["id"] in rewritten
    }
    views = load_parent_views(store, items)
    digests = {key: candidate_digests(view) for key, view in views.items()}
    for item in rewrite_items(items):
        view = views.get(parent_key(item))
        if view is None:
            if not _is_as_released(item):
                reasons[item["id"]] = Message("its rewrite is not in this project")
        elif digests[parent_key(item)].get(item["key"]) != item_digest(item):
            reasons[item["id"]] = Message("its rewrite or the item has changed: make the rewrite's items again")
        elif not view.passed:
            problems = [f"{gate.name}: {gate.detail}" for gate in view.gates if not gate.passed]
            reasons[item["id"]] = "; ".join(problems[:_MAX_LISTED])
    return reasons


def _is_as_released(item: Item) -> bool:
    """Return whether an item imported from another project's release matches the digest in that release."""
    facts = item["provenance"].get("rewrite")
    return isinstance(facts, Mapping) and facts.get("item") == item_digest(item)


def find_consensus_problems(store: ProjectFile, items: Sequence[Item]) -> dict[str, str]:
    """Return subject id -> why the experts or the panel have not agreed to keep it, for items made from rewrites."""
    rewritten = rewrite_items(items)
    if not rewritten:
        return {}
    ballots = load_ballots(store)
    voters, _ = panel_size(store)
    with store.read() as db:
        rows = stored_consensus.fetch_artefact_rows(db)
        subjects = stored_subjects.find_subjects(db, [item["id"] for item in rewritten])
        parents = {
            subject.id: parent.id
            for subject, parent in zip(subjects, stored_rewrites.find_parents(db, subjects), strict=True)
        }
        original_digests = {item["id"]: artefacts.original_digests(db, item["id"]) for item in rewritten}
    reasons: dict[str, str] = {}
    for item in rewritten:
        problems: list[str] = []
        for name in artefacts.ARTEFACTS:
            state = artefact_state(rows.get((item["id"], name), ()), original_digests[item["id"]][name])
            if state.state != CONFIRMED:
                problems.append(Message("{name}: {count} more confirmations", name=name, count=state.missing))
        if vote_problem := why_not_kept(ballots.get(parents[item["id"]]), voters):
            problems.append(vote_problem)
        if problems and not (parents[item["id"]] == item["id"] and _is_as_released(item)):
            reasons[item["id"]] = "; ".join(problems)
    return reasons


Facts = dict[str, Any]


def add_rewrite_facts(store: ProjectFile, items: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return items with the facts of their rewrite, if they have one, in their provenance.

    The facts are the change list, signatures, similarity, results of the mined code, coverage, experts and panel.
    Provenance is not part of the question, so a later vote does not invalidate scores.
    """
    views = load_parent_views(store, items)
    if not views:
        return [dict(item) for item in items]
    names = ReleaseNames(store)
    ballots = load_ballots(store)
    rewritten_ids = {item["id"] for item in rewrite_items(items)}
    items_with_facts = []
    for item in items:
        view = views.get(parent_key(item)) if item["id"] in rewritten_ids else None
        if view is not None:
            facts = _gather_rewrite_facts(store, view, item, names, ballots.get(view.subject.row.id))
            item = {**item, "provenance": {**item["provenance"], "rewrite": facts}}
        items_with_facts.append(dict(item))
    return items_with_facts


def _gather_rewrite_facts(
    store: ProjectFile, view: RewriteView, item: Mapping[str, Any], names: ReleaseNames, ballot: Ballot | None
) -> Facts:
    rewrite = view.work.rewrite
    language = str(item["language"])
    mined = build_mined_rows(view.subject, view.work, view.results.get("original", ()))
    return {
        "hash": view.content_hash,
        "item": item_digest(item),
        "before": signature_text(rewrite.before),
        "after": signature_text(rewrite.signatures.get(language, rewrite.after)),
        "changes": [{"kind": change.kind, "detail": change.detail} for change in rewrite.changes],
        "similarity": round(rewrite.similarity, 4),
        "original": dict(Counter(row.outcome for row in mined)),
        "references": {"languages": sorted(view.work.references), "rows": len(view.work.table.rows)},
        "coverage": _gather_coverage_facts(store, view, language, names),
        "gates": {gate.name: gate.passed for gate in view.gates},
        "experts": {name: _gather_expert_facts(store, str(item["id"]), name, names) for name in artefacts.ARTEFACTS},
        "panel": vote_facts(ballot, names) if ballot is not None else {},
    }


def _gather_coverage_facts(store: ProjectFile, view: RewriteView, language: str, names: ReleaseNames) -> Facts:
    shares = view.coverage.get(language)
    facts: Facts = {"lines": shares[0], "branches": shares[1]} if shares else {}
    with store.read() as db:
        exception = stored_rewrites.fetch_coverage_exceptions(db, view.subject.row.id, view.content_hash).get(language)
    if exception is not None and (shares is None or min(shares) < 1):
        reason, author, confirmed = exception
        facts |= {
            "reason": reason,
            "by": names.for_name(author),
            "confirmed_by": [names.for_name(name) for name in confirmed],
        }
    return facts


def _gather_expert_facts(store: ProjectFile, subject_id: str, name: str, names: ReleaseNames) -> Facts:
    row = three_experts.load_artefact(store, subject_id, name)
    facts: Facts = {"state": row.state, "confirmed_by": [names.for_name(person) for person in row.confirmed_by]}
    return {**facts, "edited_by": names.for_name(row.edited_by)} if row.edited_by else facts


def vote_facts(ballot: Ballot, names: ReleaseNames) -> Facts:
    """Return the facts of a vote for a release: the counts and, if it is unsealed, result and single votes."""
    facts: Facts = {"seats": ballot.voters, "needed": ballot.needed, "cast": len(ballot.cast), "sealed": ballot.sealed}
    if not ballot.sealed:
        cast = sorted((names.for_id(person), answers) for person, answers in ballot.cast.items())
        votes = [{"voter": voter, **answers} for voter, answers in cast]
        facts |= {"approvals": ballot.approvals, "kept": ballot.is_kept, "votes": votes}
    return facts


def panel_facts(store: ProjectFile, items: Sequence[Mapping[str, Any]]) -> dict[str, Facts]:
    """Return item key -> facts of the vote, for the items that were voted on directly."""
    ballots = load_ballots(store)
    voted = [item for item in items if item["id"] in ballots]
    if not voted:
        return {}
    names = ReleaseNames(store)
    return {item["key"]: vote_facts(ballots[item["id"]], names) for item in voted}
