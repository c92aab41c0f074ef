"""The forecast of a run: calls, tokens, time and cost."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from annotator.evaluation.planning import PlannedRequest
from annotator.llm.prices import Price, estimate_tokens
from annotator.model.rows.runs import History

USUAL_ANSWER_TOKENS = 500
USUAL_TOKENS_PER_SECOND = 40.0


@dataclass(frozen=True, slots=True)
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


def forecast(
    planned: Iterable[PlannedRequest], price: Price | None, concurrency: int, history: History | None = None
) -> Forecast:
    """Return the forecast of requests that are still to be asked (runs specification).

    Tokens come from the model's own history where there is one, else from 4 characters a token and half a thousand
    tokens an answer; an answer is never longer than its limit.
    """
    known = history if history is not None and history.answers else None
    per_character = known.prompt_tokens_per_character if known else None
    calls, prompt, completion = 0, 0.0, 0.0
    for item in planned:
        calls += 1
        characters = item.request.characters
        prompt += estimate_tokens(characters) if per_character is None else characters * per_character
        usual = known.completion_tokens if known and known.completion_tokens is not None else USUAL_ANSWER_TOKENS
        completion += min(usual, item.request.decoding.max_tokens or usual)
    each = known.seconds if known and known.seconds is not None else None
    if each is None:
        each = completion / calls / USUAL_TOKENS_PER_SECOND if calls else 0.0
    return Forecast(
        calls=calls,
        prompt_tokens=round(prompt),
        completion_tokens=round(completion),
        seconds=calls * each / max(1, min(concurrency, calls or 1)),
        cost=price.cost(prompt, completion) if price else None,
        currency=price.currency if price else "",
        basis=f"{known.answers:,} earlier answers" if known else "4 characters a token",
        priced=price.as_of if price else "",
    )
