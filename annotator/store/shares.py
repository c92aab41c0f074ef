"""A colleague's share of a project: the rows one person needs to work apart, and nothing that must stay hidden."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlmodel import Session

from annotator.store import exchange
from annotator.store.exchange import Row

_CHUNK = 500
_OF_SUBJECT = ("subjecttext", "testcase", "origin", "revision", "confirmation", "lock", "allotment")
_OWN = ("decision", "prompt", "criterion", "review", "vote", "comment", "judgement", "seal")


def share(db: Session, person_id: str, subject_ids: Iterable[str]) -> dict[str, list[Row]]:
    """Return what a person needs: the pairs assigned to them, these subjects and those that are their turn, with their
    current work, and their own acts.

    Left out are the keys of studies, and what others judged, voted and reviewed.
    """
    found: dict[str, list[Row]] = {}
    found["assignment"] = exchange.read_table(db, "assignment", "annotator_id = ?", [person_id])
    found["study"] = _by(db, "study", "id", {row["study_id"] for row in found["assignment"]}, "active = 1")
    standing = {row["id"] for row in found["study"]}
    found["assignment"] = [row for row in found["assignment"] if row["study_id"] in standing]
    found["pair"] = _by(db, "pair", "id", {row["pair_id"] for row in found["assignment"]})
    for name in _OWN:
        found[name] = exchange.read_table(db, name, "annotator_id = ?", [person_id])
    judged = {row["id"] for row in found["pair"]}
    found["judgement"] = [row for row in found["judgement"] if row["pair_id"] in judged]
    found["seal"] = [row for row in found["seal"] if row["study_id"] in standing]
    subjects = {*subject_ids, *(row["subject_id"] for row in found["pair"])}
    for name in _OWN[:6]:
        subjects |= {row["subject_id"] for row in found[name]}
    subjects |= {row["id"] for row in exchange.read_table(db, "subject", "holder_id = ? AND active = 1", [person_id])}
    found["subject"] = _by(db, "subject", "id", subjects)
    for name in _OF_SUBJECT:
        found[name] = _by(db, name, "subject_id", subjects)
    for name in ("prompt", "criterion", "comment"):
        known = {row["id"] for row in found[name]}
        extra = _by(db, name, "subject_id", subjects, "active = 1")
        found[name] += [row for row in extra if row["id"] not in known]
    found["proof"] = _by(db, "proof", "subject_id", subjects)
    found["origin"] = exchange.with_origins(found["origin"], found["subject"])
    found["annotator"] = exchange.read_table(db, "annotator")
    _add_parents(db, found)
    return {name: found[name] for name in exchange.TABLES if found.get(name)}


def _add_parents(db: Session, found: dict[str, list[Row]]) -> None:
    """Add the changes and sources that rows refer to, with every undo and redo of those changes."""
    found["source"] = _by(db, "source", "id", {row["source_id"] for row in found["origin"]})
    wanted = {row["change_id"] for rows in found.values() for row in rows if "change_id" in row}
    changes = _by(db, "change", "id", wanted)
    changes += _by(db, "change", "target_id", wanted)
    found["change"] = list({row["id"]: row for row in changes}.values())


def _by(db: Session, table: str, column: str, values: Iterable[str], where: str = "1 = 1") -> list[Row]:
    wanted: Sequence[str] = sorted(set(values))
    rows: list[Row] = []
    for start in range(0, len(wanted), _CHUNK):
        part = wanted[start : start + _CHUNK]
        marks = ", ".join("?" * len(part))
        rows += exchange.read_table(db, table, f'"{column}" IN ({marks}) AND {where}', part)
    return rows
