"""The window is killed, and comes back as it was: size, page, splitters, columns, scroll positions, last folder."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from annotator.model.rows.queue_rows import QueueFilter
from annotator.services.project import projects
from annotator.services.select import triage
from annotator.services.sources import imports
from tests.processes import ROOT, private_environment

# What is seen is written down within a second.
KEPT_S = 1.0

pytest.importorskip("PySide6", reason="the victim is a window")


@pytest.fixture
def project(sample_file: Path, tmp_path: Path) -> Path:
    """The sample with a question that is long enough to scroll in, first in the queue."""
    path = Path(shutil.copy(sample_file, tmp_path / "starter.annotator"))
    rows = tmp_path / "rows.jsonl"
    text = "\n\n".join(f"Paragraph {number} of a long question." for number in range(200))
    rows.write_text(json.dumps({"id": "long", "title": "A long question", "prompt": text, "reference": "x"}) + "\n")
    opened = projects.open_project(path)
    imports.import_paths(opened, "jsonl", [rows])
    assert triage.queue_page(opened, QueueFilter()).rows
    opened.close()
    return path


@contextmanager
def _window(home: Path, project: Path, *arranged: Path) -> Iterator[tuple[subprocess.Popen[str], dict[str, object]]]:
    screens = home / "screens.json"
    screen = {"name": "large", "x": 0, "y": 0, "width": 1920, "height": 1080, "logicalDpi": 96, "dpr": 1}
    screens.write_text(json.dumps({"screens": [screen]}))
    environment = private_environment(home, QT_QPA_PLATFORM=f"offscreen:configfile={screens}")
    command = [sys.executable, "-m", "tests.faults.looker", str(project), *map(str, arranged)]
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process, json.loads(process.stdout.readline())
        finally:
            process.kill()


def test_a_killed_window_comes_back_as_it_was(project: Path, tmp_path: Path) -> None:
    folder = tmp_path / "exports"
    folder.mkdir()
    with _window(tmp_path, project, folder) as (victim, before):
        time.sleep(KEPT_S)
        victim.send_signal(signal.SIGKILL)
    assert victim.returncode == -signal.SIGKILL
    with _window(tmp_path, project) as (_, after):
        pass
    assert after == before
    assert (before["page"], before["size"], before["folder"]) == ("Select", [1180, 760], str(folder))
    assert before["columns"] != [0, 0]
