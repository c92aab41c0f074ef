"""Compute quotas of subjects, draw the candidates to inspect, and measure progress (specification, 5.3)."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotator.base.errors import BadInputError, UsageError

MIN_LANGUAGE_QUOTA = 10
DIMENSIONS = ("area", "language", "task", "domain", "difficulty")
# Default shares of the areas: those of the published benchmark.
PUBLISHED_SHARES: Mapping[str, float] = {
    "front-end": 0.25, "back-end": 0.25, "data science": 0.25, "mobile and desktop": 0.15, "IT operations": 0.10
}  # fmt: skip
PUBLISHED_SIZE = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguageQuota:
    """The quota of one language; ``share`` is its unrounded part of the area, ``pool_size`` how many to inspect."""

    area: str
    language: str
    candidate_count: int
    share: float
    quota: int
    pool_size: int

    def as_json(self) -> dict[str, str | float]:
        """Return the quota with the keys of machine output, which are older than the names of the fields."""
        return {"area": self.area, "language": self.language, "seed": self.candidate_count, "share": self.share,
                "quota": self.quota, "pool": self.pool_size}  # fmt: skip


def area_quotas(shares: Mapping[str, float], size: int) -> dict[str, float]:
    """Return how many items of a benchmark of ``size`` each area gets; shares must be 0 or more and sum to 1."""
    if any(not math.isfinite(share) or share < 0 for share in shares.values()):
        raise UsageError("The share of an area must be a number from 0 to 1.")
    if not math.isclose(math.fsum(shares.values()), 1.0, abs_tol=1e-6):
        raise UsageError(f"The shares of the areas must sum to 1; they sum to {math.fsum(shares.values()):g}.")
    if size < 1:
        raise UsageError("The size of the benchmark must be at least 1.")
    return {area: share * size for area, share in shares.items()}


def divide_quotas(
    items_by_area: Mapping[str, float],
    candidate_counts: Mapping[str, Mapping[str, int]],
    minimum: int = MIN_LANGUAGE_QUOTA,
) -> tuple[LanguageQuota, ...]:
    """Divide each area's quota among its languages by their candidates.

    Counts are by area and language. A quota is floor(share + 1/2) and at least ``minimum``, which is applied after
    rounding; the sum is not scaled back. A language without candidates gets none.
    Raises `UsageError` for an area without a quota, a language in two areas, or negative numbers.
    """
    quotas: list[LanguageQuota] = []
    for area, counts in candidate_counts.items():
        if area not in items_by_area:
            raise UsageError(f"The area {area} has no share.")
        total = sum(counts.values())
        if minimum < 0 or items_by_area[area] < 0 or any(number < 0 for number in counts.values()):
            raise UsageError("Quotas and numbers of candidates cannot be negative.")
        for language, count in counts.items():
            if any(quota.language == language for quota in quotas):
                raise UsageError(f"The language {language} is listed in two areas; assign it to one.")
            share = items_by_area[area] * count / total if count else 0.0
            size = max(minimum, math.floor(share + 0.5)) if count else 0
            quotas.append(
                LanguageQuota(
                    area=area,
                    language=language,
                    candidate_count=count,
                    share=share,
                    quota=size,
                    pool_size=min(2 * size, count),
                )
            )
    return tuple(quotas)


def draw_inspection_pools(
    candidates: Mapping[str, Iterable[str]], sizes: Mapping[str, int], seed: int
) -> dict[str, list[str]]:
    """Draw the candidates to inspect: uniformly, without replacement, at most ``sizes[language]`` of each language.

    ``candidates`` are keys by language, in any order. The same seed draws the same ones on every machine; a larger size
    keeps those already drawn, and an added candidate displaces at most one.
    """
    pools = {}
    for language, keys in candidates.items():
        hashes = {key: hashlib.sha256(f"{seed}\0{language}\0{key}".encode("utf-8", "surrogatepass")) for key in keys}
        ranked = sorted(hashes, key=lambda key: (hashes[key].digest(), key))
        pools[language] = ranked[: max(0, sizes.get(language, 0))]
    return pools


@dataclass(frozen=True, slots=True)
class Quota:
    """A number of subjects with given values; ``conditions`` are (dimension, value) pairs, which must all hold."""

    conditions: tuple[tuple[str, str], ...]
    target: int

    @property
    def label(self) -> str:
        """The values as text: "python · hard"."""
        return " · ".join(value for _, value in self.conditions) or "all"

    def matches(self, subject: Mapping[str, str]) -> bool:
        """Return whether a subject (dimension → value) counts towards this quota."""
        return all(subject.get(dimension, "").casefold() == value.casefold() for dimension, value in self.conditions)


@dataclass(frozen=True, slots=True)
class QuotaProgress:
    """The progress of a quota: accepted subjects that count towards it, and open ones that still could."""

    quota: Quota
    filled: int
    open: int

    @property
    def missing(self) -> int:
        """Number of subjects still needed."""
        return max(0, self.quota.target - self.filled)


def measure_quotas(
    quotas: Sequence[Quota], counts: Iterable[tuple[Mapping[str, str], int, int]]
) -> tuple[QuotaProgress, ...]:
    """Return the progress of every quota.

    ``counts`` are groups of subjects: their values by dimension, how many are accepted, how many are open (from a
    GROUP BY query, so that subjects are not loaded one by one).
    """
    accepted, open_counts = [0] * len(quotas), [0] * len(quotas)
    for values, accepted_count, open_count in counts:
        for index, quota in enumerate(quotas):
            if quota.matches(values):
                accepted[index] += accepted_count
                open_counts[index] += open_count
    return tuple(QuotaProgress(quota, accepted[n], open_counts[n]) for n, quota in enumerate(quotas))


def to_project_quotas(quotas: Iterable[LanguageQuota]) -> tuple[Quota, ...]:
    """Convert language quotas to project quotas; empty ones are left out."""
    return tuple(Quota((("area", item.area), ("language", item.language)), item.quota) for item in quotas if item.quota)


def parse_quotas(rows: Any) -> tuple[Quota, ...]:
    """Read quotas from a JSON list of objects: any of `DIMENSIONS` with a text, and ``wanted``, a whole number.

    Raises `BadInputError` naming the invalid row.
    """
    if not isinstance(rows, list):
        raise BadInputError('Quotas must be a JSON list of objects with "wanted" and values of dimensions.')
    parsed = []
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, Mapping):
            raise BadInputError(f"Quota {number} is not an object.")
        unknown = sorted(set(map(str, row)) - {*DIMENSIONS, "wanted"})
        if unknown:
            raise BadInputError(
                f"Quota {number} has an unknown field {unknown[0]}. Allowed: {', '.join(DIMENSIONS)}, wanted."
            )
        count = row.get("wanted")
        if isinstance(count, bool) or not isinstance(count, int) or not 0 <= count <= 1_000_000:
            raise BadInputError(f"Quota {number}: wanted must be a whole number from 0 to 1,000,000.")
        values = [(name, row[name]) for name in DIMENSIONS if name in row]
        if not all(isinstance(value, str) and value for _, value in values):
            raise BadInputError(f"Quota {number}: the values must be text.")
        parsed.append(Quota(tuple(values), count))
    return tuple(parsed)


def quotas_json(quotas: Iterable[Quota]) -> list[dict[str, Any]]:
    """Return quotas as JSON data for `parse_quotas`."""
    return [{**dict(quota.conditions), "wanted": quota.target} for quota in quotas]
