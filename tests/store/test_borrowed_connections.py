"""A connection that another thread uses is not closed under its statement, which would crash the program."""

from __future__ import annotations

from pathlib import Path
from threading import Thread

from annotator.services.project import projects
from annotator.store.file.connection import connect


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
