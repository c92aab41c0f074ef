"""Coefficients of agreement against other people's implementations, which are oracles here and never dependencies."""

from __future__ import annotations

import random
from typing import Any

import pytest

from annotator.metrics.agreement.coefficients import fleiss_kappa, gwet_ac1_all, krippendorff_alpha

LABELS = ("win", "tie", "lose")


def _raters(seed: int, *, gaps: bool) -> list[list[str | None]]:
    rng = random.Random(seed)
    truth = [rng.choice(LABELS) for _ in range(40)]
    raters: list[list[str | None]] = [
        [label if rng.random() < 0.7 else rng.choice(LABELS) for label in truth] for _ in range(rng.randint(2, 5))
    ]
    for labels in raters if gaps else ():
        for _ in range(5):
            labels[rng.randrange(40)] = None
    return raters


@pytest.mark.parametrize("seed", range(8))
def test_krippendorff(seed: int) -> None:
    oracle: Any = pytest.importorskip("krippendorff", reason="the oracle krippendorff is not installed")
    raters = _raters(seed, gaps=seed % 2 == 1)
    coded = [[float("nan") if label is None else LABELS.index(label) for label in labels] for labels in raters]
    assert krippendorff_alpha(raters) == pytest.approx(oracle.alpha(coded, level_of_measurement="nominal"))


@pytest.mark.parametrize("seed", range(8))
def test_gwet_and_fleiss(seed: int) -> None:
    cac: Any = pytest.importorskip("irrCAC.raw", reason="the oracle irrCAC is not installed")
    pandas: Any = pytest.importorskip("pandas", reason="pandas is not installed")
    raters = _raters(seed, gaps=False)
    table = cac.CAC(pandas.DataFrame(list(zip(*raters, strict=True))), digits=10)
    assert gwet_ac1_all(raters, LABELS) == pytest.approx(table.gwet()["est"]["coefficient_value"], abs=1e-8)
    assert fleiss_kappa(raters) == pytest.approx(table.fleiss()["est"]["coefficient_value"], abs=1e-8)
