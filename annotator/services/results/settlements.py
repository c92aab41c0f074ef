"""Settle doubtful verdicts (disputed, flaky, tampered) by hand, with a reason, without seeing the model's name."""

from __future__ import annotations

from annotator.base.errors import BadInputError
from annotator.model.changes import Changes
from annotator.model.rows.result_rows import ItemScoreRow
from annotator.model.rows.run_rows import SettlementRow
from annotator.services.results import responses
from annotator.services.results.score_data import ResultData
from annotator.store.file.project_file import ProjectFile
from annotator.store.judging import studies
from annotator.store.runs import stored_settlements as stored

VERDICTS = ("pass", "fail")


def settle_answer(store: ProjectFile, response_id: str, verdict: str, reason: str) -> Changes:
    """Settle an answer as pass or fail, as one act that can be undone; applies to identical answers in all runs.

    Raises `BadInputError` without a reason, and for an answer whose verdict is not in doubt.
    """
    if verdict not in VERDICTS:
        raise BadInputError(f"An answer is settled as {' or '.join(VERDICTS)}, not as {verdict}.")
    if not reason.strip():
        raise BadInputError("Settling an answer needs a reason, for others will want to know. Nothing was changed.")
    with store.write() as db:
        return stored.add_settlement(db, store.annotator.id, response_id, verdict, " ".join(reason.split()))


def settlements_of_answer(store: ProjectFile, response_id: str) -> tuple[SettlementRow, ...]:
    """Return the settlements of an answer; the last one counts."""
    with store.read() as db:
        return stored.settlements_of_response(db, response_id)


def doubtful_responses(store: ProjectFile, data: ResultData) -> tuple[ItemScoreRow, ...]:
    """Return the responses of all runs whose verdict was in doubt, unsettled ones first, by item.

    They do not name the model, since a verdict must not depend on it. Raises `BadInputError` for a rater of a blind
    study of some of these items.
    """
    runs = [entry.run.id for entry in data.entries]
    with store.read() as db:
        doubtful = {row.response_id: row for row in stored.fetch_doubtful_responses(db, runs)}
    rows = [row for run in runs for row in responses.responses_of_run(store, data, run) if row.response_id in doubtful]
    with store.read() as db:
        studies.refuse_blind(db, store.annotator.id, {row.subject_id for row in rows})
    return tuple(sorted(rows, key=lambda row: (row.outcome in VERDICTS, row.key, row.response_id)))
