"""The commands for a project that several people share, from the command line to the exit status."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from annotator.__main__ import main
from annotator.base.addresses import ServerAddress
from annotator.base.errors import ExitCode
from annotator.services.program import doctor
from tests.server import Server
from tests.template_projects import project_of_rows

ROW = {"title": "T", "prompt": "Do it.", "reference": "x", "language": "python", "task": "question", "licence": "MIT",
       "provenance": {"source": "made"}}  # fmt: skip


@pytest.fixture
def path(tmp_path: Path) -> Path:
    rows = ({**ROW, "id": str(number)} for number in range(3))
    project_of_rows(tmp_path / "p.annotator", rows, (), people=("Ada", "Bo")).close()
    return tmp_path / "p.annotator"


def _json(capsys: pytest.CaptureFixture[str], *arguments: object) -> Any:
    capsys.readouterr()
    assert main([*map(str, arguments), "--json"]) == ExitCode.DONE, capsys.readouterr().err
    return json.loads(capsys.readouterr().out)


def _fails(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str]:
    capsys.readouterr()
    status = main([*map(str, arguments)])
    return status, capsys.readouterr().err


def test_leases_on_a_file(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    taken = _json(capsys, "lease", "take", path, "--annotator", "Ada", "--count", "2")["subjects"]
    assert [row["key"] for row in taken] == ["jsonl:0", "jsonl:1"]
    listed = _json(capsys, "lease", "list", path, "--annotator", "Bo")["leases"]
    assert [(row["key"], row["annotator"], row["mine"]) for row in listed] == [
        ("jsonl:0", "Ada", False),
        ("jsonl:1", "Ada", False),
    ]
    status, said = _fails(capsys, "lease", "decide", path, "--annotator", "Bo", "--subject", "0", "--verdict", "accept")
    assert status == ExitCode.BAD_INPUT and "Ada has it now" in said
    done = _json(capsys, "lease", "decide", path, "--annotator", "Ada", "--subject", "0", "--verdict", "accept")
    assert done["done"] == "Accept T"
    assert _json(capsys, "lease", "return", path, "--annotator", "Ada", "--subject", "1") == {"returned": 1}
    assert main(["lease", "list", str(path)]) == ExitCode.DONE
    assert "No subject is reserved" in capsys.readouterr().out


def test_joining_and_bad_wishes_on_a_file(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _json(capsys, "project", "join", path, "--name", "Cy")
    assert _json(capsys, "lease", "take", path, "--annotator", "Cy")["subjects"]
    for arguments, status, reason in (
        (("lease", "take", path, "--count", "0"), ExitCode.USAGE, "at least one"),
        (("lease", "decide", path, "--subject", "9", "--verdict", "skip"), ExitCode.BAD_INPUT, "no subject 9"),
        (("project", "join", path, "--name", " "), ExitCode.BAD_INPUT, "needs a name"),
        (("project", "upgrade", path), ExitCode.USAGE, "only servers"),
        (("project", "copy", path, path), ExitCode.USAGE, "Copy between a file and a server"),
        (("project",), ExitCode.USAGE, "requires a command"),
        (("lease", "take", "postgresql+psycopg://a:s3cretWord@h/b"), ExitCode.USAGE, "holds a password"),
        (("status", "postgresql+psycopg://h"), ExitCode.USAGE, "names no database"),
    ):
        found, said = _fails(capsys, *arguments)
        assert found == status and reason in said, (arguments, found, said)
        assert "s3cret" not in said


@pytest.mark.slow
def test_a_project_goes_onto_a_server_and_everything_works_there(
    path: Path, database: ServerAddress, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    url = str(database)
    copied = _json(capsys, "project", "copy", path, url)
    assert copied["rows"]["subject"] == 3 and copied["target"] == url
    status, said = _fails(capsys, "status", url)
    assert status == ExitCode.BAD_INPUT and "say who you are" in said
    ada, bo = f"{url}&annotator=Ada", f"{url}&annotator=Bo"
    assert _json(capsys, "status", ada)["counts"]["subjects"] == 3
    (mine,) = _json(capsys, "lease", "take", ada)["subjects"]
    (theirs,) = _json(capsys, "lease", "take", bo)["subjects"]
    assert (mine["key"], theirs["key"]) == ("jsonl:0", "jsonl:1")
    _json(capsys, "lease", "decide", ada, "--subject", "0", "--verdict", "reject", "--reason", "too simple")
    assert _json(capsys, "undo", ada)["done"] == "Undo: Reject T"
    _json(capsys, "select", bo, "--subject", "2", "--verdict", "accept")
    assert len(_json(capsys, "list", ada, "--search", "t", "--verdict", "open")["rows"]) == 2
    assert _json(capsys, "check", ada)["sound"]
    assert _json(capsys, "project", "upgrade", url)["before"] == _json(capsys, "project", "upgrade", url)["now"]
    _json(capsys, "project", "join", url, "--name", "Cy")
    assert _json(capsys, "status", url, "--annotator", "Cy")["annotator"]["name"] == "Cy"
    back = _json(capsys, "project", "copy", url, tmp_path / "back.annotator")
    assert back["rows"]["decision"] == 2
    assert _json(capsys, "status", tmp_path / "back.annotator", "--annotator", "Cy")["counts"]["accepted"] == 1


@pytest.mark.slow
def test_an_annotators_role_works_by_commands(
    path: Path, database: ServerAddress, postgres: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    login = f"bo_{database.database}"
    _json(capsys, "project", "copy", path, database)
    answers = tmp_path / "answers.jsonl"
    answers.write_text('{"subject": "0", "model": "m", "response": "x"}\n')
    arguments = ("project", "role", database, "--name", "Bo", "--login", login)
    status, said = _fails(capsys, *arguments)
    assert status == ExitCode.BAD_INPUT and "CREATE ROLE" in said
    status, said = _fails(capsys, "project", "role", path, "--name", "Bo", "--login", login)
    assert status == ExitCode.USAGE and "can read all of it" in said
    postgres.execute("postgres", f"CREATE ROLE {login} LOGIN")
    assert _json(capsys, *arguments)["login"] == login
    bo = replace(database, user=login)
    assert _json(capsys, "status", bo)["annotator"]["name"] == "Bo"
    (taken,) = _json(capsys, "lease", "take", bo)["subjects"]
    _json(capsys, "lease", "decide", bo, "--subject", taken["key"], "--verdict", "accept")
    assert _json(capsys, "undo", bo)["done"] == "Undo: Accept T"
    for refused in (("run", "list", bo), ("run", "samples", bo, answers), ("check", bo)):
        status, said = _fails(capsys, *refused)
        assert status == ExitCode.ENVIRONMENT and "role" in said, (refused, said)
    _json(capsys, *arguments, "--remove")
    assert _fails(capsys, "status", bo)[0] == ExitCode.ENVIRONMENT
    postgres.execute("postgres", f"DROP ROLE {login}")


@pytest.mark.slow
def test_a_new_project_on_a_server(
    database: ServerAddress, postgres: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    _json(capsys, "new", database, "--name", "Demo", "--annotator", "Ada")
    status, said = _fails(capsys, "new", database, "--name", "Demo", "--annotator", "Ada")
    assert status == ExitCode.BAD_INPUT and "already" in said
    status, said = _fails(capsys, "status", postgres.address("nowhere"), "--annotator", "Ada")
    assert status == ExitCode.BAD_INPUT and "no database nowhere" in said
    status, said = _fails(capsys, "status", "postgresql+psycopg:///x?host=/nowhere", "--annotator", "Ada")
    assert status == ExitCode.ENVIRONMENT and "cannot be reached" in said
    status, said = _fails(capsys, "backup", database)
    assert status == ExitCode.ENVIRONMENT and "pg_dump" in said


@pytest.mark.slow
def test_the_doctor_tries_a_project(
    path: Path,
    database: ServerAddress,
    postgres: Server,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # The window, which a process is started for, is for test_commands to check.
    monkeypatch.setattr(doctor, "check_window", lambda: ())

    def project(*arguments: object) -> tuple[int, dict[str, Any]]:
        capsys.readouterr()
        status = main(["doctor", "--json", "--project", *map(str, arguments)])
        checks = json.loads(capsys.readouterr().out)["checks"]
        return status, next(item for item in checks if item["name"] == "Project")

    assert project(path)[1]["detail"] == "Demo can be opened"
    moving_there = project(database)
    assert moving_there[0] == ExitCode.ENVIRONMENT and "no project in" in moving_there[1]["detail"]
    _json(capsys, "project", "copy", path, database)
    _, found = project(database)
    assert found["ok"] and found["detail"].startswith("PostgreSQL ") and "Demo with schema" in found["detail"]
    assert "no database" in project(postgres.address("nowhere"))[1]["detail"]


@pytest.mark.slow
def test_a_database_that_cannot_hold_every_character_is_refused(
    postgres: Server, path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    postgres.execute("postgres", "CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
    for arguments in (("project", "copy", path), ("new", "--name", "N", "--annotator", "A")):
        status, said = _fails(capsys, *arguments, postgres.address("latin"))
        assert status == ExitCode.BAD_INPUT and "createdb -E UTF8" in said


@pytest.mark.parametrize("command", [("recover",), ("backups", "list"), ("backups", "verify"), ("backups", "restore")])
def test_what_is_for_files_says_so_of_a_server(command: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    status, said = _fails(capsys, *command, "postgresql+psycopg://ada@localhost/demo")
    assert status == ExitCode.USAGE and "demo is on a server; back it up and repair it there" in said
