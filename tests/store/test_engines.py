"""Statements are compiled once in a process, and a connection is not closed under another thread's statement."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from threading import Thread

from annotator.services.project import members, projects
from annotator.store.file.connection import connect
from annotator.store.file.writer import compiled_statements


def test_another_project_takes_what_was_compiled_for_the_first(tmp_path: Path) -> None:
    compiled = compiled_statements()
    sizes = []
    for name in ("one", "two"):
        store = projects.create_project(tmp_path / f"{name}.annotator", name, "Ada")
        members.add_annotator(store, "Bo")
        assert [person.name for person in members.list_annotators(store)] == ["Ada", "Bo"]
        store.close()
        sizes.append(len(compiled))
    assert sizes[0] == sizes[1] > 0


def test_the_tables_load_without_the_dialect_of_servers() -> None:
    code = "import sys, annotator.store.core_tables; sys.exit('sqlalchemy.dialects.postgresql' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_closing_waits_for_a_borrower(tmp_path: Path) -> None:
    path = tmp_path / "p.annotator"
    projects.create_project(path, "P", "Ada").close()
    connection = connect(path, read_only=False)
    closing = Thread(target=connection.close)
    with connection.borrowed() as is_open:
        closing.start()
        closing.join(0.05)
        assert is_open and closing.is_alive()
        assert connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone() is not None
    closing.join(30)
    with connection.borrowed() as is_open:
        assert not is_open
    connection.close()
