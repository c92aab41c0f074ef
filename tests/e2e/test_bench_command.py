"""The performance goals from the command line: what is printed, and what is refused. No figure is a test here."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from annotator.__main__ import main
from annotator.bench import __main__ as program
from annotator.bench.figures import at_most, quantile, reaching, within
from annotator.cli.commands import bench


def test_every_group_the_command_names_is_one_of_the_program() -> None:
    assert bench.GROUPS == program.GROUPS
    assert all((Path(program.__file__).parent / f"{name}.py").is_file() for name in bench.GROUPS)


def test_the_texts_are_measured_beside_their_peers(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "text", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["failed"] == {} and {row["row"] for row in found["figures"]} == {"diff", "scoring"}
    assert all(row["value"] > 0 and row["floor"] > 0 and row["ratio"] > 0 for row in found["figures"])


@pytest.mark.parametrize("words", [["bench", "nothing"], ["bench", "--subjects", "10"], ["bench", "--subjects", "x"]])
def test_bad_requests(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    assert "Traceback" not in capsys.readouterr().err


def test_goals_hold_or_not() -> None:
    assert at_most("a", "b", 3, "ms", 3).met and not at_most("a", "b", 3.1, "ms", 3).met
    assert within("a", "b", 6, "ms", 2, (3, "f")).met and not within("a", "b", 7, "ms", 2, (3, "f")).met
    assert reaching("a", "b", 6, "1/s", 2, (3, "f")).met and not reaching("a", "b", 5, "1/s", 2, (3, "f")).met
    assert within("a", "b", 6, "ms", 2, (3, "f")).ratio == 2 and at_most("a", "b", 3, "ms", 3).ratio is None
    assert quantile([3, 1, 2], 0.5) == 2 and quantile([1], 1.0) == 1
    with pytest.raises(ValueError, match="no values"):
        quantile([], 0.5)
