"""Bugs proposed by a model: the request and the parsing of the answer. They pass the same proofs as all others
(specification, task construction, 2.3)."""

from __future__ import annotations

from collections.abc import Sequence

from annotator.answers.review import first_object
from annotator.construction.bugs.bug_proofs import without_new_comments
from annotator.construction.bugs.taxonomy import family_of
from annotator.construction.edits import Proposal, diff_hunks
from annotator.construction.task_material import ConstructionError, Material

TEMPERATURE, PROPOSALS, MAX_CHANGED_LINES = 0.8, 3, 10
_BUG_REQUEST = (
    "Put one realistic bug of the type {kind} into the program below, as a developer might make it by mistake.\n\n"
    "Rules:\n- Change at most {lines} lines, and keep the signature.\n- Write no comment about the bug.\n"
    "- Some of the tests must fail because of it, and some must still pass.\n\n"
    "Tests: {tests}\n\nProgram:\n```{language}\n{code}\n```\n\n"
    'Answer with one JSON object: {{"code": the whole changed program, "label": "{kind}", "changed_lines": [numbers], '
    '"explanation": one sentence, "why_tests_fail": one sentence}}'
)
ASK_AGAIN = "All tests pass with your change, so it is no bug. Propose another one, by the same rules."
"""The single follow-up request to a model whose change fails no test."""


def bug_request(material: Material, kind: str) -> str:
    """Return the request for one bug of a kind such as ``logic.index``. Raises `ValueError` for an unknown kind."""
    family_of(kind)
    names = ", ".join(test.name for test in material.tests[:30])
    return _BUG_REQUEST.format(
        kind=kind, lines=MAX_CHANGED_LINES, tests=names, language=material.language, code=material.code.strip("\n")
    )


def read_bug_proposal(material: Material, response: str, kind: str, origin: str) -> Proposal:
    """Return the bug that an answer proposes, without new comments on its lines; ``origin`` names the model.

    Raises `ConstructionError` if the answer has no program, changes nothing, or changes too many lines.
    """
    answer = first_object(response)
    code = (answer or {}).get("code")
    if not isinstance(code, str) or not code.strip():
        raise ConstructionError("The answer contains no program.")
    code = code.rstrip("\n") + "\n" if material.code.endswith("\n") else code.rstrip("\n")
    code = without_new_comments(material.code, code, material.language)
    if code.split() == material.code.split():
        raise ConstructionError("The answer changes nothing.")
    size = sum(max(_count(hunk.lines), _count(hunk.old_lines)) for hunk in diff_hunks(material.code, code))
    if size > MAX_CHANGED_LINES:
        raise ConstructionError(f"The answer changes {size} lines; at most {MAX_CHANGED_LINES} may change.")
    explanation = str((answer or {}).get("explanation") or "")[:500]
    return Proposal(
        kind=kind, operator="model", code=code, reference=material.code, explanation=explanation, origin=origin
    )


def _count(lines: Sequence[int]) -> int:
    return max(0, lines[1] - lines[0] + 1)
