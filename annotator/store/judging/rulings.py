"""Rulings on served pairs, and studies as their raters see them, read with only the standard library.

A rater skips a pair with a reason, or an unjudged pair is given to another rater. Both are resolutions, so they are
undone, merged and shown as conflicts like others. The drawn assignments do not change. The new rater of a pair gets
another assignment, whose id is derived from the drawn one and the person, so that all copies of the project agree on
it.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from annotator.base.ids import stable_id
from annotator.base.records import record_from
from annotator.model.rows.queue_rows import StudyRow
from annotator.model.vocabulary import RATER, SKIP
from annotator.store.queue.first_page import read_records, start_query

SKIPPED, TAKEN_UP = "skipped", "taken up"
NOBODY = ""
METHODS = ("skip", "hand over")
OVERRIDE_METHOD = "override"
IDENTICAL = "identical"
"""The key for the identical pairs in a study's plan."""
_JUDGED = "(SELECT DISTINCT pair_id, annotator_id, serving FROM judgement WHERE active = 1)"
_SERVED = (
    f"assignment a LEFT JOIN {_JUDGED} j "
    "ON j.pair_id = a.pair_id AND j.annotator_id = a.annotator_id AND j.serving = a.serving"
)
_CHUNK = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Rulings:
    """The current rulings on assignments.

    ``closed`` are the assignments whose pairs were given to somebody else, and ``skipped`` those that their rater
    skipped; ``drawn`` maps an assignment to the drawn one that it was taken over from.
    """

    closed: frozenset[str]
    skipped: frozenset[str]
    drawn: Mapping[str, str]


class RaterProgress(NamedTuple):
    """The number of pairs that a rater was served, has judged, and has skipped."""

    served: int
    judged: int
    skipped: int


def taken_over_id(drawn_id: str, rater_id: str) -> str:
    """Return the id of the assignment with which a rater takes over a drawn one."""
    return stable_id("assignment", drawn_id, rater_id)


def fetch_rulings(connection: sqlite3.Connection) -> Rulings:
    """Return the rulings on all assignments; of several on one assignment, the newest counts."""
    query = start_query(connection)
    rows = connection.execute(
        "SELECT r.about, r.outcome, r.active, a.annotator_id FROM resolution r "
        f"LEFT JOIN assignment a ON a.id = substr(r.about, {len(RATER) + 1}) "
        f"WHERE r.about LIKE {query.bind(f'{SKIP}%')} OR r.about LIKE {query.bind(f'{RATER}%')} "
        "ORDER BY r.created_at, r.id",
        query.values,
    )
    drawn: dict[str, str] = {}
    drawn_raters: dict[str, str] = {}
    current_raters: dict[str, str] = {}
    skips: dict[str, str] = {}
    for about, outcome, active, drawn_rater in rows:
        assignment_id = about.partition(":")[2]
        if about.startswith(SKIP):
            if active:
                skips[assignment_id] = outcome
            continue
        drawn_raters[assignment_id] = drawn_rater
        if outcome not in (NOBODY, drawn_rater):
            drawn[taken_over_id(assignment_id, outcome)] = assignment_id
        if active:
            current_raters[assignment_id] = outcome
    closed = {drawn_id for drawn_id, rater in current_raters.items() if rater != drawn_raters[drawn_id]}
    closed |= {
        assignment_id
        for assignment_id, drawn_id in drawn.items()
        if assignment_id != taken_over_id(drawn_id, current_raters.get(drawn_id, NOBODY))
    }
    skipped = frozenset(assignment_id for assignment_id, outcome in skips.items() if outcome == SKIPPED)
    return Rulings(closed=frozenset(closed), skipped=skipped, drawn=drawn)


def fetch_progress(connection: sqlite3.Connection) -> dict[str, dict[str, RaterProgress]]:
    """Return study -> rater -> progress."""
    rulings = fetch_rulings(connection)
    closed, skipped = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    ruled_ids = sorted(rulings.closed | rulings.skipped)
    for start in range(0, len(ruled_ids), _CHUNK):
        query = start_query(connection)
        is_ruled = query.one_of("a.id", ruled_ids[start : start + _CHUNK])
        open_query = f"SELECT a.id, a.study_id, a.annotator_id FROM {_SERVED} WHERE j.pair_id IS NULL AND {is_ruled}"
        for assignment_id, study, rater in connection.execute(open_query, query.values):
            (closed if assignment_id in rulings.closed else skipped)[study, rater] += 1
    progress: dict[str, dict[str, RaterProgress]] = {}
    counts_query = f"SELECT a.study_id, a.annotator_id, count(*), count(j.pair_id) FROM {_SERVED} GROUP BY 1, 2"
    for study, rater, total, done in connection.execute(counts_query):
        if served := total - closed[study, rater]:
            progress.setdefault(study, {})[rater] = RaterProgress(served, done, skipped[study, rater])
    return progress


def count_to_judge(connection: sqlite3.Connection, annotator_id: str) -> int:
    """Count the pairs that a rater still has to judge, without skipped ones and those given to another rater."""
    open_studies = connection.execute(
        "SELECT id FROM study WHERE active = 1 AND id NOT IN (SELECT study_id FROM unblinding)"
    ).fetchall()
    progress = fetch_progress(connection) if open_studies else {}
    batches = (progress.get(study, {}).get(annotator_id) for (study,) in open_studies)
    return sum(batch.served - batch.judged - batch.skipped for batch in batches if batch)


def find_blind_study(
    connection: sqlite3.Connection, annotator_id: str, subject_ids: Collection[str], *, unless_maker: bool = False
) -> str:
    """Return the name of a blind study of answers to these subjects that a person rates, or an empty text.

    With ``unless_maker``, studies that the person created are ignored.
    """
    blind_studies = connection.execute(
        "SELECT id, name, annotator_id FROM study WHERE active = 1 AND kind = 'response' "
        "AND id NOT IN (SELECT study_id FROM unblinding)"
    ).fetchall()
    progress = fetch_progress(connection) if blind_studies else {}
    for study_id, name, maker in blind_studies:
        if annotator_id not in progress.get(study_id, {}) or (unless_maker and maker == annotator_id):
            continue
        query = start_query(connection)
        subjects_query = f"SELECT subject_id FROM pair WHERE study_id = {query.bind(study_id)}"
        if any(subject in subject_ids for (subject,) in connection.execute(subjects_query, query.values)):
            return str(name)
    return ""


def fetch_studies(connection: sqlite3.Connection, annotator_id: str) -> tuple[StudyRow, ...]:
    """Return all studies as one person sees them, newest first."""
    query = start_query(connection)
    own_id = query.bind(annotator_id)
    statement = (
        "SELECT s.*, (SELECT count(*) FROM pair p WHERE p.study_id = s.id) AS pairs, "
        "EXISTS (SELECT 1 FROM seal e WHERE e.study_id = s.id AND e.active = 1 "
        f"AND e.annotator_id = {own_id}) AS sealed, "
        "EXISTS (SELECT 1 FROM unblinding u WHERE u.study_id = s.id) AS unblinded "
        "FROM study s WHERE s.active = 1 ORDER BY s.created_at DESC, s.id DESC"
    )
    studies = list(read_records(connection, statement, query.values))
    query = start_query(connection)
    keys_query = (
        "SELECT k.study_id, k.name_a, k.name_b FROM blind_key k JOIN unblinding u ON u.study_id = k.study_id "
        f"WHERE u.annotator_id = {query.bind(annotator_id)} ORDER BY k.id DESC"
    )
    names_by_study = {study: (a, b) for study, a, b in connection.execute(keys_query, query.values)}
    progress = fetch_progress(connection)
    # Read last: people are only ever added, so everybody named above is among them.
    people = dict(connection.execute("SELECT id, name FROM annotator").fetchall())
    rows = []
    for study in studies:
        by_rater = progress.get(study["id"], {})
        own_progress = by_rater.get(annotator_id, RaterProgress(0, 0, 0))
        row = record_from(
            StudyRow,
            study,
            annotator=people[study["annotator_id"]],
            raters=tuple(sorted(people[rater] for rater in by_rater)),
            mine=own_progress.served,
            done=own_progress.judged,
            skipped=own_progress.skipped,
            total=sum(batch.served for batch in by_rater.values()),
            judged=sum(batch.judged for batch in by_rater.values()),
            sealed=bool(study["sealed"]),
            names=names_by_study.get(study["id"]),
            identical=len(json.loads(study["plan"]).get(IDENTICAL, ())),
            raters_done=sum(batch.served == batch.judged + batch.skipped for batch in by_rater.values()),
            unblinded=bool(study["unblinded"]),
        )
        rows.append(row)
    return tuple(rows)
