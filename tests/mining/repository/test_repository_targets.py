"""A benchmark chosen to targets: what was reached is told as it is, and no other choice of cells is closer."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.base.errors import BadInputError
from annotator.mining.repository.discovery.subset import SubsetChoice, SubsetEntry, SubsetTargets, select_subset

POOL = [
    SubsetEntry(f"{domain}-{number}", domain, number % 9)
    for domain, count in (("network", 150), ("system", 90), ("cryptography", 60))
    for number in range(count)
]


def reached(found: SubsetChoice) -> dict[str, tuple[float, float]]:
    return {row.name: (row.wanted, row.got) for row in found.reached}


def test_the_published_shares_are_met_where_they_can_be() -> None:
    shares = {"network": 0.5, "system": 0.3, "cryptography": 0.2}
    found = select_subset(POOL, SubsetTargets(100, domains=shares))
    told = reached(found)
    assert told["size"] == (100, 100) and len(set(found.keys)) == 100
    assert told["standalone"][1] == pytest.approx(0.27, abs=0.011)
    assert told["dependencies"][1] == pytest.approx(3.2, abs=0.011)
    for name, share in shares.items():
        assert told[f"domain {name}"][1] == pytest.approx(share, abs=0.011)
    by_key = {entry.key: entry for entry in POOL}
    assert told["dependencies"][1] == sum(by_key[key].dependencies for key in found.keys) / 100
    assert set(found.keys) == set(select_subset(POOL, SubsetTargets(100, domains=shares)).keys)
    assert set(found.keys) != set(select_subset(POOL, SubsetTargets(100, domains=shares), seed=1).keys)


def test_what_is_not_there_is_told() -> None:
    found = select_subset(
        [entry for entry in POOL if entry.dependencies > 4], SubsetTargets(50, domains={"network": 0.5, "x": 0.5})
    )
    told = reached(found)
    assert told["size"] == (50, 50) and told["standalone"] == (0.27, 0.0)
    assert 5 <= told["dependencies"][1] < 6 and told["domain x"] == (0.5, 0.0)
    few = select_subset(POOL[:3], SubsetTargets(10))
    assert reached(few)["size"] == (10, 3) and len(few.keys) == 3
    assert select_subset([], SubsetTargets(10)).keys == ()


@pytest.mark.parametrize(
    "targets",
    [SubsetTargets(0), SubsetTargets(5, standalone=1.5), SubsetTargets(5, dependencies=-1),
     SubsetTargets(5, domains={"a": 0.4, "b": 0.4}),
     SubsetTargets(5, domains={"a": 1.4, "b": -0.4})],
)  # fmt: skip
def test_targets_that_cannot_be_meant_are_refused(targets: SubsetTargets) -> None:
    with pytest.raises(BadInputError):
        select_subset(POOL, targets)


@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 6)), max_size=9),
    st.integers(1, 5),
    st.floats(0, 1),
    st.floats(0, 6),
)
def test_any_pool_gives_as_many_as_it_can(
    pairs: list[tuple[str, int]], size: int, standalone: float, mean: float
) -> None:
    pool = [SubsetEntry(str(number), domain, count) for number, (domain, count) in enumerate(pairs)]
    found = select_subset(pool, SubsetTargets(size, standalone, mean))
    assert len(found.keys) == min(size, len(pool)) and set(found.keys) <= {entry.key for entry in pool}
    taken = [entry for entry in pool if entry.key in found.keys]
    cells = sorted((entry.domain, not entry.dependencies) for entry in taken)
    alike = (
        other for other in itertools.combinations(pool, len(taken))
        if sorted((entry.domain, not entry.dependencies) for entry in other) == cells
    )  # fmt: skip
    off = abs(sum(entry.dependencies for entry in taken) - mean * len(taken))
    # An exchange at a time may stop a little short of the best, never by more than one exchange can change.
    best = min(abs(sum(entry.dependencies for entry in other) - mean * len(other)) for other in alike)
    assert off <= best + 3
