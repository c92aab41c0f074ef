"""Restore an earlier state: compare it with the current state, and write it as new rows."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Sequence

from sqlmodel import Session

from annotator.base.ids import content_hash
from annotator.model.changes import Changes
from annotator.model.rows.history_rows import Effect, Restoring
from annotator.model.tables.judging_tables import Revision
from annotator.model.tables.work_tables import Criterion, Decision, Label, Prompt, QuotaPlan
from annotator.store.history import past, undo_log
from annotator.store.work import artefacts

ACTIVE, VERDICT, PROMPT, CRITERION = "in the project", "verdict", "paraphrase", "criterion"

_STATE_QUERY = (
    f"SELECT s.active, coalesce(s.verdict, '{undo_log.OPEN}'), "
    "coalesce((SELECT p.text FROM {0}.prompt p WHERE p.id = s.prompt_id), ''), "
    "coalesce((SELECT c.source FROM {0}.criterion c WHERE c.id = s.criterion_id), ''), "
    + ", ".join(f"s.{name}" for name in undo_log.LABELS)
    + ", coalesce((SELECT r.content FROM {1}.revision r WHERE r.subject_id = s.id AND r.active = 1 AND "
    "r.artefact = 'solution' ORDER BY r.created_at DESC, r.id DESC), (SELECT t.reference FROM main.subjecttext t "
    "WHERE t.subject_id = s.id), ''), coalesce((SELECT r.content FROM {1}.revision r WHERE r.subject_id = s.id "
    "AND r.active = 1 AND r.artefact = 'tests' ORDER BY r.created_at DESC, r.id DESC), '') FROM {2}.subject s "
    "WHERE s.id = ?"
)
_FIELD_NAMES = (ACTIVE, VERDICT, PROMPT, CRITERION, *undo_log.LABELS, artefacts.SOLUTION, artefacts.TESTS)


def find_effects(connection: sqlite3.Connection, subject_ids: Collection[str] | None) -> list[Effect]:
    """Return the differences between now (``before``) and then (``after``), on a connection of a `past.PastFile`."""
    differences: list[Effect] = []
    for subject_id, key, title in past.find_changed_subjects(connection):
        if subject_ids is not None and subject_id not in subject_ids:
            continue
        now = load_subject_state(connection, subject_id, "main")
        then = load_subject_state(connection, subject_id, "past")
        for name, before, after in zip(_FIELD_NAMES, now, then, strict=True):
            if before != after:
                differences.append(
                    Effect(subject_id=subject_id, key=key, title=title, field=name, before=before, after=after)
                )
    return differences


def load_subject_state(connection: sqlite3.Connection, subject_id: str, when: str) -> tuple[str, ...]:
    """Return a subject's fields as texts; ``when`` is "main" (now) or "past". All are empty if it did not exist."""
    schemas = ("main", "main", "main") if when == "main" else ("main", "temp", "past")
    record = connection.execute(_STATE_QUERY.format(*schemas), (subject_id,)).fetchone()
    if record is None:
        return ("no", *("" for _ in _FIELD_NAMES[1:]))
    tests = record[-1] or _original_tests(connection, subject_id)
    return ("yes" if record[0] else "no", *(str(value) for value in record[1:-1]), tests)


def _original_tests(connection: sqlite3.Connection, subject_id: str) -> str:
    names = artefacts.TEST_FIELDS
    cursor = connection.execute(
        f"SELECT {', '.join(names)} FROM main.testcase WHERE subject_id = ? ORDER BY position", (subject_id,)
    )
    rows = [{**dict(zip(names, record, strict=True)), "inputs": json.loads(record[3])} for record in cursor]
    return json.dumps(rows, ensure_ascii=False, indent=2)


def plan_restoring(connection: sqlite3.Connection, moment: str, subject_ids: Collection[str] | None) -> Restoring:
    """Return the changes that restoring would make to some subjects (None: to all), with notes on its limits."""
    differences = find_effects(connection, subject_ids)
    notes = []
    in_project = [effect for effect in differences if effect.field == ACTIVE]
    if in_project:
        names = ", ".join(effect.title for effect in in_project[:3])
        notes.append(
            f"Imports stay as they are ({len(in_project)} subjects, such as {names}); undo or redo the import itself."
        )
    added_since = past.count_later_subjects(connection) if subject_ids is None else 0
    if added_since:
        notes.append(f"{added_since} subjects that were imported since stay in the project.")
    left_out = {effect.subject_id for effect in in_project}
    return Restoring(moment, tuple(effect for effect in differences if effect.subject_id not in left_out), tuple(notes))


def load_earlier_quotas(connection: sqlite3.Connection) -> list[object] | None:
    """Return the earlier quotas if they differ from the current ones, else None."""
    then, now = (_quotas(connection, schema) for schema in ("temp", "main"))
    return then if then != now else None


def _quotas(connection: sqlite3.Connection, schema: str) -> list[object]:
    record = connection.execute(
        f"SELECT quotas FROM {schema}.quotaplan WHERE active = 1 ORDER BY created_at DESC, id DESC LIMIT 1"
    ).fetchone()
    return list(json.loads(record[0])) if record else []


def write_restoring(
    db: Session, annotator_id: str, effects: Sequence[Effect], label: str, quotas: Sequence[object] | None = None
) -> Changes:
    """Write the earlier state as new rows of one act, which can be undone like any other."""
    rows = [_build_row(effect) for effect in effects]
    nouns = sorted({type(row).__name__.lower() for row in rows} | ({"quota"} if quotas is not None else set()))
    change = undo_log.record_change(db, annotator_id, label, nouns)
    undo_log.write_work(db, change, *rows, *([QuotaPlan(quotas=list(quotas))] if quotas is not None else []))
    subjects = list(dict.fromkeys(effect.subject_id for effect in effects))
    undo_log.refresh_subjects(db.connection(), subjects)
    return Changes(frozenset({*nouns, "subject"}), frozenset(subjects), label, change.id)


def _build_row(effect: Effect) -> Decision | Prompt | Criterion | Revision | Label:
    """Return the row that gives a field its earlier value."""
    subject = effect.subject_id
    note = "restored"
    if effect.field == VERDICT:
        return Decision(subject_id=subject, verdict=effect.after, reason=note)
    if effect.field == PROMPT:
        return Prompt(subject_id=subject, text=effect.after, note=note)
    if effect.field == CRITERION:
        return Criterion(subject_id=subject, source=effect.after, content_hash=content_hash(effect.after), note=note)
    if effect.field in artefacts.ARTEFACTS:
        digest = artefacts.artefact_digest(effect.field, effect.after)
        return Revision(subject_id=subject, artefact=effect.field, content=effect.after, content_hash=digest, note=note)
    return Label(subject_id=subject, name=effect.field, value=effect.after, before=effect.before)
