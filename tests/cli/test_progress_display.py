"""How far a command is: on a terminal, in a pipe, and while nothing is reported."""

from __future__ import annotations

import argparse
import io
import time
from typing import Any

import pytest

from annotator.cli.command import command
from annotator.cli.output import CommandAnswer
from annotator.cli.progress_display import FIRST_S, ProgressDisplay


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def wait_for(stream: io.StringIO, text: str) -> None:
    limit = time.monotonic() + 60
    while text not in stream.getvalue() and time.monotonic() < limit:
        time.sleep(0.005)
    assert text in stream.getvalue()


def test_a_pipe_gets_lines_while_nothing_is_reported() -> None:
    stream = io.StringIO()
    with ProgressDisplay(stream, "annotator prove", interval_s=0.01) as display:
        wait_for(stream, "annotator prove: 0 s so far\n")
        display.start("Proving").report(3, 12, "HumanEval/3")
        wait_for(stream, "Proving: 3 of 12 (25%), ")
    lines = stream.getvalue().splitlines()
    assert lines[-1].endswith(" so far, HumanEval/3")
    assert " a second, about " in lines[-1]
    assert "\x1b" not in stream.getvalue()


def test_a_quick_command_says_nothing() -> None:
    for stream in (io.StringIO(), Terminal()):
        with ProgressDisplay(stream, "annotator list"):
            pass
        assert stream.getvalue() == ""


def test_a_terminal_shows_reports_at_once_and_is_clear_at_the_end() -> None:
    stream = Terminal()
    with ProgressDisplay(stream, "annotator import") as display:
        display.start("Importing").report(1, 4)
        assert stream.getvalue().startswith("\r\x1b[KImporting: 1 of 4 (25%)")
        display.hide()
        assert stream.getvalue().endswith("\r\x1b[K")
        written = len(stream.getvalue())
        time.sleep(0.02)
        assert len(stream.getvalue()) == written
        display.start("Indexing").report(1, 2)
        assert "Indexing: 1 of 2" in stream.getvalue()
    assert stream.getvalue().endswith("\r\x1b[K")


def test_texts_from_files_do_not_steer_the_terminal() -> None:
    stream = Terminal()
    with ProgressDisplay(stream, "annotator import") as display:
        display.start("Importing").report(1, 2, "a\x1b[2Jb")
    assert "\x1b[2J" not in stream.getvalue()


def test_a_closed_pipe_does_not_end_the_command() -> None:
    stream = io.StringIO()
    with ProgressDisplay(stream, "annotator list", interval_s=0.001):
        stream.close()
        time.sleep(0.02)


def test_every_command_tells_that_it_is_at_work(capsys: Any) -> None:
    @command("sleep", "annotator sleep", json=False)
    def sleep() -> CommandAnswer:
        """Sleep."""
        time.sleep(FIRST_S + 0.3)  # The real interval, which no command can change.
        return CommandAnswer({}, "Slept.")

    parser = argparse.ArgumentParser()
    sleep.add_to(parser.add_subparsers().add_parser)
    options = parser.parse_args(["sleep"])
    options.json = False
    assert options.call(options) == 0
    out, err = capsys.readouterr()
    assert out == "Slept.\n"
    assert err == "annotator sleep: 5 s so far\n"


@pytest.mark.parametrize(("seconds", "text"), [(90, "90 s so far"), (600, "10 min so far")])
def test_long_times_are_minutes(seconds: float, text: str) -> None:
    stream = io.StringIO()
    with ProgressDisplay(stream, "a", interval_s=0.005) as display:
        display.start("b").started_at -= seconds
        wait_for(stream, text)
