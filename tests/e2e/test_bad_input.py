"""Whatever the input, a sentence and the right exit status, and the project file is byte for byte what it was."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import shutil
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from annotator.__main__ import main
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
