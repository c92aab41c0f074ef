"""Bugs from operators and their proofs, for every family and language; shared by proposing, proving and editing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from annotator.base.errors import BadInputError, MissingEnvironmentError
from annotator.base.ids import content_hash
from annotator.base.messages import Message
from annotator.base.records import record_from
from annotator.construction.bugs.bug_proofs import (
    Baseline,
    ProposalVerdict,
    check_reference,
    prove_logic,
    prove_naming,
    prove_performance,
    prove_security,
    prove_syntax,
)
from annotator.construction.bugs.naming import naming_bugs
from annotator.construction.bugs.performance import performance_bugs
from annotator.construction.bugs.security import security_bugs
from annotator.construction.bugs.taxonomy import FAMILIES, Family
from annotator.construction.bugs.variables import undefined_name_bugs, variable_bugs
from annotator.construction.edits import Proposal, changed_lines
from annotator.construction.languages.sql import query_bugs
from annotator.construction.languages.tree_sitter_bugs import tree_bugs
from annotator.construction.sandbox_probe import is_collected
from annotator.construction.task_material import PYTHON, SQL, ConstructionError, Material
from annotator.construction.understanding.captured_calls import CaptureLimits, capture_calls
from annotator.model.rows.bug_rows import FamilyCount, ProposedRow
from annotator.model.rows.queue_rows import SubjectRow
from annotator.model.rows.view_rows import SubjectView
from annotator.model.tables.work_tables import Bug
from annotator.sandbox import Runner
from annotator.services.bugs.material import bug_hash, can_have_bugs, proof_detail, reference_hash
from annotator.services.select.triage import accepted_subjects
from annotator.store.file.project_file import ProjectFile
from annotator.store.history import undo_log
from annotator.store.queue import stored_subjects
from annotator.store.work import stored_bugs as stored
from annotator.store.work import stored_proofs

Name = TypeVar("Name", bound=str)
_MAX_COMPILED = 24
"""Maximum number of bugs tried per program where each test is compiled and run separately."""
_BATCH_SIZE = 4
"""Number of bugs proven at a time in that case."""
_EXTRA_PROVEN = 2
"""Number of extra bugs proven in that case, because the items of some are rejected later."""


@dataclass(kw_only=True)
class ProposalTally:
    """Counts of the bugs tried in a subject, by result."""

    subject: SubjectRow
    tried: int = 0
    proven: int = 0
    kept: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    families: dict[str, FamilyCount] = field(default_factory=dict)

    def row(self, reason: str = "") -> ProposedRow:
        """Return the counts; ``reason`` is why none could be tried, if so."""
        return record_from(
            ProposedRow,
            self,
            subject_id=self.subject.id,
            key=self.subject.key,
            title=self.subject.title,
            reason=reason,
            refused=dict(self.refused.most_common()),
        )


def require_runner(runner: Runner | None, problem: str) -> Runner:
    """Return the runner. Raises `MissingEnvironmentError` if there is none."""
    if runner is None:
        raise MissingEnvironmentError(f"Bugs are proven by running code, which is not possible here. {problem}")
    return runner


def select_families(names: Sequence[str], families: Sequence[Name]) -> tuple[Name, ...]:
    """Return the named families in standard order. Raises `BadInputError` if none is named or one is unknown."""
    unknown = [name for name in names if name not in families]
    if unknown or not names:
        name = unknown[0] if unknown else "(none is named)"
        raise BadInputError(f"There is no family {name}. Choose from: {', '.join(families)}. Nothing was changed.")
    return tuple(family for family in families if family in names)


def load_bug_subjects(store: ProjectFile, ids: Sequence[str]) -> list[SubjectView]:
    """Return the named subjects, or all accepted ones that can have bugs if none is named."""
    subject_ids = ids or [row.id for row in accepted_subjects(store) if can_have_bugs(row)]
    with store.read() as db:
        return [stored_subjects.load_subject_view(db, subject) for subject in subject_ids]


def supported_families(language: str, requested: Sequence[Family]) -> tuple[Family, ...]:
    """Return the requested families that have operators in a language."""
    supported: Mapping[str, tuple[Family, ...]] = {PYTHON: FAMILIES, SQL: ("logic",)}
    return tuple(family for family in requested if family in supported.get(language, ("logic", "syntax")))


def run_baseline(material: Material, families: Sequence[Family], runner: Runner) -> Baseline:
    """Run the reference and return its results. Performance and security proofs also need the calls its tests make."""
    calls = []
    if {"performance", "security"} & set(families):
        try:
            limits = CaptureLimits(
                characters=100_000, steps=1_000_000, min_lines=1, max_lines=10_000, readable=False, iterators=True
            )
            captured = capture_calls(material, runner, limits)
            calls = [item.values for item in captured.instances]
        except ConstructionError:
            # Without calls no workload can be made; the other families need none.
            calls = []
    return check_reference(material, runner, calls)


def operator_bugs(material: Material, family: Family, known_hashes: frozenset[str]) -> list[Proposal]:
    """Return the bugs that the operators of a family propose, without those whose hash is in ``known_hashes``."""
    if material.language == PYTHON:
        proposals = _propose_python_bugs(material, family)
    elif material.language == SQL:
        proposals = [item for item in query_bugs(material.code) if item.reference == material.code]
    else:
        proposals = [item for item in tree_bugs(material.code, material.language) if item.family == family]
    # Removing either of two nested pairs of brackets gives the same text.
    by_code: dict[str, Proposal] = {}
    for item in proposals:
        by_code.setdefault(item.code, item)
    return [item for item in by_code.values() if bug_hash(material, item.kind, item.code) not in known_hashes]


def _select_spread(proposals: Sequence[Proposal], most: int) -> list[Proposal]:
    """Return at most ``most`` proposals, spread evenly over lines and operators."""
    remaining, selected = list(proposals), list[Proposal]()
    touched = {item.id: changed_lines(item.reference, item.code) for item in remaining}
    operators, lines = Counter[str](), Counter[int]()
    while remaining and len(selected) < most:
        best = min(
            remaining, key=lambda item: (sum(lines[line] for line in touched[item.id]), operators[item.operator])
        )
        remaining.remove(best)
        operators[best.operator] += 1
        lines.update(touched[best.id])
        selected.append(best)
    return selected


def _propose_python_bugs(material: Material, family: Family) -> list[Proposal]:
    code = material.code
    if family in ("logic", "syntax"):
        name_bugs = variable_bugs(code) if family == "logic" else undefined_name_bugs(code)
        return [*(item for item in tree_bugs(code, PYTHON) if item.family == family), *name_bugs]
    if family == "naming":
        return naming_bugs(code, material.entry_point)
    return {"performance": performance_bugs, "security": security_bugs}[family](code)


def tried_hash(material: Material, proposals: Iterable[Proposal], *, is_plain_share_used: bool) -> str:
    """Return the hash under which failed proposals are remembered.

    Besides the proposals it covers the description and whether the share of syntax and naming bugs was used up, since
    a change of either can make a failed proposal succeed.
    """
    hashes = sorted(bug_hash(material, item.kind, item.code) for item in proposals)
    return content_hash({"description": material.description, "proposals": hashes, "full": is_plain_share_used})


def prove_proposals(
    baseline: Baseline, proposals: Sequence[Proposal], family: Family, runner: Runner, *, most: int | None = None
) -> list[ProposalVerdict]:
    """Prove proposals of one family.

    With ``most``, and where each test is compiled and run separately, this stops as soon as enough are proven.
    """
    provers: Mapping[Family, Callable[[Baseline, Sequence[Proposal], Runner], list[ProposalVerdict]]] = {
        "logic": prove_logic,
        "performance": prove_performance,
        "security": prove_security,
        "syntax": prove_syntax,
        "naming": prove_naming,
    }
    is_compiled = is_collected(baseline.material) or baseline.material.language not in (PYTHON, SQL)
    if most is None or not is_compiled:
        return provers[family](baseline, proposals, runner) if proposals else []
    verdicts: list[ProposalVerdict] = []
    selected = _select_spread(proposals, _MAX_COMPILED)
    for start in range(0, len(selected), _BATCH_SIZE):
        verdicts += provers[family](baseline, selected[start : start + _BATCH_SIZE], runner)
        if sum(verdict.proven for verdict in verdicts) >= most + _EXTRA_PROVEN:
            break
    return verdicts


def was_tried(store: ProjectFile, subject_id: str, digest: str) -> bool:
    """Return whether these proposals have been tried before without success."""
    with store.read() as db:
        return stored_proofs.newest_of(db, subject_id, stored.TRIED_KIND, digest) is not None


def record_tried(store: ProjectFile, subject_id: str, digest: str) -> None:
    """Record that proposals failed, so that they are not tried again."""
    with store.write() as db:
        stored_proofs.record_proof(db, subject_id, stored.TRIED_KIND, digest, "fail", {})


def save_bugs(
    store: ProjectFile, subject_id: str, title: str, material: Material, verdicts: Sequence[ProposalVerdict]
) -> tuple[ProposalVerdict, ...]:
    """Save proven bugs with their proofs in one change; return those that nobody has saved in the meantime."""
    with store.write() as db:
        known_hashes = stored.known_hashes(db, subject_id)
        rows = [(build_bug_row(subject_id, material, verdict.proposal), verdict) for verdict in verdicts]
        rows = [(row, verdict) for row, verdict in rows if row.content_hash not in known_hashes]
        if not rows:
            return ()
        count_text = Message("1 bug") if len(rows) == 1 else Message("{count} bugs", count=len(rows))
        change = undo_log.record_change(
            db, store.annotator.id, Message("Propose {what} in {title}", what=count_text, title=title), ["bug"]
        )
        for bug, verdict in rows:
            undo_log.write_work(db, change, bug)
            stored_proofs.record_proof(
                db, subject_id, stored.PROOF_KIND, bug.content_hash, "pass", proof_detail(material, verdict)
            )
    return tuple(verdict for _, verdict in rows)


def build_bug_row(subject_id: str, material: Material, proposal: Proposal, replaces: str | None = None) -> Bug:
    """Return the database row of a proposal; for removed lines, the row gives the lines before and after them."""
    lines = {line for hunk in proposal.hunks for line in range(hunk.lines[0], max(hunk.lines) + 1)}
    return Bug(
        subject_id=subject_id,
        family=proposal.family,
        kind=proposal.kind,
        operator=proposal.operator,
        origin=proposal.origin,
        code=proposal.code,
        workload=proposal.workload,
        explanation=proposal.explanation,
        lines=sorted(lines),
        reference_hash=reference_hash(material),
        content_hash=bug_hash(material, proposal.kind, proposal.code),
        replaces=replaces,
        state="edited" if replaces else "proposed",
    )


def proposal_of(bug: Bug, reference: str) -> Proposal:
    """Rebuild the proposal that a saved bug was made from."""
    return record_from(Proposal, bug, reference=reference)
