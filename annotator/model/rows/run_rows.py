"""Rows of runs for lists and screens; importable without SQLModel."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from annotator.model.rows.queue_rows import RunRow


@dataclass(frozen=True, slots=True, kw_only=True)
class RunItemRow:
    """One item of a run: the number of its samples by state and outcome; ``mode`` is the sandbox mode of its tests."""

    subject_id: str
    key: str
    title: str
    language: str
    answered: int
    failed: int
    expected: int
    outcomes: dict[str, int]
    score: float | None
    mode: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SettlementRow:
    """A person's settlement of a doubtful verdict: pass or fail, and why."""

    subject_id: str
    verdict: str
    reason: str
    annotator: str
    created_at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestRow:
    """One request in a run's log; ``outcome`` is that of the score, without one that of the answer, else "failed"."""

    subject_id: str
    key: str
    sample: int
    outcome: str
    cause: str
    seconds: float | None
    tokens: int | None
    retries: int
    cached: bool
    created_at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CauseRow:
    """A cause of missing answers or scores in a run: the count, an example, and the time of the last one.

    ``kind`` is "no answer", "no score", or "no solution" for a response without one: filtered, refused, a tool call,
    empty or truncated. ``lasting`` is True for missing scores that scoring again would not fix.
    """

    kind: str
    cause: str
    count: int
    example: str
    last: str
    lasting: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestLog:
    """One request with its response and score, for display. It never contains an API key."""

    key: str
    sample: int
    request: dict[str, Any]
    text: str
    facts: tuple[tuple[str, str], ...]
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreSetRow:
    """One scoring of a run; ``current`` is True for the one that counts."""

    id: str
    source: str
    created_at: str
    current: bool
    score: float | None
    scored: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SetupRow:
    """A revision of an endpoint, price, template or protocol of the project."""

    kind: str
    name: str
    version: int
    content: dict[str, Any]
    removed: bool
    annotator: str
    created_at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelRow:
    """A current error label of a response."""

    response_id: str
    label: str
    note: str
    annotator: str
    created_at: str


def is_resumable(run: RunRow) -> bool:
    """Return whether a run can be resumed: it is neither done nor running."""
    return not run.live and run.state != "done"


def is_retryable(run: RunRow) -> bool:
    """Return whether a stopped run has failures on our side, or unscored answers, that a retry may fix."""
    return not run.live and bool(run.failures or run.outcomes.get("machinery") or run.done < run.answered)


def lost_answers(run: RunRow) -> int:
    """Return the number of a run's answers that may have been paid for but cannot be read."""
    return int((run.settings.get("lost") or {}).get("count", 0))


def state_word(run: RunRow) -> str:
    """Return a run's state for display; "interrupted" if its process is gone."""
    if run.state == "running" and not run.live:
        return "interrupted"
    return "queued" if run.state == "planned" else run.state


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerLength:
    """The mean length of earlier answers to a task family, over ``answers`` answers."""

    answers: int
    mean_tokens: float


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerHistory:
    """Statistics of the earlier answers in a project, for estimates of a model's next run.

    ``own`` holds the lengths of the model's own answers and ``others`` those of other models, by task family.
    """

    prompt_tokens_per_character: float | None = None
    seconds_per_token: float | None = None
    own: Mapping[str, AnswerLength] = field(default_factory=dict)
    others: Mapping[str, AnswerLength] = field(default_factory=dict)
