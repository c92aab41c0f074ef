"""A colleague's share of a project: the rows one person needs to work apart, and nothing that must stay hidden."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import and_
from sqlmodel import Session

from annotator.store.merge import row_union
from annotator.store.merge.row_union import Row
from annotator.store.tables import ASSIGNMENT, SUBJECT, chunks, named

_OF_SUBJECT = ("subjecttext", "testcase", "origin", "revision", "confirmation", "lock", "allotment")
_OWN = ("decision", "prompt", "criterion", "review", "vote", "comment", "judgement", "seal")


def share(db: Session, person_id: str, subject_ids: Iterable[str]) -> dict[str, list[Row]]:
    """Return what a person needs: the pairs assigned to them, these subjects and those that are their turn, with their
    current work, and their own acts.

    Left out are the keys of studies, and what others judged, voted and reviewed.
    """
    found: dict[str, list[Row]] = {}
    found["assignment"] = row_union.read_table(db, "assignment", ASSIGNMENT.c.annotator_id == person_id)
    found["study"] = _by(db, "study", "id", {row["study_id"] for row in found["assignment"]}, standing_only=True)
    standing = {row["id"] for row in found["study"]}
    found["assignment"] = [row for row in found["assignment"] if row["study_id"] in standing]
    found["pair"] = _by(db, "pair", "id", {row["pair_id"] for row in found["assignment"]})
    for name in _OWN:
        found[name] = row_union.read_table(db, name, named(name).c.annotator_id == person_id)
    judged = {row["id"] for row in found["pair"]}
    found["judgement"] = [row for row in found["judgement"] if row["pair_id"] in judged]
    found["seal"] = [row for row in found["seal"] if row["study_id"] in standing]
    subjects = {*subject_ids, *(row["subject_id"] for row in found["pair"])}
    for name in _OWN[:6]:
        subjects |= {row["subject_id"] for row in found[name]}
    turn = and_(SUBJECT.c.holder_id == person_id, SUBJECT.c.active)
    subjects |= {row["id"] for row in row_union.read_table(db, "subject", turn)}
    found["subject"] = _by(db, "subject", "id", subjects)
    for name in _OF_SUBJECT:
        found[name] = _by(db, name, "subject_id", subjects)
    for name in ("prompt", "criterion", "comment", "label", "rewriting"):
        known = {row["id"] for row in found.setdefault(name, [])}
        extra = _by(db, name, "subject_id", subjects, standing_only=True)
        found[name] += [row for row in extra if row["id"] not in known]
    found["proof"] = _by(db, "proof", "subject_id", subjects)
    found["origin"] = row_union.with_origins(found["origin"], found["subject"])
    found["annotator"] = row_union.read_table(db, "annotator")
    _add_parents(db, found)
    return {name: found[name] for name in row_union.TABLES if found.get(name)}


def _add_parents(db: Session, found: dict[str, list[Row]]) -> None:
    """Add the changes and sources that rows refer to, with every undo and redo of those changes."""
    found["source"] = _by(db, "source", "id", {row["source_id"] for row in found["origin"]})
    wanted = {row["change_id"] for rows in found.values() for row in rows if "change_id" in row}
    changes = _by(db, "change", "id", wanted)
    changes += _by(db, "change", "target_id", wanted)
    found["change"] = list({row["id"]: row for row in changes}.values())


def _by(db: Session, table: str, column: str, values: Iterable[str], *, standing_only: bool = False) -> list[Row]:
    source = named(table)
    rows: list[Row] = []
    for part in chunks(sorted(set(values))):
        wanted = source.c[column].in_(part)
        rows += row_union.read_table(db, table, and_(wanted, source.c.active) if standing_only else wanted)
    return rows
