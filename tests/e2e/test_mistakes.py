"""Typical mistakes on the command line: one sentence that helps, the right status, and nothing done."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from annotator.__main__ import main
from annotator.base.errors import ExitCode
from annotator.services.project import projects
from annotator.services.sources import imports

ROOT = Path(__file__).parents[2]

USAGE = {
    "resuts P": "Did you mean results?",
    "imprt jsonl rows.jsonl --project P": "Did you mean import?",
    "stauts P": "Did you mean status?",
    "docter": "Did you mean doctor?",
    "--verson": "Did you mean --version?",
    "P": "To open the project: annotator open",
    "rows.jsonl": "annotator --help lists the commands.",
    "run strat P": "Did you mean start?",
    "release exprt P": "Did you mean export?",
    "mine repo P": "Did you mean repository?",
    "criterion": "needs one of its commands",
    "judge --json P": "annotator judge",
    "select P --subject one --verdit accept": "Did you mean --verdict?",
    "select P --subject one --verdict=acept": "did you mean accept?",
    "select P --subject one --verdict accepted": "did you mean accept?",
    "select P --subject one": "required: --verdict",
    "select --subject one --verdict accept": "required: PROJECT",
    "list P --limt 3": "Did you mean --limit?",
    "list P --limit -3": "-3 is not a whole number above 0",
    "list P --limit many": "many is not a whole number",
    "list P --sort titel": "did you mean title?",
    "list P --verdict opne": "did you mean open?",
    "list P extra words": "unknown arguments: extra words",
    "history list P --limit 0": "0 is not a whole number above 0",
    "queue deal P --to Ada --count 1.5": "1.5 is not a whole number",
    "lease take P --minutes soon": "soon is not a number",
    "bugs list P --state provn": "did you mean proven?",
    "bugs propose P --most none": "none is not a whole number",
    "import jsnl rows.jsonl --project P": "did you mean jsonl?",
    "import human-eval rows.jsonl --project P": "did you mean humaneval?",
    "release export P --out out --format humanevl": "did you mean humaneval?",
    "results P --table leaderbord": "did you mean leaderboard?",
    "results P --csv --latex": "not allowed with argument",
    "list P --json --jsonl": "not allowed with argument",
    "settings set tekst_scale 125": "did you mean text_scale?",
    "run start P --modle m": "Did you mean --model?",
    "run start P --samples zero": "zero is not a whole number",
    "judge new P --overlap 3": "3 is not a share from 0 to 1",
}
BAD_INPUT = {
    "list P --language klingon": "No subject of this project has the language klingon. There is: python.",
    "list P --domain wab": "No subject of this project has the domain wab.",
    "select P --subject nobody --verdict accept": "nobody",
    "status nowhere.annotator": "There is no project nowhere.annotator.",
    "release create P --version 0.1": "No subject is accepted yet",
    "import jsonl nothere.jsonl --project P": "nothere.jsonl",
    "import jsonl P --project P": "p.annotator is a project, or part of one, not a file to read from.",
    "status .": "is a folder, not a project file.",
    "status rows.jsonl": "rows.jsonl is not an Annotator project. It was left as it is.",
    "criterion check .": "cannot be read",
    "criterion set P --subject one --file nothere.yaml": "nothere.yaml cannot be read",
    "prompt P --subject one --text-file nothere.txt": "nothere.txt cannot be read",
    "packet import P rows.jsonl": "rows.jsonl is not an Annotator project. It was left as it is.",
    "results P --run nothing": "nothing",
    "run resume P nothing": "There is no run nothing here.",
    "run start P --base-url nonsense --model m": "'nonsense' is not an address of an endpoint.",
    "manual nopage": "The manual has no page nopage.",
    "project rename P ' '": "A project needs a name. Nothing was changed.",
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with one candidate, in the working directory."""
    monkeypatch.chdir(tmp_path)
    rows = tmp_path / "rows.jsonl"
    rows.write_text(json.dumps({"id": "one", "prompt": "Add two numbers.", "language": "python"}) + "\n")
    store = projects.create_project(tmp_path / "p.annotator", "Demo", "Ada")
    imports.import_paths(store, "jsonl", [rows])
    store.close()
    return tmp_path / "p.annotator"


@pytest.mark.parametrize(
    ("line", "sentence", "status"),
    [
        *((line, said, ExitCode.USAGE) for line, said in USAGE.items()),
        *((line, said, ExitCode.BAD_INPUT) for line, said in BAD_INPUT.items()),
    ],
)
def test_a_mistake_is_answered_with_a_sentence(
    project: Path, line: str, sentence: str, status: ExitCode, capsys: pytest.CaptureFixture[str]
) -> None:
    before = project.read_bytes()
    assert main([str(project) if word == "P" else word for word in shlex.split(line)]) == status
    said = capsys.readouterr()
    assert sentence in said.err
    assert len(said.err.splitlines()) <= 3, "a sentence, not a page of usage"
    assert "Traceback" not in said.err
    assert project.read_bytes() == before


def test_a_mistake_is_told_to_programs_too(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", str(project), "--json", "--limt", "3"]) == ExitCode.USAGE
    assert "Did you mean --limit?" in json.loads(capsys.readouterr().out)["error"]


def test_what_stands_after_two_dashes_is_no_option(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "--", str(project)]) == ExitCode.DONE
    assert "1 of 1 subjects" in capsys.readouterr().out


def test_questions_come_from_standard_input(project: Path) -> None:
    row = json.dumps({"id": "two", "prompt": "Subtract two numbers."})
    command = [sys.executable, "-m", "annotator", "import", "jsonl", "-", "--project", str(project)]
    done = subprocess.run(command, input=row, capture_output=True, text=True, check=False, cwd=ROOT)
    assert (done.returncode, done.stdout) == (0, "1 added, 0 known\n"), done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("options", [[], ["--json"]])
def test_an_answer_that_does_not_fit_is_no_bug(project: Path, options: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "annotator", "list", str(project), *options],
            stdout=full, stderr=subprocess.PIPE, text=True, check=False, cwd=ROOT,
        )  # fmt: skip
    assert done.returncode == ExitCode.ENVIRONMENT
    assert done.stderr == "The answer could not be written (No space left on device). What the command did is done.\n"


@pytest.mark.skipif(sys.platform == "win32", reason="the shell of Windows closes no stream")
@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_a_stream_that_is_closed_is_no_bug(project: Path, closed: str) -> None:
    line = f"{shlex.quote(sys.executable)} -m annotator list {shlex.quote(str(project))} {closed}"
    done = subprocess.run(["sh", "-c", line], capture_output=True, text=True, check=False, cwd=ROOT)
    assert (done.returncode, done.stderr) == (0, "")
