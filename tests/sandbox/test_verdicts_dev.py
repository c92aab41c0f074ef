"""The development half of the verdict data, for every language but Python: each job comes out as it must."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from annotator.sandbox import LANGUAGES, Pool, parse_job
from annotator.sandbox.places import DockerPlace

DATA = Path(__file__).parents[3] / "shared" / "data" / "verdicts-dev"
ABOUT = ("expect", "why", "group", "how", "run", "lacks")
REJECTED = {"fail", "compile_error", "timeout", "memory", "output_limit", "crash"}
HELD_AT_LEAST = 0.75

pytestmark = [
    pytest.mark.sandbox,
    pytest.mark.slow,
    pytest.mark.skipif(not DATA.exists(), reason="the verdict data is not beside the project"),
]


def _rows(name: str) -> list[dict[str, Any]]:
    if not DATA.exists():
        return []
    with open(DATA / name, encoding="utf-8") as stream:
        return [row for row in map(json.loads, stream) if row["language"] != "python"]


def _wrong(place: DockerPlace, rows: list[dict[str, Any]]) -> list[tuple[str, str, str, str]]:
    """Run rows and return those that did not come out as they must: id, expected, outcome, message."""
    jobs = [parse_job({name: value for name, value in row.items() if name not in ABOUT}) for row in rows]
    with Pool(place, 2) as pool:
        results = list(pool.run(jobs))
    return [
        (row["id"], row["expect"], result.outcome, result.message)
        for row, result in zip(rows, results, strict=True)
        if not (
            result.outcome == "pass"
            if row["expect"] == "pass"
            else row["expect"] == "any" or result.outcome in REJECTED
        )
    ]


@pytest.mark.parametrize("name", [item.name for item in LANGUAGES if item.name != "python"])
def test_right_solutions_pass_and_wrong_ones_fail(place: DockerPlace, name: str) -> None:
    rows = [row for row in _rows("languages.jsonl") if row["language"] == name]
    assert rows
    assert _wrong(place, rows) == []


def test_most_attacks_on_programs_are_held(place: DockerPlace) -> None:
    rows = _rows("attacks.jsonl")
    assert len(_wrong(place, rows)) <= (1 - HELD_AT_LEAST) * len(rows)
