"""What waits for a person that no kept count knows: pairs to be judged, and proven subjects to be released."""

from __future__ import annotations

import sqlite3


def to_judge(connection: sqlite3.Connection, annotator_id: str) -> int:
    """Count the pairs that a rater has still to judge."""
    found = connection.execute(
        "SELECT count(*) FROM assignment a JOIN study s ON s.id = a.study_id AND s.active = 1 WHERE a.annotator_id = ? "
        "AND NOT EXISTS (SELECT 1 FROM judgement j WHERE j.pair_id = a.pair_id AND j.annotator_id = a.annotator_id "
        "AND j.serving = a.serving AND j.active = 1)",
        (annotator_id,),
    )
    return int(found.fetchone()[0])


def to_release(connection: sqlite3.Connection, proven: int) -> int:
    """Count the accepted, proven subjects the newest release lacks, or holds as they were before they were worked on.

    ``proven`` is how many there are, which is the answer while nothing was released.
    """
    newest = connection.execute(
        "SELECT id, created_at FROM release ORDER BY created_at DESC, id DESC LIMIT 1"
    ).fetchone()
    if newest is None or not proven:
        return proven
    found = connection.execute(
        "SELECT count(*) FROM subject s WHERE s.active = 1 AND s.verdict = 'accept' AND s.proven = 1 AND ("
        "NOT EXISTS (SELECT 1 FROM releaseitem i WHERE i.release_id = ? AND i.subject_id = s.id) "
        "OR EXISTS (SELECT 1 FROM prompt p WHERE p.id = s.prompt_id AND p.created_at > ?) "
        "OR EXISTS (SELECT 1 FROM criterion c WHERE c.id = s.criterion_id AND c.created_at > ?))",
        (newest[0], newest[1], newest[1]),
    )
    return int(found.fetchone()[0])
