"""Typical mistakes on the command line: one sentence that helps, the right status, and nothing done."""

from __future__ import annotations

import errno
import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from annotator.__main__ import main
from annotator.base.errors import ExitCode
from annotator.services.project import projects
from tests.samples import load_samples
from tests.template_projects import project_of_rows

SAMPLES = load_samples(__file__)

ROOT = Path(__file__).parents[2]
ROW = {"id": "one", "prompt": "Add two numbers.", "language": "python"}

USAGE = SAMPLES["usage"]
BAD_INPUT = SAMPLES["bad_input"] | {
    f"status {'n' * 300}.annotator": "cannot be used (",
    f"import jsonl {'n' * 300} --project P": "cannot be used (",
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with one candidate, in the working directory."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rows.jsonl").write_text(json.dumps(ROW) + "\n")
    (tmp_path / "empty.jsonl").write_text("")
    (tmp_path / "broken.yaml").write_text("grading: [\n")
    project_of_rows(tmp_path / "p.annotator", [ROW], ()).close()
    return tmp_path / "p.annotator"


def test_a_mistake_is_answered_with_a_sentence(
    project: Path, capsys: pytest.CaptureFixture[str], subtests: pytest.Subtests
) -> None:
    before = project.read_bytes()
    for status, sentences in ((ExitCode.USAGE, USAGE), (ExitCode.BAD_INPUT, BAD_INPUT)):
        for line, sentence in sentences.items():
            with subtests.test(line):
                assert main([str(project) if word == "P" else word for word in shlex.split(line)]) == status
                said = capsys.readouterr()
                assert sentence in said.err
                assert len(said.err.splitlines()) <= 3, "a sentence, not a page of usage"
                assert "Traceback" not in said.err
                assert project.read_bytes() == before


@pytest.mark.parametrize(
    ("words", "said"), [("--limt 3", "Did you mean --limit?"), ("--limit -3", "-3 is not a whole number above 0")]
)
def test_a_mistake_is_told_to_programs_too(
    project: Path, capsys: pytest.CaptureFixture[str], words: str, said: str
) -> None:
    assert main(["list", str(project), "--json", *words.split()]) == ExitCode.USAGE
    assert said in json.loads(capsys.readouterr().out)["error"]


def test_what_stands_after_two_dashes_is_no_option(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "--", str(project)]) == ExitCode.DONE
    assert "1 of 1 subjects" in capsys.readouterr().out


def test_questions_come_from_standard_input(project: Path) -> None:
    row = json.dumps({"id": "two", "prompt": "Subtract two numbers."})
    command = [sys.executable, "-m", "annotator", "import", "jsonl", "-", "--project", str(project)]
    done = subprocess.run(command, input=row, capture_output=True, text=True, check=False, cwd=ROOT)
    assert (done.returncode, done.stdout) == (0, "1 added, 0 known\n"), done.stderr


def test_a_column_that_no_row_has_is_named(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = ["import", "jsonl", "rows.jsonl", "--project", str(project), "--map", "id=number", "--preview"]
    assert main(line) == ExitCode.DONE
    assert "The first rows have no column number; their columns are: id, prompt, language." in capsys.readouterr().out


def test_a_file_that_the_system_refuses_is_no_bug(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", "/somewhere/p.annotator")

    monkeypatch.setattr(projects, "open_project", refuse)
    assert main(["status", "p.annotator"]) == ExitCode.ENVIRONMENT
    assert capsys.readouterr().err == "p.annotator cannot be used (Permission denied).\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("options", [[], ["--json"]])
def test_an_answer_that_does_not_fit_is_no_bug(project: Path, options: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "annotator", "list", str(project), *options],
            stdout=full, stderr=subprocess.PIPE, text=True, check=False, cwd=ROOT,
        )  # fmt: skip
    assert done.returncode == ExitCode.ENVIRONMENT
    expected = "The output could not be written (No space left on device). The command itself was completed.\n"
    assert done.stderr == expected


@pytest.mark.skipif(sys.platform == "win32", reason="the shell of Windows closes no stream")
@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_a_stream_that_is_closed_is_no_bug(project: Path, closed: str) -> None:
    line = f"{shlex.quote(sys.executable)} -m annotator list {shlex.quote(str(project))} {closed}"
    done = subprocess.run(["sh", "-c", line], capture_output=True, text=True, check=False, cwd=ROOT)
    assert (done.returncode, done.stderr) == (0, "")
