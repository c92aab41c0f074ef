"""Triage: the queue and the decisions on it."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, replace
from types import MappingProxyType

from annotator.base.errors import BadInputError, UsageError
from annotator.base.messages import Message, mark_word, message_for_count
from annotator.model.changes import Changes
from annotator.model.rows.queue import Decided, Facets, QueueFilter, QueuePage, QueueRows, SeenDecisions, SubjectRow
from annotator.model.rows.views import HistoryRow, SubjectView
from annotator.model.vocabulary import Difficulty, Verdict
from annotator.services.select.others import refuse_others
from annotator.store.file import people
from annotator.store.file.project_file import ProjectFile
from annotator.store.history import timeline, undo_log
from annotator.store.queue import bulk_acts, first_page, subjects
from annotator.store.work import expert_work

_FILTERS_SETTING = "saved_filters"


def queue_page(store: ProjectFile, wanted: QueueFilter, after: int | None = None, limit: int = 200) -> QueuePage:
    """Return a page of the queue; ``after`` is the last row of the page before."""
    wanted = _resolved(store, wanted)
    with store.reader() as connection:
        if not wanted.sort:
            return first_page.page(connection, wanted, after, limit)
        found = first_page.ids(connection, wanted)
        start = found.index(after) + 1 if after in found else 0
        unsearched = first_page.unsearchable(connection) if wanted.text.strip() else 0
        shown = first_page.rows_at(connection, found[start : start + limit])
        return QueuePage(shown, len(found), unsearched=unsearched)


def queue_ids(store: ProjectFile, wanted: QueueFilter) -> Sequence[int]:
    """Return the rows of all subjects a filter lets through, in queue order."""
    with store.reader() as connection:
        return first_page.ids(connection, _resolved(store, wanted))


def queue_subjects(store: ProjectFile, wanted: QueueFilter) -> tuple[SubjectRow, ...]:
    """Return all subjects a filter lets through, in queue order."""
    return rows_at(store, queue_ids(store, wanted))


def accepted_subjects(store: ProjectFile) -> tuple[SubjectRow, ...]:
    """Return all accepted subjects, in queue order."""
    return queue_subjects(store, QueueFilter(verdicts=("accept",)))


def queue_rows(store: ProjectFile, wanted: QueueFilter) -> QueueRows:
    """Return the rows of the subjects a window shows for a filter; of a search that finds too many, the first."""
    wanted = _resolved(store, wanted)
    with store.reader() as connection:
        as_of = first_page.newest_act(connection)
        return replace(first_page.found(connection, wanted), as_of=as_of)


def queue_start(store: ProjectFile, wanted: QueueFilter) -> QueueRows | None:
    """Return the first rows of a list that is long to read, for a window to show meanwhile; None if it is not long."""
    wanted = _resolved(store, wanted)
    with store.reader() as connection:
        as_of = first_page.newest_act(connection)
        found = first_page.start(connection, wanted)
        return None if found is None else replace(found, as_of=as_of)


def _resolved(store: ProjectFile, wanted: QueueFilter) -> QueueFilter:
    """Return a filter in which whoever works now stands for "me"."""
    if "me" not in wanted.holders:
        return wanted
    return replace(wanted, holders=tuple(store.annotator.id if who == "me" else who for who in wanted.holders))


def rows_at(store: ProjectFile, rows: Sequence[int]) -> tuple[SubjectRow, ...]:
    """Return the subjects at some rows, for a list that fetches what it shows."""
    with store.reader() as connection:
        return first_page.rows_at(connection, rows)


def facets(store: ProjectFile, wanted: QueueFilter) -> Facets:
    """Count the values of each filter among what the other filters let through."""
    with store.reader() as connection:
        return first_page.facets(connection, _resolved(store, wanted))


def refuse_unknown_values(store: ProjectFile, wanted: QueueFilter) -> None:
    """Raise `BadInputError` for a language, task or other value of a filter that no subject of the project has."""
    counts = facets(store, QueueFilter()).counts
    asked = {
        "language": wanted.languages,
        "task": wanted.tasks,
        "domain": wanted.domains,
        "area": wanted.areas,
        "difficulty": wanted.difficulties,
    }
    for name, values in asked.items():
        there = [value for value, _ in counts.get(name, ())]
        unknown = [value for value in values if value not in there]
        if unknown:
            listed = f"There is: {', '.join(filter(None, there))}." if any(there) else f"None has a {name}."
            raise BadInputError(f"No subject of this project has the {name} {unknown[0]}. {listed}")


def subject(store: ProjectFile, id_or_key: str) -> SubjectView:
    """Return one subject with everything its page shows. Raises `BadInputError` if there is none."""
    with store.read() as db:
        return subjects.view(db, id_or_key)


def subject_row(store: ProjectFile, id_or_key: str) -> SubjectRow:
    """Return the list form of one subject. Raises `BadInputError` if there is none."""
    with store.read() as db:
        return subjects.as_row(subjects.find(db, id_or_key))


def history(store: ProjectFile, id_or_key: str) -> tuple[HistoryRow, ...]:
    """Return every act on a subject, newest first."""
    with store.read() as db:
        return timeline.history(db, id_or_key)


def decide(
    store: ProjectFile,
    subject_ids: Sequence[str],
    verdict: Verdict,
    reason: str = "",
    *,
    seen: SeenDecisions | None = None,
    anyway: bool = False,
) -> Changes:
    """Record a verdict on one or many subjects as one act that can be undone. Raises `BadInputError` for none.

    Unless it is done ``anyway``, raises `OthersWorkError` for what is somebody else's, or was decided on elsewhere
    since it was ``seen``.
    """
    with store.write() as db:
        found = [subjects.find(db, item) for item in subject_ids]
        many = bulk_acts.choose_ids(db.connection(), {item.id for item in found})
        if not anyway:
            refuse_others(store, db, seen)
        label = act_label(verdict, many, found[0].title if found else "")
        return expert_work.decide_chosen(db, store.annotator.id, many, verdict, reason, label)


def reopen(
    store: ProjectFile,
    subject_ids: Sequence[str],
    reason: str,
    reasons: Mapping[str, str] = MappingProxyType({}),
    *,
    anyway: bool = False,
) -> Changes:
    """Let subjects wait for a decision again, as one act that can be undone; ``reasons`` are those of some, by id.

    Raises `BadInputError` for none, and `OthersWorkError` as `decide` does.
    """
    with store.write() as db:
        found = {item.id: item for item in (subjects.find(db, name) for name in subject_ids)}
        bulk_acts.choose_ids(db.connection(), found)
        if not found:
            raise BadInputError("No subject was chosen, so nothing was decided.")
        if not anyway:
            refuse_others(store, db, None)
        title = next(iter(found.values())).title
        label = message_for_count("Open {title} again", "Open {count} subjects again", len(found), title=title)
        said = {subject: reasons.get(subject, reason) for subject in found}
        return expert_work.reopen(db, store.annotator.id, said, label)


def decide_rows(
    store: ProjectFile,
    rows: Sequence[int],
    verdict: Verdict,
    reason: str = "",
    *,
    seen: SeenDecisions | None = None,
    anyway: bool = False,
) -> Changes:
    """Record a verdict on the subjects at some rows of the queue, as one act, however many they are; see `decide`."""
    return overwrite_rows(store, rows, verdict, reason, seen=seen, anyway=anyway)[1]


def overwrite_rows(
    store: ProjectFile,
    rows: Sequence[int],
    verdict: Verdict,
    reason: str = "",
    *,
    seen: SeenDecisions | None = None,
    anyway: bool = False,
) -> tuple[Decided, Changes]:
    """Record a verdict as `decide_rows` does; says too how many there were and which other verdicts stood before."""
    with store.write() as db:
        before = bulk_acts.verdicts_at(db.connection(), rows)
        many, title = subjects.choose(db, rows)
        if not anyway:
            refuse_others(store, db, seen)
        label = act_label(verdict, many, title)
        changes = expert_work.decide_chosen(db, store.annotator.id, many, verdict, reason, label)
    return _decided(many, before, verdict), changes


def count_overwritten(store: ProjectFile, rows: Sequence[int], verdict: Verdict) -> Decided:
    """Say what `overwrite_rows` would overwrite, without doing it."""
    with store.read() as db:
        before = bulk_acts.verdicts_at(db.connection(), rows)
    return _decided(len(rows), before, verdict)


def _decided(count: int, before: dict[str, int], verdict: Verdict) -> Decided:
    """Leave out what had this very verdict, and what going back to a time before any decision wrote."""
    other = {name: found for name, found in sorted(before.items()) if name in tuple(Verdict) and name != verdict}
    return Decided(count, other)


def label_rows(store: ProjectFile, rows: Sequence[int], name: str, value: str) -> Changes:
    """Say what the subjects at some rows are: ``name`` is difficulty, question_type, domain, area or licence.

    An act that can be undone; an empty value says that it is not known. Raises `UsageError` for another name and
    `BadInputError` for no subject or a value that is not one of the difficulties.
    """
    if name not in undo_log.LABELS:
        raise UsageError(f"There is no label {name}; there are: {', '.join(undo_log.LABELS)}.")
    value = value.strip()
    if name == "difficulty" and value and value not in tuple(Difficulty):
        raise BadInputError(f"{value} is no difficulty; there are: {', '.join(Difficulty)}.")
    with store.write() as db:
        many, title = subjects.choose(db, rows)
        if not many:
            raise BadInputError("No subject was chosen, so nothing was changed.")
        subject = title or Message("{count} subjects", count=many)
        words = mark_word(value or f"no {name.replace('_', ' ')}")
        act = Message("Label {title} as {words}", title=subject, words=words)
        return expert_work.label_chosen(db, store.annotator.id, many, name, value, act)


def row_of(store: ProjectFile, id_or_key: str) -> int:
    """Return a subject's row in the queue. Raises `BadInputError` if there is none."""
    with store.read() as db:
        return subjects.find(db, id_or_key).row or 0


def rows_of(store: ProjectFile, subject_ids: Collection[str]) -> frozenset[int]:
    """Return the rows in the queue of some subjects; those that are not in the project now are left out."""
    with store.read() as db:
        return frozenset(bulk_acts.rows_of(db.connection(), subject_ids))


def saved_filters(store: ProjectFile) -> dict[str, QueueFilter]:
    """Return the filters people of this project gave a name, by name; one that cannot be read is left out."""
    with store.reader() as connection:
        return _read_filters(first_page.project_setting(connection, _FILTERS_SETTING))


def _read_filters(kept: object) -> dict[str, QueueFilter]:
    found = {}
    try:
        rows = json.loads(kept) if isinstance(kept, str) else {}
        for name, row in sorted(rows.items()):
            values = {key: tuple(value) if isinstance(value, list) else str(value) for key, value in row.items()}
            found[str(name)] = QueueFilter(**values)  # type: ignore[arg-type]  # odd fields raise TypeError
    except (ValueError, TypeError, AttributeError):
        return found
    return found


def save_filter(store: ProjectFile, name: str, wanted: QueueFilter | None) -> Changes:
    """Keep a filter under a name, or (None) forget the one of that name. Raises `BadInputError` for an empty name."""
    if not name.strip():
        raise BadInputError("A filter needs a name to be kept under.")
    with store.write() as db:
        found = _read_filters(people.setting(db, _FILTERS_SETTING))
        if wanted is None:
            found.pop(name.strip(), None)
        else:
            found[name.strip()] = wanted
        people.set_setting(db, _FILTERS_SETTING, json.dumps({key: asdict(item) for key, item in found.items()}))
    return Changes(frozenset({"filter"}))


def act_label(verdict: Verdict, count: int, title: str) -> Message:
    """Say what deciding is called in the undo log. Raises `BadInputError` for no subject."""
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
