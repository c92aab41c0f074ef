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
from annotator.services.tasks.grading import DeduplicatingRunner, start_controls
from annotator.services.tasks.items import bug_candidate, plain_item


def control_bugs(
    view: SubjectView, baseline: Baseline, verdicts: Sequence[ProposalVerdict], runner: Runner
) -> list[ProposalVerdict]:
    """Return the verdicts, the proven ones with a description of what the bug changes in a call of the tests.

    A bug whose proof does not repeat, or whose items would be refused, loses its proof and gets the reason.
    """
    material = baseline.material
    logic = [verdict for verdict in verdicts if verdict.proof is not None and verdict.proposal.family == "logic"]
    repeated = {verdict.proposal.code: verdict for verdict in recheck_verdicts(baseline, logic, runner)}
    verdicts = [repeated.get(verdict.proposal.code, verdict) for verdict in verdicts]
    runner = DeduplicatingRunner(runner)
    codes = [code for code, verdict in repeated.items() if verdict.proof is not None]
    behaviours = dict(zip(codes, describe_behaviour(material, codes, runner), strict=True))
    lazy = find_lazy_tests(material, runner) if not all(behaviours.values()) else frozenset[str]()
    return [
        _control(view, material, verdict, behaviours.get(verdict.proposal.code, ""), lazy, runner)
        for verdict in verdicts
    ]


def _control(
    view: SubjectView,
    material: Material,
    verdict: ProposalVerdict,
    behaviour: str,
    lazy: frozenset[str],
    runner: Runner,
) -> ProposalVerdict:
    if verdict.proof is None:
        return verdict
    proof = replace(verdict.proof, behaviour=behaviour or verdict.proof.behaviour)
    described = replace(verdict, proof=proof)
    if verdict.proposal.family == "logic":
        if not proof.behaviour and set(proof.failing) <= lazy:
            return ProposalVerdict(verdict.proposal, reason="only the time at which items are worked out differs")
        if unstated := undocumented_exception(material, verdict.proposal.code):
            return ProposalVerdict(verdict.proposal, reason=f"nothing tells that {unstated} is to be raised")
        if unstated := undocumented_text(material, verdict.proposal.code):
            return ProposalVerdict(verdict.proposal, reason=f"nothing tells of the text {unstated!r}")
        proof = replace(proof, behaviour=proof.behaviour or describe_failing_check(material, proof.failing))
        if not proof.behaviour and material.language != SQL:
            return ProposalVerdict(verdict.proposal, reason="no call and no check tells what is wrong")
        described = replace(verdict, proof=proof)
    try:
        reason = refuse_items(view, make_bug_item(material, described), runner)
    except ConstructionError as error:
        reason = error.message
    return ProposalVerdict(verdict.proposal, reason=reason) if reason else described


def prove_with_controls(view: SubjectView, baseline: Baseline, proposal: Proposal, runner: Runner) -> ProposalVerdict:
    """Prove a single bug and check its items."""
    proven = prove_proposals(baseline, [proposal], proposal.family, runner)
    (verdict,) = control_bugs(view, baseline, proven, runner)
    return verdict


def refuse_items(view: SubjectView, item: BugItem, runner: Runner) -> str:
    """Return why one of a bug's items would be refused, or an empty string."""
    reads = {
        family: start_controls(plain_item(bug_candidate(view, item, family, "")), runner) for family in BUG_FAMILIES
    }
    reasons = {family: read() for family, read in reads.items()}
    return next((f"the {family} item is no good: {reason}" for family, reason in reasons.items() if reason), "")
