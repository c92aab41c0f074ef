"""The cost cap that pauses a run: money spent, and the most that the requests under way may still cost."""

from __future__ import annotations

import threading

from annotator.base.errors import BadInputError
from annotator.evaluation.planning import PlannedRequest
from annotator.llm.answers import Answer
from annotator.llm.prices import Price, count_tokens

LONGEST_ANSWER_TOKENS = 8192
# Code has fewer characters a token than prose; a cap must hold for it too.
_FEWEST_CHARACTERS_PER_TOKEN = 2


class Budget:
    """A cap on the cost of a run. A request is sent only if even its longest possible answer stays below the cap."""

    def __init__(self, cap: float | None = None, price: Price | None = None, spent: float = 0.0) -> None:
        """``spent`` is the cost of earlier parts of the run. Raises `BadInputError` for a cap without a price."""
        if cap is not None and price is None:
            raise BadInputError(
                "There is no price for this model, so a cost cap cannot be enforced. Add one to the price table, "
                "or start "
                "without a cap."
            )
        self._cap, self._price, self._spent = cap, price, spent
        self._lost = 0.0
        self._reserved: dict[tuple[str, int], float] = {}
        self._lock = threading.Lock()

    @property
    def spent(self) -> float:
        """The cost so far."""
        return self._spent

    @property
    def lost(self) -> float:
        """The most that unreadable answers may have cost."""
        return self._lost

    def reserve(self, planned: PlannedRequest) -> bool:
        """Set aside the most a request can cost; False if that would pass the cap."""
        if self._price is None:
            return True
        max_cost = self._price.cost(
            -(-planned.request.characters // _FEWEST_CHARACTERS_PER_TOKEN),
            planned.request.decoding.max_tokens or LONGEST_ANSWER_TOKENS,
        )
        with self._lock:
            if self._cap is not None and self._spent + sum(self._reserved.values()) + max_cost > self._cap:
                return False
            self._reserved[planned.id] = max_cost
            return True

    def settle(self, planned: PlannedRequest, answer: Answer | None, *, lost: bool = False) -> float:
        """Release a request's reservation, add the cost of its answer, and return that cost.

        An answer that was ``lost`` (unreadable, so its tokens are unknown) counts with the whole reservation.
        """
        with self._lock:
            max_cost = self._reserved.pop(planned.id, 0.0)
            if lost:
                self._spent += max_cost
                self._lost += max_cost
            if answer is None or answer.cached or self._price is None:
                return 0.0
            tokens = count_tokens(answer, planned.request.characters)
            cost = self._price.cost(tokens.prompt, tokens.completion, tokens.cached)
            self._spent += cost
            return cost
