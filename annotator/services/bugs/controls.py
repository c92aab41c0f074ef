"""Check a bug's items before reviewers see it, so that every accepted bug can be turned into items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from annotator.construction.bugs.behaviour import (
    describe_behaviour,
    describe_failing_check,
    find_lazy_tests,
    undocumented_exception,
    undocumented_text,
)
from annotator.construction.bugs.bug_items import BugItem, make_bug_item
from annotator.construction.bugs.bug_proofs import Baseline, ProposalVerdict, recheck_verdicts
from annotator.construction.edits import Proposal
from annotator.construction.task_material import SQL, ConstructionError, Material
from annotator.model.rows.task_rows import BUG_FAMILIES
from annotator.model.rows.view_rows import SubjectView
from annotator.sandbox import Runner
from annotator.services.bugs.proving import prove_proposals
from annotator.services.tasks.grading import DeduplicatingRunner, start_validation
from annotator.services.tasks.items import bug_candidate, plain_item


def validate_bugs(
    view: SubjectView, baseline: Baseline, verdicts: Sequence[ProposalVerdict], runner: Runner
) -> list[ProposalVerdict]:
    """Return the verdicts; add a description of the changed behaviour to proven ones.

    A bug whose proof cannot be repeated, or whose items would be rejected, is returned unproven, with the reason.
    """
    material = baseline.material
    logic = [verdict for verdict in verdicts if verdict.proof is not None and verdict.proposal.family == "logic"]
    rechecked = {verdict.proposal.code: verdict for verdict in recheck_verdicts(baseline, logic, runner)}
    verdicts = [rechecked.get(verdict.proposal.code, verdict) for verdict in verdicts]
    runner = DeduplicatingRunner(runner)
    codes = [code for code, verdict in rechecked.items() if verdict.proof is not None]
    behaviours = dict(zip(codes, describe_behaviour(material, codes, runner), strict=True))
    lazy_tests = find_lazy_tests(material, runner) if not all(behaviours.values()) else frozenset[str]()
    return [
        _validate_bug(view, material, verdict, behaviours.get(verdict.proposal.code, ""), lazy_tests, runner)
        for verdict in verdicts
    ]


def _validate_bug(
    view: SubjectView,
    material: Material,
    verdict: ProposalVerdict,
    behaviour: str,
    lazy_tests: frozenset[str],
    runner: Runner,
) -> ProposalVerdict:
    if verdict.proof is None:
        return verdict
    proof = replace(verdict.proof, behaviour=behaviour or verdict.proof.behaviour)
    described_verdict = replace(verdict, proof=proof)
    if verdict.proposal.family == "logic":
        if not proof.behaviour and set(proof.failing) <= lazy_tests:
            return ProposalVerdict(verdict.proposal, reason="the bug changes only when items are evaluated")
        if exception_name := undocumented_exception(material, verdict.proposal.code):
            return ProposalVerdict(verdict.proposal, reason=f"nothing documents that {exception_name} should be raised")
        if text := undocumented_text(material, verdict.proposal.code):
            return ProposalVerdict(verdict.proposal, reason=f"the text {text!r} is not documented")
        proof = replace(proof, behaviour=proof.behaviour or describe_failing_check(material, proof.failing))
        if not proof.behaviour and material.language != SQL:
            return ProposalVerdict(verdict.proposal, reason="no test call or assertion shows the bug")
        described_verdict = replace(verdict, proof=proof)
    try:
        reason = find_rejection_reason(view, make_bug_item(material, described_verdict), runner)
    except ConstructionError as error:
        reason = error.message
    return ProposalVerdict(verdict.proposal, reason=reason) if reason else described_verdict


def prove_and_validate(view: SubjectView, baseline: Baseline, proposal: Proposal, runner: Runner) -> ProposalVerdict:
    """Prove a single bug and check its items."""
    proven = prove_proposals(baseline, [proposal], proposal.family, runner)
    (verdict,) = validate_bugs(view, baseline, proven, runner)
    return verdict


def find_rejection_reason(view: SubjectView, item: BugItem, runner: Runner) -> str:
    """Return why one of a bug's items would be rejected, or an empty string."""
    running_checks = {
        family: start_validation(plain_item(bug_candidate(view, item, family, "")), runner) for family in BUG_FAMILIES
    }
    reasons = {family: wait() for family, wait in running_checks.items()}
    return next((f"the {family} item is invalid: {reason}" for family, reason in reasons.items() if reason), "")
