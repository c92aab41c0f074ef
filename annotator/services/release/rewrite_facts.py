"""What a release says of its items beside what is asked: how a rewrite came to be, and what experts and panel said."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from annotator.base.ids import content_hash
from annotator.mining.rewriting import signature_text
from annotator.services.consensus import three_experts
from annotator.services.consensus.panel_votes import PSEUDONYMS, Ballot, ballots, voter_names
from annotator.services.prompt.rewrite_items import item_digest
from annotator.services.prompt.rewrites import RewriteView, mined_rows
from annotator.services.release.rewrite_gates import parent_key, parent_views, rewrite_items
from annotator.store.file.project_file import ProjectFile
from annotator.store.judging import consensus
from annotator.store.work import artefacts
from annotator.store.work import rewrites as stored

Facts = dict[str, Any]


class _Names:
    """How people are named in a release: by name, or as "expert 7c1e" by a hash of their secret id.

    A number would tell who joined when, and so who it is. The hash stays the same from version to version.
    """

    def __init__(self, store: ProjectFile) -> None:
        with store.read() as db:
            known = consensus.names(db)
        hidden = voter_names(store) == PSEUDONYMS
        self._by_id = {
            person: f"expert {content_hash(person)[:8]}" if hidden else name for person, name in known.items()
        }
        self._by_name = {known[person]: shown for person, shown in self._by_id.items()}

    def of(self, person: str) -> str:
        """Return how a person with an id is named."""
        return self._by_id[person]

    def instead(self, name: str) -> str:
        """Return what stands for a person's name."""
        return self._by_name.get(name, name)


def add_facts(store: ProjectFile, items: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return items as a release freezes them: those made from rewrites hold the facts of it in their provenance.

    These are the change list, signatures, similarity, what the mined code did, agreement, coverage, experts and panel.
    Provenance is no part of what is asked, so that a vote voids no score.
    """
    views = parent_views(store, items)
    if not views:
        return [dict(item) for item in items]
    names, cast = _Names(store), ballots(store)
    made = {item["id"] for item in rewrite_items(items)}
    found = []
    for item in items:
        view = views.get(parent_key(item)) if item["id"] in made else None
        if view is not None:
            facts = _facts(store, view, item, names, cast.get(view.subject.row.id))
            item = {**item, "provenance": {**item["provenance"], "rewrite": facts}}
        found.append(dict(item))
    return found


def _facts(
    store: ProjectFile, view: RewriteView, item: Mapping[str, Any], names: _Names, ballot: Ballot | None
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
        "coverage": _coverage(store, view, language, names),
        "gates": {gate.name: gate.passed for gate in view.gates},
        "experts": {name: _expert_facts(store, str(item["id"]), name, names) for name in artefacts.ARTEFACTS},
        "panel": vote_facts(ballot, names) if ballot is not None else {},
    }


def _coverage(store: ProjectFile, view: RewriteView, language: str, names: _Names) -> Facts:
    shares = view.coverage.get(language)
    found: Facts = {"lines": shares[0], "branches": shares[1]} if shares else {}
    with store.read() as db:
        excused = stored.exceptions(db, view.subject.row.id, view.content_hash).get(language)
    if excused is not None and (shares is None or min(shares) < 1):
        reason, by, confirmed = excused
        found |= {
            "reason": reason,
            "by": names.instead(by),
            "confirmed_by": [names.instead(name) for name in confirmed],
        }
    return found


def _expert_facts(store: ProjectFile, subject_id: str, name: str, names: _Names) -> Facts:
    row = three_experts.artefact(store, subject_id, name)
    found: Facts = {"state": row.state, "confirmed_by": [names.instead(person) for person in row.confirmed_by]}
    return {**found, "edited_by": names.instead(row.edited_by)} if row.edited_by else found


def vote_facts(ballot: Ballot, names: _Names) -> Facts:
    """Return what a release says of a vote: how many voted, and once it is open the result and who voted how."""
    found: Facts = {"seats": ballot.voters, "needed": ballot.needed, "cast": len(ballot.cast), "sealed": ballot.sealed}
    if not ballot.sealed:
        cast = sorted((names.of(person), answers) for person, answers in ballot.cast.items())
        votes = [{"voter": voter, **answers} for voter, answers in cast]
        found |= {"approvals": ballot.approvals, "kept": ballot.kept, "votes": votes}
    return found


def panel_facts(store: ProjectFile, items: Sequence[Mapping[str, Any]]) -> dict[str, Facts]:
    """Return what the panel said of the released items that were voted on themselves, by key."""
    cast = ballots(store)
    voted = [item for item in items if item["id"] in cast]
    if not voted:
        return {}
    names = _Names(store)
    return {item["key"]: vote_facts(cast[item["id"]], names) for item in voted}
