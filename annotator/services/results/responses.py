"""Responses of runs: list them by item and sample, and find one with its details."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from annotator.base.errors import BadInputError
from annotator.base.records import record_from
from annotator.formats.documents.release_facts import item_mode
from annotator.model.changes import Changes
from annotator.model.rows.result_rows import ItemRow, ItemScoreRow, ResponseDetail, Target, Usage
from annotator.model.rows.run_rows import SettlementRow
from annotator.model.vocabulary import UNSETTLED
from annotator.services.results import error_labels
from annotator.services.results.score_data import ResultData, load_results
from annotator.store.file.project_file import ProjectFile
from annotator.store.judging import studies
from annotator.store.runs import run_views, stored_runs
from annotator.store.runs import stored_answers as stored


def load_run_data(store: ProjectFile, run_id: str) -> ResultData:
    """Return the results of one run. Raises `BadInputError` for an unknown or unfinished one."""
    return load_results(store, _find_version(store, run_id), runs=(run_id,))


def find_response(store: ProjectFile, start: str) -> str:
    """Return the id of the one response whose id begins with ``start``. Raises `BadInputError` for none or several."""
    with store.read() as db:
        matches = stored.responses_named(db, start)
    if len(matches) != 1:
        quantity = "no response" if not matches else "more than one response"
        raise BadInputError(f"There is {quantity} whose id begins with {start}.")
    return matches[0]


def responses_of_run(
    store: ProjectFile, data: ResultData, run_id: str, by: str = "", value: str = ""
) -> tuple[ItemScoreRow, ...]:
    """Return a run's responses from loaded results, by item and sample; with ``by`` only the group ``value``."""
    selected = data.items
    if by:
        selected = tuple(item for item, group in zip(data.items, data.groups(by), strict=True) if group == value)
    facts = {item.subject_id: item for item in selected}
    return _load_responses(store, (run_id,), facts, all_items=not by)


def responses_to_item(store: ProjectFile, data: ResultData, subject_id: str) -> tuple[ItemScoreRow, ...]:
    """Return the responses of every run to one item, by model and sample."""
    facts = {item.subject_id: item for item in data.items if item.subject_id == subject_id}
    rows = _load_responses(store, [entry.run.id for entry in data.entries], facts)
    labels = {entry.run.id: entry.label for entry in data.entries}
    return tuple(
        sorted((replace(row, model=labels[row.run_id]) for row in rows), key=lambda row: (row.model, row.sample))
    )


def _load_responses(
    store: ProjectFile, run_ids: Sequence[str], facts: Mapping[str, ItemRow], *, all_items: bool = False
) -> tuple[ItemScoreRow, ...]:
    with store.read() as db:
        stored_rows = stored.responses_at(db, run_ids, () if all_items else tuple(facts)) if facts else []
    rows = [
        record_from(ItemScoreRow, facts[subject], sample=sample, outcome=outcome, score=score, response_id=response,
                    run_id=run, model="", usage=Usage())
        for run, subject, sample, outcome, score, response in stored_rows
        if subject in facts
    ]  # fmt: skip
    return tuple(sorted(rows, key=lambda row: (row.key, row.sample)))


def _find_version(store: ProjectFile, run_id: str) -> str:
    with store.read() as db:
        version = stored.version_of(db, run_id)
    if version is None:
        raise BadInputError("There is no such run in this project.")
    return version


def subject_of_response(store: ProjectFile, response_id: str) -> str:
    """Return the subject id of a response. Raises `BadInputError` for an unknown one."""
    with store.read() as db:
        return stored_runs.fetch_response(db, response_id)[0].subject_id


def response_detail(store: ProjectFile, response_id: str) -> ResponseDetail:
    """Return one response with its released prompt, reference and criterion.

    Raises `BadInputError` for an unknown one, and for one that the annotator still has to judge blind.
    """
    with store.read() as db:
        response, score, model, item = stored_runs.fetch_response(db, response_id)
        studies.refuse_blind(db, store.annotator.id, [response.subject_id])
        settlements = run_views.fetch_settlements_of_response(db, response_id)
    stated_outcome, value = (score.outcome, score.score) if score else ("machinery", None)
    outcome = stated_outcome
    if settlements and stated_outcome in UNSETTLED:
        outcome = settlements[-1].verdict
        value = float(outcome == "pass")
    return ResponseDetail(
        key=item["key"],
        title=item["title"],
        model=model.name,
        sample=response.sample,
        outcome=outcome,
        score=value,
        prompt=item["prompt"],
        text=response.text,
        reference=item["reference"],
        source=item["criterion"],
        files=item.get("files", {}),
        response_id=response.id,
        mode=item_mode(item),
        told=stated_outcome,
        settled=settlements,
    )


_TEST_VERDICTS = MappingProxyType({"True": "passed", "False": "failed"})
_LOG_KEYS = ("reason", "message", "log", "stdout", "stderr", "weaker")


def scoring_log(facts: Mapping[str, Any]) -> str:
    """Return the log of scoring a response: reasons, outputs, and the result of each test."""
    lines = [f"{name}: {facts[name]}" for name in _LOG_KEYS if facts.get(name)]
    for test in facts.get("tests", ()) or ():
        if isinstance(test, Mapping):
            words = [str(test.get(name, "")) for name in ("name", "outcome", "message", "detail")]
            lines.append("  ".join(word for word in words if word))
    for rule in facts.get("rules", ()):
        if isinstance(rule, Mapping) and rule.get("metric") == "unit_test":
            verdict = _TEST_VERDICTS.get(str(rule.get("matched")), "not judged")
            lines.append(f"{rule.get('label', 'test')}: {verdict}\n{rule.get('detail', '')}".rstrip())
    return "\n".join(lines)


def load_failed_rows(store: ProjectFile, data: ResultData, target: Target) -> tuple[ItemScoreRow, ...]:
    """Return the failed responses counted in a cell of the error table, by item and sample."""
    by_id = {item.response_id: item for item in error_labels.failed_responses_of_run(store, target.run_id)}
    if target.by:
        by_id = {
            key: item
            for key, item in by_id.items()
            if (any(row.label == target.value for row in item.labels) if target.value else not item.labels)
        }
    return tuple(row for row in responses_of_run(store, data, target.run_id) if row.response_id in by_id)


VERDICTS = ("pass", "fail")


def settle_answer(store: ProjectFile, response_id: str, verdict: str, reason: str) -> Changes:
    """Settle an answer as pass or fail in one undoable change; applies to identical answers in all runs.

    Raises `BadInputError` without a reason, and for an answer whose verdict is not in doubt.
    """
    if verdict not in VERDICTS:
        raise BadInputError(f"An answer is settled as {' or '.join(VERDICTS)}, not as {verdict}.")
    if not reason.strip():
        raise BadInputError("Settling an answer needs a reason, so that others understand it. Nothing was changed.")
    with store.write() as db:
        return run_views.add_settlement(db, store.annotator.id, response_id, verdict, " ".join(reason.split()))


def settlements_of_answer(store: ProjectFile, response_id: str) -> tuple[SettlementRow, ...]:
    """Return the settlements of an answer; the last one counts."""
    with store.read() as db:
        return run_views.fetch_settlements_of_response(db, response_id)


def doubtful_responses(store: ProjectFile, data: ResultData) -> tuple[ItemScoreRow, ...]:
    """Return the responses of all runs whose verdict was in doubt, unsettled ones first, by item.

    The model's name is left out, since a verdict must not depend on it. Raises `BadInputError` for a rater of a blind
    study of some of these items.
    """
    runs = [entry.run.id for entry in data.entries]
    with store.read() as db:
        doubtful = run_views.find_doubtful_responses(db, runs)
    rows = [row for run in runs for row in responses_of_run(store, data, run) if row.response_id in doubtful]
    with store.read() as db:
        studies.refuse_blind(db, store.annotator.id, {row.subject_id for row in rows})
    return tuple(sorted(rows, key=lambda row: (row.outcome in VERDICTS, row.key, row.response_id)))
