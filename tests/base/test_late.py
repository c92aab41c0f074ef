"""What is loaded late is the same as what would have been there at once."""

from __future__ import annotations

import logging
import uuid
from pathlib import Path

import pytest

from annotator.base import ids, logs


def test_identifiers_are_of_version_seven_and_in_order_of_time() -> None:
    made = uuid.UUID(ids.new_id())
    assert (made.version, made.variant) == (7, uuid.RFC_4122)
    assert str(made) == str(uuid.UUID(str(made)))
    assert ids.stable_id("a", "b") == str(uuid.uuid5(uuid.UUID("5f0d3c6e-0f5b-5a39-9c1b-6d8f1f4f6a10"), "a\0b"))


def test_a_log_is_there_before_its_first_line_and_takes_all_of_them(tmp_path: Path) -> None:
    path = tmp_path / "annotator.log"
    handler = logs.LogFile(path)
    handler.setFormatter(logs.RedactingFormatter("%(message)s"))
    assert path.read_text() == ""
    for text in ("one", "two, password=abcdefghijkl"):
        handler.handle(logging.LogRecord("annotator", logging.INFO, "", 0, text, None, None))
    handler.flush()
    assert path.read_text().splitlines() == ["one", "two, [removed]"]
    handler.close()


def test_a_log_that_cannot_be_written_is_said_at_once(tmp_path: Path) -> None:
    (tmp_path / "annotator.log").mkdir()
    with pytest.raises(OSError, match=r"annotator\.log"):
        logs.LogFile(tmp_path / "annotator.log")
    assert logs.set_up_logging(tmp_path) is None
