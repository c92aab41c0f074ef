"""Several proven bugs combined in one program. Each stays provable on its own and keeps its own labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from annotator.base.errors import BadInputError
from annotator.base.messages import Message
from annotator.construction.bugs.bug_items import (
    MAX_COMBINED_BUGS,
    MIN_COMBINED_BUGS,
    BugItem,
    combine_items,
    find_combined_problem,
    make_bug_item,
    make_combined_items,
)
from annotator.construction.bugs.bug_proofs import check_reference
from annotator.construction.sandbox_probe import RunOptions, start_tests
from annotator.construction.task_material import ConstructionError, Material
from annotator.jobs.progress import Progress
from annotator.model.changes import Changes
from annotator.model.rows.bug_rows import SEVERAL, ProposedRow
from annotator.model.rows.view_rows import SubjectView
from annotator.model.tables.work_tables import Bug
from annotator.sandbox import Runner
from annotator.services.bugs.controls import find_rejection_reason
from annotator.services.bugs.material import bug_hash, bug_material, parse_verdict, reference_hash, rule_rows
from annotator.services.bugs.proving import ProposalTally, proposal_of, require_runner
from annotator.services.sandbox_sessions import workbench
from annotator.store.file.project_file import ProjectFile
from annotator.store.history import undo_log
from annotator.store.queue import stored_subjects
from annotator.store.work import stored_bugs as stored
from annotator.store.work import stored_proofs

OPERATOR = "combined"
_COMBINABLE_STATES = ("proven", "in_review", "accepted")


def combine_bugs(
    store: ProjectFile,
    ids: Sequence[str] = (),
    bug_ids: Sequence[str] = (),
    progress: Progress | None = None,
    *,
    count: int = MIN_COMBINED_BUGS,
    most: int = 1,
) -> tuple[tuple[ProposedRow, ...], Changes]:
    """Combine several proven bugs of a subject in one program, and save the combinations that can be proven.

    ``bug_ids`` are two to four bugs of one subject. Without them, ``count`` bugs with different labels are combined in
    each subject of ``ids`` (default: every subject with bugs), in at most ``most`` combinations per subject. Raises
    `BadInputError` for a number out of range, for bugs of several subjects and for bugs whose lines touch, and
    `MissingEnvironmentError` without a sandbox.
    """
    if not MIN_COMBINED_BUGS <= (len(bug_ids) or count) <= MAX_COMBINED_BUGS:
        raise BadInputError(f"{MIN_COMBINED_BUGS} to {MAX_COMBINED_BUGS} bugs can be combined. Nothing was changed.")
    work = progress or Progress()
    with store.read() as db:
        rows = [row for row in stored.fetch_bugs(db) if row.state in _COMBINABLE_STATES and row.kind != SEVERAL]
        named_bug_ids = [stored.find_bug(db, bug).id for bug in bug_ids]
        named_subject_ids = {subject.id for subject in stored_subjects.find_subjects(db, ids)}
    if named_bug_ids:
        selected = [row for row in rows if row.id in named_bug_ids]
    else:
        selected = [row for row in rows if not named_subject_ids or row.subject_id in named_subject_ids]
    if len(selected) < len(set(named_bug_ids)):
        raise BadInputError("Only single bugs that are proven can be combined. Nothing was changed.")
    by_subject: dict[str, list[str]] = {}
    for row in selected:
        by_subject.setdefault(row.subject_id, []).append(row.id)
    if named_bug_ids and len(by_subject) > 1:
        raise BadInputError("Only bugs of one subject can be combined. Nothing was changed.")
    proposed: list[ProposedRow] = []
    with workbench(store) as bench:
        for number, (subject_id, subject_bug_ids) in enumerate(by_subject.items()):
            work.report(number, len(by_subject), "combining bugs")
            runner = require_runner(bench.runner(), bench.problem)
            parts_count = 0 if named_bug_ids else count
            proposed.append(_combine_in_subject(store, subject_id, subject_bug_ids, runner, parts_count, most))
    work.report(len(by_subject), len(by_subject), "combined")
    return tuple(proposed), Changes(frozenset({"bug"}), frozenset(row.subject_id for row in proposed if row.kept))


def _combine_in_subject(
    store: ProjectFile, subject_id: str, bug_ids: Sequence[str], runner: Runner, count: int, most: int
) -> ProposedRow:
    """Combine bugs of one subject: all of ``bug_ids`` if ``count`` is 0, else ``count`` of them at a time."""
    with store.read() as db:
        view = stored_subjects.load_subject_view(db, subject_id)
        known_hashes = stored.known_hashes(db, subject_id)
    row, tally = view.row, ProposalTally(subject=view.row)
    try:
        material = bug_material(view)
        singles = {bug: build_single_item(store, material, bug) for bug in bug_ids}
        items = list(singles.values())
        candidates = make_combined_items(items, count=count) if count else [combine_items(items)]
        baseline = check_reference(material, runner)
    except ConstructionError as error:
        return tally.row(error.message)
    for item in candidates:
        if item is None:
            tally.refused["the lines of the bugs touch"] += 1
            continue
        if tally.kept == most or bug_hash(material, SEVERAL, item.code) in known_hashes:
            continue
        tally.tried += 1
        reason = find_combined_problem(baseline, item, runner) or find_rejection_reason(view, item, runner)
        if reason:
            tally.refused[reason] += 1
            continue
        part_codes = {issue.alone for issue in item.issues}
        part_ids = tuple(bug for bug, single in singles.items() if single.code in part_codes)
        tally.proven += 1
        tally.kept += _save_combined(
            store, row.id, row.title, item, part_ids, combined_proof_detail(material, item, runner)
        )
    return tally.row()


def build_single_item(store: ProjectFile, material: Material, bug_id: str) -> BugItem:
    """Return a single bug as an item. Raises `ConstructionError` if it is not proven on the current subject."""
    with store.read() as db:
        bug = stored.any_version(db, bug_id)
        proof = stored.newest_proof(db, bug)
    is_proven = proof is not None and bug.content_hash == bug_hash(material, bug.kind, bug.code)
    detail = proof.detail if proof is not None and is_proven else {}
    return make_bug_item(material, parse_verdict(proposal_of(bug, material.code), detail))


def build_combined_item(store: ProjectFile, material: Material, parts: Sequence[str]) -> BugItem:
    """Return a combined bug as an item. Raises `ConstructionError` if a part is not proven or no longer fits."""
    combined = combine_items([build_single_item(store, material, part) for part in parts])
    if combined is None:
        raise ConstructionError("The lines of the bugs touch, so they cannot be combined.")
    return combined


def combined_proof_detail(material: Material, item: BugItem, runner: Runner) -> dict[str, object]:
    """Return the stored proof of a combined bug: its test results before and after, and the rule hits of its parts."""
    matrix = start_tests(material, item.code, RunOptions(seed=0), runner)()
    failing = {name: matrix.tests[name].kind for name in matrix.failed}
    rows = [[test.name, "pass", failing.get(test.name, "pass" if matrix.tests else "does not load")]
            for test in material.tests]  # fmt: skip
    proof = {
        "steps": sorted({step for issue in item.issues for step in issue.proof.steps}),
        "fail_to_pass": failing, "pass_to_pass": list(matrix.passed),
        "rules": rule_rows(hit for issue in item.issues for hit in issue.proof.rules),
        "message": matrix.load_error, "known_line": False,
    }  # fmt: skip
    return {"proof": proof, "matrix": rows}


def _save_combined(
    store: ProjectFile, subject_id: str, title: str, item: BugItem, parts: tuple[str, ...], detail: dict[str, object]
) -> bool:
    """Save a combined bug with its proof; return False if somebody has saved it in the meantime."""
    material = item.material
    digest = bug_hash(material, SEVERAL, item.code)
    lines = sorted({line for issue in item.issues for line in range(issue.lines[0], issue.lines[1] + 1)})
    kinds = ", ".join(issue.kind for issue in item.issues)
    bug = Bug(
        subject_id=subject_id, family=SEVERAL, kind=SEVERAL, operator=OPERATOR, origin="combination", code=item.code,
        explanation=f"combines {kinds}", lines=lines, reference_hash=reference_hash(material), content_hash=digest,
        parts=list(parts),
    )  # fmt: skip
    with store.write() as db:
        if digest in stored.known_hashes(db, subject_id):
            return False
        label = Message("Combine {count} bugs in {title}", count=len(parts), title=title)
        change = undo_log.record_change(db, store.annotator.id, label, ["bug"])
        undo_log.write_work(db, change, bug)
        stored_proofs.record_proof(db, subject_id, stored.PROOF_KIND, digest, "pass", detail)
    return True


def prove_combined_bug(
    store: ProjectFile, subject: SubjectView, material: Material, bug: Bug, runner: Runner
) -> tuple[str, Mapping[str, object]]:
    """Prove a combined bug again; return the reason if it is not proven, and the proof's detail to store.

    Raises `ConstructionError` if a part is not proven or no longer fits.
    """
    item = build_combined_item(store, material, bug.parts)
    baseline = check_reference(material, runner)
    reason = find_combined_problem(baseline, item, runner) or find_rejection_reason(subject, item, runner)
    if not reason and item.code != bug.code:
        reason = "its parts now combine to a different program"
    if reason:
        return reason, {"reason": reason}
    return "", combined_proof_detail(material, item, runner)
