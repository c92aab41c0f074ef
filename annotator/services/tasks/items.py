"""Convert items made from code to candidates, and release items back to the engines' items.

A made item is a subject like any other: people accept or reject it, and releases and runs include it. Additional data
of the engines is in the subject's ``extra``, where ``grader`` names the family.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from annotator.base.errors import BadInputError
from annotator.base.ids import stable_id
from annotator.construction.bugs.bug_items import REVIEW_KEYS, BugItem, Issue
from annotator.construction.completion.blanks import BlankItem
from annotator.construction.interface_changes import InterfaceChange, UpdateItem
from annotator.construction.task_material import PYTHON, ConstructionError, Material
from annotator.construction.understanding.literals import parse_value
from annotator.construction.understanding.understanding_items import UnderstandingItem
from annotator.evaluation.answer_scoring import grader_of
from annotator.evaluation.released_items import Item, text_of
from annotator.formats.read.import_records import Candidate, CandidateTest
from annotator.model.rows.task_rows import MADE_KEY, TASK_FAMILIES
from annotator.model.rows.view_rows import SubjectView
from annotator.sandbox import TestCode
from annotator.services.bugs.material import parse_proof, proof_json, reference_hash, sandbox_language

MadeItem = UnderstandingItem | BlankItem | BugItem | UpdateItem
# Provenance that describes the parent's place in a published file, so a made item does not inherit it.
_OWN_PROVENANCE = ("family", "task_id")


# -- to candidates -----------------------------------------------------------------------------------------------


def understanding_candidate(parent: SubjectView, material: Material, item: UnderstandingItem) -> Candidate:
    """Return a candidate that asks about the output or the input of a call."""
    title_suffix = "predict the output" if item.direction == "forward" else "deduce an input"
    values = [value for _, value in item.arguments]
    test = CandidateTest(
        name="instance",
        language=material.language,
        inputs={"arguments": item.written(values), "expected": item.written(item.output)},
    )
    extra = {
        "grader": "understanding", "direction": item.direction,
        "call": {"arguments": [list(pair) for pair in item.arguments], "output": item.output, "mode": item.mode,
                 "strip": item.strip, "steps": item.steps, "mutates": item.mutates, "guessed": item.guessed,
                 "drawn": item.drawn},
    }  # fmt: skip
    return _build_candidate(
        parent,
        item,
        material=material,
        name=f"{item.direction}-{item.id[:8]}",
        title_suffix=title_suffix,
        prompt=item.prompt,
        task="understanding",
        extra=extra,
        tests=(test,),
    )


def completion_candidate(parent: SubjectView, material: Material, item: BlankItem) -> Candidate:
    """Return a candidate that asks to fill blanks or to write the body."""
    count = len(item.fillers)
    blanks = "fill 1 blank" if count == 1 else f"fill {count} blanks"
    title_suffix = "write the body" if item.level == "function" else blanks
    extra = {"grader": "completion", "level": item.level, "fillers": list(item.fillers), "lines": list(item.lines)}
    return _build_candidate(
        parent,
        item,
        material=material,
        name=f"{item.level}-{item.id[:8]}",
        title_suffix=title_suffix,
        prompt=item.prompt,
        task="completion",
        extra=extra,
        tests=_build_tests(material),
    )


def bug_candidate(parent: SubjectView, item: BugItem, task: str, bug_id: str) -> Candidate:
    """Return a candidate that asks to correct (``modification``) or find (``review``) a proven bug."""
    keys = REVIEW_KEYS
    title_suffix = "correct the code" if task == "modification" else "review the code"
    prompt = item.modification_prompt if task == "modification" else item.review_prompt(keys)
    extra = {
        "grader": task,
        "bug": bug_id,
        "keys": list(keys),
        "issues": [_convert_issue(issue, item.code) for issue in item.issues],
        "accepted_labels": list(item.accepted_labels),
    }
    # Other labels make another item, because a released item must not change.
    labels = item.accepted_labels if task == "review" else ()
    name = stable_id(item.id, *labels) if labels else item.id
    return _build_candidate(
        parent,
        item,
        material=item.material,
        name=f"{task}-{name[:8]}",
        title_suffix=title_suffix,
        prompt=prompt,
        task=task,
        extra=extra,
        tests=_build_tests(item.material),
    )


def update_candidate(parent: SubjectView, item: UpdateItem) -> Candidate:
    """Return a candidate that asks to update code to another interface."""
    return _build_candidate(
        parent,
        item,
        material=item.material,
        name=f"update-{item.id[:8]}",
        title_suffix=f"bring {item.change.old} to {item.change.new}",
        prompt=item.prompt,
        task="modification",
        extra={"grader": "modification", "update": item.change.names()},
        tests=_build_tests(item.material),
    )


def plain_item(candidate: Candidate) -> dict[str, object]:
    """Return a candidate in the form of a release item, with the fields that grading reads."""
    row = asdict(candidate)
    return {**row, "id": candidate.key, "original_prompt": candidate.prompt, "criterion": ""}


def _build_candidate(
    parent: SubjectView, item: MadeItem, *, material: Material, name: str, title_suffix: str, prompt: str, task: str,
    extra: Mapping[str, Any], tests: tuple[CandidateTest, ...],
) -> Candidate:  # fmt: skip
    row = parent.row
    provenance = {name: value for name, value in parent.provenance.items() if name not in _OWN_PROVENANCE}
    libraries = {name: parent.extra[name] for name in ("libraries",) if parent.extra.get(name)}
    return Candidate(
        key=f"{MADE_KEY}{row.key.partition(':')[2] or row.key}/{name}",
        title=f"{row.title[:80]}: {title_suffix}",
        task=task,
        language=row.language,
        domain=row.domain,
        area=row.area,
        difficulty=item.difficulty,
        licence=parent.licence,
        prompt=prompt,
        reference=item.reference,
        context=item.code,
        entry_point=material.entry_point,
        provenance={**provenance, "made_from": row.key, "reference_hash": reference_hash(material)},
        extra={**libraries, **extra, "description": material.description},
        tests=tests,
    )


def _build_tests(material: Material) -> tuple[CandidateTest, ...]:
    return tuple(CandidateTest(name=test.name, code=test.code, language=material.language) for test in material.tests)


def _convert_issue(issue: Issue, code: str) -> dict[str, Any]:
    row = {
        "key": issue.key, "subtype": issue.kind, "by": issue.operator, "origin": issue.origin,
        "lines": list(issue.lines), "original": issue.original, "fixed": issue.fixed, "workload": issue.workload,
        "proof": proof_json(issue.proof),
    }  # fmt: skip
    # For a single bug, the program with that bug alone is the item's code, so it is not stored twice.
    return row if issue.alone == code else {**row, "alone": issue.alone}


# -- from items --------------------------------------------------------------------------------------------------


def engine_item(item: Item) -> MadeItem:
    """Convert a release item to its engine's item. Raises `ConstructionError` if fields are missing or invalid."""
    family = grader_of(item)
    try:
        if family == "understanding":
            return _parse_understanding(item)
        if family == "completion":
            return _parse_blank(item)
        if family == "modification" and "update" in item["extra"]:
            return _parse_update(item)
        if family in ("modification", "review"):
            return _parse_bug(item)
    except (KeyError, TypeError, ValueError, IndexError, BadInputError) as error:
        raise ConstructionError(f"{item.get('key')} is not a valid item made from code: {error}") from error
    raise ConstructionError(f"There is no grader {family}. Choose from: {', '.join(TASK_FAMILIES)}.")


def _parse_understanding(item: Item) -> UnderstandingItem:
    extra = item["extra"]
    call = extra["call"]
    if "value" in call:
        # Items imported from a published set have the value as a Python literal.
        call = {**_DEFAULTS_OF_WRITTEN_CALL, "arguments": [], "output": parse_value(call["value"])}
    return UnderstandingItem(
        id=str(item["id"]),
        key=str(item["key"]),
        direction=extra["direction"],
        code=text_of(item, "context"),
        entry_point=text_of(item, "entry_point"),
        arguments=tuple((str(name), form) for name, form in call["arguments"]),
        output=call["output"],
        steps=int(call["steps"]),
        mutates=bool(call["mutates"]),
        difficulty=item.get("difficulty") or "medium",
        mode=call["mode"],
        strip=bool(call["strip"]),
        language=sandbox_language(text_of(item, "language") or PYTHON),
        guessed=float(call.get("guessed", 0.0)),
        drawn=bool(call.get("drawn", False)),
    )


_DEFAULTS_OF_WRITTEN_CALL: Mapping[str, Any] = {"steps": 0, "mutates": False, "mode": "loose", "strip": False}


def _parse_blank(item: Item) -> BlankItem:
    extra = item["extra"]
    return BlankItem(
        id=str(item["id"]),
        level=extra["level"],
        material=_parse_material(item),
        code=text_of(item, "context"),
        fillers=tuple(extra["fillers"]),
        lines=tuple(extra["lines"]),
        difficulty=item.get("difficulty") or "medium",
    )


def _parse_bug(item: Item) -> BugItem:
    extra = item["extra"]
    code = text_of(item, "context")
    issues = tuple(
        Issue(
            kind=row["subtype"],
            operator=row["by"],
            origin=row["origin"],
            lines=(row["lines"][0], row["lines"][1]),
            original=row["original"],
            fixed=row["fixed"],
            proof=parse_proof(row["proof"]),
            alone=row.get("alone", code),
            workload=row["workload"],
        )
        for row in extra["issues"]
    )
    accepted = tuple(extra.get("accepted_labels", ()))
    return BugItem(
        id=str(item["id"]),
        material=_parse_material(item),
        code=code,
        issues=issues,
        difficulty=item.get("difficulty") or "medium",
        accepted_labels=accepted,
    )


def _parse_update(item: Item) -> UpdateItem:
    update = item["extra"]["update"]
    return UpdateItem(
        id=str(item["id"]),
        material=_parse_material(item),
        change=InterfaceChange(
            code=text_of(item, "context"),
            old=str(update["old"]),
            new=str(update["new"]),
            library=str(update["library"]),
            version=str(update["version"]),
        ),
        difficulty=item.get("difficulty") or "medium",
    )


def _parse_material(item: Item) -> Material:
    tests = tuple(TestCode(test["name"], test["code"]) for test in item["tests"] if test["code"])
    return Material(
        key=str(item["key"]),
        language=text_of(item, "language").lower(),
        code=text_of(item, "reference"),
        tests=tests,
        entry_point=text_of(item, "entry_point"),
        description=text_of(item, "description"),
    )
