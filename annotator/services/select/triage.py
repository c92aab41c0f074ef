"""Decide on the subjects of the queue (which `queue_lists` reads), label them, and save filters."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, replace
from types import MappingProxyType

from annotator.base.errors import BadInputError, UsageError
from annotator.base.messages import Message, mark_word, message_for_count
from annotator.model.changes import Changes
from annotator.model.rows.queue_rows import DecidedRow, DecisionResult, HeldRow, QueueFilter, SeenDecisions, SubjectRow
from annotator.model.rows.view_rows import HistoryRow, SubjectView
from annotator.model.vocabulary import Difficulty, Verdict
from annotator.services.select.queue_lists import accepted_subjects as accepted_subjects
from annotator.services.select.queue_lists import queue_facets as queue_facets
from annotator.services.select.queue_lists import queue_ids as queue_ids
from annotator.services.select.queue_lists import queue_page as queue_page
from annotator.services.select.queue_lists import queue_rows as queue_rows
from annotator.services.select.queue_lists import queue_start as queue_start
from annotator.services.select.queue_lists import queue_subjects as queue_subjects
from annotator.services.select.queue_lists import refuse_unknown_values as refuse_unknown_values
from annotator.services.select.queue_lists import subjects_at_rows as subjects_at_rows
from annotator.store.file import people
from annotator.store.file.project_file import ProjectFile
from annotator.store.file.writer import Session, driver_connection
from annotator.store.history import timeline, undo_log
from annotator.store.judging import rulings
from annotator.store.queue import bulk_acts, first_page, stored_leases, stored_subjects
from annotator.store.work import expert_work


class OthersWorkError(BadInputError):
    """Somebody else holds some of the candidates or has decided on them; nothing was decided.

    ``held_row`` and ``decided_row`` are the first ones, ``held_count`` and ``decided_count`` their numbers.
    """

    def __init__(
        self, held_row: HeldRow | None, held_count: int, decided_row: DecidedRow | None, decided_count: int
    ) -> None:
        self.held_row = held_row
        self.held_count = held_count
        self.decided_row = decided_row
        self.decided_count = decided_count
        super().__init__(_describe_others_work(held_row, held_count, decided_row, decided_count))


def _describe_others_work(
    held_row: HeldRow | None, held_count: int, decided_row: DecidedRow | None, decided_count: int
) -> str:
    if held_row is not None and held_count == 1 and decided_row is None:
        return f"{held_row.key} is held by {held_row.person} at this moment, so nothing was decided."
    if decided_row is not None and decided_count == 1 and held_row is None:
        return (
            f"{decided_row.key} has a decision by {decided_row.person} already ({decided_row.verdict}), "
            "so nothing was decided."
        )
    parts = [
        f"{count} {words}"
        for count, words in ((held_count, "held by others"), (decided_count, "decided by others already"))
        if count
    ]
    return f"Of these candidates {' and '.join(parts)}, so nothing was decided."


def refuse_others(store: ProjectFile, db: Session, seen_decisions: SeenDecisions | None) -> None:
    """Raise `OthersWorkError` if somebody else holds or has decided on one of the chosen candidates.

    On a server this covers all other people. With ``seen_decisions`` it also covers the decisions of another window or
    command that the caller has not seen; a command, which has not read a list, passes None.
    """
    me = store.annotator.id
    connection = db.connection()
    held_rows = stored_leases.find_held_by_others(db, me) if store.shared else ()
    count, decided_row = stored_leases.find_decided_by_others(db, me) if store.shared else (0, None)
    acts = store.acts_of_others.list_since(connection, seen_decisions.as_of) if seen_decisions is not None else ()
    if seen_decisions is not None and acts and decided_row is None:
        count, decided_row = stored_leases.find_decided_unseen(db, me, acts, seen_decisions.decision_ids)
    if held_rows or decided_row is not None:
        raise OthersWorkError(held_rows[0] if held_rows else None, len(held_rows), decided_row, count)


_FILTERS_SETTING = "saved_filters"


def load_subject(store: ProjectFile, id_or_key: str) -> SubjectView:
    """Return one subject with all details, without its responses to a rater of a blind study of it.

    Raises `BadInputError` if there is no such subject.
    """
    with store.read() as db:
        view = stored_subjects.load_subject_view(db, id_or_key)
        connection = driver_connection(db)
        study = rulings.find_blind_study(connection, store.annotator.id, [view.row.id]) if view.responses else ""
    return replace(view, responses=(), blind_study=study) if study else view


def load_subject_row(store: ProjectFile, id_or_key: str) -> SubjectRow:
    """Return one subject as a row of the list. Raises `BadInputError` if there is none."""
    with store.read() as db:
        return stored_subjects.as_row(stored_subjects.find_subject(db, id_or_key))


def load_subject_history(store: ProjectFile, id_or_key: str) -> tuple[HistoryRow, ...]:
    """Return every change to a subject, newest first."""
    with store.read() as db:
        return timeline.load_subject_history(db, id_or_key)


def decide_subjects(
    store: ProjectFile,
    subject_ids: Sequence[str],
    verdict: Verdict,
    reason: str = "",
    *,
    seen_decisions: SeenDecisions | None = None,
    anyway: bool = False,
) -> Changes:
    """Record a verdict on one or many subjects in one change that can be undone. Raises `BadInputError` for none.

    Unless ``anyway``, raises `OthersWorkError` if somebody else holds or has decided on one of them, or a decision is
    newer than ``seen_decisions``.
    """
    with store.write() as db:
        selected = stored_subjects.find_subjects(db, subject_ids)
        count = bulk_acts.choose_ids(db.connection(), {item.id for item in selected})
        if not anyway:
            refuse_others(store, db, seen_decisions)
        label = decision_label(verdict, count, selected[0].title if selected else "")
        return expert_work.decide_chosen(db, store.annotator.id, count, verdict, reason, label)


def reopen_decisions(
    store: ProjectFile,
    subject_ids: Sequence[str],
    reason: str,
    reasons: Mapping[str, str] = MappingProxyType({}),
    *,
    anyway: bool = False,
) -> Changes:
    """Reopen decided subjects in one change that can be undone.

    ``reasons`` has the reasons of some subjects by id; ``reason`` is for the others. Raises `BadInputError` for no
    subject, and `OthersWorkError` as `decide_subjects` does.
    """
    with store.write() as db:
        selected = {item.id: item for item in stored_subjects.find_subjects(db, subject_ids)}
        bulk_acts.choose_ids(db.connection(), selected)
        if not selected:
            raise BadInputError("No subject was chosen, so nothing was decided.")
        if not anyway:
            refuse_others(store, db, None)
        title = next(iter(selected.values())).title
        label = message_for_count("Reopen {title}", "Reopen {count} subjects", len(selected), title=title)
        reasons_by_id = {subject: reasons.get(subject, reason) for subject in selected}
        return expert_work.reopen_subjects(db, store.annotator.id, reasons_by_id, label)


def decide_queue_rows(
    store: ProjectFile,
    rows: Sequence[int],
    verdict: Verdict,
    reason: str = "",
    *,
    seen_decisions: SeenDecisions | None = None,
    anyway: bool = False,
) -> tuple[DecisionResult, Changes]:
    """Record a verdict on the subjects at any number of queue rows in one change, as `decide_subjects` does.

    Also returns the number of subjects and which verdicts were replaced.
    """
    with store.write() as db:
        previous = bulk_acts.count_verdicts(db.connection(), rows)
        count, title = stored_subjects.choose_subjects(db, rows)
        if not anyway:
            refuse_others(store, db, seen_decisions)
        label = decision_label(verdict, count, title)
        changes = expert_work.decide_chosen(db, store.annotator.id, count, verdict, reason, label)
    return _count_other_verdicts(count, previous, verdict), changes


def count_overwritten(store: ProjectFile, rows: Sequence[int], verdict: Verdict) -> DecisionResult:
    """Return the work that `decide_queue_rows` would overwrite, without writing."""
    with store.read() as db:
        previous = bulk_acts.count_verdicts(db.connection(), rows)
    return _count_other_verdicts(len(rows), previous, verdict)


def _count_other_verdicts(count: int, previous: dict[str, int], verdict: Verdict) -> DecisionResult:
    """Count the previous verdicts that differ, ignoring entries that only record an undone decision."""
    differing = {
        name: subject_count
        for name, subject_count in sorted(previous.items())
        if name in tuple(Verdict) and name != verdict
    }
    return DecisionResult(count, differing)


def label_rows(store: ProjectFile, rows: Sequence[int], name: str, value: str) -> Changes:
    """Set a label of the subjects at some rows: difficulty, question_type, domain, area or licence.

    One change that can be undone; an empty value means unknown. Raises `UsageError` for another label and
    `BadInputError` for no subject or an unknown difficulty.
    """
    if name not in undo_log.LABELS:
        raise UsageError(f"There is no label {name}; there are: {', '.join(undo_log.LABELS)}.")
    value = value.strip()
    if name == "difficulty" and value and value not in tuple(Difficulty):
        raise BadInputError(f"{value} is not a difficulty; there are: {', '.join(Difficulty)}.")
    with store.write() as db:
        count, title = stored_subjects.choose_subjects(db, rows)
        if not count:
            raise BadInputError("No subject was chosen, so nothing was changed.")
        subject = title or Message("{count} subjects", count=count)
        words = mark_word(value or f"no {name.replace('_', ' ')}")
        act = Message("Label {title} as {words}", title=subject, words=words)
        return expert_work.label_chosen(db, store.annotator.id, count, name, value, act)


def queue_row_of(store: ProjectFile, id_or_key: str) -> int:
    """Return a subject's row in the queue. Raises `BadInputError` if there is none."""
    with store.read() as db:
        return stored_subjects.find_subject(db, id_or_key).row or 0


def queue_rows_of(store: ProjectFile, subject_ids: Collection[str]) -> frozenset[int]:
    """Return the queue rows of some subjects, without those that are no longer in the project."""
    with store.read() as db:
        return frozenset(bulk_acts.rows_of(db.connection(), subject_ids))


def load_saved_filters(store: ProjectFile) -> dict[str, QueueFilter]:
    """Return the project's saved filters by name, without unreadable ones."""
    with store.reader() as connection:
        return _read_filters(first_page.read_project_setting(connection, _FILTERS_SETTING))


def _read_filters(stored_json: object) -> dict[str, QueueFilter]:
    filters = {}
    try:
        rows = json.loads(stored_json) if isinstance(stored_json, str) else {}
        for name, row in sorted(rows.items()):
            values = {key: tuple(value) if isinstance(value, list) else str(value) for key, value in row.items()}
            filters[str(name)] = QueueFilter(**values)  # type: ignore[arg-type]  # odd fields raise TypeError
    except (ValueError, TypeError, AttributeError):
        return filters
    return filters


def save_filter(store: ProjectFile, name: str, queue_filter: QueueFilter | None) -> Changes:
    """Save a filter under a name, or delete it if the filter is None. Raises `BadInputError` for an empty name."""
    if not name.strip():
        raise BadInputError("A saved filter needs a name.")
    with store.write() as db:
        filters = _read_filters(people.read_setting(db, _FILTERS_SETTING))
        if queue_filter is None:
            filters.pop(name.strip(), None)
        else:
            filters[name.strip()] = queue_filter
        people.set_setting(db, _FILTERS_SETTING, json.dumps({key: asdict(item) for key, item in filters.items()}))
    return Changes(frozenset({"filter"}))


def decision_label(verdict: Verdict, count: int, title: str) -> Message:
    """Return the undo label of a decision. Raises `BadInputError` for no subject."""
    if not count:
        raise BadInputError("No subject was chosen, so nothing was decided.")
    match verdict:
        case Verdict.ACCEPT:
            return message_for_count("Accept {title}", "Accept {count} subjects", count, title=title)
        case Verdict.REJECT:
            return message_for_count("Reject {title}", "Reject {count} subjects", count, title=title)
        case Verdict.SKIP:
            return message_for_count("Skip {title}", "Skip {count} subjects", count, title=title)
        case Verdict.FLAG:
            return message_for_count("Flag {title}", "Flag {count} subjects", count, title=title)
