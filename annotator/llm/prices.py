"""The editable price table of models, and the tokens that costs are computed from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from fnmatch import fnmatchcase
from typing import Any

from annotator.base.errors import BadInputError
from annotator.llm.answers import Answer

CHARACTERS_PER_TOKEN = 4
_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Price:
    """What a model costs per million tokens. ``model`` may hold * and ?; ``as_of`` says when somebody looked."""

    model: str
    input: float
    output: float
    currency: str = "USD"
    as_of: str = ""

    def cost(self, prompt_tokens: float, completion_tokens: float) -> float:
        """Return the cost of so many tokens, in ``currency``."""
        return (prompt_tokens * self.input + completion_tokens * self.output) / _MILLION


@dataclass(frozen=True, slots=True)
class PriceTable:
    """The prices a project knows; empty until somebody fills it."""

    prices: tuple[Price, ...] = ()

    def price_of(self, model: str) -> Price | None:
        """Return the price of a model: the row of its very name, else of the longest pattern that fits, else None."""
        fitting = [price for price in self.prices if price.model == model or fnmatchcase(model, price.model)]
        return max(fitting, key=lambda price: (price.model == model, len(price.model)), default=None)

    def as_json(self) -> list[dict[str, Any]]:
        """Return the rows as JSON objects that `parse_prices` reads."""
        return [asdict(price) for price in self.prices]


def parse_prices(rows: Any) -> PriceTable:
    """Read a price table from JSON. Raises `BadInputError` naming the row and what does not fit."""
    if not isinstance(rows, list):
        raise BadInputError("A price table must be a list of rows with model, input and output.")
    prices = []
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, Mapping) or not isinstance(row.get("model"), str) or not row["model"].strip():
            raise BadInputError(f"Row {number} of the price table has no model.")
        for name in ("input", "output"):
            value = row.get(name)
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < 1e6:
                raise BadInputError(f"Row {number} of the price table: {name} must be a price per million tokens.")
        for name in ("currency", "as_of"):
            if not isinstance(row.get(name, ""), str):
                raise BadInputError(f"Row {number} of the price table: {name} must be text.")
        prices.append(
            Price(
                row["model"],
                float(row["input"]),
                float(row["output"]),
                row.get("currency") or "USD",
                row.get("as_of", ""),
            )
        )
    if len({price.currency for price in prices}) > 1:
        raise BadInputError("The price table mixes currencies. Give all prices in one.")
    return PriceTable(tuple(prices))


def estimate_tokens(characters: int) -> int:
    """Return the tokens of a text of so many characters, roughly (runs specification: 4 characters a token)."""
    return -(-characters // CHARACTERS_PER_TOKEN)


def count_tokens(answer: Answer, question_characters: int) -> tuple[int, int]:
    """Return (prompt, completion) tokens of an answer: the server's counts, else estimates from the texts."""
    prompt, completion = answer.prompt_tokens, answer.completion_tokens
    return (
        estimate_tokens(question_characters) if prompt is None else prompt,
        estimate_tokens(len(answer.text)) if completion is None else completion,
    )
