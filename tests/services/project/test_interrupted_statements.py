"""A statement that takes minutes is broken off when its work is cancelled."""

from __future__ import annotations

import contextlib
import sqlite3
import threading
from pathlib import Path

import pytest

from annotator.jobs.progress import Cancelled, Progress
from annotator.services.project import projects
from annotator.store.file.connection import interrupt_when_cancelled

ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n"


def test_a_statement_without_end_is_broken_off_and_the_connection_is_whole() -> None:
    progress = Progress()
    with contextlib.closing(sqlite3.connect(":memory:", check_same_thread=False)) as connection:
        threading.Timer(0.3, progress.cancel).start()
        with pytest.raises(Cancelled), interrupt_when_cancelled(connection, progress):
            connection.execute(ENDLESS)
        assert connection.execute("SELECT 1").fetchone() == (1,)


def test_other_errors_stay_what_they_are() -> None:
    connection = sqlite3.connect(":memory:")
    with pytest.raises(sqlite3.OperationalError) as caught, interrupt_when_cancelled(connection, Progress()):
        connection.execute("SELECT * FROM nobody")
    connection.close()
    assert "nobody" in str(caught.value)


def test_a_check_ends_as_before(tmp_path: Path) -> None:
    store = projects.create_project(tmp_path / "p.annotator", "P", "Ada")
    assert projects.check_integrity(store, Progress()) == () == projects.check_integrity(store)
    store.close()
