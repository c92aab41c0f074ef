"""What bugs are made from: a subject's reference as a whole program, and its tests one assertion each."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from annotator.base.ids import content_hash
from annotator.construction.edits import Proposal
from annotator.construction.material import PYTHON, ConstructionError, Material
from annotator.construction.proofs import Proof, Verdict
from annotator.construction.rules import Hit
from annotator.construction.splitting import split_tests
from annotator.construction.timing import Timing
from annotator.evaluation.tasks import MASK, ScoreJob, program_of
from annotator.model.rows import SubjectView
from annotator.sandbox import TestCode
from annotator.services.proving import item_of


def material_of(view: SubjectView) -> Material:
    """Return a subject's program with its tests.

    The program is the reference where [MASK] stands in the context, the reference alone, or the prompt and the
    reference that goes on from it. Raises `ConstructionError` if it is no Python, has no tests or makes no program.
    """
    key = view.row.key
    if view.row.language.lower() not in (PYTHON, "python3"):
        raise ConstructionError(f"{key} is not Python; bugs are made in Python subjects.")
    if not view.reference.strip():
        raise ConstructionError(f"{key} has no reference to put a bug into.")
    tests = [
        TestCode(f"{test.name} / {part.name}", part.code)
        for test in view.tests
        if test.code.strip()
        for part in split_tests(test.code, view.entry_point)
    ]
    if not tests:
        raise ConstructionError(f"{key} has no tests, so no bug can be proven in it.")
    description = view.paraphrase.text if view.paraphrase else view.prompt
    return Material(key, PYTHON, _program(view), _named(tests), view.entry_point, description)


def _named(tests: list[TestCode]) -> tuple[TestCode, ...]:
    """Give tests of one name a number, so that a matrix can tell them apart."""
    seen: dict[str, int] = {}
    named = []
    for test in tests:
        seen[test.name] = seen.get(test.name, 0) + 1
        name = test.name if seen[test.name] == 1 else f"{test.name} ({seen[test.name]})"
        named.append(TestCode(name, test.code))
    return tuple(named)


def _program(view: SubjectView) -> str:
    if view.context.count(MASK) == 1:
        return _ended(program_of(ScoreJob(item_of(view), view.reference)).code)
    entry = view.entry_point.partition(".")[0]
    for code in (view.reference, f"{view.prompt}{view.reference}", f"{view.prompt.rstrip()}\n{view.reference}"):
        names = _defined(code)
        if entry in names if entry else names:
            return _ended(code)
    raise ConstructionError(f"The reference of {view.row.key} is no Python program that its tests could call.")


def _ended(code: str) -> str:
    return code.rstrip("\n") + "\n"


def _defined(code: str) -> frozenset[str]:
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return frozenset()
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return frozenset(node.name for node in tree.body if isinstance(node, kinds))


def reference_hash(material: Material) -> str:
    """Return the hash of what a bug is a change of: the program and its tests."""
    return content_hash({"code": material.code, "tests": [[test.name, test.code] for test in material.tests]})


def bug_hash(material: Material, kind: str, code: str) -> str:
    """Return the hash of all that a bug's proof rests on."""
    return content_hash({"reference": reference_hash(material), "kind": kind, "code": code})


def proof_detail(material: Material, verdict: Verdict) -> dict[str, Any]:
    """Return a proof (or why there is none) as it is kept, with the tests before and after."""
    if verdict.proof is None:
        return {"reason": verdict.reason}
    proof = verdict.proof
    rules = [
        {"rule": hit.rule, "line": hit.line, "end_line": hit.end_line, "severity": hit.severity, "message": hit.message}
        for hit in proof.rules
    ]
    unknown = "does not load" if not proof.failing and not proof.passing else "pass"
    matrix = [[test.name, "pass", proof.failing.get(test.name, unknown)] for test in material.tests]
    return {"proof": {**proof.as_json(), "rules": rules, "known_line": proof.known_line}, "matrix": matrix}


def verdict_from(proposal: Proposal, kept: Mapping[str, Any]) -> Verdict:
    """Return the verdict that `proof_detail` kept."""
    found = kept.get("proof")
    if not found:
        return Verdict(proposal, reason=str(kept.get("reason") or "it was never proven"))
    timing = found.get("timing")
    hits = tuple(Hit(row["rule"], row["line"], row["end_line"], row["message"]) for row in found["rules"])
    proof = Proof(
        tuple(found["steps"]),
        dict(found["fail_to_pass"]),
        tuple(found["pass_to_pass"]),
        hits,
        Timing(tuple(timing["sizes"]), tuple(timing["reference_s"]), tuple(timing["changed_s"]), True)
        if timing
        else None,
        found["message"],
        found["known_line"],
    )
    return Verdict(proposal, proof)
