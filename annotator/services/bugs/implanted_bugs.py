"""Implanted bugs: propose and prove them, let people review them, export them as items.

A bug is kept only with its proof. Two reviewers decide, a third where they disagree. An edit voids the proof and the
reviews, and is proven again.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from annotator.base.errors import BadInputError
from annotator.base.messages import Message, join_messages, mark_word
from annotator.construction.bugs.bug_items import REVIEW_KEYS, BugItem, make_item
from annotator.construction.bugs.proofs import Baseline, Verdict
from annotator.construction.bugs.subtle_bugs import PLAIN, PLAIN_SHARE, is_full_of_plain, select
from annotator.construction.bugs.taxonomy import FAMILIES, Family, family_of
from annotator.construction.edits import Proposal
from annotator.construction.material import PYTHON, ConstructionError
from annotator.formats.write.export_folder import write_file
from annotator.jobs.ordered_map import map_in_order
from annotator.jobs.progress import Progress
from annotator.model.changes import Changes
from annotator.model.rows.bugs import (
    ASPECTS,
    BUG_STATES,
    LABELS,
    BugProvedRow,
    BugReviewRow,
    BugRow,
    BugView,
    FamilyCount,
    ProposedRow,
)
from annotator.model.rows.queue import SubjectRow
from annotator.model.rows.views import SubjectView
from annotator.model.tables.work import BugReview
from annotator.sandbox import Runner
from annotator.sandbox.libraries import reaching
from annotator.services.bugs import combined_bugs
from annotator.services.bugs.controls import control_bugs
from annotator.services.bugs.material import bug_hash, material_of, proof_detail, verdict_from
from annotator.services.bugs.proving import (
    baseline_of,
    families_of,
    keep,
    keep_tried,
    new_bug,
    operator_bugs,
    prove_all,
    require_runner,
    tried_hash,
    views_for_bugs,
    was_tried,
)
from annotator.services.edit_conflicts import EditConflictError
from annotator.services.sandbox_sessions import Workbench, workbench
from annotator.store.file.project_file import ProjectFile
from annotator.store.file.writer import Session
from annotator.store.history import undo_log
from annotator.store.judging import consensus
from annotator.store.queue import subjects
from annotator.store.work import bugs as stored
from annotator.store.work import proofs
from annotator.text.python_tree import UNREADABLE, read_tree

MOST = 3
_NOUNS = frozenset({"bug"})


# -- propose -----------------------------------------------------------------------------------------------------


def propose(
    store: ProjectFile,
    ids: Sequence[str] = (),
    families: Sequence[str] = FAMILIES,
    progress: Progress | None = None,
    *,
    most: int = MOST,
) -> tuple[tuple[ProposedRow, ...], Changes]:
    """Put bugs of some families into some subjects, or all accepted ones with code; keep the best that are proven.

    At most ``most`` of these families a subject, with those it has that are not rejected; what a subject has had before
    is not proposed again, and what gave nothing is not tried again, so a run that was interrupted goes on where it was.
    Syntax and naming together are a fifth of a project's bugs at most, unless nothing else is asked for. Each subject's
    bugs are one act.
    Python has all families, Java, JavaScript, TypeScript and C++ logic and syntax, SQL logic.
    Raises `BadInputError` for an unknown family and `MissingEnvironmentError` without a sandbox.
    """
    wanted = _families(families)
    if most < 1:
        raise BadInputError("At least one bug a subject must be wanted. Nothing was changed.")
    work = progress or Progress()
    views = views_for_bugs(store, ids)
    rows: list[ProposedRow] = []
    shares = _shares(store)
    # Who asks for nothing but syntax and naming gets them.
    plain_share = 1.0 if set(wanted) <= set(PLAIN) else PLAIN_SHARE
    with (
        workbench(store) as bench,
        closing(
            map_in_order(
                lambda view: _proven_in(
                    store, view, wanted, _runner(bench, view.extra), most, is_full_of_plain(shares, plain_share)
                ),
                views,
            )
        ) as proven,
    ):
        try:
            for view, found in zip(views, proven, strict=True):
                work.report(len(rows), len(views), f"proposing bugs in {view.row.title}")
                rows.append(_kept_of(store, view.row, found, shares, plain_share))
        except KeyboardInterrupt:
            bench.stop()
            raise
    work.report(len(views), len(views), "proposed")
    return tuple(rows), Changes(_NOUNS, frozenset(row.subject_id for row in rows if row.kept))


def _families(names: Sequence[str]) -> tuple[Family, ...]:
    unknown = [name for name in names if name not in FAMILIES]
    if unknown or not names:
        what = unknown[0] if unknown else "(none is named)"
        raise BadInputError(f"There is no family {what}. There are: {', '.join(FAMILIES)}. Nothing was changed.")
    return tuple(family for family in FAMILIES if family in names)


def _runner(bench: Workbench, extra: object) -> Runner:
    """Return the sandbox with the libraries that a subject needs."""
    return require_runner(reaching(bench.runner(), extra), bench.problem)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """What became of the proposals for one subject, of which ``most`` are wanted, or the reason why there are none."""

    view: SubjectView
    runner: Runner
    baseline: Baseline | None = None
    proposals: tuple[Proposal, ...] = ()
    verdicts: tuple[Verdict, ...] = ()
    most: int = 0
    reason: str = ""


def _proven_in(
    store: ProjectFile, view: SubjectView, families: Sequence[Family], runner: Runner, most: int, full_of_plain: bool
) -> _Found:
    rows = [row for row in listing(store, subject=view.row.id) if row.family in families and row.state != "rejected"]
    if len(rows) >= most:
        return _Found(view=view, runner=runner, reason=f"it has {len(rows)} already")
    most -= len(rows)
    try:
        material = material_of(view)
        families = families_of(material.language, families)
        with store.read() as db:
            known = stored.known_hashes(db, view.row.id)
        proposals = {family: operator_bugs(material, family, known) for family in families}
        every = tuple(item for found in proposals.values() for item in found)
        digest = tried_hash(material, every, full_of_plain=full_of_plain)
        if every and was_tried(store, view.row.id, digest):
            return _Found(view=view, runner=runner, reason="all that could be put into it was tried before")
        baseline = baseline_of(material, families, runner)
        proven = (prove_all(baseline, found, family, runner, most=most) for family, found in proposals.items())
        return _Found(
            view=view,
            runner=runner,
            baseline=baseline,
            proposals=every,
            verdicts=tuple(verdict for found in proven for verdict in found),
            most=most,
        )
    except ConstructionError as error:
        return _Found(view=view, runner=runner, reason=error.message)


def _shares(store: ProjectFile) -> Counter[str]:
    """Return how many of the project's bugs each family and operator has; rejected ones do not count."""
    rows = [row for row in listing(store) if row.state != "rejected"]
    return Counter(name for row in rows for name in (row.family, row.operator))


def _kept_of(
    store: ProjectFile, row: SubjectRow, found: _Found, shares: Counter[str], plain_share: float
) -> ProposedRow:
    """Keep the best; ``shares`` counts the bugs kept so far by family and operator, so that each gets its share."""
    if found.baseline is None:
        return ProposedRow(
            subject_id=row.id, key=row.key, title=row.title, tried=0, proven=0, kept=0, reason=found.reason, refused={}
        )
    material = found.baseline.material
    kept, verdicts = _choose(found, found.baseline, shares, plain_share)
    if kept:
        keep(store, row.id, row.title, material, kept)
        shares.update(name for verdict in kept for name in (verdict.proposal.family, verdict.proposal.operator))
    if len(kept) < found.most:
        chosen = {verdict.proposal.code for verdict in kept}
        left = [item for item in found.proposals if item.code not in chosen]
        full = is_full_of_plain(shares, plain_share)
        keep_tried(store, row.id, tried_hash(material, left, full_of_plain=full))
    proven = sum(verdict.proven for verdict in verdicts)
    refused = Counter(verdict.reason for verdict in verdicts if not verdict.proven)
    tried = len(found.verdicts)
    return ProposedRow(
        subject_id=row.id,
        key=row.key,
        title=row.title,
        tried=tried,
        proven=proven,
        kept=len(kept),
        reason="",
        refused=dict(refused.most_common()),
        families=_count_families(verdicts, kept),
    )


def _count_families(verdicts: Sequence[Verdict], kept: Sequence[Verdict]) -> dict[str, FamilyCount]:
    tried = Counter(verdict.proposal.family for verdict in verdicts)
    proven = Counter(verdict.proposal.family for verdict in verdicts if verdict.proven)
    chosen = Counter(verdict.proposal.family for verdict in kept)
    return {name: FamilyCount(tried[name], proven[name], chosen[name]) for name in FAMILIES if tried[name]}


def describe_mix(store: ProjectFile, rows: Sequence[ProposedRow], families: Sequence[str]) -> tuple[Message, ...]:
    """Say how many bugs of each family the project has, of which wanted family nothing was kept and why, and how many
    proven ones of syntax and naming were left out for the share that they are held to."""
    shares = _shares(store)
    told = [Message("Bugs of the project: {held}.", held=_describe_shares(shares))]
    left = 0
    for name in families:
        counts = [row.families[name] for row in rows if name in row.families]
        tried, proven = sum(count.tried for count in counts), sum(count.proven for count in counts)
        if not tried:
            told.append(
                Message("No bug of {family}: there is nothing in the code to change so.", family=mark_word(name))
            )
        elif not proven:
            told.append(
                Message("No bug of {family}: of {tried} tried none was proven.", family=mark_word(name), tried=tried)
            )
        if name in PLAIN:
            left += proven - sum(count.kept for count in counts)
    if left and is_full_of_plain(shares):
        told.append(
            Message("Syntax and naming are held to a fifth of a project's bugs: {left} more were proven.", left=left)
        )
    return tuple(told)


def _describe_shares(shares: Mapping[str, int]) -> Message:
    counts = [
        Message("{family} {count}", family=mark_word(name), count=shares[name]) for name in FAMILIES if shares[name]
    ]
    return join_messages(counts)


def _choose(
    found: _Found, baseline: Baseline, shares: Counter[str], plain_share: float
) -> tuple[tuple[Verdict, ...], list[Verdict]]:
    """Return the best bugs whose items hold, and all verdicts with what the controls said of those that were tried."""
    verdicts = list(found.verdicts)
    controlled: dict[str, Verdict] = {}
    while True:
        chosen = select(baseline.material, verdicts, most=found.most, shares=shares, plain_share=plain_share)
        fresh = [verdict for verdict in chosen if verdict.proposal.id not in controlled]
        if not fresh:
            return chosen, verdicts
        for verdict in control_bugs(found.view, baseline, fresh, found.runner):
            controlled[verdict.proposal.id] = verdict
        verdicts = [controlled.get(verdict.proposal.id, verdict) for verdict in verdicts]


# -- prove again -------------------------------------------------------------------------------------------------


def prove(
    store: ProjectFile, ids: Sequence[str] = (), progress: Progress | None = None
) -> tuple[tuple[BugProvedRow, ...], Changes]:
    """Prove some bugs again, or all that have no proof. Raises as `propose` does."""
    work = progress or Progress()
    with store.read() as db:
        chosen = [stored.find(db, bug).id for bug in ids]
        if not ids:
            chosen = [row.id for row in stored.listing(db) if row.state == "unproven"]
    rows: list[BugProvedRow] = []
    touched: set[str] = set()
    if chosen:
        with workbench(store) as bench:
            views = [bug(store, bug_id) for bug_id in chosen]
            with closing(map_in_order(lambda view: _prove_one(store, view, bench), views)) as proven:
                for view, row in zip(views, proven, strict=True):
                    work.report(len(rows), len(chosen), Message("proving a bug of {title}", title=view.row.title))
                    rows.append(row)
                    touched.add(view.row.subject_id)
    work.report(len(chosen), len(chosen), "proven")
    return tuple(rows), Changes(_NOUNS, frozenset(touched))


def _prove_one(store: ProjectFile, view: BugView, bench: Workbench) -> BugProvedRow:
    with store.read() as db:
        subject = subjects.view(db, view.row.subject_id)
    runner = _runner(bench, subject.extra)
    if view.parts:
        return combined_bugs.prove_one(store, view, runner)
    material = material_of(subject)
    proposal, family = proposal_of(view), family_of(view.row.kind)
    try:
        baseline = baseline_of(material, (family,), runner)
        (verdict,) = control_bugs(subject, baseline, prove_all(baseline, [proposal], family, runner), runner)
    except ConstructionError as error:
        verdict = Verdict(proposal, reason=error.message)
    digest = bug_hash(material, proposal.kind, proposal.code)
    outcome = "pass" if verdict.proven else "fail"
    with store.write() as db:
        proofs.record(db, subject.row.id, stored.PROOF_KIND, digest, outcome, proof_detail(material, verdict))
    return BugProvedRow(view.row.id, view.row.key, outcome, verdict.reason)


def proposal_of(view: BugView) -> Proposal:
    """Return a kept bug as the proposal it was."""
    row = view.row
    return Proposal(
        kind=row.kind,
        operator=row.operator,
        code=view.code,
        reference=view.reference,
        explanation=view.explanation,
        origin=row.origin,
        workload=view.workload,
    )


# -- review ------------------------------------------------------------------------------------------------------


def review(
    store: ProjectFile,
    bug_id: str,
    verdict: str,
    reason: str = "",
    aspects: Mapping[str, bool] | None = None,
    labels: Sequence[str] = (),
) -> Changes:
    """Accept or reject a bug as the project's annotator; a later verdict of the same person stands for the earlier.

    ``aspects`` say which of correctness, difficulty, applicability and readability hold; ``labels`` are keys of review
    items that answers may name beside the bug's own. Raises `BadInputError` for another verdict, aspect or label, a
    rejection without a reason, and the acceptance of a bug without a proof.
    """
    said = dict(aspects or {})
    if verdict not in (stored.ACCEPT, stored.REJECT):
        raise BadInputError(f"A bug can be accepted or rejected, not {verdict!r}. Nothing was changed.")
    if verdict == stored.REJECT and not reason.strip():
        raise BadInputError("A rejection needs a reason. Nothing was changed.")
    if unknown := sorted(set(said) - set(ASPECTS)):
        raise BadInputError(f"{unknown[0]} is no aspect. There are: {', '.join(ASPECTS)}. Nothing was changed.")
    if unknown := sorted(set(labels) - set(LABELS)):
        raise BadInputError(f"{unknown[0]} is no label. There are: {', '.join(LABELS)}. Nothing was changed.")
    with store.write() as db:
        found = stored.find(db, bug_id)
        proof = stored.newest_proof(db, found)
        if verdict == stored.ACCEPT and (proof is None or proof.outcome != "pass"):
            raise BadInputError(
                "This bug is not proven, so it cannot be accepted. Prove it first. Nothing was changed."
            )
        subject = subjects.find(db, found.subject_id)
        accepted = verdict == stored.ACCEPT
        label = (
            Message("Accept a bug of {title}", title=subject.title)
            if accepted
            else Message("Reject a bug of {title}", title=subject.title)
        )
        change = undo_log.record(db, store.annotator.id, label, ["bug"])
        review = BugReview(
            subject_id=found.subject_id, bug_id=found.id, verdict=verdict, reason=reason.strip(),
            labels=sorted(set(labels)),
        )  # fmt: skip
        for name, holds in said.items():
            setattr(review, name, holds)
        undo_log.write(db, change, review)
        return Changes(_NOUNS, frozenset({subject.id}), label, change.id)


def edit(store: ProjectFile, bug_id: str, code: str) -> tuple[str, Changes]:
    """Put a person's version in a bug's place, without proof and reviews; returns its id. Prove it with `prove`.

    Raises `BadInputError` if the code is empty, the reference itself, or what it was, and `EditConflictError` if
    somebody has edited the bug since. Python that does not parse is taken for bugs of syntax only.
    """
    with store.read() as db:
        _refuse_edited(db, bug_id)
    view = bug(store, bug_id)
    if view.parts:
        raise BadInputError("This holds several bugs. Edit one of them, and combine again. Nothing was changed.")
    code = code.rstrip() + "\n"
    if not code.strip() or code == view.code.rstrip() + "\n":
        raise BadInputError("The code is empty or as it was, so there is no edit. Nothing was changed.")
    if code == view.reference:
        raise BadInputError("This is the reference, so there is no bug in it. Nothing was changed.")
    if view.row.family != "syntax" and view.language == PYTHON:
        try:
            read_tree(code)
        except UNREADABLE as error:
            raise BadInputError(f"The code does not parse ({error}). Nothing was changed.") from error
    with store.read() as db:
        material = material_of(subjects.view(db, view.row.subject_id))
    origin = view.row.origin if view.row.origin.endswith(", edited") else f"{view.row.origin}, edited"
    new = new_bug(
        view.row.subject_id, material, replace(proposal_of(view), code=code, origin=origin), replaces=view.row.id
    )
    label = Message("Edit a bug of {title}", title=view.row.title)
    with store.write() as db:
        _refuse_edited(db, view.row.id)
        stored.find(db, view.row.id)
        change = undo_log.record(db, store.annotator.id, label, ["bug"])
        undo_log.write(db, change, new)
        return new.id, Changes(_NOUNS, frozenset({view.row.subject_id}), label, change.id)


def _refuse_edited(db: Session, bug_id: str) -> None:
    """Raise `EditConflictError` if a bug has a newer version; an edit begins from the version it replaces."""
    newer = stored.newest_version(db, bug_id)
    if newer is not None:
        raise EditConflictError(newer.id, newer.code, consensus.names(db)[newer.annotator_id], newer.created_at)


# -- read --------------------------------------------------------------------------------------------------------


def listing(
    store: ProjectFile, states: Sequence[str] = (), families: Sequence[str] = (), subject: str | None = None
) -> tuple[BugRow, ...]:
    """Return the bugs that stand, in the order of their subjects. Raises `BadInputError` for an unknown state."""
    for state in states:
        if state not in BUG_STATES:
            raise BadInputError(f"There is no state {state}. There are: {', '.join(BUG_STATES)}.")
    with store.read() as db:
        subject_id = subjects.find(db, subject).id if subject else None
        rows = stored.listing(db)
    return tuple(
        row
        for row in rows
        if (not states or row.state in states)
        and (not families or row.family in families)
        and (subject_id is None or row.subject_id == subject_id)
    )


def bug(store: ProjectFile, bug_id: str) -> BugView:
    """Return one bug with its proof and reviews, by its id or the beginning of it. Raises `BadInputError` for none."""
    with store.read() as db:
        found = stored.find(db, bug_id)
        (row,) = stored.listing(db, found.id)
        proof = stored.newest_proof(db, found)
        said = stored.reviews(db, (found.id,)).get(found.id, ())
        subject = subjects.view(db, found.subject_id)
    material = material_of(subject)
    detail = proof.detail if proof else {}
    return BugView(
        row=row,
        code=found.code,
        reference=material.code,
        description=material.description,
        explanation=found.explanation,
        workload=found.workload,
        lines=tuple(found.lines),
        proof=dict(detail.get("proof", {})),
        matrix=tuple((name, before, after) for name, before, after in detail.get("matrix", ())),
        problem="" if detail.get("proof") else str(detail.get("reason") or "not proven since it was edited"),
        reviews=said,
        tests=tuple((test.name, test.code) for test in material.tests),
        parts=tuple(found.parts),
        language=material.language,
    )


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
        item = combined_bugs.combined_item(store, material, view.parts)
    else:
        item = make_item(
            material,
            verdict_from(proposal_of(view), proof.detail if proof is not None and holds else {}),
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
    rows = [row for row in listing(store, states) if row.state != "unproven"]
    if not rows:
        raise BadInputError(f"No bug is {' or '.join(states) or 'proven'}, so there is nothing to export.")
    lines: list[str] = []
    for row in rows:
        item = item_of(store, bug(store, row.id))
        for made in (item.as_modification(), item.as_review(REVIEW_KEYS, full=full)):
            lines.append(json.dumps({**made, "bug": row.id, "state": row.state}, ensure_ascii=False) + "\n")
    write_file(path, "".join(lines))
    return len(rows)
