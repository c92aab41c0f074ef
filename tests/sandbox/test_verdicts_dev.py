"""The development half of the verdict data: each job comes out as it must, the same when it is run again."""

from __future__ import annotations

import itertools
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from annotator.sandbox import LANGUAGES, JobResult, Pool, parse_job
from annotator.sandbox.sandbox_places import DockerPlace

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
        return [json.loads(line) for line in stream]


def _wrong(place: DockerPlace, rows: list[dict[str, Any]], size: int) -> list[tuple[str, str, str, str]]:
    """Run rows and return those that did not come out as they must: id, expected, outcome, message."""
    jobs = [parse_job({name: value for name, value in row.items() if name not in ABOUT}) for row in rows]
    with Pool(place, size) as pool:
        results = list(pool.run(jobs))
    return [
        (row["id"], row["expect"], result.outcome, result.message)
        for row, result in zip(rows, results, strict=True)
        if not _is_as_expected(row, result)
    ]


def _is_as_expected(row: dict[str, Any], result: JobResult) -> bool:
    told = json.dumps(asdict(result), default=str)
    if any(text in told for text in row.get("lacks", ())):
        return False
    if row["expect"] == "pass":
        return result.outcome == "pass"
    refused = REJECTED | {"disputed"} if "run" in row else REJECTED
    return row["expect"] == "any" or result.outcome in refused


@pytest.mark.parametrize("name", [item.name for item in LANGUAGES])
def test_right_solutions_pass_and_wrong_ones_fail(place: DockerPlace, name: str) -> None:
    rows = [row for file in ("python.jsonl", "languages.jsonl") for row in _rows(file) if row["language"] == name]
    assert rows
    assert _wrong(place, rows, 2) == []


def test_attacks_are_held_those_on_python_all_of_them(place: DockerPlace) -> None:
    rows = sorted(_rows("attacks.jsonl"), key=lambda row: str(row["run"]))
    programs = [row for row in rows if row["language"] != "python"]
    assert len(_wrong(place, programs, 2)) <= (1 - HELD_AT_LEAST) * len(programs)
    for _, run in itertools.groupby((row for row in rows if row["language"] == "python"), lambda row: row["run"]):
        # The jobs of a run go through one process, in order.
        assert _wrong(place, list(run), 1) == []
