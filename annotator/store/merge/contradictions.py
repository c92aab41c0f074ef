"""What two files say differently about one matter, neither knowing of the other: kept side by side.

Two files contradict each other about a matter when the word that holds in each is unknown to the other and the two say
different things. A matter is whatever one word holds about: a subject's paraphrase, a person's vote on a question. On
a locked subject, every word that the locking file did not know contradicts the lock.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from sqlalchemy import Connection, select

from annotator.base.ids import stable_id
from annotator.store.tables import as_stored, chunks, named

Row = dict[str, Any]


class Matter(NamedTuple):
    """The columns that say what a row is about, and those that hold what it says."""

    about: tuple[str, ...]
    said: tuple[str, ...]


_MARKS = ("correctness", "difficulty", "applicability", "readability")
MATTERS: Mapping[str, Matter] = MappingProxyType(
    {
        "lock": Matter(("subject_id",), ("locked",)),
        "resolution": Matter(("subject_id", "about"), ("outcome",)),
        "decision": Matter(("subject_id",), ("verdict",)),
        "prompt": Matter(("subject_id",), ("text",)),
        "criterion": Matter(("subject_id",), ("source",)),
        "label": Matter(("subject_id", "name"), ("value",)),
        "rewriting": Matter(("subject_id",), ("content_hash",)),
        "revision": Matter(("subject_id", "artefact"), ("content",)),
        "confirmation": Matter(("subject_id", "artefact", "content_hash", "annotator_id"), ("verdict",)),
        "coveragenote": Matter(("subject_id", "content_hash", "language", "exception_id"), ("reason",)),
        "allotment": Matter(("subject_id",), ("person_id",)),
        "bug": Matter(("replaces",), ("content_hash", "explanation")),
        "bug_review": Matter(("bug_id", "annotator_id"), ("verdict", *_MARKS, "reason")),
        "review": Matter(("subject_id", "annotator_id"), (*_MARKS, "note")),
        "vote": Matter(("subject_id", "question", "annotator_id"), ("choice",)),
        "judgement": Matter(("pair_id", "serving", "annotator_id"), ("verdict",)),
        "suggestion_verdict": Matter(("suggestion_id",), ("verdict",)),
        "error_label": Matter(("response_id", "annotator_id"), ("label",)),
        "settlement": Matter(("subject_id", "answer_hash"), ("verdict",)),
        "setup": Matter(("kind", "name"), ("content", "removed")),
        "published_table": Matter(("name",), ("content_hash",)),
        "audit_answer": Matter(("point",), ("state", "statement")),
        "quotaplan": Matter((), ("quotas",)),
    }
)
"""Matters by table. Comments, seals, studies and looks at a key only add up, so they contradict nothing."""
_CLOSED_BY_LOCK = (
    "resolution", "decision", "prompt", "criterion", "rewriting", "revision", "confirmation", "review", "vote",
)  # fmt: skip
_APART = {"accept", "reject"}


class Contradiction(NamedTuple):
    """Two rows about one matter, the earlier first; ``row_id`` names the matter."""

    table: str
    row_id: str
    earlier: Row
    later: Row

    @property
    def id(self) -> str:
        """The identifier of the conflict, the same in every copy."""
        return stable_id("conflict", self.table, self.row_id, str(self.earlier["id"]), str(self.later["id"]))


class Files(NamedTuple):
    """Two files while one is added to the other: what the incoming one has, and the ids of its rows that are new.

    ``columns`` returns the columns of a table that travel.
    """

    connection: Connection
    tables: Mapping[str, Sequence[Row]]
    new: Mapping[str, Collection[str]]
    columns: Callable[[str], tuple[str, ...]]


def find_contradictions(files: Files) -> list[Contradiction]:
    """Return what incoming rows contradict here; to be asked when they have been added."""
    kept = _kept_pairs(files)
    unknown = {name: _unknown_words(files, name, kept) for name in MATTERS}
    found = [
        Contradiction(name, _matter_id(name, place), *sorted((one, other), key=_by_time))
        for name, words in unknown.items()
        for place, (ours, theirs) in words.items()
        for one in ours
        for other in theirs
        if _differ(name, one, other)
    ]
    settled = {_acts(item) for item in found if item.table == "resolution"}
    found = [item for item in found if item.table != "decision" or _acts(item) not in settled]
    return [*found, *_against_locks(unknown)]


def _acts(item: Contradiction) -> tuple[str, ...]:
    return tuple(str(row[name]) for row in (item.earlier, item.later) for name in ("subject_id", "change_id"))


def _matter_id(table: str, place: Sequence[Any]) -> str:
    return "/".join(str(part) for part in place) or table


Words = tuple[list[Row], list[Row]]


def _unknown_words(
    files: Files, table: str, kept: Mapping[str, Sequence[tuple[str, str]]]
) -> dict[tuple[Any, ...], Words]:
    """Return matter -> the words that hold here and there and that the other file does not know."""
    brought, new = files.tables.get(table, ()), files.new.get(table, ())
    others = ("lock",) if table in _CLOSED_BY_LOCK else _CLOSED_BY_LOCK if table == "lock" else ()
    like = [*brought, *(row for other in others for row in files.tables.get(other, ()))]
    here = [row for row in _standing(files, table, like) if row["id"] not in new]
    theirs, ours = (_by_place(table, rows) for rows in (brought, here))
    known_there = {row["id"] for row in brought}
    known_here = known_there.difference(new)
    return {
        place: (
            _words(table, place, ours.get(place, ()), kept, known_there),
            _words(table, place, theirs.get(place, ()), kept, known_here),
        )
        for place in dict.fromkeys((*theirs, *ours))
    }


def _by_place(table: str, rows: Iterable[Row]) -> dict[tuple[Any, ...], list[Row]]:
    """Return the rows that stand by what they are about; a new bug is no word about an older one."""
    about = MATTERS[table].about
    found: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        if row["active"] and (table != "bug" or row["replaces"] is not None):
            found.setdefault(tuple(row[name] for name in about), []).append(row)
    return found


def _words(
    table: str,
    place: tuple[Any, ...],
    rows: Sequence[Row],
    kept: Mapping[str, Sequence[tuple[str, str]]],
    known: Collection[str],
) -> list[Row]:
    """Return the words that hold in a file and that the other does not know.

    One holds, the newest; several where it is a side of a conflict that nobody has written anything after.
    """
    if not rows:
        return []
    newest = max(rows, key=_by_time)
    words = {str(newest["id"])}
    pairs = kept.get(f"{table}/{_matter_id(table, place)}", ())
    if any(newest["id"] in pair for pair in pairs):
        words.update(side for pair in pairs for side in pair)
    return [row for row in rows if row["id"] in words and row["id"] not in known]


def _differ(table: str, one: Row, other: Row) -> bool:
    if all(one[name] == other[name] for name in MATTERS[table].said):
        return False
    # Two people of whom one accepts and one rejects are a disagreement, which is shown as one.
    is_apart = table == "decision" and {one["verdict"], other["verdict"]} == _APART
    return not (is_apart and one["annotator_id"] != other["annotator_id"])


def _against_locks(unknown: Mapping[str, Mapping[tuple[Any, ...], Words]]) -> Iterator[Contradiction]:
    """Yield the words of one file on a subject that the other had locked without knowing of them."""
    for place, locks in unknown["lock"].items():
        for lock, side in [(row, 1) for row in locks[0]] + [(row, 0) for row in locks[1]]:
            if not lock["locked"]:
                continue
            for table in _CLOSED_BY_LOCK:
                words = [row for about, both in unknown[table].items() if about[0] == place[0] for row in both[side]]
                yield from (_lock_pair(table, lock, row) for row in words)


def _lock_pair(table: str, lock: Row, row: Row) -> Contradiction:
    return Contradiction("lock", f"{lock['subject_id']}/{table}/{row['id']}", *sorted((lock, row), key=_by_time))


def _standing(files: Files, table: str, like: Sequence[Row]) -> Iterator[Row]:
    """Yield the rows here that stand and may be about the same matters as some others."""
    if not like:
        return
    names, source, about = files.columns(table), named(table), MATTERS[table].about
    query = select(*(as_stored(source.c[name]) for name in names)).where(source.c.active)
    values = sorted({str(row[about[0]]) for row in like if row[about[0]] is not None}) if about else []
    queries = [query.where(source.c[about[0]].in_(part)) for part in chunks(values)] if about else [query]
    for each in queries:
        yield from (dict(zip(names, record, strict=True)) for record in files.connection.execute(each))


def _kept_pairs(files: Files) -> dict[str, list[tuple[str, str]]]:
    """Return matter -> the identifiers of the two sides of each conflict that is kept in either file."""
    source, names = named("conflict"), ("table_name", "row_id", "ours", "theirs")
    records = files.connection.execute(select(*(as_stored(source.c[name]) for name in names)))
    found: dict[str, list[tuple[str, str]]] = {}
    for table, row_id, *sides in records:
        one, other = (str(json.loads(side).get("id", "")) for side in sides)
        if one != other:
            found.setdefault(f"{table}/{row_id}", []).append((one, other))
    return found


def _by_time(row: Row) -> tuple[str, str]:
    return str(row["created_at"]), str(row["id"])
