"""The forecast of a run: calls, tokens, time and cost, with a range before it and corrected from the first answers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from annotator.evaluation.planning import PlannedRequest
from annotator.llm.prices import Price, estimate_tokens
from annotator.model.rows.runs import History

USUAL_ANSWER_TOKENS = 500
USUAL_TOKENS_PER_SECOND = 40.0
Range = tuple[float, float]
"""From what is hardly undercut to what is hardly exceeded."""
# Of a model nobody knows: terse to talkative, slow to fast, prose to code. Of one with a history: another task.
_ANSWER_TOKENS: Range = (50.0, 2000.0)
_TOKENS_PER_SECOND: Range = (15.0, 120.0)
_PROMPT: Range = (0.8, 1.6)
_KNOWN: Range = (0.6, 1.6)
_FIRST_ANSWERS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Forecast:
    """What a run will take. ``cost`` is None without a price; ``basis`` says what the estimate rests on.

    ``priced`` says when somebody looked at the price, empty if nobody wrote it down.
    """

    calls: int
    prompt_tokens: int
    completion_tokens: int
    seconds: float
    cost: float | None
    currency: str
    basis: str
    priced: str = ""
    seconds_range: Range = (0.0, 0.0)
    cost_range: Range | None = None


@dataclass(frozen=True, slots=True)
class _Totals:
    """Tokens of all answers together: the usual, and a range of the answers'."""

    calls: int
    prompt: float
    completion: float
    completion_range: Range


def forecast(
    planned: Iterable[PlannedRequest], price: Price | None, concurrency: int, history: History | None = None
) -> Forecast:
    """Return the forecast of requests that are still to be asked (runs specification).

    Tokens come from the model's own history where there is one, else from 4 characters a token and half a thousand
    tokens an answer; an answer is never longer than its limit.
    """
    known = history if history is not None and history.answers else None
    totals = _add_up(planned, known)
    at_once = max(1, min(concurrency, totals.calls or 1))
    each = known.seconds if known and known.seconds is not None else None
    if each is not None:
        seconds = totals.calls * each / at_once
        seconds_range = seconds * _KNOWN[0], seconds * _KNOWN[1]
    else:
        seconds = totals.completion / USUAL_TOKENS_PER_SECOND / at_once
        few, many = totals.completion_range
        seconds_range = few / _TOKENS_PER_SECOND[1] / at_once, many / _TOKENS_PER_SECOND[0] / at_once
    prompt_range = (1.0, 1.0) if known and known.prompt_tokens_per_character is not None else _PROMPT
    return Forecast(
        calls=totals.calls,
        prompt_tokens=round(totals.prompt),
        completion_tokens=round(totals.completion),
        seconds=seconds,
        cost=price.cost(totals.prompt, totals.completion) if price else None,
        currency=price.currency if price else "",
        basis=f"{known.answers:,} earlier answers" if known else "4 characters a token",
        priced=price.as_of if price else "",
        seconds_range=seconds_range,
        cost_range=(
            price.cost(totals.prompt * prompt_range[0], totals.completion_range[0]),
            price.cost(totals.prompt * prompt_range[1], totals.completion_range[1]),
        )
        if price
        else None,
    )


def _add_up(planned: Iterable[PlannedRequest], known: History | None) -> _Totals:
    per_character = known.prompt_tokens_per_character if known else None
    said = known.completion_tokens if known else None
    usual = USUAL_ANSWER_TOKENS if said is None else said
    few, many = _ANSWER_TOKENS if said is None else (said * _KNOWN[0], said * _KNOWN[1])
    calls, prompt, completion, least, most = 0, 0.0, 0.0, 0.0, 0.0
    for item in planned:
        calls += 1
        characters, limit = item.request.characters, item.request.decoding.max_tokens
        prompt += estimate_tokens(characters) if per_character is None else characters * per_character
        completion += min(usual, limit or usual)
        least += min(few, limit or few)
        most += min(many, limit or many)
    return _Totals(calls, prompt, completion, (least, most))


@dataclass(frozen=True, slots=True, kw_only=True)
class AskingProgress:
    """How far a run is: ``settled`` requests are answered or failed, ``asked`` of the answers were paid for now."""

    settled: int
    asked: int
    prompt_tokens: int
    completion_tokens: int
    cost: float


@dataclass(frozen=True, slots=True)
class Outlook:
    """What a run will take by its answers so far: the time that is left, tokens and cost of this part in all."""

    seconds_left: float
    prompt_tokens: int
    completion_tokens: int
    cost: float


def outlook(progress: AskingProgress, total: int, seconds: float) -> Outlook | None:
    """Return the corrected forecast of ``total`` requests after ``seconds``; None before the first few answers."""
    if progress.asked < _FIRST_ANSWERS or seconds <= 0:
        return None
    left = max(0, total - progress.settled)
    grown = 1 + left / progress.asked
    return Outlook(
        seconds_left=left * seconds / progress.settled,
        prompt_tokens=round(progress.prompt_tokens * grown),
        completion_tokens=round(progress.completion_tokens * grown),
        cost=progress.cost * grown,
    )


def format_seconds(seconds: float) -> str:
    """Return a time as people say it, for commands and logs: "40 s", "12 min", "3.5 h"."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
