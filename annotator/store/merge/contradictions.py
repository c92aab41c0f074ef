"""Find contradictions between two merged files: different statements about the same topic, made independently.

Two files contradict each other about a topic if each has a current row that the other file does not have, and the
rows differ in content. A topic is anything with one current row, such as a subject's paraphrase or a person's vote on
a question. On a locked subject, every row that the locking file did not have contradicts the lock. Both rows are kept.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from sqlalchemy import Connection, select

from annotator.base.ids import stable_id
from annotator.model.vocabulary import ASPECTS
from annotator.store.core_tables import as_stored, chunks, find_table

Row = dict[str, Any]


class Topic(NamedTuple):
    """The columns that identify the topic of a row, and those that hold its content."""

    about: tuple[str, ...]
    content: tuple[str, ...]


TOPICS: Mapping[str, Topic] = MappingProxyType(
    {
        "lock": Topic(("subject_id",), ("locked",)),
        "resolution": Topic(("subject_id", "about"), ("outcome",)),
        "decision": Topic(("subject_id",), ("verdict",)),
        "prompt": Topic(("subject_id",), ("text",)),
        "criterion": Topic(("subject_id",), ("source",)),
        "label": Topic(("subject_id", "name"), ("value",)),
        "rewriting": Topic(("subject_id",), ("content_hash",)),
        "revision": Topic(("subject_id", "artefact"), ("content",)),
        "confirmation": Topic(("subject_id", "artefact", "content_hash", "annotator_id"), ("verdict",)),
        "coveragenote": Topic(("subject_id", "content_hash", "language", "exception_id"), ("reason",)),
        "allotment": Topic(("subject_id",), ("person_id",)),
        "bug": Topic(("replaces",), ("content_hash", "explanation")),
        "bug_review": Topic(("bug_id", "annotator_id"), ("verdict", *ASPECTS, "reason")),
        "review": Topic(("subject_id", "annotator_id"), (*ASPECTS, "note")),
        "vote": Topic(("subject_id", "question", "annotator_id"), ("choice",)),
        "judgement": Topic(("pair_id", "serving", "annotator_id"), ("verdict",)),
        "suggestion_verdict": Topic(("suggestion_id",), ("verdict",)),
        "error_label": Topic(("response_id", "annotator_id"), ("label",)),
        "settlement": Topic(("subject_id", "answer_hash"), ("verdict",)),
        "setup": Topic(("kind", "name"), ("content", "removed")),
        "published_table": Topic(("name",), ("content_hash",)),
        "audit_answer": Topic(("point",), ("state", "statement")),
        "quotaplan": Topic((), ("quotas",)),
    }
)
"""Topics by table. Comments, seals, studies and unblindings only accumulate, so they contradict nothing."""
_CLOSED_BY_LOCK = (
    "resolution", "decision", "prompt", "criterion", "rewriting", "revision", "confirmation", "review", "vote",
)  # fmt: skip
_OPPOSED_VERDICTS = {"accept", "reject"}


class Contradiction(NamedTuple):
    """Two rows about one topic, the older first; ``row_id`` identifies the topic."""

    table: str
    row_id: str
    older: Row
    newer: Row

    @property
    def id(self) -> str:
        """The identifier of the conflict, the same in every copy."""
        return stable_id("conflict", self.table, self.row_id, str(self.older["id"]), str(self.newer["id"]))


class Files(NamedTuple):
    """Two files during a merge: the incoming tables, and the ids of their new rows.

    ``columns`` returns the exchanged columns of a table.
    """

    connection: Connection
    tables: Mapping[str, Sequence[Row]]
    new_ids: Mapping[str, Collection[str]]
    columns: Callable[[str], tuple[str, ...]]


def find_contradictions(files: Files) -> list[Contradiction]:
    """Return the contradictions between incoming and local rows. Call it after the rows were added."""
    stored_pairs = _stored_pairs(files)
    unknown_rows = {name: _unknown_rows(files, name, stored_pairs) for name in TOPICS}
    contradictions = [
        Contradiction(name, _topic_id(name, topic_values), *sorted((our_row, their_row), key=_time_key))
        for name, sides_by_topic in unknown_rows.items()
        for topic_values, (ours, theirs) in sides_by_topic.items()
        for our_row in ours
        for their_row in theirs
        if _contradict(name, our_row, their_row)
    ]
    settled = {_act_ids(contradiction) for contradiction in contradictions if contradiction.table == "resolution"}
    contradictions = [
        contradiction
        for contradiction in contradictions
        if contradiction.table != "decision" or _act_ids(contradiction) not in settled
    ]
    return [*contradictions, *_find_lock_contradictions(unknown_rows)]


def _act_ids(contradiction: Contradiction) -> tuple[str, ...]:
    return tuple(
        str(row[name]) for row in (contradiction.older, contradiction.newer) for name in ("subject_id", "change_id")
    )


def _topic_id(table: str, topic_values: Sequence[Any]) -> str:
    return "/".join(str(part) for part in topic_values) or table


RowSides = tuple[list[Row], list[Row]]


def _unknown_rows(
    files: Files, table: str, stored_pairs: Mapping[str, Sequence[tuple[str, str]]]
) -> dict[tuple[Any, ...], RowSides]:
    """Return topic -> the current local rows and the current incoming rows that the other file does not have."""
    incoming = files.tables.get(table, ())
    new_ids = files.new_ids.get(table, ())
    related_tables: tuple[str, ...] = _CLOSED_BY_LOCK if table == "lock" else ()
    if table in _CLOSED_BY_LOCK:
        related_tables = ("lock",)
    similar_rows = [
        *incoming,
        *(row for related_table in related_tables for row in files.tables.get(related_table, ())),
    ]
    local_rows = [row for row in _active_rows(files, table, similar_rows) if row["id"] not in new_ids]
    theirs, ours = (_group_by_topic(table, rows) for rows in (incoming, local_rows))
    ids_there = {row["id"] for row in incoming}
    ids_here = ids_there.difference(new_ids)
    return {
        topic_values: (
            _current_rows(table, topic_values, ours.get(topic_values, ()), stored_pairs, ids_there),
            _current_rows(table, topic_values, theirs.get(topic_values, ()), stored_pairs, ids_here),
        )
        for topic_values in dict.fromkeys((*theirs, *ours))
    }


def _group_by_topic(table: str, rows: Iterable[Row]) -> dict[tuple[Any, ...], list[Row]]:
    """Return the active rows by topic. Bugs count only as replacements of older ones."""
    about = TOPICS[table].about
    rows_by_topic: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        if row["active"] and (table != "bug" or row["replaces"] is not None):
            rows_by_topic.setdefault(tuple(row[name] for name in about), []).append(row)
    return rows_by_topic


def _current_rows(
    table: str,
    topic_values: tuple[Any, ...],
    rows: Sequence[Row],
    stored_pairs: Mapping[str, Sequence[tuple[str, str]]],
    other_file_ids: Collection[str],
) -> list[Row]:
    """Return the current rows of a file that the other does not have.

    The newest row is current; if it is a side of a stored conflict, the other sides are current too.
    """
    if not rows:
        return []
    newest = max(rows, key=_time_key)
    current_ids = {str(newest["id"])}
    pairs = stored_pairs.get(f"{table}/{_topic_id(table, topic_values)}", ())
    if any(newest["id"] in pair for pair in pairs):
        current_ids.update(side for pair in pairs for side in pair)
    return [row for row in rows if row["id"] in current_ids and row["id"] not in other_file_ids]


def _contradict(table: str, our_row: Row, their_row: Row) -> bool:
    if all(our_row[name] == their_row[name] for name in TOPICS[table].content):
        return False
    # If one person accepts and another rejects, that is a disagreement, which the Consensus page shows.
    is_opposed = table == "decision" and {our_row["verdict"], their_row["verdict"]} == _OPPOSED_VERDICTS
    return not (is_opposed and our_row["annotator_id"] != their_row["annotator_id"])


def _find_lock_contradictions(
    unknown_rows: Mapping[str, Mapping[tuple[Any, ...], RowSides]],
) -> Iterator[Contradiction]:
    """Yield the contradictions between one file's locks and rows that the locking file did not have."""
    for topic_values, locks in unknown_rows["lock"].items():
        # A lock contradicts rows of the other file only, which are at the index ``side``.
        for lock, side in [(row, 1) for row in locks[0]] + [(row, 0) for row in locks[1]]:
            if not lock["locked"]:
                continue
            for table in _CLOSED_BY_LOCK:
                rows = [
                    row
                    for about, sides in unknown_rows[table].items()
                    if about[0] == topic_values[0]
                    for row in sides[side]
                ]
                yield from (_lock_pair(table, lock, row) for row in rows)


def _lock_pair(table: str, lock: Row, row: Row) -> Contradiction:
    return Contradiction("lock", f"{lock['subject_id']}/{table}/{row['id']}", *sorted((lock, row), key=_time_key))


def _active_rows(files: Files, table: str, similar_rows: Sequence[Row]) -> Iterator[Row]:
    """Yield the active local rows that may have the same topics as ``similar_rows``."""
    if not similar_rows:
        return
    names = files.columns(table)
    source = find_table(table)
    topic_columns = TOPICS[table].about
    query = select(*(as_stored(source.c[name]) for name in names)).where(source.c.active)
    values = (
        sorted({str(row[topic_columns[0]]) for row in similar_rows if row[topic_columns[0]] is not None})
        if topic_columns
        else []
    )
    queries = (
        [query.where(source.c[topic_columns[0]].in_(part)) for part in chunks(values)] if topic_columns else [query]
    )
    for part_query in queries:
        yield from (dict(zip(names, record, strict=True)) for record in files.connection.execute(part_query))


def _stored_pairs(files: Files) -> dict[str, list[tuple[str, str]]]:
    """Return topic -> the ids of the two sides of each stored conflict."""
    source = find_table("conflict")
    names = ("table_name", "row_id", "ours", "theirs")
    records = files.connection.execute(select(*(as_stored(source.c[name]) for name in names)))
    pairs: dict[str, list[tuple[str, str]]] = {}
    for table, row_id, *sides in records:
        our_id, their_id = (str(json.loads(side).get("id", "")) for side in sides)
        if our_id != their_id:
            pairs.setdefault(f"{table}/{row_id}", []).append((our_id, their_id))
    return pairs


def _time_key(row: Row) -> tuple[str, str]:
    return str(row["created_at"]), str(row["id"])
