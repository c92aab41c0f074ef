"""List and export the items made from code, and find those that no longer fit their subject."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from annotator.base.errors import BadInputError
from annotator.construction import canonical
from annotator.construction.bugs.bug_items import BugItem
from annotator.construction.languages.language_values import form_json
from annotator.construction.task_material import PYTHON, ConstructionError
from annotator.evaluation.released_items import asked_prompt, item_of
from annotator.formats.write.export_folder import write_file
from annotator.model.rows.bug_rows import BugReviewRow
from annotator.model.rows.queue_rows import QueueFilter, SubjectRow
from annotator.model.rows.task_rows import TASK_FAMILIES, TaskRow, TaskView, is_made
from annotator.model.rows.view_rows import SubjectView
from annotator.services.bugs import implanted_bugs
from annotator.services.bugs.material import bug_material, reference_hash, sandbox_language
from annotator.services.select.triage import queue_subjects
from annotator.services.tasks.items import engine_item
from annotator.store.file.project_file import ProjectFile
from annotator.store.queue import stored_subjects
from annotator.store.work import stored_bugs as stored


def list_task_items(
    store: ProjectFile, families: Sequence[str] = (), verdicts: Sequence[str] = (), parent: str | None = None
) -> tuple[TaskRow, ...]:
    """Return the made items in the order of their creation.

    ``verdicts`` may contain verdicts and ``open``; ``parent`` is the id or key of the subject they were made from.
    Raises `BadInputError` for an unknown family or subject.
    """
    for family in families:
        if family not in TASK_FAMILIES:
            raise BadInputError(f"There is no family {family}. Choose from: {', '.join(TASK_FAMILIES)}.")
    queue_filter = QueueFilter(tasks=tuple(families or TASK_FAMILIES), verdicts=tuple(verdicts))
    rows = [row for row in queue_subjects(store, queue_filter) if is_made(row.key)]
    if parent is not None:
        with store.read() as db:
            key = stored_subjects.find_subject(db, parent).key
            rows = [
                row for row in rows if stored_subjects.load_subject_view(db, row.id).provenance.get("made_from") == key
            ]
    stale_reasons = find_stale_items(store)
    return tuple(_build_task_row(row, fits=row.id not in stale_reasons) for row in rows)


def _build_task_row(row: SubjectRow, *, fits: bool) -> TaskRow:
    title, _, what = row.title.rpartition(": ")
    return TaskRow(
        id=row.id,
        key=row.key,
        title=title,
        task=row.task,
        what=what,
        language=row.language,
        difficulty=row.difficulty,
        verdict=row.verdict,
        proven=row.proven,
        fits=fits,
    )


def load_task_item(store: ProjectFile, id_or_key: str) -> TaskView:
    """Return one made item with all its fields. Raises `BadInputError` for an unknown id or key."""
    with store.read() as db:
        view = stored_subjects.load_subject_view(db, id_or_key)
    if not is_made(view.row.key):
        raise BadInputError(f"{view.row.key} was not made from code.")
    row = _build_task_row(view.row, fits=view.row.id not in find_stale_items(store))
    parent = str(view.provenance.get("made_from") or "")
    return TaskView(
        row=row,
        prompt=asked_prompt(view),
        code=view.context,
        reference=view.reference,
        parent=parent,
        facts=tuple(_list_facts(view)),
    )


def export_task_items(
    store: ProjectFile, path: Path, families: Sequence[str] = (), verdicts: Sequence[str] = ("accept",)
) -> int:
    """Write the made items with some verdicts as JSON Lines; return their number.

    Items that no longer fit their subject are never written. Raises `BadInputError` if there are none, and
    `MissingEnvironmentError` if the file cannot be written.
    """
    rows = [row for row in list_task_items(store, families, verdicts) if row.fits]
    if not rows:
        condition = f"has the verdict {' or '.join(verdicts)}" if verdicts else "exists"
        raise BadInputError(
            f"No made item {condition}, so there is nothing to export. Items without a decision have the verdict open."
        )
    lines = []
    for row in rows:
        with store.read() as db:
            view = stored_subjects.load_subject_view(db, row.id)
        release_item = item_of(view)
        record = {
            **_convert_to_json(release_item),
            "prompt": release_item["prompt"],
            "subject": row.id,
            "made_from": view.provenance["made_from"],
        }
        lines.append(json.dumps(record, ensure_ascii=False) + "\n")
    write_file(path, "".join(lines))
    return len(rows)


def _convert_to_json(release_item: dict[str, Any]) -> dict[str, Any]:
    made_item = engine_item(release_item)
    if isinstance(made_item, BugItem):
        if release_item["extra"]["grader"] == "modification":
            return made_item.as_modification()
        return made_item.as_review(tuple(release_item["extra"]["keys"]))
    return made_item.as_json()


def _list_facts(view: SubjectView) -> list[tuple[str, str]]:
    """Return (label, text) pairs that describe an item: its call, blanks, bugs and number of tests."""
    extra = view.extra
    facts = [("made from", str(view.provenance.get("made_from") or "")), ("difficulty", view.row.difficulty)]
    call = extra.get("call")
    if isinstance(call, dict):
        # Python values are shown as Python literals, values of other languages as JSON.
        show = canonical.form_text if sandbox_language(view.row.language) == PYTHON else form_json
        values = ", ".join(f"{name} = {show(form)}" for name, form in call["arguments"])
        facts += [("call", values), ("output", show(call["output"]))]
        facts += [("steps", str(call["steps"]))] if call["steps"] else []
        if call["mutates"]:
            facts.append(("note", "the call changes its arguments"))
    for number, filler in enumerate(extra.get("fillers") or (), start=1):
        facts.append((f"blank {number}", str(filler)))
    for issue in extra.get("issues") or ():
        facts.append((_describe_lines(issue), f"{issue['subtype']} by {issue['by']}"))
    tests = sum(1 for test in view.tests if test.code.strip())
    return [*facts, ("tests", str(tests))] if tests else facts


def _describe_lines(issue: dict[str, Any]) -> str:
    first, last = issue["lines"]
    return f"line {first}" if first == last else f"lines {first} to {last}"


def find_stale_items(store: ProjectFile) -> dict[str, str]:
    """Return the reasons why made items no longer fit, by item id.

    The subject's code or tests have changed, the bug is no longer accepted, or its reviewers accept other labels now.
    """
    made_rows = [row for row in queue_subjects(store, QueueFilter(tasks=TASK_FAMILIES)) if is_made(row.key)]
    if not made_rows:
        return {}
    accepted = {row.id for row in implanted_bugs.find_bugs(store, ("accepted",))}
    hashes: dict[str, str] = {}
    reasons = {}
    with store.read() as db:
        reviews = stored.fetch_bug_reviews(db)
        for row in made_rows:
            provenance, extra = stored_subjects.load_origin(db, row.id)
            bug = str(extra.get("bug") or "")
            parent = str(provenance.get("made_from") or "")
            if parent not in hashes:
                hashes[parent] = _hash_current_reference(db, parent)
            if hashes[parent] != provenance.get("reference_hash"):
                reasons[row.id] = "its subject has changed"
            elif bug and bug not in accepted:
                reasons[row.id] = "its bug is not accepted any more"
            elif bug and row.task == "review" and _has_other_labels(reviews.get(bug, ()), extra):
                reasons[row.id] = "other labels are accepted now"
    return reasons


def _has_other_labels(reviews: Sequence[BugReviewRow], extra: dict[str, Any]) -> bool:
    own_labels = {str(issue["key"]) for issue in extra.get("issues") or ()}
    return implanted_bugs.accepted_labels(reviews) - own_labels != set(map(str, extra.get("accepted_labels") or ()))


def _hash_current_reference(db: Any, key: str) -> str:
    try:
        return reference_hash(bug_material(stored_subjects.load_subject_view(db, key)))
    except (BadInputError, ConstructionError):
        return ""
