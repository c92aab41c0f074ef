"""List the answers behind a cell of the results, filtered by outcome, words and change since the previous run."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from annotator.base.errors import BadInputError
from annotator.base.messages import Message
from annotator.formats.write.export_folder import write_file
from annotator.formats.write.table_writer import write_table
from annotator.model.rows.result_rows import Column, ItemScoreRow, ResultRun, Table, Target, Usage
from annotator.services.results import responses
from annotator.services.results.score_data import OUTCOMES, OUTCOMES_BY_GROUP, ResultData
from annotator.store.file.project_file import ProjectFile
from annotator.store.judging import studies
from annotator.store.runs import stored_answers as stored
from annotator.store.runs.score_columns import CODES

_BATCH_SIZE = 1_000
_QUOTED_OR_WORD = re.compile(r'"([^"]+)"|(\S+)')


@dataclass(frozen=True, slots=True)
class AnswerFilter:
    """A filter of answers; the default matches all.

    ``outcome`` is one of `OUTCOMES`. Each of ``words`` (a quoted phrase counts as one) must be in the answer, in the
    output of running it, or in the name of a rule it failed. ``changed`` keeps answers whose outcome differs from the
    previous run of the same model and protocol.
    """

    outcome: str = ""
    words: str = ""
    changed: bool = False


def read_answers(
    store: ProjectFile, data: ResultData, target: Target, answer_filter: AnswerFilter | None = None
) -> tuple[ItemScoreRow, ...]:
    """Return the answers behind a cell of the results, with their token usage and cost.

    Raises `BadInputError` for an unknown outcome, for ``changed`` if there is no previous run, and for a rater of a
    blind study of these items, since outcomes by model reveal which model an answer is from.
    """
    answer_filter = answer_filter or AnswerFilter()
    rows = _load_target_rows(store, data, target)
    with store.read() as db:
        studies.refuse_blind(db, store.annotator.id, {row.subject_id for row in rows})
    if answer_filter.outcome:
        outcomes = OUTCOMES_BY_GROUP.get(answer_filter.outcome) or {answer_filter.outcome}
        if not outcomes <= set(CODES):
            raise BadInputError(f"There is no outcome {answer_filter.outcome}. Choose from: {', '.join(OUTCOMES)}.")
        rows = tuple(row for row in rows if row.outcome in outcomes)
    if answer_filter.changed:
        rows = _keep_changed_rows(store, data, rows)
    if words := [(phrase or word).casefold() for phrase, word in _QUOTED_OR_WORD.findall(answer_filter.words)]:
        matching_ids = _find_rows_with_words(store, rows, words)
        rows = tuple(row for row in rows if row.response_id in matching_ids)
    # Doubtful verdicts are settled without knowing the model.
    names = {} if target.kind == "doubt" else {entry.run.id: entry.label for entry in data.entries}
    with store.read() as db:
        usages = stored.fetch_usages(db, [row.response_id for row in rows])
    return tuple(
        replace(row, usage=usages.get(row.response_id, Usage()), model=names.get(row.run_id, row.model)) for row in rows
    )


def _load_target_rows(store: ProjectFile, data: ResultData, target: Target) -> tuple[ItemScoreRow, ...]:
    if target.kind == "failed":
        return responses.load_failed_rows(store, data, target)
    if target.kind == "doubt":
        return responses.doubtful_responses(store, data)
    if target.kind == "item":
        return responses.responses_to_item(store, data, target.id)
    return responses.responses_of_run(store, data, target.run_id, target.by, target.value)


def _find_rows_with_words(store: ProjectFile, rows: Sequence[ItemScoreRow], words: Sequence[str]) -> set[str]:
    matching_ids = set()
    with store.read() as db:
        for response, text, detail in stored.texts_and_details(db, [row.response_id for row in rows]):
            rules = (rule for rule in detail.get("rules", ()) if isinstance(rule, Mapping))
            failed = (str(rule.get("label", "")) for rule in rules if rule.get("matched") is False)
            searched = "\n".join((text, responses.scoring_log(detail), *failed)).casefold()
            if all(word in searched for word in words):
                matching_ids.add(response)
    return matching_ids


def _keep_changed_rows(store: ProjectFile, data: ResultData, rows: Sequence[ItemScoreRow]) -> tuple[ItemScoreRow, ...]:
    runs = data.finished
    previous_ids = {run.id: earlier.id for run in runs if (earlier := find_previous_run(run, runs)) is not None}
    run_ids = {row.run_id for row in rows if row.run_id in previous_ids}
    if rows and not run_ids:
        raise BadInputError("There is no earlier run of the same model and protocol on this release to compare with.")
    outcomes: dict[tuple[str, str, int], str] = {}
    with store.read() as db:
        for run in run_ids:
            for _, subject, sample, outcome, *_ in stored.responses_at(db, [previous_ids[run]]):
                outcomes[run, subject, sample] = outcome
    return tuple(
        row for row in rows if outcomes.get((row.run_id, row.subject_id, row.sample), row.outcome) != row.outcome
    )


def write_answers(store: ProjectFile, rows: Sequence[ItemScoreRow], path: Path) -> None:
    """Write answers to a file: with texts as .jsonl, which can be imported as samples; else as a table."""
    if path.suffix.lower() != ".jsonl":
        write_table(answer_table(rows), path)
        return
    write_file(path, "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in read_answer_lines(store, rows)))


def read_answer_lines(store: ProjectFile, rows: Sequence[ItemScoreRow]) -> Iterator[dict[str, Any]]:
    """Yield answers with their texts, read in batches, in the fields of the samples format."""
    for start in range(0, len(rows), _BATCH_SIZE):
        batch = rows[start : start + _BATCH_SIZE]
        with store.read() as db:
            studies.refuse_blind(db, store.annotator.id, {row.subject_id for row in batch})
            stored_texts = stored.texts_and_details(db, [row.response_id for row in batch])
            texts = {response: text for response, text, _ in stored_texts}
        yield from (
            {
                "subject": row.key, "sample": row.sample, "response": texts.get(row.response_id, ""),
                "model": row.model, "outcome": row.outcome, "score": row.score, **asdict(row.usage),
                "id": row.response_id,
            }
            for row in batch
        )  # fmt: skip


def answer_table(rows: Sequence[ItemScoreRow]) -> Table:
    """Return answers as a table with a row per answer; samples are counted from 1, as in all texts for people."""
    usages = [row.usage for row in rows]
    columns = (
        Column.of_texts("key", [row.key for row in rows]),
        Column.of_texts("title", [row.title for row in rows]),
        Column.of_texts("language", [row.language for row in rows]),
        Column.of_texts("model", [row.model for row in rows]),
        Column.of_counts("sample", [row.sample + 1 for row in rows]),
        Column.of_texts("outcome", [row.outcome for row in rows]),
        Column.of_shares("score %", [row.score for row in rows]),
        Column.of_texts("mode", [row.mode for row in rows]),
        Column.of_numbers("prompt tokens", [usage.prompt_tokens for usage in usages], 0),
        Column.of_numbers("completion tokens", [usage.completion_tokens for usage in usages], 0),
        Column.of_numbers("cost", [usage.cost for usage in usages], 6),
        Column.of_numbers("seconds", [usage.seconds for usage in usages], 3),
        Column.of_texts("response", [row.response_id for row in rows]),
    )
    return Table(name="answers", title=Message("Answers"), columns=columns)


def find_previous_run(run: ResultRun, runs: Sequence[ResultRun]) -> ResultRun | None:
    """Return the previous run of the same model and protocol, None if there is none; ``runs`` is newest first."""
    run_ids = [other.id for other in runs]
    older = runs[run_ids.index(run.id) + 1 :] if run.id in run_ids else ()
    return next((other for other in older if (other.model, other.protocol) == (run.model, run.protocol)), None)
