"""A private PostgreSQL server; without its programs these tests skip, unless ANNOTATOR_REQUIRE_POSTGRES says they must
not.

With ANNOTATOR_TEST_ON=server every project that a test makes or opens by a path is a database on it instead.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from annotator.base.addresses import Place, ServerAddress
from annotator.services.project import projects
from annotator.store.file.project_file import ProjectFile

_PORT = 54321
LOCKED = "locked"
"""A role that needs a password."""


@dataclass
class Server:
    """A server of our own: a socket in a temporary folder, no network, nothing that must survive."""

    folder: Path
    made: int = field(default=0)
    templates: dict[Hashable, str] = field(default_factory=dict)
    """The databases that projects of a shape are copied from."""

    def address(self, database: str, **options: Any) -> ServerAddress:
        """Return the address of a database, which need not exist."""
        return ServerAddress(
            database=database, user="postgres", host="", port=_PORT, options=(("host", str(self.folder)),), **options
        )

    def new_database(self, template: str = "template1") -> ServerAddress:
        """Return a database like the template, which is empty unless another is named."""
        self.made += 1
        name = f"benchmark_{os.getpid()}_{self.made}"
        self.execute("postgres", f"CREATE DATABASE {name} TEMPLATE {template}")
        return self.address(name)

    def copy(self, shape: Hashable) -> ServerAddress:
        """Return a copy of the template of a shape."""
        return self.new_database(self.templates[shape])

    def keep(self, shape: Hashable, address: ServerAddress) -> None:
        """Make a copy of a database, which nobody may have open, the template of a shape."""
        self.templates[shape] = self.new_database(address.database).database

    def give_back(self, address: ServerAddress) -> None:
        """Drop a database, whoever still has it open."""
        self.execute("postgres", f"DROP DATABASE IF EXISTS {address.database} WITH (FORCE)")

    def execute(self, database: str, sql: str) -> list[tuple[Any, ...]]:
        """Run a statement as the server's own administrator."""
        import psycopg

        with psycopg.connect(
            host=str(self.folder), port=_PORT, user="postgres", dbname=database, options="-c lock_timeout=20s"
        ) as connection:
            connection.autocommit = True
            done = connection.execute(sql)  # type: ignore[arg-type]
            return done.fetchall() if done.description else []


def _programs() -> Path | None:
    """Return the folder of the newest server's programs."""
    on_path = shutil.which("initdb")
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=_version, reverse=True)
    found = [*folders, *([Path(on_path).resolve().parent] if on_path else [])]
    return next((folder for folder in found if (folder / "initdb").exists() and (folder / "postgres").exists()), None)


def _version(folder: Path) -> float:
    try:
        return float(folder.parent.name)
    except ValueError:
        return 0.0


def _owner() -> dict[str, Any]:
    """Return as whom the server runs: it refuses the superuser, so as nobody then."""
    if os.getuid() != 0:
        return {}
    import pwd

    nobody = pwd.getpwnam("nobody")
    return {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    programs = _programs()
    problem = ""
    if sys.platform == "win32" or programs is None:
        problem = "no PostgreSQL server programs here (Debian: postgresql)"
    elif importlib.util.find_spec("psycopg") is None:
        problem = "psycopg is not installed (the extra postgres)"
    if problem:
        if os.environ.get("ANNOTATOR_REQUIRE_POSTGRES"):
            pytest.fail(problem)
        pytest.skip(problem)
    assert programs is not None
    # Not pytest's folder: a socket's path may be no longer than some hundred characters, and nobody must get there.
    place = Path(tempfile.gettempdir())
    is_fit = len(str(place)) < 50 and place.stat().st_mode & stat.S_IXOTH
    folder = Path(tempfile.mkdtemp(prefix="annotator-pg-", dir=place if is_fit else "/tmp"))
    folder.chmod(0o755)
    owner = _owner()
    if owner:
        os.chown(folder, owner["user"], owner["group"])
    data = str(folder / "data")
    tools = {"cwd": str(folder), "capture_output": True, "text": True, "check": False, **owner}
    made = subprocess.run(
        [
            str(programs / "initdb"),
            "-D",
            data,
            "-A",
            "trust",
            "-U",
            "postgres",
            "-E",
            "UTF8",
            "--locale",
            "C.UTF-8",
            "-N",
        ],
        **tools,
    )
    assert made.returncode == 0, made.stderr
    # Everybody is trusted but one role, so that passwords can be tried too.
    trust = folder / "data" / "pg_hba.conf"
    trust.write_text(f"local all {LOCKED} scram-sha-256\n{trust.read_text()}")
    # A crash of the machine may lose all of it: nothing here waits for a disk.
    # Databases live too short to be vacuumed, and their pages are not worth a process for each.
    rules = f"-k {folder} -p {_PORT} -c listen_addresses= -c max_connections=120"
    rules += " -c fsync=off -c full_page_writes=off -c autovacuum=off"
    control = [str(programs / "pg_ctl"), "-D", data, "-o", rules, "-l", str(folder / "log"), "-w"]
    started = subprocess.run([*control, "start"], **{**tools, "capture_output": False, "stdout": subprocess.DEVNULL})
    assert started.returncode == 0, (folder / "log").read_text()
    yield Server(folder)
    subprocess.run(
        [*control, "-m", "immediate", "stop"], **{**tools, "capture_output": False, "stdout": subprocess.DEVNULL}
    )
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def database(postgres: Server) -> Iterator[ServerAddress]:
    """The address of an empty database."""
    address = postgres.new_database()
    yield address
    postgres.give_back(address)


class Databases:
    """The databases that stand for paths in a test."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._there: dict[Path, ServerAddress] = {}

    def __contains__(self, path: Path) -> bool:
        return path in self._there

    def address(self, path: Path) -> ServerAddress:
        """Return the address of the database that stands for a path."""
        return self._there.setdefault(Path(path), self._server.new_database())

    def copy_project(self, path: Path, shape: Hashable, build: Callable[[Path], None]) -> None:
        """Let a project of a shape stand for a path; ``build`` makes the first one there and closes it."""
        if shape in self._server.templates:
            self._there[path] = self._server.copy(shape)
            return
        build(path)
        self._server.keep(shape, self.address(path))

    def give_back(self) -> None:
        """Empty all of them for other tests."""
        for used in self._there.values():
            self._server.give_back(used)


@pytest.fixture
def on_server(postgres: Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[Databases]:
    """Let every project that is made or opened by a path be a database."""
    databases = Databases(postgres)
    make, reach = projects.create_project, projects.open_project

    def create_project(path: Path, name: str, annotator: str) -> ProjectFile:
        return make(databases.address(path), name, annotator)

    def open_project(path: Place, *, annotator: str | None = None, read_only: bool = False) -> ProjectFile:
        if isinstance(path, ServerAddress) or path not in databases:
            return reach(path, annotator=annotator, read_only=read_only)
        address = databases.address(path)
        return reach(address, annotator=annotator or _first(postgres, address), read_only=read_only)

    monkeypatch.setattr(projects, "create_project", create_project)
    monkeypatch.setattr(projects, "open_project", open_project)
    yield databases
    databases.give_back()


def _first(postgres: Server, address: ServerAddress) -> str:
    return str(postgres.execute(address.database, "SELECT name FROM annotator.annotator ORDER BY created_at")[0][0])


@pytest.fixture(autouse=True)
def _everywhere(request: pytest.FixtureRequest) -> None:
    if os.environ.get("ANNOTATOR_TEST_ON") == "server":
        request.getfixturevalue("on_server")
