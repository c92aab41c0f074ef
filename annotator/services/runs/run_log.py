"""Inspect runs: items, requests (also before a run is made), errors by cause, and settings side by side."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from annotator.base.errors import BadInputError
from annotator.base.messages import Message
from annotator.base.records import record_from
from annotator.evaluation.item_prompts import build_question
from annotator.evaluation.presets import Protocol, describe_protocol
from annotator.llm.prices import parse_prices
from annotator.llm.probe import ProbeReport
from annotator.llm.requests import Request
from annotator.model.rows.run_rows import CauseRow, RequestLog, RequestRow, RunItemRow
from annotator.model.tables.run_tables import Run
from annotator.model.token_usage import TokenUsage
from annotator.services.runs import run_setups
from annotator.services.runs.execution import describe_missing_finish_reasons
from annotator.services.runs.run_plan import engine_item, protocol_of
from annotator.store.file.project_file import ProjectFile
from annotator.store.file.writer import Session, driver_connection
from annotator.store.judging import studies
from annotator.store.queue import stored_subjects
from annotator.store.runs import run_data, run_views, stored_releases
from annotator.store.runs import score_columns as stored


def load_run_items(store: ProjectFile, run_id: str) -> tuple[RunItemRow, ...]:
    """Return every item of a run with the counts of its answers, failures and outcomes, in release order.

    Raises `BadInputError` for a rater of a blind study of these items.
    """
    with store.read() as db:
        run = run_data.fetch_run(db, run_id)
        refuse_blind_run(store, db, run)
        counts = run_views.count_by_item(db, run.id)
    with store.reader() as connection:
        items = stored.load_item_rows(connection, run.release_id)
    no_counts = run_views.ItemCounts()
    return tuple(
        record_from(RunItemRow, item, expected=run.samples, **asdict(counts.get(item.subject_id, no_counts)))
        for item in items
    )


def list_requests(
    store: ProjectFile, run_id: str, subject_id: str = "", outcome: str = "", limit: int = 500, *, words: str = ""
) -> tuple[RequestRow, ...]:
    """Return a run's requests, failures first, then newest first; optionally of one item or one outcome.

    Each of ``words`` must be in the item's name, the answer, or the failure's reason. Raises `BadInputError` for a
    rater of a blind study of these items.
    """
    with store.read() as db:
        run = run_data.fetch_run(db, run_id)
        refuse_blind_run(store, db, run)
        return run_views.fetch_requests(db, run.id, subject_id, outcome, limit, words)


def refuse_blind_run(store: ProjectFile, db: Session, run: Run) -> None:
    """Raise `BadInputError` if the annotator is a rater of a blind study of one of a run's items."""
    subjects = {item.subject_id for item in stored.load_item_rows(driver_connection(db), run.release_id)}
    studies.refuse_blind(db, store.annotator.id, subjects)


def request_log(store: ProjectFile, run_id: str, subject_id: str, sample: int) -> RequestLog:
    """Return everything about one request of a run.

    Raises `BadInputError` if it was not made, and for a rater of a blind study of the item.
    Never contains an API key: requests are stored without their headers.
    """
    with store.read() as db:
        run = run_data.fetch_run(db, run_id)
        studies.refuse_blind(db, store.annotator.id, [subject_id])
        key = next(
            (item["key"] for item in stored_releases.items_of(db, run.release_id) if item["id"] == subject_id), ""
        )
        answers = run_data.answers_at(db, run.id, [(subject_id, sample)])
        failure = run_views.find_failure(db, run.id, subject_id, sample)
        score = run_views.find_score(db, run.id, subject_id, sample)
    if not key or not (answers or failure):
        raise BadInputError("This request has not been made yet.")
    if not answers:
        assert failure is not None
        failure_facts = (("Cause", failure.cause), ("Attempts", str(failure.attempts)))
        return RequestLog(key=key, sample=sample, request={}, text="", facts=failure_facts, problem=failure.reason)
    answer = answers[0]
    labelled_values: list[tuple[str, Any]] = [
        ("Outcome", answer.outcome),
        ("Finish reason", answer.finish_reason),
        ("Served by", answer.served_model),
        ("Seconds", answer.seconds),
        ("Retries", answer.retries),
        ("Seed", answer.seed),
        ("Usage", ", ".join(f"{name} {value}" for name, value in answer.usage.items())),
        ("Cost", f"{answer.cost:.6f}" if answer.cost else ""),
        ("From the cache", "yes" if answer.cached else ""),
        ("Pass", answer.label),
        ("Template", answer.template),
        ("Request hash", answer.request_hash),
    ]
    if score is not None:
        labelled_values += [("Score", score[1]), ("Scored as", score[0]), ("Because", score[2])]
    facts = tuple((name, str(value)) for name, value in labelled_values if value not in (None, ""))
    return RequestLog(key=key, sample=sample, request=dict(answer.request), text=answer.text, facts=facts)


def failure_causes(store: ProjectFile, run_id: str) -> tuple[CauseRow, ...]:
    """Return machinery failures by cause: requests without an answer, and responses without a score."""
    with store.read() as db:
        return run_views.fetch_causes(db, run_data.fetch_run(db, run_id).id)


def token_usage_of_run(store: ProjectFile, run_id: str) -> TokenUsage:
    """Return the tokens of a run's paid answers, including cached and reasoning tokens."""
    with store.read() as db:
        return run_data.token_usage(db, run_data.fetch_run(db, run_id).id)


def describe_tokens(usage: TokenUsage) -> str:
    """Describe a token usage in words."""
    cached = f" ({usage.cached:,} from the endpoint's cache)" if usage.cached else ""
    reasoning = f" ({usage.reasoning:,} of them reasoning)" if usage.reasoning else ""
    return f"{usage.prompt:,} prompt tokens{cached}, {usage.completion:,} answer tokens{reasoning}"


def describe_probe(report: ProbeReport) -> tuple[str, ...]:
    """Describe the result of an endpoint test, one sentence per finding."""
    lines: list[str] = []
    if report.seconds is not None:
        lines.append(Message("{model} answered in {seconds} s.", model=report.model, seconds=f"{report.seconds:.1f}"))
    if report.note:
        lines.append(report.note)
    if report.listed is False:
        lines.append(Message("It is not among the {count} models that the endpoint lists.", count=len(report.models)))
    if report.context_tokens:
        lines.append(Message("Its context holds {tokens} tokens.", tokens=f"{report.context_tokens:,}"))
    if report.limits:
        limits = ", ".join(f"{name} {value}" for name, value in report.limits)
        lines.append(Message("Limits of the endpoint: {limits}.", limits=limits))
    return tuple(lines)


def describe_settings(store: ProjectFile, run_id: str) -> tuple[tuple[str, str], ...]:
    """Return a run's settings as (label, text)."""
    with store.read() as db:
        run = run_data.fetch_run(db, run_id)
    rows = list(describe_protocol(protocol_of(run)))
    endpoint = run.settings.get("endpoint") or {}
    price = run.settings.get("price") or {}
    recorded = run.settings.get("replay") or {}
    rows += [
        ("Endpoint", endpoint.get("base_url", "")),
        ("Requests at a time", str(endpoint.get("concurrency", ""))),
        ("Recorded in", recorded.get("file", "")),
        ("Recorded prompts", _describe_recorded_prompts(recorded)),
        ("Finish reasons", describe_missing_finish_reasons(recorded)),
        ("Price per million tokens", parse_prices([price]).prices[0].describe() if price else ""),
        ("Batch", f"yes, at {endpoint.get('batch_factor', 1):g} times the price" if run.settings.get("batch") else ""),
        ("Cost cap", str(run.settings.get("cap") or "")),
        ("Scored", run.settings.get("executor", "")),
        ("Asked anew", "yes" if run.settings.get("again") else ""),
    ]
    return tuple((name, text) for name, text in rows if text)


def _describe_recorded_prompts(recorded: Mapping[str, Any]) -> str:
    """Describe whether the recorded answers were given to this run's prompts, as far as the file states it."""
    # The number of answers whose prompt the file does not state.
    unstated = recorded.get("untold")
    if unstated is None:
        return ""
    text = "not stated in the file" if unstated else "the same as in this run"
    if unstated and unstated < recorded.get("responses", 0):
        text = f"the same as in this run; not stated for {unstated} answers"
    other = recorded.get("other_prompt", 0)
    return f"{text}; {other} answers to other prompts left out" if other else text


def compare_settings(store: ProjectFile, run_ids: Sequence[str]) -> tuple[tuple[str, tuple[str, ...], bool], ...]:
    """Return every setting of several runs as (label, a text per run, whether they differ)."""
    columns = [dict(describe_settings(store, run_id)) for run_id in run_ids]
    names = list(dict.fromkeys(name for column in columns for name in column))
    rows = []
    for name in names:
        texts = tuple(column.get(name, "") for column in columns)
        rows.append((name, texts, len(set(texts)) > 1))
    return tuple(rows)


def body_text(body: Mapping[str, Any]) -> str:
    """Return a request's body as readable text: its messages, then its settings."""
    parts = [f"[{item['role']}]\n{item['content']}" for item in body.get("messages", ())]
    parts += [f"[{name}]\n{body[name]}" for name in ("prompt", "suffix") if body.get(name)]
    settings = {name: value for name, value in body.items() if name not in ("messages", "prompt", "suffix")}
    if settings:
        parts.append(f"[settings]\n{json.dumps(settings, ensure_ascii=False, indent=2)}")
    return "\n\n".join(parts)


_PREVIEWED_MODEL = "…"
"""Placeholder for the model's name."""
_DEFAULT_PROTOCOL = "plain"


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestPreview:
    """A subject's request under one of the project's protocols: its text, or why it cannot be built."""

    subject_id: str
    protocols: tuple[Protocol, ...]
    protocol_name: str
    text: str = ""
    problem: str = ""


def preview_request(store: ProjectFile, subject_id: str, protocol: str = "") -> RequestPreview:
    """Return the first request that a protocol makes of a subject, from its saved texts.

    The default protocol is that of the project's newest run, else the plain one. Raises `BadInputError` for an unknown
    subject.
    """
    protocols = run_setups.list_protocols(store)
    with store.read() as db:
        item = engine_item(stored_releases.current_item(db, stored_subjects.find_subject(db, subject_id).id))
        preset = protocol or run_data.find_newest_preset(db)
    names = {item.name for item in protocols}
    protocol_name = preset if preset in names else _DEFAULT_PROTOCOL
    try:
        return RequestPreview(
            subject_id=item["id"],
            protocols=protocols,
            protocol_name=protocol_name,
            text=_request_text(item, run_setups.protocol_named(store, protocol_name)),
        )
    except BadInputError as error:
        return RequestPreview(
            subject_id=item["id"], protocols=protocols, protocol_name=protocol_name, problem=error.message
        )


def _request_text(item: dict[str, object], protocol: Protocol) -> str:
    question = build_question(item, protocol)
    decoding = protocol.pass_of(0).decoding
    request = Request(
        endpoint="",
        model=_PREVIEWED_MODEL,
        form=protocol.form,
        messages=question.messages,
        prompt=question.prompt,
        suffix=question.suffix,
        decoding=decoding,
    )
    return body_text(request.body())
