"""Material for bugs: a subject's reference as a whole program, and its tests split into single assertions."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from typing import Any

from annotator.answers.masked import MASK
from annotator.base.errors import BadInputError
from annotator.base.ids import content_hash
from annotator.construction.bugs.bug_proofs import BugEvidence, ProposalVerdict
from annotator.construction.bugs.static_rules import RuleHit
from annotator.construction.bugs.timing_curve import Timing
from annotator.construction.edits import Proposal
from annotator.construction.languages.sql import normalise_query
from annotator.construction.languages.tree_sitter_bugs import parses_cleanly
from annotator.construction.python_facts import find_function
from annotator.construction.task_material import PYTHON, SQL, ConstructionError, Material
from annotator.construction.test_splitting import split_foreign, split_tests
from annotator.evaluation.answer_scoring import ScoreJob, program_of
from annotator.evaluation.released_items import item_of
from annotator.model.contents import hash_bug
from annotator.model.rows.queue_rows import SubjectRow
from annotator.model.rows.task_rows import is_made
from annotator.model.rows.view_rows import SubjectView
from annotator.sandbox import TestCode, find_language
from annotator.text.python_tree import tree_or_empty
from annotator.text.syntax_trees import LANGUAGES as FOREIGN

LANGUAGES = (PYTHON, *FOREIGN, SQL)
"""The languages in which bugs are made."""


def sandbox_language(name: str) -> str:
    """Return the sandbox's name of a language, or the lower-case name if the sandbox does not know it."""
    try:
        return find_language(name.lower()).name
    except BadInputError:
        return name.lower()


def can_have_bugs(row: SubjectRow) -> bool:
    """Return whether bugs can be put into a subject: its language has operators and it was not made from code."""
    return sandbox_language(row.language) in LANGUAGES and not is_made(row.key)


def bug_material(view: SubjectView) -> Material:
    """Return a subject's program with its tests, one assertion each where they can be split.

    The program is the reference in place of [MASK] in the context, the reference alone, or the prompt followed by the
    reference, whichever can be read; an SQL query is normalised. Raises `ConstructionError` if there are no operators
    for its language, if it has no tests, or if there is no such program.
    """
    key = view.row.key
    language_name = sandbox_language(view.row.language)
    if language_name not in LANGUAGES:
        raise ConstructionError(f"{key} is in no language in which bugs can be made: {', '.join(LANGUAGES)}.")
    if not view.reference.strip():
        raise ConstructionError(f"{key} has no reference to put a bug into.")
    tests = [
        TestCode(f"{test.name} / {part.name}", part.code)
        for test in view.tests
        if test.code.strip()
        for part in _split_test(test.code, language_name, view.entry_point)
    ]
    if not tests:
        raise ConstructionError(f"{key} has no tests, so no bug can be proven in it.")
    code = _build_program(view, language_name)
    return Material(
        key=key,
        language=language_name,
        code=code,
        tests=_number_duplicates(tests),
        entry_point=view.entry_point,
        description=_describe_code(view, code),
    )


def _describe_code(view: SubjectView, code: str) -> str:
    """Return the description of the code: the docstring if the prompt is the beginning of the code, else the prompt."""
    if view.paraphrase:
        return view.paraphrase.text
    if view.prompt.strip() and code.startswith(view.prompt.rstrip()):
        try:
            return (ast.get_docstring(find_function(code, view.entry_point)) or "").strip() or view.prompt
        except ConstructionError:
            return view.prompt
    return view.prompt


def _split_test(code: str, language_name: str, entry_point: str) -> tuple[TestCode, ...]:
    if language_name == PYTHON:
        return split_tests(code, entry_point)
    parts = split_foreign(code, language_name)
    return tuple(TestCode(f"test {number}", part) for number, part in enumerate(parts, start=1))


def _build_program(view: SubjectView, language_name: str) -> str:
    """Return the first way of combining prompt, context and reference that gives a readable program."""
    if language_name == SQL:
        return normalise_query(view.reference)
    if view.context.count(MASK) == 1:
        return _end_with_newline(program_of(ScoreJob(item=item_of(view), text=view.reference)).code)
    for code in (view.reference, f"{view.prompt}{view.reference}", f"{view.prompt.rstrip()}\n{view.reference}"):
        if _has_entry_point(code, view.entry_point, language_name):
            return _end_with_newline(code)
    kind = "Python program" if language_name == PYTHON else "program"
    raise ConstructionError(f"The reference of {view.row.key} is not a {kind} that its tests can call.")


def _number_duplicates(tests: list[TestCode]) -> tuple[TestCode, ...]:
    """Number tests with the same name, so that they are distinct rows of the test matrix."""
    occurrences: dict[str, int] = {}
    numbered = []
    for test in tests:
        occurrences[test.name] = occurrences.get(test.name, 0) + 1
        name = test.name if occurrences[test.name] == 1 else f"{test.name} ({occurrences[test.name]})"
        numbered.append(TestCode(name, test.code))
    return tuple(numbered)


def _end_with_newline(code: str) -> str:
    return code.rstrip("\n") + "\n"


def _has_entry_point(code: str, entry_point: str, language_name: str) -> bool:
    """Return whether code parses and defines the entry point."""
    if language_name != PYTHON:
        return entry_point.rpartition(".")[2] in code and parses_cleanly(code, language_name)
    entry_name = entry_point.partition(".")[0]
    definitions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return any(entry_name in ("", node.name) for node in tree_or_empty(code).body if isinstance(node, definitions))


def reference_hash(material: Material) -> str:
    """Return the hash of the unchanged program and its tests."""
    return content_hash({"code": material.code, "tests": [[test.name, test.code] for test in material.tests]})


def bug_hash(material: Material, kind: str, code: str) -> str:
    """Return the hash of everything a bug's proof depends on: the reference, its tests, and the bug's kind and code."""
    return hash_bug(reference_hash(material), kind, code)


def proof_detail(material: Material, verdict: ProposalVerdict) -> dict[str, Any]:
    """Return a proof as stored JSON, with each test's outcome before and after, or the reason for having none."""
    if verdict.proof is None:
        return {"reason": verdict.reason}
    proof = verdict.proof
    other_outcome = "does not load" if not proof.failing and not proof.passing else "pass"
    matrix = [[test.name, "pass", proof.failing.get(test.name, other_outcome)] for test in material.tests]
    return {"proof": proof_json(proof), "matrix": matrix}


def proof_json(proof: BugEvidence) -> dict[str, Any]:
    """Return a proof as JSON that `parse_proof` can read back."""
    return {**proof.as_json(), "rules": rule_rows(proof.rules), "known_line": proof.known_line}


def rule_rows(hits: Iterable[RuleHit]) -> list[dict[str, Any]]:
    """Return rule hits as JSON rows for a stored proof."""
    return [
        {"rule": hit.rule, "line": hit.line, "end_line": hit.end_line, "severity": hit.severity, "message": hit.message}
        for hit in hits
    ]


def parse_proof(saved: Mapping[str, Any]) -> BugEvidence:
    """Read a proof back from the JSON of `proof_json`."""
    timing = saved.get("timing")
    hits = tuple(RuleHit(row["rule"], row["line"], row["end_line"], row["message"]) for row in saved["rules"])
    curve = None
    if timing:
        curve = Timing(tuple(timing["sizes"]), tuple(timing["reference_s"]), tuple(timing["changed_s"]), True)
    return BugEvidence(
        steps=tuple(saved["steps"]),
        failing=dict(saved["fail_to_pass"]),
        passing=tuple(saved["pass_to_pass"]),
        rules=hits,
        timing=curve,
        message=saved["message"],
        known_line=saved["known_line"],
        behaviour=saved.get("behaviour", ""),
    )


def parse_verdict(proposal: Proposal, detail: Mapping[str, Any]) -> ProposalVerdict:
    """Read a verdict back from the JSON of `proof_detail`."""
    proof = detail.get("proof")
    if not proof:
        return ProposalVerdict(proposal, reason=str(detail.get("reason") or "it was never proven"))
    return ProposalVerdict(proposal, parse_proof(proof))
