"""A declared command: its arguments and its project; how a shell completes it, how Ctrl+C ends it, and benchmarks."""

import argparse
import io
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import pytest

from annotator.__main__ import main
from annotator.base.errors import BadInputError, ExitCode
from annotator.cli.command import Annotator, Argument, Body, Command, OneOf, Option, Texts, command
from annotator.cli.open_project import Project, ReadOnlyProject
from annotator.cli.output import CommandAnswer
from annotator.cli.parser import WORDS
from annotator.cli.run import resend_lost_interrupts
from annotator.services.project import projects
from annotator.store.file.project_file import ProjectFile
from tests.benchmarks import history

WHERE = OneOf(required=True)


@dataclass(frozen=True)
class Sizes:
    """Two options in one parameter."""

    width: Annotated[int, Option("N")] = 3
    height: Annotated[float | None, Option("N")] = None


def call(body: Body, *words: str | Path) -> int:
    parser = argparse.ArgumentParser()
    commands = parser.add_subparsers()
    Command("try", "annotator try", body, json=True).add_to(commands.add_parser)
    options = parser.parse_args(["try", *map(str, words)])
    return int(options.call(options))


def test_parameters_are_arguments() -> None:
    seen: list[object] = []

    def body(
        *,
        files: Annotated[tuple[Path, ...], Argument("FILE")],
        name: Annotated[Texts, Option("N", flag="--for")] = (),
        sizes: Sizes,
        dry_run: Annotated[bool, Option()] = False,
        here: Annotated[bool, Option(among=WHERE)] = False,
        there: Annotated[Path | None, Option("F", among=WHERE)] = None,
        person: Annotator = None,
    ) -> CommandAnswer:
        seen.extend((files, name, sizes, dry_run, here, there, person))
        return CommandAnswer(None, "")

    assert call(body, "a", "b", "--for", "x", "--for", "y", "--width", "7", "--dry-run", "--there", "c") == 0
    assert seen == [(Path("a"), Path("b")), ("x", "y"), Sizes(7), True, False, Path("c"), None]
    for wrong in (["a"], ["--here"], ["a", "--here", "--there", "c"], ["a", "--here", "--width", "w"]):
        with pytest.raises(SystemExit):
            call(body, *wrong)


def test_the_project_is_open_in_the_body_and_closed_after_it(tmp_path: Path) -> None:
    path = tmp_path / "p.annotator"
    projects.create_project(path, "N", "Ada").close()
    stores: list[ProjectFile] = []

    def follow_up() -> None:
        assert projects.stage_counts(stores[-1]).subjects == 0

    def body(store: Project) -> CommandAnswer:
        stores.append(store)
        return CommandAnswer(projects.stage_counts(store), "", ExitCode.ENVIRONMENT, follow_up)

    def fail(store: ReadOnlyProject) -> CommandAnswer:
        stores.append(store)
        raise BadInputError("no")

    assert call(body, path, "--annotator", "Ada") == ExitCode.ENVIRONMENT
    with pytest.raises(BadInputError, match="no"):
        call(fail, path)
    assert [store.read_only for store in stores] == [False, True]
    for store in stores:
        with pytest.raises(BadInputError, match="closed"):
            projects.stage_counts(store)


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        (b"a/1\n\n  b 2  \n", ("x", "a/1", "b 2")),
        ('\ufeff{"key": "a/1", "title": "A"}\r\n{"id": "b"}\n'.encode(), ("x", "a/1", "b")),
    ],
)
def test_a_hyphen_is_the_subjects_of_standard_input(
    told: bytes, expected: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    def body(*, subject: Annotated[Texts, Option("ID", piped=True)]) -> CommandAnswer:
        assert subject == expected
        return CommandAnswer(None, "")

    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(told)))
    assert call(body, "--subject", "x", "--subject", "-") == 0


@pytest.mark.parametrize("told", [b"", b" \n", b"\xff\n", b"{\n", b"{}\n", b'{"key": 3}\n', b"{" * 100_000])
def test_standard_input_without_subjects_is_refused(told: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    def body(*, subject: Annotated[Texts, Option("ID", piped=True)]) -> CommandAnswer:
        raise AssertionError(subject)

    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(told)))
    with pytest.raises(BadInputError, match="tandard input"):
        call(body, "--subject", "-")


@pytest.mark.parametrize("names", [("-",), ("a.jsonl", "-")])
def test_a_hyphen_is_standard_input(names: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Path] = []

    def body(*, files: Annotated[tuple[Path, ...], Argument("FILE", stdin=".jsonl")]) -> CommandAnswer:
        assert [path.name for path in files] == ["stdin.jsonl" if name == "-" else name for name in names]
        assert files[-1].read_bytes() == b"{}\n"
        seen.extend(files)
        return CommandAnswer(None, "")

    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"{}\n")))
    assert call(body, *names) == 0
    assert not seen[-1].exists()


# What a shell completes, tried in bash itself.
TRY = """
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=()
_shtab_annotator
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.fixture(scope="module")
def script(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("completion") / "annotator.bash"
    with pytest.MonkeyPatch.context() as patch, path.open("w", encoding="utf-8") as stream:
        patch.setattr("sys.stdout", stream)
        assert main(["completion", "bash"]) == 0
    return path


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("criter", ["criterion"]),
        ("criterion pro", ["prove"]),
        ("select p --verd", ["--verdict"]),
        ("select p --verdict acc", ["accept"]),
        ("release export p --format huggingface-", ["huggingface-parquet"]),
        ("status mine.ann", ["mine.annotator"]),
    ],
)
def test_bash_completes_words_options_choices_and_files(
    script: Path, tmp_path: Path, line: str, offered: list[str]
) -> None:
    (tmp_path / "mine.annotator").touch()
    done = subprocess.run(
        ["bash", "-c", TRY, "bash", str(script), "annotator", *line.split(" ")],
        cwd=tmp_path, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.split() == offered, done.stderr


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_know_every_command(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0
    said = capsys.readouterr().out
    assert all(word in said for word in WORDS)


def test_another_shell_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", "zhs"]) == 2
    assert "did you mean zsh?" in capsys.readouterr().err


# Ctrl+C ends a command whatever Python is at just then.


class _Interrupted:
    def __del__(self) -> None:
        raise KeyboardInterrupt


class _Broken:
    def __del__(self) -> None:
        raise ValueError("in a finalizer")


@pytest.mark.parametrize("wait", [time.sleep, lambda seconds: threading.Event().wait(seconds)], ids=["sleep", "event"])
def test_an_interruption_during_a_finalizer_comes_again(wait: object) -> None:
    assert callable(wait)
    with pytest.raises(KeyboardInterrupt), resend_lost_interrupts():
        _Interrupted()
        wait(30)


def test_other_errors_of_finalizers_are_reported_as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    reported: list[type[BaseException]] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda lost: reported.append(lost.exc_type))
    mine = sys.unraisablehook
    with resend_lost_interrupts():
        _Broken()
    assert reported == [ValueError]
    assert sys.unraisablehook is mine


def test_a_command_that_ends_first_is_not_interrupted_afterwards() -> None:
    with resend_lost_interrupts():
        _Interrupted()
    time.sleep(0.2)


def test_sigterm_interrupts_a_command_as_ctrl_c_does() -> None:
    def end_oneself() -> int:
        """End."""
        signal.raise_signal(signal.SIGTERM)
        return 0

    with pytest.raises(KeyboardInterrupt):
        command("end", "annotator end", json=False)(end_oneself).run(argparse.Namespace())
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


# The benchmarks stand beside the figures recorded last, and what got worse is marked.


def _figure(
    what: str, value: float, *, ratio: float | None, goal: str = "≤ 2 times", unit: str = "ms"
) -> dict[str, Any]:
    return {"row": "start", "what": what, "value": value, "unit": unit, "ratio": ratio, "goal": goal}


def test_the_figures_recorded_last_are_found_and_a_release_has_one_line(tmp_path: Path) -> None:
    path = tmp_path / "history.jsonl"
    assert history.previous_record(path) == ("", {})
    history.write_record("0.1", 1000, [_figure("window", 500.0, ratio=2.0)], path)
    assert history.previous_record(path) == ("0.1", {"start: window": {"ratio": 2.0}})
    history.write_record("0.2", 1000, [_figure("window", 500.0, ratio=3.0)], path)
    history.write_record("0.2", 1000, [_figure("page", 70.0, ratio=None)], path)
    assert history.previous_record(path) == ("0.2", {"start: window": {"ratio": 3.0}, "start: page": {"value": 70.0}})
    assert len(path.read_text(encoding="utf-8").splitlines()) == 2


def test_what_got_worse_by_more_than_a_fifth_is_marked() -> None:
    before = history.record_of([
        _figure("window", 500.0, ratio=2.0),
        _figure("import", 900.0, ratio=0.5, goal="≥ 0.4 times"),
        _figure("memory", 70.0, ratio=None, unit="MB"),
        _figure("jumps", 100.0, ratio=None, unit="1/s", goal=""),
    ])  # fmt: skip

    def compare(what: str, value: float, **more: Any) -> tuple[str, bool]:
        return history.compare_figure(_figure(what, value, **more), before)

    # Another machine is twice as slow, and so is what was measured beside it.
    assert compare("window", 1000.0, ratio=2.3) == ("2.00", False)
    assert compare("window", 400.0, ratio=2.5) == ("2.00", True)
    assert compare("import", 900.0, ratio=0.45, goal="≥ 0.4 times") == ("0.50", False)
    assert compare("import", 900.0, ratio=0.3, goal="≥ 0.4 times") == ("0.50", True)
    assert compare("memory", 90.0, ratio=None, unit="MB") == ("70.00", True)
    assert compare("jumps", 90.0, ratio=None, unit="1/s", goal="") == ("100.00", False)
    assert compare("jumps", 70.0, ratio=None, unit="1/s", goal="") == ("100.00", True)
    assert compare("memory", 90.0, ratio=1.0) == ("", False), "it was measured in another way"
    assert compare("new", 1.0, ratio=1.0) == ("", False)
