"""Quotas: the published table, the pool that is looked at, and how far a project is."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.base.errors import KnownError
from annotator.mining.quota_plan import (
    PUBLISHED_SHARES,
    PUBLISHED_SIZE,
    Quota,
    area_quotas,
    divide_quotas,
    draw_inspection_pools,
    measure_quotas,
    parse_quotas,
    quotas_json,
    to_project_quotas,
)

TABLES = Path(__file__).parents[3] / "shared" / "data" / "published-tables.json"
SEED = {
    "front-end": {"javascript": 4912, "css": 87, "html": 600},
    "back-end": {"java": 930, "c#": 629, "php": 462, "go": 117, "ruby": 71, "rust": 96, "c/c++": 287},
    "data science": {"python": 2779, "r": 184},
    "mobile and desktop": {"dart": 1562, "kotlin": 383, "swift": 551, "vba": 16},
    "IT operations": {"bash": 188},
}
RAW = {
    "javascript": 43.86, "css": 0.78, "html": 5.36, "java": 17.94, "c#": 12.13, "php": 8.91, "go": 2.26, "ruby": 1.37,
    "rust": 1.85, "c/c++": 5.54, "python": 46.90, "r": 3.10, "dart": 18.65, "kotlin": 4.57, "swift": 6.58, "vba": 0.19,
    "bash": 20.0,
}  # fmt: skip
QUOTAS = {**dict.fromkeys(RAW, 10), "javascript": 44, "java": 18, "c#": 12, "python": 47, "dart": 19, "bash": 20}


def test_the_published_table_comes_out() -> None:
    cells = divide_quotas(area_quotas(PUBLISHED_SHARES, PUBLISHED_SIZE), SEED)
    assert {cell.language: cell.quota for cell in cells} == QUOTAS and sum(QUOTAS.values()) == 270
    assert {cell.language: cell.share for cell in cells} == pytest.approx(RAW, abs=0.006)
    assert {cell.language: cell.pool_size for cell in cells if cell.pool_size != 2 * cell.quota} == {"vba": 16}
    assert sum(cell.candidate_count for cell in cells) == 13_854


def test_fifteen_of_the_seventeen_printed_cells_agree() -> None:
    if not TABLES.exists():
        pytest.skip("the shared data is not here")
    table = json.loads(TABLES.read_text())["infi"]
    seed = {area: table["seed"][area] for area in table["seed"]}
    shares = dict(zip(seed, PUBLISHED_SHARES.values(), strict=True))
    ours = {cell.language: cell.quota for cell in divide_quotas(area_quotas(shares, 200), seed)}
    printed = table["table2_tentative"]
    assert {name for name in ours if ours[name] != printed[name]} == {"VBA", "Bash"}
    assert sum(ours.values()) == sum(printed.values()) == 270


@pytest.mark.parametrize(
    ("shares", "size"), [({"a": 0.5}, 10), ({"a": 1.5, "b": -0.5}, 10), ({"a": float("nan")}, 10), ({"a": 1.0}, 0)]
)
def test_shares_must_make_sense(shares: dict[str, float], size: int) -> None:
    with pytest.raises(KnownError):
        area_quotas(shares, size)


@pytest.mark.parametrize(
    ("wanted", "seed"),
    [({}, {"a": {"x": 1}}), ({"a": 1, "b": 1}, {"a": {"x": 1}, "b": {"x": 1}}), ({"a": 1}, {"a": {"x": -1}})],
)
def test_quotas_must_make_sense(wanted: dict[str, float], seed: dict[str, dict[str, int]]) -> None:
    with pytest.raises(KnownError):
        divide_quotas(wanted, seed)


def test_a_language_without_candidates_gets_none() -> None:
    cells = divide_quotas({"a": 10, "b": 5}, {"a": {"x": 4, "y": 0}, "b": {"z": 0}}, minimum=3)
    assert [(cell.language, cell.quota, cell.pool_size) for cell in cells] == [("x", 10, 4), ("y", 0, 0), ("z", 0, 0)]


KEYS = st.sets(st.text(max_size=6), max_size=30)


@given(KEYS, st.integers(0, 40), st.integers())
def test_the_pool_is_drawn_once_and_for_all(keys: set[str], size: int, seed: int) -> None:
    drawn = draw_inspection_pools({"x": sorted(keys)}, {"x": size}, seed)["x"]
    assert len(drawn) == len(set(drawn)) == min(size, len(keys)) and set(drawn) <= keys
    assert draw_inspection_pools({"x": sorted(keys, reverse=True)}, {"x": size}, seed)["x"] == drawn
    assert draw_inspection_pools({"x": keys}, {"x": size + 5}, seed)["x"][: len(drawn)] == drawn


def test_every_candidate_has_the_same_chance() -> None:
    keys = [str(n) for n in range(20)]
    counts = Counter(key for seed in range(2000) for key in draw_inspection_pools({"x": keys}, {"x": 5}, seed)["x"])
    # 500 expected of each; six standard deviations of a binomial are 116.
    assert all(384 <= counts[key] <= 616 for key in keys)


def test_how_far_a_project_is() -> None:
    found = (
        Quota((("language", "python"),), 3),
        Quota((("language", "Python"), ("difficulty", "hard")), 2),
        Quota((), 9),
    )
    groups: list[tuple[dict[str, str], int, int]] = [
        ({"language": "python", "difficulty": "hard"}, 1, 0),
        ({"language": "python", "difficulty": "easy"}, 4, 7),
        ({"language": "java"}, 2, 5),
    ]
    python, hard, everything = measure_quotas(found, groups)
    assert (python.filled, python.open, python.missing) == (5, 7, 0)
    assert (hard.filled, hard.missing) == (1, 1)
    assert (everything.filled, everything.missing) == (7, 2)
    assert (hard.quota.label, everything.quota.label) == ("Python · hard", "all")


def test_quotas_are_written_and_read() -> None:
    found = to_project_quotas(divide_quotas(area_quotas(PUBLISHED_SHARES, 200), SEED))
    assert parse_quotas(json.loads(json.dumps(quotas_json(found)))) == found
    assert found[0] == Quota((("area", "front-end"), ("language", "javascript")), 44)


@pytest.mark.parametrize(
    "rows", [{}, [3], [{"wanted": -1}], [{"wanted": True}], [{"wanted": 1.5}], [{}], [{"wanted": 1, "colour": "red"}],
             [{"wanted": 1, "area": 3}], [{"wanted": 1, "area": ""}]],
)  # fmt: skip
def test_quotas_that_do_not_fit_say_so(rows: Any) -> None:
    with pytest.raises(KnownError):
        parse_quotas(rows)
