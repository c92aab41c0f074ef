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
_APART = {"accept", "reject"}


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
    new: Mapping[str, Collection[str]]
    columns: Callable[[str], tuple[str, ...]]


def find_contradictions(files: Files) -> list[Contradiction]:
    """Return the contradictions between incoming and local rows. Call it after the rows were added."""
    stored_pairs = _stored_pairs(files)
    unknown = {name: _unknown_rows(files, name, stored_pairs) for name in TOPICS}
    contradictions = [
        Contradiction(name, _topic_id(name, place), *sorted((one, other), key=_by_time))
        for name, words in unknown.items()
        for place, (ours, theirs) in words.items()
        for one in ours
        for other in theirs
        if _differ(name, one, other)
    ]
    settled = {_acts(item) for item in contradictions if item.table == "resolution"}
    contradictions = [item for item in contradictions if item.table != "decision" or _acts(item) not in settled]
    return [*contradictions, *_against_locks(unknown)]


def _acts(item: Contradiction) -> tuple[str, ...]:
    return tuple(str(row[name]) for row in (item.older, item.newer) for name in ("subject_id", "change_id"))


def _topic_id(table: str, place: Sequence[Any]) -> str:
    return "/".join(str(part) for part in place) or table


RowSides = tuple[list[Row], list[Row]]


def _unknown_rows(
    files: Files, table: str, stored_pairs: Mapping[str, Sequence[tuple[str, str]]]
) -> dict[tuple[Any, ...], RowSides]:
    """Return topic -> the current local rows and the current incoming rows that the other file does not have."""
    incoming, new = files.tables.get(table, ()), files.new.get(table, ())
    others = ("lock",) if table in _CLOSED_BY_LOCK else _CLOSED_BY_LOCK if table == "lock" else ()
    like = [*incoming, *(row for other in others for row in files.tables.get(other, ()))]
    here = [row for row in _active_rows(files, table, like) if row["id"] not in new]
    theirs, ours = (_by_place(table, rows) for rows in (incoming, here))
    ids_there = {row["id"] for row in incoming}
    ids_here = ids_there.difference(new)
    return {
        place: (
            _current_rows(table, place, ours.get(place, ()), stored_pairs, ids_there),
            _current_rows(table, place, theirs.get(place, ()), stored_pairs, ids_here),
        )
        for place in dict.fromkeys((*theirs, *ours))
    }


def _by_place(table: str, rows: Iterable[Row]) -> dict[tuple[Any, ...], list[Row]]:
    """Return the active rows by topic. Bugs count only as replacements of older ones."""
    about = TOPICS[table].about
    by_place: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        if row["active"] and (table != "bug" or row["replaces"] is not None):
            by_place.setdefault(tuple(row[name] for name in about), []).append(row)
    return by_place


def _current_rows(
    table: str,
    place: tuple[Any, ...],
    rows: Sequence[Row],
    stored_pairs: Mapping[str, Sequence[tuple[str, str]]],
    known_ids: Collection[str],
) -> list[Row]:
    """Return the current rows of a file that the other does not have.

    The newest row is current; if it is a side of a stored conflict, the other sides are current too.
    """
    if not rows:
        return []
    newest = max(rows, key=_by_time)
    current_ids = {str(newest["id"])}
    pairs = stored_pairs.get(f"{table}/{_topic_id(table, place)}", ())
    if any(newest["id"] in pair for pair in pairs):
        current_ids.update(side for pair in pairs for side in pair)
    return [row for row in rows if row["id"] in current_ids and row["id"] not in known_ids]


def _differ(table: str, one: Row, other: Row) -> bool:
    if all(one[name] == other[name] for name in TOPICS[table].content):
        return False
    # If one person accepts and another rejects, that is a disagreement, which the Consensus page shows.
    is_apart = table == "decision" and {one["verdict"], other["verdict"]} == _APART
    return not (is_apart and one["annotator_id"] != other["annotator_id"])


def _against_locks(unknown: Mapping[str, Mapping[tuple[Any, ...], RowSides]]) -> Iterator[Contradiction]:
    """Yield the contradictions between one file's locks and rows that the locking file did not have."""
    for place, locks in unknown["lock"].items():
        for lock, side in [(row, 1) for row in locks[0]] + [(row, 0) for row in locks[1]]:
            if not lock["locked"]:
                continue
            for table in _CLOSED_BY_LOCK:
                rows = [row for about, sides in unknown[table].items() if about[0] == place[0] for row in sides[side]]
                yield from (_lock_pair(table, lock, row) for row in rows)


def _lock_pair(table: str, lock: Row, row: Row) -> Contradiction:
    return Contradiction("lock", f"{lock['subject_id']}/{table}/{row['id']}", *sorted((lock, row), key=_by_time))


def _active_rows(files: Files, table: str, like: Sequence[Row]) -> Iterator[Row]:
    """Yield the active local rows that may have the same topics as the rows in ``like``."""
    if not like:
        return
    names, source, about = files.columns(table), find_table(table), TOPICS[table].about
    query = select(*(as_stored(source.c[name]) for name in names)).where(source.c.active)
    values = sorted({str(row[about[0]]) for row in like if row[about[0]] is not None}) if about else []
    queries = [query.where(source.c[about[0]].in_(part)) for part in chunks(values)] if about else [query]
    for each in queries:
        yield from (dict(zip(names, record, strict=True)) for record in files.connection.execute(each))


def _stored_pairs(files: Files) -> dict[str, list[tuple[str, str]]]:
    """Return topic -> the ids of the two sides of each stored conflict."""
    source, names = find_table("conflict"), ("table_name", "row_id", "ours", "theirs")
    records = files.connection.execute(select(*(as_stored(source.c[name]) for name in names)))
    pairs: dict[str, list[tuple[str, str]]] = {}
    for table, row_id, *sides in records:
        one, other = (str(json.loads(side).get("id", "")) for side in sides)
        if one != other:
            pairs.setdefault(f"{table}/{row_id}", []).append((one, other))
    return pairs


def _by_time(row: Row) -> tuple[str, str]:
    return str(row["created_at"]), str(row["id"])
