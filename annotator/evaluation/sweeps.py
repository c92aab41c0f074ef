"""Decoding sweeps, and results by the length of the context."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from statistics import fmean
from typing import Any

from annotator.base.errors import BadInputError
from annotator.evaluation.presets import Pass, Protocol
from annotator.llm import parse_decoding

SWEPT = ("temperature", "top_p", "top_k", "max_tokens")
CONTEXT_EDGES = (512, 1024, 2048, 4096, 8192, 16384, 32768)


def sweep(base: Protocol, values: Mapping[str, Sequence[float]], *, grid: bool = False) -> tuple[Protocol, ...]:
    """Return one protocol per setting of temperature, top_p, top_k and max_tokens.

    One setting is varied at a time, the others staying as in ``base``; with ``grid`` every combination is made. Doubles
    are left out. Raises `BadInputError` for a setting that is not swept, or a value outside its range.
    """
    unknown = [name for name in values if name not in SWEPT]
    if unknown or not any(values.values()):
        raise BadInputError(
            f"A sweep needs values of some of {', '.join(SWEPT)}; {', '.join(unknown)} is none of them."
        )
    if grid:
        names = list(values)
        changes = [dict(zip(names, combination, strict=True)) for combination in product(*values.values())]
    else:
        changes = [{name: value} for name, column in values.items() for value in column]
    made = {label: _with(base, change, label) for change in changes if (label := _label(change))}
    return tuple(made.values())


def _label(change: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {value:g}" for name, value in change.items())


def _with(base: Protocol, change: Mapping[str, Any], label: str) -> Protocol:
    passes = tuple(
        Pass(parse_decoding({**item.decoding.as_json(), **change}), item.samples, item.label) for item in base.passes
    )
    return replace(base, name=f"{base.name} [{label}]", title=f"{base.title} ({label})", passes=passes)


@dataclass(frozen=True, slots=True)
class Bucket:
    """Items whose context has from ``low`` up to, not including, ``high`` tokens; ``high`` is None for the last."""

    low: int
    high: int | None
    items: int
    mean: float | None

    @property
    def label(self) -> str:
        """The range as people write it."""
        return f"{self.low:,} and more" if self.high is None else f"{self.low:,} to {self.high - 1:,}"


def by_context_length(
    scores: Iterable[tuple[int, float | None]], edges: Sequence[int] = CONTEXT_EDGES
) -> tuple[Bucket, ...]:
    """Return the mean score of items by the tokens of their prompts: (tokens, score) each, None where none counts.

    Raises `BadInputError` unless the edges rise.
    """
    if not edges or any(low >= high for low, high in zip((0, *edges), edges, strict=False)):
        raise BadInputError("The limits between context lengths must be rising whole numbers above 0.")
    found: list[list[float | None]] = [[] for _ in range(len(edges) + 1)]
    for tokens, score in scores:
        found[bisect_right(edges, tokens)].append(score)
    lows, highs = (0, *edges), (*edges, None)
    buckets = []
    for low, high, column in zip(lows, highs, found, strict=True):
        counted = [score for score in column if score is not None]
        buckets.append(Bucket(low, high, len(column), fmean(counted) if counted else None))
    return tuple(buckets)
