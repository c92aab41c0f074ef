"""Whatever the input or mistake, a sentence and the right exit status, and a project file byte for byte as it was."""

from __future__ import annotations

import argparse
import errno
import gzip
import hashlib
import json
import os
import re
import shlex
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from annotator.__main__ import main
from annotator.base.errors import ExitCode
from annotator.cli import parser
from annotator.cli.parser import WORDS, load_commands
from annotator.services.project import projects
from tests.samples import load_samples
from tests.template_projects import project_of_rows

GOOD = '{"id": "1", "prompt": "What is a generator?"}\n'


@pytest.fixture
def project(tmp_path: Path) -> Path:
    path = tmp_path / "p.annotator"
    project_of_rows(path, [json.loads(GOOD)], ()).close()
    return path


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _write(name: str, content: bytes) -> Callable[[Path], Path]:
    def make(folder: Path) -> Path:
        path = folder / name
        path.write_bytes(content)
        return path

    return make


def _huge_line(folder: Path) -> Path:
    path = folder / "huge.jsonl"
    with path.open("wb") as file:
        file.write(b'{"id": "2", "prompt": "')
        for _ in range(100):
            file.write(b"x" * 1_000_000)
        file.write(b'"}\n')
    return path


def _suite(folder: Path, **files: bytes) -> Path:
    suite = folder / "suite"
    suite.mkdir()
    for name, content in files.items():
        (suite / f"{name}.yaml").write_bytes(content)
    return suite


def _escaping_suite(folder: Path) -> Path:
    (folder / "secret.txt").write_text("secret")
    return _suite(folder, eval_1=b"id: '1'\nprompt_path: ../secret.txt\ngrading:\n  keywords:\n    - a\n")


def _bomb_suite(folder: Path) -> Path:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]
    return _suite(folder, eval_1="\n".join(lines).encode())


def _tag_suite(folder: Path) -> Path:
    return _suite(folder, eval_1=b"grading: !!python/object/apply:os.system ['true']\n")


BAD_FILES: dict[str, tuple[str, Callable[[Path], Path]]] = {
    "truncated JSON": ("jsonl", _write("a.jsonl", GOOD.encode() + b'{"id": "2", "prom')),
    "UTF-16 text": ("jsonl", _write("a.jsonl", GOOD.encode("utf-16"))),
    "Latin-1 text": ("jsonl", _write("a.jsonl", '{"id": "2", "prompt": "caf\u00e9"}\n'.encode("latin-1"))),
    "missing column": ("jsonl", _write("a.jsonl", b'{"id": "2", "wherefore": "What?"}\n')),
    "a row that is a list": ("jsonl", _write("a.jsonl", b"[1, 2]\n")),
    "a prompt that is a list": ("jsonl", _write("a.jsonl", b'{"id": "2", "prompt": [7]}\n')),
    "a line of 100 MB": ("jsonl", _huge_line),
    "very deep nesting": ("jsonl", _write("a.jsonl", b'{"prompt": ' + b"[" * 100_000 + b"]" * 100_000 + b"}\n")),
    "bytes that are no text": ("jsonl", _write("a.jsonl", bytes(range(256)) * 40)),
    "gzip that is none": ("humaneval", _write("a.jsonl.gz", b"hello")),
    "truncated gzip": ("humaneval", _write("a.jsonl.gz", gzip.compress(os.urandom(20_000))[:9_000])),
    "HumanEval without its test": (
        "humaneval",
        _write("a.jsonl", b'{"task_id": "HumanEval/0", "prompt": "def f():"}\n'),
    ),
    "an empty folder as a suite": ("infibench", lambda folder: _suite(folder)),
    "a suite with broken YAML": ("infibench", lambda folder: _suite(folder, eval_1=b"grading: [\n")),
    "a suite without its prompt": (
        "infibench",
        lambda folder: _suite(folder, eval_1=b"id: '1'\nprompt_path: no.txt\n"),
    ),
    "a suite that reaches outside": ("infibench", _escaping_suite),
    "a YAML bomb": ("infibench", _bomb_suite),
    "a YAML tag that runs code": ("infibench", _tag_suite),
    "a file that is not there": ("jsonl", lambda folder: folder / "none.jsonl"),
    "a folder where a file belongs": ("jsonl", lambda folder: folder),
}


def test_bad_files_change_nothing(
    project: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str], subtests: pytest.Subtests
) -> None:
    before = _digest(project)
    for number, (case, (kind, make)) in enumerate(BAD_FILES.items()):
        folder = tmp_path / f"in {number}"
        folder.mkdir()
        path = make(folder)
        with subtests.test(case):
            capfd.readouterr()
            status = main(["import", kind, str(path), "--project", str(project), "--json"])
            out, err = capfd.readouterr()
            assert status in (3, 4), err
            assert err.strip()
            assert "Traceback" not in err
            assert json.loads(out)["error"]
            assert _digest(project) == before
            assert not Path(f"{project}-wal").exists()


def _not_a_database(project: Path) -> None:
    project.write_bytes(b"hello")


def _foreign_database(project: Path) -> None:
    project.unlink()
    connection = sqlite3.connect(project)
    connection.execute("CREATE TABLE t (a)")
    connection.close()


def _newer(project: Path) -> None:
    connection = sqlite3.connect(project)
    connection.execute("PRAGMA user_version = 99")
    connection.close()


def _foreign_trigger(project: Path) -> None:
    connection = sqlite3.connect(project)
    connection.execute("CREATE TRIGGER evil AFTER INSERT ON decision BEGIN DELETE FROM label; END")
    connection.commit()
    connection.close()


def _cut_short(project: Path) -> None:
    data = project.read_bytes()
    project.write_bytes(data[: len(data) // 2])


def _write_protected(project: Path) -> None:
    project.chmod(0o444)


def _missing(project: Path) -> None:
    project.unlink()


def _folder(project: Path) -> None:
    project.unlink()
    project.mkdir()


@pytest.mark.parametrize(
    "spoil",
    [_not_a_database, _foreign_database, _newer, _foreign_trigger, _cut_short, _write_protected, _missing, _folder],
)
@pytest.mark.parametrize("command", ["import", "select", "prompt", "criterion", "release", "run"])
def test_bad_projects_are_left_alone(
    spoil: Callable[[Path], None], command: str, project: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    good, text, yaml = tmp_path / "good.jsonl", tmp_path / "t.txt", tmp_path / "c.yaml"
    text.write_text("Say what a generator is.")
    yaml.write_text("grading:\n  keywords:\n    - yield\n")
    replay = tmp_path / "r.jsonl"
    replay.write_text('{"subject": "1", "model": "m", "sample": 0, "response": "yield"}\n')
    good.write_text(GOOD.replace('"1"', '"2"'))
    p = str(project)
    arguments = {
        "import": ["import", "jsonl", str(good), "--project", p],
        "select": ["select", p, "--subject", "1", "--verdict", "accept"],
        "prompt": ["prompt", p, "--subject", "1", "--text-file", str(text)],
        "criterion": ["criterion", "set", p, "--subject", "1", "--file", str(yaml)],
        "release": ["release", "create", p, "--version", "1.0"],
        "run": ["run", "start", p, "--replay", str(replay)],
    }[command]
    spoil(project)
    before = _digest(project) if project.is_file() else None
    capfd.readouterr()
    status = main(arguments)
    err = capfd.readouterr().err
    assert status in (3, 4), err
    assert err.strip()
    assert "Traceback" not in err
    assert (_digest(project) if project.is_file() else None) == before


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of four megabytes."""
    if os.name != "posix" or os.geteuid() != 0 or shutil.which("mount") is None:
        pytest.skip("a small file system needs root")
    folder = tmp_path / "disk"
    folder.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(folder)], capture_output=True, check=False
    )
    if made.returncode:
        pytest.skip("a small file system cannot be mounted here")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_a_full_disk_changes_nothing(
    project: Path, small_disk: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    there = small_disk / "p.annotator"
    shutil.copy(project, there)
    rows = tmp_path / "many.jsonl"
    rows.write_text("".join(json.dumps({"id": f"n{n}", "prompt": "word " * 2000}) + "\n" for n in range(400)))
    before = _digest(there)
    capfd.readouterr()
    assert main(["import", "jsonl", str(rows), "--project", str(there)]) == 4
    assert "disk is full" in capfd.readouterr().err
    assert _digest(there) == before
    assert main(["check", str(there)]) == 0
    assert main(["select", str(there), "--subject", "1", "--verdict", "accept"]) == 0


def test_a_full_disk_in_a_long_import_leaves_no_trace(
    project: Path, small_disk: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    there = small_disk / "p.annotator"
    shutil.copy(project, there)
    rows = tmp_path / "many.jsonl"
    rows.write_text("".join(json.dumps({"id": f"n{n}", "prompt": "word " * 60}) + "\n" for n in range(9000)))
    capfd.readouterr()
    assert main(["import", "jsonl", str(rows), "--project", str(there)]) == 4
    assert main(["check", str(there)]) == 0
    capfd.readouterr()
    assert main(["status", str(there), "--json"]) == 0
    assert json.loads(capfd.readouterr().out)["counts"]["subjects"] == 1


# Typical mistakes on the command line: one sentence that helps, the right status, and nothing done.
SAMPLES = load_samples(__file__)
ROOT = Path(__file__).parents[2]
ROW = {"id": "one", "prompt": "Add two numbers.", "language": "python"}
USAGE = SAMPLES["usage"]
BAD_INPUT = SAMPLES["bad_input"] | {
    f"status {'n' * 300}.annotator": "cannot be used (",
    f"import jsonl {'n' * 300} --project P": "cannot be used (",
}


@pytest.fixture
def mistakes_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with one candidate, in the working directory."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rows.jsonl").write_text(json.dumps(ROW) + "\n")
    (tmp_path / "empty.jsonl").write_text("")
    (tmp_path / "broken.yaml").write_text("grading: [\n")
    project_of_rows(tmp_path / "p.annotator", [ROW], ()).close()
    return tmp_path / "p.annotator"


def test_a_mistake_is_answered_with_a_sentence(
    mistakes_project: Path, capsys: pytest.CaptureFixture[str], subtests: pytest.Subtests
) -> None:
    before = mistakes_project.read_bytes()
    for status, sentences in ((ExitCode.USAGE, USAGE), (ExitCode.BAD_INPUT, BAD_INPUT)):
        for line, sentence in sentences.items():
            with subtests.test(line):
                assert main([str(mistakes_project) if word == "P" else word for word in shlex.split(line)]) == status
                said = capsys.readouterr()
                assert sentence in said.err
                assert len(said.err.splitlines()) <= 3, "a sentence, not a page of usage"
                assert "Traceback" not in said.err
                assert mistakes_project.read_bytes() == before


@pytest.mark.parametrize(
    ("words", "said"), [("--limt 3", "Did you mean --limit?"), ("--limit -3", "-3 is not a whole number above 0")]
)
def test_a_mistake_is_told_to_programs_too(
    mistakes_project: Path, capsys: pytest.CaptureFixture[str], words: str, said: str
) -> None:
    assert main(["list", str(mistakes_project), "--json", *words.split()]) == ExitCode.USAGE
    assert said in json.loads(capsys.readouterr().out)["error"]


def test_what_stands_after_two_dashes_is_no_option(mistakes_project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "--", str(mistakes_project)]) == ExitCode.DONE
    assert "1 of 1 subjects" in capsys.readouterr().out


def test_questions_come_from_standard_input(mistakes_project: Path) -> None:
    row = json.dumps({"id": "two", "prompt": "Subtract two numbers."})
    command = [sys.executable, "-m", "annotator", "import", "jsonl", "-", "--project", str(mistakes_project)]
    done = subprocess.run(command, input=row, capture_output=True, text=True, check=False, cwd=ROOT)
    assert (done.returncode, done.stdout) == (0, "1 added, 0 known\n"), done.stderr


def test_a_column_that_no_row_has_is_named(mistakes_project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = ["import", "jsonl", "rows.jsonl", "--project", str(mistakes_project), "--map", "id=number", "--preview"]
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
def test_an_answer_that_does_not_fit_is_no_bug(mistakes_project: Path, options: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "annotator", "list", str(mistakes_project), *options],
            stdout=full, stderr=subprocess.PIPE, text=True, check=False, cwd=ROOT,
        )  # fmt: skip
    assert done.returncode == ExitCode.ENVIRONMENT
    expected = "The output could not be written (No space left on device). The command itself was completed.\n"
    assert done.stderr == expected


@pytest.mark.skipif(sys.platform == "win32", reason="the shell of Windows closes no stream")
@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_a_stream_that_is_closed_is_no_bug(mistakes_project: Path, closed: str) -> None:
    line = f"{shlex.quote(sys.executable)} -m annotator list {shlex.quote(str(mistakes_project))} {closed}"
    done = subprocess.run(["sh", "-c", line], capture_output=True, text=True, check=False, cwd=ROOT)
    assert (done.returncode, done.stderr) == (0, "")


# A command builds the part of the command line that it needs, and reads its arguments as the whole would.


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


def test_every_command_has_an_example_of_itself(capsys: pytest.CaptureFixture[str]) -> None:
    commands = [item for word in WORDS for item in load_commands(word)]
    assert [item.name for item in commands if f"annotator {item.name}" not in item.example] == []
    assert "example:\n  annotator status" in _help(WHOLE, "status", capsys)


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
