"""`check` finds faults that are planted in files, and finds nothing in files that nobody has touched."""

from __future__ import annotations

import gzip
import json
import random
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from annotator.base.errors import KnownError
from annotator.model.rows.queue_rows import QueueFilter
from annotator.model.vocabulary import Verdict
from annotator.services.select import triage
from annotator.services.sources import imports
from annotator.store.file import backup_files, project_file, schema
from annotator.store.file.project_file import ProjectFile
from annotator.store.soundness import block_digests
from tests.store import fuzz_damage, planted_faults
from tests.store.planted_faults import Fault

GOLDEN = sorted((Path(__file__).parent / "sound").glob("*.gz"))
UNFINDABLE = {
    "UPDATE failure SET \"cause\" = 'nonsense' WHERE _rowid_ = 1",
}
"""Faults that are known not to be found, or not in every file."""


@pytest.fixture(autouse=True)
def _one_look(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(project_file, "_RECHECK_DELAY_S", 0.0)


def _problems(path: Path) -> tuple[str, ...]:
    """Return what is wrong with a file: what `check` finds, or why it cannot be opened."""
    try:
        with closing(ProjectFile.open(path, read_only=True)) as store:
            return store.integrity()
    except KnownError as error:
        return (error.message, *error.details)


def _contents(path: Path) -> list[str]:
    """Return all that a sound file contains, because some statements change nothing in a file without their rows."""
    with closing(sqlite3.connect(path)) as connection:
        headers = [str(connection.execute(f"PRAGMA {name}").fetchone()) for name in ("user_version", "application_id")]
        return sorted([*headers, *connection.iterdump()])


def _missed(sound: Path, folder: Path, most_of_a_kind: int) -> tuple[list[Fault], int]:
    """Plant faults one after another; returns those that are not found and should be, and how many there were."""
    kinds: dict[str, list[Fault]] = {}
    for fault in planted_faults.faults(sound):
        kinds.setdefault(fault.kind, []).append(fault)
    chance, missed, count = random.Random(1), list[Fault](), 0
    path = folder / "p.annotator"
    for found in kinds.values():
        for fault in chance.sample(found, min(most_of_a_kind, len(found))):
            for ending in ("", "-wal", "-shm", "-journal"):
                Path(f"{path}{ending}").unlink(missing_ok=True)
            shutil.copyfile(sound, path)
            fault.plant(path)
            if path.read_bytes() == sound.read_bytes() or fault.kind in ("text encoding", "bytes flipped"):
                continue
            count += 1
            if not _problems(path) and fault.name not in UNFINDABLE and _contents(path) != _contents(sound):
                missed.append(fault)
    return missed, count


def _check(sound: Path, tmp_path: Path, most_of_a_kind: int, least: int) -> None:
    with closing(ProjectFile.open(sound)) as store, store.write():
        pass  # closing writes the digests
    assert _problems(sound) == ()
    folder = tmp_path / "planted"
    folder.mkdir()
    missed, count = _missed(sound, folder, most_of_a_kind)
    assert count >= least
    assert [f"{fault.kind}: {fault.name}" for fault in missed] == []


def _unpacked(golden: Path, folder: Path) -> Path:
    path = folder / "golden.annotator"
    path.write_bytes(gzip.decompress(golden.read_bytes()))
    return path


def test_faults_in_the_sample_are_found(sample_file: Path, tmp_path: Path) -> None:
    """A file for each fault, each checked whole."""
    sound = tmp_path / "sound.annotator"
    shutil.copyfile(sample_file, sound)
    _check(sound, tmp_path, 1, 30)


@pytest.mark.parametrize("base", ["sample", "golden"])
def test_all_faults_are_found(base: str, sample_file: Path, tmp_path: Path) -> None:
    """Hundreds of files in each of two projects."""
    sound = tmp_path / "sound.annotator"
    shutil.copyfile(sample_file, sound)
    _check(sound if base == "sample" else _unpacked(GOLDEN[2], tmp_path), tmp_path, 1000, 600)


def test_what_no_rule_knows_is_found_by_the_digests_of_rows(tmp_path: Path) -> None:
    path = _unpacked(GOLDEN[2], tmp_path)
    with closing(ProjectFile.open(path)) as store:
        subjects = [row.id for row in triage.queue_page(store, QueueFilter()).rows]
        triage.decide_subjects(store, subjects, Verdict.SKIP)
    triage.decide_subjects(store := ProjectFile.open(path), subjects, Verdict.FLAG)
    assert store.integrity() == ()
    for table, statement in (
        ("vote", "UPDATE vote SET choice = CASE choice WHEN 'no' THEN 'yes' ELSE 'no' END"),
        ("change", "UPDATE change SET created_at = '2026-03-01T10:00:01.000000Z' WHERE seq = 1"),
        ("suggestion_verdict", "DELETE FROM suggestion_verdict"),
    ):
        with closing(sqlite3.connect(path)) as connection:
            connection.execute(statement)
            connection.commit()
        problems = store.integrity()
        assert any(line.startswith(f"{table}: another program changed rows") for line in problems)
    later = store.make_backup()
    assert backup_files.describe_backup(later).state == "damaged"
    store.close()
    with closing(ProjectFile.open(path)) as again:
        assert again.integrity() == problems, "what was changed gets no digest"


@pytest.mark.parametrize(
    ("table", "statement"),
    [
        (
            "annotator",
            "INSERT INTO annotator (id, created_at, name, role) SELECT 'x', created_at, 'x', '' FROM project",
        ),
        ("block_digest", "UPDATE block_digest SET last_row = 5 WHERE table_name = ''"),
    ],
)
def test_what_another_program_writes_to_a_closed_file_is_found(tmp_path: Path, table: str, statement: str) -> None:
    path = _unpacked(GOLDEN[2], tmp_path)
    with closing(ProjectFile.open(path)) as store, store.write():
        pass
    assert _problems(path) == ()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(statement)
        connection.commit()
    assert f"{table}: another program changed" in _problems(path)[0]


def test_what_is_written_during_a_check_is_no_fault(tmp_path: Path) -> None:
    path = _unpacked(GOLDEN[2], tmp_path)
    with closing(ProjectFile.open(path)) as store, store.write():
        pass
    with closing(ProjectFile.open(path)) as store:
        subjects = [row.id for row in triage.queue_page(store, QueueFilter()).rows]
        written: list[str] = []

        def write_once(statement: str) -> None:
            if "min(rowid)" in statement and not written:
                written.append(statement)
                triage.decide_subjects(store, subjects, Verdict.SKIP)

        with store.reader() as connection:
            connection.set_trace_callback(write_once)
        assert store.integrity() == () and written
        assert store.integrity() == ()


def test_gaps_of_the_search_index_may_get_between_others(tmp_path: Path) -> None:
    path = _unpacked(GOLDEN[2], tmp_path)
    for statement in (
        "INSERT INTO search_gap VALUES (5000, 5500), (6000, 6100)",
        "UPDATE search_gap SET first_row = 5200 WHERE first_row = 5000",
    ):
        with closing(ProjectFile.open(path)) as store, store.write() as db:
            db.connection().exec_driver_sql(statement)
        assert _problems(path) == ()


def test_digests_are_written_in_turns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = _unpacked(GOLDEN[2], tmp_path)
    monkeypatch.setattr(block_digests, "_MAX_TRANSACTION_S", -1.0)
    monkeypatch.setattr(project_file, "_LONGEST_CLOSING_S", -1.0)
    counts = []
    for _ in range(3):
        with closing(ProjectFile.open(path)) as store, store.write():
            pass
        assert _problems(path) == ()
        with closing(sqlite3.connect(path)) as connection:
            counts += connection.execute("SELECT count(*) FROM block_digest").fetchone()
    assert counts == [1, 2, 3]
    with closing(ProjectFile.open(path)) as store:
        with store.write():
            pass
        store.make_backup()
        with store.reader() as connection:
            assert connection.execute("SELECT count(*) FROM block_digest WHERE table_name = ''").fetchone() == (1,)


@pytest.mark.parametrize("golden", GOLDEN, ids=lambda path: path.name)
def test_files_of_every_version_are_sound(
    golden: Path, tmp_path: Path, command: Callable[..., tuple[str, str]]
) -> None:
    path = _unpacked(golden, tmp_path)
    before = path.read_bytes()
    out, _ = command("check", path)
    assert "is intact" in out
    assert path.read_bytes() == before
    command("status", path)
    out, _ = command("check", path)
    assert "is intact" in out


def test_the_digests_of_the_layout_are_those_of_new_and_of_upgraded_files() -> None:
    for lay_out in (schema.create_file_schema, lambda connection: schema.upgrade_file_schema(connection, 0)):
        with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
            lay_out(connection)
            objects = schema.list_schema_objects(connection)
            assert schema.digest_of_meaning(objects) == schema.NORMALIZED_LAYOUT
            assert schema.find_schema_differences(connection).describe() == ()
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        schema.create_file_schema(connection)
        assert schema.digest_of_text(schema.list_schema_objects(connection)) == schema.NEW_LAYOUT


def test_a_long_title_is_no_damage_and_no_burden_on_lists(tmp_path: Path) -> None:
    row = {"id": "1", "title": "word " * 4000, "prompt": "p", "reference": "x", "language": "python"}
    rows = tmp_path / "rows.jsonl"
    rows.write_text(json.dumps({**row, "task": "question", "licence": "MIT", "provenance": {"source": "made"}}))
    with closing(ProjectFile.create(tmp_path / "p.annotator", "Demo", "Ada")) as store:
        imports.import_paths(store, "jsonl", [rows])
        assert store.integrity() == ()
        (shown,) = triage.queue_page(store, QueueFilter()).rows
        assert (len(shown.title), shown.title[-1]) == (1001, "…")


def test_nothing_is_released_under_another_hash(
    sample_file: Path, tmp_path: Path, command: Callable[..., tuple[str, str]]
) -> None:
    path = tmp_path / "p.annotator"
    shutil.copyfile(sample_file, path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(
            "UPDATE subjecttext SET reference = reference || ' x' WHERE subject_id = "
            "(SELECT id FROM subject WHERE verdict = 'accept' ORDER BY key LIMIT 1)"
        )
        connection.commit()
    _, err = command("release", "create", path, "--version", "9.9", "--override", "a test", status=3)
    assert "does not match its hash" in err


def test_a_backup_of_an_unsound_project_is_kept_and_says_so(
    sample_file: Path, tmp_path: Path, command: Callable[..., tuple[str, str]]
) -> None:
    path = tmp_path / "p.annotator"
    shutil.copyfile(sample_file, path)
    command("backup", path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE criterion SET source = source || ' ' WHERE rowid = 1")
        connection.commit()
    out, _ = command("backup", path, status=3)
    assert "damaged" in out and "criterion" in out
    out, _ = command("backups", "list", path)
    assert "damaged" in out and "good" in out


def test_a_killed_backup_leaves_nothing_after_the_next_start(sample_file: Path, tmp_path: Path) -> None:
    path = tmp_path / "p.annotator"
    shutil.copyfile(sample_file, path)
    folder = tmp_path / "p.annotator-backups"
    folder.mkdir()
    left = folder / "p-20260101T000000000000Z.annotator-unfinished"
    for ending in ("", "-journal"):
        Path(f"{left}{ending}").write_bytes(b"half a copy")
    held = folder / "p-20260102T000000000000Z.annotator-unfinished"
    with closing(sqlite3.connect(held, isolation_level=None)) as connection:
        connection.execute("CREATE TABLE t (a)")
        connection.execute("BEGIN EXCLUSIVE")
        ProjectFile.open(path).close()
        assert [item.name for item in folder.iterdir() if not item.name.endswith("-journal")] == [held.name]
    ProjectFile.open(path).close()
    assert list(folder.iterdir()) == []


def test_damage_is_told_as_damage(sample_file: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Whatever a damaged file makes a command read, it ends with a sentence."""
    assert list(fuzz_damage.bugs(sample_file, 5)) == []
    capfd.readouterr()


def test_damage_of_ten_thousand_files_is_told_as_damage(sample_file: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert list(fuzz_damage.bugs(sample_file, 10_000, 5)) == []
    capfd.readouterr()
