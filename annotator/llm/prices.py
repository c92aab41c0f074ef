"""The editable price table of models, and the tokens that costs are computed from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from fnmatch import fnmatchcase
from typing import Any

from annotator.base.errors import BadInputError
from annotator.llm.answers import Answer
from annotator.model.token_usage import TokenUsage, cached_tokens, reasoning_tokens

CHARACTERS_PER_TOKEN = 4
_MILLION = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """A model's prices per million tokens. ``model`` may hold * and ?; ``as_of`` is the date of the price.

    ``cached_input`` is the price of prompt tokens from the endpoint's cache, or None if they cost the same.
    """

    model: str
    input: float
    output: float
    currency: str = "USD"
    as_of: str = ""
    cached_input: float | None = None

    def cost(self, prompt_tokens: float, completion_tokens: float, cached_tokens: float = 0.0) -> float:
        """Return the cost of these tokens in ``currency``; cached tokens are included in the prompt's."""
        discount = 0.0 if self.cached_input is None else cached_tokens * (self.input - self.cached_input)
        return (prompt_tokens * self.input + completion_tokens * self.output - discount) / _MILLION

    def times(self, factor: float) -> Price:
        """Return the price multiplied by a factor."""
        cached = None if self.cached_input is None else factor * self.cached_input
        return replace(self, input=factor * self.input, output=factor * self.output, cached_input=cached)

    def describe(self) -> str:
        """Return a text with the prices of a million tokens."""
        cached = "" if self.cached_input is None else f"{self.cached_input:g} in from its cache, "
        return f"{self.input:g} in, {cached}{self.output:g} out {self.currency}"


@dataclass(frozen=True, slots=True)
class PriceTable:
    """A project's table of prices, initially empty."""

    prices: tuple[Price, ...] = ()

    def price_of(self, model: str) -> Price | None:
        """Return the price of a model: its exact row, else that of the longest matching pattern, else None."""
        matching_prices = [price for price in self.prices if price.model == model or fnmatchcase(model, price.model)]
        return max(matching_prices, key=lambda price: (price.model == model, len(price.model)), default=None)

    def as_json(self) -> list[dict[str, Any]]:
        """Return the rows as JSON objects that `parse_prices` reads."""
        return [asdict(price) for price in self.prices]


def parse_prices(rows: Any) -> PriceTable:
    """Parse a price table from JSON. Raises `BadInputError` naming the invalid row and field."""
    if not isinstance(rows, list):
        raise BadInputError("A price table must be a list of rows with model, input and output.")
    prices = []
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, Mapping) or not isinstance(row.get("model"), str) or not row["model"].strip():
            raise BadInputError(f"Row {number} of the price table has no model.")
        for name in ("input", "output", "cached_input"):
            value = row.get(name)
            if name == "cached_input" and value is None:
                continue
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < 1e6:
                raise BadInputError(f"Row {number} of the price table: {name} must be a price per million tokens.")
        for name in ("currency", "as_of"):
            if not isinstance(row.get(name, ""), str):
                raise BadInputError(f"Row {number} of the price table: {name} must be text.")
        prices.append(
            Price(
                model=row["model"],
                input=float(row["input"]),
                output=float(row["output"]),
                currency=row.get("currency") or "USD",
                as_of=row.get("as_of", ""),
                cached_input=None if row.get("cached_input") is None else float(row["cached_input"]),
            )
        )
    if len({price.currency for price in prices}) > 1:
        raise BadInputError("The price table mixes currencies. Give all prices in one.")
    return PriceTable(tuple(prices))


def estimate_tokens(characters: int) -> int:
    """Estimate the number of tokens of a text by its length (runs specification: 4 characters a token)."""
    return -(-characters // CHARACTERS_PER_TOKEN)


def count_tokens(answer: Answer, question_characters: int) -> TokenUsage:
    """Return the token usage of an answer: the server's counts, else estimates from the texts."""
    prompt, completion = answer.prompt_tokens, answer.completion_tokens
    return TokenUsage(
        estimate_tokens(question_characters) if prompt is None else prompt,
        estimate_tokens(len(answer.text)) if completion is None else completion,
        cached_tokens(answer.usage),
        reasoning_tokens(answer.usage),
    )
