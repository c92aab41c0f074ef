"""Before a run: how many calls, tokens, how long and how dear. During it: the cap that is never passed."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import dataclass

from annotator.base.errors import BadInputError
from annotator.evaluation.planning import Planned
from annotator.llm import Answer, History, Price, estimate_tokens, tokens_of

USUAL_ANSWER_TOKENS = 500
USUAL_TOKENS_PER_SECOND = 40.0
LONGEST_ANSWER_TOKENS = 8192
# Code has fewer characters a token than prose; a cap must hold for it too.
_FEWEST_CHARACTERS_PER_TOKEN = 2


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
    planned: Iterable[Planned], price: Price | None, concurrency: int, history: History | None = None
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


class Budget:
    """A cap on the cost of a run. A request is let go only if it cannot pass the cap even with its longest answer."""

    def __init__(self, cap: float | None, price: Price | None, spent: float = 0.0) -> None:
        """Start with what was ``spent`` before. Raises `BadInputError` for a cap without a price."""
        if cap is not None and price is None:
            raise BadInputError(
                "There is no price for this model, so a cost cap cannot be kept. Add one to the price table, or start "
                "without a cap."
            )
        self._cap, self._price, self._spent = cap, price, spent
        self._reserved: dict[tuple[str, int], float] = {}
        self._lock = threading.Lock()

    @property
    def spent(self) -> float:
        """What was paid so far."""
        return self._spent

    def reserve(self, planned: Planned) -> bool:
        """Set aside the most a request can cost; False if that would pass the cap."""
        if self._price is None:
            return True
        most = self._price.cost(
            -(-planned.request.characters // _FEWEST_CHARACTERS_PER_TOKEN),
            planned.request.decoding.max_tokens or LONGEST_ANSWER_TOKENS,
        )
        with self._lock:
            if self._cap is not None and self._spent + sum(self._reserved.values()) + most > self._cap:
                return False
            self._reserved[planned.id] = most
            return True

    def settle(self, planned: Planned, answer: Answer | None) -> float:
        """Give back what was set aside and count what the answer cost; returns that."""
        with self._lock:
            self._reserved.pop(planned.id, None)
            if answer is None or answer.cached or self._price is None:
                return 0.0
            cost = self._price.cost(*tokens_of(answer, planned.request.characters))
            self._spent += cost
            return cost
