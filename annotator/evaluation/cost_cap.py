"""The cost cap that pauses a run: what was spent, and what the requests under way may still cost."""

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
    """A cap on the cost of a run. A request is let go only if it cannot pass the cap even with its longest answer."""

    def __init__(self, cap: float | None, price: Price | None, spent: float = 0.0) -> None:
        """Start with what was ``spent`` before. Raises `BadInputError` for a cap without a price."""
        if cap is not None and price is None:
            raise BadInputError(
                "There is no price for this model, so a cost cap cannot be kept. Add one to the price table, or start "
                "without a cap."
            )
        self._cap, self._price, self._spent = cap, price, spent
        self._lost = 0.0
        self._reserved: dict[tuple[str, int], float] = {}
        self._lock = threading.Lock()

    @property
    def spent(self) -> float:
        """What was paid so far."""
        return self._spent

    @property
    def lost(self) -> float:
        """The most that answers nobody can read may have cost."""
        return self._lost

    def reserve(self, planned: PlannedRequest) -> bool:
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

    def settle(self, planned: PlannedRequest, answer: Answer | None, *, lost: bool = False) -> float:
        """Give back what was set aside and count what the answer cost; returns that.

        An answer that was ``lost`` (it cannot be read, so nobody knows its tokens) counts with all that was set aside.
        """
        with self._lock:
            most = self._reserved.pop(planned.id, 0.0)
            if lost:
                self._spent += most
                self._lost += most
            if answer is None or answer.cached or self._price is None:
                return 0.0
            tokens = count_tokens(answer, planned.request.characters)
            cost = self._price.cost(tokens.prompt, tokens.completion, tokens.cached)
            self._spent += cost
            return cost
