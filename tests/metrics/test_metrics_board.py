"""Boards, heat maps and item health from arrays equal the plain functions, cell by cell."""

from __future__ import annotations

import math
import random
from statistics import fmean, stdev

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.metrics.comparison.correlation import board_ranks, rows_of_ranks
from annotator.metrics.comparison.score_intervals import mean_estimate, standard_error
from annotator.metrics.metric_values import BadNumbersError
from annotator.metrics.scores.item_health import Flag, item_health
from annotator.metrics.scores.score_board import (
    ItemScores,
    ScoreCube,
    best_of_k,
    block_report,
    heat_map,
    item_best_of_k,
    item_best_of_ks,
    item_means,
    leaderboard,
    score_cube,
)

CELLS = st.lists(st.one_of(st.sampled_from([0.0, 1.0]), st.floats(0, 1)), max_size=5)
MAYBE = st.one_of(st.just(math.nan), st.sampled_from([0.0, 1.0]), st.floats(0, 1), st.sampled_from([-0.5, 2.0]))


def cube_of(samples: list[list[list[float]]], shuffle: int | None = None) -> ScoreCube:
    rows = [(m, i, score) for m, row in enumerate(samples) for i, cell in enumerate(row) for score in cell]
    if shuffle is not None:
        # Shuffle cells, keep the order of samples within them.
        order = {(m, i): random.Random(f"{shuffle}{m}{i}").random() for m, i, _ in rows}
        rows.sort(key=lambda row: order[row[0], row[1]])
    columns = [list(column) for column in zip(*rows, strict=True)] or [[], [], []]
    return score_cube([f"m{m}" for m in range(len(samples))], [f"i{i}" for i in range(len(samples[0]))], *columns)


@given(st.lists(st.lists(CELLS, min_size=3, max_size=3), min_size=1, max_size=3), st.integers(0, 99), st.integers(1, 5))
def test_item_scores_are_those_of_the_plain_functions(samples: list[list[list[float]]], seed: int, k: int) -> None:
    cube = cube_of(samples, seed)
    assert cube.samples == sum(len(cell) for row in samples for cell in row)
    means, best = item_means(cube).values, item_best_of_k(cube, k).values
    for m, row in enumerate(samples):
        for i, cell in enumerate(row):
            if cell:
                assert means[m, i] == pytest.approx(fmean(cell))
            else:
                assert math.isnan(means[m, i])
            expected = best_of_k(cell, k)
            assert math.isnan(best[m, i]) if expected is None else best[m, i] == pytest.approx(expected)


@given(
    st.lists(st.lists(MAYBE, min_size=6, max_size=6), min_size=1, max_size=4),
    st.lists(st.sampled_from(["x", "y", None]), min_size=6, max_size=6),
    st.lists(st.integers(0, 2), min_size=6, max_size=6),
)  # fmt: skip
def test_boards_are_those_of_the_plain_functions(
    values: list[list[float]], groups: list[str | None], clusters: list[int]
) -> None:
    names = tuple(f"m{m}" for m in range(len(values)))
    scores = ItemScores(names, tuple("abcdef"), np.array(values), "mean")
    board = heat_map(scores, groups)
    for m, row in enumerate(values):
        for g, group in enumerate(board.groups):
            kept = [v for v, of in zip(row, groups, strict=True) if of == group and not math.isnan(v)]
            _same(board.cell(m, g), kept, None)
            error = standard_error(kept)
            assert math.isnan(board.se[m, g]) if error is None else board.se[m, g] == pytest.approx(error, abs=1e-9)
    rows = {row.model: row for row in leaderboard(scores)}
    grouped = {row.model: row for row in leaderboard(scores, clusters)}
    for name, line in zip(names, values, strict=True):
        there = [at for at, v in enumerate(line) if not math.isnan(v)]
        kept = [line[at] for at in there]
        _same(rows[name].estimate, kept, None)
        error = standard_error(kept, [clusters[at] for at in there])
        assert grouped[name].se == (None if error is None else pytest.approx(error, abs=1e-7))
        assert rows[name].evaluated == len(kept) and rows[name].items == 6
    shown = [(row.rank, row.estimate.value) for row in leaderboard(scores) if row.rank is not None and row.estimate]
    assert [rank for rank, _ in shown] == [1 + sum(o > value + 1e-9 for _, o in shown) for _, value in shown]


def _same(found: object, kept: list[float], clusters: list[int] | None) -> None:
    expected = mean_estimate(kept, clusters)
    if expected is None:
        assert found is None
        return
    error = standard_error(kept)
    assert found is not None and found.value == pytest.approx(expected.value)  # type: ignore[attr-defined]
    assert found.n == expected.n  # type: ignore[attr-defined]
    # At a hair's breadth of spread the two may disagree on whether there is any.
    if error is None or error == 0 or error > 1e-6:
        assert found.method == expected.method  # type: ignore[attr-defined]
        for ours, plain in ((found.low, expected.low), (found.high, expected.high)):  # type: ignore[attr-defined]
            assert ours == (None if plain is None else pytest.approx(plain, abs=1e-9))


@pytest.mark.parametrize(
    ("scores", "ranks"),
    [
        ([0.5, 0.5, 0.4], [1, 1, 3]),
        ([0.1, None, 0.3, 0.3, 0.2], [4, None, 1, 1, 3]),
        # The same tenths added up in another order.
        ([0.1 + 0.2 + 0.3, 0.3 + 0.2 + 0.1, 0.5], [1, 1, 3]),
        ([0.5, 0.5 + 1e-6], [2, 1]),
        ([None, None], [None, None]),
        ([], []),
    ],
)
def test_places_are_shared_and_the_next_keep_theirs(scores: list[float | None], ranks: list[int | None]) -> None:
    assert board_ranks(scores) == ranks
    if scores:
        row = rows_of_ranks(np.array([[math.nan if score is None else score for score in scores]]))[0].tolist()
        last = 1 + sum(rank is not None for rank in ranks)
        assert row == [last if rank is None else rank for rank in ranks]


@given(
    st.lists(st.lists(st.one_of(st.just(math.nan), st.integers(0, 9).map(float)), min_size=20, max_size=20), max_size=6)
)
def test_batched_runs_in_arrays_are_those_of_the_plain_functions(rows: list[list[float]]) -> None:
    found = block_report(np.array(rows, dtype=float).reshape(-1, 20), 10)
    whole = [row for row in rows if not any(map(math.isnan, row))]
    if not whole:
        assert found is None
        return
    best = [[max(row[:10]), max(row[10:])] for row in whole]
    shares = [fmean(batch) for batch in zip(*best, strict=True)]
    error = standard_error([fmean(row) for row in best])
    assert found is not None and found.questions == len(whole)
    assert (found.share, found.decoding_std) == (pytest.approx(fmean(shares)), pytest.approx(stdev(shares)))
    assert found.question_se == (None if error is None else pytest.approx(error, abs=1e-9))


def test_batches_that_are_not_whole_have_no_report() -> None:
    assert block_report(np.ones((3, 15)), 10) is None and block_report(np.ones((0, 10)), 10) is None
    one = block_report(np.ones((1, 10)), 10)
    assert one is not None and (one.share, one.decoding_std, one.question_se) == (1.0, None, None)


def test_several_ks_are_each_k_alone() -> None:
    rng = np.random.default_rng(0)
    samples = [[list(rng.random(rng.integers(0, 7))) for _ in range(8)] for _ in range(3)]
    cube = cube_of(samples)
    together = item_best_of_ks(cube, (1, 3, 6, 9))
    for k, found in together.items():
        np.testing.assert_array_equal(found.values, item_best_of_k(cube, k).values)
        assert found.estimator == f"best of {k}"
    assert np.isnan(together[9].values).all()
    with pytest.raises(BadNumbersError):
        item_best_of_ks(cube, (1, 0))


def test_machinery_failures_leave_the_problem_out() -> None:
    cube = score_cube(["m"], ["a", "b"], [0, 0, 0], [0, 0, 1], [1.0, math.nan, 0.0])
    assert cube.machinery.tolist() == [[True, False]]
    row = leaderboard(item_means(cube))[0]
    assert (row.evaluated, row.items) == (1, 2) and row.estimate is not None and row.estimate.value == 0.0


def test_the_best_of_no_sample_cannot_be() -> None:
    with pytest.raises(BadNumbersError):
        item_best_of_k(cube_of([[[0.5]]]), 0)


def test_columns_that_cannot_be_are_refused() -> None:
    for codes in (([0], [2], [1.0]), ([1], [0], [1.0]), ([-1], [0], [1.0]), ([0], [0], [math.inf]), ([0], [0], [])):
        with pytest.raises(BadNumbersError):
            score_cube(["m"], ["a", "b"], *codes)
    empty = score_cube(["m"], ["a"], [], [], [])
    row = leaderboard(item_means(empty))[0]
    assert (row.estimate, row.rank, row.evaluated) == (None, None, 0)
    none = leaderboard(item_means(score_cube(["m"], [], [], [], [])))
    assert none[0].estimate is None
    with pytest.raises(BadNumbersError):
        heat_map(item_means(empty), ["x", "y"])


def test_macro_of_a_heat_map_leaves_small_groups_out() -> None:
    values = np.array([[1.0] * 10 + [0.0] * 10 + [1.0, 1.0]])
    board = heat_map(
        ItemScores(("m",), tuple(map(str, range(22))), values, "mean"), ["x"] * 10 + ["y"] * 10 + ["z"] * 2
    )
    assert board.macro() == ((0.5, pytest.approx(stdev([1, 0]))),)
    assert board.macro(minimum=30) == ((None, None),)


# Item health ----------------------------------------------------------------------------------------------------------


def _pilot() -> tuple[list[str], np.ndarray[tuple[int, ...], np.dtype[np.float64]]]:
    """Return twelve models of rising skill on sound items and one item of each fault."""
    skill = np.linspace(0.05, 0.95, 12)
    sound = np.array([[float(s > cut) for cut in np.linspace(0.1, 0.9, 20)] for s in skill])
    faults = {
        "all": np.ones(12),
        "none": np.zeros(12),
        "flat": np.where(np.arange(12) % 2, 0.5, 0.52),
        "reversed": 1.0 - (skill > 0.5),
        "noise": np.array([0, 1, 0, 1, 0, 0, 0, 1, 1, 0, 0, 1.0]),
    }
    return [*(f"s{n}" for n in range(20)), *faults], np.column_stack([sound, *faults.values()])


def test_item_flags() -> None:
    names, scores = _pilot()
    found = {health.item: health for health in item_health(names, scores)}
    assert all(found[f"s{n}"].flags == () for n in range(20))
    assert found["all"].flags == (Flag.EVERYONE_PASSES, Flag.LOW_SPREAD) and found["all"].correlation is None
    assert found["none"].flags == (Flag.EVERYONE_FAILS, Flag.LOW_SPREAD)
    assert Flag.LOW_SPREAD in found["flat"].flags
    assert found["reversed"].flags == (Flag.NEGATIVE_CORRELATION, Flag.STRONG_FAIL_WEAK_PASS)
    assert found["reversed"].discrimination == -1
    assert Flag.STRONG_FAIL_WEAK_PASS not in found["noise"].flags
    assert not found["s3"].tentative and all(health.tentative for health in item_health(names, scores[:5]))


@given(st.integers(0, 10_000))
def test_item_statistics_are_those_of_plain_loops(seed: int) -> None:
    rng = random.Random(seed)
    models, items = rng.randint(2, 7), rng.randint(2, 6)
    rows = [
        [math.nan if rng.random() < 0.15 else rng.choice([0.0, 0.5, 1.0]) for _ in range(items)] for _ in range(models)
    ]
    for at, health in enumerate(item_health([str(n) for n in range(items)], rows)):
        column = [row[at] for row in rows if not math.isnan(row[at])]
        assert health.models == len(column)
        assert health.mean == (pytest.approx(fmean(column)) if column else None)
        assert health.spread == (pytest.approx(stdev(column)) if len(column) > 1 else None)
        pairs = []
        for row in rows:
            rest = [v for place, v in enumerate(row) if place != at and not math.isnan(v)]
            if rest and not math.isnan(row[at]):
                pairs.append((row[at], fmean(rest)))
        if len(pairs) < 3 or stdev(x for x, _ in pairs) < 1e-9 or stdev(y for _, y in pairs) < 1e-9:
            assert health.correlation is None
        else:
            expected = np.corrcoef(np.array(pairs).T)[0, 1]
            assert health.correlation == pytest.approx(expected, abs=1e-9)


def test_item_health_of_bad_shapes() -> None:
    with pytest.raises(BadNumbersError):
        item_health(["a"], [[1.0, 0.0]])
    with pytest.raises(BadNumbersError):
        item_health(["a"], [1.0])
    lonely = item_health(["a"], [[math.nan]])[0]
    assert (lonely.models, lonely.mean, lonely.spread, lonely.flags) == (0, None, None, ())
