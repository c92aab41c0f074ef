"""Whatever happens to a window at work, what it had said was saved is there afterwards, and the file opens cleanly."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select, update

from annotator.model.rows.queue_rows import QueueFilter
from annotator.model.vocabulary import Verdict
from annotator.services.project import projects
from annotator.services.select import triage
from annotator.services.sources import imports
from annotator.store.core_tables import LABEL, SUBJECT, statement_text
from annotator.store.history import undo_log
from tests.processes import private_environment

WORKER = Path(__file__).with_name("worker.py")
pytestmark = [pytest.mark.gui, pytest.mark.skipif(find_spec("PySide6") is None, reason="PySide6 is not installed")]


@dataclass
class Tally:
    """What a campaign came to."""

    events: int = 0
    saves: int = 0
    failures: int = 0
    kept: int = 0
    mended: int = 0
    reopened: int = 0
    slowest: float = 0.0
    heard: list[dict[str, Any]] = field(default_factory=list)


def _project(path: Path) -> None:
    rows = path.with_suffix(".jsonl")
    rows.write_text(
        "".join(
            json.dumps({"id": n, "prompt": f"Prompt {n}: sort a list.", "reference": f"x = {n}", "language": "python"})
            + "\n"
            for n in range(60)
        )
    )
    store = projects.create_project(path, "Demo", "Ada")
    imports.import_paths(store, "jsonl", [rows])
    ids = [row.id for row in triage.queue_page(store, QueueFilter(), limit=60).rows]
    triage.decide_subjects(store, ids[:20], Verdict.ACCEPT)
    store.close()


def _start(path: Path, seed: int, steps: int, fault: str, home: Path) -> subprocess.Popen[str]:
    environment = private_environment(home, QT_QPA_PLATFORM="offscreen", PYTHONDONTWRITEBYTECODE="1")
    return subprocess.Popen(
        [sys.executable, str(WORKER), str(path), str(seed), str(steps), fault],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment, cwd="/",
    )  # fmt: skip


def _lines(text: str) -> Iterator[dict[str, Any]]:
    for line in text.splitlines(keepends=True):
        if line.endswith("\n") and line.startswith("{"):
            yield json.loads(line)


def _check(path: Path, tally: Tally) -> None:
    """Open the project as the program does and look for everything that was acknowledged."""
    started = time.monotonic()
    store = projects.open_project(path)
    tally.slowest = max(tally.slowest, time.monotonic() - started)
    assert not store.read_only
    assert projects.check_integrity(store) == ()
    store.close()
    tally.reopened += 1
    with closing(sqlite3.connect(path)) as db:
        acts = {row[0] for row in db.execute("SELECT id FROM change")}
        told = [row for row in tally.heard if row["event"] == "saved"]
        assert {row["change"] for row in told} <= acts
        for word, kind in (("Undo: ", "undo"), ("Redo: ", "redo")):
            for change in {row["change"] for row in told if row["what"].startswith(word)}:
                heard = sum(row["change"] == change and row["what"].startswith(word) for row in told)
                there = db.execute("SELECT count(*) FROM change WHERE target_id = ? AND kind = ?", (change, kind))
                assert there.fetchone()[0] >= heard
        texts = {
            (row[0], row[1])
            for table, column in (("prompt", "text"), ("criterion", "source"), ("comment", "text"))
            for row in db.execute(f"SELECT change_id, {column} FROM {table}")
        }
        for row in told:
            if row["text"] and not row["what"].startswith(("Undo: ", "Redo: ")):
                assert (row["change"], row["text"]) in texts, row
        _check_caches(db)


def _check_caches(db: sqlite3.Connection) -> None:
    """What is cached of the current work is what follows from the rows, for every subject."""
    columns = "id, verdict, prompt_id, criterion_id, difficulty"
    before = db.execute(f"SELECT {columns} FROM subject ORDER BY id").fetchall()
    labelled = update(SUBJECT).where(SUBJECT.c.id.in_(select(LABEL.c.subject_id)))
    db.execute(statement_text(update(SUBJECT).values(undo_log.assign_current_work())))
    db.execute(statement_text(labelled.values(undo_log.assign_current_labels())))
    assert db.execute(f"SELECT {columns} FROM subject ORDER BY id").fetchall() == before
    db.rollback()


def _kill_campaign(folder: Path, kills: int, most: int) -> Tally:
    """Kill after up to ``most`` saves were heard of, at any moment of the next thing done."""
    path, home = folder / "p.annotator", folder / "home"
    home.mkdir()
    _project(path)
    chance, tally = random.Random(20261121), Tally()
    for number in range(kills):
        with _start(path, number, 100_000, "none", home) as worker:
            assert worker.stdout is not None and worker.stderr is not None
            first = worker.stdout.readline()
            assert '"ready"' in first, first + worker.stderr.read()
            found = []
            for _ in range(chance.randrange(most)):
                found += _lines(worker.stdout.readline())
            time.sleep(chance.uniform(0.0, 0.2))
            os.kill(worker.pid, signal.SIGKILL)
            found += _lines(worker.stdout.read())
        tally.events += 1
        tally.saves += sum(row["event"] == "saved" for row in found)
        tally.failures += sum(row["event"] == "failed" for row in found)
        tally.heard += found
        _check(path, tally)
    return tally


def _fault_campaign(path: Path, fault: str, steps: int, home: Path) -> Tally:
    tally = Tally()
    done = _start(path, 7, steps, fault, home)
    try:
        out, err = done.communicate(timeout=60 + 10 * steps)
    finally:
        done.kill()
    assert done.returncode == 0, err
    tally.heard = list(_lines(out))
    assert tally.heard[-1]["event"] == "end", err
    assert tally.heard[-2] == {"event": "closing", "left": []}
    for row in tally.heard:
        tally.events += row["event"] == "fault"
        tally.saves += row["event"] == "saved"
        tally.failures += row["event"] == "failed"
        tally.kept += row["event"] == "failed" and row["kept"]
        tally.mended += row["event"] == "mended" and row["saved"] and not row["shown"]
        assert row["event"] != "fault" or not row["waiting"] or row["shown"], "a failed save is on screen"
        assert row["event"] != "mended" or row["saved"], "what could not be saved is saved once it can be"
    assert tally.kept == tally.failures, "the text is kept with the failure"
    _check(path, tally)
    return tally


def _table(name: str, tally: Tally) -> None:
    print(
        f"\n{name}: {tally.events} events, {tally.saves} saves acknowledged, {tally.failures} refused and shown, "
        f"{tally.mended} saved on retry, {tally.reopened} clean reopenings, slowest {tally.slowest:.2f} s, 0 lost"
    )


@pytest.mark.slow
def test_killed_a_few_times(tmp_path: Path) -> None:
    tally = _kill_campaign(tmp_path, 2, 8)
    assert tally.saves > 0
    _table("SIGKILL", tally)


def test_killed_two_hundred_times(tmp_path: Path) -> None:
    tally = _kill_campaign(tmp_path, 200, 40)
    assert tally.saves > 1000
    assert tally.failures == 0
    _table("SIGKILL", tally)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system with room for the project, its log and a backup."""
    if os.name != "posix" or os.geteuid() != 0 or shutil.which("mount") is None:
        pytest.skip("a small file system needs root")
    folder = tmp_path / "disk"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=40m", "tmpfs", str(folder)]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("a small file system cannot be mounted here")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.slow
@pytest.mark.parametrize("events", [1, 20])
def test_the_disk_is_full(small_disk: Path, tmp_path: Path, events: int) -> None:
    home, path = tmp_path / "home", small_disk / "p.annotator"
    home.mkdir()
    _project(path)
    tally = _fault_campaign(path, "disk", 6 * events, home)
    assert tally.events == events
    assert tally.failures >= (events + 1) // 2
    _table("full disk", tally)


@pytest.mark.slow
@pytest.mark.parametrize("events", [1, 20])
def test_the_permission_is_lost(tmp_path: Path, events: int) -> None:
    home, path = tmp_path / "home", tmp_path / "work" / "p.annotator"
    home.mkdir()
    path.parent.mkdir()
    _project(path)
    tally = _fault_campaign(path, "permission", 6 * events, home)
    assert tally.events == events
    assert tally.failures >= (events + 1) // 2
    _table("lost permission", tally)
