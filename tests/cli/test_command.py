"""A declared command: its arguments come from its function's parameters, and its project is closed for it."""

import argparse
import io
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import pytest

from annotator.base.errors import BadInputError, ExitCode
from annotator.cli.command import Annotator, Argument, Body, Command, OneOf, Option, Texts
from annotator.cli.open_project import Project, ReadOnlyProject
from annotator.cli.output import CommandAnswer
from annotator.services.project import projects
from annotator.store.file.project_file import ProjectFile

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
