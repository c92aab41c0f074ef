"""Score responses to a released item, and say which kind of outcome each is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from annotator.criteria import CriterionDocument, Scored, score_many
from annotator.model.words import Outcome

if TYPE_CHECKING:
    from annotator.sandbox import Runner

_REFUSAL = re.compile(
    r"^\W*(?:i['\u2019]?m\s+(?:very\s+)?sorry|i\s+am\s+sorry|sorry|i\s+apologi[sz]e|i\s+can(?:no|['\u2019])t|i\s+am\s+unable|"
    r"i['\u2019]m\s+unable|as\s+an?\s+(?:ai|language)\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class ScoredResponse:
    """An outcome with its numbers; all None when the machinery failed, which never counts as 0."""

    outcome: Outcome
    points: float | None
    total: float | None
    score: float | None
    detail: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model said, and why it stopped saying it."""

    text: str
    finish_reason: str = "stop"


def score_response(
    document: CriterionDocument, text: str, finish_reason: str = "stop", *, sandbox: Runner | None = None
) -> ScoredResponse:
    """Score one answer; see `score_answers`."""
    return score_answers(document, [Answer(text, finish_reason)], sandbox)[0]


def score_answers(
    document: CriterionDocument, answers: Sequence[Answer], sandbox: Runner | None = None
) -> tuple[ScoredResponse, ...]:
    """Score answers to one item, in order (runs specification: wrong, no answer and machinery never mix).

    An empty answer and a refusal earn 0 as no answer. An answer without a finish reason comes from a broken
    stream: that is ours to retry, so it is not scored. ``sandbox`` runs what needs to be run.
    """
    whole = [answer.text for answer in answers if answer.finish_reason and answer.text.strip()]
    results = dict(zip(whole, score_many(document, whole, sandbox=sandbox), strict=True))
    return tuple(_scored(document, answer, results.get(answer.text)) for answer in answers)


def _scored(document: CriterionDocument, answer: Answer, result: Scored | None) -> ScoredResponse:
    if not answer.finish_reason:
        return _machinery("The answer broke off without a finish reason; ask the model again.")
    if result is None:
        return ScoredResponse(Outcome.EMPTY, 0.0, None, 0.0, {"rules": []})
    if result.status != "scored" or result.score is None:
        return _machinery(result.reason, result)
    outcome = _outcome(result.score, document.full_score, answer.text, answer.finish_reason)
    return ScoredResponse(outcome, result.points, result.total, result.score, _detail(result))


def _outcome(value: float, full: float, text: str, finish_reason: str) -> Outcome:
    if value >= full:
        return Outcome.PASS
    if finish_reason in ("content_filter", "refusal") or (value <= 0 and _REFUSAL.match(text)):
        return Outcome.REFUSAL
    if finish_reason == "length":
        return Outcome.TRUNCATED
    return Outcome.PARTIAL if value > 0 else Outcome.FAIL


def _machinery(reason: str, result: Scored | None = None) -> ScoredResponse:
    detail = _detail(result) if result is not None else {"rules": []}
    return ScoredResponse(Outcome.MACHINERY, None, None, None, {**detail, "reason": reason})


def _detail(result: Scored) -> dict[str, Any]:
    return {
        "rules": [
            {
                "label": rule.label,
                "metric": rule.metric,
                "matched": rule.matched,
                "points": rule.points,
                "total": rule.total,
                "detail": rule.detail[:500],
            }
            for rule in result.rules
        ]
    }
