"""Views of one run for screens and commands; texts are loaded for one request at a time.

People settle doubtful verdicts. A settlement applies to an item and an answer's text, from any model.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Float,
    Integer,
    Join,
    Select,
    Table,
    and_,
    case,
    cast,
    exists,
    func,
    literal,
    null,
    or_,
    select,
    union_all,
)
from sqlmodel import Session
from sqlmodel import select as select_rows

from annotator.base.errors import BadInputError
from annotator.base.messages import Message, mark_word
from annotator.model.changes import Changes
from annotator.model.rows.run_rows import CauseRow, LabelRow, RequestRow, SettlementRow
from annotator.model.tables.run_tables import ErrorLabel, Failure, Response, Settlement
from annotator.model.vocabulary import NO_ANSWER, UNSETTLED
from annotator.store.core_tables import (
    ANNOTATOR,
    CURRENT_SCORE,
    ERROR_LABEL,
    FAILURE,
    RELEASE_ITEM,
    RESPONSE,
    RESPONSE_SCORE,
    RUN,
    RUN_COUNTS,
    SCORE,
    SETTLEMENT,
    SUBJECT,
    as_stored,
    is_current_score,
    json_text,
    select_named,
    upsert,
)
from annotator.store.history import undo_log


@dataclass(slots=True)
class ItemCounts:
    """The counts of one item's responses in a run; ``score`` is the mean of the scored ones."""

    answered: int = 0
    failed: int = 0
    outcomes: dict[str, int] = field(default_factory=dict)
    score: float | None = None


def count_by_item(db: Session, run_id: str) -> dict[str, ItemCounts]:
    """Count a run's responses by item."""
    counts: dict[str, ItemCounts] = {}
    connection = db.connection()

    def count_by_subject(table: Table) -> Select[str, int]:
        return select(table.c.subject_id, func.count()).where(table.c.run_id == run_id).group_by(table.c.subject_id)

    for subject, number in connection.execute(count_by_subject(RESPONSE)):
        counts.setdefault(subject, ItemCounts()).answered = number
    for subject, number in connection.execute(count_by_subject(FAILURE)):
        counts.setdefault(subject, ItemCounts()).failed = number
    score = CURRENT_SCORE.c
    totals: dict[str, tuple[float, int]] = {}
    sums = (func.count(), func.coalesce(func.sum(score.score), 0.0), func.count(score.score))
    scored = select(score.subject_id, score.outcome, *sums).where(score.run_id == run_id)
    for subject, outcome, number, total, scored_count in connection.execute(
        scored.group_by(score.subject_id, score.outcome)
    ):
        counts.setdefault(subject, ItemCounts()).outcomes[outcome] = number
        earlier = totals.get(subject, (0.0, 0))
        totals[subject] = earlier[0] + total, earlier[1] + scored_count
    for subject, (total, scored_count) in totals.items():
        counts[subject].score = total / scored_count if scored_count else None
    return counts


def fetch_requests(
    db: Session, run_id: str, subject_id: str, outcome: str, limit: int, words: str = ""
) -> tuple[RequestRow, ...]:
    """Return a run's requests, optionally of one item or outcome: failures first, then the newest first.

    Each of ``words`` must occur in the item's name, the answer, or the reason for its absence.
    """

    def with_item(table: Table) -> Join:
        is_item = and_(RELEASE_ITEM.c.release_id == RUN.c.release_id, RELEASE_ITEM.c.subject_id == table.c.subject_id)
        return table.join(RUN, RUN.c.id == table.c.run_id).join(RELEASE_ITEM, is_item)

    item_key = json_text(RELEASE_ITEM.c.item, "key")
    failures = select_named(
        subject_id=FAILURE.c.subject_id,
        key=item_key,
        sample=FAILURE.c.sample,
        outcome=literal("failed"),
        cause=FAILURE.c.cause,
        seconds=cast(null(), Float),
        tokens=cast(null(), Integer),
        retries=FAILURE.c.attempts - 1,
        cached=literal(0),
        created_at=FAILURE.c.created_at,
        place=literal(0),
    )
    answers = select_named(
        subject_id=RESPONSE.c.subject_id,
        key=item_key,
        sample=RESPONSE.c.sample,
        outcome=func.coalesce(CURRENT_SCORE.c.outcome, RESPONSE.c.outcome),
        cause=literal(""),
        seconds=RESPONSE.c.seconds,
        tokens=func.coalesce(RESPONSE.c.prompt_tokens, 0) + func.coalesce(RESPONSE.c.completion_tokens, 0),
        retries=RESPONSE.c.retries,
        cached=as_stored(RESPONSE.c.cached),
        created_at=RESPONSE.c.created_at,
        place=literal(1),
    )
    scored = with_item(RESPONSE).outerjoin(CURRENT_SCORE, CURRENT_SCORE.c.response_id == RESPONSE.c.id)
    answers = answers.select_from(scored).where(RESPONSE.c.run_id == run_id)
    failures = failures.select_from(with_item(FAILURE)).where(FAILURE.c.run_id == run_id)
    for word in words.lower().split():
        answers = answers.where(
            _contains(word, item_key, RESPONSE.c.text, RESPONSE.c.finish_reason, RESPONSE.c.served_model)
        )
        failures = failures.where(_contains(word, item_key, FAILURE.c.cause, FAILURE.c.reason))
    requests = union_all(failures, answers)
    row = requests.subquery("requests").c
    query = select(*(column for column in row if column is not row.place))
    query = query.order_by(row.place, row.created_at.desc(), row.key, row.sample).limit(limit)
    if subject_id:
        query = query.where(row.subject_id == subject_id)
    if outcome:
        query = query.where(row.outcome == outcome)
    return tuple(
        RequestRow(**{**request, "tokens": request["tokens"] or None, "cached": bool(request["cached"])})
        for request in db.connection().execute(query).mappings()
    )


def _contains(word: str, *texts: ColumnElement[str]) -> ColumnElement[bool]:
    return or_(*(func.lower(text).contains(word, autoescape=True) for text in texts))


def fetch_causes(db: Session, run_id: str) -> tuple[CauseRow, ...]:
    """Return the causes of missing solutions in a run, failures on our side included, most frequent first."""
    number = func.count().label("number")
    unanswered = (
        select(
            literal("no answer").label("kind"),
            FAILURE.c.cause.label("cause"),
            number,
            func.max(FAILURE.c.reason).label("example"),
            func.max(FAILURE.c.created_at).label("last"),
            literal(0).label("lasting"),
        )
        .where(FAILURE.c.run_id == run_id)
        .group_by(FAILURE.c.cause)
    )
    machinery = (
        select(
            func.coalesce(json_text(SCORE.c.detail, "reason"), "").label("cause"),
            SCORE.c.created_at.label("moment"),
            case((json_text(SCORE.c.detail, "lasting").is_not(None), 1), else_=0).label("lasting"),
        )
        .join_from(CURRENT_SCORE, SCORE, is_current_score())
        .where(CURRENT_SCORE.c.run_id == run_id, CURRENT_SCORE.c.outcome == "machinery")
        .subquery()
    )
    cause = machinery.c.cause
    last, lasting = func.max(machinery.c.moment), func.min(machinery.c.lasting)
    unscored = select(literal("no score"), cause, number, cause, last, lasting).group_by(cause)
    row = union_all(unanswered, unscored, _without_solution(run_id)).subquery("causes").c
    rows = db.connection().execute(select(*row).order_by(row.number.desc(), row.cause))
    return tuple(
        CauseRow(
            kind=kind,
            cause=cause,
            count=count,
            example=" ".join(example.split())[:_MAX_EXAMPLE_LENGTH],
            last=last,
            lasting=bool(lasting),
        )
        for kind, cause, count, example, last, lasting in rows
    )


_MAX_EXAMPLE_LENGTH = 500
# Outcomes of responses that scores do not distinguish.
_RESPONSE_OUTCOMES = ("filtered", "tool call", "truncated reasoning", "only reasoning")


def _without_solution(run_id: str) -> Select[Any]:
    """Return the query of answers without a solution by cause: the response's own outcome, or else the scorer's."""
    cause = case((RESPONSE.c.outcome.in_(_RESPONSE_OUTCOMES), RESPONSE.c.outcome), else_=CURRENT_SCORE.c.outcome)
    answers = (
        select(cause.label("cause"), RESPONSE.c.text, RESPONSE.c.finish_reason, RESPONSE.c.created_at.label("moment"))
        .join_from(CURRENT_SCORE, RESPONSE, RESPONSE.c.id == CURRENT_SCORE.c.response_id)
        .where(CURRENT_SCORE.c.run_id == run_id, CURRENT_SCORE.c.outcome.in_([word.value for word in NO_ANSWER]))
        .subquery("silent")
        .c
    )
    # The example is an answer's text, or the finish reason if no answer of this cause has a text.
    text = func.max(func.substr(answers.text, 1, _MAX_EXAMPLE_LENGTH))
    example = case((text != "", text), else_=func.max(answers.finish_reason))
    last = func.max(answers.moment)
    return select(literal("no solution"), answers.cause, func.count(), example, last, literal(0)).group_by(
        answers.cause
    )


def find_failure(db: Session, run_id: str, subject_id: str, sample: int) -> Failure | None:
    """Return the failure of a request, None if it was answered or not sent."""
    return db.get(Failure, (run_id, subject_id, sample))


def find_score(db: Session, run_id: str, subject_id: str, sample: int) -> tuple[str, float | None, str] | None:
    """Return (outcome, score, reason) of a response's current score."""
    score = CURRENT_SCORE.c
    query = select(score.outcome, score.score, SCORE.c.detail).join_from(CURRENT_SCORE, SCORE, is_current_score())
    query = query.where(score.run_id == run_id, score.subject_id == subject_id, score.sample == sample)
    row = db.connection().execute(query).first()
    if row is None:
        return None
    return row.outcome, row.score, str(row.detail.get("reason") or row.detail.get("message") or "")


def _sum_paid(tokens: ColumnElement[int | None]) -> ColumnElement[int]:
    return func.coalesce(func.sum(case((as_stored(RESPONSE.c.cached) == 1, 0), else_=tokens)), 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunTally:
    """The counts of a run's responses and failures; ``outcomes`` are of the current scores, tokens are paid ones."""

    answered: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached: int = 0
    cost: float = 0.0
    outcomes: dict[str, int] = field(default_factory=dict)
    failures: dict[str, int] = field(default_factory=dict)


def cached_run_counts(db: Session) -> dict[str, RunTally]:
    """Return the cached counts of runs, by run id."""
    rows = db.connection().execute(select(RUN_COUNTS.c.run_id, RUN_COUNTS.c.content))
    return {run_id: RunTally(**content) for run_id, content in rows}


def count_run(db: Session, run_id: str) -> RunTally:
    """Count a run's responses."""
    connection = db.connection()
    totals = select(
        func.count(),
        _sum_paid(RESPONSE.c.prompt_tokens),
        _sum_paid(RESPONSE.c.completion_tokens),
        func.count(case((as_stored(RESPONSE.c.cached) == 1, 1))),
        func.coalesce(func.sum(RESPONSE.c.cost), 0.0),
    ).where(RESPONSE.c.run_id == run_id)
    outcome, cause = CURRENT_SCORE.c.outcome, FAILURE.c.cause
    outcomes = select(outcome, func.count()).where(CURRENT_SCORE.c.run_id == run_id).group_by(outcome)
    causes = select(cause, func.count()).where(FAILURE.c.run_id == run_id).group_by(cause)
    answered, prompt, completion, cached, cost = connection.execute(totals).one()
    return RunTally(
        answered=int(answered),
        prompt_tokens=int(prompt),
        completion_tokens=int(completion),
        cached=int(cached),
        cost=float(cost),
        outcomes={name: int(number) for name, number in connection.execute(outcomes)},
        failures={name: int(number) for name, number in connection.execute(causes)},
    )


def cache_run_counts(db: Session, run_ids: Iterable[str]) -> None:
    """Count runs and cache the counts; triggers delete them when a row of the run changes."""
    for run_id in run_ids:
        content = asdict(count_run(db, run_id))
        insert = upsert(db.connection(), RUN_COUNTS).values(run_id=run_id, content=content)
        db.connection().execute(insert.on_conflict_do_update(index_elements=["run_id"], set_={"content": content}))


_LABELS = ERROR_LABEL.join(ANNOTATOR, ANNOTATOR.c.id == ERROR_LABEL.c.annotator_id).join(
    RESPONSE, RESPONSE.c.id == ERROR_LABEL.c.response_id
)
_HAS_FAILED = CURRENT_SCORE.c.outcome.not_in(("pass", "machinery"))


def _current_labels() -> Select[Any]:
    """Return the query of current error labels; an empty label withdraws the person's earlier one."""
    newer = ERROR_LABEL.alias("n")
    is_replaced = exists().where(
        newer.c.active,
        newer.c.response_id == ERROR_LABEL.c.response_id,
        newer.c.annotator_id == ERROR_LABEL.c.annotator_id,
        or_(
            newer.c.created_at > ERROR_LABEL.c.created_at,
            and_(newer.c.created_at == ERROR_LABEL.c.created_at, newer.c.id > ERROR_LABEL.c.id),
        ),
    )
    return (
        select(
            ERROR_LABEL.c.response_id,
            ERROR_LABEL.c.label,
            ERROR_LABEL.c.note,
            ANNOTATOR.c.name.label("annotator"),
            ERROR_LABEL.c.created_at,
        )
        .select_from(_LABELS)
        .where(ERROR_LABEL.c.active, ERROR_LABEL.c.label != "", ~is_replaced)
    )


def label_responses(db: Session, annotator_id: str, response_ids: Sequence[str], label: str, note: str) -> Changes:
    """Put an error label on responses as one act. Raises `BadInputError` for an unknown response."""
    for response_id in response_ids:
        if db.exec(select_rows(Response.id).where(Response.id == response_id)).first() is None:
            raise BadInputError("There is no such response in this project. Nothing was changed.")
    text = Message("Label {label}", label=mark_word(label)) if label else Message("Remove a label")
    rows = [ErrorLabel(response_id=response_id, label=label, note=note) for response_id in response_ids]
    return undo_log.write_act(db, annotator_id, text, ["error_label"], rows)


def labels_of_response(db: Session, response_id: str) -> tuple[LabelRow, ...]:
    """Return the current labels of a response, at most one per person."""
    query = _current_labels().where(ERROR_LABEL.c.response_id == response_id).order_by(ERROR_LABEL.c.created_at)
    return tuple(LabelRow(**row) for row in db.connection().execute(query).mappings())


def fetch_labels_of_run(db: Session, run_id: str) -> dict[str, tuple[LabelRow, ...]]:
    """Return the current labels of a run's responses, by response."""
    labels: dict[str, tuple[LabelRow, ...]] = {}
    query = _current_labels().where(RESPONSE.c.run_id == run_id).order_by(ERROR_LABEL.c.created_at)
    for row in db.connection().execute(query).mappings():
        label = LabelRow(**row)
        labels[label.response_id] = (*labels.get(label.response_id, ()), label)
    return labels


def fetch_labels_on_failed(db: Session) -> dict[str, dict[str, set[str]]]:
    """Return run -> response -> current labels, for responses that did not pass."""
    query = _current_labels().add_columns(RESPONSE.c.run_id)
    query = query.where(CURRENT_SCORE.c.response_id == ERROR_LABEL.c.response_id)
    labels: dict[str, dict[str, set[str]]] = {}
    for row in db.connection().execute(query.where(_HAS_FAILED)):
        labels.setdefault(row.run_id, {}).setdefault(row.response_id, set()).add(row.label)
    return labels


def list_used_labels(db: Session) -> tuple[str, ...]:
    """Return every label used in the project, the most frequent first."""
    current = _current_labels().subquery()
    query = select(current.c.label).group_by(current.c.label).order_by(func.count().desc(), current.c.label)
    return tuple(db.connection().scalars(query))


def find_failed_responses(db: Session, run_id: str) -> tuple[tuple[str, str, int, str], ...]:
    """Return (response id, subject id, sample, outcome) of a run's responses that did not pass, by item."""
    score = CURRENT_SCORE.c
    query = select(score.response_id, score.subject_id, score.sample, score.outcome)
    query = query.where(score.run_id == run_id, _HAS_FAILED).order_by(score.subject_id, score.sample)
    return tuple((row[0], row[1], row[2], row[3]) for row in db.connection().execute(query))


def add_settlement(db: Session, annotator_id: str, response_id: str, verdict: str, reason: str) -> Changes:
    """Write a person's verdict on an answer. Raises `BadInputError` if its outcome is not doubtful."""
    query = select(RESPONSE.c.subject_id, RESPONSE.c.content_hash, RESPONSE_SCORE.c.told)
    query = query.join_from(RESPONSE, RESPONSE_SCORE, RESPONSE_SCORE.c.response_id == RESPONSE.c.id)
    scored = db.connection().execute(query.where(RESPONSE.c.id == response_id)).first()
    if scored is None:
        raise BadInputError("There is no such response in this project. Nothing was changed.")
    subject_id, digest, scorer_outcome = scored
    if scorer_outcome not in UNSETTLED:
        raise BadInputError("The verdict of this answer is not in doubt, so there is nothing to settle.")
    text = Message("Settle an answer: {verdict}", verdict=mark_word(verdict))
    row = Settlement(subject_id=subject_id, answer_hash=digest, verdict=verdict, reason=reason)
    return undo_log.write_act(db, annotator_id, text, ["score"], [row])


def _active_settlements() -> Select[Any]:
    joined = SETTLEMENT.join(ANNOTATOR, ANNOTATOR.c.id == SETTLEMENT.c.annotator_id)
    columns = (SETTLEMENT.c[name] for name in ("subject_id", "verdict", "reason", "created_at"))
    return (
        select(*columns, ANNOTATOR.c.name.label("annotator"))
        .select_from(joined)
        .where(SETTLEMENT.c.active)
        .order_by(SETTLEMENT.c.created_at)
    )


def fetch_settlements_of_response(db: Session, response_id: str) -> tuple[SettlementRow, ...]:
    """Return the settlements of an answer; the last one counts."""
    same = (SETTLEMENT.c.subject_id == RESPONSE.c.subject_id, SETTLEMENT.c.answer_hash == RESPONSE.c.content_hash)
    query = _active_settlements().join(RESPONSE, same[0] & same[1]).where(RESPONSE.c.id == response_id)
    rows = db.connection().execute(query)
    return tuple(SettlementRow(**row) for row in rows.mappings())


def fetch_settlements(db: Session) -> tuple[tuple[str, SettlementRow], ...]:
    """Return every active settlement with the key of its item, oldest first."""
    query = _active_settlements().join(SUBJECT, SUBJECT.c.id == SETTLEMENT.c.subject_id).add_columns(SUBJECT.c.key)
    rows = [dict(row) for row in db.connection().execute(query).mappings()]
    return tuple((row.pop("key"), SettlementRow(**row)) for row in rows)


def find_doubtful_responses(db: Session, run_ids: Sequence[str]) -> frozenset[str]:
    """Return the ids of the responses of runs with a doubtful verdict, settled or not."""
    row = RESPONSE_SCORE.c
    query = select(row.response_id).where(row.run_id.in_(list(run_ids)), row.told.in_(UNSETTLED))
    return frozenset(db.connection().scalars(query))
