"""The views and triggers of a project, for both databases; the models define its tables and indexes.

Definitions for one database only are in `annotator.store.file.schema` and `annotator.store.server.server_schema`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

RESPONSE_SCORE = """
CREATE VIEW response_score AS
SELECT q.response_id, q.run_id, q.subject_id, q.sample, q.release_id, q.criterion_hash,
    coalesce(q.settled, q.told) AS outcome,
    CASE q.settled WHEN 'pass' THEN 1.0 WHEN 'fail' THEN 0.0 ELSE q.score END AS score, q.points, q.total, q.told
FROM (
    SELECT r.id AS response_id, r.run_id, r.subject_id, r.sample, u.release_id, s.criterion_hash, s.outcome AS told,
        s.score, s.points, s.total, CASE WHEN s.outcome IN ('disputed', 'flaky', 'tampered') THEN (
            SELECT t.verdict FROM settlement t
            WHERE t.subject_id = r.subject_id AND t.answer_hash = r.content_hash AND t.active = 1
            ORDER BY t.created_at DESC, t.id DESC LIMIT 1
        ) END AS settled
    FROM response r
    JOIN run u ON u.id = r.run_id
    LEFT JOIN score_set_item i ON i.set_id = u.score_set_id AND i.subject_id = r.subject_id
    LEFT JOIN score s ON s.response_id = r.id AND s.criterion_hash = CASE WHEN u.score_set_id IS NULL THEN (
        SELECT n.criterion_hash FROM score n
        WHERE n.response_id = r.id ORDER BY n.created_at DESC, n.criterion_hash LIMIT 1
    ) ELSE i.criterion_hash END
) q
"""
"""Every response of a run with its current score. A person's settlement replaces a doubtful verdict.

The current score is that of the run's score set, or the newest for a run without one.
"""
CURRENT_SCORE = """
CREATE VIEW current_score AS
SELECT response_id, criterion_hash, outcome, score, points, total, run_id, subject_id, sample
FROM response_score WHERE criterion_hash IS NOT NULL
"""
"""Only the responses that have a score."""
VIEWS = (RESPONSE_SCORE, CURRENT_SCORE)
QUEUE_INDEX_COLUMNS = "row, language, task, domain, area, difficulty, active) WHERE active = 1"
"""The last columns of each index that is used to read a filtered queue in its order.

The filtered columns are part of the index, so SQLite need not look up the rows. Verdicts and holders are left out,
since every decision changes them.
"""

_COUNT_ROW_VALUES = """
    NEW.task, NEW.language, NEW.domain, NEW.area, NEW.difficulty, coalesce(NEW.verdict, ''),
    coalesce(NEW.holder_id, ''), CASE WHEN NEW.prompt_id IS NULL THEN 0 ELSE 1 END,
    CASE WHEN NEW.criterion_id IS NULL THEN 0 ELSE 1 END, NEW.proven, 1
"""
_SAME_COUNT_ROW = """
    task = OLD.task AND language = OLD.language AND domain = OLD.domain AND area = OLD.area
    AND difficulty = OLD.difficulty AND verdict = coalesce(OLD.verdict, '')
    AND holder_id = coalesce(OLD.holder_id, '') AND has_prompt = CASE WHEN OLD.prompt_id IS NULL THEN 0 ELSE 1 END
    AND has_criterion = CASE WHEN OLD.criterion_id IS NULL THEN 0 ELSE 1 END AND proven = OLD.proven
"""
_INCREMENT = """
    ON CONFLICT (task, language, domain, area, difficulty, verdict, holder_id, has_prompt, has_criterion, proven)
    DO UPDATE SET subjects = subject_count.subjects + 1
"""
_STATE = """(
    {row}.active, {row}.task, {row}.language, {row}.domain, {row}.area, {row}.difficulty, {row}.verdict,
    {row}.holder_id, {row}.prompt_id IS NOT NULL, {row}.criterion_id IS NOT NULL, {row}.proven
)"""
"""The columns of a subject that determine in which row of `subject_count` it is counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trigger:
    """Statements to run for each row of a table that an act (INSERT, UPDATE or DELETE) affects.

    ``condition`` limits the rows (empty for all); its ``{differs}`` becomes the database's row comparison.
    """

    name: str
    act: str
    table: str
    statements: str
    condition: str = ""


def define_triggers() -> Iterator[Trigger]:
    """Yield the triggers that update subject counts and delete a run's cached scores and counts when they change."""
    run_of_score = "= (SELECT run_id FROM response WHERE id = {row}.response_id)"
    runs_of_answer = (
        "IN (SELECT run_id FROM response WHERE subject_id = NEW.subject_id AND content_hash = NEW.answer_hash)"
    )
    both_caches = ("run_scores", "run_counts")
    for name, act, table, cache_tables, run_condition in (
        ("run_scores_added", "INSERT", "score", both_caches, run_of_score.format(row="NEW")),
        ("run_scores_changed", "UPDATE", "score", both_caches, run_of_score.format(row="NEW")),
        ("run_scores_removed", "DELETE", "score", both_caches, run_of_score.format(row="OLD")),
        ("run_scores_resumed", "UPDATE", "run", ("run_scores",), "= NEW.id"),
        ("run_scores_settled", "INSERT", "settlement", both_caches, runs_of_answer),
        ("run_scores_settled_again", "UPDATE", "settlement", both_caches, runs_of_answer),
        ("run_counts_answered", "INSERT", "response", ("run_counts",), "= NEW.run_id"),
        ("run_counts_failed", "INSERT", "failure", ("run_counts",), "= NEW.run_id"),
        ("run_counts_mended", "DELETE", "failure", ("run_counts",), "= OLD.run_id"),
        ("run_counts_changed", "UPDATE", "run", ("run_counts",), "= NEW.id"),
    ):
        statements = " ".join(
            f"DELETE FROM {cache_table} WHERE run_id {run_condition};" for cache_table in cache_tables
        )
        yield Trigger(name=name, act=act, table=table, statements=statements)
    for name, act, condition, statements in (
        ("added", "INSERT", "NEW.active = 1", f"INSERT INTO subject_count VALUES ({_COUNT_ROW_VALUES}) {_INCREMENT};"),
        (
            "changed",
            "UPDATE",
            f"{_STATE.format(row='OLD')} {{differs}} {_STATE.format(row='NEW')}",
            f"UPDATE subject_count SET subjects = subjects - 1 WHERE OLD.active = 1 AND {_SAME_COUNT_ROW}; "
            f"INSERT INTO subject_count SELECT {_COUNT_ROW_VALUES} WHERE NEW.active = 1 {_INCREMENT};",
        ),
        (
            "removed",
            "DELETE",
            "OLD.active = 1",
            f"UPDATE subject_count SET subjects = subjects - 1 WHERE {_SAME_COUNT_ROW};",
        ),
    ):
        yield Trigger(
            name=f"subject_count_{name}", act=act, table="subject", condition=condition, statements=statements
        )
