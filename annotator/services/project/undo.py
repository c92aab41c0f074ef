"""Undo and redo: durable, per annotator, across items, bulk acts and restarts; and the history they work on.

Acts are taken back in the order in which they were begun: what a job did comes after what was done while it ran.
"""

from __future__ import annotations

from annotator.base.messages import Message, message_for_count
from annotator.model.changes import Changes
from annotator.model.rows.history import Effect, HistoryPage, Steps
from annotator.model.rows.views import ChangeRow
from annotator.model.tables.project import Change
from annotator.model.vocabulary import ChangeKind
from annotator.store.file.project_file import ProjectFile
from annotator.store.file.writer import Session
from annotator.store.history import undo_log as log
from annotator.store.history.undo_log import label_of

_EFFECTS = 200
_MOST_STEPS = 10_000


def undo(store: ProjectFile) -> Changes | None:
    """Take the annotator's last act back; None if there is nothing to undo."""
    return _apply_next(store, ChangeKind.UNDO)


def redo(store: ProjectFile) -> Changes | None:
    """Do the act again that was undone last; None if there is none."""
    return _apply_next(store, ChangeKind.REDO)


def _apply_next(store: ProjectFile, kind: ChangeKind) -> Changes | None:
    with store.write() as db:
        change = _next_act(db, store, kind)
        return log.apply(db, change, kind) if change else None


def _next_act(db: Session, store: ProjectFile, kind: ChangeKind) -> Change | None:
    if kind == ChangeKind.UNDO:
        return log.last_begun(db, store.annotator.id, store.job_acts.places)
    return log.next_act(db, store.annotator.id, kind)


def undo_label(store: ProjectFile) -> str | None:
    """Say what undo would take back."""
    return _next_label(store, ChangeKind.UNDO)


def redo_label(store: ProjectFile) -> str | None:
    """Say what redo would do again."""
    return _next_label(store, ChangeKind.REDO)


def _next_label(store: ProjectFile, kind: ChangeKind) -> str | None:
    with store.read() as db:
        change = _next_act(db, store, kind)
        return label_of(change) if change else None


def acts(store: ProjectFile, text: str = "", limit: int = 200, before: int | None = None) -> HistoryPage:
    """Return acts of all annotators with how many items they concerned, newest first.

    Every word of ``text`` must be in an act's label, its person's name or its date. ``before`` is the place a page
    named for the next one.
    """
    with store.read() as db:
        rows, total = log.page(db, store.annotator.id, text, limit, before)
    return HistoryPage(tuple(rows), rows[-1].seq if len(rows) == limit else None, total)


def preview(store: ProjectFile, act_id: str, *, before: bool = False) -> Steps:
    """Return what going to the moment after an act (or ``before`` it) would undo or do again, without doing it.

    Only the annotator's own acts move. What changes is exact: the steps are taken, looked at, and rolled back.
    Raises `BadInputError` for an act that is not in the history.
    """
    with store.write() as db:
        steps = _walk(db, store, act_id, before)[0]
        db.rollback()
    return steps


def go_to(store: ProjectFile, act_id: str, *, before: bool = False) -> tuple[Steps, Changes]:
    """Undo or redo the annotator's own acts up to a point, all of it or nothing.

    Raises `BadInputError` for an act that is not in the history.
    """
    with store.write() as db:
        steps, nouns = _walk(db, store, act_id, before)
    count = len(steps.acts)
    if steps.way == ChangeKind.UNDO:
        label = message_for_count("Undo {count} act", "Undo {count} acts", count)
    elif steps.way:
        label = message_for_count("Redo {count} act", "Redo {count} acts", count)
    else:
        label = Message("Nothing to change")
    return steps, Changes(frozenset(nouns), label=label, change_id=steps.acts[-1].id if steps.acts else None)


def _walk(db: Session, store: ProjectFile, act_id: str, before: bool) -> tuple[Steps, set[str]]:
    """Take the steps to a point inside the writing session."""
    target = log.find(db, act_id)
    place, me = target.seq or 0, store.annotator.id
    limit = place - 1 if before else place
    # What was undone is always the end of a person's own line, so only one of the two ways can lead to a point.
    undone = log.next_act(db, me, ChangeKind.REDO)
    is_back = undone is not None and (undone.seq or 0) <= limit
    kind = ChangeKind.REDO if is_back else ChangeKind.UNDO
    taken: list[ChangeRow] = []
    nouns: set[str] = set()
    touched: dict[str, tuple[str, str, dict[str, str]]] = {}
    while len(taken) < _MOST_STEPS:
        change = log.next_act(db, me, kind)
        if change is None or ((change.seq or 0) > limit if is_back else (change.seq or 0) <= limit):
            break
        for subject_id, facts in log.facts_of(db.connection(), change.id).items():
            touched.setdefault(subject_id, facts)
        done = log.apply(db, change, kind)
        nouns |= done.nouns
        taken.append(
            ChangeRow(
                id=change.id,
                label=label_of(change),
                kind=change.kind,
                state=change.state,
                annotator=store.annotator.name,
                created_at=change.created_at,
            )
        )
    effects, more = _effects(db, touched)
    return Steps(str(kind) if taken else "", tuple(taken), effects, more), nouns


def _effects(db: Session, touched: dict[str, tuple[str, str, dict[str, str]]]) -> tuple[tuple[Effect, ...], int]:
    shown: list[Effect] = []
    more = 0
    now = log.facts_of_subjects(db.connection(), list(touched))
    for subject_id, (key, title, before) in touched.items():
        after = now[subject_id][2]
        found = [
            Effect(subject_id=subject_id, key=key, title=title, field=name, before=before[name], after=after[name])
            for name in before
            if before[name] != after[name]
        ]
        if len(shown) + len(found) > _EFFECTS:
            more += bool(found)
            continue
        shown.extend(found)
    return tuple(shown), more
