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
    "list P --after -5": "-5 is not a whole number, 0 or more",
    "list P --after 99999999999999999999": "99999999999999999999 is too large",
    "list P --limit=": "an empty text is not a whole number",
    "list P -limit 3": "Did you mean --limit, with two dashes?",
    "list P \N{EN DASH}limit 3": "Did you mean --limit, with two dashes?",
    "list P --status open": "annotator list has no option --status.",
    "list --project P": "annotator list takes the project without an option.",
    "import P rows.jsonl": "annotator import takes the project by an option: --project",
    "status my project.annotator": "a name with spaces needs quotes",
    "status ''": "The name of the project is empty.",
    "help": "Did you mean annotator --help?",
    "help list": "Did you mean annotator list --help?",
    "version": "Did you mean annotator --version?",
    "judge next P": "annotator judge has no command next. There is: ",
    "history list P --before -1": "-1 is not a whole number, 0 or more",
    "history at P --when never": "never is no moment.",
    "history at P --when now --limit -3": "-3 is not a whole number above 0",
    "bugs propose P --most -3": "-3 is not a whole number, 0 or more",
    "team panel P --voters -1": "-1 is not a whole number, 0 or more",
    "lease take P --count 0": "At least one subject",
    "lease take P --minutes -5": "-5 is not a number, 0 or more",
    "release gates P --reviews -2": "-2 is not a whole number, 0 or more",
    "release gates P --set banana": "banana is not GATE=RULE",
    "release power P --samples 0": "0 is not a whole number above 0",
    "results P --threshold nan": "nan is not a number",
    "results P --k 0": "0 is not a whole number above 0",
    "run start P": "--base-url with the address of an endpoint and --model",
    "run start P --model m --max-tokens 0": "0 is not a whole number above 0",
    "run start P --model m --cap -1": "-1 is not a number, 0 or more",
    "cluster start --port 99999": "99999 is not a port, from 1 to 65535",
    "mine subset P --size -4": "-4 is not a whole number, 0 or more",
    "project copy P other.annotator": "annotator backup PROJECT --to FILE",
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
    "status p": "There is no project p. Did you mean p.annotator?",
    f"status {'n' * 300}.annotator": "cannot be used (",
    f"import jsonl {'n' * 300} --project P": "cannot be used (",
    "import jsonl empty.jsonl --project P": "There are no rows in empty.jsonl, so nothing was imported.",
    "import jsonl rows.jsonl/x --project P": "There is no file or folder x.",
    "import humaneval rows.jsonl --project P": "This looks like jsonl, not like humaneval.",
    "criterion set P --subject one --file broken.yaml": "broken.yaml has an error in line 2: this is not valid YAML",
    "backups list nowhere.annotator": "There is no project nowhere.annotator, and there are no backups of it.",
    "project join P --name ''": "An annotator needs a name.",
    "packet import P nothere.packet": "nothere.packet cannot be read",
    "packet export P --for Bo --out x": "There is no annotator Bo in this project. There are: Ada.",
    "release publish P --to hf:noslash": "There is no release",
    "release verify nothere": "There is no folder nothere.",
    "select P --subject one --verdict accept --annotator Bo": "There is no annotator Bo in p.annotator.",
    "settings set text_scale 5000": "Text size must be from 50 to 200 %.",
    "mine stackexchange nothere.7z --out m.jsonl": "There is no file nothere.7z.",
    "team settle P --subject one --about decision --method majority --outcome accept --reason r": "Nobody differs",
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with one candidate, in the working directory."""
    monkeypatch.chdir(tmp_path)
    rows = tmp_path / "rows.jsonl"
    rows.write_text(json.dumps({"id": "one", "prompt": "Add two numbers.", "language": "python"}) + "\n")
    (tmp_path / "empty.jsonl").write_text("")
    (tmp_path / "broken.yaml").write_text("grading: [\n")
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
    assert done.stderr == "The answer could not be written (No space left on device). What the command did is done.\n"


@pytest.mark.skipif(sys.platform == "win32", reason="the shell of Windows closes no stream")
@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_a_stream_that_is_closed_is_no_bug(project: Path, closed: str) -> None:
    line = f"{shlex.quote(sys.executable)} -m annotator list {shlex.quote(str(project))} {closed}"
    done = subprocess.run(["sh", "-c", line], capture_output=True, text=True, check=False, cwd=ROOT)
    assert (done.returncode, done.stderr) == (0, "")
