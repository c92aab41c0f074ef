"""Undo, redo and list changes; the history is kept across restarts and separate for each annotator.

Acts are undone newest first by the time they began, so a job's act comes after acts made while it ran.
"""

from __future__ import annotations

from annotator.base.messages import Message, message_for_count
from annotator.base.records import record_from
from annotator.model.changes import Changes
from annotator.model.rows.history_rows import Effect, HistoryPage, Steps
from annotator.model.rows.view_rows import ChangeRow
from annotator.model.tables.project_tables import Change
from annotator.model.vocabulary import ChangeKind
from annotator.store.file.project_file import ProjectFile
from annotator.store.file.writer import Session
from annotator.store.history import undo_log as log
from annotator.store.history.undo_log import label_of

_MAX_EFFECTS = 200
_MAX_STEPS = 10_000


def undo_last_act(store: ProjectFile) -> Changes | None:
    """Undo the annotator's last act; None if there is nothing to undo."""
    return _apply_next(store, ChangeKind.UNDO)


def redo_last_act(store: ProjectFile) -> Changes | None:
    """Redo the act that was undone last; None if there is none."""
    return _apply_next(store, ChangeKind.REDO)


def _apply_next(store: ProjectFile, kind: ChangeKind) -> Changes | None:
    with store.write() as db:
        change = _find_next_act(db, store, kind)
        return log.apply_change(db, change, kind) if change else None


def _find_next_act(db: Session, store: ProjectFile, kind: ChangeKind) -> Change | None:
    if kind == ChangeKind.UNDO:
        return log.find_last_begun(db, store.annotator.id, store.job_acts.positions)
    return log.find_next_act(db, store.annotator.id, kind)


def undo_label(store: ProjectFile) -> str | None:
    """Return the label of the act that undo would take back, None if there is none."""
    return _find_next_label(store, ChangeKind.UNDO)


def redo_label(store: ProjectFile) -> str | None:
    """Return the label of the act that redo would apply again, None if there is none."""
    return _find_next_label(store, ChangeKind.REDO)


def _find_next_label(store: ProjectFile, kind: ChangeKind) -> str | None:
    with store.read() as db:
        change = _find_next_act(db, store, kind)
        return label_of(change) if change else None


def load_acts(store: ProjectFile, text: str = "", limit: int = 200, before: int | None = None) -> HistoryPage:
    """Return a page of all annotators' acts with the number of affected subjects, newest first.

    Every word of ``text`` must be in an act's label, its person's name or its date. ``before`` is the cursor that the
    previous page returned.
    """
    with store.read() as db:
        rows, total = log.load_history_page(db, store.annotator.id, text, limit, before)
    return HistoryPage(tuple(rows), rows[-1].seq if len(rows) == limit else None, total)


def preview_move_to_act(store: ProjectFile, act_id: str, *, before: bool = False) -> Steps:
    """Return the acts that `move_to_act` would undo or redo to reach the moment after an act (or ``before`` it).

    Only the annotator's own acts are affected. The effects are exact: the steps are applied and rolled back. Raises
    `BadInputError` for an act that is not in the history.
    """
    with store.write() as db:
        steps = _take_steps(db, store, act_id, before)[0]
        db.rollback()
    return steps


def move_to_act(store: ProjectFile, act_id: str, *, before: bool = False) -> tuple[Steps, Changes]:
    """Undo or redo the annotator's own acts up to an act, in one transaction.

    Raises `BadInputError` for an act that is not in the history.
    """
    with store.write() as db:
        steps, nouns = _take_steps(db, store, act_id, before)
    count = len(steps.acts)
    if steps.way == ChangeKind.UNDO:
        label = message_for_count("Undo {count} act", "Undo {count} acts", count)
    elif steps.way:
        label = message_for_count("Redo {count} act", "Redo {count} acts", count)
    else:
        label = Message("Nothing to change")
    return steps, Changes(frozenset(nouns), label=label, change_id=steps.acts[-1].id if steps.acts else None)


def _take_steps(db: Session, store: ProjectFile, act_id: str, before: bool) -> tuple[Steps, set[str]]:
    """Undo or redo up to an act inside the write transaction; returns the steps and the changed nouns."""
    target = log.find_act(db, act_id)
    place = target.seq or 0
    me = store.annotator.id
    limit = place - 1 if before else place
    # Undone acts are always the newest of a person's own acts, so only one of the two directions reaches an act.
    undone = log.find_next_act(db, me, ChangeKind.REDO)
    is_back = undone is not None and (undone.seq or 0) <= limit
    kind = ChangeKind.REDO if is_back else ChangeKind.UNDO
    steps: list[ChangeRow] = []
    nouns: set[str] = set()
    touched: dict[str, tuple[str, str, dict[str, str]]] = {}
    while len(steps) < _MAX_STEPS:
        change = log.find_next_act(db, me, kind)
        if change is None:
            break
        position = change.seq or 0
        if position > limit if is_back else position <= limit:
            break
        for subject_id, facts in log.load_act_facts(db.connection(), change.id).items():
            touched.setdefault(subject_id, facts)
        changes = log.apply_change(db, change, kind)
        nouns |= changes.nouns
        steps.append(
            record_from(
                ChangeRow,
                change,
                label=label_of(change),
                annotator=store.annotator.name,
            )
        )
    effects, omitted_count = _list_effects(db, touched)
    return Steps(str(kind) if steps else "", tuple(steps), effects, omitted_count), nouns


def _list_effects(db: Session, touched: dict[str, tuple[str, str, dict[str, str]]]) -> tuple[tuple[Effect, ...], int]:
    effects: list[Effect] = []
    omitted_count = 0
    facts_now = log.load_subject_facts(db.connection(), list(touched))
    for subject_id, (key, title, before) in touched.items():
        after = facts_now[subject_id][2]
        changed = [
            Effect(subject_id=subject_id, key=key, title=title, field=name, before=before[name], after=after[name])
            for name in before
            if before[name] != after[name]
        ]
        if len(effects) + len(changed) > _MAX_EFFECTS:
            omitted_count += bool(changed)
            continue
        effects.extend(changed)
    return tuple(effects), omitted_count
