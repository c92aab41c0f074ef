"""Backups: when they are due, which are kept, whether they are sound; and long statements can be cancelled."""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import threading
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from annotator.__main__ import main
from annotator.base.errors import BadInputError, MissingEnvironmentError
from annotator.base.settings import Settings
from annotator.jobs.progress import Cancelled, Progress
from annotator.model.rows.queue_rows import DiskStatus
from annotator.model.vocabulary import Verdict
from annotator.services.project import backups, projects
from annotator.services.select import triage
from annotator.store.file import backup_files
from annotator.store.file.backup_files import Rotation
from annotator.store.file.connection import interrupt_when_cancelled
from annotator.store.file.project_file import ProjectFile
from annotator.store.work import stored_proofs

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
KEPT = Rotation(50)


def _disk(saved: float, made: float | None, acts: int = 1) -> DiskStatus:
    """Return a state with times in minutes before noon."""
    at = None if made is None else NOON - timedelta(minutes=made)
    return DiskStatus(
        decisions=3, last_saved=NOON - timedelta(minutes=saved), backup_at=at, backup_ok=True, acts_since_backup=acts
    )


@pytest.mark.parametrize(
    ("disk", "opened", "due"),
    [
        (DiskStatus(decisions=0, last_saved=None, backup_at=None, backup_ok=False), True, ""),
        (_disk(5, None), False, "the first"),
        (_disk(40, 35), True, ""),
        (_disk(5, 10), False, ""),
        (_disk(5, 10), True, "opening"),
        (_disk(5, 30), False, "30 min"),
        (_disk(5, 10, 100), False, "100 acts"),
        (_disk(5, 10, 99), False, ""),
    ],
)
def test_a_backup_is_due(disk: DiskStatus, opened: bool, due: str, tmp_path: Path) -> None:
    settings = Settings(tmp_path / "s.json", {})
    assert backups.backup_reason(disk, settings.get, just_opened=opened, at=NOON) == due


def test_acts_and_opening_can_be_switched_off(tmp_path: Path) -> None:
    settings = Settings(tmp_path / "s.json", {"backup_acts": 0, "backup_on_open": False})
    assert backups.backup_reason(_disk(5, 10, 5000), settings.get, just_opened=True, at=NOON) == ""


def _touch(project: Path, moment: datetime) -> Path:
    path = backup_files.backup_folder(project) / f"{project.stem}-{moment.strftime('%Y%m%dT%H%M%S%fZ')}{project.suffix}"
    path.parent.mkdir(exist_ok=True)
    path.touch()
    path.with_suffix(".json").touch()
    return path


def test_the_last_of_each_hour_day_and_week_is_kept(tmp_path: Path) -> None:
    project = tmp_path / "p.annotator"
    made = {minutes: _touch(project, NOON - timedelta(minutes=minutes)) for minutes in range(0, 60 * 24 * 30, 40)}
    backup_files.prune_backups(project, Rotation(newest=2, hourly=3, daily=4, weekly=5))
    kept = sorted(
        (NOON - item.made_at for item in backup_files.list_backup_files(project)), key=timedelta.total_seconds
    )
    hours = [timedelta(minutes=minutes) for minutes in (0, 40, 80)]
    assert kept[:3] == hours  # the two newest, and the last of the hours 12, 11 and 10
    days = {item.made_at.date() for item in backup_files.list_backup_files(project)}
    assert {NOON.date() - timedelta(days=number) for number in range(4)} <= days
    weeks = {item.made_at.isocalendar()[1] for item in backup_files.list_backup_files(project)}
    assert len(weeks) == 5
    assert len(kept) <= 2 + 3 + 4 + 5
    assert all(not path.with_suffix(".json").exists() for path in made.values() if not path.exists())


def test_a_record_is_kept_and_verified(small_project: ProjectFile, ids: list[str]) -> None:
    triage.decide_subjects(small_project, ids[:2], Verdict.ACCEPT)
    row = backups.make_project_backup(small_project, KEPT, "a test")
    assert (row.state, row.reason, row.decisions, row.acts) == ("good", "a test", 2, 2)
    assert backups.verify_project_backups(small_project.path)[0].problems == ()
    assert projects.disk_status(small_project).backup_ok


def test_bits_that_rot_are_found(small_project: ProjectFile) -> None:
    row = backups.make_project_backup(small_project, KEPT)
    data = bytearray(row.path.read_bytes())
    at = data.index(b"sort a list")
    data[at] ^= 1  # inside a text, where SQLite itself cannot see it
    row.path.write_bytes(data)
    found = backups.verify_project_backups(small_project.path)[0]
    assert found.state == "damaged" and "its content has changed since it was written" in found.problems
    assert backups.newest_good_backup(small_project.path) is None
    with pytest.raises(BadInputError, match="damaged"):
        backups.restore_project_backup(small_project.path, row.path.name)


def test_a_backup_without_a_record_says_so(small_project: ProjectFile) -> None:
    row = backups.make_project_backup(small_project, KEPT)
    row.path.with_suffix(".json").write_text("not json")
    assert backups.list_project_backups(small_project.path)[0].state == "not checked"
    assert not projects.disk_status(small_project).backup_ok
    assert backups.verify_project_backups(small_project.path)[0].state == "good"


def test_a_backup_comes_back_and_the_present_is_kept(small_project: ProjectFile, ids: list[str]) -> None:
    triage.decide_subjects(small_project, ids[:2], Verdict.ACCEPT)
    backups.make_project_backup(small_project, KEPT)
    triage.decide_subjects(small_project, ids[2:6], Verdict.ACCEPT)
    small_project.close()
    row, aside = backups.restore_project_backup(small_project.path)
    again = projects.open_project(small_project.path)
    assert projects.stage_counts(again).accepted == 2
    with again.reader() as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal"
    again.close()
    before = projects.open_project(aside)
    assert projects.stage_counts(before).accepted == 6
    before.close()
    assert row.decisions == 2
    assert [item.path for item in backup_files.list_backup_files(small_project.path)] == [row.path], (
        "what was set aside is no backup"
    )


def test_an_open_project_is_not_replaced(small_project: ProjectFile, ids: list[str]) -> None:
    backups.make_project_backup(small_project, KEPT)
    triage.decide_subjects(small_project, ids[:1], Verdict.ACCEPT)
    with small_project.reader(), pytest.raises(MissingEnvironmentError, match="is open in another"):
        backups.restore_project_backup(small_project.path)
    assert projects.stage_counts(small_project).accepted == 1
    assert not list(small_project.path.parent.glob("*unfinished*"))


def test_opening_removes_what_a_killed_copy_left_and_no_copy_at_work(small_project: ProjectFile) -> None:
    path = small_project.path
    small_project.close()
    killed, copying = (path.with_name(f"{name}.annotator-unfinished") for name in ("q", "r"))
    killed.write_bytes(path.read_bytes()[:5000])
    copying.write_bytes(path.read_bytes())
    with closing(sqlite3.connect(copying, isolation_level=None)) as connection:
        connection.execute("BEGIN EXCLUSIVE")
        projects.open_project(path).close()
        assert (killed.exists(), copying.exists()) == (False, True)
    projects.back_up_and_check(projects.open_project(path), path.with_name("s.annotator"))
    assert not copying.exists()


def test_a_backup_of_a_project_changed_by_others_is_not_the_good_one(
    small_project: ProjectFile, ids: list[str]
) -> None:
    triage.decide_subjects(small_project, ids[:2], Verdict.ACCEPT, "as it was")
    first = backups.make_project_backup(small_project, KEPT)
    small_project.close()
    with closing(sqlite3.connect(small_project.path)) as connection, connection:
        connection.execute("UPDATE decision SET reason = 'changed'")
    again = projects.open_project(small_project.path)
    backups.make_project_backup(again, KEPT)
    again.close()
    assert [row.state for row in backups.verify_project_backups(small_project.path)] == ["damaged", "good"]
    assert backups.restore_project_backup(small_project.path)[0].path == first.path


def test_after_an_older_backup_came_back_nothing_counts_as_lost(small_project: ProjectFile, ids: list[str]) -> None:
    triage.decide_subjects(small_project, ids[:2], Verdict.ACCEPT)
    first = backups.make_project_backup(small_project, KEPT)
    with small_project.write() as db:
        stored_proofs.record_proof(db, ids[0], "artefacts", "0" * 64, "pass", {})
    backups.make_project_backup(small_project, KEPT)
    small_project.close()
    backups.restore_project_backup(small_project.path, first.path.name)
    again = projects.open_project(small_project.path)
    assert again.integrity() == ()
    backups.make_project_backup(again, KEPT)
    assert [row.problems for row in backups.verify_project_backups(again.path)] == [()] * 3
    again.close()


def test_a_copy_is_locked_from_its_first_moment(tmp_path: Path) -> None:
    path = tmp_path / f"q{backup_files.UNFINISHED}"
    path.touch()
    os.utime(path, (0, 0))
    with closing(sqlite3.connect(path)) as copy:
        backup_files.keep_locked(copy)
        backup_files.remove_unfinished(tmp_path)
        assert path.exists()
    backup_files.remove_unfinished(tmp_path)
    assert not path.exists()


def test_a_damaged_project_is_replaced(small_project: ProjectFile, ids: list[str]) -> None:
    triage.decide_subjects(small_project, ids[:2], Verdict.ACCEPT)
    backups.make_project_backup(small_project, KEPT)
    small_project.close()
    wreck = bytes(1000) + small_project.path.read_bytes()[1000:]
    small_project.path.write_bytes(wreck)
    _, aside = backups.restore_project_backup(small_project.path)
    assert aside.read_bytes() == wreck
    again = projects.open_project(small_project.path)
    assert projects.stage_counts(again).accepted == 2
    again.close()


def test_a_full_disk_leaves_no_half_backup(small_project: ProjectFile, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(connection: sqlite3.Connection) -> dict[str, int]:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(backup_files, "count_table_rows", fail)
    with pytest.raises(MissingEnvironmentError, match="disk is full"):
        backups.make_project_backup(small_project, KEPT)
    assert list(backup_files.backup_folder(small_project.path).iterdir()) == []
    monkeypatch.undo()
    assert backups.make_project_backup(small_project, KEPT).state == "good"


def test_names_with_signs_of_patterns_are_found(tmp_path: Path) -> None:
    store = projects.create_project(tmp_path / "a[1]*.annotator", "Demo", "Ada")
    backups.make_project_backup(store, KEPT)
    assert len(backups.list_project_backups(store.path)) == 1
    store.close()


def test_the_commands(small_project: ProjectFile, ids: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    path = str(small_project.path)
    assert main(["backups", "list", path]) == 0
    assert "No backups yet" in capfd.readouterr().out
    assert main(["backups", "restore", path]) == 3
    small_project.close()
    assert main(["backup", path]) == 0
    capfd.readouterr()
    assert main(["backups", "list", path, "--json"]) == 0
    name = Path(json.loads(capfd.readouterr().out)["backups"][0]["path"]).name
    assert main(["backups", "verify", path]) == 0
    assert main(["backups", "restore", path, "--backup", name]) == 0
    assert "is kept" in capfd.readouterr().out
    assert main(["backups", "restore", path, "--backup", "other"]) == 3
    (small_project.path.with_name("p.annotator-backups") / name).write_bytes(b"broken")
    capfd.readouterr()
    assert main(["backups", "verify", path]) == 3
    assert "Traceback" not in capfd.readouterr().err


# A statement that takes minutes is broken off when its work is cancelled.
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


def test_a_check_and_a_backup_say_what_they_are_doing(tmp_path: Path) -> None:
    steps: list[str] = []
    progress = Progress(lambda work: steps.append(work.text), every_s=0)
    with contextlib.closing(projects.create_project(tmp_path / "p.annotator", "P", "Ada")) as store:
        projects.check_integrity(store, progress)
        checked = list(dict.fromkeys(steps))
        assert checked[0] == "checking pages and references"
        assert {"checking subject", "checking search", "comparing blocks of rows with their digests"} <= {*checked}
        steps.clear()
        projects.back_up_and_check(store, progress=progress)
    copied, *rest = dict.fromkeys(steps)
    assert copied.endswith("pages copied")
    assert {"checking pages and references of the copy", "checking search"} <= {*rest}
