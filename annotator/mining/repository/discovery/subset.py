"""Choose a benchmark of a given size from candidates, by standalone share, dependencies, and domain shares.

The published shares are EvoCodeBench's: 27 % of the functions are standalone, with 3.2 dependencies on average.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from annotator.base.errors import BadInputError

STANDALONE, DEPENDENCIES = 0.27, 3.2


@dataclass(frozen=True, slots=True)
class SubsetEntry:
    """The properties of a candidate used for selection; ``dependencies`` is a count."""

    key: str
    domain: str
    dependencies: int


@dataclass(frozen=True, slots=True)
class SubsetTargets:
    """Targets of a selection. ``domains`` are shares that sum to 1 (empty: as available); ``dependencies`` a mean."""

    size: int
    standalone: float = STANDALONE
    dependencies: float = DEPENDENCIES
    domains: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ReachedTarget:
    """One target: the wanted value, the value of the selection, and ``available``, that of all candidates."""

    name: str
    wanted: float
    got: float
    available: float


@dataclass(frozen=True, slots=True)
class SubsetChoice:
    """The selected keys, in input order, and the result for each target."""

    keys: tuple[str, ...]
    reached: tuple[ReachedTarget, ...]


def select_subset(entries: Sequence[SubsetEntry], targets: SubsetTargets, seed: int = 0) -> SubsetChoice:
    """Choose a subset that comes close to the targets, the same one for the same seed.

    Size comes first, then the shares of domains and of standalone functions, then the mean of the dependencies. Raises
    `BadInputError` for invalid targets.
    """
    _check_targets(targets)
    order = list(dict.fromkeys(sorted(entries, key=lambda entry: entry.key)))
    random.Random(seed).shuffle(order)
    pools: dict[tuple[str, bool], list[SubsetEntry]] = defaultdict(list)
    for entry in order:
        pools[entry.domain, not entry.dependencies].append(entry)
    selection: dict[tuple[str, bool], list[SubsetEntry]] = {}
    size = min(targets.size, len(order))
    for cell, count in _group_sizes(pools, targets, size).items():
        selection[cell], pools[cell] = pools[cell][:count], pools[cell][count:]
    _approach_mean(selection, pools, targets.dependencies * size)
    keys = {entry.key for cell in selection.values() for entry in cell}
    selected = [entry for entry in entries if entry.key in keys]
    return SubsetChoice(
        tuple(dict.fromkeys(entry.key for entry in selected)), _compare_with_targets(selected, entries, targets)
    )


def _check_targets(targets: SubsetTargets) -> None:
    shares = list(targets.domains.values())
    if targets.size < 1:
        raise BadInputError("A benchmark needs at least one item.")
    if not 0 <= targets.standalone <= 1 or any(not 0 <= share <= 1 for share in shares):
        raise BadInputError("Shares must be between 0 and 1.")
    if not 0 <= targets.dependencies < 1000:
        raise BadInputError("The mean number of dependencies cannot be negative.")
    if shares and abs(sum(shares) - 1) > 0.005:
        raise BadInputError(f"The shares of the domains sum to {sum(shares):.3g}, not to 1.")


def _group_sizes(
    pools: Mapping[tuple[str, bool], list[SubsetEntry]], targets: SubsetTargets, size: int
) -> Counter[tuple[str, bool]]:
    """Return the number to select per (domain, is standalone): by share first, then from groups with entries left."""
    available = Counter({cell: len(pool) for cell, pool in pools.items()})
    by_domain: Counter[str] = Counter()
    for (domain, _), count in available.items():
        by_domain[domain] += count
    shares = dict(targets.domains) or {name: count / by_domain.total() for name, count in by_domain.items()}
    exact_counts: dict[tuple[str, bool], float] = {}
    for domain, share in shares.items():
        exact_counts[domain, True] = size * share * targets.standalone
        exact_counts[domain, False] = size * share * (1 - targets.standalone)
    counts = Counter({cell: min(available[cell], count) for cell, count in _round_shares(exact_counts, size).items()})
    # A cell's shortfall is filled from the other kind of its domain, then from the same kind of other domains.
    for cell in sorted(exact_counts):
        for other in ((cell[0], not cell[1]), *sorted((domain, cell[1]) for domain in by_domain), *sorted(available)):
            if counts.total() >= size:
                return counts
            shortfall = max(0, round(exact_counts[cell]) - counts[cell])
            counts[other] += min(shortfall, available[other] - counts[other], size - counts.total())
    for other in sorted(available):
        counts[other] += min(available[other] - counts[other], size - counts.total())
    return counts


def _round_shares(exact: Mapping[tuple[str, bool], float], size: int) -> dict[tuple[str, bool], int]:
    """Round shares to whole numbers that sum to the size (largest remainders)."""
    rounded = {cell: int(count) for cell, count in exact.items()}
    remaining = size - sum(rounded.values())
    for cell in sorted(exact, key=lambda item: (rounded[item] - exact[item], item))[:remaining]:
        rounded[cell] += 1
    return rounded


def _approach_mean(
    selection: Mapping[tuple[str, bool], list[SubsetEntry]],
    pools: Mapping[tuple[str, bool], list[SubsetEntry]],
    total: float,
) -> None:
    """Swap entries within their groups as long as that brings the sum of the dependencies closer to ``total``."""
    total_now = sum(entry.dependencies for cell in selection.values() for entry in cell)
    while True:
        gap = total - total_now
        best: tuple[float, tuple[str, bool], int, int] | None = None
        for cell, inside in selection.items():
            outside = sorted({entry.dependencies for entry in pools[cell]})
            for old in sorted({entry.dependencies for entry in inside}):
                for new in outside:
                    distance = abs(gap - (new - old))
                    if distance < abs(gap) - 1e-9 and (best is None or (distance, cell, old, new) < best):
                        best = (distance, cell, old, new)
        if best is None:
            return
        _, cell, old, new = best
        inside, pool = selection[cell], pools[cell]
        leaving = next(number for number, entry in enumerate(inside) if entry.dependencies == old)
        entering = next(number for number, entry in enumerate(pool) if entry.dependencies == new)
        inside[leaving], pool[entering] = pool[entering], inside[leaving]
        total_now += new - old


def _compare_with_targets(
    selected: Sequence[SubsetEntry], entries: Iterable[SubsetEntry], targets: SubsetTargets
) -> tuple[ReachedTarget, ...]:
    available = list({entry.key: entry for entry in entries}.values())
    rows = [
        ReachedTarget("size", targets.size, len(selected), len(available)),
        ReachedTarget("standalone", targets.standalone, _standalone_share(selected), _standalone_share(available)),
        ReachedTarget(
            "dependencies", targets.dependencies, _mean_dependencies(selected), _mean_dependencies(available)
        ),
    ]
    for domain, share in targets.domains.items():
        rows.append(
            ReachedTarget(f"domain {domain}", share, _domain_share(selected, domain), _domain_share(available, domain))
        )
    return tuple(rows)


def _standalone_share(entries: Sequence[SubsetEntry]) -> float:
    return sum(not entry.dependencies for entry in entries) / len(entries) if entries else 0.0


def _mean_dependencies(entries: Sequence[SubsetEntry]) -> float:
    return sum(entry.dependencies for entry in entries) / len(entries) if entries else 0.0


def _domain_share(entries: Sequence[SubsetEntry], domain: str) -> float:
    return sum(entry.domain == domain for entry in entries) / len(entries) if entries else 0.0
