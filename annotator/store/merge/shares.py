"""A person's share of a project: the rows needed to work separately, without hidden ones."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import and_
from sqlmodel import Session

from annotator.model.vocabulary import RATER, SKIP
from annotator.store.core_tables import ASSIGNMENT, SUBJECT, chunks, find_table
from annotator.store.file.writer import driver_connection
from annotator.store.judging import rulings
from annotator.store.merge import row_union
from annotator.store.merge.row_union import Row

_SUBJECT_TABLES = ("subjecttext", "testcase", "origin", "revision", "confirmation", "lock", "allotment")
_OWN_TABLES = ("decision", "prompt", "criterion", "review", "vote", "comment", "judgement", "seal")
"""Tables with the person's own rows; those of the first six refer to subjects."""


def collect_share(db: Session, person_id: str, subject_ids: Iterable[str]) -> dict[str, list[Row]]:
    """Return the rows of a person's share, by table.

    These are their assigned pairs, the given subjects and those assigned to them with their current work, and their own
    acts. Keys of studies and other people's judgements, votes and reviews are left out.
    """
    tables: dict[str, list[Row]] = {}
    tables["assignment"] = row_union.read_table(db, "assignment", ASSIGNMENT.c.annotator_id == person_id)
    tables["study"] = _read_matching(
        db, "study", "id", {row["study_id"] for row in tables["assignment"]}, only_active=True
    )
    study_ids = {row["id"] for row in tables["study"]}
    tables["assignment"] = [row for row in tables["assignment"] if row["study_id"] in study_ids]
    tables["pair"] = _read_matching(db, "pair", "id", {row["pair_id"] for row in tables["assignment"]})
    for name in _OWN_TABLES:
        tables[name] = row_union.read_table(db, name, find_table(name).c.annotator_id == person_id)
    pair_ids = {row["id"] for row in tables["pair"]}
    tables["judgement"] = [row for row in tables["judgement"] if row["pair_id"] in pair_ids]
    tables["seal"] = [row for row in tables["seal"] if row["study_id"] in study_ids]
    tables["resolution"] = _read_rulings(db, tables["assignment"])
    subjects = {*subject_ids, *(row["subject_id"] for row in tables["pair"])}
    for name in _OWN_TABLES[:6]:
        subjects |= {row["subject_id"] for row in tables[name]}
    is_allotted = and_(SUBJECT.c.holder_id == person_id, SUBJECT.c.active)
    subjects |= {row["id"] for row in row_union.read_table(db, "subject", is_allotted)}
    tables["subject"] = _read_matching(db, "subject", "id", subjects)
    for name in _SUBJECT_TABLES:
        tables[name] = _read_matching(db, name, "subject_id", subjects)
    for name in ("prompt", "criterion", "comment", "label", "rewriting"):
        present_ids = {row["id"] for row in tables.setdefault(name, [])}
        active_rows = _read_matching(db, name, "subject_id", subjects, only_active=True)
        tables[name] += [row for row in active_rows if row["id"] not in present_ids]
    tables["proof"] = _read_matching(db, "proof", "subject_id", subjects)
    tables["origin"] = row_union.add_origins(tables["origin"], tables["subject"])
    tables["annotator"] = row_union.read_table(db, "annotator")
    _add_parents(db, tables)
    return {name: tables[name] for name in row_union.TABLES if tables.get(name)}


def _read_rulings(db: Session, assignments: Iterable[Row]) -> list[Row]:
    """Return the rulings on these assignments: skips and handovers."""
    ids = {str(row["id"]) for row in assignments}
    drawn = rulings.fetch_rulings(driver_connection(db)).drawn
    abouts = {f"{SKIP}{assignment_id}" for assignment_id in ids} | {
        f"{RATER}{drawn.get(assignment_id, assignment_id)}" for assignment_id in ids
    }
    return _read_matching(db, "resolution", "about", abouts)


def _add_parents(db: Session, tables: dict[str, list[Row]]) -> None:
    """Add the changes and sources that rows refer to, with every undo and redo of those changes."""
    tables["source"] = _read_matching(db, "source", "id", {row["source_id"] for row in tables["origin"]})
    change_ids = {row["change_id"] for rows in tables.values() for row in rows if "change_id" in row}
    changes = _read_matching(db, "change", "id", change_ids)
    changes += _read_matching(db, "change", "target_id", change_ids)
    tables["change"] = list({row["id"]: row for row in changes}.values())


def _read_matching(
    db: Session, table: str, column: str, values: Iterable[str], *, only_active: bool = False
) -> list[Row]:
    source = find_table(table)
    rows: list[Row] = []
    for part in chunks(sorted(set(values))):
        is_match = source.c[column].in_(part)
        rows += row_union.read_table(db, table, and_(is_match, source.c.active) if only_active else is_match)
    return rows
