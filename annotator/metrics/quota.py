"""Shares of a benchmark: quotas by language within areas (mining specification, section 5.3)."""

from __future__ import annotations

import math
from collections.abc import Mapping

from annotator.metrics.values import BadNumbersError


def quotas(
    area_quotas: Mapping[str, int], seed_counts: Mapping[str, Mapping[str, int]], minimum: int = 10
) -> dict[str, int]:
    """Return how many items each language gets: its share of the area's seed, rounded half up, at least ``minimum``.

    The minimum comes after rounding and the sum is not scaled back, so it may exceed the sum of the areas.
    ``seed_counts`` is area -> language -> candidates. Raises `BadNumbersError` for an area without a quota, a language
    in two areas, negative counts or an area without candidates.
    """
    found: dict[str, int] = {}
    for area, counts in seed_counts.items():
        if area not in area_quotas:
            raise BadNumbersError(f"The area {area} has no quota.")
        total = sum(counts.values())
        if total <= 0 or min(counts.values()) < 0 or area_quotas[area] < 0:
            raise BadNumbersError(f"The area {area} needs candidates, and no negative numbers.")
        for language, count in counts.items():
            if language in found:
                raise BadNumbersError(f"The language {language} stands in two areas; it has one primary area.")
            # Integers: a share of exactly one half must not depend on how a float rounds.
            found[language] = max(minimum, (2 * area_quotas[area] * count + total) // (2 * total))
    return found


def pool_sizes(wanted: Mapping[str, int], seed_counts: Mapping[str, Mapping[str, int]]) -> dict[str, int]:
    """Return how many candidates to inspect per language: twice the quota, no more than there are."""
    available = {language: count for counts in seed_counts.values() for language, count in counts.items()}
    return {language: min(2 * quota, available.get(language, 0)) for language, quota in wanted.items()}


def area_shares(size: int, shares: Mapping[str, float]) -> dict[str, int]:
    """Return each area's quota of a benchmark of ``size``. Raises `BadNumbersError` unless the shares sum to 1."""
    if not math.isclose(math.fsum(shares.values()), 1.0, abs_tol=1e-9):
        raise BadNumbersError("The areas' shares must sum to 1.")
    return {area: math.floor(share * size + 0.5) for area, share in shares.items()}
