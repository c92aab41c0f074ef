"""How many subjects of which kind are wanted, which candidates to look at for them, and how far that is
(specification, 5.3).
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotator.base.errors import BadInputError, UsageError

MINIMUM = 10
DIMENSIONS = ("area", "language", "task", "domain", "difficulty")
# Shares of the published benchmark, which the areas of a project begin with.
PUBLISHED_SHARES: Mapping[str, float] = {
    "front-end": 0.25, "back-end": 0.25, "data science": 0.25, "mobile and desktop": 0.15, "IT operations": 0.10
}  # fmt: skip
PUBLISHED_SIZE = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguageQuota:
    """The quota of one language: its candidates, its unrounded share of the area, the quota, how many to look at."""

    area: str
    language: str
    seed: int
    share: float
    quota: int
    pool: int


def area_quotas(shares: Mapping[str, float], size: int) -> dict[str, float]:
    """Return how many items of a benchmark of ``size`` fall to each area; shares must be 0 or more and sum to 1."""
    if any(not math.isfinite(share) or share < 0 for share in shares.values()):
        raise UsageError("The share of an area must be a number from 0 to 1.")
    if not math.isclose(math.fsum(shares.values()), 1.0, abs_tol=1e-6):
        raise UsageError(f"The shares of the areas must sum to 1; they sum to {math.fsum(shares.values()):g}.")
    if size < 1:
        raise UsageError("The size of the benchmark must be at least 1.")
    return {area: share * size for area, share in shares.items()}


def divide_quotas(
    items_by_area: Mapping[str, float], seed_counts: Mapping[str, Mapping[str, int]], minimum: int = MINIMUM
) -> tuple[LanguageQuota, ...]:
    """Divide each area's quota among its languages by their candidates.

    ``wanted`` is area → items, ``seed_counts`` area → language → candidates. A quota is floor(share + 1/2) and at least
    ``minimum``, which is applied after rounding; the sum is not scaled back. A language without candidates gets none.
    Raises `UsageError` for an area without a quota, a language in two areas, or negative numbers.
    """
    cells: list[LanguageQuota] = []
    for area, counts in seed_counts.items():
        if area not in items_by_area:
            raise UsageError(f"The area {area} has no share.")
        total = sum(counts.values())
        if minimum < 0 or items_by_area[area] < 0 or any(count < 0 for count in counts.values()):
            raise UsageError("Quotas and numbers of candidates cannot be negative.")
        for language, seed in counts.items():
            if any(cell.language == language for cell in cells):
                raise UsageError(f"The language {language} stands in two areas; it has one primary area.")
            share = items_by_area[area] * seed / total if seed else 0.0
            quota = max(minimum, math.floor(share + 0.5)) if seed else 0
            cells.append(
                LanguageQuota(
                    area=area, language=language, seed=seed, share=share, quota=quota, pool=min(2 * quota, seed)
                )
            )
    return tuple(cells)


def inspection_pool(
    candidates: Mapping[str, Iterable[str]], sizes: Mapping[str, int], seed: int
) -> dict[str, list[str]]:
    """Draw the candidates to look at: uniformly, without replacement, at most ``sizes[language]`` of each language.

    ``candidates`` is language → keys, in any order. The same seed draws the same ones on every machine; asking for more
    later keeps those already drawn, and a candidate that is added displaces at most one.
    """
    drawn = {}
    for language, keys in candidates.items():
        hashes = {key: hashlib.sha256(f"{seed}\0{language}\0{key}".encode("utf-8", "surrogatepass")) for key in keys}
        ranked = sorted(hashes, key=lambda key: (hashes[key].digest(), key))
        drawn[language] = ranked[: max(0, sizes.get(language, 0))]
    return drawn


@dataclass(frozen=True, slots=True)
class Quota:
    """A number of subjects with given values; ``conditions`` are (dimension, value) pairs, which must all hold."""

    conditions: tuple[tuple[str, str], ...]
    wanted: int

    @property
    def label(self) -> str:
        """Return the values as people read them: "python · hard"."""
        return " · ".join(value for _, value in self.conditions) or "all"

    def counts(self, subject: Mapping[str, str]) -> bool:
        """Return whether a subject (dimension → value) counts towards this quota."""
        return all(subject.get(dimension, "").casefold() == value.casefold() for dimension, value in self.conditions)


@dataclass(frozen=True, slots=True)
class FilledQuota:
    """How far a quota is: accepted subjects that count towards it, and open ones that still could."""

    quota: Quota
    filled: int
    open: int

    @property
    def missing(self) -> int:
        """Return how many are still wanted."""
        return max(0, self.quota.wanted - self.filled)


def measure_quotas(
    quotas: Sequence[Quota], counts: Iterable[tuple[Mapping[str, str], int, int]]
) -> tuple[FilledQuota, ...]:
    """Return the progress of every quota.

    ``counts`` are groups of subjects: their values by dimension, how many are accepted, how many are open (what a
    query that groups by the dimensions gives, so that a million subjects are never listed).
    """
    accepted, open_counts = [0] * len(quotas), [0] * len(quotas)
    for values, accepted_count, open_count in counts:
        for index, quota in enumerate(quotas):
            if quota.counts(values):
                accepted[index] += accepted_count
                open_counts[index] += open_count
    return tuple(FilledQuota(quota, accepted[n], open_counts[n]) for n, quota in enumerate(quotas))


def quotas_from_cells(cells: Iterable[LanguageQuota]) -> tuple[Quota, ...]:
    """Return the quotas by language as quotas of a project."""
    return tuple(Quota((("area", cell.area), ("language", cell.language)), cell.quota) for cell in cells if cell.quota)


def parse_quotas(rows: Any) -> tuple[Quota, ...]:
    """Read quotas from a JSON list of objects: any of `DIMENSIONS` with a text, and ``wanted``, a whole number.

    Raises `BadInputError` naming the row that does not fit.
    """
    if not isinstance(rows, list):
        raise BadInputError("Quotas are a list of objects with wanted and the values they are for.")
    parsed = []
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, Mapping):
            raise BadInputError(f"Quota {number} is not an object.")
        unknown = sorted(set(map(str, row)) - {*DIMENSIONS, "wanted"})
        if unknown:
            raise BadInputError(
                f"Quota {number} has the field {unknown[0]}; there are: {', '.join(DIMENSIONS)}, wanted."
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
    """Return quotas as `parse_quotas` reads them."""
    return [{**dict(quota.conditions), "wanted": quota.wanted} for quota in quotas]
