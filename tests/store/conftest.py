"""An open project file for tests of the store."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from annotator.store.file.project_file import ProjectFile


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ProjectFile]:
    """A project that was read from, so that its log is there."""
    store = ProjectFile.create(tmp_path / "p.annotator", "Demo", "Ada")
    with store.reader() as connection:
        connection.execute("SELECT count(*) FROM annotator").fetchone()
    yield store
    store.close()
