"""Implanted bugs: propose and prove them, record reviews of them, export them as items.

A bug is saved only with its proof. Two reviewers decide, and a third if they disagree; a project may require only one.
An edit invalidates the proof and the reviews, so the bug must be proven again.
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
from annotator.base.records import record_from
from annotator.construction.bugs.bug_items import REVIEW_KEYS, BugItem
from annotator.construction.bugs.bug_proofs import Baseline, ProposalVerdict
from annotator.construction.bugs.subtle_bugs import PLAIN_FAMILIES, PLAIN_SHARE, is_plain_share_full, select_bugs
from annotator.construction.bugs.taxonomy import FAMILIES, Family, family_of
from annotator.construction.edits import Proposal
from annotator.construction.task_material import PYTHON, ConstructionError
from annotator.formats.write.export_folder import write_file
from annotator.jobs.lanes import map_in_order
from annotator.jobs.progress import Progress
from annotator.model.changes import Changes
from annotator.model.rows.bug_rows import (
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
from annotator.model.rows.queue_rows import SubjectRow
from annotator.model.rows.view_rows import SubjectView
from annotator.model.tables.work_tables import BugReview
from annotator.sandbox import Runner
from annotator.sandbox.libraries import runner_with_libraries
from annotator.services.bugs import combined_bugs
from annotator.services.bugs.controls import prove_and_validate, validate_bugs
from annotator.services.bugs.material import bug_hash, bug_material, proof_detail
from annotator.services.bugs.proving import (
    ProposalTally,
    build_bug_row,
    load_bug_subjects,
    operator_bugs,
    proposal_of,
    prove_proposals,
    record_tried,
    require_runner,
    run_baseline,
    save_bugs,
    select_families,
    supported_families,
    tried_hash,
    was_tried,
)
from annotator.services.edit_conflicts import EditConflictError
from annotator.services.sandbox_sessions import Workbench, workbench
from annotator.store.file.project_file import ProjectFile
from annotator.store.file.writer import Session
from annotator.store.history import undo_log
from annotator.store.judging import stored_consensus
from annotator.store.queue import stored_subjects
from annotator.store.work import stored_bugs as stored
from annotator.store.work import stored_proofs
from annotator.text.python_tree import UNREADABLE, read_tree

MAX_BUGS_PER_SUBJECT = 3
_NOUNS = frozenset({"bug"})


# -- propose -----------------------------------------------------------------------------------------------------


def propose_bugs(
    store: ProjectFile,
    ids: Sequence[str] = (),
    families: Sequence[str] = FAMILIES,
    progress: Progress | None = None,
    *,
    most: int = MAX_BUGS_PER_SUBJECT,
) -> tuple[tuple[ProposedRow, ...], Changes]:
    """Propose bugs in the given subjects (default: all accepted ones with code) and save the best proven ones.

    A subject gets at most ``most`` bugs of the families, counting those it already has that are not rejected. A bug
    that the subject had before is not proposed again, and proposals that failed are not tried again, so an interrupted
    run continues where it stopped. Syntax and naming bugs together are at most a fifth of a project's bugs, unless only
    they are requested. The bugs of one subject are one change in the undo log.
    Python has all families; Java, JavaScript, TypeScript and C++ have logic and syntax; SQL has logic.
    Raises `BadInputError` for an unknown family and `MissingEnvironmentError` without a sandbox.
    """
    requested_families = select_families(families, FAMILIES)
    if most < 1:
        raise BadInputError("Ask for at least one bug per subject. Nothing was changed.")
    work = progress or Progress()
    views = load_bug_subjects(store, ids)
    rows: list[ProposedRow] = []
    bug_counts = _count_bugs(store)
    # A caller who requests only syntax and naming has chosen them on purpose, so their share is not limited.
    plain_share = 1.0 if set(requested_families) <= set(PLAIN_FAMILIES) else PLAIN_SHARE
    with workbench(store) as bench:

        def prove(view: SubjectView) -> tuple[SubjectView, _ProposalOutcome]:
            runner = _require_runner_for(bench, view.extra)
            is_full = is_plain_share_full(bug_counts, plain_share)
            return view, _prove_in_subject(store, view, requested_families, runner, most, is_full)

        with closing(map_in_order(prove, views)) as outcomes:
            work.report(0, len(views), "proposing bugs")
            try:
                for view, outcome in outcomes:
                    rows.append(_save_best(store, view.row, outcome, bug_counts, plain_share))
                    work.report(len(rows), len(views), f"proposed bugs in {view.row.title}")
            except KeyboardInterrupt:
                bench.stop()
                raise
    work.report(len(views), len(views), "proposed")
    return tuple(rows), Changes(_NOUNS, frozenset(row.subject_id for row in rows if row.kept))


def _require_runner_for(bench: Workbench, extra: object) -> Runner:
    """Return the sandbox with the libraries that a subject needs."""
    return require_runner(runner_with_libraries(bench.runner(), extra), bench.problem)


@dataclass(frozen=True, slots=True, kw_only=True)
class _ProposalOutcome:
    """The verdicts on one subject's proposals, at most ``most`` of which are saved, or the reason for having none."""

    view: SubjectView
    runner: Runner
    baseline: Baseline | None = None
    proposals: tuple[Proposal, ...] = ()
    verdicts: tuple[ProposalVerdict, ...] = ()
    most: int = 0
    reason: str = ""


def _prove_in_subject(
    store: ProjectFile,
    view: SubjectView,
    families: Sequence[Family],
    runner: Runner,
    most: int,
    is_plain_share_used: bool,
) -> _ProposalOutcome:
    rows = [row for row in find_bugs(store, subject=view.row.id) if row.family in families and row.state != "rejected"]
    if len(rows) >= most:
        return _ProposalOutcome(view=view, runner=runner, reason=f"it already has {len(rows)}")
    most -= len(rows)
    try:
        material = bug_material(view)
        families = supported_families(material.language, families)
        with store.read() as db:
            known_hashes = stored.known_hashes(db, view.row.id)
        proposals = {family: operator_bugs(material, family, known_hashes) for family in families}
        all_proposals = tuple(item for family_proposals in proposals.values() for item in family_proposals)
        digest = tried_hash(material, all_proposals, is_plain_share_used=is_plain_share_used)
        if all_proposals and was_tried(store, view.row.id, digest):
            return _ProposalOutcome(view=view, runner=runner, reason="every possible bug was tried before")
        baseline = run_baseline(material, families, runner)
        proven = (
            prove_proposals(baseline, family_proposals, family, runner, most=most)
            for family, family_proposals in proposals.items()
        )
        return _ProposalOutcome(
            view=view,
            runner=runner,
            baseline=baseline,
            proposals=all_proposals,
            verdicts=tuple(verdict for family_proposals in proven for verdict in family_proposals),
            most=most,
        )
    except ConstructionError as error:
        return _ProposalOutcome(view=view, runner=runner, reason=error.message)


def _count_bugs(store: ProjectFile) -> Counter[str]:
    """Count the project's bugs by family and by operator, without rejected ones."""
    rows = [row for row in find_bugs(store) if row.state != "rejected"]
    return Counter(name for row in rows for name in (row.family, row.operator))


def _save_best(
    store: ProjectFile, row: SubjectRow, outcome: _ProposalOutcome, bug_counts: Counter[str], plain_share: float
) -> ProposedRow:
    """Save the best bugs. ``bug_counts`` counts the saved bugs by family and operator and is updated here."""
    if outcome.baseline is None:
        return ProposalTally(subject=row).row(outcome.reason)
    material = outcome.baseline.material
    selected, verdicts = _select_verdicts(outcome, outcome.baseline, bug_counts, plain_share)
    if selected:
        selected = save_bugs(store, row.id, row.title, material, selected)
        bug_counts.update(name for verdict in selected for name in (verdict.proposal.family, verdict.proposal.operator))
    if len(selected) < outcome.most:
        selected_codes = {verdict.proposal.code for verdict in selected}
        unsaved = [item for item in outcome.proposals if item.code not in selected_codes]
        is_full = is_plain_share_full(bug_counts, plain_share)
        record_tried(store, row.id, tried_hash(material, unsaved, is_plain_share_used=is_full))
    tally = ProposalTally(
        subject=row,
        tried=len(outcome.verdicts),
        proven=sum(verdict.proven for verdict in verdicts),
        kept=len(selected),
        refused=Counter(verdict.reason for verdict in verdicts if not verdict.proven),
        families=_count_families(material.language, verdicts, selected),
    )
    return tally.row()


def _count_families(
    language: str, verdicts: Sequence[ProposalVerdict], selected: Sequence[ProposalVerdict]
) -> dict[str, FamilyCount]:
    """Count the bugs of each family that can be made in a language."""
    tried = Counter(verdict.proposal.family for verdict in verdicts)
    proven = Counter(verdict.proposal.family for verdict in verdicts if verdict.proven)
    saved = Counter(verdict.proposal.family for verdict in selected)
    return {
        name: FamilyCount(tried[name], proven[name], saved[name]) for name in supported_families(language, FAMILIES)
    }


def describe_mix(store: ProjectFile, rows: Sequence[ProposedRow], families: Sequence[str]) -> tuple[Message, ...]:
    """Return messages about the mix of bugs: the count per family, each requested family of which none was proven, and
    how many proven syntax and naming bugs were dropped to keep within their share."""
    bug_counts = _count_bugs(store)
    family_counts = [
        Message("{family} {count}", family=mark_word(name), count=bug_counts[name])
        for name in FAMILIES
        if bug_counts[name]
    ]
    messages = [Message("Bugs in the project: {held}.", held=join_messages(family_counts))]
    surplus = 0
    for name in families:
        counts = [row.families[name] for row in rows if name in row.families]
        tried, proven = sum(count.tried for count in counts), sum(count.proven for count in counts)
        if not counts and any(row.families for row in rows):
            messages.append(
                Message(
                    "No {family} bug: such bugs are not made in the languages of this code.", family=mark_word(name)
                )
            )
        elif counts and not tried:
            messages.append(Message("No {family} bug: the code has no place for one.", family=mark_word(name)))
        elif counts and not proven:
            messages.append(
                Message("No {family} bug: none of {tried} attempts was proven.", family=mark_word(name), tried=tried)
            )
        if name in PLAIN_FAMILIES:
            surplus += proven - sum(count.kept for count in counts)
    if surplus and is_plain_share_full(bug_counts):
        messages.append(
            Message(
                "Syntax and naming bugs are limited to a fifth of a project's bugs: {left} more were proven but "
                "not kept.",
                left=surplus,
            )
        )
    return tuple(messages)


def _select_verdicts(
    outcome: _ProposalOutcome, baseline: Baseline, bug_counts: Counter[str], plain_share: float
) -> tuple[tuple[ProposalVerdict, ...], list[ProposalVerdict]]:
    """Return the best bugs whose items are valid, and all verdicts, with those updated that were validated."""
    verdicts = list(outcome.verdicts)
    validated: dict[str, ProposalVerdict] = {}
    while True:
        selected = select_bugs(
            baseline.material, verdicts, most=outcome.most, shares=bug_counts, plain_share=plain_share
        )
        unvalidated = [verdict for verdict in selected if verdict.proposal.id not in validated]
        if not unvalidated:
            return selected, verdicts
        for verdict in validate_bugs(outcome.view, baseline, unvalidated, outcome.runner):
            validated[verdict.proposal.id] = verdict
        verdicts = [validated.get(verdict.proposal.id, verdict) for verdict in verdicts]


# -- prove again -------------------------------------------------------------------------------------------------


def prove_bugs(
    store: ProjectFile, ids: Sequence[str] = (), progress: Progress | None = None
) -> tuple[tuple[BugProvedRow, ...], Changes]:
    """Prove the given bugs again (default: all without a proof). Raises as `propose_bugs` does."""
    work = progress or Progress()
    with store.read() as db:
        bug_ids = [stored.find_bug(db, bug).id for bug in ids]
        if not ids:
            bug_ids = [row.id for row in stored.fetch_bugs(db) if row.state == "unproven"]
    rows: list[BugProvedRow] = []
    subject_ids: set[str] = set()
    if bug_ids:
        with workbench(store) as bench:
            views = [load_bug(store, bug_id) for bug_id in bug_ids]
            with closing(map_in_order(lambda view: (view, _prove_bug_again(store, view, bench)), views)) as proven:
                for view, row in proven:
                    work.report(len(rows), len(bug_ids), Message("proving a bug in {title}", title=view.row.title))
                    rows.append(row)
                    subject_ids.add(view.row.subject_id)
    work.report(len(bug_ids), len(bug_ids), "proven")
    return tuple(rows), Changes(_NOUNS, frozenset(subject_ids))


def _prove_bug_again(store: ProjectFile, view: BugView, bench: Workbench) -> BugProvedRow:
    with store.read() as db:
        subject = stored_subjects.load_subject_view(db, view.row.subject_id)
        bug = stored.any_version(db, view.row.id)
    runner = _require_runner_for(bench, subject.extra)
    material = bug_material(subject)
    detail: Mapping[str, object]
    try:
        if view.parts:
            reason, detail = combined_bugs.prove_combined_bug(store, subject, material, bug, runner)
        else:
            baseline = run_baseline(material, (family_of(bug.kind),), runner)
            verdict = prove_and_validate(subject, baseline, proposal_of(bug, material.code), runner)
            reason, detail = verdict.reason, proof_detail(material, verdict)
    except ConstructionError as error:
        reason, detail = error.message, {"reason": error.message}
    outcome = "fail" if reason else "pass"
    with store.write() as db:
        digest = bug_hash(material, bug.kind, bug.code)
        stored_proofs.record_proof(db, subject.row.id, stored.PROOF_KIND, digest, outcome, detail)
    return BugProvedRow(view.row.id, view.row.key, outcome, reason)


# -- review ------------------------------------------------------------------------------------------------------


def review_bug(
    store: ProjectFile,
    bug_id: str,
    verdict: str,
    reason: str = "",
    aspects: Mapping[str, bool] | None = None,
    labels: Sequence[str] = (),
) -> Changes:
    """Accept or reject a bug as the project's annotator; a later verdict by the same person replaces the earlier one.

    ``aspects`` rates correctness, difficulty, applicability and readability as true or false. ``labels`` are further
    labels to accept in an answer to the review item, besides the bug's own. Raises `BadInputError` for an unknown
    verdict, aspect or label, for a rejection without a reason, and for accepting a bug without a proof.
    """
    aspect_values = dict(aspects or {})
    if verdict not in (stored.ACCEPT, stored.REJECT):
        raise BadInputError(f"A bug can be accepted or rejected, not {verdict!r}. Nothing was changed.")
    if verdict == stored.REJECT and not reason.strip():
        raise BadInputError("A rejection needs a reason. Nothing was changed.")
    if unknown := sorted(set(aspect_values) - set(ASPECTS)):
        raise BadInputError(f"{unknown[0]} is not an aspect. Choose from: {', '.join(ASPECTS)}. Nothing was changed.")
    if unknown := sorted(set(labels) - set(LABELS)):
        raise BadInputError(f"{unknown[0]} is not a label. Choose from: {', '.join(LABELS)}. Nothing was changed.")
    with store.write() as db:
        bug_row = stored.find_bug(db, bug_id)
        proof = stored.newest_proof(db, bug_row)
        if verdict == stored.ACCEPT and (proof is None or proof.outcome != "pass"):
            raise BadInputError(
                "This bug is not proven, so it cannot be accepted. Prove it first. Nothing was changed."
            )
        subject = stored_subjects.find_subject(db, bug_row.subject_id)
        is_accepted = verdict == stored.ACCEPT
        label = (
            Message("Accept a bug in {title}", title=subject.title)
            if is_accepted
            else Message("Reject a bug in {title}", title=subject.title)
        )
        change = undo_log.record_change(db, store.annotator.id, label, ["bug"])
        review = BugReview(
            subject_id=bug_row.subject_id, bug_id=bug_row.id, verdict=verdict, reason=reason.strip(),
            labels=sorted(set(labels)),
        )  # fmt: skip
        for name, is_good in aspect_values.items():
            setattr(review, name, is_good)
        undo_log.write_work(db, change, review)
        return Changes(_NOUNS, frozenset({subject.id}), label, change.id)


def edit_bug(store: ProjectFile, bug_id: str, code: str) -> tuple[str, Changes]:
    """Replace a bug with an edited version, and return the new id. The new version has no proof and no reviews.

    Raises `BadInputError` if the code is empty, unchanged or equal to the reference, and `EditConflictError` if
    somebody has edited the bug since. Python that does not parse is accepted for syntax bugs only.
    """
    with store.read() as db:
        _refuse_edited(db, bug_id)
    view = load_bug(store, bug_id)
    if view.parts:
        raise BadInputError("This bug combines several bugs. Edit one of them, and combine again. Nothing was changed.")
    code = code.rstrip() + "\n"
    if not code.strip() or code == view.code.rstrip() + "\n":
        raise BadInputError("The code is empty or unchanged, so there is no edit. Nothing was changed.")
    if code == view.reference:
        raise BadInputError("This is the reference, so there is no bug in it. Nothing was changed.")
    if view.row.family != "syntax" and view.language == PYTHON:
        try:
            read_tree(code)
        except UNREADABLE as error:
            raise BadInputError(f"The code does not parse ({error}). Nothing was changed.") from error
    with store.read() as db:
        material = bug_material(stored_subjects.load_subject_view(db, view.row.subject_id))
        proposal = proposal_of(stored.any_version(db, view.row.id), material.code)
    origin = proposal.origin if proposal.origin.endswith(", edited") else f"{proposal.origin}, edited"
    new_version = build_bug_row(
        view.row.subject_id, material, replace(proposal, code=code, origin=origin), replaces=view.row.id
    )
    label = Message("Edit a bug in {title}", title=view.row.title)
    with store.write() as db:
        _refuse_edited(db, view.row.id)
        stored.find_bug(db, view.row.id)
        change = undo_log.record_change(db, store.annotator.id, label, ["bug"])
        undo_log.write_work(db, change, new_version)
        return new_version.id, Changes(_NOUNS, frozenset({view.row.subject_id}), label, change.id)


def _refuse_edited(db: Session, bug_id: str) -> None:
    """Raise `EditConflictError` if a bug has a newer version than the one being edited."""
    newer = stored.newest_version(db, bug_id)
    if newer is not None:
        raise EditConflictError(
            newer.id, newer.code, stored_consensus.fetch_annotator_names(db)[newer.annotator_id], newer.created_at
        )


# -- read --------------------------------------------------------------------------------------------------------


def find_bugs(
    store: ProjectFile, states: Sequence[str] = (), families: Sequence[str] = (), subject: str | None = None
) -> tuple[BugRow, ...]:
    """Return the current bugs in the order of their subjects. Raises `BadInputError` for an unknown state."""
    for state in states:
        if state not in BUG_STATES:
            raise BadInputError(f"There is no state {state}. Choose from: {', '.join(BUG_STATES)}.")
    with store.read() as db:
        subject_id = stored_subjects.find_subject(db, subject).id if subject else None
        rows = stored.fetch_bugs(db)
    return tuple(
        row
        for row in rows
        if (not states or row.state in states)
        and (not families or row.family in families)
        and (subject_id is None or row.subject_id == subject_id)
    )


def load_bug(store: ProjectFile, bug_id: str) -> BugView:
    """Return the bug with an id, or a unique prefix of it, with its proof and reviews. Raises `BadInputError`."""
    with store.read() as db:
        bug_row = stored.find_bug(db, bug_id)
        (row,) = stored.fetch_bugs(db, bug_row.id)
        proof = stored.newest_proof(db, bug_row)
        reviews = stored.fetch_bug_reviews(db, (bug_row.id,)).get(bug_row.id, ())
        subject = stored_subjects.load_subject_view(db, bug_row.subject_id)
    material = bug_material(subject)
    detail = proof.detail if proof else {}
    return record_from(
        BugView,
        bug_row,
        row=row,
        reference=material.code,
        description=material.description,
        lines=tuple(bug_row.lines),
        proof=dict(detail.get("proof", {})),
        matrix=tuple((name, before, after) for name, before, after in detail.get("matrix", ())),
        problem="" if detail.get("proof") else str(detail.get("reason") or "not proven since it was edited"),
        reviews=reviews,
        tests=tuple((test.name, test.code) for test in material.tests),
        parts=tuple(bug_row.parts),
        language=material.language,
    )


def bug_item_of(store: ProjectFile, view: BugView) -> BugItem:
    """Return a proven bug as an item. Raises `ConstructionError` if it is not proven on the current subject."""
    with store.read() as db:
        material = bug_material(stored_subjects.load_subject_view(db, view.row.subject_id))
        bug_row = stored.find_bug(db, view.row.id)
        proof = stored.newest_proof(db, bug_row)
    if not view.parts:
        item = combined_bugs.build_single_item(store, material, view.row.id)
    elif proof is not None and bug_row.content_hash == bug_hash(material, bug_row.kind, bug_row.code):
        item = combined_bugs.build_combined_item(store, material, view.parts)
    else:
        raise ConstructionError("The combined bugs are not proven on the current version of the subject.")
    return replace(item, accepted_labels=tuple(sorted(accepted_labels(view.reviews) - item.labels)))


def accepted_labels(reviews: Sequence[BugReviewRow]) -> set[str]:
    """Return the additional labels that reviewers allowed when they accepted a bug."""
    return {label for review in reviews if review.verdict == stored.ACCEPT for label in review.labels}


def export_bugs(store: ProjectFile, path: Path, states: tuple[str, ...] = ("accepted",), *, full: bool = False) -> int:
    """Write a modification item and a review item for each bug in some states; return the number of bugs.

    Bugs without a proof are never written. ``full`` adds the corrected program to review items. The file is written
    atomically. Raises `BadInputError` if no bug is in these states and `MissingEnvironmentError` if it cannot be
    written.
    """
    rows = [row for row in find_bugs(store, states) if row.state != "unproven"]
    if not rows:
        raise BadInputError(f"No bug is {' or '.join(states) or 'proven'}, so there is nothing to export.")
    lines: list[str] = []
    for row in rows:
        item = bug_item_of(store, load_bug(store, row.id))
        for record in (item.as_modification(), item.as_review(REVIEW_KEYS, full=full)):
            lines.append(json.dumps({**record, "bug": row.id, "state": row.state}, ensure_ascii=False) + "\n")
    write_file(path, "".join(lines))
    return len(rows)
