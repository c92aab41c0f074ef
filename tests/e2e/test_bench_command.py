"""The performance goals from the command line: what is printed, and what is refused. No figure is a test here."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest

from annotator.__main__ import main
from annotator.bench import __main__ as program
from annotator.bench import asking, dump, generation, sandbox
from annotator.bench.figures import at_most, quantile, reaching, within
from annotator.cli.commands import bench
from annotator.mining.stackexchange.survey import SurveyOptions, survey


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


def test_a_made_dump_is_one_that_the_survey_reads(tmp_path: Path) -> None:
    path = tmp_path / "Posts.xml"
    dump._write(path, 400)
    seconds, peak = dump._run("survey", path)
    assert seconds > 0 and peak > 1
    counts = survey(path, SurveyOptions(dump._AS_OF), tmp_path / "kept")
    assert (counts.rows, counts.questions, counts.bad) == (400, 100, {})


def test_the_made_endpoint_counts_what_it_holds() -> None:
    with generation.endpoint() as url:
        stop = asking.threads(generation.LIMIT, partial(asking.bare, url))()
        deadline = time.monotonic() + 30
        while asking.counts(url)["requests"] < 200 and time.monotonic() < deadline:
            time.sleep(0.05)
        found = asking.counts(url)
        stop()
    assert found["requests"] >= 200
    # A client has one request out at a time, so no more are held than there are clients.
    assert 1 <= found["held"] <= generation.LIMIT and found["area"] > 0


def test_the_made_tests_pass_and_can_fail() -> None:
    for code, test in sandbox._cases(20):
        program = subprocess.run([sys.executable, "-I", "-c", f"{code}\n{test}"], capture_output=True, check=False)
        assert program.returncode == 0, program.stderr
        broken = code.replace("sorted(sum(part)", "reversed([sum(part)").replace(".values())", ".values()])")
        assert subprocess.run([sys.executable, "-I", "-c", f"{broken}\n{test}"], capture_output=True).returncode
