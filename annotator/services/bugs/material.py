"""What bugs are made from: a subject's reference as a whole program, and its tests one assertion each."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from typing import Any

from annotator.answers.masked import MASK
from annotator.base.errors import BadInputError
from annotator.base.ids import content_hash
from annotator.construction.bugs.proofs import Proof, Verdict
from annotator.construction.bugs.static_rules import Hit
from annotator.construction.bugs.timing_curve import Timing
from annotator.construction.edits import Proposal
from annotator.construction.languages.sql import normalised
from annotator.construction.languages.tree_sitter_bugs import parses
from annotator.construction.material import PYTHON, SQL, ConstructionError, Material
from annotator.construction.python_facts import function
from annotator.construction.test_splitting import split_foreign, split_tests
from annotator.evaluation.items import item_of
from annotator.evaluation.scoring import ScoreJob, program_of
from annotator.model.contents import hash_bug
from annotator.model.rows.queue import SubjectRow
from annotator.model.rows.tasks import is_made
from annotator.model.rows.views import SubjectView
from annotator.sandbox import TestCode, language
from annotator.text.python_tree import tree_or_empty
from annotator.text.syntax_trees import LANGUAGES as FOREIGN

LANGUAGES = (PYTHON, *FOREIGN, SQL)
"""The languages in which bugs are made."""


def language_of(name: str) -> str:
    """Return a language as the sandbox names it, or the word as it is if it knows none of that name."""
    try:
        return language(name.lower()).name
    except BadInputError:
        return name.lower()


def holds_bugs(row: SubjectRow) -> bool:
    """Tell whether bugs are put into a subject when none is named: code in a language with operators, not itself made
    from code."""
    return language_of(row.language) in LANGUAGES and not is_made(row.key)


def material_of(view: SubjectView) -> Material:
    """Return a subject's program with its tests, one assertion each where they can be split.

    The program is the reference where [MASK] stands in the context, the reference alone, or the prompt and the
    reference that goes on from it; a query as it is written anew. Raises `ConstructionError` if there are no operators
    for its language, if it has no tests, or if it makes no program.
    """
    key = view.row.key
    spoken = language_of(view.row.language)
    if spoken not in LANGUAGES:
        raise ConstructionError(f"{key} is not in one of the languages in which bugs are made: {', '.join(LANGUAGES)}.")
    if not view.reference.strip():
        raise ConstructionError(f"{key} has no reference to put a bug into.")
    tests = [
        TestCode(f"{test.name} / {part.name}", part.code)
        for test in view.tests
        if test.code.strip()
        for part in _split(test.code, spoken, view.entry_point)
    ]
    if not tests:
        raise ConstructionError(f"{key} has no tests, so no bug can be proven in it.")
    code = _program(view, spoken)
    return Material(
        key=key,
        language=spoken,
        code=code,
        tests=_named(tests),
        entry_point=view.entry_point,
        description=_description(view, code),
    )


def _description(view: SubjectView, code: str) -> str:
    """Return what the code shall do: of a prompt that opens the code itself, the docstring alone."""
    if view.paraphrase:
        return view.paraphrase.text
    if view.prompt.strip() and code.startswith(view.prompt.rstrip()):
        try:
            return (ast.get_docstring(function(code, view.entry_point)) or "").strip() or view.prompt
        except ConstructionError:
            return view.prompt
    return view.prompt


def _split(code: str, spoken: str, entry_point: str) -> tuple[TestCode, ...]:
    if spoken == PYTHON:
        return split_tests(code, entry_point)
    parts = split_foreign(code, spoken)
    return tuple(TestCode(f"test {number}", part) for number, part in enumerate(parts, start=1))


def _program(view: SubjectView, spoken: str) -> str:
    """Return the whole program: the first of the ways to put it together that can be read."""
    if spoken == SQL:
        return normalised(view.reference)
    if view.context.count(MASK) == 1:
        return _ended(program_of(ScoreJob(item=item_of(view), text=view.reference)).code)
    for code in (view.reference, f"{view.prompt}{view.reference}", f"{view.prompt.rstrip()}\n{view.reference}"):
        if _defines(code, view.entry_point, spoken):
            return _ended(code)
    kind = "Python program" if spoken == PYTHON else "program"
    raise ConstructionError(f"The reference of {view.row.key} is no {kind} that its tests could call.")


def _named(tests: list[TestCode]) -> tuple[TestCode, ...]:
    """Give tests of one name a number, so that a matrix can tell them apart."""
    seen: dict[str, int] = {}
    named = []
    for test in tests:
        seen[test.name] = seen.get(test.name, 0) + 1
        name = test.name if seen[test.name] == 1 else f"{test.name} ({seen[test.name]})"
        named.append(TestCode(name, test.code))
    return tuple(named)


def _ended(code: str) -> str:
    return code.rstrip("\n") + "\n"


def _defines(code: str, entry_point: str, spoken: str) -> bool:
    """Tell whether code can be read and has what the tests call."""
    if spoken != PYTHON:
        return entry_point.rpartition(".")[2] in code and parses(code, spoken)
    entry, kinds = entry_point.partition(".")[0], (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return any(entry in ("", node.name) for node in tree_or_empty(code).body if isinstance(node, kinds))


def reference_hash(material: Material) -> str:
    """Return the hash of what a bug is a change of: the program and its tests."""
    return content_hash({"code": material.code, "tests": [[test.name, test.code] for test in material.tests]})


def bug_hash(material: Material, kind: str, code: str) -> str:
    """Return the hash of all that a bug's proof rests on."""
    return hash_bug(reference_hash(material), kind, code)


def proof_detail(material: Material, verdict: Verdict) -> dict[str, Any]:
    """Return a proof (or why there is none) as it is kept, with the tests before and after."""
    if verdict.proof is None:
        return {"reason": verdict.reason}
    proof = verdict.proof
    unknown = "does not load" if not proof.failing and not proof.passing else "pass"
    matrix = [[test.name, "pass", proof.failing.get(test.name, unknown)] for test in material.tests]
    return {"proof": whole_proof(proof), "matrix": matrix}


def whole_proof(proof: Proof) -> dict[str, Any]:
    """Return a proof with all that `proof_from` needs to make it again."""
    return {**proof.as_json(), "rules": rule_rows(proof.rules), "known_line": proof.known_line}


def rule_rows(hits: Iterable[Hit]) -> list[dict[str, Any]]:
    """Return what rules found as a kept proof has it."""
    return [
        {"rule": hit.rule, "line": hit.line, "end_line": hit.end_line, "severity": hit.severity, "message": hit.message}
        for hit in hits
    ]


def proof_from(found: Mapping[str, Any]) -> Proof:
    """Return the proof that `whole_proof` wrote."""
    timing = found.get("timing")
    hits = tuple(Hit(row["rule"], row["line"], row["end_line"], row["message"]) for row in found["rules"])
    return Proof(
        steps=tuple(found["steps"]),
        failing=dict(found["fail_to_pass"]),
        passing=tuple(found["pass_to_pass"]),
        rules=hits,
        timing=Timing(tuple(timing["sizes"]), tuple(timing["reference_s"]), tuple(timing["changed_s"]), True)
        if timing
        else None,
        message=found["message"],
        known_line=found["known_line"],
        behaviour=found.get("behaviour", ""),
    )


def verdict_from(proposal: Proposal, kept: Mapping[str, Any]) -> Verdict:
    """Return the verdict that `proof_detail` kept."""
    found = kept.get("proof")
    if not found:
        return Verdict(proposal, reason=str(kept.get("reason") or "it was never proven"))
    return Verdict(proposal, proof_from(found))
