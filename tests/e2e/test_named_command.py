"""A command builds the part of the command line that it needs, and reads its arguments as the whole would."""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from pathlib import Path

import pytest

from annotator.cli import parser
from annotator.cli.parser import WORDS, load_commands


def _commands(tree: argparse.ArgumentParser) -> set[str]:
    return WORDS.keys() & set(re.findall(r"^    (\S+)", tree.format_help(), re.MULTILINE))


def _help(tree: argparse.ArgumentParser, name: str, capsys: pytest.CaptureFixture[str]) -> str:
    with pytest.raises(SystemExit):
        tree.parse_args([name, "--help"])
    return capsys.readouterr().out


WHOLE = parser.build_parser()


@pytest.mark.parametrize("name", WORDS)
def test_a_named_command_is_the_same_as_in_the_whole_tree(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert _help(parser.build_parser(name), name, capsys) == _help(WHOLE, name, capsys)


def test_most_commands_leave_the_others_alone() -> None:
    assert _commands(parser.build_parser("status")) < WORDS.keys()
    assert _commands(parser.build_parser("mine")) == {"mine"}


@pytest.mark.parametrize("word", ["", "--help", "nonsense", "statu"])
def test_any_other_word_gets_all_commands(word: str) -> None:
    assert _commands(parser.build_parser(word)) == _commands(WHOLE) == WORDS.keys()


def test_the_list_of_commands_says_what_the_commands_say_of_themselves() -> None:
    assert parser.build_parser("--help").format_help() == parser.build_parser().format_help()


def test_an_unknown_command_is_still_told_what_there_is() -> None:
    done = subprocess.run([sys.executable, "-m", "annotator", "nonsense"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "status" in done.stderr
    assert "results" in done.stderr


def test_starting_the_window_loads_no_other_command() -> None:
    program = (
        "import sys\nfrom annotator.cli import run\nfrom annotator.cli.commands.program import window\n"
        "def shown(_):\n    print(sorted(n for n in sys.modules if n.startswith('annotator.cli.commands.')))\n"
        "    return 0\n"
        "window.show_window = shown\nsys.exit(run.run_command_line([]))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['annotator.cli.commands.program', 'annotator.cli.commands.program.window']"


_ONLY_READING = (["status"], ["list"], ["run", "list"], ["release", "list"], ["results"])
_HEAVY = ("annotator.mining", "annotator.construction", "httpx", "libcst", "openai", "sqlglot", "tree_sitter")


def test_commands_that_only_read_load_no_miner_and_no_parser(sample_file: Path) -> None:
    program = (
        "import sys\nfrom annotator.__main__ import main\n"
        f"for words in {_ONLY_READING}:\n    assert main([*words, sys.argv[1]]) == 0\n"
        f"print('loaded:', [name for name in {_HEAVY} if name in sys.modules])\n"
    )
    # All of them in one process: each start takes two seconds.
    done = subprocess.run([sys.executable, "-c", program, sample_file], capture_output=True, text=True, check=True)
    assert done.stdout.rpartition("loaded: ")[2] == "[]\n"


def test_the_commands_that_run_models_load_no_miner() -> None:
    program = (
        "import sys\nimport annotator.cli.commands.runs.start\n"
        f"print([name for name in {_HEAVY[:-1]} if name in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_a_second_word_loads_modules_up_to_its_own_and_no_others() -> None:
    assert [item.name for item in load_commands("run", "list")] == ["run list"]
    assert len(load_commands("run", "lst")) == len(load_commands("run")) > 10
